// Databases of released versions, and their rows.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type Sqlite from 'better-sqlite3';
import { type Db, openDatabase } from '../../src/data/database.ts';

/** The files of the databases, by version. */
export const releasedDatabases = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.db.gz'));

export interface Unpacked extends Disposable {
  file: string;
  open(): Db;
}

/** Unpacks a database as `taxiway.db` in a folder, by default one of its own. */
export function unpackDatabase(name: string, folder = mkdtempSync(join(tmpdir(), 'upgrade-'))): Unpacked {
  const file = join(folder, 'taxiway.db');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, name))));
  return {
    file,
    open: () => openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 1_000 }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What migrations change in old rows on purpose: by table, the columns they drop or fill. */
const changedOnPurpose: Record<string, readonly string[]> = {
  // A link no longer sets a password or a name when it is opened.
  account_links: ['password_hash', 'display_name'],
  // The first build's identifier is pinned.
  projects: ['bundle_identifier'],
};

/** The columns of each table that every later version keeps. */
type Columns = ReadonlyMap<string, readonly string[]>;

export function columnsOf(client: Sqlite.Database): Columns {
  return new Map(
    tableNames(client).map((table) => {
      const changed = changedOnPurpose[table] ?? [];
      return [table, columnNames(client, table).filter((column) => !changed.includes(column))];
    }),
  );
}

type Row = Record<string, unknown>;

/** Every row of every table, as text that can be compared. */
export function readTables(client: Sqlite.Database, columns: Columns): Map<string, string[]> {
  return new Map(
    [...columns].map(([table, names]) => {
      const list = names.map((name) => `"${name}"`).join(', ');
      const rows = client.prepare<[], Row>(`SELECT ${list} FROM "${table}"`).all();
      return [table, rows.map((row) => JSON.stringify(row)).sort()];
    }),
  );
}

export function tableNames(client: Sqlite.Database): string[] {
  return client
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all()
    .filter((name) => name !== 'schema_migrations');
}

function columnNames(client: Sqlite.Database, table: string): string[] {
  return (client.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name);
}
