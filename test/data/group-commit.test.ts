// When commits are flushed: the server's after they're made, together, and a command's when SQLite has released its locks.
import { fdatasyncSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Db, openDatabase } from '../../src/data/database.ts';
import { flushAfterCommits, startGroupCommit } from '../../src/data/group-commit.ts';

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'a.db');
}

function open(file = temporaryFile()): Db {
  const db = openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0 });
  onTestFinished(() => void db.$client.close());
  db.$client.exec('CREATE TABLE IF NOT EXISTS numbers (n INTEGER) STRICT');
  return db;
}

const synchronousOf = ({ $client: client }: Db) => client.pragma('synchronous', { simple: true });
const [NORMAL, FULL] = [1, 2];

describe('a command', () => {
  it('flushes each commit before the write returns, without holding the lock of writers', async () => {
    const db = open();
    const other = open(db.$client.name);
    const flushed: unknown[] = [];
    const end = flushAfterCommits(db, (handle) => {
      fdatasyncSync(handle);
      // Fails at once if another connection has the lock.
      other.$client.exec('BEGIN IMMEDIATE; COMMIT');
      flushed.push(other.$client.prepare('SELECT max(n) FROM numbers').pluck().get());
    });
    expect(synchronousOf(db)).toBe(NORMAL);
    const add = db.$client.prepare('INSERT INTO numbers VALUES (?)');
    // The first one is flushed by opening the log.
    add.run(1);
    expect(flushed).toEqual([]);
    add.run(2);
    expect(flushed).toEqual([2]);
    db.$client
      .transaction(() => {
        add.run(3);
        db.$client.transaction(() => add.run(4))();
        expect(flushed).toEqual([2]);
      })
      .immediate();
    expect(flushed).toEqual([2, 4]);
    db.$client.exec('INSERT INTO numbers VALUES (5)');
    db.$client.prepare('INSERT INTO numbers VALUES (6) RETURNING n').get();
    db.$client.prepare('INSERT INTO numbers VALUES (7) RETURNING n').all();
    expect(flushed).toEqual([2, 4, 5, 6, 7]);
    await end();
    expect(synchronousOf(db)).toBe(FULL);
    add.run(8);
    expect(flushed).toEqual([2, 4, 5, 6, 7]);
  });

  it('flushes nothing for reads and for what is rolled back', async () => {
    const db = open();
    let flushes = 0;
    const end = flushAfterCommits(db, () => {
      flushes += 1;
    });
    const add = db.$client.prepare('INSERT INTO numbers VALUES (?)');
    add.run(1);
    db.$client.prepare('SELECT * FROM numbers').all();
    const undo = db.$client.transaction(() => {
      add.run(2);
      throw new Error('undo');
    });
    expect(undo).toThrow('undo');
    expect(flushes).toBe(0);
    await end();
  });

  it('flushes what several statements committed before one that failed', async () => {
    const db = open();
    let flushes = 0;
    const end = flushAfterCommits(db, () => {
      flushes += 1;
    });
    db.$client.exec('INSERT INTO numbers VALUES (1)');
    expect(() => db.$client.exec('INSERT INTO numbers VALUES (2); INSERT INTO missing VALUES (3)')).toThrow('missing');
    expect(flushes).toBe(1);
    await end();
  });

  it('fails with the error of a failed flush', async () => {
    const db = open();
    const errors: unknown[] = [];
    db.writes.onError = (error) => errors.push(error);
    const end = flushAfterCommits(db, () => {
      throw new Error('EIO: i/o error, fdatasync');
    });
    const add = db.$client.prepare('INSERT INTO numbers VALUES (?)');
    add.run(1);
    expect(() => add.run(2)).toThrow(
      expect.objectContaining({ code: 'SQLITE_IOERR_FSYNC', message: 'flush of the log: EIO: i/o error, fdatasync' }),
    );
    expect(errors[0]).toMatchObject({ code: 'SQLITE_IOERR_FSYNC' });
    await end();
  });
});

describe('a server', () => {
  it('waits for a flush of the commits that it can see, also of another process', async () => {
    const db = open();
    const command = new Sqlite(db.$client.name);
    onTestFinished(() => void command.close());
    const end = startGroupCommit(db, undefined);
    const { durability } = db;
    expect(durability.settle()).toBeUndefined();
    db.$client.exec('INSERT INTO numbers VALUES (1)');
    const own = durability.settle();
    expect(own).toBeInstanceOf(Promise);
    await own;
    expect(durability.settle()).toBeUndefined();
    command.exec('INSERT INTO numbers VALUES (2)');
    const foreign = durability.settle();
    expect(foreign).toBeInstanceOf(Promise);
    expect(durability.settle()).toBe(foreign);
    await foreign;
    expect(durability.settle()).toBeUndefined();
    await end();
  });

  it('flushes once more for a commit that comes during a flush', async () => {
    const db = open();
    const command = new Sqlite(db.$client.name);
    onTestFinished(() => void command.close());
    const end = startGroupCommit(db, undefined);
    db.$client.exec('INSERT INTO numbers VALUES (1)');
    const first = db.durability.settle();
    // Its system call has begun.
    await new Promise((resolve) => setImmediate(resolve));
    command.exec('INSERT INTO numbers VALUES (2)');
    const second = db.durability.settle();
    expect(second).not.toBe(first);
    await first;
    expect(db.durability.settle()).toBeInstanceOf(Promise);
    await second;
    expect(db.durability.settle()).toBeUndefined();
    await end();
  });

  it('ends with all flushes, also one that waited for another', async () => {
    const db = open();
    const end = startGroupCommit(db, undefined);
    db.$client.exec('INSERT INTO numbers VALUES (1)');
    const first = db.durability.settle();
    await new Promise((resolve) => setImmediate(resolve));
    db.$client.exec('INSERT INTO numbers VALUES (2)');
    const second = db.durability.settle();
    await Promise.all([end(), first, second]);
    expect(db.durability.settle()).toBeUndefined();
  });
});
