// Packages the bundle and its files as a single executable: a copy of the pinned Node.js with a blob that it runs (SEA mode).
//
// The program reads embedded files through `node:sea`, Node's built-in modules stay unpatched, and V8 uses precompiled code of
// the bundle. The same sources give the same bytes, in any folder.
import { execFileSync } from 'node:child_process';
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
import { dirname, join } from 'node:path';
import { inject } from 'postject';
import { assetsDir } from './bundle.ts';
import { hostTarget, provideHostNode, provideNode, type Target, targets } from './node-binaries.ts';
import { cacheDir, distDir, projectDir, say } from './project.ts';

/**
 * Options of the embedded Node.js. A young generation of 2 MiB keeps the memory of an idle server small (by default it grows to
 * 48 MiB before the first collection); users can't act on experimental warnings; SIGUSR1 would open Node's debugger on a local
 * port to every account of the machine.
 */
export const nodeOptions = ['--max-semi-space-size=2', '--disable-warning=ExperimentalWarning', '--disable-sigusr1'];

/** Where Node.js looks for the mark that it contains a blob. In two parts, because an executable may have it only once. */
const FUSE = `NODE_SEA_${'FUSE_fce680ab2cc467b6e072b8b5df1996b2'}`;

/**
 * Builds the executable of one target from the bundle, which must exist. Returns the path of the executable.
 */
export async function buildExecutable(name: string, output: string): Promise<string> {
  const target = targets[name];
  if (target === undefined) throw new Error(`Unknown target ${name}: one of ${Object.keys(targets).join(', ')}`);
  const node = await provideNode(target);
  const folder = mkdtempSync(join(mkdirs(join(cacheDir, 'executable')), 'build-'));
  try {
    const whole = join(folder, 'executable');
    const blob = await generateBlob(target, { folder, isForHost: name === hostTarget() });
    copyFileSync(node, whole);
    chmodSync(whole, 0o755);
    const segment = target.platform === 'macos' ? { machoSegmentName: 'NODE_SEA' } : {};
    await withoutNotes(() => inject(whole, 'NODE_SEA_BLOB', blob, { sentinelFuse: FUSE, overwrite: true, ...segment }));
    if (target.platform === 'macos') sign(whole);
    // A file written at once is cached in large blocks, which adds 12 MiB to the apparent memory of a process. Replacing the old
    // file with a copy doesn't affect a running program.
    const aside = `${output}.new`;
    mkdirs(dirname(output));
    copyFileSync(whole, aside);
    chmodSync(aside, 0o755);
    renameSync(aside, output);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return output;
}

/** Generates what Node.js runs: the bundle, its embedded files and the options. */
async function generateBlob(target: Target, place: { folder: string; isForHost: boolean }): Promise<Buffer> {
  const { folder, isForHost } = place;
  const addon = join(projectDir, 'node_modules/better-sqlite3/prebuilds', `${target.addon}.node`);
  writeFileSync(join(folder, 'taxiway.cjs'), readFileSync(join(distDir, 'taxiway.cjs'), 'utf8').replace(/^#!.*\n/, ''));
  const config = {
    // Relative, because the blob contains this path.
    main: 'taxiway.cjs',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Compiled code only works on the platform it was compiled on.
    useCodeCache: isForHost,
    execArgv: nodeOptions,
    assets: { ...listCarried(), 'native/better_sqlite3.node': addon },
  };
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config));
  // With another seed, V8 writes the compiled code in another order.
  const words = ['--random-seed=1', '--experimental-sea-config', 'sea.json'];
  execFileSync(await provideHostNode(), words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  return readFileSync(join(folder, 'blob'));
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

function listCarried(): Record<string, string> {
  const files = readdirSync(assetsDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(assetsDir.length + 1).replaceAll('\\', '/'), path]));
}
