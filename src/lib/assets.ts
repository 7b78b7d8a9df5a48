// Files embedded in the program: migrations, style sheets, texts, the database driver and the inspection worker.
//
// The same names work in three forms of the program: run from its source tree, built as a package (with the files in
// `assets/` next to the code), and as a single executable (with the files inside it). Names are relative and use `/`:
// `migrations/…` is the folder of that name; all other names are relative to `src/`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { isSea } from 'node:sea';
import { embeddedNames, findEmbedded } from './embedded.ts';
import { installAddon } from './native-addon.ts';
import { ProgramReplaced } from './replaced-program.ts';

/** Folder of the embedded files, relative to the built code. The build defines it; it's undefined in the source tree. */
declare const __TAXIWAY_ASSETS__: string | undefined;

/** The embedded font of all pages. */
export const FONT_ASSET = 'pages/inter.woff2';
/** Where its package has it, in the project. */
export const FONT_FILE = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';

/** Folder of the bundled workers for a program that runs from its source tree. Tests define it, because bundled workers start sooner. */
declare const __TAXIWAY_WORKERS__: string | undefined;

/** The folder of the database driver's addon, which is named after its SHA-256. */
const addonFolder = 'native';
const workerName = 'inspection-worker.cjs';
const samlWorkerName = 'saml-worker.cjs';
const checkpointWorkerName = 'checkpoint-worker.cjs';
const sourceRoot = join(import.meta.dirname, '../..');

/**
 * Returns the content of an embedded file. Throws an Error if there is no such file.
 * @param name relative name, such as `migrations/0000_first.sql` or `install/page.css`
 */
export function readAsset(name: string): Buffer {
  const bytes = findAsset(name);
  if (bytes !== undefined) return bytes;
  const missing = new Error(`The program has no embedded file named ${JSON.stringify(name)}`);
  throw isBundled() && !isExecutable() ? new ProgramReplaced({ cause: missing }) : missing;
}

/** Returns the content of an embedded file, or undefined if there is none. For names that come from a request. */
export function findAsset(name: string): Buffer | undefined {
  if (!isPlainName(name)) return undefined;
  if (isExecutable()) return findEmbedded(name);
  try {
    return readFileSync(assetFile(name));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns the sorted paths of all files below a folder, at any depth and relative to it. Empty if the folder doesn't exist. */
export function listAssets(folder: string): string[] {
  if (!isPlainName(folder)) return [];
  if (isExecutable()) {
    return embeddedNames()
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
 * Returns the path of the database driver's native addon, for the `nativeBinding` option of better-sqlite3. Returns undefined
 * where better-sqlite3 finds it itself. Throws an Error that lists every rejected folder with the reason.
 *
 * Operating systems load native code only from a real file, so the executable writes the addon once, into the first folder
 * that is private, writable and allows execution: the given folders, the user's cache, the temporary folder, shared memory.
 * @param candidateDirs folders to try first, such as `<data_dir>/.runtime`; created if missing
 */
export function sqliteAddon(candidateDirs: readonly string[]): string | undefined {
  if (isExecutable()) {
    const [name = ''] = listAssets(addonFolder);
    const digest = name.replace(/\.node$/, '');
    return installAddon({ digest, read: () => readAsset(`${addonFolder}/${name}`) }, candidateDirs);
  }
  if (!isBundled()) return undefined;
  // Bundled code can't find the driver relative to its own path, so the driver is resolved as a dependency.
  const manifest = createRequire(join(import.meta.dirname, 'taxiway.cjs')).resolve('better-sqlite3/package.json');
  const libc = process.platform === 'linux' && hasMuslLibc() ? 'musl' : '';
  const addon = join(manifest, '../prebuilds', `${process.platform}${libc}-${process.arch}.node`);
  return existsSync(addon) ? addon : undefined;
}

/** Returns the argument of `new Worker()` for package inspection: a file, or code to run with `eval: true`. */
export function inspectionWorker(): string | { code: string } {
  return findWorker(workerName, 'src/inspection/worker.ts');
}

/** Returns the argument of `new Worker()` for the SAML thread, in the same form as inspectionWorker(). */
export function samlWorker(): string | { code: string } {
  return findWorker(samlWorkerName, 'src/saml/worker.ts');
}

/** Returns the argument of `new Worker()` for the thread that checkpoints, in the same form as inspectionWorker(). */
export function checkpointWorker(): string | { code: string } {
  return findWorker(checkpointWorkerName, 'src/runtime/checkpoint-worker.ts');
}

function findWorker(bundle: string, source: string): string | { code: string } {
  if (isExecutable()) {
    return {
      // Most servers never start one of them, so each start of a worker reads it.
      get code() {
        return readAsset(bundle).toString('utf8');
      },
    };
  }
  if (isBundled()) return assetFile(bundle);
  return typeof __TAXIWAY_WORKERS__ === 'string' ? join(__TAXIWAY_WORKERS__, bundle) : join(sourceRoot, source);
}

/** Whether this is the single-file executable. */
export function isExecutable(): boolean {
  return isBundled() && isSea();
}

/** Whether this is built code (package or executable) and not the source tree. */
export function isBundled(): boolean {
  return typeof __TAXIWAY_ASSETS__ === 'string';
}

function assetFile(name: string): string {
  if (typeof __TAXIWAY_ASSETS__ === 'string') return join(import.meta.dirname, __TAXIWAY_ASSETS__, name);
  if (name === FONT_ASSET) return join(sourceRoot, FONT_FILE);
  if (name === 'package.json' || name.startsWith('migrations')) return join(sourceRoot, name);
  // The built dashboard, documentation and client are in dist; their sources are never served.
  return join(sourceRoot, /^(?:dashboard|docs)(?:\/|$)|^cli\/taxiway\.cjs$/.test(name) ? 'dist/assets' : 'src', name);
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
