// Tries the image: for each platform what tools read in it, and its server with its health check.
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../ports.ts';
import { expect, start, waitFor } from '../processes.ts';
import { run } from '../project.ts';
import { type CheckResult, collectResults } from '../smoke.ts';
import { imagePath } from './build.ts';
import { ACCOUNT } from './image.ts';
import { provide, provideEmulation, serveEmulated, type Trial } from './try-parts.ts';

const START_MS = 30_000;
const STOP_MS = 15_000;

/** Runs a program and returns its output. Throws if it fails. */
function call(command: string, words: readonly string[]): string {
  const { code, output } = run(command, words);
  expect(code === 0, `${command} ${words.join(' ')}: ${output.trim()}`);
  return output;
}

export async function tryImage({ version }: Trial): Promise<CheckResult[]> {
  const name = 'in a container';
  if (process.getuid?.() !== 0) return [{ name, skipped: 'it requires root' }];
  const programs = ['skopeo', 'buildah'];
  const skipped = existsSync(imagePath(version))
    ? (provide(
        programs.map((program) => `/usr/bin/${program}`),
        programs,
      ) ?? provideEmulation())
    : 'it was left out';
  if (skipped !== undefined) return [{ name, skipped }];
  const { results, check } = collectResults();
  const source = `oci-archive:${imagePath(version)}:${version}`;
  for (const architecture of ['amd64', 'arm64']) {
    await check(`for ${architecture} has an account, a health check and a volume`, async () => {
      const words = ['inspect', '--config', '--raw', '--override-arch', architecture, source];
      const found = JSON.parse(call('skopeo', words));
      expect(found.architecture === architecture, `the architecture is ${found.architecture}`);
      const { User, Healthcheck, Volumes } = found.config;
      expect(User === `${ACCOUNT}:${ACCOUNT}`, `the user is ${User}`);
      expect(Healthcheck?.Test.join(' ') === 'CMD taxiway health', 'it has no health check');
      expect(Object.keys(Volumes).join() === '/data', 'it has no volume /data');
    });
    await check(`for ${architecture} serves, and its health check says so`, (folder) =>
      runContainer(source, architecture, folder),
    );
  }
  return results;
}

/** Runs the image with its own account, command and environment; another processor is emulated. */
async function runContainer(source: string, architecture: string, folder: string): Promise<void> {
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = (...words: string[]): string => call('buildah', [...store, ...words]);
  const container = buildah('from', '--quiet', '--arch', architecture, source).trim();
  try {
    if (architecture !== 'amd64') {
      const root = buildah('mount', container).trim();
      mkdirSync(join(folder, 'work'));
      await serveEmulated(join(root, 'usr/local/bin/taxiway'), root, join(folder, 'work'));
      return;
    }
    const port = await findFreePort();
    const words = ['run', '--isolation', 'chroot', '--env', `TAXIWAY_SERVER__PORT=${port}`, container, '--', 'taxiway'];
    const server = start('buildah', [...store, ...words, 'serve'], '/', { PATH: process.env.PATH ?? '' });
    const isHealthy = () => run('buildah', [...store, ...words, 'health']).output.trim() === 'ready';
    try {
      await waitFor(isHealthy, START_MS, () => `not healthy: ${server.stdout()}${server.stderr()}`);
      // buildah doesn't pass signals on.
      for (const pid of listDescendants(server.child.pid ?? 0).filter(isTaxiway)) process.kill(pid, 'SIGTERM');
      const code = await Promise.race([server.ended, sleep(STOP_MS, 'nothing within 15 s')]);
      expect(code === 0, `after SIGTERM it ended with ${code}: ${server.stderr()}`);
    } finally {
      for (const pid of listDescendants(server.child.pid ?? 0).filter(isTaxiway)) process.kill(pid, 'SIGKILL');
      server.child.kill('SIGKILL');
    }
  } finally {
    run('buildah', [...store, 'rm', container]);
  }
}

/** Returns the processes below a process, whichever of its threads started them. */
function listDescendants(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  const files = existsSync(tasks) ? readdirSync(tasks).map((task) => join(tasks, task, 'children')) : [];
  const children = files.flatMap((file) => readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number));
  return children.flatMap((child) => [child, ...listDescendants(child)]);
}

const isTaxiway = (pid: number): boolean => readlinkSync(`/proc/${pid}/exe`).endsWith('/usr/local/bin/taxiway');
