// What is inside the program besides its own code: packages that the bundler used, Node.js, the database driver, the font.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { FONT_FILE } from '../../src/lib/assets.ts';
import { pinnedNodeDir, projectDir, readPinnedNodeVersion } from './project.ts';

export interface Component {
  /** Name on npm, or of the program. */
  name: string;
  version: string;
  /** SPDX expression. */
  license: string;
  /** Folder in the project, for packages of npm. */
  folder?: string;
  /** Parts that it contains itself, by version. */
  parts?: Component[];
}

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const DRIVER = 'node_modules/better-sqlite3';

/** Returns the folders of the packages of which the outputs contain code, and of the driver and the font, sorted. */
export function listPackageFolders(metafiles: readonly Metafile[]): string[] {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) =>
      Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
  const folders = [...inputs, FONT_FILE, `${DRIVER}/package.json`].flatMap((path) => PACKAGE.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** Returns everything in an executable but the program's own code. Throws if a package doesn't name its license. */
export function listComponents(folders: readonly string[]): Component[] {
  const packages = folders.map((folder): Component => {
    const manifest: { name: string; version: string; license?: unknown } = JSON.parse(
      readFileSync(join(projectDir, folder, 'package.json'), 'utf8'),
    );
    const { name, version, license } = manifest;
    if (typeof license !== 'string') throw new Error(`${folder}/package.json doesn't name its license`);
    const parts = folder === DRIVER ? [describeSqlite()] : [];
    return { name, version, license, folder, ...(parts.length === 0 ? {} : { parts }) };
  });
  return [...packages, describeNode()];
}

function describeSqlite(): Component {
  const header = readFileSync(join(projectDir, DRIVER, 'deps/sqlite3/sqlite3.h'), 'utf8');
  const [, version = ''] = /^#define SQLITE_VERSION +"([\d.]+)"/m.exec(header) ?? [];
  return { name: 'sqlite', version, license: 'blessing' };
}

/** Libraries inside Node.js, as `process.versions` names them; the other names there are interfaces and tables. */
const nodeLibraries: Readonly<Record<string, { name?: string; license: string }>> = {
  acorn: { license: 'MIT' },
  ada: { license: 'MIT' },
  ares: { name: 'c-ares', license: 'MIT' },
  brotli: { license: 'MIT' },
  icu: { license: 'Unicode-3.0' },
  llhttp: { license: 'MIT' },
  nghttp2: { license: 'MIT' },
  openssl: { license: 'Apache-2.0' },
  simdjson: { license: 'Apache-2.0' },
  simdutf: { license: 'MIT' },
  sqlite: { license: 'blessing' },
  undici: { license: 'MIT' },
  uv: { name: 'libuv', license: 'MIT' },
  uvwasi: { license: 'MIT' },
  v8: { license: 'BSD-3-Clause' },
  zlib: { license: 'Zlib' },
  zstd: { license: 'BSD-3-Clause' },
};

/** The Node.js that runs this is the one in the executable, so its list of versions is right for it. */
function describeNode(): Component {
  const version = readPinnedNodeVersion();
  if (process.version !== `v${version}`) return { name: 'node', version, license: 'MIT' };
  const parts = Object.entries(nodeLibraries).flatMap(([key, { name = key, license }]) => {
    const found = process.versions[key];
    return found ? [{ name, version: found, license }] : [];
  });
  return { name: 'node', version, license: 'MIT', parts };
}

/** Collects the license texts of everything in the program, which their terms require. Throws if one is missing. */
export function gatherNotices(folders: readonly string[]): string {
  const packages = folders.map((folder) => `== ${nameOf(folder)}\n\n${readLicense(folder)}\n`);
  // Missing only next to a Node.js that a distribution packages, which no release is built with.
  const homes = [pinnedNodeDir, join(dirname(process.execPath), '..')];
  const node = homes.flatMap((folder) => findLicense(folder) ?? [])[0];
  const own = node === undefined ? [] : [`== node\n\n${readFileSync(node, 'utf8').trim()}\n`];
  return [...packages, ...own].join('\n');
}

const nameOf = (folder: string): string => folder.split('node_modules/').at(-1) ?? folder;

function readLicense(folder: string): string {
  const file = findLicense(join(projectDir, folder));
  if (file !== undefined) return readFileSync(file, 'utf8').trim();
  const { license }: { license?: unknown } = JSON.parse(readFileSync(join(projectDir, folder, 'package.json'), 'utf8'));
  // Its text is the same for every package, unlike those with the name of the holder.
  if (license !== 'Apache-2.0') throw new Error(`${folder} has no file with its license`);
  return readFileSync(join(projectDir, 'LICENSE'), 'utf8').trim();
}

function findLicense(folder: string): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /^licen[cs]e/i.test(name)).map((name) => join(folder, name))[0];
}
