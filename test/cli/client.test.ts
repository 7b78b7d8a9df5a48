// The JavaScript client as the server hands it out, and the page with all clients.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MAX_CLIENT_BYTES, provideClient } from '../../scripts/lib/client-bundle.ts';
import { version } from '../../src/lib/version.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { startFakeServer, TOKEN } from '../commands/fake-server.ts';
import { buildApk, buildIpa, sha256 } from '../support/fixtures.ts';
import { openRunner, type Runner } from './shells.ts';

/** The oldest Node.js of the machine that the client supports. */
function findOldNode(): string {
  const installed = [process.env.TAXIWAY_OLD_NODE, '/usr/bin/node'].filter(
    (file) => file !== undefined && existsSync(file),
  );
  const majorOf = (file: string) =>
    Number.parseInt(execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10);
  return installed.find((file): file is string => file !== undefined && majorOf(file) >= 18) ?? process.execPath;
}

const node = findOldNode();
let fixture: Fixture;
let runner: Runner;
const get = (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, fixture.url), { headers });

beforeAll(async () => {
  await provideClient();
  runner = openRunner();
  const executables = join(runner.folder, 'executables');
  mkdirSync(executables);
  writeFileSync(join(executables, 'taxiway-9.9.9-linux-x64'), 'not really a program');
  writeFileSync(join(executables, 'notes.txt'), 'secret');
  mkdirSync(join(executables, 'taxiway-folder'));
  fixture = await startFixture({ config: { cli: { executables } } });
}, 120_000);
afterAll(async () => {
  await fixture?.stop();
  runner?.[Symbol.dispose]();
});

describe('the JavaScript client', () => {
  beforeAll(async () => {
    const response = await get('/cli/taxiway.cjs');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    writeFileSync(join(runner.folder, 'taxiway.cjs'), await response.text());
  });
  const withToken = () => ({ TAXIWAY_URL: fixture.url, TAXIWAY_TOKEN: fixture.project_access_token });

  it('is a single file below its limit', () => {
    expect(statSync(join(runner.folder, 'taxiway.cjs')).size).toBeLessThan(MAX_CLIENT_BYTES);
  });

  it('uploads with an old Node.js, outside of any project, and writes what later steps need', async () => {
    const bytes = buildApk({ packageName: 'com.example.client' });
    writeFileSync(join(runner.folder, 'app.apk'), bytes);
    const words = ['upload', 'app.apk', '--json', '--outputs', 'out', '--qr-image', 'qr.png'];
    const { code, stdout, stderr } = await runner.run([node, 'taxiway.cjs', ...words], withToken());
    expect(code, stderr).toBe(0);
    const { build } = JSON.parse(stdout);
    expect(build).toMatchObject({ version_name: '1.2.3', build_number: 45, sha256: sha256(bytes) });
    const page = `${fixture.config.server.base_url}/install/builds/${build.identifier}`;
    expect(readFileSync(join(runner.folder, 'out'), 'utf8')).toContain(
      `build_id=${build.identifier}\nbuild_url=${fixture.url}/projects/`,
    );
    expect(readFileSync(join(runner.folder, 'out'), 'utf8')).toContain('/qr.png\nrelease_id=\nqr_image=qr.png\n');
    const image = await get(`/public/v1/builds/${build.identifier}/qr.png`);
    expect(image.headers.get('content-type')).toBe('image/png');
    expect(readFileSync(join(runner.folder, 'qr.png')).equals(Buffer.from(await image.arrayBuffer())), page).toBe(true);
    expect(stderr).not.toContain('Warning: this client');
  });

  it('shows the QR code of a channel, whether it exists or not', async () => {
    for (const id of [fixture.channel_id, fixture.organization_id]) {
      const image = await get(`/public/v1/channels/${id}/qr.png`);
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    }
  });

  it('reads an .ipa as the executable does', async () => {
    writeFileSync(join(runner.folder, 'app.ipa'), buildIpa());
    const { stderr } = await runner.run([node, 'taxiway.cjs', 'upload', 'app.ipa'], withToken());
    expect(stderr).toContain('cannot be uploaded here');
  });

  it('has only the commands of a client', async () => {
    const { code, stdout, stderr } = await runner.run([node, 'taxiway.cjs', 'serve']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain("unknown command 'serve'");
    const help = await runner.run([node, 'taxiway.cjs', '--help']);
    expect(help.stdout).toContain('node taxiway.cjs upload app.apk --channel beta');
  });

  it.each([
    ['warns about another version', '0.99.0', 0, 'Warning: this client has version'],
    ['refuses another major version', '7.0.0', 1, 'download the client that fits'],
  ])('%s', async (_name, theirs, expected, message) => {
    await using fake = await startFakeServer();
    fake.failNext('GET /version', { status: 200, body: { version: theirs } });
    const env = { TAXIWAY_URL: fake.url, TAXIWAY_TOKEN: TOKEN };
    const { code, stderr } = await runner.run([node, 'taxiway.cjs', 'builds', '--project', 'Runner'], env);
    expect(code, stderr).toBe(expected);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`${fake.url}/cli/taxiway.cjs`);
  });

  it('reads no more of a version than one can have', async () => {
    await using fake = await startFakeServer();
    fake.failNext('GET /version', 'flood');
    const begunAt = performance.now();
    const env = { TAXIWAY_URL: fake.url, TAXIWAY_TOKEN: TOKEN };
    const { code, stderr } = await runner.run([node, 'taxiway.cjs', 'builds', '--project', 'Runner'], env);
    expect([code, stderr]).toEqual([0, '']);
    // The request would be given up on after 10 s.
    expect(performance.now() - begunAt).toBeLessThan(9_000);
  });
});

describe('the page /cli', () => {
  it.each([
    ['en', 'Upload from a terminal', 'These clients belong to version'],
    ['de', 'Vom Terminal hochladen', 'Diese Programme gehören zur Version'],
  ])('has the clients with their checksums in %s', async (language, title, intro) => {
    const response = await get('/cli', { accept: 'text/html', 'accept-language': language });
    const text = await response.text();
    expect([response.status, response.headers.get('vary')]).toEqual([200, 'Accept-Language']);
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toContain(`${intro} ${version.version}`);
    for (const name of ['upload.sh', 'taxiway.cjs']) {
      expect(text).toContain(sha256(Buffer.from(await (await get(`/cli/${name}`)).arrayBuffer())));
    }
    expect(text).toContain(
      `curl -fsSO ${fixture.config.server.base_url}/cli/upload.sh && sh upload.sh app.apk --channel beta`,
    );
    expect(text).not.toContain('http://localhost:8080');
  });

  it('has the executables of the operator, whose checksums it computes when asked', async () => {
    const sums = await (await get('/cli/SHA256SUMS')).text();
    expect(sums.split('\n').map((line) => line.slice(66))).toEqual([
      'upload.sh',
      'taxiway.cjs',
      'taxiway-9.9.9-linux-x64',
      '',
    ]);
    const sum = sha256(Buffer.from('not really a program'));
    expect(sums).toContain(`${sum}  taxiway-9.9.9-linux-x64\n`);
    const text = await (await get('/cli', { accept: 'text/html' })).text();
    expect(text).toContain(sum);
    expect(text).not.toContain('notes.txt');
    expect(text).not.toContain('taxiway-folder');
  });

  it('computes the checksum of a replaced executable again', async () => {
    const file = join(fixture.config.cli.executables, 'taxiway-9.9.9-linux-x64');
    writeFileSync(file, 'a newer program');
    onTestFinished(() => writeFileSync(file, 'not really a program'));
    const sum = sha256(Buffer.from('a newer program'));
    const page = async () => await (await get('/cli', { accept: 'text/html' })).text();
    // The thread that computes it takes seconds to start on a busy machine.
    await vi.waitFor(async () => expect(await page()).toContain(sum), { timeout: 50_000 });
  });

  it('sends an executable with its size, and nothing else of the folder', async () => {
    const response = await get('/cli/executables/taxiway-9.9.9-linux-x64');
    expect(await response.text()).toBe('not really a program');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="taxiway-9.9.9-linux-x64"',
      'content-length': '20',
      'x-content-type-options': 'nosniff',
    });
    for (const name of [
      'notes.txt',
      'taxiway-folder',
      'taxiway-%2e%2e%2fnotes.txt',
      '..%2fnotes.txt',
      'taxiway-none',
      '',
    ]) {
      expect((await get(`/cli/executables/${name}`)).status, name).toBe(404);
    }
  });

  it('says so if there are no executables', async () => {
    await using other = await startFixture();
    const text = await (await fetch(`${other.url}/cli`, { headers: { accept: 'text/html' } })).text();
    expect(text).toContain('hasn’t added executables');
  });
});
