// Installing without an account: public links, capabilities, their limits, and counting.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developers, organizations } from '../../src/data/tables/tables.ts';
import { mintCapability } from '../../src/install/capability.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { readFixture, readTruth } from '../inspection/read-truth.ts';
import { buildApk, buildDemoApk, buildIpa, buildPng, readApiDemos, sha256 } from '../support/fixtures.ts';
import { expectInvalid, type Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { expectNothing, type InstallScenario, type Published, readManifest, startInstallScenario } from './scenario.ts';

interface Link {
  capability: string;
  expires_at: string;
  install_url: string;
  download_url: string;
  manifest_url?: string;
  itms_url?: string;
}

let scenario: InstallScenario;
beforeAll(async () => {
  scenario = await startInstallScenario();
});
afterAll(() => scenario?.fixture.stop());

async function mintLink({ path }: Published): Promise<Link> {
  const answer = await scenario.anyone.post<Link>(`${path}/install-link`);
  expect(answer.status, answer.text).toBe(201);
  expect(answer.headers.get('set-cookie')).toBeNull();
  return answer.body;
}

const atCapability = ({ capability }: Link, rest = '') => `/public/v1/install/${capability}${rest}`;

describe('a public channel', () => {
  it('shows its current release, and links to it', async () => {
    const bytes = buildDemoApk();
    const { channelId, releaseId, build } = await scenario.publish(scenario.android, bytes, {
      version_name: '4.5',
      build_number: 4501,
      release_notes: 'Of the build',
    });
    const answer = await scenario.anyone.get(`/public/v1/channels/${channelId}`);
    expect(answer.status).toBe(200);
    const release = `${scenario.base}/public/v1/channels/${channelId}/releases/${releaseId}`;
    const page = `${scenario.base}/install/channels/${channelId}`;
    const icon = `${scenario.base}/public/v1/icons/${build.identifier}`;
    expect(answer.body).toEqual({
      identifier: channelId,
      name: expect.stringMatching(/^Channel \d+$/),
      description: null,
      project: { name: 'Fixture Android', platform: 'android', icon_url: icon },
      organization_name: 'Fixture Organization',
      install_page_url: page,
      releases: [
        {
          identifier: releaseId,
          platform: 'android',
          version_name: '4.5',
          build_number: 4501,
          display_build_number: '4501',
          size_bytes: bytes.length,
          min_os_version: build.min_os_version,
          release_notes: 'Of the build',
          mandatory: false,
          icon_url: icon,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          sha256: sha256(bytes),
          download_url: `${release}/download`,
          install_url: page,
        },
      ],
    });
  });
  it('shows that nothing is released', async () => {
    const channelId = await scenario.addChannel(scenario.ios, { description: 'Soon' });
    const answer = await scenario.anyone.get<{ releases: unknown[]; description: string; project: Json }>(
      `/public/v1/channels/${channelId}`,
    );
    expect(answer.body).toMatchObject({ description: 'Soon', releases: [] });
    expect(answer.body.project).toEqual({ name: 'Fixture iOS', platform: 'ios', icon_url: null });
  });
  it('prefers the notes of the release to those of the build', async () => {
    const channelId = await scenario.addChannel(scenario.android);
    const { identifier } = await scenario.addBuild(scenario.android, buildApk(), { release_notes: 'Of the build' });
    await scenario.addRelease(scenario.android, channelId, identifier, {
      release_notes: 'Of the release',
      mandatory: true,
    });
    expect((await scenario.anyone.get(`/public/v1/channels/${channelId}`)).body.releases).toMatchObject([
      { release_notes: 'Of the release', mandatory: true },
    ]);
  });
  it('rejects an invalid id', async () => {
    expectInvalid(await scenario.anyone.get('/public/v1/channels/nightly'), 'path.channel_id: uuid_parsing');
  });
});

describe('a resource that is not public', () => {
  it('returns the same as an unknown one to everyone', async () => {
    const hidden = await scenario.publish(scenario.android, buildApk());
    await (await scenario.staff()).patch(`/api/v1/channels/${hidden.channelId}`, { public: false });
    const absent = scenario.fixture.app.ids.next();
    const [staff, { ci, anyone }] = [await scenario.staff(), scenario];
    for (const client of [anyone, staff, ci]) {
      for (const channelId of [hidden.channelId, absent]) {
        const releases = `/public/v1/channels/${channelId}/releases/${hidden.releaseId}`;
        expectNothing(await client.get(`/public/v1/channels/${channelId}`));
        expectNothing(await client.get(`${releases}/download`));
        expectNothing(await client.get(`${releases}/manifest.plist`));
        expectNothing(await client.post(`${releases}/install-link`));
      }
      expectNothing(await client.get(`/public/v1/icons/${hidden.build.identifier}`));
    }
    expect(await scenario.analytics(hidden.channelId)).toMatchObject({ total_downloads: 0 });
  });
  it('is every release except the current one of its own channel', async () => {
    const first = await scenario.publish(scenario.android, buildApk());
    const other = await scenario.publish(scenario.android, buildApk());
    const build = await scenario.addBuild(scenario.android, buildApk());
    const currentId = await scenario.addRelease(scenario.android, first.channelId, build.identifier);
    const at = (releaseId: string) => `/public/v1/channels/${first.channelId}/releases/${releaseId}`;
    expect((await scenario.anyone.get(`${at(currentId)}/download`)).status).toBe(302);
    for (const releaseId of [first.releaseId, other.releaseId, scenario.fixture.app.ids.next()]) {
      expectNothing(await scenario.anyone.get(`${at(releaseId)}/download`));
      expectNothing(await scenario.anyone.post(`${at(releaseId)}/install-link`));
    }
    await (await scenario.staff()).post('/api/v1/releases/rollback', undefined, {
      ...scenario.android,
      channel_id: first.channelId,
    });
    expectNothing(await scenario.anyone.get(`${at(currentId)}/download`));
    expect((await scenario.anyone.get(`${at(first.releaseId)}/download`)).status).toBe(302);
    await (await scenario.staff()).post(`/api/v1/releases/${first.releaseId}/disable`);
    expectNothing(await scenario.anyone.get(`${at(first.releaseId)}/download`));
    expect((await scenario.anyone.get(`/public/v1/channels/${first.channelId}`)).body.releases).toEqual([]);
  });
  it('is a revoked build', async () => {
    const { path, build } = await scenario.publish(scenario.android, buildApk());
    await (await scenario.staff()).post(`/api/v1/builds/${build.identifier}/revoke`);
    expectNothing(await scenario.anyone.get(`${path}/download`));
    expectNothing(await scenario.anyone.get(`/public/v1/icons/${build.identifier}`));
  });
});

describe('a download with the public link', () => {
  it('redirects to the uploaded bytes, and counts each', async () => {
    const { channelId, path, digest } = await scenario.publish(scenario.android, readApiDemos());
    expect(await scenario.analytics(channelId)).toEqual({
      channel_id: channelId,
      distinct_builds: 0,
      total_downloads: 0,
      unique_testers: 0,
      first_downloaded_at: null,
      last_downloaded_at: null,
    });
    const before = scenario.fixture.clock.now().getTime();
    const answer = await scenario.follow(scenario.base + path.concat('/download'));
    expect(answer.status).toBe(302);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await scenario.digest(answer.headers.get('location') ?? '')).toBe(digest);
    scenario.fixture.clock.advance(MINUTE);
    expect(await scenario.digest(`${scenario.base}${path}/download`)).toBe(digest);
    const totals = await scenario.analytics(channelId);
    expect(totals).toMatchObject({ distinct_builds: 1, total_downloads: 2, unique_testers: 0 });
    const [first, last] = [totals.first_downloaded_at, totals.last_downloaded_at].map((at) => Date.parse(String(at)));
    expect(first).toBeGreaterThanOrEqual(before);
    expect(last).toBeGreaterThanOrEqual((first ?? 0) + MINUTE);
  });
  it('counts neither HEAD requests nor the ranges of one download', async () => {
    const { channelId, path, digest } = await scenario.publish(scenario.android, readApiDemos());
    const head = await scenario.follow(`${scenario.base}${path}/download`, { method: 'HEAD' });
    expect(head.status).toBe(302);
    expect(head.headers.get('location')).toContain('/storage/v1/');
    expect(await scenario.analytics(channelId)).toMatchObject({ total_downloads: 0 });

    const link = (await scenario.follow(`${scenario.base}${path}/download`)).headers.get('location') ?? '';
    const parts: Buffer[] = [];
    const size = Number((await scenario.follow(link, { method: 'HEAD' })).headers.get('content-length'));
    for (let from = 0; from < size; from += 1_000_000) {
      const part = await scenario.follow(link, { headers: { range: `bytes=${from}-${from + 999_999}` } });
      expect(part.status).toBe(206);
      parts.push(Buffer.from(await part.arrayBuffer()));
    }
    expect(sha256(Buffer.concat(parts))).toBe(digest);
    expect(await scenario.analytics(channelId)).toMatchObject({ total_downloads: 1 });
  });
  it('has a file name that cannot break the header', async () => {
    const version = '1.0"\u202e; filename="evil.sh é';
    const { path } = await scenario.publish(scenario.android, buildApk(), { version_name: version });
    const link = (await scenario.follow(`${scenario.base}${path}/download`)).headers.get('location') ?? '';
    const disposition = (await scenario.follow(link)).headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename="Fixture-Android-1\.0-filename-evil\.sh[^"]*\.apk"/);
    expect(disposition).not.toMatch(/[\p{Cc}\u202e]/u);
  });
  it('is rejected for an organization locked against downloads, and works for a suspended one', async () => {
    const { path } = await scenario.publish(scenario.android, buildApk());
    const { db } = scenario.fixture.app;
    const lock = (lockReason: 'suspended' | 'awaiting_payment' | 'grace' | null) =>
      db.update(organizations).set({ lockReason }).where(eq(organizations.id, scenario.android.organization_id)).run();
    const outcomes = [];
    for (const reason of ['suspended', 'awaiting_payment', 'grace', null] as const) {
      lock(reason);
      const answer = await scenario.anyone.get(`${path}/download`);
      const minted = await scenario.anyone.post(`${path}/install-link`);
      outcomes.push([reason, answer.status, minted.status, answer.body?.error, minted.body.error]);
    }
    expect(outcomes).toEqual([
      ['suspended', 302, 201, undefined, undefined],
      ['awaiting_payment', 402, 402, 'payment_required', 'payment_required'],
      ['grace', 402, 402, 'trial_ended', 'trial_ended'],
      [null, 302, 201, undefined, undefined],
    ]);
  });
});

describe('an install link', () => {
  it('returns the page, package and description of its release', async () => {
    const published = await scenario.publish(scenario.android, buildApk());
    const before = scenario.fixture.clock.now().getTime();
    const link = await mintLink(published);
    const { capability } = link;
    expect(link).toEqual({
      capability: expect.stringMatching(/^[\w.-]{100,160}$/),
      expires_at: expect.any(String),
      install_url: `${scenario.base}/install/${capability}`,
      download_url: `${scenario.base}/public/v1/install/${capability}/download`,
    });
    const lasts = Date.parse(link.expires_at) - before;
    expect(lasts).toBeGreaterThanOrEqual(15 * MINUTE);
    expect(lasts).toBeLessThan(15 * MINUTE + 10_000);
    const shown = await scenario.anyone.get(atCapability(link));
    expect(shown.status).toBe(200);
    expect(shown.body).toMatchObject({
      project: { name: 'Fixture Android', platform: 'android' },
      organization_name: 'Fixture Organization',
      release: {
        identifier: published.releaseId,
        sha256: published.digest,
        download_url: link.download_url,
        install_url: link.install_url,
      },
      expires_at: link.expires_at,
    });
    expect(await scenario.digest(link.download_url)).toBe(published.digest);
  });
  it('counts one download, regardless of the number of simultaneous requests', async () => {
    const published = await scenario.publish(scenario.android, buildApk());
    const [one, two] = [await mintLink(published), await mintLink(published)];
    await scenario.follow(one.download_url, { method: 'HEAD' });
    expect(await scenario.analytics(published.channelId)).toMatchObject({ total_downloads: 0 });
    for (let time = 0; time < 3; time += 1) expect(await scenario.digest(one.download_url)).toBe(published.digest);
    expect(await scenario.analytics(published.channelId)).toMatchObject({ total_downloads: 1, unique_testers: 0 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => scenario.follow(two.download_url)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(302));
    expect(await scenario.analytics(published.channelId)).toMatchObject({ total_downloads: 2, distinct_builds: 1 });
  });
  it('expires after 15 minutes', async () => {
    const link = await mintLink(await scenario.publish(scenario.ios, buildIpa()));
    scenario.fixture.clock.advance(15 * MINUTE - 10_000);
    expect((await scenario.anyone.get(atCapability(link, '/download'))).status).toBe(302);
    scenario.fixture.clock.advance(10_000);
    for (const rest of ['', '/download', '/manifest.plist']) {
      expectNothing(await scenario.anyone.get(atCapability(link, rest)));
    }
  });
  it('is invalid with an altered character', async () => {
    const link = await mintLink(await scenario.publish(scenario.ios, buildIpa()));
    const { capability } = link;
    for (let at = 0; at < capability.length; at += 7) {
      const altered = capability.slice(0, at) + (capability[at] === 'A' ? 'B' : 'A') + capability.slice(at + 1);
      for (const rest of ['', '/download', '/manifest.plist']) {
        expectNothing(await scenario.anyone.get(`/public/v1/install/${altered}${rest}`));
      }
    }
    for (const text of ['x', 'x'.repeat(5000), '%00', '%ff', '..%2f..']) {
      expectNothing(await scenario.anyone.get(`/public/v1/install/${text}/download`));
    }
  });
  it('outlives a newer release and a channel that becomes private', async () => {
    const published = await scenario.publish(scenario.ios, buildIpa());
    const link = await mintLink(published);
    const newer = await scenario.addBuild(scenario.ios, buildIpa({ version: '2.0' }));
    await scenario.addRelease(scenario.ios, published.channelId, newer.identifier);
    await (await scenario.staff()).patch(`/api/v1/channels/${published.channelId}`, { public: false });
    expect(await scenario.digest(link.download_url)).toBe(published.digest);
    expect((await scenario.anyone.get(atCapability(link, '/manifest.plist'))).status).toBe(200);
    expectNothing(await scenario.anyone.post(`${published.path}/install-link`));
  });
  it.each<[string, (published: Published) => Promise<unknown>]>([
    ['disabling', async ({ releaseId }) => (await scenario.staff()).post(`/api/v1/releases/${releaseId}/disable`)],
    ['deletion', async ({ releaseId }) => (await scenario.staff()).delete(`/api/v1/releases/${releaseId}`)],
    ['revocation', async ({ build }) => (await scenario.staff()).post(`/api/v1/builds/${build.identifier}/revoke`)],
  ])('expires with the %s of its release', async (_name, withdraw) => {
    const published = await scenario.publish(scenario.ios, buildIpa());
    const link = await mintLink(published);
    await withdraw(published);
    for (const rest of ['', '/download', '/manifest.plist']) {
      expectNothing(await scenario.anyone.get(atCapability(link, rest)));
    }
  });
  it('expires with the rollback of its release, not of another', async () => {
    const published = await scenario.publish(scenario.ios, buildIpa());
    const earlier = await mintLink(published);
    const newerId = await scenario.addRelease(scenario.ios, published.channelId, published.build.identifier);
    const newer = await mintLink({ ...published, path: published.path.replace(published.releaseId, newerId) });
    const channel = { ...scenario.ios, channel_id: published.channelId };
    expect((await (await scenario.staff()).post('/api/v1/releases/rollback', undefined, channel)).status).toBe(200);
    expectNothing(await scenario.anyone.get(atCapability(newer, '/download')));
    expect((await scenario.anyone.get(atCapability(earlier, '/download'))).status).toBe(302);
  });
  it('works again when its release is enabled again', async () => {
    const published = await scenario.publish(scenario.android, buildApk());
    const link = await mintLink(published);
    await (await scenario.staff()).post(`/api/v1/releases/${published.releaseId}/disable`);
    expectNothing(await scenario.anyone.get(atCapability(link)));
    await (await scenario.staff()).post(`/api/v1/releases/${published.releaseId}/enable`);
    expect((await scenario.anyone.get(atCapability(link))).status).toBe(200);
  });
  it('counts a tester if it was issued for one with account and access', async () => {
    const { channelId, releaseId } = await scenario.publish(scenario.android, buildApk());
    const { app } = scenario.fixture;
    const tester = await addPerson(scenario.fixture);
    const testers = `/api/v1/organizations/${scenario.fixture.organization_id}/testers`;
    const added = await (await scenario.staff()).post<{ identifier: string }>(testers, { email: tester.email });
    const grant = { channelId, releaseId, developerId: tester.id };
    const tokens = [1, 2, 3].map(() => mintCapability(app, grant).token);
    for (const token of tokens.slice(0, 2)) {
      expect((await scenario.anyone.get(`/public/v1/install/${token}/download`)).status).toBe(302);
    }
    expect(await scenario.analytics(channelId)).toMatchObject({ total_downloads: 2, unique_testers: 1 });
    const set = (lockedAt: number | null) =>
      app.db.update(developers).set({ lockedAt }).where(eq(developers.id, tester.id)).run();
    set(1);
    expectNothing(await scenario.anyone.get(`/public/v1/install/${tokens[2]}/download`));
    set(null);
    const stranger = mintCapability(app, { ...grant, developerId: app.ids.next() }).token;
    expectNothing(await scenario.anyone.get(`/public/v1/install/${stranger}/download`));
    await (await scenario.staff()).delete(`${testers}/${added.body.identifier}`);
    expectNothing(await scenario.anyone.get(`/public/v1/install/${tokens[2]}/download`));
    expect(await scenario.analytics(channelId)).toMatchObject({ total_downloads: 2, unique_testers: 1 });
  });
  it('is for its channel only', async () => {
    const [one, two] = [
      await scenario.publish(scenario.android, buildApk()),
      await scenario.publish(scenario.android, buildApk()),
    ];
    const grant = { channelId: one.channelId, releaseId: two.releaseId, developerId: null };
    expectNothing(await scenario.anyone.get(`/public/v1/install/${mintCapability(scenario.fixture.app, grant).token}`));
  });
});

describe('the manifest', () => {
  it('gives iOS links to package and icon without cookies, and counts once', async () => {
    const published = await scenario.publish(scenario.ios, buildIpa({ name: 'Harbour', version: '7.8' }));
    const { body } = await scenario.anyone.get<{ releases: { manifest_url: string }[] }>(
      `/public/v1/channels/${published.channelId}`,
    );
    const url = body.releases[0]?.manifest_url ?? '';
    expect(url).toBe(`${scenario.base}${published.path}/manifest.plist`);
    const answer = await scenario.follow(url);
    expect(answer.headers.get('content-type')).toBe('application/x-plist');
    const manifest = readManifest(await answer.text());
    expect(manifest.metadata).toEqual({
      'bundle-identifier': 'com.example.sample',
      'bundle-version': '7.8',
      kind: 'software',
      'platform-identifier': 'com.apple.platform.iphoneos',
      title: 'Harbour',
    });
    expect(manifest.package).toMatch(/^https:\/\/localhost:\d+\/public\/v1\/install\/[\w.-]+\/download$/);
    expect(await scenario.digest(manifest.package)).toBe(published.digest);
    expect(await scenario.digest(manifest.package)).toBe(published.digest);
    expect(await scenario.analytics(published.channelId)).toMatchObject({ total_downloads: 1, unique_testers: 0 });
    const icon = await scenario.follow(manifest.icon ?? '');
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
  });
  it('with a capability contains the same one', async () => {
    const link = await mintLink(await scenario.publish(scenario.ios, buildIpa()));
    expect(link.manifest_url).toBe(`${scenario.base}/public/v1/install/${link.capability}/manifest.plist`);
    const manifestPart = encodeURIComponent(link.manifest_url ?? '');
    expect(link.itms_url).toBe(`itms-services://?action=download-manifest&url=${manifestPart}`);
    expect(manifestPart).not.toMatch(/[^\w.%-]/);
    const manifest = readManifest((await scenario.anyone.get(atCapability(link, '/manifest.plist'))).text);
    expect(manifest.package).toBe(link.download_url);
    expect((await scenario.anyone.get(atCapability(link))).body).toMatchObject({
      itms_url: link.itms_url,
      release: { manifest_url: link.manifest_url },
    });
  });
  it('shows hostile names unchanged', async () => {
    const name = '</string><key>url</key><string>https://evil.test/&amp;"\'\u202e';
    const published = await scenario.publish(scenario.ios, buildIpa({ name, version: '1]]><!--&' }));
    const answer = await scenario.anyone.get(`${published.path}/manifest.plist`);
    const { metadata, package: link } = readManifest(answer.text);
    expect(metadata).toMatchObject({ 'bundle-version': '1]]><!--&', title: expect.stringContaining('<key>url</key>') });
    expect(link.startsWith(scenario.base)).toBe(true);
    expect(answer.text.match(/<key>url<\/key>/g)).toHaveLength(3);
  });
  it('does not exist for Android, and for a package with an unknown identifier', async () => {
    const android = await scenario.publish(scenario.android, buildApk());
    const unreadable = await scenario.publish(scenario.ios, Buffer.from('this is no archive'));
    // The project's first build has pinned it to its app.
    const staff = await scenario.staff();
    const project = `/api/v1/projects/${scenario.ios.project_id}`;
    expect((await staff.patch(project, { bundle_identifier: null })).status).toBe(200);
    for (const published of [android, unreadable]) {
      const link = await mintLink(published);
      expect(Object.keys(link).sort()).toEqual(['capability', 'download_url', 'expires_at', 'install_url']);
      expectNothing(await scenario.anyone.get(`${published.path}/manifest.plist`));
      expectNothing(await scenario.anyone.get(atCapability(link, '/manifest.plist')));
      expect((await scenario.anyone.get(atCapability(link))).body).not.toHaveProperty('itms_url');
    }
    const declared = await scenario.publish(scenario.ios, Buffer.from('this is no archive'), {
      bundle_identifier: 'com.example.declared',
    });
    const manifest = readManifest((await scenario.anyone.get(`${declared.path}/manifest.plist`)).text);
    expect(manifest.metadata).toMatchObject({ 'bundle-identifier': 'com.example.declared', title: 'Fixture iOS' });
    expect(manifest.icon).toBeUndefined();
  });
});

describe('an icon', () => {
  it('is returned while its build is public, or with a capability for it', async () => {
    const published = await scenario.publish(scenario.android, buildApk({ icon: buildPng(96, 96) }));
    const path = `/public/v1/icons/${published.build.identifier}`;
    const open = await scenario.follow(scenario.base + path);
    expect(open.status).toBe(200);
    expect(open.headers.get('content-type')).toBe('image/png');
    expect(open.headers.get('cache-control')).toBe('public, max-age=300');
    expect(open.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    const bytes = Buffer.from(await open.arrayBuffer());
    expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');

    const { capability } = await mintLink(published);
    const other = await mintLink(await scenario.publish(scenario.android, buildApk()));
    const newer = await scenario.addBuild(scenario.android, buildApk());
    await scenario.addRelease(scenario.android, published.channelId, newer.identifier);
    expectNothing(await scenario.anyone.get(path));
    expectNothing(await scenario.anyone.get(path, { capability: other.capability }));
    expectNothing(await scenario.anyone.get(path, { capability: `${capability}x` }));
    const proven = await scenario.follow(`${scenario.base}${path}?capability=${capability}`);
    expect(proven.status).toBe(200);
    expect(proven.headers.get('cache-control')).toBe('private, max-age=300');
    expect(Buffer.from(await proven.arrayBuffer())).toEqual(bytes);
  });
  it('is not found for a build without one, an unknown build, and one that is on no channel', async () => {
    const bare = await scenario.publish(scenario.android, Buffer.from('this is no archive'));
    const loose = await scenario.addBuild(scenario.android, buildApk());
    for (const id of [bare.build.identifier, loose.identifier, scenario.fixture.app.ids.next()]) {
      expectNothing(await scenario.anyone.get(`/public/v1/icons/${id}`));
    }
  });
});

describe('real packages', () => {
  const truths = readTruth('apk', 'ipa').filter(({ expect: verdict }) => verdict === 'accept');
  it.runIf(truths.length > 0)('arrive as uploaded, and iOS gets their identifier', async () => {
    for (const truth of truths) {
      const isIos = truth.platform === 'ios';
      const published = await scenario.publish(isIos ? scenario.ios : scenario.android, readFixture(truth.file));
      const link = await mintLink(published);
      expect((await scenario.digest(link.download_url)) === published.digest, truth.file).toBe(true);
      if (!isIos) continue;
      const { metadata, package: at } = readManifest(
        (await scenario.anyone.get(`${published.path}/manifest.plist`)).text,
      );
      expect(metadata['bundle-identifier'] === truth.bundle_id, truth.file).toBe(true);
      expect((await scenario.digest(at)) === published.digest, truth.file).toBe(true);
    }
  });
});
