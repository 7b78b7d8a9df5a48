// Finds and runs Litestream's program.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The end of the output says why it failed. */
const MAX_OUTPUT = 64 * 1024;

/** Returns the path of a program: as given, or searched in PATH. Returns undefined if there is none. */
export function findProgram(name: string, env: Environment): string | undefined {
  if (name.includes('/')) return isExecutable(name) ? name : undefined;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs Litestream. Returns why it failed, or undefined. */
export function runLitestream(
  program: string,
  words: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env } });
    let output = '';
    const gather = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT);
    };
    child.stdout.on('data', gather);
    child.stderr.on('data', gather);
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : (findReason(output) ?? `ended with ${code ?? signal}`)),
    );
  });
}

/** Litestream writes its reason as the last `error` of its log, or as plain text. */
function findReason(output: string): string | undefined {
  const [, quoted, word] = [...output.matchAll(/\berror=(?:"((?:[^"\\]|\\.)*)"|(\S+))/g)].at(-1) ?? [];
  const last = output.trim().split('\n').at(-1) ?? '';
  return quoted?.replace(/\\(.)/g, '$1') ?? word ?? (last === '' ? undefined : last);
}
