// Builds the npm package: the program, what `taxiway`, `taxiway/testing` and `taxiway/client` export, their types, and a README of its own.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { clientDeclarations, writeApiTypes } from './api-types.ts';
import { buildDefinitions, commonOptions } from './bundle-options.ts';
import { cacheDir, distDir, projectDir, readManifest, run, runPackageCommand } from './project.ts';

/**
 * The folder that npm packs. Separate, because npm includes the README next to package.json, and the project's README
 * isn't the package's.
 */
const packageDir = join(distDir, 'package');

/** The modules that the package exports. */
const entries = ['index', 'testing'];
/** The client, which also runs in browsers. Its types are those of `api-client.d.ts`. */
const CLIENT = 'client';

/** Builds dist/lib (ES modules with external packages) and dist/types. */
export async function buildLibrary(): Promise<void> {
  const libraryDir = join(distDir, 'lib');
  rmSync(libraryDir, { recursive: true, force: true });
  await build({
    ...commonOptions,
    minifyWhitespace: false,
    minifySyntax: false,
    entryPoints: entries.map((name) => `src/${name}.ts`),
    outdir: libraryDir,
    format: 'esm',
    splitting: true,
    packages: 'external',
    define: buildDefinitions('../assets'),
  });
  await build({
    ...commonOptions,
    minifyWhitespace: false,
    minifySyntax: false,
    entryPoints: [`src/${CLIENT}.ts`],
    outdir: libraryDir,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
  });
  const types = join(distDir, 'types');
  emitTypes(types);
  const generated = join(cacheDir, 'api.ts');
  writeApiTypes(generated);
  renameSync(generated, join(types, 'api.d.ts'));
  writeFileSync(join(types, 'api-client.d.ts'), clientDeclarations);
}

/** Writes the type declarations that the exports use. The compiler emits those of the whole program. */
function emitTypes(folder: string): void {
  const all = join(cacheDir, 'library-types');
  for (const place of [all, folder]) rmSync(place, { recursive: true, force: true });
  const { code, output } = runPackageCommand('typescript/bin/tsc', ['-p', 'tsconfig.library.json', '--outDir', all]);
  if (code !== 0) throw new Error(`The types of the package can't be built:\n${output}`);
  const reached = new Set([...entries, CLIENT].map((name) => join(all, `${name}.d.ts`)));
  for (const file of reached) {
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/g))
      reached.add(join(dirname(file), `${path}.d.ts`));
    const target = join(folder, relative(all, file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  rmSync(all, { recursive: true });
}

export function tarballPath(): string {
  return join(distDir, `taxiway-${readManifest().version}.tgz`);
}

/** Gathers the built files in dist/package and packs them. Returns the path of the tarball. */
export function packLibrary(): string {
  rmSync(packageDir, { recursive: true, force: true });
  const { scripts: _scripts, devDependencies: _development, overrides: _overrides, ...manifest } = readManifest();
  for (const name of [...manifest.files, 'LICENSE'])
    cpSync(join(projectDir, name), join(packageDir, name), { recursive: true });
  cpSync(join(projectDir, 'docs/npm-package.md'), join(packageDir, 'README.md'));
  writeFileSync(join(packageDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // npm isn't always installed next to the Node.js that runs this script.
  const { code, output } = run('npm', ['pack', packageDir, '--pack-destination', distDir, '--loglevel=error']);
  if (code !== 0) throw new Error(`npm pack failed:\n${output}`);
  return tarballPath();
}
