// taxiway upload: requests, retries, rejections and messages.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildDemoApk, readApiDemos } from '../support/fixtures.ts';
import {
  AUTO_CHANNEL,
  BUILD,
  CHANNEL,
  type FakeServer,
  ORGANIZATION,
  OTHER_PROJECT,
  PROJECT,
  sha256Of,
  startFakeServer,
  TOKEN,
} from './fake-server.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

const apk = buildDemoApk();
const upload = ['upload', 'app.apk', '--project', PROJECT];

let fake: FakeServer;
let workshop: Workshop;
beforeEach(async () => {
  fake = await startFakeServer();
  workshop = openWorkshop({ TAXIWAY_URL: `${fake.url}/`, TAXIWAY_TOKEN: TOKEN });
  writeFileSync(join(workshop.folder, 'app.apk'), apk);
});
afterEach(async () => {
  await fake[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

/** Puts a real package in its place, which is sent in many parts. */
function writeLargeApk(): Buffer {
  const bytes = readApiDemos();
  writeFileSync(join(workshop.folder, 'app.apk'), bytes);
  return bytes;
}

const bodyOf = (route: string) => fake.seen.find((one) => one.route === route)?.body;

describe('an upload', () => {
  it('leaves version and number to the package, sends the bytes and completes with their SHA-256', async () => {
    const apk = writeLargeApk();
    const { code, stdout, stderr } = await workshop.run(upload);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^app\.apk: \d\S* \(\d+\), /) });
    expect(fake.routes()).toEqual([
      `GET /projects/${PROJECT}`,
      'GET /builds',
      'POST /builds/initiate',
      'PUT /storage/v1/pending-1',
      'POST /builds/pending-1/complete',
    ]);
    expect(bodyOf('POST /builds/initiate')).toEqual({
      identity_from_package: true,
      bundle_identifier: 'io.appium.android.apis',
      original_filename: 'app.apk',
      size_bytes: apk.length,
    });
    expect(fake.stored[0]?.equals(apk)).toBe(true);
    expect(fake.putHeaders[0]).toMatchObject({
      'x-ms-blob-type': 'BlockBlob',
      'content-length': String(apk.length),
    });
    expect(fake.putHeaders[0]).not.toHaveProperty('authorization');
    expect(bodyOf('POST /builds/pending-1/complete')).toEqual({ sha256: sha256Of(apk) });
    expect(stdout).toContain(`build     ${BUILD}\n`);
    expect(stdout).toContain(`sha256    ${sha256Of(apk)}\n`);
  });

  it('reserves version and number on servers that require both', async () => {
    const errors = ['version_name', 'build_number'].map((name) => ({
      type: 'missing',
      loc: ['body', name],
      msg: 'Field required',
    }));
    const body = { error: 'validation_error', message: 'Field required', details: { errors } };
    fake.failNext('POST /builds/initiate', { status: 400, body });
    expect((await workshop.run(upload)).code).toBe(0);
    expect(fake.seen.filter(({ route }) => route === 'POST /builds/initiate').at(-1)?.body).toMatchObject({
      version_name: expect.stringMatching(/^\d/),
      build_number: expect.any(Number),
    });
    expect(fake.stored).toHaveLength(1);
  });

  it('prefers the options over the package', async () => {
    const stated = ['--version-name', '9.9', '--build-number', '12', '--bundle-identifier', 'a.b', '--notes', 'Hello'];
    expect((await workshop.run([...upload, ...stated])).code).toBe(0);
    expect(bodyOf('POST /builds/initiate')).toEqual({
      version_name: '9.9',
      build_number: 12,
      bundle_identifier: 'a.b',
      original_filename: 'app.apk',
      size_bytes: apk.length,
      release_notes: 'Hello',
    });
  });

  it('prints build, release and install link as one JSON object', async () => {
    const { stdout } = await workshop.run([...upload, '--channel', 'beta', '--mandatory', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      build: { identifier: BUILD, sha256: sha256Of(apk), size_bytes: apk.length },
      release: { identifier: 'release-1', mandatory: true },
      install_url: `https://builds.example.test/install/channels/${CHANNEL}`,
    });
  });

  it('releases to a public channel and prints its install page with a QR code', async () => {
    writeFileSync(join(workshop.folder, 'notes.txt'), 'Line one\nLine two\n');
    const { code, stdout } = await workshop.run([...upload, '--channel', CHANNEL, '--notes-file', 'notes.txt']);
    expect(code).toBe(0);
    expect(fake.seen.at(-1)).toMatchObject({
      route: 'POST /releases',
      query: { organization_id: ORGANIZATION, project_id: PROJECT, channel_id: CHANNEL },
      body: { build_id: BUILD, release_notes: 'Line one\nLine two' },
    });
    expect(stdout).toContain(`install   https://builds.example.test/install/channels/${CHANNEL}\n`);
    expect(stdout).toMatch(/[█▀▄]{5}/);
  });

  it('never reads a file for notes that begin with @', async () => {
    writeFileSync(join(workshop.folder, 'secret.txt'), 'secret');
    const { code, stderr } = await workshop.run([...upload, '--channel', CHANNEL, '--notes', '@secret.txt']);
    expect(code).toBe(0);
    expect(stderr).toContain('--notes is a text, also after @. To read a file, use --notes-file.\n');
    expect(fake.seen.at(-1)).toMatchObject({ route: 'POST /releases', body: { release_notes: '@secret.txt' } });
    const both = await workshop.run([...upload, '--notes', 'a', '--notes-file', 'secret.txt']);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--notes-file: use either this or --notes')]);
  });

  it('says that the file with the notes does not exist or cannot be read', async () => {
    const absent = await workshop.run([...upload, '--channel', CHANNEL, '--notes-file', 'absent.md']);
    expect([absent.code, absent.stderr]).toEqual([
      2,
      expect.stringContaining('taxiway: --notes-file: file absent.md not found\n'),
    ]);
    const folder = await workshop.run([...upload, '--channel', CHANNEL, '--notes-file', '.']);
    expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining('--notes-file: cannot read .: EISDIR')]);
  });

  it('prints no install link for a private channel, and no control characters of its name', async () => {
    const { stdout } = await workshop.run([...upload, '--channel', 'team\u001b[2J']);
    expect(stdout).toContain('channel   team\u{fffd}[2J\n');
    expect(stdout).not.toContain('install');
    expect(stdout).not.toContain('\u001b');
  });

  it('reports the automatic release of the channel', async () => {
    fake.changes.releasedTo = [{ channel_id: AUTO_CHANNEL, release_id: 'release-1' }];
    const { code } = await workshop.run([...upload, '--channel', 'nightly', '--mandatory']);
    expect(code).toBe(0);
    const patch = fake.seen.find(({ route }) => route === 'PATCH /releases/release-1');
    expect(patch?.body).toEqual({ mandatory: true });
    expect(fake.routes()).not.toContain('POST /releases');
  });

  it('releases nothing if another job that uploaded the package at the same time did', async () => {
    fake.changes.channelOfBuild = CHANNEL;
    const { code, stdout } = await workshop.run([...upload, '--channel', CHANNEL]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('release   release-1 (active')]);
    expect(fake.routes()).not.toContain('POST /releases');
  });

  it('reports that the build exists, and how to release it, if the release is rejected', async () => {
    const message = 'This needs the role maintainer.';
    fake.failNext('POST /releases', { status: 403, body: { error: 'forbidden', message, details: {} } });
    const { code, stderr } = await workshop.run([...upload, '--channel', 'beta']);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`Build ${BUILD} was uploaded, but not released to beta.\n`);
    expect(stderr).toContain(`taxiway release ${BUILD} --channel ${CHANNEL}`);
  });

  it('tries again to save the QR code if the server is busy', async () => {
    const path = `/public/v1/channels/${CHANNEL}/qr.png`;
    fake.failNext(`GET ${path}`, { status: 503, headers: { 'retry-after': '7' } }, 'break', {
      status: 200,
      body: 'PNG',
    });
    const { code, stderr, pauses } = await workshop.run([...upload, '--channel', CHANNEL, '--qr-image', 'qr.png']);
    expect(code, stderr).toBe(0);
    expect(pauses).toEqual([7000, 2000]);
    expect(readFileSync(join(workshop.folder, 'qr.png'), 'utf8')).toBe('PNG');
  });

  it('reads no more of a QR code than an image can have', async () => {
    fake.failNext(`GET /public/v1/channels/${CHANNEL}/qr.png`, 'flood');
    const begunAt = performance.now();
    const { code, stderr } = await workshop.run([...upload, '--channel', CHANNEL, '--qr-image', 'qr.png']);
    expect([code, stderr.includes('/qr.png: the image is too large\n')], stderr).toEqual([1, true]);
    expect(performance.now() - begunAt).toBeLessThan(20_000);
  });

  it('says that the build was uploaded and released if the results cannot be written', async () => {
    const { code, stderr } = await workshop.run([...upload, '--channel', CHANNEL, '--outputs', 'absent/outputs']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/taxiway: cannot write absent\/outputs: ENOENT.*\n/);
    expect(stderr).toContain(`taxiway: Build ${BUILD} was uploaded and released to beta.\n`);
  });

  it('shows progress only on a terminal', async () => {
    expect((await workshop.run(upload)).stderr).not.toContain('\r');
    expect((await workshop.run(upload, { isStderrTerminal: true })).stderr).toMatch(/\ruploading 100% █{24} /);
  });

  it.each([
    [90, /^uploading 100% █{24} .* of .*\/s$/],
    [60, /^uploading 100% █{8,20} .* of .*\/s$/],
    [44, /^uploading 100% [\d.]+ \w+ of [\d.]+ \w+(?: {2}[\d.]+ \w+\/s)?$/],
    [34, /^uploading 100% [\d.]+ \w+ of [\d.]+ \w+$/],
    [10, /^uploading$/],
  ])('shows progress in one line of a terminal with %d columns', async (columns, expected) => {
    const { stderr } = await workshop.run(upload, { isStderrTerminal: true, stderrColumns: columns });
    const lines = stderr
      .split('\r')
      .slice(1)
      .map((drawn) => drawn.split('\u001b', 1)[0] ?? '');
    expect(lines.at(-1)).toMatch(expected);
    for (const line of lines) expect(line.length).toBeLessThan(columns);
  });
});

describe('the project', () => {
  it('is found by name on any page of all organizations', async () => {
    expect((await workshop.run(['upload', 'app.apk', '--project', 'Runner'])).code).toBe(0);
    expect(bodyOf('POST /builds/initiate')).toBeDefined();
    expect(fake.seen.filter((one) => one.route === 'GET /projects').map((one) => one.query)).toEqual([
      { organization_id: ORGANIZATION, limit: '1000' },
      { organization_id: ORGANIZATION, limit: '1000', cursor: 'page-2' },
    ]);
  });

  it("is the one for the package's platform if two have the same name, however its accent is written", async () => {
    const items = [
      { identifier: OTHER_PROJECT, organization_id: ORGANIZATION, name: 'Cafe\u0301', platform: 'ios' },
      { identifier: PROJECT, organization_id: ORGANIZATION, name: 'Cafe\u0301', platform: 'android' },
    ];
    fake.failNext('GET /projects', { status: 200, body: { items, next_cursor: null } });
    expect((await workshop.run(['upload', 'app.apk', '--project', 'Caf\u00e9'])).code).toBe(0);
    expect(fake.seen.find(({ route }) => route === 'POST /builds/initiate')?.query.project_id).toBe(PROJECT);
  });

  it('is required if there are several', async () => {
    const items = [OTHER_PROJECT, PROJECT].map((identifier) => ({
      identifier,
      organization_id: ORGANIZATION,
      name: `Name of ${identifier.at(-1)}`,
      platform: 'android',
    }));
    fake.failNext('GET /projects', { status: 200, body: { items, next_cursor: null } });
    const { code, stderr } = await workshop.run(['upload', 'app.apk']);
    expect(code).toBe(2);
    expect(stderr).toContain(`Choose one with --project ID:\n  ${OTHER_PROJECT}  android  Name of 3\n`);
  });

  it("must be one for the package's platform", async () => {
    const items = [OTHER_PROJECT, PROJECT].map((identifier) => ({
      identifier,
      organization_id: ORGANIZATION,
      name: `Name of ${identifier.at(-1)}`,
      platform: 'ios',
    }));
    fake.failNext('GET /projects', { status: 200, body: { items, next_cursor: null } });
    const { code, stderr } = await workshop.run(['upload', 'app.apk']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'taxiway: no project for Android available: create one in the web app, or ask for access to one\n',
    });
  });

  it('is not required if the token has access to only one', async () => {
    fake.failNext('GET /projects', {
      status: 200,
      body: {
        items: [{ identifier: PROJECT, organization_id: ORGANIZATION, name: 'Runner', platform: 'android' }],
        next_cursor: null,
      },
    });
    expect((await workshop.run(['upload', 'app.apk'])).code).toBe(0);
  });

  it.each([
    [['--project', 'Nobody'], 'no project has the ID or the exact name "Nobody"; projects: "Walker", "Runner"'],
    [['--project', 'Runner', '--organization', 'Other'], 'organization "Other" not found'],
    [
      ['--project', '01900000-0000-7000-8000-0000000000ff'],
      'no project that you can see has the ID 01900000-0000-7000-8000-0000000000ff',
    ],
    [['--project', PROJECT, '--channel', 'gamma'], 'channel "gamma" not found; channels of the project: beta, team'],
  ])('%j is rejected before the upload', async (words, message) => {
    const { code, stderr } = await workshop.run(['upload', 'app.apk', ...words]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(fake.routes()).not.toContain('POST /builds/initiate');
  });
});

describe('the package', () => {
  it.each([
    ['missing.apk', undefined, 1, 'not found'],
    ['empty.apk', '', 1, 'is empty'],
    ['notes.txt', 'not an archive', 1, 'set --version-name and --build-number'],
  ])('%s is rejected', async (name, content, expected, message) => {
    if (content !== undefined) writeFileSync(join(workshop.folder, name), content);
    const { code, stderr } = await workshop.run(['upload', name, '--project', PROJECT]);
    expect({ code, stderr }).toMatchObject({ code: expected, stderr: expect.stringContaining(message) });
    expect(fake.routes()).not.toContain('POST /builds/initiate');
  });

  it('for another platform is rejected before the upload', async () => {
    const { code, stderr } = await workshop.run(['upload', 'app.apk', '--project', OTHER_PROJECT]);
    expect(code).toBe(1);
    expect(stderr).toContain('app.apk cannot be uploaded here: ');
    expect(fake.routes()).not.toContain('POST /builds/initiate');
  });

  it('that is unreadable is uploaded if its version is given', async () => {
    writeFileSync(join(workshop.folder, 'hardened.apk'), 'PK unreadable');
    const words = ['upload', 'hardened.apk', '--project', PROJECT, '--version-name', '1', '--build-number', '2'];
    expect((await workshop.run(words)).code).toBe(0);
  });

  it('cannot have an empty version, such as from a variable that is not set', async () => {
    for (const version of ['', ' ']) {
      const { code, stderr } = await workshop.run([...upload, '--version-name', version]);
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--version-name must not be empty'),
      });
    }
  });

  it.each(['1.5', '-1', 'x', '99999999999999999'])('cannot have the build number %s', async (number) => {
    expect((await workshop.run([...upload, `--build-number=${number}`])).code).toBe(2);
  });

  it('above the size limit is not uploaded', async () => {
    fake.changes.maxSize = 1000;
    const { code, stderr } = await workshop.run(upload);
    expect(code).toBe(1);
    expect(stderr).toContain(`app.apk has ${apk.length} bytes; the server accepts at most 1000`);
    expect(fake.stored).toEqual([]);
  });
});

describe('an error', () => {
  it('that is temporary is retried with increasing pauses', async () => {
    fake.failNext('POST /builds/initiate', { status: 503, headers: { 'retry-after': '7' } }, { status: 429 });
    writeLargeApk();
    fake.failNext('PUT /storage/v1/pending-1', { status: 503 }, 'break', { status: 500 });
    fake.failNext('POST /builds/pending-1/complete', 'break', { status: 502 });
    const { code, pauses } = await workshop.run(upload);
    expect(code).toBe(0);
    expect(pauses).toEqual([7000, 2000, 1000, 2000, 4000, 1000, 2000]);
    expect(fake.stored).toHaveLength(1);
  });

  it('that persists fails after five attempts', async () => {
    const refuse = () =>
      fake.failNext('PUT /storage/v1/pending-1', ...Array.from({ length: 9 }, () => ({ status: 503 })));
    refuse();
    const { code, stderr, pauses } = await workshop.run([...upload, '--build-number', '9']);
    expect(code).toBe(1);
    expect(pauses).toHaveLength(4);
    expect(stderr).toContain('the upload failed: storage returned 503');
    expect(stderr).toContain('The incomplete upload reserves version ');
    refuse();
    const unreserved = await workshop.run(upload);
    expect([unreserved.code, unreserved.pauses.length]).toEqual([1, 4]);
    expect(unreserved.stderr).toMatch(/\ntaxiway: the upload failed: storage returned 503\n$/);
  });

  it('of an initiate that may have succeeded is not retried', async () => {
    fake.failNext('POST /builds/initiate', 'break');
    const { code, pauses } = await workshop.run(upload);
    expect({ code, pauses }).toEqual({ code: 1, pauses: [] });
  });

  it('about an existing version is explained and not retried', async () => {
    fake.failNext('POST /builds/initiate', {
      status: 409,
      body: { error: 'already_exists', message: 'Taken', details: {} },
    });
    const { code, stderr, pauses } = await workshop.run(upload);
    expect({ code, pauses }).toEqual({ code: 1, pauses: [] });
    expect(stderr).toContain('taxiway: Taken (409 already_exists, request req-1)');
    expect(stderr).toContain('is used by another build or by an incomplete upload.');
    expect(stderr).toContain('Use a new build number or version name, or wait');

    fake.failNext('POST /builds/initiate', {
      status: 409,
      body: { error: 'already_exists', message: 'Taken', details: { claimed_by: 'build' } },
    });
    expect((await workshop.run(upload)).stderr).toMatch(
      /\ntaxiway: Use a new build number or version name\. To use the next free build number, add --next-build-number\. To release the existing build: "taxiway release"\.\n$/,
    );
  });

  it('of the storage is printed with its own message, without the signed link', async () => {
    const body = '<Error><Code>AuthenticationFailed</Code><Message>The signature ended</Message></Error>';
    fake.failNext('PUT /storage/v1/pending-1', { status: 403, body });
    const { code, stderr, pauses } = await workshop.run(upload);
    expect({ code, pauses }).toEqual({ code: 1, pauses: [] });
    expect(stderr).toContain('storage returned 403 AuthenticationFailed: The signature ended');
    expect(stderr).not.toContain('sig=');
  });

  it('of the fields lists each field', async () => {
    const errors = [{ type: 'string_too_long', loc: ['body', 'version_name'], msg: 'Too long' }];
    const body = { error: 'validation_error', message: 'Too long', details: { errors } };
    fake.failNext('POST /builds/initiate', { status: 400, body });
    const { stderr } = await workshop.run(upload);
    expect(stderr).toContain('Too long (400 validation_error, request req-1)\ntaxiway:   body.version_name: Too long');
  });

  it('is printed if the server has other values than were sent', async () => {
    fake.changes.answeredSha256 = 'f'.repeat(64);
    const { code, stderr, stdout } = await workshop.run(upload);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('the uploaded file differs from app.apk');
  });

  it('that redirects does not forward the token', async () => {
    fake.failNext(`GET /projects/${PROJECT}`, { status: 301, headers: { location: 'https://elsewhere.example/' } });
    const { code, stderr } = await workshop.run(upload);
    expect(code).toBe(1);
    expect(stderr).toContain('the server redirects to https://elsewhere.example/; use that address');
  });

  it('that redirects names the address of the server, without the path of the request', async () => {
    const location = `https://elsewhere.example/builds/api/v1/projects/${PROJECT}?a=b`;
    fake.failNext(`GET /projects/${PROJECT}`, { status: 308, headers: { location } });
    const { stderr } = await workshop.run(upload);
    expect(stderr).toContain('the server redirects to https://elsewhere.example/builds; use that address (308');
  });

  it.each([404, 405, 501])(
    'with the status %d and without a code asks for the address of the server',
    async (status) => {
      fake.failNext(`GET /projects/${PROJECT}`, { status, body: '<html>' });
      const { code, stderr } = await workshop.run(upload);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr:
          `taxiway: the server rejected the request (${status}, request req-1)\n` +
          `taxiway: No Taxiway server responds at ${fake.url}. Check the address.\n`,
      });
    },
  );

  it('of a proxy says nothing about the address', async () => {
    fake.failNext(`GET /projects/${PROJECT}`, { status: 403, body: '<html>' });
    expect((await workshop.run(upload)).stderr).toBe('taxiway: the server rejected the request (403, request req-1)\n');
  });

  it('of another path of the server asks for its address', async () => {
    const body = { error: 'not_found', message: 'Not found', details: {} };
    fake.failNext('GET /organizations', { status: 404, body });
    expect((await workshop.run(['builds'])).stderr).toBe(
      'taxiway: Not found (404 not_found, request req-1)\n' +
        `taxiway: No Taxiway server responds at ${fake.url}. Check the address.\n`,
    );
  });

  it('of a server without https suggests its address with http, and is not retried', async () => {
    const { code, stderr, pauses } = await workshop.run(upload, {
      env: { TAXIWAY_URL: fake.url.replace('http:', 'https:'), TAXIWAY_TOKEN: TOKEN },
    });
    expect({ code, stderr, pauses }).toEqual({
      code: 1,
      stderr:
        `taxiway: cannot reach ${fake.url.replace('http:', 'https:')}: the response isn't TLS\n` +
        `taxiway: If the server doesn't use https, use ${fake.url}\n`,
      pauses: [],
    });
  });

  it('of a server that closes the connection suggests its address with https at the end', async () => {
    fake.failNext(`GET /projects/${PROJECT}`, 'break', 'break', 'break', 'break', 'break');
    const { code, stderr, pauses } = await workshop.run(upload);
    expect({ code, pauses }).toEqual({ code: 1, pauses: [1000, 2000, 4000, 8000] });
    const suggestion = `taxiway: If the server uses https, use ${fake.url.replace('http:', 'https:')}\n`;
    expect(stderr.endsWith(suggestion), stderr).toBe(true);
    expect(stderr.split('If the server')).toHaveLength(2);
  });

  it('of a port that clients refuse is explained, and not retried', async () => {
    const env = { TAXIWAY_URL: 'http://127.0.0.1:6000', TAXIWAY_TOKEN: TOKEN };
    const { code, stderr, pauses } = await workshop.run(['builds'], { env });
    expect({ code, stderr, pauses }).toEqual({
      code: 1,
      stderr:
        "taxiway: cannot reach http://127.0.0.1:6000: browsers and this client don't connect to port 6000, which belongs to another protocol\n",
      pauses: [],
    });
  });

  it('of another server than Taxiway is recognized', async () => {
    fake.failNext(`GET /projects/${PROJECT}`, { status: 200, body: '<html>' });
    expect((await workshop.run(upload)).stderr).toContain('Is it a Taxiway server?');
  });

  it('about an invalid token explains how to sign in', async () => {
    fake.tokens.clear();
    const { code, stderr } = await workshop.run(upload);
    expect(code).toBe(1);
    expect(stderr).toContain('Sign in first (401 unauthorized, request req-401)');
    expect(stderr).toContain('TAXIWAY_TOKEN');
  });
});
