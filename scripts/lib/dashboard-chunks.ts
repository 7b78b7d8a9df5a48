// Code splitting of the web app: keeps code of later pages out of the initial load, and what pages share in a few files.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import type { Loader, Metafile, Plugin } from 'esbuild';
import { projectDir } from './project.ts';

/** Packages with a single entry that re-exports everything. */
const gathered = ['@mantine/core', '@mantine/hooks', '@tabler/icons-react'] as const;
const rewritten = /[\\/](?:src[\\/]dashboard|node_modules[\\/]@mantine)[\\/].*\.(?:tsx?|mjs)$/;
const importOf = new RegExp(`^import \\{([^}]+)\\} from ["'](${gathered.join('|')})["'];?`, 'gm');

interface Place {
  file: string;
  name: string;
}

function readModuleEntry(folder: string): string {
  const { module }: { module: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return module;
}

/** Returns the file that defines each export of a package's entry. */
function readExports(entry: string): ReadonlyMap<string, Place> {
  const text = readFileSync(entry, 'utf8');
  const places = new Map<string, Place>();
  const locals = new Map<string, Place>();
  const toPlace = (file: string, name: string) => ({
    file: file.startsWith('.') ? join(dirname(entry), file) : file,
    name,
  });
  for (const [, names = '', file = ''] of text.matchAll(/^import \{([^}]+)\} from ["']([^"']+)["'];?/gm)) {
    for (const { from, to } of readNames(names)) locals.set(to, toPlace(file, from));
  }
  for (const [, names = '', file] of text.matchAll(/^export \{([^}]+)\}(?: from ["']([^"']+)["'])?;?/gm)) {
    for (const { from, to } of readNames(names)) {
      const place = file === undefined ? locals.get(from) : toPlace(file, from);
      if (place !== undefined) places.set(to, place);
    }
  }
  return places;
}

/** Parses `a, b as c` to pairs. Omits types. */
function readNames(list: string): { from: string; to: string }[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('type '))
    .map((entry) => {
      const [from = '', to = from] = entry.split(/\s+as\s+/);
      return { from, to };
    });
}

/**
 * Rewrites imports from the entry of a large package to imports from the files that define the names. Otherwise, the bundler adds
 * every file of the package that any page needs to every importer of its entry, and so to the initial load.
 */
function rewriteImports(text: string, exportsOf: (name: string) => ReadonlyMap<string, Place>): string {
  return text.replace(importOf, (_, names: string, packageName: string) =>
    readNames(names)
      .map(({ from, to }) => {
        const place = exportsOf(packageName).get(from) ?? { file: packageName, name: from };
        return `import { ${place.name} as ${to} } from ${JSON.stringify(place.file)};`;
      })
      .join(' '),
  );
}

/** Returns the files of the web app that it loads later, with `import('…')`. */
function listLaterFiles(sourceDir: string): ReadonlySet<string> {
  const entries = readdirSync(sourceDir, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const files = paths.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, file = '']) =>
      resolve(dirname(path), file),
    ),
  );
  return new Set(files);
}

/**
 * Improves code splitting: imports refer to the defining files, and every lazy chunk refers to the whole initial load, so that it
 * stays one file regardless of which parts the chunks need.
 * @param first the content of the initial load: a function and the module that exports it
 * @param shared for each lazy file, the files that have to be in its chunk or in one that it loads (`planSharedChunks`)
 */
export function splitWell(sourceDir: string, first: Place, shared: SharedFiles = new Map()): Plugin {
  return {
    name: 'split-well',
    setup({ onLoad }) {
      const known = new Map<string, ReadonlyMap<string, Place>>();
      const exportsOf = (name: string) => {
        const folder = join(projectDir, 'node_modules', name);
        const found = known.get(name) ?? readExports(join(folder, readModuleEntry(folder)));
        known.set(name, found);
        return found;
      };
      // Found before anything is loaded, because files are loaded in no certain order.
      const later = listLaterFiles(sourceDir);
      onLoad({ filter: rewritten }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const contents = rewriteImports(text, exportsOf);
        const loaders: Record<string, Loader> = { '.ts': 'ts', '.tsx': 'tsx', '.mjs': 'js' };
        const references = later.has(path)
          ? [
              `export { ${first.name} } from ${JSON.stringify(first.file)};`,
              ...(shared.get(path) ?? []).map((file) => `import ${JSON.stringify(file)};`),
            ]
          : [];
        return { contents: [contents, ...references].join('\n'), loader: loaders[extname(path)] ?? 'js' };
      });
    },
  };
}

/** The files that a lazy file refers to in addition to its own imports, by its path. */
export type SharedFiles = ReadonlyMap<string, readonly string[]>;

/** A chunk that fewer lazy files load, and that is larger, stays alone: others shouldn't load it with what they need. */
const FEW_FILES = 20;
const LARGE_BYTES = 4096;

/**
 * Plans one chunk for what the lazy files of a group share. The bundler creates a chunk for each combination of lazy files that share
 * something, so that a page would load forty chunks, most of them smaller than the request for one. A file that refers to all files of
 * its group's chunk belongs to the same combination as the others.
 * @param metafile a build without shared chunks
 * @param groupOf the group of a lazy file, as a number: its chunk also contains what later groups share with it, and they load it too
 * @param root the folder to which the paths in `metafile` are relative
 */
export function planSharedChunks(
  metafile: Metafile,
  groupOf: (file: string) => number,
  root = projectDir,
): SharedFiles {
  const lazyFiles = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint !== undefined && isLoadedLater(metafile, path)
      ? [{ file: join(root, entryPoint), chunks: listStaticImports(metafile, path) }]
      : [],
  );
  const files = new Map<number, string[]>();
  const sharing = new Set<string>();
  for (const [path, { entryPoint, bytes, inputs }] of Object.entries(metafile.outputs)) {
    const users = lazyFiles.filter(({ chunks }) => chunks.includes(path));
    const isInitial = users.length === lazyFiles.length;
    const isAlone = users.length < FEW_FILES && bytes > LARGE_BYTES;
    const sources = Object.keys(inputs).map((input) => join(root, input));
    if (entryPoint !== undefined || users.length === 0 || sources.length === 0 || isInitial || isAlone) continue;
    const group = Math.min(...users.map(({ file }) => groupOf(file)));
    files.set(group, [...(files.get(group) ?? []), ...sources]);
    for (const { file } of users) sharing.add(file);
  }
  // A file that shares nothing, such as one with texts, must not load what others share.
  return new Map(
    [...sharing].map((file) => [
      file,
      [...files].flatMap(([group, shared]) => (group <= groupOf(file) ? shared : [])).toSorted(),
    ]),
  );
}

function isLoadedLater({ outputs }: Metafile, path: string): boolean {
  return Object.values(outputs).some(({ imports }) =>
    imports.some((one) => one.kind === 'dynamic-import' && one.path === path),
  );
}

/** Returns an output file and all its static imports, as paths of the metafile. */
export function listStaticImports({ outputs }: Metafile, entry: string): string[] {
  const found = new Set([entry]);
  for (const path of found) {
    for (const imported of outputs[path]?.imports ?? []) {
      if (imported.kind === 'import-statement' && outputs[imported.path] !== undefined) found.add(imported.path);
    }
  }
  return [...found];
}
