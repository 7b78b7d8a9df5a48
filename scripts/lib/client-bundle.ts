// Builds the JavaScript client that the server hands out: one file without dependencies, for Node.js 18 and newer.
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { buildDefinitions, commonOptions } from './bundle-options.ts';
import { distDir, projectDir } from './project.ts';

const clientFile = join(distDir, 'assets/cli/taxiway.cjs');
export const MAX_CLIENT_BYTES = 300_000;

/**
 * What the client doesn't need, by the ends of its paths. It has no embedded files, for which Node.js 18 has no module, and of a package it
 * reads only the version, number and identifier: verifying signatures takes libraries that are larger than the rest.
 */
const leftOut: Record<string, string> = {
  'lib/assets.ts': `
    export const isBundled = () => true;
    export const isExecutable = () => false;
    export function readAsset(name) { throw new Error('The client has no embedded file named ' + name); }`,
  'inspection/apk-signature.ts': 'export const inspectApkSignature = async () => ({ signing: null, warnings: [] });',
  'inspection/icon.ts': 'export const pickIcon = async () => ({ icon: null, isUnusable: false });',
  'inspection/profile.ts': `
    export const maxProfileBytes = 2 ** 21;
    export async function readProfile() { throw new Error('The client reads no profiles'); }`,
};

const withoutServerParts: Plugin = {
  name: 'without-server-parts',
  setup({ onLoad }) {
    const filter = new RegExp(
      `[\\\\/]src[\\\\/](?:${Object.keys(leftOut).join('|').replaceAll('/', '[\\\\/]').replaceAll('.ts', '\\.ts')})$`,
    );
    // Only for QR codes as images, which the server draws.
    onLoad({ filter: /[\\/]node_modules[\\/]qrcode[\\/]lib[\\/](?:browser|renderer[\\/](?:png|svg))\.js$/ }, () => ({
      contents: '',
    }));
    // Reads archives from files and memory. The client passes yauzl a reader of its own.
    onLoad({ filter: /[\\/]node_modules[\\/]yauzl[\\/]fd-slicer\.js$/ }, () => ({
      contents: 'exports.FdSlicer = exports.BufferSlicer = class {};',
    }));
    // Converts schemas to JSON Schema, which the client never does.
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/](?:json-schema-processors|to-json-schema)\.js$/ }, ({ path }) => ({
      contents: [...readFileSync(path, 'utf8').matchAll(/^export (?:const|function) (\w+)/gm)]
        .map(([, name]) => `export const ${name} = () => () => undefined;`)
        .join('\n'),
    }));
    // Parses values that refer to themselves, which JSON never does.
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]memoizer\.js$/ }, () => ({
      contents: `
        export const memoizer = () => undefined;
        export const isBackEdge = () => false;
        export const isRecursiveSchema = () => false;`,
    }));
    onLoad({ filter }, ({ path }) => {
      const name = Object.keys(leftOut).find((end) => path.replaceAll('\\', '/').endsWith(end));
      return name === undefined ? undefined : { contents: leftOut[name] ?? '' };
    });
  },
};

/** Builds the client. Throws if it's larger than 300 KB. */
export async function buildClient(): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    ...commonOptions,
    plugins: [...commonOptions.plugins, withoutServerParts],
    target: 'node18',
    // Smaller by a third. The messages of failures that users report say more than a stack trace of this file.
    minifyIdentifiers: true,
    entryPoints: ['src/commands/client-main.ts'],
    outfile: clientFile,
    write: false,
    format: 'cjs',
    metafile: true,
    define: { ...buildDefinitions('./assets'), 'import.meta.dirname': '__dirname' },
  });
  const [{ contents }] = outputFiles as [OutputFile];
  if (contents.length > MAX_CLIENT_BYTES)
    throw new Error(`The client has ${contents.length} bytes, at most ${MAX_CLIENT_BYTES} are allowed`);
  mkdirSync(dirname(clientFile), { recursive: true });
  // Another test file may be running it.
  const aside = join(distDir, `taxiway.cjs.${process.pid}`);
  writeFileSync(aside, contents);
  renameSync(aside, clientFile);
  return metafile;
}

/** Builds the client for tests, unless it's newer than its sources. */
export async function provideClient(): Promise<string> {
  const built = existsSync(clientFile) ? statSync(clientFile).mtimeMs : 0;
  const { inputs } = await build({
    absWorkingDir: projectDir,
    entryPoints: ['src/commands/client-main.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    metafile: true,
    plugins: [withoutServerParts],
    logLevel: 'silent',
    define: { 'import.meta.dirname': '__dirname' },
  }).then(({ metafile }) => metafile);
  const times = Object.keys(inputs).map((input) => statSync(join(projectDir, input)).mtimeMs);
  if (times.some((time) => time > built)) await buildClient();
  return clientFile;
}
