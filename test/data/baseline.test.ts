// The baseline: a new database has the tables that all migrations create, without running them.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BASELINE_FILE, findBaseline, writeBaseline } from '../../src/data/baseline.ts';
import { openDatabase } from '../../src/data/database.ts';
import {
  embeddedMigrations,
  isInterrupted,
  type Migration,
  migrateDatabase,
  migrationStatus,
} from '../../src/data/migrate.ts';
import { readAsset } from '../../src/lib/assets.ts';
import { systemClock } from '../../src/lib/clock.ts';

let folder: string;
let clients: Sqlite.Database[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baseline-'));
  clients = [];
});
afterEach(() => {
  for (const client of clients) client.close();
  rmSync(folder, { recursive: true });
});

function open(name = 'test.db'): Sqlite.Database {
  const { $client } = openDatabase({ file: join(folder, name), synchronous: 'normal', busyTimeoutMs: 1_000 });
  clients.push($client);
  return $client;
}

const all = embeddedMigrations();
/** The same migrations, which the baseline doesn't include: each of them is run. */
const withoutBaseline = (migrations: readonly Migration[]) =>
  migrations.map(({ name, statements }) => ({ name, statements }));
const namesOf = (migrations: readonly Migration[]) => migrations.map(({ name }) => name);
const included = () => findBaseline(all, all)?.included ?? [];
const schemaOf = (client: Sqlite.Database) =>
  client.prepare('SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name').all();

describe('a new database', () => {
  it('has what the migrations create, and is up to date', () => {
    const created = open('created.db');
    expect(migrateDatabase(created, systemClock)).toEqual(namesOf(all));
    const migrated = open('migrated.db');
    expect(migrateDatabase(migrated, systemClock, withoutBaseline(all))).toEqual(namesOf(all));
    expect(schemaOf(created)).toEqual(schemaOf(migrated));
    const tables = created.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    const rows = (client: Sqlite.Database) =>
      Object.fromEntries(tables.map((name) => [name, client.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()]));
    expect(rows(created)).toEqual(rows(migrated));
    expect(rows(created)).toEqual({
      ...Object.fromEntries(tables.map((name) => [name, 0])),
      schema_migrations: all.length,
    });
    expect(migrationStatus(created)).toEqual({ applied: namesOf(all), waiting: [], unknown: [] });
    expect(created.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(isInterrupted(created)).toBe(false);
  });

  it('gets the migrations after the baseline too', () => {
    const client = open();
    const next = { name: '9998_next', statements: ['ALTER TABLE projects ADD next_at integer'] };
    expect(migrateDatabase(client, systemClock, [...all, next])).toEqual([...namesOf(all), '9998_next']);
    expect(client.prepare('SELECT count(next_at) FROM projects').pluck().get()).toBe(0);
    expect(isInterrupted(client)).toBe(false);
  });

  it('is completed, without a copy of it, if a migration after the baseline failed', () => {
    const client = open();
    const broken = { name: '9998_broken', statements: ['SELECT nonsense'] };
    expect(() => migrateDatabase(client, systemClock, [...all, broken])).toThrow('nonsense');
    expect(migrationStatus(client).applied).toEqual(namesOf(all));
    expect(isInterrupted(client)).toBe(true);
    const fixed = { ...broken, statements: ['CREATE TABLE c (n INTEGER) STRICT'] };
    expect(migrateDatabase(client, systemClock, [...all, fixed])).toEqual(['9998_broken']);
    expect(isInterrupted(client)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes('.before-'))).toEqual([]);
  });

  it('is created once when two programs start simultaneously', () => {
    const [client, other] = [open(), open()];
    // Asked for the time between looking and writing.
    const clock = {
      now: () => new Date(),
      time() {
        migrateDatabase(other, systemClock);
        return Date.now();
      },
    };
    migrateDatabase(client, clock);
    expect(migrationStatus(client)).toEqual({ applied: namesOf(all), waiting: [], unknown: [] });
  });
});

describe('the baseline', () => {
  it('is what scripts/baseline writes for the migrations that it includes', () => {
    const client = open();
    const migrations = included();
    migrateDatabase(client, systemClock, withoutBaseline(migrations));
    expect(migrations.length).toBeGreaterThan(0);
    const written = writeBaseline(client, migrations.at(-1)?.name ?? '');
    expect(written).toBe(readAsset(`migrations/${BASELINE_FILE}`).toString('utf8'));
  });

  it('is not used for other migrations', () => {
    expect(findBaseline(all.slice(0, included().length - 1), all)).toBeUndefined();
    expect(findBaseline(withoutBaseline(all), all)).toBeUndefined();
  });

  it('without the name of a migration is an error', () => {
    expect(() => findBaseline([], [])).toThrow('baseline.sql names no migration: run scripts/baseline');
  });
});
