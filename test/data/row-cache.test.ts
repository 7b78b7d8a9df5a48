// Cached rows, and all changes that must clear the cache.
import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { checkForeignCommits, keepRowCache, type RowCache, rowCacheOf } from '../../src/data/row-cache.ts';
import { developers, sessions } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { uploadBuild } from '../builds/scenario.ts';
import { readApiDemos } from '../support/fixtures.ts';
import { api, expectRefusal } from '../support/harness.ts';
import { personalTokenClient } from '../support/people.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.stop());

const query = {};
let reads = 0;
const readName = () => {
  reads += 1;
  return fixture.app.db.select({ name: developers.displayName }).from(developers).get()?.name;
};
const recallName = () => rowCacheOf(fixture.app).getOrRead(query, 'name', readName);
const rename = (displayName: string) => fixture.app.db.update(developers).set({ displayName }).run();

describe('the row cache', () => {
  it('reads once until something changes', () => {
    rename('one');
    reads = 0;
    expect([recallName(), recallName(), reads]).toEqual(['one', 'one', 1]);
    rename('two');
    expect([recallName(), recallName(), reads]).toEqual(['two', 'two', 2]);
  });

  it('reads again in a transaction that began after a commit of another process', () => {
    rename('one');
    checkForeignCommits(fixture.app);
    recallName();
    const other = new Sqlite(fixture.app.db.$client.name);
    other.exec("UPDATE developers SET display_name = 'two'");
    other.close();
    const { db } = fixture.app;
    expect(recallName()).toBe('one');
    expect(systemContext(fixture.app).transact(() => recallName(), { bookkeeping: true })).toBe('two');
    expect(db.select({ name: developers.displayName }).from(developers).get()?.name).toBe('two');
  });

  it('caches nothing from a transaction that is rolled back', () => {
    rename('kept');
    recallName();
    const undo = fixture.app.db.$client.transaction(() => {
      rename('undone');
      expect(recallName()).toBe('undone');
      throw new Error('undo');
    });
    expect(undo).toThrow('undo');
    expect(recallName()).toBe('kept');
  });

  it('reads again after a rollback', () => {
    rename('kept');
    const undo = fixture.app.db.$client.transaction(() => {
      rename('undone');
      const inner = fixture.app.db.$client.transaction(() => expect(recallName()).toBe('undone'));
      inner();
      expect(recallName()).toBe('undone');
      throw new Error('undo');
    });
    expect(() => undo.immediate()).toThrow('undo');
    expect(recallName()).toBe('kept');
  });

  it.each<[string, () => unknown]>([
    ['run', () => fixture.app.db.$client.prepare("UPDATE developers SET display_name = 'new'").run()],
    ['get', () => fixture.app.db.$client.prepare("UPDATE developers SET display_name = 'new' RETURNING id").get()],
    ['all', () => fixture.app.db.update(developers).set({ displayName: 'new' }).returning().all()],
    ['exec', () => fixture.app.db.$client.exec("UPDATE developers SET display_name = 'new'")],
    [
      'iterate',
      () => [...fixture.app.db.$client.prepare("UPDATE developers SET display_name = 'new' RETURNING id").iterate()],
    ],
  ])('reads again after a write by %s', (_name, write) => {
    rename('old');
    expect(recallName()).toBe('old');
    write();
    expect(recallName()).toBe('new');
  });

  it('separates the rows of a query by their second id', () => {
    const memory = rowCacheOf(fixture.app);
    expect(memory.getOrRead(query, 'thing', () => 1, 'a')).toBe(1);
    expect(memory.getOrRead(query, 'thing', () => 2, 'b')).toBe(2);
    expect(memory.getOrRead(query, 'thing', () => 3, 'a')).toBe(1);
  });

  it('separates the rows of two queries', () => {
    expect(rowCacheOf(fixture.app).getOrRead({}, 'a', () => 1)).toBe(1);
    expect(rowCacheOf(fixture.app).getOrRead({}, 'a', () => 2)).toBe(2);
  });

  it('forgets one row, and counts the rows that are left', () => {
    const cache = rowCacheOf(fixture.app) as RowCache & { size: number };
    const [first, second] = [{}, {}];
    const readBoth = (value: number) => [
      cache.getOrRead(first, 'a', () => value),
      cache.getOrRead(second, 'a', () => value),
    ];
    const before = cache.size;
    expect([readBoth(1), cache.size - before]).toEqual([[1, 1], 2]);
    cache.forget(first, 'a');
    cache.forget(first, 'a');
    cache.forget(first, 'unknown');
    expect(cache.size - before).toBe(1);
    expect([readBoth(2), cache.size - before]).toEqual([[2, 1], 2]);
    cache.forget(first, 'a');
    cache.forget(second, 'a');
    expect(cache.size - before).toBe(0);
    expect([readBoth(3), cache.size - before]).toEqual([[3, 3], 2]);
  });

  it('does not cache missing rows', () => {
    const other = {};
    expect(rowCacheOf(fixture.app).getOrRead(other, 'a', () => undefined as number | undefined)).toBeUndefined();
    expect(rowCacheOf(fixture.app).getOrRead(other, 'a', () => 2)).toBe(2);
  });

  it('notices changes by another process in the next turn of the event loop, or after 20 ms', async () => {
    const change = (name: string) => changeElsewhere(`UPDATE developers SET display_name = '${name}'`);
    await setImmediate();
    // A turn that seems long because the machine is busy would be noticed too.
    const started = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(started);
    try {
      rename('ours');
      checkForeignCommits(fixture.app);
      expect(recallName()).toBe('ours');
      change('theirs');
      checkForeignCommits(fixture.app);
      expect(recallName()).toBe('ours');
      await setImmediate();
      checkForeignCommits(fixture.app);
      expect(recallName()).toBe('theirs');
      change('later');
      now.mockReturnValue(started + 19);
      checkForeignCommits(fixture.app);
      expect(recallName()).toBe('theirs');
      now.mockReturnValue(started + 20);
      checkForeignCommits(fixture.app);
      expect(recallName()).toBe('later');
    } finally {
      now.mockRestore();
    }
  });

  it('is kept when times of last use are written', async () => {
    const path = '/api/v1/developers/me';
    expect((await api(fixture).get(path)).status).toBe(200);
    recallName();
    reads = 0;
    const { count } = fixture.app.db.writes;
    fixture.app.credentialUse.flush();
    expect(fixture.app.db.writes.count).toBeGreaterThan(count);
    recallName();
    expect(reads).toBe(0);
  });

  it('is cleared for a change before the times of last use are written', async () => {
    rename('old');
    expect((await api(fixture).get('/api/v1/developers/me')).status).toBe(200);
    expect(recallName()).toBe('old');
    rename('new');
    fixture.app.credentialUse.flush();
    expect(recallName()).toBe('new');
  });

  it('is cleared when a write fails that was to keep it', () => {
    recallName();
    reads = 0;
    const fail = () =>
      keepRowCache(fixture.app, () => {
        rename('failed');
        throw new Error('failed');
      });
    expect(fail).toThrow('failed');
    expect([recallName(), reads]).toEqual(['failed', 1]);
  });

  it('forgets the row of one id', () => {
    const cache = rowCacheOf(fixture.app);
    cache.getOrRead(query, 'a', () => 1);
    cache.getOrRead(query, 'b', () => 2);
    cache.forget(query, 'a');
    expect(cache.getOrRead(query, 'a', () => 3)).toBe(3);
    expect(cache.getOrRead(query, 'b', () => 4)).toBe(2);
  });
});

describe('a request after a change of access', () => {
  const path = () =>
    `/api/v1/builds?organization_id=${fixture.organization_id}&project_id=${fixture.android_project_id}`;

  it('is rejected immediately if this process revoked the session', async () => {
    expect((await api(fixture).get(path())).status).toBe(200);
    fixture.app.db
      .update(sessions)
      .set({ revokedAt: 1 })
      .where(eq(sessions.developerId, fixture.admin.developer_id))
      .run();
    expectRefusal(await api(fixture).get(path()), 401, 'unauthorized');
  });

  it('is rejected immediately if the session was revoked just before its last use is written', async () => {
    expect((await api(fixture).get(path())).status).toBe(200);
    fixture.app.db.update(sessions).set({ revokedAt: 1 }).run();
    fixture.app.credentialUse.flush();
    expectRefusal(await api(fixture).get(path()), 401, 'unauthorized');
  });

  it.each<[string, string, number, string]>([
    ['revoked the session', 'UPDATE sessions SET revoked_at = 1', 401, 'unauthorized'],
    ['locked the account', 'UPDATE developers SET locked_at = 1', 401, 'unauthorized'],
    ['removed the membership', 'DELETE FROM organization_memberships', 404, 'not_found'],
    ['removed the build', 'DELETE FROM builds', 404, 'not_found'],
  ])('is rejected immediately if another process %s', async (_, statement, status, code) => {
    const { organization_id, android_project_id: project_id } = fixture;
    const { identifier } = await uploadBuild(api(fixture), { organization_id, project_id }, readApiDemos());
    const build = `/api/v1/builds/${identifier}`;
    expect((await api(fixture).get(build)).status).toBe(200);
    changeElsewhere(statement);
    expectRefusal(await api(fixture).get(build), status, code);
  });

  it.each(['personal', 'project'])(
    'is rejected immediately if another process revoked its %s access token',
    async (kind) => {
      const { organization_id: organizationId } = fixture;
      const client =
        kind === 'project'
          ? api(fixture, fixture.project_access_token)
          : personalTokenClient(fixture, { developerId: fixture.admin.developer_id, organizationId, scopes: 1n });
      expect((await client.get(path())).status).toBe(200);
      changeElsewhere(`UPDATE ${kind}_access_tokens SET revoked_at = 1`);
      expectRefusal(await client.get(path()), 401, 'unauthorized');
    },
  );
});

function changeElsewhere(statement: string): void {
  const other = new Sqlite(fixture.config.database.file);
  other.exec(statement);
  other.close();
}
