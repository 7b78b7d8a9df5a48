// Completing uploads: the created build, rejected packages, failures and concurrent calls.

import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StorageError } from '../../src/core/storage.ts';
import { releases } from '../../src/data/tables/tables.ts';
import { inspectorOf } from '../../src/inspection/run.ts';
import { buildZip } from '../inspection/build-zip.ts';
import { buildApk, buildIpa, readApiDemos, sha256 } from '../support/fixtures.ts';
import { auditMark, auditRows, expectInvalid, expectRefusal, type Json, outboxRows } from '../support/harness.ts';
import {
  type Build,
  type BuildScenario,
  complete,
  initiate,
  makeChannel,
  sendBytes,
  startBuildScenario,
  uploadAnswer,
  uploadBuild,
} from './scenario.ts';

const LIMIT = 64 * 1024;
let scenario: BuildScenario;

beforeAll(async () => {
  scenario = await startBuildScenario({ config: { limits: { build_size_bytes: LIMIT } } });
});
afterAll(() => scenario?.fixture.stop());

describe('completing an upload', () => {
  it('creates a build of an Android package', async () => {
    const { fixture, ci, android } = scenario;
    const before = auditMark(fixture);
    const bytes = buildApk({ packageName: 'com.example.sample', minSdk: 26 });
    const build = await uploadBuild(ci, android, bytes, {
      version_name: '4.0',
      build_number: 40,
      original_filename: 'app-release.apk',
      release_notes: 'First\nSecond',
    });
    expect(build).toEqual({
      identifier: expect.any(String),
      ...android,
      platform: 'android',
      version_name: '4.0',
      build_number: 40,
      display_build_number: '40',
      sha256: sha256(bytes),
      size_bytes: bytes.length,
      uploaded_at: expect.stringMatching(/Z$/),
      bundle_identifier: 'com.example.sample',
      original_filename: 'app-release.apk',
      release_notes: 'First\nSecond',
      min_os_version: '26',
      has_icon: true,
      icon_url: `${fixture.config.server.base_url}/api/v1/builds/${build.identifier}/icon`,
      inspection_status: 'ok',
      inspection: { bundle_identifier: 'com.example.sample', build_number: '45' },
      installability: {
        status: 'installable',
        reason: 'installable',
        profile_expires_at: null,
        needed_system: 'Android 8.0',
        newest_system: null,
      },
      revoked_at: null,
      pinned_at: null,
      uploaded_by_developer_id: null,
      uploaded_by: { kind: 'project_access_token', name: 'fixture', avatar_url: null },
      source: null,
      labels: [],
    });
    expect(auditRows(fixture, { after: before })).toEqual([
      expect.objectContaining({
        event: 'created',
        type: 'build',
        identifier: build.identifier,
        actorKind: 'project_access_token',
        organizationId: android.organization_id,
        details: { version_name: '4.0', build_number: 40, size_bytes: bytes.length },
      }),
      expect.objectContaining({ event: 'edited', type: 'project', identifier: android.project_id }),
    ]);
    expect(outboxRows(fixture, 'build.uploaded').at(-1)).toMatchObject({
      projectId: android.project_id,
      data: { build_id: build.identifier },
    });
  });

  it('creates a build of a real package of many megabytes', async () => {
    await using other = await startBuildScenario();
    const build = await uploadBuild(other.ci, other.android, readApiDemos());
    expect(build).toMatchObject({
      bundle_identifier: 'io.appium.android.apis',
      inspection_status: 'ok',
      has_icon: true,
      size_bytes: readApiDemos().length,
    });
  });

  it('creates a build of an iOS package with the developer who uploaded it', async () => {
    const { admin, adminId, ios } = scenario;
    const build = await uploadBuild(admin, ios, buildIpa({ minOs: '16.4' }), {
      bundle_identifier: 'com.example.other',
    });
    expect(build).toMatchObject({
      platform: 'ios',
      bundle_identifier: 'com.example.other',
      min_os_version: '16.4',
      uploaded_by_developer_id: adminId,
    });
  });

  it('keeps an unreadable package and reports it', async () => {
    const { ci, android } = scenario;
    const build = await uploadBuild(ci, android, Buffer.from('no archive at all'));
    expect(build).toMatchObject({
      inspection_status: 'unreadable',
      has_icon: false,
      icon_url: null,
      min_os_version: null,
    });
  });

  it('returns the same build for the same checksum in any letter case, and rejects another', async () => {
    const { fixture, ci, android } = scenario;
    const bytes = buildApk();
    const pending = await initiate(ci, android);
    await sendBytes(pending, bytes);
    const first = await complete(ci, android, pending.pending_upload_id, sha256(bytes).toUpperCase());
    expect(first.body.sha256).toBe(sha256(bytes).toUpperCase());
    const before = auditMark(fixture);
    const second = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
    expect([second.status, second.body]).toEqual([201, first.body]);
    const other = await complete(ci, android, pending.pending_upload_id, 'f'.repeat(64));
    expectRefusal(other, 400, 'operation_not_allowed');
    expect(auditRows(fixture, { after: before })).toEqual([]);
  });

  it('inspects once for simultaneous requests', async () => {
    const { fixture, ci, android } = scenario;
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    const inspect = vi.spyOn(inspectorOf(fixture.app), 'inspect');
    onTestFinished(() => inspect.mockRestore());
    await Promise.all(Array.from({ length: 50 }, () => complete(ci, android, pending.pending_upload_id)));
    expect(inspect).toHaveBeenCalledTimes(1);
  });

  it('creates one build for simultaneous requests', async () => {
    const { fixture, ci, android } = scenario;
    const before = auditMark(fixture);
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => complete(ci, android, pending.pending_upload_id)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ body }) => body.identifier)).size).toBe(1);
    expect(auditRows(fixture, { after: before })).toHaveLength(1);
  });

  it('keeps the inspected bytes: the upload URL no longer changes them', async () => {
    const { ci, android } = scenario;
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    expect((await complete(ci, android, pending.pending_upload_id)).status).toBe(201);
    expect(await sendBytes(pending, Buffer.from('something else'))).toBe(409);
  });

  it('uses the last of several PUTs', async () => {
    const { ci, android } = scenario;
    const bytes = buildApk({ packageName: 'com.example.last' });
    const pending = await initiate(ci, android);
    for (const sent of [Buffer.from('first'), buildApk(), bytes]) expect(await sendBytes(pending, sent)).toBe(201);
    const { body } = await complete(ci, android, pending.pending_upload_id);
    expect(body).toMatchObject({ bundle_identifier: 'com.example.last', size_bytes: bytes.length });
  });

  it('is rejected before any bytes have arrived, and works afterwards', async () => {
    const { ci, android } = scenario;
    const pending = await initiate(ci, android);
    expectRefusal(await complete(ci, android, pending.pending_upload_id), 400, 'operation_not_allowed');
    await sendBytes(pending, buildApk());
    expect((await complete(ci, android, pending.pending_upload_id)).status).toBe(201);
  });

  it('rejects a package that is too large, deletes its bytes, and keeps the version reserved', async () => {
    const { fixture, ci, android } = scenario;
    const identity = { version_name: 'large', build_number: 1 };
    const pending = await initiate(ci, android, identity);
    const key = `pending/${pending.pending_upload_id}`;
    expect(await sendBytes(pending, Buffer.alloc(LIMIT + 1))).toBe(201);
    expect(await fixture.app.storage.head(key)).toMatchObject({ size: LIMIT + 1 });
    const answer = await complete(ci, android, pending.pending_upload_id);
    expectRefusal(answer, 413, 'payload_too_large');
    expect(await fixture.app.storage.head(key)).toBeUndefined();
    expectRefusal(await ci.post('/api/v1/builds/initiate', identity, { ...android }), 409, 'already_exists');
    // Exactly the limit is not too large, and the URL still serves.
    expect(await sendBytes(pending, Buffer.alloc(LIMIT))).toBe(201);
    const { body } = await complete(ci, android, pending.pending_upload_id);
    expect(body).toMatchObject({ size_bytes: LIMIT, inspection_status: 'unreadable' });
  });

  it.each<[string, 'ios' | 'android', () => Buffer, RegExp]>([
    ['an Android package in an iOS project', 'ios', () => buildApk(), /Android package; the project is for iOS/],
    ['an iOS package in an Android project', 'android', () => buildIpa(), /iOS package; the project is for Android/],
    [
      'an Android App Bundle',
      'android',
      () =>
        buildZip([
          { name: 'BundleConfig.pb', data: Buffer.from('x') },
          { name: 'base/manifest/AndroidManifest.xml', data: Buffer.from('x') },
        ]),
      /\.aab/,
    ],
  ])('rejects %s and creates nothing', async (_name, platform, make, reason) => {
    const { fixture, admin } = scenario;
    const project = scenario[platform];
    const before = auditMark(fixture);
    const pending = await initiate(admin, project);
    await sendBytes(pending, make());
    const answer = await complete(admin, project, pending.pending_upload_id);
    expectRefusal(answer, 400, 'invalid_input');
    expect(answer.body.message).toMatch(reason);
    expect(auditRows(fixture, { after: before })).toEqual([]);
    // The right package can follow over the same URL.
    expect(await sendBytes(pending, platform === 'ios' ? buildIpa() : buildApk())).toBe(201);
    expect((await complete(admin, project, pending.pending_upload_id)).status).toBe(201);
  });

  it.each<[string, unknown, string]>([
    ['no checksum', {}, 'body.sha256: missing'],
    ['a number', { sha256: 5 }, 'body.sha256: string_type'],
    ['too few digits', { sha256: 'a'.repeat(63) }, 'body.sha256: string_pattern_mismatch'],
    ['other letters', { sha256: 'g'.repeat(64) }, 'body.sha256: string_pattern_mismatch'],
  ])('rejects %s', async (_name, body, expected) => {
    const { ci, android } = scenario;
    const { pending_upload_id } = await initiate(ci, android);
    expectInvalid(await ci.post(`/api/v1/builds/${pending_upload_id}/complete`, body, { ...android }), expected);
  });

  it('finds uploads of its own project only', async () => {
    const { fixture, admin, android, ios } = scenario;
    const pending = await initiate(admin, android);
    expectRefusal(await complete(admin, ios, pending.pending_upload_id), 404, 'not_found');
    expectRefusal(await complete(admin, android, fixture.app.ids.next()), 404, 'not_found');
    expectInvalid(await complete(admin, android, 'nonsense'), 'path.pending_upload_id: uuid_parsing');
  });

  it('returns 503 while the storage is unavailable, and works afterwards', async () => {
    const { fixture, ci, android } = scenario;
    const { storage } = fixture.app;
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    for (const call of ['head', 'read', 'move', 'put'] as const) {
      const whole = storage[call];
      Object.assign(storage, { [call]: () => Promise.reject(new StorageError('unavailable', 'out of order')) });
      const answer = await complete(ci, android, pending.pending_upload_id);
      Object.assign(storage, { [call]: whole });
      expectRefusal(answer, 503, 'storage_backend_unavailable');
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    expect((await complete(ci, android, pending.pending_upload_id)).status).toBe(201);
  });

  it('inspects again if the bytes are replaced during the inspection', async () => {
    const { fixture, ci, android } = scenario;
    const { storage } = fixture.app;
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk({ packageName: 'com.example.before' }));
    const { move } = storage;
    storage.move = async (from, to, condition) => {
      storage.move = move;
      await sendBytes(pending, buildApk({ packageName: 'com.example.after' }));
      return move(from, to, condition);
    };
    const { body } = await complete(ci, android, pending.pending_upload_id);
    expect(body.bundle_identifier).toBe('com.example.after');
  });

  it('finds bytes that a simultaneous request moves', async () => {
    const { fixture, ci, android } = scenario;
    const { storage } = fixture.app;
    const pending = await initiate(ci, android);
    const { pending_upload_id: id } = pending;
    await sendBytes(pending, buildApk());
    const { head } = storage;
    storage.head = async (key) => {
      if (key.startsWith('pending/')) {
        storage.head = head;
        await storage.move(key, `builds/${id}/package.apk`);
      }
      return head(key);
    };
    expect((await complete(ci, android, id)).status).toBe(201);
  });

  it('succeeds when it is repeated after a crash behind the move', async () => {
    const { fixture, ci, android } = scenario;
    const bytes = buildApk();
    const pending = await initiate(ci, android);
    await sendBytes(pending, bytes);
    const { pending_upload_id: id } = pending;
    await fixture.app.storage.move(`pending/${id}`, `builds/${id}/package.apk`);
    const { status, body } = await complete(ci, android, id);
    expect([status, body.size_bytes, body.inspection_status]).toEqual([201, bytes.length, 'ok']);
  });

  it('returns the automatic releases, also when repeated, but no later ones', async () => {
    await using other = await startBuildScenario();
    const { ci, android, fixture } = other;
    const nightly = await makeChannel(ci, android, { auto_distribute: true });
    const edge = await makeChannel(ci, android, { auto_distribute: true });
    const beta = await makeChannel(ci, android);
    const bytes = buildApk();
    const pending = await initiate(ci, android, { release_notes: 'Faster' });
    await sendBytes(pending, bytes);
    const first = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
    expect(first.body.released_to).toEqual([
      { channel_id: nightly, release_id: expect.any(String) },
      { channel_id: edge, release_id: expect.any(String) },
    ]);
    const body = { build_id: first.body.identifier };
    // In the same millisecond.
    expect(fixture.clock.now().toISOString()).toBe(first.body.uploaded_at);
    expect((await ci.post('/api/v1/releases', body, { ...android, channel_id: beta })).status).toBe(201);
    const second = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
    expect(second.body).toEqual(first.body);
    const read = await ci.get<Build>(`/api/v1/builds/${first.body.identifier}`);
    expect(read.body).not.toHaveProperty('released_to');
    const list = await ci.get<{ items: object[] }>('/api/v1/releases', { ...android, channel_id: edge });
    expect(list.body.items).toMatchObject([
      { released_by: { kind: 'system', name: null }, promoted_from: null, mandatory: false, release_notes: null },
    ]);
  });

  it.each<[string, 'ios' | 'android', () => Buffer, string]>([
    [
      'for the simulator',
      'ios',
      () => buildIpa({ info: { CFBundleSupportedPlatforms: ['iPhoneSimulator'] } }),
      'simulator',
    ],
    [
      'whose profile has expired',
      'ios',
      () => buildIpa({ profile: { ExpirationDate: new Date('2016-12-07T00:00:00Z') } }),
      'profile_expired',
    ],
    ['without a profile', 'ios', () => buildIpa({ profile: null }), 'unsigned'],
    ['that is unreadable', 'ios', () => Buffer.from('no archive'), 'unreadable'],
  ])('does not release a build %s automatically, and returns the reason', async (_name, platform, make, reason) => {
    const { fixture, admin } = scenario;
    const project = scenario[platform];
    await makeChannel(admin, project, { auto_distribute: true });
    const before = auditMark(fixture);
    const build = await uploadAnswer(admin, project, make());
    expect(build).toMatchObject({ released_to: [], installability: { status: 'uninstallable', reason } });
    expect(auditRows(fixture, { after: before }).filter(({ type }) => type === 'release')).toEqual([]);
    // A person who means it can.
    const channel_id = await makeChannel(admin, project);
    const released = await admin.post('/api/v1/releases', { build_id: build.identifier }, { ...project, channel_id });
    expect(released.status).toBe(201);
  });

  it('releases to the channels with auto_distribute in the same transaction', async () => {
    const { fixture, admin, ci, android } = scenario;
    const channelId = await makeChannel(ci, android, { auto_distribute: true });
    await makeChannel(ci, android);
    const before = auditMark(fixture);
    const build = await uploadBuild(ci, android, buildApk());
    const rows = fixture.app.db.select().from(releases).all();
    expect(rows.filter((row) => row.buildId === build.identifier)).toEqual([
      expect.objectContaining({ channelId, state: 'active' }),
    ]);
    expect(auditRows(fixture, { after: before }).map(({ type, event }) => `${type} ${event}`)).toEqual([
      'build created',
      'release created',
    ]);
    expect((await admin.delete(`/api/v1/builds/${build.identifier}`)).status).toBe(204);
    const left = fixture.app.db.select().from(releases).all();
    expect(left.filter((row) => row.buildId === build.identifier)).toEqual([]);
  });
});

it('returns the same build everywhere', async () => {
  const { ci, android } = scenario;
  const build = await uploadBuild(ci, android, buildApk());
  expect((await ci.get<Build>(`/api/v1/builds/${build.identifier}`)).body).toEqual(build);
  const { body } = await ci.get<{ items: Build[] }>('/api/v1/builds', { ...android, limit: 1 });
  expect(body.items).toEqual([build]);
});

describe('the bundle identifier of a project', () => {
  const identifierOf = async ({ admin, android }: BuildScenario) =>
    (await admin.get<Json>(`/api/v1/projects/${android.project_id}`)).body.bundle_identifier;

  it('comes from its first build, and stays when another app is uploaded', async () => {
    await using other = await startBuildScenario();
    const { fixture, ci, android } = other;
    await uploadBuild(ci, android, Buffer.from('no archive'), { bundle_identifier: 'com.example.stated' });
    expect(await identifierOf(other)).toBeNull();
    const before = auditMark(fixture);
    await uploadBuild(ci, android, buildApk({ packageName: 'com.example.first' }));
    expect(await identifierOf(other)).toBe('com.example.first');
    expect(auditRows(fixture, { after: before }).at(-1)).toMatchObject({
      type: 'project',
      event: 'edited',
      identifier: android.project_id,
      actorKind: 'project_access_token',
      details: { changed: { bundle_identifier: { from: null, to: 'com.example.first' } } },
    });
    const slipped = await uploadBuild(ci, android, buildApk({ packageName: 'com.example.second' }));
    expect(await identifierOf(other)).toBe('com.example.first');
    const { body } = await ci.get<Json>(`/api/v1/builds/${slipped.identifier}/inspection`);
    expect(body.mismatches).toContainEqual({
      field: 'project_bundle_identifier',
      declared: 'com.example.first',
      found: 'com.example.second',
    });
  });

  it('stays if it was set before', async () => {
    await using other = await startBuildScenario();
    const { admin, ci, android } = other;
    const change = { bundle_identifier: 'com.example.given' };
    expect((await admin.patch(`/api/v1/projects/${android.project_id}`, change)).status).toBe(200);
    await uploadBuild(ci, android, buildApk());
    expect(await identifierOf(other)).toBe('com.example.given');
  });
});

describe('the next build number', () => {
  const read = (client: BuildScenario['ci'], { android }: BuildScenario) =>
    client.get<Json>('/api/v1/builds/next-number', { ...android });

  it('is above the highest of builds and pending uploads of all versions', async () => {
    await using other = await startBuildScenario();
    const { ci, android } = other;
    expect((await read(ci, other)).body).toEqual({ build_number: 1 });
    await uploadBuild(ci, android, buildApk(), { version_name: '2.0', build_number: 40 });
    await uploadBuild(ci, android, buildApk(), { version_name: '1.0', build_number: 7 });
    expect((await read(ci, other)).body).toEqual({ build_number: 41 });
    await initiate(ci, android, { build_number: 99 });
    expect((await read(ci, other)).body).toEqual({ build_number: 100 });
    await initiate(ci, android, { build_number: Number.MAX_SAFE_INTEGER });
    expectRefusal(await read(ci, other), 400, 'operation_not_allowed');
  });
});

it('a conflict names the build that has the version', async () => {
  const { ci, android } = scenario;
  const identity = { version_name: 'claimed', build_number: 77 };
  const build = await uploadBuild(ci, android, buildApk(), identity);
  const answer = await ci.post('/api/v1/builds/initiate', identity, { ...android });
  expectRefusal(answer, 409, 'already_exists');
  expect(answer.body.details).toEqual({ claimed_by: 'build', build_id: build.identifier });
});
