// Commits of a command: they're flushed, and followed by a rest, without the lock that the server needs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Db, openDatabase } from '../../src/data/database.ts';
import { shareWriteLock } from '../../src/data/lock-sharing.ts';

let folder: string;
let db: Db;
let server: Sqlite.Database;
/** What happened, and whether the server could write and saw the rows meanwhile. */
let seen: string[];
let end: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-lock-'));
  const file = join(folder, 'a.db');
  db = openDatabase({ file, synchronous: 'full', busyTimeoutMs: 1_000 });
  db.$client.exec('CREATE TABLE a (x INTEGER PRIMARY KEY)');
  server = new Sqlite(file, { timeout: 0 });
  const rows = server.prepare<[], number>('SELECT count(*) FROM a').pluck();
  seen = [];
  const note = (what: string) => {
    server.exec('BEGIN IMMEDIATE');
    seen.push(`${what} after ${rows.get()} rows`);
    server.exec('COMMIT');
  };
  end = shareWriteLock(db, { flush: () => note('flushed'), rest: (ms) => note(`rested for ${ms} ms`) });
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  server.close();
  db.$client.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Takes as long on the test's clock. */
const insert = (x: number, ms = 0) => {
  vi.advanceTimersByTime(ms);
  db.$client.prepare('INSERT INTO a VALUES (?)').run(x);
};

it('flushes a transaction once, and leaves the lock to others for as long as it took', () => {
  const both = db.$client.transaction(() => {
    insert(1, 5);
    // A part of it.
    db.$client.transaction(() => insert(2, 10))();
  });
  both.immediate();
  expect(seen).toEqual(['flushed after 2 rows', 'rested for 15 ms after 2 rows']);
  expect(db.$client.pragma('synchronous', { simple: true })).toBe(1);
});

it('rests for a limited time after a long transaction', () => {
  db.$client.transaction(() => insert(1, 3_000)).immediate();
  expect(seen).toEqual(['flushed after 1 rows', 'rested for 100 ms after 1 rows']);
});

it('flushes statements outside of a transaction, and a transaction of statements at its end', () => {
  insert(1);
  db.$client.exec('INSERT INTO a VALUES (2)');
  expect(seen.filter((text) => text.startsWith('flushed'))).toEqual(['flushed after 1 rows', 'flushed after 2 rows']);
  seen = [];
  db.$client.exec('BEGIN');
  insert(3);
  expect(seen).toEqual([]);
  db.$client.exec('ROLLBACK');
  seen = [];
  end();
  expect(seen).toEqual(['flushed after 2 rows']);
  insert(4);
  expect(seen).toEqual(['flushed after 2 rows']);
  expect(db.$client.pragma('synchronous', { simple: true })).toBe(2);
});
