// Cleanup jobs: expired uploads, objects without a row, bytes of deleted builds.
import { describe, expect, it, vi } from 'vitest';
import { type Storage, StorageError } from '../../src/core/storage.ts';
import { builds, objectDeletions, pendingUploads } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { buildApk } from '../support/fixtures.ts';
import { expectRefusal } from '../support/harness.ts';
import { complete, initiate, sendBytes, startBuildScenario, uploadBuild } from './scenario.ts';

async function objectKeys({ fixture }: Awaited<ReturnType<typeof startBuildScenario>>): Promise<string[]> {
  const { storage } = fixture.app;
  const pages = await Promise.all(['pending/', 'builds/'].map((prefix) => storage.list(prefix, { limit: 1000 })));
  return pages.flatMap(({ items }) => items.map(({ key }) => key));
}

describe('expiry of an upload', () => {
  it('makes it unusable; its version stays reserved until the cleanup job', async () => {
    await using other = await startBuildScenario();
    const { fixture, ci, android } = other;
    const identity = { version_name: '1', build_number: 1 };
    const pending = await initiate(ci, android, identity);
    expect(await sendBytes(pending, buildApk())).toBe(201);
    fixture.clock.advance(HOUR + 1);
    expect(await sendBytes(pending, buildApk())).toBe(403);
    expectRefusal(await complete(ci, android, pending.pending_upload_id), 400, 'operation_not_allowed');
    expectRefusal(await ci.post('/api/v1/builds/initiate', identity, { ...android }), 409, 'already_exists');

    expect(await fixture.sweep('pending-uploads')).toBe(1);
    expect(fixture.app.db.select().from(pendingUploads).all()).toEqual([]);
    expect(await fixture.app.storage.head(`pending/${pending.pending_upload_id}`)).toBeUndefined();
    expectRefusal(await complete(ci, android, pending.pending_upload_id), 404, 'not_found');
    await initiate(ci, android, identity);
    expect(await fixture.sweep('pending-uploads')).toBe(0);
    expect(fixture.app.db.select().from(builds).all()).toEqual([]);
  });

  it('keeps expired uploads counted until the cleanup job', async () => {
    await using other = await startBuildScenario({ config: { limits: { pending_uploads_per_project: 2 } } });
    const { fixture, ci, android } = other;
    await initiate(ci, android);
    await initiate(ci, android);
    fixture.clock.advance(HOUR + 1);
    const third = { version_name: '1', build_number: 3 };
    expectRefusal(await ci.post('/api/v1/builds/initiate', third, { ...android }), 429, 'rate_limit_exceeded');
    expect(await fixture.sweep('pending-uploads')).toBe(2);
    await initiate(ci, android, third);
  });

  it('during complete leaves no object behind', async () => {
    await using other = await startBuildScenario();
    const { fixture, ci, android } = other;
    const { storage } = fixture.app;
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    const { move } = storage;
    storage.move = async (...request) => {
      storage.move = move;
      fixture.clock.advance(HOUR + 1);
      // The sweep took its rows, and has not come to the objects yet.
      fixture.app.db.delete(pendingUploads).run();
      return move(...request);
    };
    expectRefusal(await complete(ci, android, pending.pending_upload_id), 404, 'not_found');
    await fixture.drain();
    expect(await objectKeys(other)).toEqual([]);
  });

  it('during complete leaves no object behind either if it is stored while the objects are being deleted', async () => {
    await using other = await startBuildScenario();
    const { fixture, ci, android } = other;
    const { storage } = fixture.app;
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    const [deleted, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { deleteMany, move, put } = storage;
    let moved: ReturnType<Storage['move']> | undefined;
    let sweep: Promise<number> | undefined;
    storage.move = (...request) => {
      moved = move(...request);
      return moved;
    };
    storage.deleteMany = async (keys) => {
      const failures = await deleteMany(keys);
      deleted.resolve();
      await refused.promise;
      return failures;
    };
    // The icon.
    storage.put = async (...request) => {
      await moved;
      fixture.clock.advance(HOUR + 1);
      sweep = fixture.sweep('pending-uploads');
      await deleted.promise;
      return put(...request);
    };
    expectRefusal(await complete(ci, android, pending.pending_upload_id), 404, 'not_found');
    refused.resolve();
    expect(await sweep).toBe(1);
    await fixture.drain();
    expect(await objectKeys(other)).toEqual([]);
    expect(fixture.app.db.select().from(objectDeletions).all()).toEqual([]);
  });

  it('also deletes the object that an interrupted complete had moved', async () => {
    await using other = await startBuildScenario();
    const { fixture, ci, android } = other;
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    const { pending_upload_id: id } = pending;
    await fixture.app.storage.move(`pending/${id}`, `builds/${id}/package.apk`);
    await fixture.app.storage.put(`builds/${id}/icon`, Buffer.from('icon'));
    fixture.clock.advance(HOUR + 1);
    expect(await fixture.sweep('pending-uploads')).toBe(1);
    expect(await objectKeys(other)).toEqual([]);
  });
});

it('a project takes the object with it that an interrupted complete had moved', async () => {
  await using other = await startBuildScenario();
  const { fixture, admin, ci, android } = other;
  const { pending_upload_id: id, ...pending } = await initiate(ci, android);
  await sendBytes({ pending_upload_id: id, ...pending }, buildApk());
  await fixture.app.storage.move(`pending/${id}`, `builds/${id}/package.apk`);
  await fixture.app.storage.put(`builds/${id}/icon`, Buffer.from('icon'));
  expect((await admin.delete(`/api/v1/projects/${android.project_id}`, { force: true })).status).toBe(204);
  await fixture.drain();
  expect(await objectKeys(other)).toEqual([]);
});

describe('objects without a row', () => {
  it('are deleted when they are old enough; others are kept', async () => {
    await using other = await startBuildScenario();
    const { fixture, ci, android } = other;
    const { storage, ids } = fixture.app;
    await uploadBuild(ci, android, buildApk());
    const kept = await objectKeys(other);
    expect(kept).toHaveLength(2);
    const orphans = [`pending/${ids.next()}`, `builds/${ids.next()}/package.ipa`, `builds/${ids.next()}/icon`];
    const picture = `icons/${ids.next()}`;
    for (const key of [...orphans, picture, 'builds/readme']) await storage.put(key, Buffer.from('x'));

    expect(await fixture.sweep('orphaned-objects')).toBe(0);
    fixture.clock.advance(DAY);
    expect(await fixture.sweep('orphaned-objects')).toBe(0);
    fixture.clock.advance(2 * HOUR);
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    expect(await fixture.sweep('orphaned-objects')).toBe(4);
    expect(await storage.head(picture)).toBeUndefined();
    expect((await objectKeys(other)).sort()).toEqual(
      [...kept, 'builds/readme', `pending/${pending.pending_upload_id}`].sort(),
    );
    expect(await fixture.sweep('orphaned-objects')).toBe(0);
  });

  it('are listed from the end of the last run', async () => {
    await using other = await startBuildScenario();
    const { fixture } = other;
    const { storage, ids } = fixture.app;
    const keys = Array.from({ length: 5 }, () => `pending/${ids.next()}`);
    for (const key of keys) await storage.put(key, Buffer.from('x'));
    const backend = storage.attached.get('local') as Storage;
    const { list } = backend;
    vi.spyOn(backend, 'list').mockImplementation((prefix, page) => list(prefix, { ...page, limit: 2 }));
    fixture.clock.advance(2 * DAY);
    const removed: number[] = [];
    for (let run = 0; run < 4; run += 1) removed.push(await fixture.sweep('orphaned-objects'));
    expect(removed).toEqual([2, 2, 1, 0]);

    // One that can't be deleted keeps no others, and is tried again.
    const stuck = `pending/${ids.next()}`;
    const others = [`pending/${ids.next()}`, `pending/${ids.next()}`, `icons/${ids.next()}`];
    for (const key of [stuck, ...others]) await storage.put(key, Buffer.from('x'));
    const { deleteMany } = backend;
    const failing = vi.spyOn(backend, 'deleteMany').mockImplementation(async (some) => {
      const error = new StorageError('unavailable', 'not permitted');
      const failures = await deleteMany(some.filter((key) => key !== stuck));
      return some.includes(stuck) ? [...failures, { key: stuck, error }] : failures;
    });
    fixture.clock.advance(2 * DAY);
    await expect(fixture.sweep('orphaned-objects')).rejects.toThrow('not permitted');
    expect(await fixture.sweep('orphaned-objects')).toBe(1);
    for (const key of others) expect(await storage.head(key)).toBeUndefined();
    failing.mockRestore();
    expect(await fixture.sweep('orphaned-objects')).toBe(1);
  });
});

describe('the bytes of a deleted build', () => {
  it('are deleted promptly', async () => {
    await using other = await startBuildScenario();
    const { fixture, admin, ci, android } = other;
    const build = await uploadBuild(ci, android, buildApk());
    expect(await objectKeys(other)).toHaveLength(2);
    expect((await admin.delete(`/api/v1/builds/${build.identifier}`)).status).toBe(204);
    await fixture.drain();
    expect(await objectKeys(other)).toEqual([]);
    expect(fixture.app.db.select().from(objectDeletions).all()).toEqual([]);
    expect(fixture.app.db.select().from(builds).all()).toEqual([]);
  });

  it('are deleted later if the storage fails, without delaying others', async () => {
    await using other = await startBuildScenario();
    const { fixture, admin, ci, android } = other;
    const { storage } = fixture.app;
    const made = [await uploadBuild(ci, android, buildApk()), await uploadBuild(ci, android, buildApk())];
    const { delete: remove } = storage;
    let isFirst = true;
    storage.delete = (key) => {
      if (!isFirst) return remove(key);
      isFirst = false;
      return Promise.reject(new StorageError('unavailable', 'out of order'));
    };
    for (const build of made) await admin.delete(`/api/v1/builds/${build.identifier}`);
    await fixture.drain();
    expect(fixture.app.db.select().from(objectDeletions).all().length).toBeLessThanOrEqual(1);
    await fixture.sweep('orphaned-objects');
    expect(fixture.app.db.select().from(objectDeletions).all()).toEqual([]);
    expect(await objectKeys(other)).toEqual([]);
  });
});
