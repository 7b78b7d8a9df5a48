// Bundler plugins that keep code of later pages out of the initial load of the web app.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import type { Loader, Plugin } from 'esbuild';
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
 */
export function splitWell(sourceDir: string, first: Place): Plugin {
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
        return {
          contents: later.has(path)
            ? `${contents}\nexport { ${first.name} } from ${JSON.stringify(first.file)};\n`
            : contents,
          loader: loaders[extname(path)] ?? 'js',
        };
      });
    },
  };
}
