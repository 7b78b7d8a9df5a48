// Tries the executable as a stranger would: an empty folder, an empty environment, nothing installed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readManifest } from './project.ts';

export interface CheckResult {
  name: string;
  /** Undefined when it passed. */
  failure?: string;
  /** Why it could not be tried. */
  skipped?: string;
}

interface Running {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Exit code, or the name of the signal that ended it. */
  ended: Promise<number | string>;
}

/** Runs every check in turn; one failing does not keep the others from being tried. */
export async function smokeTest(executable: string): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const check = async (name: string, body: (folder: string) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-smoke-'));
    try {
      await body(folder);
      results.push({ name });
    } catch (error) {
      results.push({ name, failure: error instanceof Error ? error.message : String(error) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  await check('version names the version and leaves nothing behind', async (folder) => {
    const { code, stdout, stderr } = runOnce(executable, ['version'], folder);
    expect(code === 0, `exit ${code}: ${stderr}`);
    expect(stdout.includes(readManifest().version), `stdout was ${JSON.stringify(stdout)}`);
    expect(stderr === '', `stderr was ${JSON.stringify(stderr)}`);
    expect(readdirSync(folder).length === 0, `it left ${readdirSync(folder).join(', ')}`);
  });
  await check('--help names the commands', async (folder) => {
    const { code, stdout } = runOnce(executable, ['--help'], folder);
    expect(code === 0, `exit ${code}`);
    for (const word of ['serve', 'init', 'check', 'upload']) expect(stdout.includes(word), `no ${word} in ${stdout}`);
  });
  await check('an unknown command is wrong usage', async (folder) => {
    const { code, stderr } = runOnce(executable, ['no-such-command'], folder);
    expect(code === 2, `exit ${code}`);
    expect(stderr.includes('no-such-command'), `stderr was ${JSON.stringify(stderr)}`);
  });
  await check('serve answers, prints the setup link, refuses a taken port, ends on SIGTERM', async (folder) => {
    const port = await findFreePort();
    const env = { TAXIWAY_SERVER__PORT: String(port) };
    const server = start(executable, ['serve'], folder, env);
    try {
      await waitUntilReady(server, port);
      await waitFor(
        () => /https?:\/\/\S*setup\S*/.test(server.stdout()),
        5000,
        () => `no link in ${server.stdout()}`,
      );
      for (const path of ['/api/openapi.json', '/api/docs', '/api/v1/version']) {
        const { status } = await fetch(`http://127.0.0.1:${port}${path}`);
        expect(status === 200, `${path} answered ${status}`);
      }
      expect(!/warning/i.test(server.stderr()), `stderr was ${server.stderr()}`);
      const second = runOnce(executable, ['serve'], folder, env);
      expect(second.code === 1, `with the port taken it ended with ${second.code}`);
      expect(second.stderr.includes(String(port)), `the port is not named in ${JSON.stringify(second.stderr)}`);
      expect(!second.stderr.includes('    at '), `a stack trace is no message: ${second.stderr}`);
    } finally {
      server.child.kill('SIGTERM');
    }
    expectEnd(await Promise.race([server.ended, sleep(10_000, 'nothing within 10 s')]));
  });
  await check('serve starts again on the same data, and check finds it sound', async (folder) => {
    for (let round = 0; round < 2; round += 1) {
      const port = await findFreePort();
      const server = start(executable, ['serve'], folder, { TAXIWAY_SERVER__PORT: String(port) });
      try {
        await waitUntilReady(server, port);
      } finally {
        server.child.kill('SIGTERM');
      }
      expectEnd(await Promise.race([server.ended, sleep(10_000, 'nothing within 10 s')]));
    }
    const { code, stdout, stderr } = runOnce(executable, ['check'], folder);
    expect(code === 0, `check ended with ${code}: ${stdout}${stderr}`);
    expect(`${stdout}${stderr}`.trim() !== '', 'check said nothing');
  });

  const name = 'serve starts with a read-only root, no home, and the data folder mounted noexec';
  if (canMount()) await check(name, (folder) => serveConfined(executable, folder));
  else results.push({ name, skipped: 'this system does not let us mount' });
  return results;
}

async function serveConfined(executable: string, folder: string): Promise<void> {
  const port = await findFreePort();
  // The system's root is bound read-only below a mount name space of its own; only memory allows execution.
  const script = [
    'mount --bind / / && mount -o remount,ro,bind /',
    `mount -t tmpfs -o noexec tmpfs "${folder}" && mount -t tmpfs tmpfs /dev/shm`,
    'cd / && exec env -i HOME=/nonexistent TAXIWAY_SERVER__PORT="$1" TAXIWAY_SERVER__DATA_DIR="$2" "$3" serve',
  ].join(' && ');
  const words = ['--mount', 'sh', '-c', script, 'sh', String(port), join(folder, 'data'), executable];
  const server = start('unshare', words, '/', { PATH: process.env.PATH ?? '' });
  try {
    await waitUntilReady(server, port);
  } finally {
    server.child.kill('SIGTERM');
  }
  expectEnd(await Promise.race([server.ended, sleep(10_000, 'nothing within 10 s')]));
}

function canMount(): boolean {
  const words = ['--mount', 'sh', '-c', 'mount --bind / / && mount -o remount,ro,bind /'];
  return process.platform === 'linux' && spawnSync('unshare', words).status === 0;
}

function start(command: string, words: string[], cwd: string, env: Record<string, string>): Running {
  const child = spawn(command, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

function runOnce(command: string, words: string[], cwd: string, env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: 'utf8', timeout: 30_000 });
  return { code: status, stdout, stderr };
}

async function waitUntilReady(server: Running, port: number): Promise<void> {
  let isOver = false;
  void server.ended.then(() => {
    isOver = true;
  });
  const isReady = async () => {
    if (isOver) throw new Error(`it ended: ${server.stdout()}${server.stderr()}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    return answer?.status === 200;
  };
  await waitFor(isReady, 15_000, () => `not ready within 15 s: ${server.stdout()}${server.stderr()}`);
}

async function waitFor(isDone: () => boolean | Promise<boolean>, patience: number, explain: () => string) {
  const end = Date.now() + patience;
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error(explain());
    await sleep(20);
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(address)));
    });
  });
}

function expectEnd(code: number | string): void {
  expect(code === 0, `after SIGTERM it ended with ${code}`);
}

function expect(claim: boolean, message: string): void {
  if (!claim) throw new Error(message);
}
