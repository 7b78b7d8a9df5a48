// Group commit: what leaves the server waits for the flush of the commits before it, and nothing else does.
import fs, { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openApp } from '../../src/app.ts';
import { auditHeadsOf, headFileOf } from '../../src/audit/chain-heads.ts';
import { configFrom } from '../../src/config.ts';
import type { DatabaseUnsafeError } from '../../src/data/health.ts';
import { createServer } from '../../src/server.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { uploadBuild } from '../builds/scenario.ts';
import { buildApk } from '../support/fixtures.ts';
import { api, auditMark, auditRows } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { startWebhookScenario } from '../webhooks/scenario.ts';

/** What a test has held. A server can't stop before it ends. */
let flushes: ReturnType<typeof holdFlushes>;

/** Long enough for what doesn't wait; flushes end on request only. */
const A_WHILE_MS = 150;

type Done = (error: NodeJS.ErrnoException | null) => void;

/** Flushes that end on request. */
function holdFlushes() {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const flush = fs.fdatasync;
  let isHeld = true;
  fs.fdatasync = ((handle: number, done: Done) => {
    begun += 1;
    if (isHeld) waiting.push(() => flush(handle, done));
    else flush(handle, done);
  }) as typeof fs.fdatasync;
  syncBuiltinESMExports();
  const end = () => {
    isHeld = false;
    fs.fdatasync = flush;
    syncBuiltinESMExports();
    for (const go of waiting.splice(0)) go();
  };
  return {
    begun: () => begun,
    /** Ends the flush that is running. */
    release: () => waiting.shift()?.(),
    end,
  };
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([promise.then(() => false), sleep(A_WHILE_MS, true)])) === true;
}

describe('with a slow disk', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    // What the server does by itself once a second would write, or begin a flush, in the middle of a test on a busy machine.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    fixture = await startFixture({ config: { database: { synchronous: 'full' } } });
    vi.spyOn(fixture.app.credentialUse, 'noteUse').mockReturnValue();
    await fixture.app.db.durability.settle();
  });
  afterEach(async () => {
    flushes.end();
    await fixture.stop();
    vi.useRealTimers();
  });
  const rename = (name: string) => api(fixture).patch(`/api/v1/projects/${fixture.android_project_id}`, { name });
  const android = () => ({ organization_id: fixture.organization_id, project_id: fixture.android_project_id });
  const read = () => api(fixture).get(`/api/v1/projects/${fixture.android_project_id}`);

  it('the heads of audit chains are saved when their rows are on disk', async () => {
    const { app } = fixture;
    const file = headFileOf(app.db.$client.name);
    const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').length : 0);
    await auditHeadsOf(app).note();
    const before = lines();
    flushes = holdFlushes();
    const created = api(fixture).post(
      '/api/v1/projects',
      { name: 'Later', platform: 'ios' },
      { organization_id: fixture.organization_id },
    );
    await until(() => flushes.begun() === 1);
    const noted = auditHeadsOf(app).note();
    expect(await isPending(noted)).toBe(true);
    expect(lines()).toBe(before);
    flushes.end();
    await noted;
    expect((await created).status).toBe(201);
    expect(lines()).toBeGreaterThan(before);
  });

  it('responds to a change after its flush, and to reads without waiting', async () => {
    flushes = holdFlushes();
    const changing = rename('Slow');
    await until(() => flushes.begun() === 1);
    expect(await isPending(changing)).toBe(true);
    expect((await read()).body).toMatchObject({ name: 'Slow' });
    flushes.release();
    expect((await changing).status).toBe(200);
  });

  it('changes during a flush share the next one', async () => {
    flushes = holdFlushes();
    const mark = auditMark(fixture);
    const first = rename('First');
    await until(() => flushes.begun() === 1);
    const later = Promise.all([rename('A'), rename('B'), rename('C')]);
    await until(() => auditRows(fixture, { after: mark }).length === 4);
    expect(await isPending(later)).toBe(true);
    flushes.release();
    expect((await first).status).toBe(200);
    await until(() => flushes.begun() === 2);
    expect(await isPending(later)).toBe(true);
    flushes.release();
    expect((await later).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(flushes.begun()).toBe(2);
  });

  it('a repeated change waits for what the first one wrote', async () => {
    const build = await uploadBuild(api(fixture), android(), buildApk());
    await fixture.app.db.durability.settle();
    flushes = holdFlushes();
    const revoke = () => api(fixture).post(`/api/v1/builds/${build.identifier}/revoke`);
    const first = revoke();
    await until(() => flushes.begun() === 1);
    const again = revoke();
    expect(await isPending(again)).toBe(true);
    flushes.end();
    expect([(await first).status, (await again).status]).toEqual([200, 200]);
  });

  it('a refusal that was recorded waits too', async () => {
    flushes = holdFlushes();
    const credentials = { email: fixture.admin.email, password: 'not the password' };
    const signingIn = api(fixture, null).post('/api/v1/login', credentials);
    await until(() => flushes.begun() === 1);
    expect(await isPending(signingIn)).toBe(true);
    flushes.end();
    expect((await signingIn).status).toBe(401);
  });

  it('a GET that writes waits', async () => {
    const build = await uploadBuild(api(fixture), android(), buildApk());
    await fixture.app.jobs.drain();
    await fixture.app.db.durability.settle();
    flushes = holdFlushes();
    const download = api(fixture).get(`/api/v1/builds/${build.identifier}/download`);
    expect(await isPending(download)).toBe(true);
    flushes.end();
    expect((await download).status).toBe(200);
  });

  it('a webhook is sent after its event is on disk', async () => {
    await using receiver = await startReceiver();
    const { subscribe, happen } = startWebhookScenario(fixture);
    await subscribe(receiver.url, { events: ['release.created'] });
    await fixture.app.db.durability.settle();
    flushes = holdFlushes();
    happen('release.created');
    await sleep(A_WHILE_MS);
    expect(receiver.received).toHaveLength(0);
    flushes.end();
    await until(() => receiver.received.length === 1);
  });

  it('requests to other services, jobs and deletions of objects wait', async () => {
    const { app } = fixture;
    await app.storage.put('icons/0123456789abcdef0123456789abcdef', Buffer.from('x')).catch(() => undefined);
    flushes = holdFlushes();
    const changing = rename('Later');
    await until(() => flushes.begun() === 1);
    const ran = vi.fn();
    app.jobs.register('test-job', async () => ran());
    app.db.writes.count += 1;
    const fetched = app.fetch(`${fixture.url}/health/live`);
    const deleted = app.storage.deleteMany(['icons/0123456789abcdef0123456789abcdef']);
    const job = (async () => {
      const now = app.clock.now().getTime();
      app.db.$client
        .prepare(
          "INSERT INTO jobs (id, kind, payload, run_at, max_attempts, state, created_at) VALUES ('x', 'test-job', '{}', ?, 1, 'waiting', ?)",
        )
        .run(now, now);
      await app.jobs.drain();
    })();
    expect(await Promise.all([fetched, deleted, job].map(isPending))).toEqual([true, true, true]);
    expect(ran).not.toHaveBeenCalled();
    flushes.end();
    await Promise.all([changing, fetched, deleted, job]);
    expect(ran).toHaveBeenCalledOnce();
  });

  it('what nobody waits for is flushed within a second', async () => {
    flushes = holdFlushes();
    fixture.app.db.$client.exec('UPDATE projects SET name = name');
    vi.advanceTimersByTime(1_000);
    await until(() => flushes.begun() === 1);
  });
});

describe('a failed flush', () => {
  it('ends the process before anything is acknowledged', async () => {
    const unsafe: DatabaseUnsafeError[] = [];
    const fixture = await startFixture({ config: { database: { synchronous: 'normal' } } });
    onTestFinished(() => fixture.stop());
    const server = await createServer(
      { server: { port: 0, data_dir: `${fixture.config.server.data_dir}/other` }, log: { level: 'silent' } },
      { isScheduleOff: true, onDatabaseUnsafe: (error) => unsafe.push(error) },
    );
    await server.start();
    onTestFinished(() => server.stop().catch(() => undefined));
    const flush = fs.fdatasync;
    fs.fdatasync = ((_: number, done: Done) =>
      done(Object.assign(new Error('EIO'), { code: 'EIO' }))) as typeof fs.fdatasync;
    syncBuiltinESMExports();
    onTestFinished(() => {
      fs.fdatasync = flush;
      syncBuiltinESMExports();
    });
    const { durability, $client: client } = server.app.db;
    client.exec('UPDATE projects SET name = name');
    await expect(durability.settle()).rejects.toThrow('flush of the log: EIO');
    expect(unsafe).toHaveLength(1);
    // What is read from the cache may not be on disk, so nothing is acknowledged anymore.
    await expect(durability.settle()).rejects.toThrow('flush of the log: EIO');
    const signingIn = await fetch(`${server.url}/api/v1/login`, { method: 'POST', body: '{}' });
    expect(signingIn.status).toBe(503);
  });
});

describe('a command', () => {
  it('flushes its commits after them, and what the server has committed before its own effects', async () => {
    await using fixture = await startFixture({ config: { database: { synchronous: 'full' } } });
    const { server, database } = fixture.config;
    const { android_project_id: id } = fixture;
    const flush = fs.fdatasyncSync;
    const flushed: unknown[] = [];
    fs.fdatasyncSync = (handle: number) => {
      flush(handle);
      // The lock of writers is free.
      fixture.app.db.$client.exec('BEGIN IMMEDIATE; COMMIT');
      flushed.push(fixture.app.db.$client.prepare('SELECT name FROM projects WHERE id = ?').pluck().get(id));
    };
    syncBuiltinESMExports();
    onTestFinished(() => {
      fs.fdatasyncSync = flush;
      syncBuiltinESMExports();
    });
    const command = await openApp(
      configFrom({ server: { data_dir: server.data_dir }, database, log: { level: 'silent' } }),
    );
    const { $client: client } = command.app.db;
    expect(client.pragma('synchronous', { simple: true })).toBe(1);
    for (const name of ['first', 'second']) client.prepare('UPDATE projects SET name = ? WHERE id = ?').run(name, id);
    expect(flushed.slice(-2)).toEqual(['first', 'second']);
    const settled = command.app.db.durability.settle();
    expect(settled).toBeInstanceOf(Promise);
    await settled;
    await command.close();
  });
});

describe('a server that is stopping', () => {
  it('flushes with each commit', async () => {
    await using fixture = await startFixture({ config: { database: { synchronous: 'full' } } });
    const { app } = fixture;
    const mode = () => app.db.$client.pragma('synchronous', { simple: true });
    expect(mode()).toBe(1);
    let closing: unknown;
    const { close } = app.db.$client;
    app.db.$client.close = () => {
      closing = mode();
      return close.call(app.db.$client);
    };
    await fixture.stop();
    expect(closing).toBe(2);
  });
});
