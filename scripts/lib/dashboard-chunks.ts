// Plugins of the web app's bundle that keep out of the first load what only later pages need.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import type { Loader, Plugin } from 'esbuild';
import { projectDir } from './project.ts';

/** Packages whose one entry leads to everything in them. */
const gathered = ['@mantine/core', '@mantine/hooks', '@mantine/notifications', '@tabler/icons-react'] as const;
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

/** Where each name that the entry of a package exports is defined. */
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

/** `a, b as c` as pairs; types are left out. */
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
 * Imports from the entry of a large package become imports from the files that define the names. Else the bundler counts every
 * file that any page needs of the package to whatever imports from its entry, and so to the first load.
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

/**
 * Splits the app well: names come from where they are defined, and every part that loads later refers to the whole of the
 * first load, so that this is one file, whichever of its pieces the parts need as well.
 * @param first what the first load consists of: a function and the module that exports it
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
      const later = new Set<string>();
      onLoad({ filter: rewritten }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const isOurs = path.startsWith(sourceDir);
        if (isOurs) {
          for (const [, file = ''] of text.matchAll(/\bimport\('(\.[^']+)'\)/g))
            later.add(resolve(dirname(path), file));
        }
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
