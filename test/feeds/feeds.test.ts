// Feeds of channels: F-Droid repositories, Obtainium, AltStore and Atom, public and with a token.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { developers, downloads, feedStates, feedTokens, organizations } from '../../src/data/tables/tables.ts';
import { createIdentity } from '../inspection/build-signature.ts';
import { expectNothing, type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import { buildApk, buildIpa, sha256 } from '../support/fixtures.ts';
import { ABSENT, auditMark, auditRows, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson, type Person } from '../support/people.ts';
import { readSignedJar } from './jar.ts';

const identity = createIdentity('Feeds');
const permissions = ['android.permission.CAMERA', 'android.permission.INTERNET'];
const apk = (versionCode: number, versionName: string) =>
  buildApk({ versionCode, versionName, signers: [identity], permissions, label: 'Harbor & Co' });
const first = apk(45, '1.2.3');
const second = apk(46, '1.3.0');

let scenario: InstallScenario;
let channelId: string;
let privateId: string;
let builds: string[];
let releases: string[];
beforeAll(async () => {
  scenario = await startInstallScenario();
  const { android } = scenario;
  channelId = await scenario.addChannel(android, { name: 'Beta', description: 'For <everyone>' });
  privateId = await scenario.addChannel(android, { name: 'Nightly', public: false });
  const one = await scenario.addBuild(android, first, { version_name: '1.2.3', build_number: 45 });
  const two = await scenario.addBuild(android, second, { version_name: '1.3.0', build_number: 46 });
  builds = [one.identifier, two.identifier];
  const notes = { release_notes: 'Faster\nwith "quotes" & <tags>' };
  releases = [
    await scenario.addRelease(android, channelId, one.identifier),
    await scenario.addRelease(android, channelId, two.identifier, notes),
  ];
  await scenario.addRelease(android, privateId, two.identifier);
});
afterAll(() => scenario?.fixture.stop());

const open = (path: string, init: RequestInit = {}) => scenario.follow(`${scenario.base}/feeds/${path}`, init);
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const countDownloads = () => scenario.fixture.app.db.select().from(downloads).all().length;

interface NewToken {
  identifier: string;
  token: string;
  feeds: Record<string, string | null>;
}

async function addMember(role: 'read' | 'read_download' = 'read_download'): Promise<Person> {
  const { organization_id: organizationId, project_id: projectId } = scenario.android;
  return addPerson(scenario.fixture, {
    organizations: { [organizationId]: 'member' },
    projects: { [projectId]: role },
  });
}

const createToken = (person: Pick<Person, 'client'>, id = privateId, body: Json = {}) =>
  person.client.post<NewToken>(`/api/v1/channels/${id}/feed-tokens`, body);

describe('the F-Droid repository of a public channel', () => {
  it('is signed with a key of the organization, whose fingerprint is in its link', async () => {
    const admin = await scenario.staff();
    const { body } = await admin.get<{ fingerprint: string; public: Record<string, string> }>(
      `/api/v1/channels/${channelId}/feeds`,
    );
    const repository = `${scenario.base}/feeds/${channelId}/fdroid/repo`;
    expect(body).toEqual({
      channel_id: channelId,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      public: {
        atom_url: `${scenario.base}/feeds/${channelId}/atom.xml`,
        fdroid_url: repository,
        fdroid_link: `${repository.replace('https', 'fdroidrepos')}?fingerprint=${body.fingerprint}`,
        obtainium_url: `${scenario.base}/feeds/${channelId}/obtainium`,
        obtainium_link: expect.stringMatching(/^obtainium:\/\/app\/%7B/),
        latest_apk_url: `${scenario.base}/feeds/${channelId}/latest.apk`,
        altstore_url: null,
      },
    });
    for (const [jar, file] of [
      ['entry.jar', 'entry.json'],
      ['index-v1.jar', 'index-v1.json'],
    ] as const) {
      const answer = await open(`${channelId}/fdroid/repo/${jar}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/java-archive']);
      const signed = await readSignedJar(await bytesOf(answer), file);
      expect(signed.fingerprint).toBe(body.fingerprint);
      expect(signed.content).toEqual(await bytesOf(await open(`${channelId}/fdroid/repo/${file}`)));
    }
  });

  it('has the icon of each of its builds, for clients without an index', async () => {
    const icon = await open(`${channelId}/icons/${builds[1]}.png`);
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
    const known = { headers: { 'if-none-match': icon.headers.get('etag') ?? '' } };
    expect((await open(`${channelId}/icons/${builds[1]}.png`, known)).status).toBe(304);
    expect((await open(`${channelId}/icons/${ABSENT}.png`)).status).toBe(404);
  });

  it('names the index with its hash, and in it each package with its facts', async () => {
    const entry = JSON.parse(String(await bytesOf(await open(`${channelId}/fdroid/repo/entry.json`))));
    const bytes = await bytesOf(await open(`${channelId}/fdroid/repo/index-v2.json`));
    expect(entry).toEqual({
      timestamp: expect.any(Number),
      version: 20002,
      index: { name: '/index-v2.json', sha256: sha256(bytes), size: bytes.length, numPackages: 1 },
      diffs: {},
    });
    const index = JSON.parse(String(bytes));
    expect(index.repo).toMatchObject({
      name: { 'en-US': expect.stringMatching(/ · Beta$/) },
      description: { 'en-US': 'For <everyone>' },
      address: `${scenario.base}/feeds/${channelId}/fdroid/repo`,
      timestamp: entry.timestamp,
    });
    const { metadata, versions } = index.packages['com.example.sample'];
    expect(metadata.name).toEqual({ 'en-US': 'Harbor & Co' });
    expect(Object.keys(versions)).toEqual([sha256(second)]);
    expect(versions[sha256(second)]).toEqual({
      added: expect.any(Number),
      file: { name: `/${builds[1]}.apk`, sha256: sha256(second), size: second.length },
      manifest: {
        versionName: '1.3.0',
        versionCode: 46,
        usesSdk: { minSdkVersion: 26, targetSdkVersion: 35 },
        signer: { sha256: [metadata.preferredSigner] },
        usesPermission: permissions.map((name) => ({ name })),
      },
      whatsNew: { 'en-US': 'Faster\nwith "quotes" & <tags>' },
    });
    const icon = metadata.icon['en-US'];
    const image = await bytesOf(await open(`${channelId}/fdroid/repo${icon.name}`));
    expect([sha256(image), image.length]).toEqual([icon.sha256, icon.size]);
  });

  it('has the same in index v1', async () => {
    const index = JSON.parse(String(await bytesOf(await open(`${channelId}/fdroid/repo/index-v1.json`))));
    expect(index.apps).toMatchObject([
      { packageName: 'com.example.sample', name: 'Harbor & Co', suggestedVersionCode: '46' },
    ]);
    expect(index.packages['com.example.sample']).toMatchObject([
      {
        apkName: `${builds[1]}.apk`,
        hash: sha256(second),
        hashType: 'sha256',
        versionCode: 46,
        versionName: '1.3.0',
        minSdkVersion: 26,
        targetSdkVersion: 35,
        size: second.length,
        signer: expect.stringMatching(/^[0-9a-f]{64}$/),
        'uses-permission': permissions.map((name) => [name, null]),
      },
    ]);
  });

  it('leads to the package it lists and to no earlier one, and counts each download', async () => {
    const before = countDownloads();
    const link = `${scenario.base}/feeds/${channelId}/fdroid/repo`;
    expect(await scenario.digest(`${link}/${builds[1]}.apk`)).toBe(sha256(second));
    expect(countDownloads()).toBe(before + 1);
    for (const file of [
      `${builds[0]}.apk`,
      `${ABSENT}.apk`,
      `${builds[0]}.ipa`,
      'index.jar',
      '__proto__',
      'constructor',
    ]) {
      expect([file, (await open(`${channelId}/fdroid/repo/${file}`)).status]).toEqual([file, 404]);
    }
  });

  it('answers a known ETag with 304, and HEAD with the length', async () => {
    const address = `${channelId}/fdroid/repo/index-v1.jar`;
    const full = await open(address);
    const etag = full.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect(full.headers.get('cache-control')).toBe('public, max-age=60');
    const known = await open(address, { headers: { 'if-none-match': etag } });
    expect([known.status, known.headers.get('etag'), (await bytesOf(known)).length]).toEqual([304, etag, 0]);
    const head = await open(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
    expect(Number(head.headers.get('content-length'))).toBe((await bytesOf(full)).length);
  });

  it('follows a rollback with a later index, whose newest version is the current release', async () => {
    const { android } = scenario;
    const id = await scenario.addChannel(android);
    for (const build of builds) await scenario.addRelease(android, id, build);
    const read = async () => {
      const index = JSON.parse(String(await bytesOf(await open(`${id}/fdroid/repo/index-v2.json`))));
      const versions: { manifest: { versionCode: number } }[] = Object.values(
        index.packages['com.example.sample'].versions,
      );
      return { timestamp: index.repo.timestamp, codes: versions.map(({ manifest }) => manifest.versionCode) };
    };
    const before = await read();
    expect(before.codes).toEqual([46]);
    await (await scenario.staff()).post('/api/v1/releases/rollback', {}, { ...android, channel_id: id });
    const after = await read();
    expect(after.codes).toEqual([45]);
    expect(after.timestamp).toBeGreaterThan(before.timestamp);
    expect((await open(`${id}/fdroid/repo/${builds[1]}.apk`)).status).toBe(404);
    // Released again, the older build is current: no client may prefer the newer one.
    await scenario.addRelease(android, id, builds[1] ?? '');
    await scenario.addRelease(android, id, builds[0] ?? '');
    expect((await read()).codes).toEqual([45]);
  });

  it('keeps its time and its ETag while nothing changes', async () => {
    const { db } = scenario.fixture.app;
    const read = async () => (await open(`${channelId}/fdroid/repo/entry.jar`)).headers.get('etag');
    const state = () => db.select().from(feedStates).where(eq(feedStates.channelId, channelId)).get();
    const before = [await read(), state()];
    scenario.fixture.clock.advance(60_000);
    expect([await read(), state()]).toEqual(before);
  });
});

describe('the newest package', () => {
  it('has a stable address with ETag, size and version, which only counts downloads', async () => {
    const before = countDownloads();
    const head = await open(`${channelId}/latest.apk`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(Object.fromEntries(head.headers)).toMatchObject({
      etag: `"${sha256(second)}"`,
      'content-length': String(second.length),
      'content-disposition': 'attachment; filename="Fixture-Android-1.3.0-46.apk"',
    });
    const known = await open(`${channelId}/latest.apk`, { headers: { 'if-none-match': `"${sha256(second)}"` } });
    expect(known.status).toBe(304);
    expect(countDownloads()).toBe(before);
    const outdated = await open(`${channelId}/latest.apk`, { headers: { 'if-none-match': `"${sha256(first)}"` } });
    expect([outdated.status, outdated.headers.get('etag')]).toEqual([302, `"${sha256(second)}"`]);
    // curl --remote-header-name takes the name of the first response, and reads no other form of it.
    expect(outdated.headers.get('content-disposition')).toBe(head.headers.get('content-disposition'));
    expect(await scenario.digest(`${scenario.base}/feeds/${channelId}/latest.apk`)).toBe(sha256(second));
    expect(countDownloads()).toBe(before + 2);
    const latest = await (await open(`${channelId}/latest.json`)).json();
    expect(latest).toMatchObject({ version_name: '1.3.0', version_code: 46, sha256: sha256(second) });
  });

  it('is the only link of the page for Obtainium, with the version in it', async () => {
    const page = await (await open(`${channelId}/obtainium`)).text();
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
    expect(links).toEqual([`${scenario.base}/feeds/${channelId}/packages/${builds[1]}.apk?version=1.3.0&build=46`]);
    expect(/version=([^&]+)/.exec(links[0] ?? '')?.[1]).toBe('1.3.0');
    expect(await scenario.digest(links[0] ?? '')).toBe(sha256(second));
    const admin = await scenario.staff();
    const { body } = await admin.get<{ public: { obtainium_link: string } }>(`/api/v1/channels/${channelId}/feeds`);
    const app = JSON.parse(decodeURIComponent(body.public.obtainium_link.slice('obtainium://app/'.length)));
    expect(app).toMatchObject({
      id: 'com.example.sample',
      url: `${scenario.base}/feeds/${channelId}/obtainium`,
      overrideSource: 'HTML',
    });
    expect(JSON.parse(app.additionalSettings)).toMatchObject({ versionExtractionRegEx: 'version=([^&]+)' });
  });
});

describe('the Atom feed', () => {
  it('has an entry for the current release, with escaped notes', async () => {
    const answer = await open(`${channelId}/atom.xml`);
    expect(answer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const text = await answer.text();
    expect([...text.matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id)).toEqual(
      [channelId, releases[1]].map((id) => `urn:uuid:${id}`),
    );
    expect(text).toContain('<title>Harbor &amp; Co 1.3.0 (46)</title>');
    expect(text).toContain('<content type="text">Faster\nwith &quot;quotes&quot; &amp; &lt;tags&gt;</content>');
    expect(text).toContain(
      `<link rel="alternate" type="text/html" href="${scenario.base}/install/channels/${channelId}"/>`,
    );
    const etag = answer.headers.get('etag') ?? '';
    expect((await open(`${channelId}/atom.xml`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });
});

describe('the AltStore source of an iOS channel', () => {
  it('lists the versions of the app with size, hash and permissions', async () => {
    const ipa = buildIpa({
      name: 'Harbor',
      info: { NSCameraUsageDescription: 'To scan codes.', NSFaceIDUsageDescription: '' },
    });
    const { channelId: id, build } = await scenario.publish(scenario.ios, ipa, { version_name: '4.5.6' });
    const answer = await open(`${id}/altstore.json`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    const source = (await answer.json()) as { apps: { versions: { downloadURL: string }[] }[]; sourceURL: string };
    expect(source).toMatchObject({
      sourceURL: `${scenario.base}/feeds/${id}/altstore.json`,
      news: [],
      apps: [
        {
          name: 'Harbor',
          bundleIdentifier: 'com.example.sample',
          versions: [
            {
              size: ipa.length,
              sha256: sha256(ipa),
              downloadURL: `${scenario.base}/feeds/${id}/packages/${build.identifier}.ipa`,
            },
          ],
          appPermissions: { entitlements: expect.any(Array), privacy: { NSCameraUsageDescription: 'To scan codes.' } },
        },
      ],
    });
    expect(await scenario.digest(source.apps[0]?.versions[0]?.downloadURL ?? '')).toBe(sha256(ipa));
    for (const path of ['latest.apk', 'latest.json', 'obtainium', 'fdroid/repo/entry.jar']) {
      expect([path, (await open(`${id}/${path}`)).status]).toEqual([path, 404]);
    }
    expect((await open(`${channelId}/altstore.json`)).status).toBe(404);
    const admin = await scenario.staff();
    const { body } = await admin.get<{ public: Json }>(`/api/v1/channels/${id}/feeds`);
    expect(body).toMatchObject({ fingerprint: null, public: { fdroid_url: null, altstore_url: source.sourceURL } });
  });
});

describe('a private channel', () => {
  it('has no feed at its id, like a missing one', async () => {
    for (const id of [privateId, ABSENT, 'nothing', `svc_feed_${'x'.repeat(43)}`, 'x'.repeat(500)]) {
      for (const path of ['atom.xml', 'latest.apk', 'fdroid/repo/entry.jar', `packages/${builds[1]}.apk`]) {
        expectNothing(await scenario.anyone.get(`/feeds/${id}/${path}`));
      }
    }
  });

  it('has feeds for the token of a person, which is stored as a hash and counts each release once', async () => {
    const person = await addMember();
    const mark = auditMark(scenario.fixture);
    const { status, body } = await createToken(person, privateId, { note: 'Pixel' });
    expect(status).toBe(201);
    expect(body.token).toMatch(/^svc_feed_[\w-]{43}$/);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      { event: 'created', type: 'feed_token', identifier: body.identifier, details: { channel_id: privateId } },
    ]);
    const rows = JSON.stringify(scenario.fixture.app.db.select().from(feedTokens).all());
    expect([rows.includes(body.token), rows.includes(sha256(body.token))]).toEqual([false, true]);
    expect(body.feeds.fdroid_url).toBe(`${scenario.base}/feeds/${body.token}/fdroid/repo`);
    expect(JSON.stringify(auditRows(scenario.fixture))).not.toContain(body.token);

    const answer = await open(`${body.token}/fdroid/repo/entry.jar`);
    await readSignedJar(await bytesOf(answer), 'entry.json');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    });
    const index = JSON.parse(String(await bytesOf(await open(`${body.token}/fdroid/repo/index-v2.json`))));
    expect(index.repo.address).toBe(body.feeds.fdroid_url);
    const before = countDownloads();
    for (const path of ['fdroid/repo', 'fdroid/repo', 'packages']) {
      expect(await scenario.digest(`${scenario.base}/feeds/${body.token}/${path}/${builds[1]}.apk`)).toBe(
        sha256(second),
      );
    }
    expect(countDownloads()).toBe(before + 1);
    const [last] = scenario.fixture.app.db.select().from(downloads).where(eq(downloads.developerId, person.id)).all();
    expect(last).toMatchObject({ channelId: privateId, buildId: builds[1] });
    // Only what is on its channel.
    expect((await open(`${body.token}/packages/${builds[0]}.apk`)).status).toBe(404);

    const list = await person.client.get(`/api/v1/channels/${privateId}/feed-tokens`);
    expect(list.body.items).toEqual([
      { identifier: body.identifier, channel_id: privateId, note: 'Pixel', created_at: expect.any(String) },
    ]);
  });

  it('is not created in a locked organization, but can be revoked there', async () => {
    const { organization_id: organizationId } = scenario.android;
    const person = await addMember();
    const { body } = await createToken(person);
    const setLock = (lockReason: 'suspended' | null) =>
      scenario.fixture.app.db
        .update(organizations)
        .set({ lockReason })
        .where(eq(organizations.id, organizationId))
        .run();
    setLock('suspended');
    onTestFinished(() => void setLock(null));
    const mark = auditMark(scenario.fixture);
    expect(expectRefusal(await createToken(person), 402, 'billing_suspended')).toEqual({ lock_reason: 'suspended' });
    expect(auditRows(scenario.fixture, { after: mark })).toEqual([]);
    expect((await person.client.delete(`/api/v1/feed-tokens/${body.identifier}`)).status).toBe(204);
  });

  it('refuses a revoked token, and nobody revokes that of another person', async () => {
    const person = await addMember();
    const { body } = await createToken(person);
    expect((await open(`${body.token}/atom.xml`)).status).toBe(200);
    const other = await addMember();
    expectNothing(await other.client.delete(`/api/v1/feed-tokens/${body.identifier}`));
    expect((await other.client.get(`/api/v1/channels/${privateId}/feed-tokens`)).body.items).toEqual([]);
    const mark = auditMark(scenario.fixture);
    expect((await person.client.delete(`/api/v1/feed-tokens/${body.identifier}`)).status).toBe(204);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([{ event: 'revoked', type: 'feed_token' }]);
    expectNothing(await scenario.anyone.get(`/feeds/${body.token}/atom.xml`));
    expectNothing(await scenario.anyone.get(`/feeds/${body.token}/packages/${builds[1]}.apk`));
    expectNothing(await person.client.delete(`/api/v1/feed-tokens/${body.identifier}`));
  });

  it('refuses a token whose owner lost access or is locked', async () => {
    const { organization_id: organizationId } = scenario.android;
    const person = await addMember();
    const { body } = await createToken(person);
    const isOpen = async () => (await open(`${body.token}/fdroid/repo/index-v2.json`)).status;
    expect(await isOpen()).toBe(200);
    const { db } = scenario.fixture.app;
    const lock = (lockedAt: number | null) =>
      db.update(developers).set({ lockedAt }).where(eq(developers.id, person.id)).run();
    lock(1);
    expect(await isOpen()).toBe(404);
    lock(null);
    expect(await isOpen()).toBe(200);
    const admin = await scenario.staff();
    const removed = await admin.delete(`/api/v1/organizations/${organizationId}/members/${person.id}`);
    expect(removed.status, removed.text).toBe(204);
    expect(await isOpen()).toBe(404);
  });

  it('refuses a token whose owner lacks the second factor that the organization requires, or a verified address', async () => {
    const { organization_id: organizationId } = scenario.android;
    const person = await addMember();
    const { body } = await createToken(person);
    const pat = { name: 'feeds', scopes: 1 };
    const inOrganization = { organization_id: organizationId };
    const personal = await person.client.post<{ token: string }>('/api/v1/pats', pat, inOrganization);
    expect(personal.status, personal.text).toBe(201);
    const asToken = person.client.as(personal.body.token);
    const { db } = scenario.fixture.app;
    const organization = (values: Partial<typeof organizations.$inferInsert>) =>
      db.update(organizations).set(values).where(eq(organizations.id, organizationId)).run();
    const account = (values: Partial<typeof developers.$inferInsert>) =>
      db.update(developers).set(values).where(eq(developers.id, person.id)).run();
    // A feed token and a personal access token of the same person end and return together.
    const states = async () => [
      (await open(`${body.token}/atom.xml`)).status,
      (await open(`${body.token}/fdroid/repo/entry.jar`)).status,
      (await asToken.get(`/api/v1/channels/${privateId}`)).status,
    ];
    expect(await states()).toEqual([200, 200, 200]);
    organization({ mfaRequiredAt: 1, mfaGracePeriodDays: 0, mfaPasskeySatisfies: false });
    expect(await states()).toEqual([404, 404, 403]);
    account({ totpEnabledAt: 1 });
    expect(await states()).toEqual([200, 200, 200]);
    account({ totpEnabledAt: null, passkeyCount: 1 });
    expect(await states()).toEqual([404, 404, 403]);
    organization({ mfaPasskeySatisfies: true });
    expect(await states()).toEqual([200, 200, 200]);
    account({ passkeyCount: 0 });
    // During the grace period nothing ends.
    organization({ mfaRequiredAt: scenario.fixture.clock.now().getTime(), mfaGracePeriodDays: 14 });
    expect(await states()).toEqual([200, 200, 200]);
    organization({ mfaRequiredAt: null });
    account({ emailVerifiedAt: null });
    expect((await open(`${body.token}/atom.xml`)).status).toBe(404);
  });

  it('gives tokens only to people who may install from it, and at most 10 to each', async () => {
    const reader = await addMember('read');
    const stranger = await addPerson(scenario.fixture);
    for (const { client } of [reader, stranger]) {
      expectNothing(await createToken({ client }));
      expectNothing(await client.get(`/api/v1/channels/${privateId}/feeds`));
    }
    const person = await addMember();
    const feeds = await person.client.get(`/api/v1/channels/${privateId}/feeds`);
    expect(feeds.body).toMatchObject({ public: null, fingerprint: expect.any(String) });
    for (let count = 0; count < 10; count += 1) expect((await createToken(person)).status).toBe(201);
    expect(expectRefusal(await createToken(person), 400, 'quota_exceeded')).toEqual({ limit: 10 });
    expectRefusal(await createToken(person, privateId, { note: 'x'.repeat(101) }), 400, 'validation_error');
  });
});

describe('feeds', () => {
  it('serve no packages while the organization is locked', async () => {
    const { db } = scenario.fixture.app;
    const lock = (lockReason: 'suspended' | 'awaiting_payment' | null) =>
      db.update(organizations).set({ lockReason }).where(eq(organizations.id, scenario.android.organization_id)).run();
    const before = countDownloads();
    for (const path of ['latest.apk', `packages/${builds[1]}.apk`, `fdroid/repo/${builds[1]}.apk`]) {
      lock('awaiting_payment');
      expectRefusal(await scenario.anyone.get(`/feeds/${channelId}/${path}`), 402, 'payment_required');
      lock(null);
      expect((await open(`${channelId}/${path}`, { method: 'HEAD' })).status).toBeLessThan(400);
    }
    expect(countDownloads()).toBe(before);
  });

  it('end with their channel, and when it becomes private', async () => {
    const { android } = scenario;
    const id = await scenario.addChannel(android);
    await scenario.addRelease(android, id, builds[1] ?? '');
    const person = await addMember();
    const { body } = await createToken(person, id);
    const paths = [id, body.token].map((key) => `${key}/fdroid/repo/entry.jar`);
    const statuses = () => Promise.all(paths.map(async (path) => (await open(path)).status));
    expect(await statuses()).toEqual([200, 200]);
    const admin = await scenario.staff();
    await admin.patch(`/api/v1/channels/${id}`, { public: false });
    expect(await statuses()).toEqual([404, 200]);
    expect((await admin.delete(`/api/v1/channels/${id}`, { force: true })).status).toBe(204);
    expect(await statuses()).toEqual([404, 404]);
  });

  it('of a channel without releases are empty', async () => {
    const id = await scenario.addChannel(scenario.android);
    const index = JSON.parse(String(await bytesOf(await open(`${id}/fdroid/repo/index-v2.json`))));
    expect(index.packages).toEqual({});
    expect((await open(`${id}/latest.apk`)).status).toBe(404);
    expect(await (await open(`${id}/atom.xml`)).text()).not.toContain('<entry>');
  });
});
