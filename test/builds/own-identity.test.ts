// Uploads whose version and build number the server reads from the package.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageError } from '../../src/core/storage.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { buildApk, buildIpa, sha256 } from '../support/fixtures.ts';
import { type Answer, auditMark, auditRows, expectRefusal, type Json, outboxRows } from '../support/harness.ts';
import { type BuildScenario, complete, type Pending, type Project, sendBytes, startBuildScenario } from './scenario.ts';

let scenario: BuildScenario;
beforeAll(async () => {
  scenario = await startBuildScenario();
});
afterAll(() => scenario?.fixture.stop());

const fromPackage = { identity_from_package: true };

/** Starts an upload with exactly these facts, the rest of its identity left to the package, and sends the package. */
async function send(project: Project, bytes: Buffer, body = {}, client = scenario.admin): Promise<Pending> {
  const answer = await client.post<Pending>('/api/v1/builds/initiate', { ...fromPackage, ...body }, { ...project });
  expect(answer.status, answer.text).toBe(201);
  expect(await sendBytes(answer.body, bytes)).toBe(201);
  return answer.body;
}

describe('an upload without version and number', () => {
  it('has those of the package, and is recorded once if it is repeated', async () => {
    const { fixture, admin, android } = scenario;
    const bytes = buildApk({ packageName: 'com.example.own' });
    const before = auditMark(fixture);
    const first = await send(android, bytes);
    const built = await complete(admin, android, first.pending_upload_id, sha256(bytes));
    expect(built.status, built.text).toBe(201);
    expect(built.body).toMatchObject({ version_name: '1.2.3', build_number: 45, bundle_identifier: 'com.example.own' });
    const again = await complete(admin, android, first.pending_upload_id, sha256(bytes));
    expect(again.body.identifier).toBe(built.body.identifier);

    const second = await send(android, bytes);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const repeated = await complete(admin, android, second.pending_upload_id, sha256(bytes).toUpperCase());
      expect([repeated.status, repeated.body.identifier]).toEqual([201, built.body.identifier]);
    }
    const rows = auditRows(fixture, { after: before });
    expect(rows.map(({ event, type }) => [event, type])).toEqual([
      ['created', 'build'],
      // The first build sets the identifier of the project.
      ['edited', 'project'],
    ]);
    expect(outboxRows(fixture, 'build.uploaded')).toHaveLength(1);
  });

  it('is no longer pending once its package turned out to be a build', async () => {
    await using other = await startBuildScenario({ config: { limits: { pending_uploads_per_project: 2 } } });
    const { fixture, ci, android } = other;
    const bytes = buildApk();
    const started = async (): Promise<Pending> => {
      const answer = await ci.post<Pending>('/api/v1/builds/initiate', fromPackage, { ...android });
      expect(answer.status, answer.text).toBe(201);
      expect(await sendBytes(answer.body, bytes)).toBe(201);
      return answer.body;
    };
    const first = await complete(ci, android, (await started()).pending_upload_id, sha256(bytes));
    expect(first.status, first.text).toBe(201);
    let last: Pending | undefined;
    for (let turn = 0; turn < 4; turn += 1) {
      last = await started();
      const repeated = await complete(ci, android, last.pending_upload_id, sha256(bytes));
      expect([repeated.status, repeated.body.identifier]).toEqual([201, first.body.identifier]);
    }
    const { pending_upload_id: id, upload_url: url } = last as Pending;
    expect(await sendBytes(last as Pending, buildApk({ versionCode: 46 }))).toBe(409);
    expectRefusal(await complete(ci, android, id, 'f'.repeat(64)), 400, 'operation_not_allowed');
    await fixture.drain();
    expect((await fixture.app.storage.list('pending/', { limit: 10 })).items).toEqual([]);
    const builds = await ci.get<{ items: unknown[] }>('/api/v1/builds', { ...android });
    expect(builds.body.items).toHaveLength(1);

    fixture.clock.advance(HOUR + 1);
    await fixture.sweep('pending-uploads');
    expectRefusal(await complete(ci, android, id, sha256(bytes)), 404, 'not_found');
    expect((await fetch(url, { method: 'PUT', headers: { 'x-ms-blob-type': 'BlockBlob' }, body: 'late' })).status).toBe(
      403,
    );
  });

  it('makes one build of one package, if two are completed at the same time', async () => {
    await using other = await startBuildScenario();
    const { fixture, admin, android } = other;
    const bytes = buildApk();
    const pendings = [await send(android, bytes, {}, admin), await send(android, bytes, {}, admin)];
    const answers = await Promise.all(
      pendings.map(({ pending_upload_id: id }) => complete(admin, android, id, sha256(bytes))),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(answers.map(({ body }) => body.identifier)).size).toBe(1);
    for (const pending of pendings) expect(await sendBytes(pending, bytes)).toBe(409);
    await fixture.drain();
    expect((await fixture.app.storage.list('pending/', { limit: 10 })).items).toEqual([]);
    const kept = (await fixture.app.storage.list('builds/', { limit: 10 })).items;
    expect(kept.filter(({ key }) => key.endsWith('.apk'))).toHaveLength(1);
  });

  it('can be sent again if another package, completed at the same time, got them', async () => {
    await using other = await startBuildScenario();
    const { admin, android } = other;
    const packages = [buildApk(), buildApk({ label: 'Other' })];
    const pendings = await Promise.all(packages.map((bytes) => send(android, bytes, {}, admin)));
    const answers = await Promise.all(
      pendings.map(({ pending_upload_id: id }, at) =>
        complete(admin, android, id, sha256(packages[at] ?? Buffer.alloc(0))),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const loser = pendings[answers.findIndex(({ status }) => status === 409)] as Pending;
    const bytes = buildApk({ versionCode: 46 });
    expect(await sendBytes(loser, bytes)).toBe(201);
    const answer = await complete(admin, android, loser.pending_upload_id, sha256(bytes));
    expect([answer.status, answer.body.build_number]).toEqual([201, 46]);
  });

  it('has them from the moment complete checks them, so that no other upload can start with them', async () => {
    await using other = await startBuildScenario();
    const { fixture, admin, android } = other;
    const { storage } = fixture.app;
    const bytes = buildApk();
    const identity = { version_name: '1.2.3', build_number: 45 };
    const pending = await send(android, bytes, {}, admin);
    const { move } = storage;
    let during: Answer<Json> | undefined;
    storage.move = async (...request) => {
      storage.move = move;
      during = await admin.post('/api/v1/builds/initiate', identity, { ...android });
      return move(...request);
    };
    const built = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(built.status, built.text).toBe(201);
    expect(built.body).toMatchObject(identity);
    if (during === undefined) throw new Error('the package was not moved');
    expect(expectRefusal(during, 409, 'already_exists')).toEqual({ claimed_by: 'pending_upload' });
    const later = await admin.post('/api/v1/builds/initiate', identity, { ...android });
    expect(expectRefusal(later, 409, 'already_exists')).toMatchObject({ claimed_by: 'build' });
  });

  it('has its number also before an upload that takes the next free one', async () => {
    await using other = await startBuildScenario();
    const { fixture, admin, ios } = other;
    const { storage } = fixture.app;
    const first = buildIpa({ build: '1' });
    const text = buildIpa({ build: '1.0-beta' });
    const waiting = await send(ios, text, {}, admin);
    const pending = await send(ios, first, {}, admin);
    const { move } = storage;
    let during: Answer<Json> | undefined;
    storage.move = async (...request) => {
      storage.move = move;
      during = await complete(admin, ios, waiting.pending_upload_id, sha256(text));
      return move(...request);
    };
    const built = await complete(admin, ios, pending.pending_upload_id, sha256(first));
    expect([built.status, built.body.build_number], built.text).toEqual([201, 1]);
    expect([during?.status, during?.body.build_number], during?.text).toEqual([201, 2]);
  });

  it('leaves them free if it fails, and can be completed again', async () => {
    await using other = await startBuildScenario();
    const { fixture, admin, android } = other;
    const { storage } = fixture.app;
    const bytes = buildApk();
    const pending = await send(android, bytes, {}, admin);
    const { move } = storage;
    storage.move = async () => {
      storage.move = move;
      throw new StorageError('unavailable', 'out of order');
    };
    const failed = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expectRefusal(failed, 503, 'storage_backend_unavailable');
    await send(android, bytes, { version_name: '1.2.3', build_number: 45 }, admin);
    const again = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(expectRefusal(again, 409, 'already_exists')).toEqual({ claimed_by: 'pending_upload' });
    const replaced = buildApk({ versionCode: 46 });
    expect(await sendBytes(pending, replaced)).toBe(201);
    const built = await complete(admin, android, pending.pending_upload_id, sha256(replaced));
    expect([built.status, built.body.build_number]).toEqual([201, 46]);
  });

  it('is refused if another package has them', async () => {
    const { admin, android } = scenario;
    const bytes = buildApk({ packageName: 'com.example.other' });
    const pending = await send(android, bytes);
    const answer = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(expectRefusal(answer, 409, 'already_exists')).toMatchObject({ claimed_by: 'build' });
  });

  it('is refused if a pending upload has them', async () => {
    const { admin, android } = scenario;
    const bytes = buildApk({ packageName: 'com.example.other' });
    const claim = { version_name: '9.9', build_number: 45 };
    await send(android, bytes, claim);
    const pending = await send(android, bytes, { version_name: '9.9' });
    const answer = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(expectRefusal(answer, 409, 'already_exists')).toEqual({ claimed_by: 'pending_upload' });
  });

  it('takes what was sent, and the rest from the package', async () => {
    const { admin, android } = scenario;
    const bytes = buildApk({ packageName: 'com.example.own' });
    const pending = await send(android, bytes, { build_number: 4_500 });
    const answer = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(answer.body).toMatchObject({ version_name: '1.2.3', build_number: 4_500 });
  });

  it("takes the next free number if the package's own is a text", async () => {
    const { admin, ios } = scenario;
    const bytes = buildIpa({ build: '1.0-beta' });
    const next = await admin.get<{ build_number: number }>('/api/v1/builds/next-number', { ...ios });
    const pending = await send(ios, bytes);
    const answer = await complete(admin, ios, pending.pending_upload_id, sha256(bytes));
    expect(answer.body).toMatchObject({ build_number: next.body.build_number, display_build_number: '1.0-beta' });
  });

  it('is refused if the package is unreadable, and can then be replaced', async () => {
    const { admin, android } = scenario;
    const pending = await send(android, Buffer.from('no package'));
    const refused = await complete(admin, android, pending.pending_upload_id);
    expectRefusal(refused, 400, 'invalid_input');
    expect(refused.body.message).toContain('Send version_name and build_number with initiate');
    const bytes = buildApk({ packageName: 'com.example.own', versionCode: 46 });
    expect(await sendBytes(pending, bytes)).toBe(201);
    const answer = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(answer.body).toMatchObject({ build_number: 46 });
  });
});
