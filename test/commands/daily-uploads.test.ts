// taxiway upload in CI: automatic releases, repeated runs, dotted build numbers, other apps, builds that nobody can install.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuildScenario, makeChannel, type Project, startBuildScenario } from '../builds/scenario.ts';
import { buildApk, buildIpa, sampleDevices } from '../support/fixtures.ts';
import { api, type Client, type Json } from '../support/harness.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

let scenario: BuildScenario;
let workshop: Workshop;
beforeAll(async () => {
  scenario = await startBuildScenario();
  workshop = openWorkshop({ TAXIWAY_URL: scenario.fixture.url });
});
afterAll(async () => {
  await scenario?.fixture.stop();
  workshop?.[Symbol.dispose]();
});

interface Line {
  project: Project;
  token: string;
  client: Client;
  run(words: string[], more?: Parameters<Workshop['run']>[1]): ReturnType<Workshop['run']>;
}

let projects = 0;

/** A project of its own with a token, and the command line that uses it. */
async function openLine(platform: 'ios' | 'android', role = 'maintainer'): Promise<Line> {
  const { organization_id } = scenario.ios;
  projects += 1;
  const made = await scenario.admin.post(
    '/api/v1/projects',
    { name: `App ${projects}`, platform },
    { organization_id },
  );
  const project = { organization_id, project_id: String(made.body.identifier) };
  const secret = await scenario.admin.post('/api/v1/project-access-tokens', { name: 'ci', role }, { ...project });
  const token = String(secret.body.token);
  const env = { TAXIWAY_URL: scenario.fixture.url, TAXIWAY_TOKEN: token };
  return {
    project,
    token,
    client: api(scenario.fixture, token),
    run: (words, more) => workshop.run(words, { env, ...more }),
  };
}

function put(name: string, bytes: Buffer): string {
  writeFileSync(join(workshop.folder, name), bytes);
  return name;
}

const buildsOf = async ({ client, project }: Line) =>
  (await client.get<{ items: Json[] }>('/api/v1/builds', { ...project, status: 'all' })).body.items;
const releasesOf = async ({ client, project }: Line, channel_id: string) =>
  (await client.get<{ items: Json[] }>('/api/v1/releases', { ...project, channel_id })).body.items;

describe('a channel with automatic releases', () => {
  it('is printed with an upload-only token, with notes, and again when the step is repeated', async () => {
    const line = await openLine('android', 'read_download_upload');
    const nightly = await makeChannel(scenario.admin, line.project, { name: 'nightly', auto_distribute: true });
    const words = ['upload', put('app.apk', buildApk()), '--channel', 'nightly', '--notes', 'Faster'];
    const { code, stdout, stderr } = await line.run(words);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('released  automatically to nightly\n');
    expect(stdout).toMatch(/^release {3}\S+ \(active, current\)\nchannel {3}nightly$/m);
    expect(stderr).not.toContain('not released');
    expect(await line.run(words)).toMatchObject({ code: 0 });
    expect(await releasesOf(line, nightly)).toHaveLength(1);

    const bare = await line.run(['upload', put('next.apk', buildApk({ versionCode: 46 })), '--json']);
    expect(JSON.parse(bare.stdout)).toMatchObject({ build: { released_to: [{ channel_id: nightly }] }, release: null });
  });

  it('gets an older build again with the recommended command, and releases it once', async () => {
    const line = await openLine('android');
    const nightly = await makeChannel(scenario.admin, line.project, { name: 'nightly', auto_distribute: true });
    const words = ['upload', put('first.apk', buildApk()), '--channel', 'nightly'];
    const next = ['upload', put('next.apk', buildApk({ versionCode: 46 })), '--channel', 'nightly'];
    for (const step of [words, next]) expect((await line.run(step)).code).toBe(0);
    const [, command = ''] = (await line.run(words)).stderr.match(/again: taxiway (release .*)\n/) ?? [];
    for (const _ of [1, 2]) {
      const { code, stdout } = await line.run(command.split(' '));
      expect(code).toBe(0);
      expect(stdout).toMatch(/^release {3}\S+ \(active, current\)$/m);
    }
    const releases = await releasesOf(line, nightly);
    expect(releases.map(({ build }) => (build as Json).build_number)).toEqual([45, 46, 45]);
  });

  it('is not mandatory with a token that lacks the role, which is printed', async () => {
    const line = await openLine('android', 'read_download_upload');
    await makeChannel(scenario.admin, line.project, { name: 'nightly', auto_distribute: true });
    const words = ['upload', put('app.apk', buildApk()), '--channel', 'nightly', '--mandatory'];
    const { code, stderr } = await line.run(words);
    expect(code).toBe(1);
    expect(stderr).toContain("taxiway: The build is released to nightly, but isn't mandatory.\n");
  });
});

describe('the build number of an iPhone app', () => {
  it.each([
    ['1.0', 1_000_000],
    ['1.2.3', 1_002_003],
    ['305', 305],
  ])('%s is displayed unchanged, and is %d in the API', async (build, number) => {
    const line = await openLine('ios');
    const { code, stdout, stderr } = await line.run(['upload', put('app.ipa', buildIpa({ build }))]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`1.2.3 (${build}), `) });
    expect(stderr).not.toMatch(/warning/i);
    expect(stdout).toContain(`version   1.2.3 (${build})\n`);
    expect(await buildsOf(line)).toMatchObject([{ build_number: number, display_build_number: build }]);
    const listed = await line.run(['builds']);
    expect(listed.stdout).toContain(`1.2.3 (${build})`);
  });

  it('is the next available one for any other text, and the same package is found by its bytes', async () => {
    const line = await openLine('ios');
    const first = put('first.ipa', buildIpa({ build: '7' }));
    const second = put('second.ipa', buildIpa({ build: '1.2.3.4' }));
    expect((await line.run(['upload', first])).code).toBe(0);
    expect((await line.run(['upload', second])).stdout).toContain('version   1.2.3 (1.2.3.4)\n');
    expect((await line.run(['upload', second])).stderr).toContain('second.ipa is already on the server as build ');
    expect((await buildsOf(line)).map(({ build_number: number }) => number)).toEqual([8, 7]);
  });
});

describe('the same upload twice', () => {
  it('finds the build, and releases it once if requested', async () => {
    const line = await openLine('android');
    const beta = await makeChannel(scenario.admin, line.project, { name: 'beta', public: true });
    const bytes = buildApk();
    const file = put('app.apk', bytes);
    expect((await line.run(['upload', file])).code).toBe(0);
    const [build] = await buildsOf(line);
    for (const _ of [1, 2]) {
      const { code, stdout } = await line.run(['upload', file, '--channel', 'beta']);
      expect(code).toBe(0);
      expect(stdout).toContain(`build     ${build?.identifier}\n`);
      expect(stdout).toContain(`/install/channels/${beta}\n`);
    }
    expect(await buildsOf(line)).toHaveLength(1);
    expect(await releasesOf(line, beta)).toHaveLength(1);
  });

  it('reports that another build is live by now', async () => {
    const line = await openLine('android');
    const beta = await makeChannel(scenario.admin, line.project, { name: 'beta' });
    const words = ['upload', put('first.apk', buildApk()), '--channel', 'beta'];
    const next = ['upload', put('next.apk', buildApk({ versionCode: 46 })), '--channel', 'beta'];
    for (const step of [words, next]) expect((await line.run(step)).stderr).not.toContain('newer release');
    const first = (await buildsOf(line)).at(-1);
    const { code, stdout, stderr } = await line.run(words);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^release {3}\S+ \(active\)$/m);
    expect(stderr).toContain(
      `beta has a newer release. To release this build again: taxiway release ${first?.identifier} --channel ${beta}\n`,
    );
    expect(await releasesOf(line, beta)).toHaveLength(2);
  });

  it('rejects another package of the same version, unless the next number is allowed', async () => {
    const line = await openLine('android');
    const file = put('app.apk', buildApk());
    const other = put('other.apk', buildApk({ label: 'Other' }));
    expect((await line.run(['upload', file])).code).toBe(0);
    const [first] = await buildsOf(line);
    const refused = await line.run(['upload', other]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('(409 already_exists, request ');
    expect(refused.stderr).toContain(`Build ${first?.identifier} is another package (SHA-256 ${first?.sha256})`);
    expect(refused.stderr).toContain('--next-build-number');
    for (const _ of [1, 2]) expect((await line.run(['upload', other, '--next-build-number'])).code).toBe(0);
    expect((await buildsOf(line)).map(({ build_number: number }) => number)).toEqual([46, 45]);
  });

  it('works after the first one was interrupted', async () => {
    const line = await openLine('android');
    const file = put('app.apk', buildApk());
    // The connection fails until the command gives up.
    const { storage } = scenario.fixture.app;
    const { signPut } = storage;
    storage.signPut = async (link) => ({ ...(await signPut.call(storage, link)), url: 'http://127.0.0.1:9/' });
    const first = await line.run(['upload', file]);
    storage.signPut = signPut;
    expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('the upload failed: ') });
    const second = await line.run(['upload', file]);
    expect({ code: second.code, stderr: second.stderr }).toMatchObject({ code: 0 });
    expect(await buildsOf(line)).toHaveLength(1);
  });

  it('finds and rejects builds that are older than the compared ones', async () => {
    const line = await openLine('android');
    const beta = await makeChannel(scenario.admin, line.project, { name: 'beta' });
    const words = ['upload', put('app.apk', buildApk()), '--channel', 'beta'];
    const next = ['upload', put('next.apk', buildApk({ versionCode: 46 })), '--channel', 'beta'];
    for (const step of [words, next]) expect((await line.run(step)).code).toBe(0);
    const [newer] = await buildsOf(line);
    const none = { status: 200, headers: { 'content-type': 'application/json' } };
    const { fetch: send } = globalThis;
    const isList = (target: unknown) => target instanceof URL && target.pathname === '/api/v1/builds';
    globalThis.fetch = async (target, options) =>
      isList(target) ? new Response('{"items":[],"next_cursor":null}', none) : send(target, options);
    try {
      const again = await line.run(words);
      expect(again.code, again.stderr).toBe(0);
      expect(again.stderr).toContain('app.apk is already on the server as build ');
      expect(again.stderr).toContain('beta has a newer release. To release this build again: ');
      const other = await line.run(['upload', put('other.apk', buildApk({ label: 'Other' }))]);
      expect(other.code).toBe(1);
      expect(other.stderr).toContain('(409 already_exists, request ');
      expect(other.stderr).toContain(' is another package (SHA-256 ');
      expect((await line.client.post(`/api/v1/builds/${newer?.identifier}/revoke`)).status).toBe(200);
      expect((await line.run(next)).stderr).toContain('which was revoked\n');
    } finally {
      globalThis.fetch = send;
    }
    expect(await releasesOf(line, beta)).toHaveLength(2);
    expect(await buildsOf(line)).toHaveLength(2);
  });

  it('rejects a package of a revoked build', async () => {
    const line = await openLine('android');
    const file = put('app.apk', buildApk());
    expect((await line.run(['upload', file])).code).toBe(0);
    const [build] = await buildsOf(line);
    expect((await line.client.post(`/api/v1/builds/${build?.identifier}/revoke`)).status).toBe(200);
    const { code, stderr } = await line.run(['upload', file]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('which was revoked\n') });
  });
});

describe('another app', () => {
  it('is rejected before the upload, unless it is allowed', async () => {
    const line = await openLine('android');
    expect((await line.run(['upload', put('app.apk', buildApk({ packageName: 'com.example.one' }))])).code).toBe(0);
    const file = put('other.apk', buildApk({ packageName: 'com.example.two', versionCode: 46 }));
    const refused = await line.run(['upload', file]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^taxiway: other\.apk is com\.example\.two, but the app of App \d+ is com\.example\.one\.\ntaxiway: Choose another project, or add --allow-other-identifier/,
    );
    expect(await buildsOf(line)).toHaveLength(1);
    // A stated identifier does not disguise the package.
    expect((await line.run(['upload', file, '--bundle-identifier', 'com.example.one'])).code).toBe(1);
    expect((await line.run(['upload', file, '--allow-other-identifier'])).code).toBe(0);
  });
});

describe('the status of a build', () => {
  const expired = () => buildIpa({ build: '9', profile: { ExpirationDate: new Date('2016-12-07T00:00:00Z') } });

  it('shows how many devices can install it', async () => {
    const line = await openLine('ios');
    for (const udid of [sampleDevices[0], '00000000-00000000000000FF']) {
      const { organization_id } = line.project;
      const answer = await scenario.admin.post('/api/v1/devices', { udid, name: 'Phone' }, { organization_id });
      expect(answer.status, answer.text).toBe(201);
    }
    const { stdout } = await line.run(['upload', put('app.ipa', buildIpa())]);
    expect(stdout).toContain('status    Installs on 1 of 2 devices\n');
    expect((await line.run(['builds'])).stdout).toMatch(/ {2}Installs on 1 of 2 devices\n$/);
  });

  it('warns about a profile that expires soon, and about a replaced versionCode', async () => {
    const line = await openLine('ios');
    const now = () => Date.parse('2045-12-25T00:00:00Z');
    const soon = await line.run(['upload', put('app.ipa', buildIpa())], { now });
    expect(soon.stderr).toContain(
      'Warning: the profile expires on Jan 1, 2046; after that the app neither installs nor opens.\n',
    );
    const android = await openLine('android');
    const { stderr } = await android.run(['upload', put('app.apk', buildApk()), '--build-number', '46']);
    expect(stderr).toContain('Warning: the versionCode of the package is 45; phones use it for updates, not 46.\n');
  });

  it('shows the system that an .apk requires', async () => {
    const line = await openLine('android');
    const { stdout } = await line.run(['upload', put('app.apk', buildApk({ minSdk: 26 }))]);
    expect(stdout).toContain('status    Installs on Android 8.0 and later\n');
  });

  it('shows the newer system that the signature of an .apk requires, without a warning', async () => {
    const line = await openLine('android');
    // Its only signature is of a scheme that systems from Android 7 on know.
    const { stdout, stderr } = await line.run(['upload', put('app.apk', buildApk({ minSdk: 21 }))]);
    expect(stderr).not.toMatch(/Warning|sign/);
    expect(stdout).toContain('status    Installs on Android 7.0 and later\n');
  });

  it('shows that nobody can install it, and does not release it without --yes', async () => {
    const line = await openLine('ios');
    const beta = await makeChannel(scenario.admin, line.project, { name: 'beta' });
    const file = put('expired.ipa', expired());
    const refused = await line.run(['upload', file, '--channel', 'beta']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'taxiway: Nobody can install this: the profile expired on Dec 7, 2016. Add --yes to release it to beta anyway.\n',
    );
    const [build] = await buildsOf(line);
    expect(refused.stderr).toContain(
      `Build ${build?.identifier} was uploaded, but not released to beta.\n` +
        `taxiway: To release it: taxiway release ${build?.identifier} --channel ${beta} --yes\n`,
    );
    const words = ['release', String(build?.identifier), '--channel', 'beta'];
    expect((await line.run(words)).code).toBe(1);
    expect(await releasesOf(line, beta)).toEqual([]);
    const forced = await line.run([...words, '--yes']);
    expect(forced.code).toBe(0);
    expect(forced.stdout).toContain('status    Nobody can install this: the profile expired on Dec 7, 2016\n');
    expect(await releasesOf(line, beta)).toHaveLength(1);
  });

  it.each([
    ['y', 0],
    ['n', 1],
    ['', 1],
  ])('asks for confirmation on a terminal: %j', async (answer, expected) => {
    const line = await openLine('ios');
    await makeChannel(scenario.admin, line.project, { name: 'beta' });
    const simulator = buildIpa({ info: { CFBundleSupportedPlatforms: ['iPhoneSimulator'] } });
    const keyboard = new PassThrough();
    keyboard.write(`${answer}\n`);
    const { code, stderr } = await line.run(['upload', put('sim.ipa', simulator), '--channel', 'beta'], { keyboard });
    expect(stderr).toContain('For simulators only. Release it to beta anyway? [y/N] ');
    expect(code).toBe(expected);
  });
});
