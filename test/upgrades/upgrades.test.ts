// Upgrades from every released version: a database written by it migrates, and every row is still there.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type Sqlite from 'better-sqlite3';
import { is, Table } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { afterEach, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../src/data/database.ts';
import { embeddedMigrations, migrateDatabase, migrationStatus } from '../../src/data/migrate.ts';
import * as tables from '../../src/data/tables/tables.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** SHA-256 of each released migration. A released migration never changes: databases that have it would not get the change. */
const released = {
  // 0.1.0
  '0000_spine.sql': 'a23751d3b0d839b87868026cb7111d684f35fff8a6f0609d7041abf6b51879c6',
  // 0.2.0
  '0001_build_texts.sql': 'd002cccfcb5ea0bb56b006735ddcd7d916becd7b7f0f1a9f9f80c91aee8aa08d',
  '0002_ways_in.sql': '7ce3d914723602207f868c2fdab48ee8cb372034b49ca39e36708196a6b1979e',
  '0003_standing.sql': '3e52fdb7e6c5a52a98b3c5f380fccf1790df71c7d6571ce4db48966c42d39885',
  '0004_stored_packages.sql': '2dc4b8ef9d2f0661e33651f29dc2709a1cd8f91f4cec71bb8ff2d9224d33cdf7',
  '0005_removals_and_traces.sql': '1ec030a0ab1c851c5968948145f7c385bc1207378cff7c430789d4a1f6855c13',
};

/** What migrations change in old rows on purpose: by table, the columns they drop or fill. */
const changedOnPurpose: Record<string, readonly string[]> = {
  // A link no longer sets a password or a name when it is opened.
  account_links: ['password_hash', 'display_name'],
  // The first build's identifier is pinned.
  projects: ['bundle_identifier'],
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function unpack(name: string): Db {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  folders.push(folder);
  const file = join(folder, 'taxiway.db');
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, name))));
  return openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 1_000 });
}

type Row = Record<string, unknown>;

/** Every row of every table, as text that can be compared; a row's columns are those asked for. */
function readRows(client: Sqlite.Database, table: string, columns: readonly string[]): string[] {
  const list = columns.map((column) => `"${column}"`).join(', ');
  const rows = client.prepare<[], Row>(`SELECT ${list} FROM "${table}"`).all();
  return rows.map((row) => JSON.stringify(row)).sort();
}

function tableNames(client: Sqlite.Database): string[] {
  return client
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all()
    .filter((name) => name !== 'schema_migrations');
}

function columnNames(client: Sqlite.Database, table: string): string[] {
  return (client.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name);
}

describe('a released migration', () => {
  it.each(Object.entries(released))('never changes: %s', (name, sha256) => {
    const bytes = readFileSync(join(import.meta.dirname, '../../migrations', name));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  });
});

const databases = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.db.gz'));

describe.each(databases)('the database of version %s', (name) => {
  it('has rows in every table', () => {
    const { $client: client } = unpack(name);
    expect(
      tableNames(client).filter((table) => client.prepare(`SELECT 1 FROM "${table}"`).get() === undefined),
    ).toEqual([]);
    client.close();
  });

  it('migrates to this version and keeps all rows', () => {
    const db = unpack(name);
    const { $client: client } = db;
    const before = tableNames(client).map((table) => {
      const changed = changedOnPurpose[table] ?? [];
      const columns = columnNames(client, table).filter((column) => !changed.includes(column));
      return { table, columns, rows: readRows(client, table, columns) };
    });
    migrateDatabase(client, systemClock);
    expect(migrationStatus(client).waiting).toEqual([]);
    for (const { table, columns, rows } of before) {
      expect(readRows(client, table, columns), table).toEqual(rows);
    }
    expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(client.pragma('foreign_key_check')).toEqual([]);
    client.close();
  });

  it('can then be read by every query of this version', () => {
    const db = unpack(name);
    migrateDatabase(db.$client, systemClock);
    for (const table of Object.values(tables)) {
      if (is(table, Table))
        expect(() =>
          db
            .select()
            .from(table as SQLiteTable)
            .all(),
        ).not.toThrow();
    }
    db.$client.close();
  });
});

describe('the released migrations', () => {
  it('are the first ones of the program', () => {
    const names = embeddedMigrations().map((migration) => `${migration.name}.sql`);
    expect(names.slice(0, Object.keys(released).length)).toEqual(Object.keys(released));
  });
});
