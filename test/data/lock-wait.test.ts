// Waiting for the lock of writers while another connection has it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openApp } from '../../src/app.ts';
import { configFrom } from '../../src/config.ts';
import { type Db, openDatabase } from '../../src/data/database.ts';
import { compactIfSmall } from '../../src/data/erasure.ts';
import { restAfterCommits, takeLock, waitInRounds } from '../../src/data/lock-wait.ts';
import { startFixture } from '../../src/testing/fixture.ts';

const TIMEOUT_MS = 200;

let folder: string;
let db: Db;
/** Takes the lock of writers as a command in another process would. */
let other: Sqlite.Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-lock-'));
  const file = join(folder, 'a.db');
  db = openDatabase({ file, synchronous: 'off', busyTimeoutMs: TIMEOUT_MS });
  db.$client.exec('CREATE TABLE notes (text TEXT)');
  other = new Sqlite(file);
});
afterEach(() => {
  other.close();
  db.$client.close();
  rmSync(folder, { recursive: true, force: true });
});

const readTimeout = ({ $client: client } = db) => client.pragma('busy_timeout', { simple: true });
const notes = () => other.prepare('SELECT text FROM notes').pluck().all();
const insert = () => db.$client.prepare("INSERT INTO notes VALUES ('ours')");

describe('waiting for the lock of writers', () => {
  it('looks again after short rounds, until the lock is free', () => {
    waitInRounds(db.$client);
    expect(readTimeout()).toBe(3);
    other.exec('BEGIN IMMEDIATE');
    let attempts = 0;
    takeLock(() => {
      attempts += 1;
      if (attempts === 5) other.exec('COMMIT');
      db.$client.exec('BEGIN IMMEDIATE');
    }, TIMEOUT_MS);
    expect(attempts).toBe(5);
  });

  it.each([
    ['a statement', () => insert().run()],
    ['a statement that returns rows', () => db.$client.prepare("INSERT INTO notes VALUES ('ours') RETURNING *").all()],
    ['a statement that returns a row', () => db.$client.prepare("INSERT INTO notes VALUES ('ours') RETURNING *").get()],
    ['a transaction', () => db.$client.transaction(() => insert().run()).immediate()],
  ])('waits the whole time for %s, in rounds and by SQLite alone', (_name, write) => {
    for (const isInRounds of [false, true]) {
      if (isInRounds) waitInRounds(db.$client);
      other.exec('BEGIN IMMEDIATE');
      const begin = performance.now();
      expect(write).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }));
      expect(performance.now() - begin).toBeGreaterThanOrEqual(TIMEOUT_MS - 10);
      other.exec('COMMIT');
    }
    write();
    expect(notes()).toEqual(['ours']);
  });

  it('never waits longer than the connection', () => {
    db.$client.pragma('busy_timeout = 1');
    waitInRounds(db.$client);
    expect(readTimeout()).toBe(1);
  });

  it('never repeats the work of a transaction, even if it throws the same code', () => {
    let runs = 0;
    const work = db.$client.transaction(() => {
      runs += 1;
      insert().run();
      throw Object.assign(new Error('of another database'), { code: 'SQLITE_BUSY' });
    });
    expect(() => work.immediate()).toThrow('of another database');
    expect(runs).toBe(1);
    expect(notes()).toEqual([]);
  });

  it('is left to SQLite in a transaction that began without the lock', () => {
    waitInRounds(db.$client);
    other.exec('BEGIN IMMEDIATE');
    const run = vi.spyOn(Object.getPrototypeOf(insert()), 'run');
    onTestFinished(() => run.mockRestore());
    const statement = insert();
    const write = db.$client.transaction(() => statement.run());
    expect(() => write()).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }));
    expect(run.mock.contexts.filter((one) => one === statement)).toHaveLength(1);
    expect(db.$client.inTransaction).toBe(false);
  });

  it('repeats a write while another process rebuilds the index of the log, and nothing that failed otherwise', () => {
    const failures = ['SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY_SNAPSHOT'];
    const attempt = () => {
      throw new Sqlite.SqliteError('busy', String(failures.shift()));
    };
    expect(() => takeLock(attempt, 60_000)).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY_SNAPSHOT' }));
    expect(failures).toEqual([]);
  });

  it('compacts a database as soon as another process releases the lock', () => {
    db.$client.exec(
      'INSERT INTO notes SELECT hex(randomblob(2000)) FROM json_each(json_array(1, 2, 3, 4, 5, 6, 7, 8))',
    );
    db.$client.exec('DELETE FROM notes');
    const countFree = () => db.$client.pragma('freelist_count', { simple: true });
    expect(countFree()).toBeGreaterThan(0);
    const patient = openDatabase({ file: db.$client.name, synchronous: 'off', busyTimeoutMs: 50_000 });
    waitInRounds(patient.$client);
    other.exec('BEGIN IMMEDIATE');
    let attempts = 0;
    const statements = Object.getPrototypeOf(insert());
    const { run } = statements;
    const spy = vi.spyOn(statements, 'run').mockImplementation(function (this: Sqlite.Statement) {
      if (this.source === 'VACUUM') attempts += 1;
      if (attempts === 5) other.exec('COMMIT');
      return run.call(this);
    });
    onTestFinished(() => spy.mockRestore());
    compactIfSmall({ db: patient, log: pino({ level: 'silent' }) });
    patient.$client.close();
    expect(attempts).toBe(5);
    expect(countFree()).toBe(0);
  });

  it('is short beside a command, which rests after a commit if its last rest was a while ago', () => {
    const events: string[] = [];
    let time = 0;
    db.writes.onCommit = () => events.push(`flush at ${time}`);
    restAfterCommits(db.writes, {
      now: () => time,
      sleep: (ms) => {
        events.push(`rest ${ms}`);
        time += ms;
      },
    });
    for (const at of [4, 9, 10, 19, 26]) {
      time = Math.max(time, at);
      db.$client.transaction(() => insert().run()).immediate();
    }
    expect(events).toEqual([
      'flush at 4',
      'flush at 9',
      'flush at 10',
      'rest 5',
      'flush at 19',
      'flush at 26',
      'rest 5',
    ]);
  });

  it('fails immediately for a read that is too old to write on', () => {
    const write = db.$client.transaction(() => {
      db.$client.prepare('SELECT count(*) FROM notes').get();
      other.exec("INSERT INTO notes VALUES ('theirs')");
      insert().run();
    });
    expect(() => write()).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY_SNAPSHOT' }));
    expect(notes()).toEqual(['theirs']);
  });

  it('tells the watcher of errors about the last failure only', () => {
    const seen: unknown[] = [];
    db.writes.onError = (error) => seen.push(error);
    waitInRounds(db.$client);
    other.exec('BEGIN IMMEDIATE');
    expect(() => insert().run()).toThrow();
    expect(seen).toEqual([expect.objectContaining({ code: 'SQLITE_BUSY' })]);
  });

  it('finds a command resting between its commits, which it also flushes', async () => {
    const config = configFrom({
      server: { data_dir: folder },
      database: { synchronous: 'full' },
      log: { level: 'silent' },
    });
    const { app, close } = await openApp(config);
    const rest = vi.spyOn(Atomics, 'wait');
    onTestFinished(() => rest.mockRestore());
    const { $client: client } = app.db;
    client.exec('CREATE TABLE notes (note TEXT)');
    const write = client.transaction(() => client.prepare("INSERT INTO notes VALUES ('x')").run());
    const end = performance.now() + 20_000;
    while (rest.mock.calls.length < 2 && performance.now() < end) write.immediate();
    expect(rest.mock.calls.slice(0, 2).map(([, , , ms]) => ms)).toEqual([5, 5]);
    // Set by what flushes after each commit, instead of SQLite during it.
    expect(client.pragma('synchronous', { simple: true })).toBe(1);
    await close();
  });

  it('is what a server does, and not a command', async () => {
    const { app: command, close } = await openApp(
      configFrom({ server: { data_dir: folder }, log: { level: 'silent' } }),
    );
    expect(readTimeout(command.db)).toBe(5_000);
    await close();
    const server = await startFixture();
    expect(readTimeout(server.app.db)).toBe(3);
    await server.stop();
  });
});
