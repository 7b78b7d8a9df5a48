// Cached rows, and all changes that must clear the cache.
import Sqlite from 'better-sqlite3';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkForeignCommits, rowCacheOf } from '../../src/data/row-cache.ts';
import { developers, sessions } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, expectRefusal } from '../support/harness.ts';

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

  it('does not cache missing rows', () => {
    const other = {};
    expect(rowCacheOf(fixture.app).getOrRead(other, 'a', () => undefined as number | undefined)).toBeUndefined();
    expect(rowCacheOf(fixture.app).getOrRead(other, 'a', () => 2)).toBe(2);
  });

  it('notices changes by another process', () => {
    rename('ours');
    checkForeignCommits(fixture.app);
    expect(recallName()).toBe('ours');
    changeElsewhere("UPDATE developers SET display_name = 'theirs'");
    expect(recallName()).toBe('ours');
    fixture.clock.advance(20);
    checkForeignCommits(fixture.app);
    expect(recallName()).toBe('theirs');
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

  it('is rejected within 20 ms if another process removed the membership', async () => {
    expect((await api(fixture).get(path())).status).toBe(200);
    changeElsewhere('DELETE FROM organization_memberships');
    fixture.clock.advance(20);
    expectRefusal(await api(fixture).get(path()), 404, 'not_found');
  });
});

function changeElsewhere(statement: string): void {
  const other = new Sqlite(fixture.config.database.file);
  other.exec(statement);
  other.close();
}
