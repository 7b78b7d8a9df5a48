// Scripts that tests run in processes of their own, bundled: loading the sources that they import takes longer than their work.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { workersFolder } from './workers.ts';

const projectRoot = resolve(import.meta.dirname, '../..');

export interface BundledScripts extends Disposable {
  /** Their paths, in the order of the sources. */
  files: string[];
}

/** Bundles scripts into a folder of their own, as deep in the project as the sources of the program, which find its files from there. */
export async function bundleScripts(sources: readonly string[]): Promise<BundledScripts> {
  // Loading it takes a while.
  const { build } = await import('esbuild');
  const cache = join(projectRoot, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'test-scripts-'));
  await build({
    entryPoints: [...sources],
    bundle: true,
    // What several of them import is bundled and loaded once.
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    logLevel: 'warning',
    define: { __TAXIWAY_WORKERS__: JSON.stringify(workersFolder) },
    // It finds its native addon only in its package.
    external: ['better-sqlite3'],
    // Some packages are CommonJS modules.
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
    outdir: folder,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
  });
  return {
    files: sources.map((source) => join(folder, `${basename(source, '.ts')}.mjs`)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
