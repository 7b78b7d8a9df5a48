// Packages the bundle and its files as a single executable: a copy of the pinned Node.js with a blob that it runs (SEA mode).
//
// The program reads embedded files through `node:sea`, Node's built-in modules stay unpatched, and V8 uses precompiled code of
// the bundle. The same sources give the same bytes, in any folder.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { inject } from 'postject';
import {
  ARCHIVE,
  ARCHIVE_INDEX,
  type ArchiveIndex,
  COMPILED_PROGRAM,
  PACKAGES,
  PROGRAM,
} from '../../src/lib/embedded.ts';
import { assetsDir, listPackageScripts } from './bundle.ts';
import { hostTarget, provideHostNode, provideNode, type Target, targets } from './node-binaries.ts';
import { cacheDir, distDir, projectDir, say } from './project.ts';

/**
 * Options of the embedded Node.js. A young generation of 8 MiB is large enough for a start without a full collection of garbage, and
 * keeps the memory of a server smaller than the 16 MiB by default; with more than one thread of V8's own, they and the start compete for
 * the processors; users can't act on experimental warnings; SIGUSR1 would open
 * Node's debugger on a local port to every account of the machine. Most other options of V8 let it ignore compiled code, also of
 * Node's modules.
 */
export const nodeOptions = [
  '--v8-pool-size=1',
  '--max-semi-space-size=8',
  '--disable-warning=ExperimentalWarning',
  '--disable-sigusr1',
];

/**
 * Options for compiling. With another seed, V8 writes the compiled code in another order. It notes which functions another thread
 * has optimized by then, and the age of functions at each collection of garbage, for which there is no need in a large young generation.
 */
const compilerOptions = [
  '--random-seed=1',
  '--no-concurrent-sparkplug',
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
];
/** The script that Node.js runs first. */
const MAIN = 'executable-main.cjs';

/** Where Node.js looks for the mark that it contains a blob. In two parts, because an executable may have it only once. */
const FUSE = `NODE_SEA_${'FUSE_fce680ab2cc467b6e072b8b5df1996b2'}`;

/**
 * Builds the executable of one target from the bundle, which must exist. Returns the path of the executable.
 */
export async function buildExecutable(name: string, output: string): Promise<string> {
  const target = targets[name];
  if (target === undefined) throw new Error(`Unknown target ${name}: one of ${Object.keys(targets).join(', ')}`);
  const folder = mkdtempSync(join(mkdirs(join(cacheDir, 'executable')), 'build-'));
  try {
    const assets = await writeParts(target, { folder, isForHost: name === hostTarget() });
    const config = { main: MAIN, useCodeCache: false, execArgv: nodeOptions, assets };
    const located = [PROGRAM, COMPILED_PROGRAM].filter((name) => name in assets).map((name) => join(folder, name));
    await assembleExecutable(target, { folder, blob: await generateBlob(folder, config), located, output });
  } finally {
    rmSync(folder, { recursive: true });
  }
  return output;
}

/** Adds what Node.js runs to a copy of it, and notes where that has the `located` files. `folder` is for temporary files. */
export async function assembleExecutable(
  target: Target,
  { folder, blob, located = [], output }: { folder: string; blob: Buffer; located?: string[]; output: string },
): Promise<void> {
  const whole = join(folder, 'executable');
  copyFileSync(await provideNode(target), whole);
  chmodSync(whole, 0o755);
  const segment = target.platform === 'macos' ? { machoSegmentName: 'NODE_SEA' } : {};
  await withoutNotes(() => inject(whole, 'NODE_SEA_BLOB', blob, { sentinelFuse: FUSE, overwrite: true, ...segment }));
  if (located.length > 0) notePlaces(whole, located);
  if (target.platform === 'macos') sign(whole);
  // A file written at once is cached in large blocks, which adds 12 MiB to the apparent memory of a process. Replacing the old
  // file with a copy doesn't affect a running program.
  const aside = `${output}.new`;
  mkdirs(dirname(output));
  copyFileSync(whole, aside);
  chmodSync(aside, 0o755);
  renameSync(aside, output);
}

/** What Node.js runs in single-executable mode, with paths relative to the folder, because the result contains them. */
interface BlobConfig {
  main: string;
  useCodeCache: boolean;
  execArgv?: readonly string[];
  assets: Record<string, string>;
}

/** Generates what Node.js runs. */
export async function generateBlob(folder: string, config: BlobConfig): Promise<Buffer> {
  const complete = { ...config, output: 'blob', disableExperimentalSEAWarning: true, useSnapshot: false };
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(complete));
  const words = ['--experimental-sea-config', 'sea.json'];
  execFileSync(await provideHostNode(), words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  return readFileSync(join(folder, 'blob'));
}

/** Writes the offset of each file into the main script, which the executable contains as it is. */
function notePlaces(executable: string, located: readonly string[]): void {
  const bytes = readFileSync(executable);
  const offsets = located.map((file) => bytes.indexOf(readFileSync(file)));
  const [empty = ''] = /places: [ 0]+/.exec(readFileSync(join(import.meta.dirname, MAIN), 'latin1')) ?? [];
  const places = ['places:', ...offsets.map((offset) => String(offset).padStart(12, '0'))].join(' ');
  bytes.write(places, bytes.indexOf(empty), 'latin1');
  writeFileSync(executable, bytes);
}

/** Returns the path of the database driver's addon for a target. */
export function findAddon(target: Target): string {
  return join(projectDir, 'node_modules/better-sqlite3/prebuilds', `${target.addon}.node`);
}

/** Writes the parts of the executable: the main script, the program and the embedded files. Returns all but the first by name. */
async function writeParts(
  target: Target,
  { folder, isForHost }: { folder: string; isForHost: boolean },
): Promise<Record<string, string>> {
  writeScript(join(distDir, 'taxiway.cjs'), join(folder, PROGRAM));
  mkdirSync(join(folder, PACKAGES));
  const packages = listPackageScripts().map((path) => `${PACKAGES}/${basename(path, '.cjs')}`);
  for (const name of packages) writeScript(join(assetsDir, `${name}.cjs`), join(folder, `${name}.cjs`));
  // Compiled code only works on the platform it was compiled on.
  if (isForHost) compile(await provideHostNode(), folder, packages);
  packFiles(folder, findAddon(target));
  copyFileSync(join(import.meta.dirname, MAIN), join(folder, MAIN));
  const compiled = isForHost ? [COMPILED_PROGRAM, ...packages.map((name) => `${name}.cache`)] : [];
  const names = [PROGRAM, ...packages.map((name) => `${name}.cjs`), ...compiled, ARCHIVE, ARCHIVE_INDEX];
  return Object.fromEntries(names.map((name) => [name, name]));
}

/** Writes a module as a script that returns a function, as Node.js does. */
export function writeScript(module: string, file: string): void {
  const text = readFileSync(module, 'utf8').replace(/^#!.*\n/, '');
  const wrapped = `(function (exports, require, module, __filename, __dirname) { ${text}\n})`;
  writeFileSync(file, wrapped, 'latin1');
}

/** Returns how Node.js compiles the program of a folder until a server has started, with the server's data in another. */
export function compileCommand(folder: string, { data, files }: { data: string; files: string }) {
  const script = join(import.meta.dirname, 'compile-program.cjs');
  const words = [...compilerOptions, script, join(folder, PROGRAM), join(folder, COMPILED_PROGRAM), files];
  return { words, env: { TAXIWAY_SERVER__DATA_DIR: data, TAXIWAY_SERVER__PORT: '0' } };
}

/** Writes what V8 compiles of the program until a server has started, and of the packages before any of their functions runs. */
function compile(node: string, folder: string, packages: readonly string[]): void {
  const data = mkdtempSync(join(tmpdir(), 'taxiway-compile-'));
  try {
    const { words, env } = compileCommand(folder, { data, files: distDir });
    execFileSync(node, words, { cwd: data, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const script = `
      const { readFileSync, writeFileSync } = require('node:fs');
      for (const name of process.argv.slice(1)) {
        const script = new vm.Script(readFileSync(name + '.cjs', 'latin1'));
        writeFileSync(name + '.cache', script.createCachedData());
      }
    `;
    const others = [...compilerOptions, '--eval', script, ...packages];
    execFileSync(node, others, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    checkCompiled(node, folder, [PROGRAM.replace('.cjs', ''), ...packages]);
  } finally {
    rmSync(data, { recursive: true });
  }
}

/** Throws if the executable would compile everything again, which V8 does without a word after other options. */
function checkCompiled(node: string, folder: string, names: readonly string[]): void {
  const script = `
    const { readFileSync } = require('node:fs');
    const isIgnored = (name) => {
      const cachedData = readFileSync(name + '.cache');
      return new vm.Script(readFileSync(name + '.cjs', 'latin1'), { cachedData }).cachedDataRejected;
    };
    process.exit(process.argv.slice(1).some(isIgnored) ? 1 : 0);
  `;
  execFileSync(node, [...nodeOptions, '--eval', script, ...names], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Writes all embedded files and the database driver, which is named after its content, into one archive. */
function packFiles(folder: string, addon: string): void {
  const digest = createHash('sha256').update(readFileSync(addon)).digest('hex');
  const index: ArchiveIndex = {};
  const contents: Buffer[] = [];
  let offset = 0;
  for (const [name, path] of [...listCarried(), [`native/${digest}.node`, addon] as const]) {
    const content = readFileSync(path);
    index[name] = [offset, content.length];
    contents.push(content);
    offset += content.length;
  }
  writeFileSync(join(folder, ARCHIVE), Buffer.concat(contents));
  writeFileSync(join(folder, ARCHIVE_INDEX), JSON.stringify(index));
}

/** Runs `body` without the notes that the injection prints about every Node.js for Linux and macOS. */
async function withoutNotes(body: () => Promise<void>): Promise<void> {
  const { write } = process.stderr;
  const isNote = (text: unknown) =>
    /^warning: (?:The signature seems corrupted!|Can't find string offset for section name '\.note)/.test(String(text));
  process.stderr.write = ((...words: Parameters<typeof write>) =>
    isNote(words[0]) || write.apply(process.stderr, words)) as typeof write;
  await body().finally(() => {
    process.stderr.write = write;
  });
}

/** Signs an executable for macOS, which runs no other on its own processors: on a Mac, or where `ldid` is installed. */
function sign(executable: string): void {
  const signers: [string, string[]][] = [
    ['codesign', ['-f', '--sign', '-', executable]],
    ['ldid', ['-Cadhoc', '-S', executable]],
  ];
  const isSigned = signers.some(([command, words]) => {
    try {
      execFileSync(command, words, { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
  if (!isSigned) say('Not signed: run "codesign --sign -" with it on a Mac, or install ldid and build it again');
}

function mkdirs(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

function listCarried(): (readonly [name: string, path: string])[] {
  const files = readdirSync(assetsDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const scripts = listPackageScripts();
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  // The scripts of packages are parts of their own.
  return paths
    .filter((path) => !scripts.includes(path))
    .map((path) => [path.slice(assetsDir.length + 1).replaceAll('\\', '/'), path]);
}
