// The fill that runs beside the server after an upgrade goes on after an error.
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Context } from '../../src/core/context.ts';
import { systemContext } from '../../src/core/transact.ts';
import { listFills } from '../../src/data/background-fills.ts';
import { type BackgroundFills, backgroundFillsOf, runFills } from '../../src/system/background-fills.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
  fixture.app.db.$client.exec("INSERT INTO background_fills VALUES ('version_keys', '', '', 0, 0)");
});
afterEach(() => fixture.stop());

/** Starts the fill with a context whose first transactions fail. */
function start(failures: Error[]): BackgroundFills {
  const ctx = systemContext(fixture.app);
  const transact: Context['transact'] = (work, options) => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return ctx.transact(work, options);
  };
  const state = backgroundFillsOf.open(fixture.app) as BackgroundFills;
  backgroundFillsOf.start?.(state, () => ({ ...ctx, transact }));
  return state;
}

it('continues when another process has locked the database', async () => {
  const busy = () => new Sqlite.SqliteError('database is locked', 'SQLITE_BUSY');
  const { done } = start([busy(), busy()]);
  await done;
  expect(listFills(fixture.app.db.$client)).toEqual([]);
});

it('waits after another error, and stops waiting with the server', async () => {
  const failures = [new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')];
  const state = start(failures);
  await expect.poll(() => failures).toEqual([]);
  const waiting = Symbol('waiting');
  expect(await Promise.race([state.done, Promise.resolve(waiting)])).toBe(waiting);
  await backgroundFillsOf.close?.(state);
  expect(listFills(fixture.app.db.$client)).toMatchObject([{ name: 'version_keys' }]);
});

it('pauses while the log is long because something reads an earlier state', async () => {
  const { db } = fixture.app;
  const ctx = systemContext(fixture.app);
  using reader = openSnapshot(db.$client.name);
  ctx.transact((tx) => tx.db.$client.exec('UPDATE projects SET name = name'), { bookkeeping: true });
  const measured = vi.spyOn(db.$client, 'pragma');
  const done = runFills(ctx, new AbortController().signal, { pages: 1, pauseMs: 1 });
  await expect.poll(() => measured.mock.calls.length).toBeGreaterThan(3);
  expect(listFills(db.$client)).toMatchObject([{ name: 'version_keys' }]);
  reader.close();
  const checkpoint = () => db.$client.pragma('wal_checkpoint(PASSIVE)');
  const fillOn = () => {
    checkpoint();
    return listFills(db.$client);
  };
  await expect.poll(fillOn).toEqual([]);
  checkpoint();
  await done;
});

it('ends its own snapshot while the log is long, so that it can be started over', async () => {
  const { db } = fixture.app;
  const { $client: client } = db;
  const ctx = systemContext(fixture.app);
  client.exec("DELETE FROM background_fills; INSERT INTO background_fills VALUES ('download_sums', '', '', 0, 0)");
  const subject = fixture.channel_id;
  client.prepare('INSERT OR REPLACE INTO download_sums VALUES (?, 3, 0, 0, 1, 1)').run(subject);
  for (const build of ['a', 'b', 'c']) {
    client.prepare('INSERT INTO download_totals VALUES (?, ?, 1, 1, 1)').run(subject, build);
  }
  client.pragma('wal_checkpoint(TRUNCATE)');
  let steps = 0;
  const transact: Context['transact'] = (work, options) => {
    steps += 1;
    const result = ctx.transact(work, options);
    // In the middle of the count of the channel.
    if (steps === 2) for (let page = 0; page < 40; page += 1) client.exec('UPDATE projects SET name = name');
    return result;
  };
  const done = runFills(
    { ...ctx, transact },
    new AbortController().signal,
    { pages: 30, pauseMs: 1 },
    { ms: 0, counted: 1 },
  );
  const fillOn = () => {
    client.pragma('wal_checkpoint(PASSIVE)');
    return listFills(client);
  };
  await expect.poll(fillOn).toEqual([]);
  await done;
  expect(client.prepare('SELECT builds, takers FROM download_sums WHERE subject_id = ?').get(subject)).toEqual({
    builds: 3,
    takers: 0,
  });
});

/** A connection that reads what the database has now. */
function openSnapshot(file: string) {
  const client = new Sqlite(file, { readonly: true });
  client.exec('BEGIN; SELECT count(*) FROM projects');
  return { close: () => client.close(), [Symbol.dispose]: () => client.close() };
}
