// Upgrades from every released version: a database written by it migrates, and every row is still there.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { is, Table } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { embeddedMigrations, migrateDatabase, migrationStatus } from '../../src/data/migrate.ts';
import * as tables from '../../src/data/tables/tables.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { columnsOf, readTables, releasedDatabases, tableNames, unpackDatabase } from './released.ts';

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

describe('a released migration', () => {
  it.each(Object.entries(released))('never changes: %s', (name, sha256) => {
    const bytes = readFileSync(join(import.meta.dirname, '../../migrations', name));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  });
});

describe.each(releasedDatabases)('the database of version %s', (name) => {
  it('has rows in every table', () => {
    using database = unpackDatabase(name);
    const { $client: client } = database.open();
    expect(
      tableNames(client).filter((table) => client.prepare(`SELECT 1 FROM "${table}"`).get() === undefined),
    ).toEqual([]);
    client.close();
  });

  it('migrates to this version and keeps all rows', () => {
    using database = unpackDatabase(name);
    const { $client: client } = database.open();
    const columns = columnsOf(client);
    const before = readTables(client, columns);
    migrateDatabase(client, systemClock);
    expect(migrationStatus(client).waiting).toEqual([]);
    expect(readTables(client, columns)).toEqual(before);
    expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(client.pragma('foreign_key_check')).toEqual([]);
    client.close();
  });

  it('can then be read by every query of this version', () => {
    using database = unpackDatabase(name);
    const db = database.open();
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
