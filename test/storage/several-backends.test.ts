// Several storage backends at once: a bucket that can't be reached beside a folder, and the steps of moving objects between them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPackageGuard, verifyPackage } from '../../src/builds/integrity.ts';
import { findIntegrity } from '../../src/builds/integrity-store.ts';
import { packageSweep } from '../../src/builds/integrity-sweep.ts';
import { findBuild } from '../../src/builds/store.ts';
import { verifyObjects } from '../../src/checks/verify-objects.ts';
import { type Storage, StorageError } from '../../src/core/storage.ts';
import { runSweep } from '../../src/core/sweeps.ts';
import { systemContext } from '../../src/core/transact.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { createRoutingHandler } from '../../src/storage/handler.ts';
import { openLocalStorage } from '../../src/storage/local/backend.ts';
import { moveObjects } from '../../src/storage/move-objects.ts';
import { orphanedObjectsSweep } from '../../src/storage/orphans.ts';
import { createPlaces } from '../../src/storage/places.ts';
import { createRouter } from '../../src/storage/router.ts';
import { saveAttached } from '../../src/storage/stored-objects.ts';
import { watchBackend } from '../../src/storage/watch.ts';
import {
  type Build,
  type BuildScenario,
  complete,
  initiate,
  sendBytes,
  startBuildScenario,
  uploadAnswer,
} from '../builds/scenario.ts';
import { openWorkshop } from '../commands/test-host.ts';
import { buildApk, sha256 } from '../support/fixtures.ts';
import { auditMark, auditRows, expectRefusal, type Json, signIn } from '../support/harness.ts';

const bytes = buildApk();

describe('a bucket that is configured but cannot be reached, beside a folder', () => {
  let bucket: Server;
  let requests: string[];
  let scenario: BuildScenario;
  beforeEach(async () => {
    requests = [];
    bucket = createServer((req) => {
      requests.push(`${req.method} ${req.url}`);
      req.socket.destroy();
    });
    await new Promise<void>((done) => bucket.listen(0, '127.0.0.1', done));
    const endpoint = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`;
    const s3 = { endpoint, bucket: 'bucket', force_path_style: true, access_key_id: 'a', secret_access_key: 'b' };
    scenario = await startBuildScenario({ config: { storage: { s3 } } });
  });
  afterEach(async () => {
    await scenario[Symbol.asyncDispose]();
    bucket.closeAllConnections();
    bucket.close();
  });

  it('is never asked for objects in the folder', async () => {
    const { fixture, ci, android, admin } = scenario;
    const pending = await initiate(ci, android);
    expectRefusal(await complete(ci, android, pending.pending_upload_id, sha256(bytes)), 400, 'operation_not_allowed');
    expect(await sendBytes(pending, bytes)).toBe(201);
    const { status, body } = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
    expect(status).toBe(201);
    const path = `/api/v1/builds/${(body as Build).identifier}`;
    const { download_url: url } = (await ci.get(`${path}/download`)).body;
    expect(sha256(Buffer.from(await (await fetch(String(url))).arrayBuffer()))).toBe(sha256(bytes));
    expect((await ci.get(`${path}/icon`)).status).toBe(200);
    expect((await admin.delete(path)).status).toBe(204);
    await fixture.drain();
    expect((await fixture.app.storage.attached.get('local')?.list('builds/', { limit: 9 }))?.items).toEqual([]);
    expect(requests).toEqual([]);
  });

  it('does not keep objects of earlier days from being found and deleted', async () => {
    const { fixture, ci, android, admin } = scenario;
    const build = await uploadAnswer(ci, android, bytes);
    // As if uploaded while the server had no bucket.
    fixture.app.db.$client.exec('DELETE FROM object_places');
    expect((await ci.get(`/api/v1/builds/${build.identifier}/icon`)).status).toBe(200);
    fixture.app.db.$client.exec('DELETE FROM object_places');
    expect((await admin.delete(`/api/v1/builds/${build.identifier}`)).status).toBe(204);
    await fixture.drain();
    expect((await fixture.app.storage.attached.get('local')?.list('builds/', { limit: 9 }))?.items).toEqual([]);
    expect(fixture.app.db.$client.prepare('SELECT count(*) FROM doomed_objects').pluck().get()).toBe(0);
  });

  it('does not keep the folder from being cleaned up', async () => {
    const { app, clock } = scenario.fixture;
    await app.storage.put('builds/0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b/icon', Buffer.from('x'));
    clock.advance(2 * DAY);
    await expect(runSweep(app, orphanedObjectsSweep)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await app.storage.attached.get('local')?.list('builds/', { limit: 9 }))?.items).toEqual([]);
  });

  it('is a warning of the health checks until it has objects', async () => {
    const { config, app } = scenario.fixture;
    const { endpoint } = config.storage.s3;
    using workshop = openWorkshop({
      TAXIWAY_SERVER__DATA_DIR: config.server.data_dir,
      TAXIWAY_STORAGE__S3__ENDPOINT: endpoint,
      TAXIWAY_STORAGE__S3__BUCKET: 'bucket',
      TAXIWAY_STORAGE__S3__FORCE_PATH_STYLE: 'true',
      TAXIWAY_STORAGE__S3__ACCESS_KEY_ID: 'a',
      TAXIWAY_STORAGE__S3__SECRET_ACCESS_KEY: 'b',
    });
    const statusOf = async (name: string) => {
      const { stdout } = await workshop.run(['check', '--json']);
      const findings: { name: string; status: string }[] = JSON.parse(stdout);
      return findings.find((finding) => finding.name === name)?.status;
    };
    expect([await statusOf('bucket'), await statusOf('objects')]).toEqual(['warn', 'ok']);
    app.db.$client.exec("INSERT INTO object_places (object_key, backend) VALUES ('icons/1', 's3')");
    expect(await statusOf('bucket')).toBe('fail');
  });
});

describe('moving objects', () => {
  let scenario: BuildScenario;
  let local: Storage;
  /** Another folder in the place of a bucket. */
  let other: Storage;
  let build: Build;
  let key: string;
  beforeEach(async () => {
    scenario = await startBuildScenario();
    const { app, config } = scenario.fixture;
    const directory = join(config.server.data_dir, 'other');
    const facts = { baseUrl: '', keyring: app.secrets.keyring, clock: app.clock };
    local = app.storage.attached.get('local') as Storage;
    other = { ...openLocalStorage({ directory, ...facts }), backend: 's3', location: 'https://other.example.com/' };
    use(local, other);
    build = await uploadAnswer(scenario.ci, scenario.android, bytes);
    key = findBuild(app, build.identifier)?.objectKey ?? '';
  });
  afterEach(() => scenario[Symbol.asyncDispose]());

  function use(home: Storage, second: Storage): void {
    const { app } = scenario.fixture;
    app.storage = createRouter([home, second], createPlaces(app.db.$client));
    saveAttached(systemContext(app));
  }
  const move = (to: 'local' | 's3') => moveObjects(systemContext(scenario.fixture.app), { to });
  const keysIn = async (storage: Storage) =>
    (await storage.list('builds/', { limit: 100 })).items.map((item) => item.key);
  const placeOf = (wanted = key) =>
    scenario.fixture.app.db.$client
      .prepare('SELECT backend, left_backend FROM object_places WHERE object_key = ?')
      .get(wanted);
  const isIntact = async () => {
    const head = await scenario.fixture.app.storage.head(key);
    return head !== undefined && sha256(await scenario.fixture.app.storage.read(key, 0, head.size)) === sha256(bytes);
  };
  const wait = async (duration: number) => {
    scenario.fixture.clock.advance(duration);
    await scenario.fixture.drain();
  };
  const { put, read } = { put: 'put', read: 'read' } as const;
  /** Replaces a method of a backend for the package. */
  function onPackage<Name extends typeof put | typeof read>(
    storage: Storage,
    name: Name,
    run: (original: () => Promise<unknown>) => Promise<unknown>,
  ) {
    const original = storage[name].bind(storage) as (...words: unknown[]) => Promise<unknown>;
    const replaced = (...words: unknown[]) => (words[0] === key ? run(() => original(...words)) : original(...words));
    Object.assign(storage, { [name]: replaced });
    return () => Object.assign(storage, { [name]: original });
  }

  it('keeps no record of the upload of a build that is complete', () => {
    const keys = scenario.fixture.app.db.$client.prepare('SELECT object_key FROM object_places ORDER BY 1').pluck();
    expect(keys.all()).toEqual([key.replace(/package.*/, 'icon'), key]);
  });

  it('refuses a second move at the same time, which would delete the copies of the first', async () => {
    let refusal: unknown;
    onPackage(other, 'put', async (store) => {
      refusal = await move('s3').catch((error: unknown) => error);
      return store();
    });
    expect(await move('s3')).toMatchObject({ moved: 2, failed: 0 });
    expect(String(refusal)).toContain('objects are being moved already');
    expect(await keysIn(other)).toHaveLength(2);
    await wait(21 * MINUTE);
    expect([await keysIn(local), await isIntact()]).toEqual([[], true]);
  });

  it('keeps the former copy if the new one is missing when it should be deleted', async () => {
    await move('s3');
    await other.delete(key);
    await wait(21 * MINUTE);
    expect(await keysIn(local)).toEqual([key]);
    expect([await isIntact(), placeOf()]).toEqual([true, { backend: 'local', left_backend: null }]);
    expect(await move('s3')).toMatchObject({ moved: 1, there: 1, failed: 0 });
  });

  it('continues immediately after it was interrupted', async () => {
    const repair = onPackage(other, 'put', async (store) => {
      await store();
      throw new Error('killed');
    });
    const { delete: remove } = other;
    other.delete = async () => {
      throw new Error('killed');
    };
    await expect(move('s3')).rejects.toThrow('killed');
    expect([await keysIn(other), placeOf()]).toEqual([
      expect.arrayContaining([key]),
      { backend: 'local', left_backend: 's3' },
    ]);
    expect(await isIntact()).toBe(true);
    other.delete = remove;
    repair();
    expect(await move('s3')).toMatchObject({ failed: 0, waiting: 0 });
    expect([placeOf(), await isIntact()]).toEqual([{ backend: 's3', left_backend: 'local' }, true]);
  });

  it('leaves no copy behind if it is interrupted and not repeated', async () => {
    const repair = onPackage(other, 'put', async (store) => {
      await store();
      throw new Error('killed');
    });
    const { delete: remove } = other;
    other.delete = async () => {
      throw new Error('killed');
    };
    await expect(move('s3')).rejects.toThrow('killed');
    other.delete = remove;
    repair();
    await wait(21 * MINUTE);
    expect(await keysIn(other)).not.toContain(key);
    expect([placeOf(), await isIntact()]).toEqual([{ backend: 'local', left_backend: null }, true]);
  });

  it('does not use a copy that the cleanup deleted because it took too long', async () => {
    onPackage(other, 'put', async (store) => {
      await wait(21 * MINUTE);
      return store();
    });
    const failure = expect.objectContaining({ key, reason: 'its copy was deleted during the move' });
    expect((await move('s3')).failures).toContainEqual(failure);
    expect([await keysIn(other), placeOf()]).toEqual([
      expect.not.arrayContaining([key]),
      { backend: 'local', left_backend: null },
    ]);
    expect(await isIntact()).toBe(true);
  });

  it('never reads a copy before it is verified, even if the source is missing', async () => {
    onPackage(other, 'put', async (store) => {
      await store();
      const head = await local.head(key);
      const source = await local.read(key, 0, head?.size ?? 0);
      await local.delete(key);
      expect(await scenario.fixture.app.storage.head(key)).toBeUndefined();
      await local.put(key, source);
    });
    expect(await move('s3')).toMatchObject({
      failed: 1,
      failures: [{ key, reason: 'it was replaced while it was copied' }],
    });
    expect(await isIntact()).toBe(true);
  });

  it('finds an object that is not where an earlier database says', async () => {
    await move('s3');
    await wait(21 * MINUTE);
    scenario.fixture.app.db.$client.exec("UPDATE object_places SET backend = 'local'");
    expect((await scenario.ci.get(`/api/v1/builds/${build.identifier}/download`)).status).toBe(200);
    expect(placeOf()).toEqual({ backend: 's3', left_backend: null });
    scenario.fixture.app.db.$client.exec("UPDATE object_places SET backend = 'local'");
    expect(await move('s3')).toMatchObject({ moved: 0, there: 2, failed: 0 });
  });

  it('names an object that is missing everywhere, also in the backend for new ones', async () => {
    use(other, local);
    scenario.fixture.app.db.$client.exec('DELETE FROM object_places');
    await local.delete(key);
    expect(await move('s3')).toMatchObject({ moved: 1, there: 0, failures: [{ key, reason: 'it is missing' }] });
  });

  it('refuses a bucket that the server does not use, or that belongs to another one', async () => {
    const { app } = scenario.fixture;
    other.claim = async () => false;
    await expect(move('s3')).rejects.toThrow('"s3" belongs to another server: use another bucket');
    app.db.$client.exec(
      "UPDATE attached_backends SET location = 'https://elsewhere.example.com/' WHERE backend = 's3'",
    );
    await expect(move('s3')).rejects.toThrow("the server doesn't use https://other.example.com/ yet");
    expect(await keysIn(other)).toEqual([]);
  });

  it('stops after ten failures in a row because a backend is unavailable', async () => {
    for (let number = 1; number <= 6; number += 1) {
      await uploadAnswer(scenario.ci, scenario.android, buildApk({ versionName: `2.${number}` }));
    }
    let attempts = 0;
    other.put = async () => {
      attempts += 1;
      throw new StorageError('unavailable', 'out of order');
    };
    const mark = auditMark(scenario.fixture);
    await expect(move('s3')).rejects.toThrow(
      '0 objects were moved, then 10 in a row failed (out of order); run the command again later',
    );
    expect(attempts).toBeLessThan(13);
    const { details } = auditRows(scenario.fixture, { after: mark })[1] ?? {};
    expect(details).toMatchObject({ state: 'stopped', moved: 0 });
    expect(await isIntact()).toBe(true);
  });

  it('does not blame a package for a backend that is unavailable', async () => {
    const { app, clock } = scenario.fixture;
    const second = await uploadAnswer(scenario.ci, scenario.android, buildApk({ versionName: '2.0' }));
    await move('s3');
    use(local, other);
    await wait(21 * MINUTE);
    scenario.fixture.app.db.$client
      .prepare('DELETE FROM object_places WHERE object_key = ?')
      .run(findBuild(app, second.identifier)?.objectKey);
    const third = await uploadAnswer(scenario.ci, scenario.android, buildApk({ versionName: '3.0' }));
    other.read = async () => {
      throw new StorageError('unavailable', 'out of order');
    };
    other.check = async () => ({ ok: false, detail: 'out of order', freeBytes: undefined });
    await expect(verifyPackage(systemContext(app), build.identifier)).rejects.toThrow('out of order');
    clock.advance(31 * DAY);
    await expect(runSweep(app, packageSweep)).rejects.toThrow('out of order');
    expect(findIntegrity(app, build.identifier)).toMatchObject({ problem: null });
    expect(findIntegrity(app, third.identifier)).toMatchObject({ problem: null, verifiedAt: clock.now().getTime() });
  });

  it('does not record the time of a former copy whose download ends after the move', async () => {
    const { app, clock } = scenario.fixture;
    clock.advance(2 * DAY);
    const head = await local.head(key);
    if (head === undefined) throw new Error('no package');
    const verdict = createPackageGuard(app)(key, head);
    const hashing = verdict?.isIntact === true ? verdict.beginHash?.() : undefined;
    clock.advance(HOUR);
    await move('s3');
    const recorded = findIntegrity(app, build.identifier);
    hashing?.end(true);
    expect(findIntegrity(app, build.identifier)).toEqual(recorded);
    expect((await scenario.ci.get(`/api/v1/builds/${build.identifier}/download`)).status).toBe(200);
    hashing?.end(false);
    expect((await scenario.ci.get(`/api/v1/builds/${build.identifier}/download`)).status).toBe(200);
  });

  it('deletes orphans in every backend, and none that another one has', async () => {
    const { app, clock } = scenario.fixture;
    const orphan = 'builds/0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b/icon';
    for (const storage of [local, other]) await storage.put(orphan, Buffer.from('x'));
    clock.advance(2 * DAY);
    await runSweep(app, orphanedObjectsSweep);
    expect([await keysIn(local), await keysIn(other)]).toEqual([expect.not.arrayContaining([orphan]), []]);
    expect(await isIntact()).toBe(true);
  });

  it('is shown to operators with the backends, the move and the problems', async () => {
    const { app, clock } = scenario.fixture;
    let client = scenario.admin;
    const storageState = async () => (await client.get<{ storage: Json }>('/api/v1/system')).body.storage;
    const during: Json[] = [];
    onPackage(other, 'put', async (store) => {
      during.push(await storageState());
      return store();
    });
    await move('s3');
    const move1 = { to: 's3', organization_id: null, objects: 2, failed: 0 };
    expect(during).toMatchObject([
      { move: { ...move1, state: 'running', finished_at: null }, problems: { count: 0, objects: [] } },
    ]);
    await wait(21 * MINUTE);
    await other.delete(key.replace(/package.*/, 'icon'));
    client = (await signIn(scenario.fixture)).client;
    await verifyObjects(systemContext(app), { random: () => 0 });
    expect(await storageState()).toMatchObject({
      backend: 'local',
      backends: [
        { backend: 'local', builds: 0, build_bytes: 0, ok: true },
        { backend: 's3', location: 'https://other.example.com/', builds: 1, build_bytes: bytes.length, ok: true },
      ],
      move: { ...move1, state: 'finished', done: 2, moved: 2 },
      problems: {
        count: 1,
        objects: [
          {
            object: 'icon of a build',
            backend: 's3',
            build_id: build.identifier,
            project_id: scenario.android.project_id,
            problem: 'missing',
            found_at: clock.now().toISOString(),
          },
        ],
      },
    });
    await other.put(key.replace(/package.*/, 'icon'), Buffer.from('icon'));
    await runSweep(app, packageSweep);
    expect((await storageState()).problems).toEqual({ count: 0, objects: [] });
  });

  it('is shown as interrupted if it has not been seen for ten minutes', async () => {
    onPackage(other, 'put', async () => {
      throw new Error('killed');
    });
    await expect(move('s3')).rejects.toThrow('killed');
    scenario.fixture.clock.advance(11 * MINUTE);
    const { client } = await signIn(scenario.fixture);
    const { body } = await client.get<{ storage: Json }>('/api/v1/system');
    expect(body.storage.move).toMatchObject({ state: 'interrupted', finished_at: null });
  });
});

describe('a backend that is watched', () => {
  it('tells since when it has been unavailable, until a request succeeds', async () => {
    const now = { value: 1_000 };
    let error: Error | undefined;
    const inner = { get: async () => (error === undefined ? undefined : Promise.reject(error)) } as unknown as Storage;
    const watched = watchBackend(inner, { now: () => new Date(now.value) });
    const get = () => watched.get('icons/1').catch(() => undefined);
    await get();
    expect(watched.failure?.()).toBeUndefined();
    error = new StorageError('not_found', 'missing');
    await get();
    expect(watched.failure?.()).toBeUndefined();
    error = new StorageError('unavailable', 'the storage is unavailable', new Error('connection refused'));
    await get();
    now.value = 2_000;
    await get();
    const text = 'the storage is unavailable: connection refused';
    expect(watched.failure?.()).toEqual({ at: new Date(1_000), text });
    error = undefined;
    await get();
    expect(watched.failure?.()).toBeUndefined();
  });
});

describe('the places of objects', () => {
  it('do not have uploads that were refused', async () => {
    await using scenario = await startBuildScenario();
    const { app } = scenario.fixture;
    const local = app.storage.attached.get('local') as Storage;
    const other: Storage = { ...local, backend: 's3', head: async () => undefined };
    app.storage = createRouter([local, other], createPlaces(app.db.$client));
    const body = { version_name: '1.2.3', build_number: 7 };
    const pending = await initiate(scenario.ci, scenario.android, body);
    const again = await scenario.ci.post('/api/v1/builds/initiate', body, { ...scenario.android });
    expect(expectRefusal(again, 409, 'already_exists')).toEqual({ claimed_by: 'pending_upload' });
    expect(app.db.$client.prepare('SELECT object_key FROM object_places').pluck().all()).toEqual([
      `pending/${pending.pending_upload_id}`,
    ]);
    expect(await sendBytes(pending, bytes)).toBe(201);
    expect((await complete(scenario.ci, scenario.android, pending.pending_upload_id, sha256(bytes))).status).toBe(201);
  });
});

describe('a package in the container of an organization', () => {
  it('is neither read nor reported as damaged by the command that has no credentials', async () => {
    await using scenario = await startBuildScenario();
    const { app, config } = scenario.fixture;
    await uploadAnswer(scenario.ci, scenario.android, bytes);
    const elsewhere = await uploadAnswer(scenario.ci, scenario.android, bytes);
    app.db.$client
      .prepare('INSERT INTO object_places (object_key, backend) VALUES (?, ?)')
      .run(findBuild(app, elsewhere.identifier)?.objectKey, 'azure:0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b');
    using workshop = openWorkshop({ TAXIWAY_SERVER__DATA_DIR: config.server.data_dir, TAXIWAY_LOG__LEVEL: 'silent' });
    const { code, stdout } = await workshop.run(['verify', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, packages: { checked: 1, in_containers: 1, problems: [] } });
    expect(code).toBe(0);
    const text = await workshop.run(['verify']);
    expect(text.stdout).toContain(
      '1 package in containers of organizations, not read\nstored packages: 1 read, undamaged',
    );
  });
});

describe('a link for uploads to the folder', () => {
  it('works after a bucket became the backend for new objects', async () => {
    await using scenario = await startBuildScenario();
    const { app } = scenario.fixture;
    const pending = await initiate(scenario.ci, scenario.android);
    const local = app.storage.attached.get('local') as Storage;
    const other: Storage = { ...local, backend: 's3', head: async () => undefined };
    const reached: string[] = [];
    const handlerOf = (name: string) => async (_req: IncomingMessage, res: ServerResponse) => {
      reached.push(name);
      res.end();
    };
    const { keyring } = app.secrets;
    const handle = createRoutingHandler(
      createRouter([other, local], createPlaces(app.db.$client)),
      new Map([
        ['s3', handlerOf('s3')],
        ['local', handlerOf('local')],
      ]),
      { keyring, clock: app.clock, ids: app.ids, log: app.log },
    );
    const server = createServer((req, res) => void handle(req, res));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { pathname, search } = new URL(pending.upload_url);
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await fetch(`${address}${pathname}${search}`, { method: 'PUT', body: 'x' });
    server.closeAllConnections();
    server.close();
    expect(reached).toEqual(['local']);
  });
});
