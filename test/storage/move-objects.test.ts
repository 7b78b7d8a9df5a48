// Moving stored objects between backends while the server runs.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type MoveOptions, moveObjects } from '../../src/storage/move-objects.ts';
import { type Build, type BuildScenario, startBuildScenario, uploadAnswer } from '../builds/scenario.ts';
import { openWorkshop } from '../commands/test-host.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { buildApk, sha256 } from '../support/fixtures.ts';
import { ABSENT, auditMark, auditRows, expectRefusal } from '../support/harness.ts';
import { type Bucket, createBucket } from './s3/bucket.ts';
import { type FaultProxy, startFaultProxy } from './s3/proxy.ts';

const missing = whyNoCeph();
if (missing !== undefined) process.stdout.write(`moving objects skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('moving objects', () => {
  let ceph: Ceph;
  let proxy: FaultProxy;
  let bucket: Bucket;
  let scenario: BuildScenario;
  let build: Build;
  let bytes: Buffer;

  beforeAll(async () => {
    ceph = await startCeph();
    proxy = await startFaultProxy(ceph.url);
  });
  afterAll(async () => {
    await proxy?.stop();
    await ceph?.stop();
  });
  beforeEach(async () => {
    proxy.fault = undefined;
    bucket = await createBucket(ceph);
    const s3 = {
      endpoint: proxy.url,
      public_endpoint: ceph.url,
      bucket: bucket.name,
      prefix: 'some/folder',
      force_path_style: true,
      access_key_id: CEPH_KEYS.accessKeyId,
      secret_access_key: CEPH_KEYS.secretAccessKey,
    };
    scenario = await startBuildScenario({ config: { storage: { s3 } } });
    bytes = buildApk();
    build = await uploadAnswer(scenario.ci, scenario.android, bytes);
    await scenario.fixture.drain();
  });
  afterEach(async () => {
    proxy.fault = undefined;
    await scenario?.fixture.stop();
    bucket?.close();
  });

  const move = (to: MoveOptions['to'], more: Partial<MoveOptions> = {}) =>
    moveObjects(systemContext(scenario.fixture.app), { to, ...more });
  const keysIn = async (backend: 'local' | 's3') => {
    const storage = scenario.fixture.app.storage.attached.get(backend);
    return (await storage?.list('builds/', { limit: 100 }))?.items.map(({ key }) => key);
  };
  const linkOf = async ({ identifier }: Build) => {
    const answer = await scenario.ci.get(`/api/v1/builds/${identifier}/download`);
    expect(answer.status, answer.text).toBe(200);
    return String(answer.body.download_url ?? answer.body.url);
  };
  const fetchSha = async (url: string) => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    return { from: new URL(response.url).origin, sha256: sha256(Buffer.from(await response.arrayBuffer())) };
  };
  const counts = { there: 0, waiting: 0, inContainers: 0, deleted: 0, failed: 0, failures: [], uploads: 0 };

  it('there and back keeps every byte, and links that were signed before work', async () => {
    const { fixture } = scenario;
    const before = await linkOf(build);
    const mark = auditMark(fixture);
    const there = await move('s3');
    expect(there).toEqual({ ...counts, moved: there.moved, bytes: there.bytes });
    expect(there.moved).toBeGreaterThanOrEqual(2);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'storage_moved', type: 'storage', identifier: 's3', actorKind: 'system', details: { state: 'started' } },
      { event: 'storage_moved', details: { to: 's3', state: 'finished', moved: there.moved, bytes: there.bytes } },
    ]);
    const packageKeys = await keysIn('s3');
    expect(packageKeys).toEqual(await keysIn('local'));
    expect(await fetchSha(before)).toEqual({ from: new URL(ceph.url).origin, sha256: sha256(bytes) });
    expect(await fetchSha(await linkOf(build))).toEqual({ from: new URL(ceph.url).origin, sha256: sha256(bytes) });
    expect(await move('s3')).toEqual({ ...counts, moved: 0, bytes: 0, there: there.moved });
    expect(await move('local')).toEqual({ ...counts, moved: 0, bytes: 0, waiting: there.moved });

    fixture.clock.advance(21 * MINUTE);
    await fixture.drain();
    expect(await keysIn('local')).toEqual([]);
    expect(await fetchSha(await linkOf(build))).toMatchObject({ sha256: sha256(bytes) });
    expect(await move('local')).toEqual({ ...counts, moved: there.moved, bytes: there.bytes });
    expect(await fetchSha(await linkOf(build))).toEqual({
      from: new URL(fixture.config.server.base_url).origin,
      sha256: sha256(bytes),
    });
    fixture.clock.advance(21 * MINUTE);
    await fixture.drain();
    expect(await keysIn('s3')).toEqual([]);
    expect(await keysIn('local')).toEqual(packageKeys);
  });

  it('by the command shows a bar in a terminal, lines elsewhere, and a count at the end', async () => {
    const { fixture } = scenario;
    const { s3 } = fixture.config.storage;
    using workshop = openWorkshop({
      TAXIWAY_SERVER__DATA_DIR: fixture.config.server.data_dir,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_STORAGE__S3__ENDPOINT: s3.endpoint,
      TAXIWAY_STORAGE__S3__PUBLIC_ENDPOINT: s3.public_endpoint,
      TAXIWAY_STORAGE__S3__BUCKET: s3.bucket,
      TAXIWAY_STORAGE__S3__PREFIX: s3.prefix,
      TAXIWAY_STORAGE__S3__FORCE_PATH_STYLE: 'true',
      TAXIWAY_STORAGE__S3__ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
      TAXIWAY_STORAGE__S3__SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
    });
    const command = ['storage', 'move', '--to', 's3'];
    const first = await workshop.run(command, { isStderrTerminal: true });
    expect(first).toMatchObject({ code: 0, stdout: '2 objects (2.8 kB) moved to s3, 0 were there before\n' });
    const bar = `[${'#'.repeat(30)}]`;
    expect(first.stderr).toContain(`\r${bar} 2 of 2 objects, 2.8 kB moved\u001b[K\n`);
    let now = Date.now();
    const second = await workshop.run(command, { now: () => (now += 11_000) });
    expect(second).toMatchObject({ code: 0, stdout: '0 objects (0 bytes) moved to s3, 2 were there before\n' });
    expect(second.stderr).toBe(
      '1 of 2 objects, 0 bytes moved\n2 of 2 objects, 0 bytes moved\n' +
        'new objects are stored in "local" until storage.backend is "s3"\n',
    );
  });

  it('leaves an object where it is if its copy has other bytes', async () => {
    proxy.fault = ({ name }) => (name.startsWith('GET builds/') ? { kind: 'corrupt' } : undefined);
    const { failed, failures } = await move('s3');
    expect(failed).toBe(2);
    expect(failures).toContainEqual(
      expect.objectContaining({
        what: 'package',
        build: build.identifier,
        project: scenario.android.project_id,
        reason: 'its copy has other bytes',
      }),
    );
    expect(await fetchSha(await linkOf(build))).toEqual({
      from: new URL(scenario.fixture.config.server.base_url).origin,
      sha256: sha256(bytes),
    });
    proxy.fault = undefined;
    expect(await keysIn('s3')).toEqual([]);
    expect(await move('s3')).toMatchObject({ failed: 0 });
    expect(await fetchSha(await linkOf(build))).toMatchObject({ sha256: sha256(bytes) });
  });

  it('names a damaged package and does not copy it', async () => {
    const { fixture } = scenario;
    const key = (await keysIn('local'))?.find((one) => one.endsWith('.apk')) ?? '';
    const { directory } = fixture.config.storage.local;
    await fixture.app.storage.delete(key);
    await fixture.app.storage.put(key, Buffer.alloc(bytes.length, 7));
    expect(await move('s3')).toMatchObject({
      failed: 1,
      failures: [{ what: 'package', key, build: build.identifier, reason: 'its bytes differ from the upload' }],
    });
    await writeFile(join(directory, 'objects', key), 'short');
    expect(await move('s3')).toMatchObject({
      failures: [{ key, reason: `it has 5 bytes instead of ${bytes.length}` }],
    });
    await fixture.app.storage.delete(key);
    expect(await move('s3')).toMatchObject({ failed: 1, failures: [{ key, reason: 'it is missing' }] });
    expect(await keysIn('s3')).not.toContain(key);
  });

  it('leaves every object where it is if the bucket rejects uploads', async () => {
    proxy.fault = ({ name }) =>
      name.startsWith('PUT builds/') ? { kind: 'respond', status: 403, code: 'AccessDenied' } : undefined;
    expect(await move('s3')).toMatchObject({ moved: 0, failed: 2 });
    expect(await fetchSha(await linkOf(build))).toEqual({
      from: new URL(scenario.fixture.config.server.base_url).origin,
      sha256: sha256(bytes),
    });
  });

  it('leaves the reserve of the disk free', async () => {
    const { fixture } = scenario;
    await move('s3');
    fixture.clock.advance(21 * MINUTE);
    await fixture.drain();
    const local = fixture.app.storage.attached.get('local');
    if (local !== undefined) local.hasRoom = async () => false;
    const { moved, failures } = await move('local');
    expect([moved, new Set(failures.map(({ reason }) => reason))]).toEqual([
      0,
      new Set(['there is no room left for it']),
    ]);
    expect(await fetchSha(await linkOf(build))).toEqual({ from: new URL(ceph.url).origin, sha256: sha256(bytes) });
  });

  it('deletes both copies of a build that is deleted afterwards, and its copy if it is deleted during the move', async () => {
    const { fixture, ci, android } = scenario;
    await move('s3');
    expect((await scenario.admin.delete(`/api/v1/builds/${build.identifier}`)).status).toBe(204);
    await fixture.drain();
    expect([await keysIn('s3'), await keysIn('local')]).toEqual([[], []]);

    const other = await uploadAnswer(ci, android, buildApk({ versionName: '2.0' }), { build_number: 2 });
    await fixture.drain();
    proxy.fault = ({ name }) =>
      name.startsWith('PUT builds/') && name.endsWith('.apk')
        ? {
            kind: 'after',
            run: async () => {
              proxy.fault = undefined;
              await scenario.admin.delete(`/api/v1/builds/${other.identifier}`);
            },
          }
        : undefined;
    expect(await move('s3')).toMatchObject({ moved: 0, failed: 0 });
    await fixture.drain();
    fixture.clock.advance(21 * MINUTE);
    await fixture.drain();
    expect([await keysIn('s3'), await keysIn('local')]).toEqual([[], []]);
  });

  it('of one organization leaves the others, and accepts uploads during the move', async () => {
    const { fixture, ci, android } = scenario;
    await expect(move('s3', { organizationId: ABSENT })).rejects.toThrow('there is no organization with this ID');
    let later: Promise<Build> | undefined;
    proxy.fault = ({ name }) => {
      if (name.startsWith('PUT builds/')) later ??= uploadAnswer(ci, android, buildApk(), { build_number: 99 });
      return undefined;
    };
    const mark = auditMark(fixture);
    expect(await move('s3', { organizationId: fixture.organization_id })).toMatchObject({ failed: 0 });
    expect(auditRows(fixture, { after: mark }).filter(({ type }) => type === 'storage')).toMatchObject([
      { organizationId: fixture.organization_id },
      { organizationId: fixture.organization_id },
    ]);
    const uploaded = await later;
    if (uploaded === undefined) throw new Error('nothing was uploaded');
    expect((await fetchSha(await linkOf(uploaded))).sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await fetchSha(await linkOf(build))).toMatchObject({ sha256: sha256(bytes) });
  });

  it('refuses a backend that the server does not use', async () => {
    scenario.fixture.app.db.$client.prepare("DELETE FROM attached_backends WHERE backend = 's3'").run();
    await expect(move('s3')).rejects.toThrow(`the server doesn't use ${proxy.url}/${bucket.name}/some/folder/ yet`);
  });

  it('into a bucket that is not configured anymore makes downloads unavailable, not missing', async () => {
    const { app } = scenario.fixture;
    const link = await linkOf(build);
    await move('s3');
    (app.storage.attached as Map<string, unknown>).delete('s3');
    expectRefusal(
      await scenario.ci.get(`/api/v1/builds/${build.identifier}/download`),
      503,
      'storage_backend_unavailable',
    );
    expect((await fetch(link)).status).toBe(503);
  });
});
