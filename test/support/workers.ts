// Bundles once for all tests: the worker threads of the server, because from a bundle, a thread starts in a quarter of the time; and Drizzle,
// because for each of its files, Node reads the 200 KB of its package.json, which takes longer than loading everything else.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const projectRoot = resolve(import.meta.dirname, '../..');

/** The folder of the bundled threads, which vitest.config.ts tells the program. */
export const workersFolder = join(projectRoot, '.cache/workers');

/** The entry files of the threads. */
export const workerEntryPoints = {
  'inspection-worker': 'src/inspection/worker.ts',
  'saml-worker': 'src/saml/worker.ts',
  'checkpoint-worker': 'src/runtime/checkpoint-worker.ts',
};

/** The folder of the bundled Drizzle, which vitest.config.ts puts in the place of the package. */
export const drizzleFolder = join(projectRoot, '.cache/drizzle-orm');

/** What the sources import of it; anything else comes from the package. */
export const drizzleEntryPoints = ['', '/better-sqlite3', '/sql', '/sql/sql', '/sqlite-core'];

export async function setup(): Promise<void> {
  await bundleWorkers();
  await bundleDrizzle();
}

async function bundleDrizzle(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    logLevel: 'warning',
    entryPoints: drizzleEntryPoints.map((path) => ({ in: `drizzle-orm${path}`, out: `entry${path}` })),
    external: ['better-sqlite3'],
    outdir: drizzleFolder,
    outExtension: { '.js': '.mjs' },
    write: false,
  });
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeIfChanged(path, contents);
  }
}

async function bundleWorkers(): Promise<void> {
  mkdirSync(join(workersFolder, 'bundles'), { recursive: true });
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'warning',
    entryPoints: workerEntryPoints,
    // It finds its native addon only in its package.
    external: ['better-sqlite3'],
    outdir: workersFolder,
    outExtension: { '.js': '.cjs' },
    write: false,
  });
  for (const { path, contents } of outputFiles) {
    const bundle = join(dirname(path), 'bundles', basename(path));
    writeIfChanged(bundle, contents);
    writeIfChanged(path, Buffer.from(startOf(bundle, join(workersFolder, 'compiled'))));
  }
}

/** Returns a script that runs a bundle. Compiling it takes as long as the rest of a thread's start, so what Node compiles is kept in a folder. */
export function startOf(bundle: string, compiled: string): string {
  return `require('node:module').enableCompileCache(${JSON.stringify(compiled)});require(${JSON.stringify(bundle)});`;
}

function writeIfChanged(path: string, contents: Uint8Array): void {
  if (isSame(path, contents)) return;
  // Another run may be reading the file.
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, contents);
  renameSync(aside, path);
}

function isSame(path: string, contents: Uint8Array): boolean {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}
