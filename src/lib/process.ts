// What the process was called with, and how people call this program.
import { existsSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { isBundled, isExecutable } from './assets.ts';

/** The hidden command that a server runs on its own database. */
export const QUICK_CHECK_COMMAND = 'quick-check';

/** The arguments after the program's name; the same in the executable, the package and the source tree. */
export function commandArguments(): string[] {
  // In the executable too: argv[0] is its path and argv[1] the command as it was typed.
  return process.argv.slice(2);
}

/** Returns the command and arguments that run this program again with the given arguments, for work in another process. */
export function ownCommand(words: readonly string[]): [command: string, ...words: string[]] {
  if (!isBundled()) return [process.execPath, join(import.meta.dirname, '../main.ts'), ...words];
  if (isExecutable()) return [executablePath(), ...words];
  const command = ['.', '..']
    .map((up) => join(import.meta.dirname, up, 'taxiway.cjs'))
    .find((file) => existsSync(file));
  return [process.execPath, command ?? join(import.meta.dirname, 'taxiway.cjs'), ...words];
}

/** How one installation of the program is started. */
export interface Installation {
  form: 'executable' | 'bundle' | 'source';
  /** The executable as it was typed. */
  typed: string;
  /** Whether the bundle is part of a clone of the repository, which has scripts/taxiway. */
  isClone: boolean;
}

/**
 * Returns how people call the program, for every hint that names a command: the file name of the executable, `scripts/taxiway`
 * in a clone, `npx taxiway` where it was installed as a package. Run from its sources, as tests do, it's plain `taxiway`.
 */
export function programName(installation: Installation = thisInstallation()): string {
  if (installation.form === 'source') return 'taxiway';
  if (installation.form === 'bundle') return installation.isClone ? 'scripts/taxiway' : 'npx taxiway';
  return basename(installation.typed.replaceAll('\\', '/')).replace(/\.exe$/i, '') || 'taxiway';
}

function thisInstallation(): Installation {
  const typed = process.argv[1] ?? process.execPath;
  if (!isBundled()) return { form: 'source', typed, isClone: true };
  if (isExecutable()) return { form: 'executable', typed, isClone: false };
  // The command is dist/taxiway.cjs, the library dist/lib/….
  const isClone = ['..', '../..'].some((up) => existsSync(join(import.meta.dirname, up, 'scripts/taxiway')));
  return { form: 'bundle', typed, isClone };
}

/**
 * Returns the absolute path of the running executable. Node knows it from /proc; without that it only knows the name that was
 * typed, which is looked up like the shell did.
 */
export function executablePath(typed = process.execPath, env: NodeJS.ProcessEnv = process.env): string {
  if (isAbsolute(typed)) return typed;
  if (typed.includes('/')) return resolve(typed);
  const folders = (env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => resolve(folder, typed)).find((file) => existsSync(file));
  return found ?? resolve(typed);
}
