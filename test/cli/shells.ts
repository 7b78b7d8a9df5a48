// Runs programs as a CI job would: in a folder of its own, with recorded command lines of curl and without pauses.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Runner extends Disposable {
  folder: string;
  /** Writes the arguments of curl down from now on. */
  recordCommandLines(): void;
  /** Every recorded command line of curl, one per line. */
  commandLines(): string;
  run(words: string[], env?: Record<string, string>, stdin?: string): Promise<Finished>;
}

/** Opens a runner. Its PATH starts with a sleep that returns at once. */
export function openRunner(): Runner {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-runner-'));
  const bin = join(folder, '.bin');
  const log = join(folder, '.command-lines');
  const addProgram = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}`, { mode: 0o755 });
  mkdirSync(bin);
  addProgram('sleep', 'exit 0\n');
  return {
    folder,
    recordCommandLines() {
      writeFileSync(log, '');
      addProgram('curl', `printf '%s ' "$@" >>'${log}'\necho >>'${log}'\nexec '${findProgram('curl')}' "$@"\n`);
    },
    commandLines: () => readFileSync(log, 'utf8'),
    run([command = '', ...args], env = {}, stdin = '') {
      return new Promise((resolve) => {
        const options = {
          cwd: folder,
          env: { HOME: folder, PATH: `${bin}:${process.env.PATH}`, ...env },
          timeout: 60_000,
        };
        const child = execFile(command, args, options, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
        );
        child.stdin?.on('error', () => undefined).end(stdin);
      });
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Whether a program is in PATH. */
export const isInstalled = (name: string): boolean => findProgram(name) !== undefined;

function findProgram(name: string): string | undefined {
  return process.env.PATH?.split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

/** The installed ones of the shells that the uploader has to run in. Every system has sh. */
export const shells: string[][] = [['sh'], ['dash'], ['bash'], ['busybox', 'sh'], ['mksh']].filter(([name = '']) =>
  isInstalled(name),
);
