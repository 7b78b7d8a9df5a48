// The arguments of the process, its further processes, and the name of the program in hints.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { isBundled, isExecutable } from './assets.ts';

/** The hidden command that a server runs to check its own database. */
export const QUICK_CHECK_COMMAND = 'quick-check';

/** The hidden command that a server runs to create a backup. */
export const RUN_BACKUP_COMMAND = 'run-backup';

/** Returns the arguments after the program's name. Same in the executable, the package and the source tree. */
export function commandArguments(): string[] {
  // Also in the executable: argv[0] is its path and argv[1] the command as it was typed.
  return process.argv.slice(2);
}

/** Returns the command line that runs this program with the given arguments, for work in another process. */
export function ownCommand(args: readonly string[]): [command: string, ...args: string[]] {
  if (!isBundled()) return [process.execPath, join(import.meta.dirname, '../main.ts'), ...args];
  if (isExecutable()) return [executablePath(), ...args];
  const command = ['.', '..']
    .map((up) => join(import.meta.dirname, up, 'taxiway.cjs'))
    .find((file) => existsSync(file));
  return [process.execPath, command ?? join(import.meta.dirname, 'taxiway.cjs'), ...args];
}

/** Another process of this program. */
export interface OwnProcess {
  /** Undefined if the system refused to start it. */
  child: ChildProcess | undefined;
  /** Resolves with the standard output of a process that exits with 0. Otherwise, rejects with the reason. */
  output: Promise<string>;
}

/** The end of the output has the result. */
const MAX_OUTPUT = 64 * 1024;

/** Runs this program with the given arguments and input. `what` names the process in errors. */
export function runOwnCommand(args: readonly string[], { what, input }: { what: string; input?: string }): OwnProcess {
  const [command, ...words] = ownCommand(args);
  let child: ChildProcess;
  try {
    child = spawn(command, words, { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  } catch (error) {
    return { child: undefined, output: Promise.reject(error) };
  }
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    // There are no streams if the process has too many open files; that is an event later.
    child[name]?.on('data', (chunk) => {
      text[name] = (text[name] + chunk).slice(-MAX_OUTPUT);
    });
  }
  // A process that ends early closes its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const output = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(text.stdout);
      else reject(new Error(`${what} exited with ${code ?? signal}: ${text.stderr.slice(0, 1_000)}`));
    });
  });
  return { child, output };
}

/** How the program is installed. */
export interface Installation {
  form: 'executable' | 'bundle' | 'source';
  /** The executable's name as it was typed. */
  typed: string;
  /** Whether the bundle is part of a clone of the repository, which has scripts/taxiway. */
  isClone: boolean;
}

/**
 * Returns the command for hints: the file name of the executable, `scripts/taxiway` in a clone, `npx taxiway` for an installed
 * package, and `taxiway` when run from source, as in tests.
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
  // The command is dist/taxiway.cjs; the library is in dist/lib/.
  const isClone = ['..', '../..'].some((up) => existsSync(join(import.meta.dirname, up, 'scripts/taxiway')));
  return { form: 'bundle', typed, isClone };
}

/**
 * Returns the absolute path of the running executable. Node reads it from /proc. Without /proc, Node only knows the typed name,
 * which is looked up in PATH like a shell does.
 */
export function executablePath(typed = process.execPath, env: NodeJS.ProcessEnv = process.env): string {
  if (isAbsolute(typed)) return typed;
  if (typed.includes('/')) return resolve(typed);
  const folders = (env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => resolve(folder, typed)).find((file) => existsSync(file));
  return found ?? resolve(typed);
}
