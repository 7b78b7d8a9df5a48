// Tests the executable like a new user: with an empty folder, an empty environment and nothing installed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { findFreePort } from './ports.ts';
import { expect, runOnce, start, waitFor, waitUntilReady, whileRunning } from './processes.ts';
import { projectDir, readManifest } from './project.ts';
import { restartUnderSystemd, whyNoSystemd } from './smoke-systemd.ts';

export interface CheckResult {
  name: string;
  /** Undefined if it passed. */
  failure?: string;
  /** Why the check was skipped. */
  skipped?: string;
}

/** Runs checks in sequence, each in an empty folder. A failed check doesn't prevent the others from running. */
export function collectResults() {
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
  return { results, check };
}

/** Tries everything that an executable must do on its own. */
export async function smokeTest(executable: string): Promise<CheckResult[]> {
  const { results, check } = collectResults();

  await check('version names the version and leaves nothing behind', async (folder) => {
    const { code, stdout, stderr } = await runOnce(executable, ['version'], folder);
    expect(code === 0, `exit ${code}: ${stderr}`);
    expect(stdout.includes(readManifest().version), `stdout was ${JSON.stringify(stdout)}`);
    expect(stderr === '', `stderr was ${JSON.stringify(stderr)}`);
    expect(readdirSync(folder).length === 0, `it left ${readdirSync(folder).join(', ')}`);
  });
  await check('--help names the commands', async (folder) => {
    const { code, stdout } = await runOnce(executable, ['--help'], folder);
    expect(code === 0, `exit ${code}`);
    for (const word of ['serve', 'init', 'check', 'upload']) expect(stdout.includes(word), `no ${word} in ${stdout}`);
  });
  await check('an unknown command is wrong usage', async (folder) => {
    const { code, stderr } = await runOnce(executable, ['no-such-command'], folder);
    expect(code === 2, `exit ${code}`);
    expect(stderr.includes('no-such-command'), `stderr was ${JSON.stringify(stderr)}`);
  });
  await check('serve answers, prints the setup link, refuses a taken port, ends on SIGTERM', async (folder) => {
    const port = await findFreePort();
    const env = { TAXIWAY_SERVER__PORT: String(port) };
    const server = start(executable, ['serve'], folder, env);
    await whileRunning(server, async () => {
      await waitUntilReady(server, port);
      await waitFor(
        () => /https?:\/\/\S*setup\S*/.test(server.stdout()),
        5000,
        () => `no link in ${server.stdout()}`,
      );
      for (const path of ['/api/openapi.json', '/api/docs', '/api/v1/version', '/docs/', '/docs/ios.html']) {
        const { status } = await fetch(`http://127.0.0.1:${port}${path}`);
        expect(status === 200, `${path} answered ${status}`);
      }
      expect(!/warning/i.test(server.stderr()), `stderr was ${server.stderr()}`);
      const shared = await runOnce(executable, ['serve'], folder, env);
      expect(shared.code === 1, `on the data folder of another server it ended with ${shared.code}`);
      expect(shared.stderr.includes('another Taxiway server'), `the other server is not named in ${shared.stderr}`);
      const second = await runOnce(executable, ['serve'], folder, {
        ...env,
        TAXIWAY_SERVER__DATA_DIR: join(folder, 'other'),
      });
      expect(second.code === 1, `with the port taken it ended with ${second.code}`);
      expect(second.stderr.includes(String(port)), `the port is not named in ${JSON.stringify(second.stderr)}`);
      expect(!second.stderr.includes('    at '), `a stack trace is no message: ${second.stderr}`);
    });
  });
  await check('serve opens no debugger on SIGUSR1, and stops on SIGHUP', async (folder) => {
    const port = await findFreePort();
    const server = start(executable, ['serve'], folder, { TAXIWAY_SERVER__PORT: String(port) });
    await whileRunning(server, async () => {
      await waitUntilReady(server, port);
      server.child.kill('SIGUSR1');
      const { status } = await fetch(`http://127.0.0.1:${port}/health/live`);
      expect(status === 200, `it answered ${status}`);
      expect(!server.stderr().includes('Debugger'), `stderr was ${server.stderr()}`);
      server.child.kill('SIGHUP');
      expect((await server.ended) === 0, `after SIGHUP it ended with ${await server.ended}`);
    });
  });
  await check('serve starts again on the same data, and check finds it sound', async (folder) => {
    for (let round = 0; round < 2; round += 1) {
      const port = await findFreePort();
      const server = start(executable, ['serve'], folder, { TAXIWAY_SERVER__PORT: String(port) });
      await whileRunning(server, async () => {
        await waitUntilReady(server, port);
      });
    }
    const { code, stdout, stderr } = await runOnce(executable, ['check'], folder);
    expect(code === 0, `check ended with ${code}: ${stdout}${stderr}`);
    expect(`${stdout}${stderr}`.trim() !== '', 'check said nothing');
  });

  await check('serve does https with a certificate of its own, which check finds trusted', async (folder) => {
    const port = await findFreePort();
    const env = { TAXIWAY_SERVER__PORT: String(port), TAXIWAY_SERVER__TLS__MODE: 'internal' };
    const server = start(executable, ['serve'], folder, env);
    await whileRunning(server, async () => {
      const isReached = async () => {
        const { stdout } = await runOnce(executable, ['check'], folder, env);
        return /^ok +reach +\S+ responds with a certificate of the private authority$/m.test(stdout);
      };
      await waitFor(isReached, 15_000, () => `not reached within 15 s: ${server.stdout()}${server.stderr()}`);
    });
  });

  await check('serve hands out the web app with every file that its document names, and metrics', async (folder) => {
    const port = await findFreePort();
    const server = start(executable, ['serve'], folder, { TAXIWAY_SERVER__PORT: String(port) });
    await whileRunning(server, async () => {
      await waitUntilReady(server, port);
      await loadWebApp(`http://127.0.0.1:${port}`);
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(metrics.status === 200, `metrics answered ${metrics.status}: ${server.stderr()}`);
    });
  });

  await check('a package is uploaded by the command line, inspected and offered', (folder) =>
    upload(executable, folder),
  );

  const confined = {
    'serve starts with a read-only root, no home, and the data folder mounted noexec': serveConfined,
    'serve starts by its bare name where there is no /proc': serveWithoutProc,
  };
  for (const [name, body] of Object.entries(confined)) {
    if (canMount()) await check(name, (folder) => body(executable, folder));
    else results.push({ name, skipped: 'this system does not let us mount' });
  }
  const restarts = 'under systemd it restarts without a failed request';
  const noSystemd = whyNoSystemd();
  if (noSystemd === undefined) await check(restarts, (folder) => restartUnderSystemd(executable, folder));
  else results.push({ name: restarts, skipped: noSystemd });
  return results;
}

async function serveConfined(executable: string, folder: string): Promise<void> {
  const port = await findFreePort();
  // Binds the root file system read-only in a separate mount namespace; only memory allows execution.
  const script = [
    'mount --bind / / && mount -o remount,ro,bind /',
    `mount -t tmpfs -o noexec tmpfs "${folder}" && mount -t tmpfs tmpfs /dev/shm`,
    'cd / && exec env -i HOME=/nonexistent TAXIWAY_SERVER__PORT="$1" TAXIWAY_SERVER__DATA_DIR="$2" "$3" serve',
  ].join(' && ');
  const words = ['--mount', 'sh', '-c', script, 'sh', String(port), join(folder, 'data'), executable];
  const server = start('unshare', words, '/', { PATH: process.env.PATH ?? '' });
  await whileRunning(server, async () => {
    await waitUntilReady(server, port);
  });
}

async function serveWithoutProc(executable: string, folder: string): Promise<void> {
  const port = await findFreePort();
  const script = 'mount -t tmpfs tmpfs /proc && cd "$1" && exec env -i PATH="$2" TAXIWAY_SERVER__PORT="$3" "$4" serve';
  const words = ['--mount', 'sh', '-c', script, 'sh', folder, dirname(executable), String(port), basename(executable)];
  const server = start('unshare', words, '/', { PATH: process.env.PATH ?? '' });
  await whileRunning(server, async () => {
    await waitUntilReady(server, port);
  });
}

function canMount(): boolean {
  const words = ['--mount', 'sh', '-c', 'mount --bind / / && mount -o remount,ro,bind /'];
  return process.platform === 'linux' && spawnSync('unshare', words).status === 0;
}

/** Checks that the executable contains the inspection worker and the database driver. */
async function upload(executable: string, folder: string): Promise<void> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const account = { email: 'admin@example.com', password: 'correct horse battery staple' };
  const words = [
    'developer',
    'create',
    '--email',
    account.email,
    '--password-stdin',
    '--verified',
    '--organization',
    'O',
  ];
  const created = await runOnce(executable, [...words, '--json'], folder, {}, `${account.password}\n`);
  expect(created.code === 0, `developer create ended with ${created.code}: ${created.stderr}`);
  const { organization_id: organization } = JSON.parse(created.stdout);
  const server = start(executable, ['serve'], folder, { TAXIWAY_SERVER__PORT: String(port) });
  await whileRunning(server, async () => {
    await waitUntilReady(server, port);
    const { access_token: token } = await post(`${url}/api/v1/login`, account);
    await post(`${url}/api/v1/projects?organization_id=${organization}`, { name: 'P', platform: 'android' }, token);
    const apk = join(projectDir, 'node_modules/android-apidemos/apks/ApiDemos-debug.apk');
    const env = { TAXIWAY_URL: url, TAXIWAY_TOKEN: token };
    const sent = await runOnce(executable, ['upload', apk, '--project', 'P', '--json'], folder, env);
    expect(sent.code === 0, `upload ended with ${sent.code}: ${sent.stderr}`);
    const { build } = JSON.parse(sent.stdout);
    expect(build.inspection_status === 'ok', `the build is ${sent.stdout}`);
    expect(build.bundle_identifier === 'io.appium.android.apis', `the build is ${sent.stdout}`);
  });
}

async function loadWebApp(url: string): Promise<void> {
  const page = await fetch(`${url}/sign-in`, { headers: { Accept: 'text/html' } });
  expect(page.status === 200, `/sign-in answered ${page.status}`);
  const text = await page.text();
  const paths = [...text.matchAll(/(?:src|href|content)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  const [, uploadWorker] = /name="taxiway-upload-worker" content="([^"]+)"/.exec(text) ?? [];
  expect(uploadWorker !== undefined && paths.includes(uploadWorker), 'the document names no upload worker');
  for (const ending of ['.js', '.css', '.svg']) {
    expect(paths.some((path) => path?.endsWith(ending)) === true, `no ${ending} among ${paths.join(', ')}`);
  }
  for (const path of paths) {
    const { status, headers } = await fetch(`${url}${path}`, { headers: { 'Accept-Encoding': 'br' } });
    expect(status === 200, `${path} answered ${status}`);
    // The policy of the upload worker depends on the session, so browsers must not keep this file.
    const caching = path === uploadWorker ? 'no-store' : 'public, max-age=31536000, immutable';
    expect(headers.get('cache-control') === caching, `${path} is sent with ${headers.get('cache-control')}`);
    const isPacked = headers.get('content-encoding') === 'br';
    expect(isPacked || path?.endsWith('.svg') === true, `${path} is not compressed`);
  }
}

async function post(url: string, body: object, token?: string) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.ok, `${url} answered ${answer.status}`);
  return JSON.parse(await answer.text());
}
