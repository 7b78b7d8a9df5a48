// Runs programs as a CI job would: in a folder of its own, with recorded command lines of curl and without pauses.
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Runner extends Disposable {
  folder: string;
  /** Every command line of curl so far, one per line. */
  commandLines(): string;
  run(words: string[], env?: Record<string, string>, stdin?: string): Promise<Finished>;
}

/** Opens a runner. Its PATH starts with a curl that writes its arguments down, and a sleep that doesn't. */
export function openRunner(): Runner {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-runner-'));
  const bin = join(folder, '.bin');
  const log = join(folder, '.command-lines');
  mkdirSync(bin);
  const curl = execFileSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'curl'), `#!/bin/sh\nprintf '%s ' "$@" >>'${log}'\necho >>'${log}'\nexec '${curl}' "$@"\n`);
  writeFileSync(join(bin, 'sleep'), '#!/bin/sh\nexit 0\n');
  for (const name of ['curl', 'sleep']) chmodSync(join(bin, name), 0o755);
  return {
    folder,
    commandLines: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
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
export function isInstalled(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The installed ones of the shells that the uploader has to run in. Every system has sh. */
export const shells: string[][] = [['sh'], ['dash'], ['bash'], ['busybox', 'sh'], ['mksh']].filter(([name = '']) =>
  isInstalled(name),
);
