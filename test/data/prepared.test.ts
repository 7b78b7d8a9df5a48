// Prepared queries: built once per process, and prepared in each database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Db, openDatabase, prepared } from '../../src/data/database.ts';

const notes = sqliteTable('notes', { id: integer().primaryKey(), text: text().notNull() });
const opened: Db[] = [];
let folder: string;

function open(...texts: string[]): Db {
  const file = join(folder, `${opened.length}.db`);
  const db = openDatabase({ file, synchronous: 'off', busyTimeoutMs: 1_000 });
  opened.push(db);
  db.$client.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
  for (const text of texts) db.insert(notes).values({ text }).run();
  return db;
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-prepared-'));
});
afterEach(() => {
  for (const db of opened.splice(0)) db.$client.close();
  rmSync(folder, { recursive: true });
});

it('returns the rows of the database that it is asked with, also after another one was closed', () => {
  let builds = 0;
  const findNote = prepared((db) => {
    builds += 1;
    return db
      .select()
      .from(notes)
      .where(eq(notes.id, sql.placeholder('id')))
      .prepare();
  });
  const [first, second] = [open('one'), open('two', 'three')];
  expect(findNote({ db: first }).get({ id: 1 })).toEqual({ id: 1, text: 'one' });
  first.$client.close();
  expect(findNote({ db: second }).all({ id: 2 })).toEqual([{ id: 2, text: 'three' }]);
  expect(findNote({ db: second }).get({ id: 1 })).toEqual({ id: 1, text: 'two' });
  expect(findNote({ db: second })).toBe(findNote({ db: second }));
  expect(builds).toBe(1);
});

it('builds statements of the driver for each database', () => {
  const countNotes = prepared((db) => db.$client.prepare<[], number>('SELECT count(*) FROM notes').pluck());
  expect([open('one'), open('two', 'three')].map((db) => countNotes({ db }).get())).toEqual([1, 2]);
});
