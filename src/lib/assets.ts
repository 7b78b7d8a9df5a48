// Files the program carries with it: migrations, style sheets, texts, the database driver, the inspection worker.
//
// The same names work in three forms of the program: run from its source tree, built as a package (files beside the
// code, in `assets/`), and as one executable (inside the executable itself). Names are relative and use `/`:
// `migrations/…` is the folder of that name, everything else lives under `src/`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { getAssetKeys, getRawAsset, isSea } from 'node:sea';
import { installAddon } from './native-addon.ts';

/** Where a build puts the carried files, relative to the built code; the build defines it, the source tree lacks it. */
declare const __TAXIWAY_ASSETS__: string | undefined;

const addonName = 'native/better_sqlite3.node';
const workerName = 'inspection-worker.cjs';
const samlWorkerName = 'saml-worker.cjs';
const sourceRoot = join(import.meta.dirname, '../..');

/**
 * Reads one carried file.
 * @param name relative name such as `migrations/0000_first.sql` or `install/page.css`
 * @throws Error when no such file is carried
 */
export function readAsset(name: string): Buffer {
  const bytes = findAsset(name);
  if (bytes === undefined) throw new Error(`The program carries no file named ${JSON.stringify(name)}`);
  return bytes;
}

/** Reads one carried file, or answers undefined when there is none: for names that come from a request. */
export function findAsset(name: string): Buffer | undefined {
  if (!isPlainName(name)) return undefined;
  if (isExecutable()) {
    return getAssetKeys().includes(name) ? Buffer.from(getRawAsset(name)) : undefined;
  }
  try {
    return readFileSync(assetFile(name));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Paths of all files under a folder, at any depth and relative to it, sorted; none when the folder is missing. */
export function listAssets(folder: string): string[] {
  if (!isPlainName(folder)) return [];
  if (isExecutable()) {
    return getAssetKeys()
      .filter((name) => name.startsWith(`${folder}/`))
      .map((name) => name.slice(folder.length + 1))
      .sort();
  }
  const root = assetFile(folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

/**
 * The database driver's native part, for the `nativeBinding` option of better-sqlite3.
 *
 * The system loads native code only from a real file, so the executable writes it once, into the first folder that
 * is private, writable and allows execution: the given ones, then the user's cache, the temporary folder, memory.
 * @param candidateDirs folders to try first, such as `<data_dir>/.runtime`; created when missing
 * @returns a path, or undefined where better-sqlite3 finds its own
 * @throws Error naming every folder tried and why it was refused
 */
export function sqliteAddon(candidateDirs: readonly string[]): string | undefined {
  if (isExecutable()) return installAddon(readAsset(addonName), candidateDirs);
  if (!isBundled()) return undefined;
  // Bundled code cannot find the driver's folder by its own position, so it is looked up as a dependency.
  const manifest = createRequire(join(import.meta.dirname, 'taxiway.cjs')).resolve('better-sqlite3/package.json');
  const libc = process.platform === 'linux' && hasMuslLibc() ? 'musl' : '';
  const addon = join(manifest, '../prebuilds', `${process.platform}${libc}-${process.arch}.node`);
  return existsSync(addon) ? addon : undefined;
}

/** What `new Worker()` needs to run the inspection of packages: a file, or code to be run with `eval: true`. */
export function inspectionWorker(): string | { code: string } {
  return findWorker(workerName, 'src/inspection/worker.ts');
}

/** As inspectionWorker(), for the thread that reads identity providers' XML. */
export function samlWorker(): string | { code: string } {
  return findWorker(samlWorkerName, 'src/saml/worker.ts');
}

function findWorker(bundle: string, source: string): string | { code: string } {
  if (isExecutable()) return { code: readAsset(bundle).toString('utf8') };
  return isBundled() ? assetFile(bundle) : join(sourceRoot, source);
}

/** True in the one-file executable. */
export function isExecutable(): boolean {
  return isBundled() && isSea();
}

/** True in everything that was built, false in the source tree. */
export function isBundled(): boolean {
  return typeof __TAXIWAY_ASSETS__ === 'string';
}

function assetFile(name: string): string {
  if (typeof __TAXIWAY_ASSETS__ === 'string') return join(import.meta.dirname, __TAXIWAY_ASSETS__, name);
  if (name === 'package.json' || name.startsWith('migrations')) return join(sourceRoot, name);
  // What the dashboard is built into exists only after a build; its sources are never served.
  return join(sourceRoot, name.startsWith('dashboard') ? 'dist/assets' : 'src', name);
}

function isPlainName(name: string): boolean {
  return name.split('/').every((part) => /^[\w@][\w.@-]*$/.test(part));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOENT', 'EISDIR', 'ENOTDIR'].includes(String(error.code));
}

function hasMuslLibc(): boolean {
  return existsSync('/proc/self/maps') && readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-');
}
