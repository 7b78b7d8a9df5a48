// Builds the single-file program for Node (dist/taxiway.cjs) and collects its embedded files (dist/assets).
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { FONT_ASSET, FONT_FILE } from '../../src/lib/assets.ts';
import { PACKAGES } from '../../src/lib/embedded.ts';
import { buildDefinitions, commonOptions } from './bundle-options.ts';
import { buildClient } from './client-bundle.ts';
import { gatherNotices, listPackageFolders } from './components.ts';
import { buildDashboard } from './dashboard.ts';
import { buildDocs } from './docs/build.ts';
import { buildSplitBundle } from './package-bundle.ts';
import { distDir, projectDir } from './project.ts';

export const assetsDir = join(distDir, 'assets');
/** The folders of the packages in the last bundle, for the lists of a release. */
export const packagesFile = join(distDir, 'packages.json');
const carriedInSource = /\.(css|html|svg|png|webp|ico|woff2|json|txt|pem|webmanifest|js|sh)$/;

/**
 * Lets better-sqlite3 load its native addon: in the executable, plain `require` only finds Node's built-in modules. Any absolute
 * path works; without /proc, the path of the executable is only the typed name.
 */
export const driverRequire =
  "var __non_webpack_require__=require('node:module').createRequire(require('node:path').resolve(process.execPath));";

/** Builds dist/taxiway.cjs, the workers and dist/assets. */
export async function buildBundle(): Promise<void> {
  rmSync(assetsDir, { recursive: true, force: true });
  mkdirSync(assetsDir, { recursive: true });
  const program = await buildSplitBundle(
    {
      ...commonOptions,
      format: 'cjs',
      define: { ...buildDefinitions('./assets'), 'import.meta.dirname': '__dirname' },
      banner: { js: driverRequire },
      // As calls of `require`, which work in the executable too.
      supported: { 'dynamic-import': false },
    },
    { program: join(distDir, 'taxiway.cjs'), assets: assetsDir },
  );
  const inspection = await build({
    ...commonOptions,
    entryPoints: ['src/inspection/worker.ts'],
    outfile: join(assetsDir, 'inspection-worker.cjs'),
    format: 'cjs',
    metafile: true,
  });
  const saml = await build({
    ...commonOptions,
    entryPoints: ['src/saml/worker.ts'],
    outfile: join(assetsDir, 'saml-worker.cjs'),
    format: 'cjs',
    metafile: true,
  });
  const checkpoint = await build({
    ...commonOptions,
    entryPoints: ['src/runtime/checkpoint-worker.ts'],
    outfile: join(assetsDir, 'checkpoint-worker.cjs'),
    format: 'cjs',
    metafile: true,
    banner: { js: driverRequire },
  });
  for (const file of [join(distDir, 'taxiway.cjs'), ...listPackageScripts()])
    checkCharacters(readFileSync(file, 'utf8'));
  chmodSync(join(distDir, 'taxiway.cjs'), 0o755);
  for (const [name, file] of findEmbeddedFiles()) {
    mkdirSync(dirname(join(assetsDir, name)), { recursive: true });
    cpSync(file, join(assetsDir, name));
  }
  const client = await buildClient();
  const dashboard = await buildDashboard();
  await buildDocs();
  const threads = [inspection.metafile, saml.metafile, checkpoint.metafile];
  const packages = listPackageFolders([...program, ...threads, client, dashboard]);
  writeFileSync(join(assetsDir, 'third-party-notices.txt'), gatherNotices(packages));
  writeFileSync(packagesFile, JSON.stringify(packages));
}

/**
 * Throws if the program contains a character beyond Latin-1, because the runtime would store its whole source with two bytes per
 * character. The bundler escapes them in strings, but can't in regular expressions and tagged templates.
 */
export function checkCharacters(program: string): void {
  const at = program.search(/[\u0100-\uffff]/);
  if (at < 0) return;
  const found = program.slice(Math.max(0, at - 60), at + 20);
  throw new Error(`Write the character beyond Latin-1 as an escape: ${found}`);
}

/** Returns the paths of the scripts of packages, in a fixed order. */
export function listPackageScripts(): string[] {
  const folder = join(assetsDir, PACKAGES);
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}

/** Returns the names and paths of the embedded files. */
function findEmbeddedFiles(): [string, string][] {
  const migrations = listFiles('migrations').filter((name) => name.endsWith('.sql'));
  const sources = listFiles('src').filter((name) => carriedInSource.test(name) && !name.startsWith('src/dashboard/'));
  return [
    [FONT_ASSET, join(projectDir, FONT_FILE)],
    ...migrations.map((name): [string, string] => [name, join(projectDir, name)]),
    ...sources.map((name): [string, string] => [name.slice('src/'.length), join(projectDir, name)]),
  ];
}

function listFiles(folder: string): string[] {
  return readdirSync(join(projectDir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(projectDir.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}
