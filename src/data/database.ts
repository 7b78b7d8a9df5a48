// The database: one connection, opened with the durability the product promises, and queries prepared once.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BetterSQLite3Database, BetterSQLiteSession } from 'drizzle-orm/better-sqlite3';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import { countWrites, type Writes } from './change-count.ts';

export type Db = BetterSQLite3Database & { $client: Sqlite.Database; writes: Writes };

export interface DatabaseOptions {
  file: string;
  synchronous: 'full' | 'normal';
  busyTimeoutMs: number;
  /** Path of SQLite's native addon when it lies outside node_modules. */
  nativeBinding?: string | undefined;
}

/**
 * SQLite plans a join anew whenever a bare `?` in it is given a value, which costs ten times what running it does. Behind a
 * plus sign, which changes neither value nor meaning, it keeps the plan.
 */
class PlanKeepingDialect extends SQLiteSyncDialect {
  override escapeParam(): string {
    return '+?';
  }
}

/** Where the native addon of each connection was loaded from. */
const nativeBindings = new WeakMap<Sqlite.Database, string>();

/** Opens an empty database in memory with the addon that another connection uses. */
export function openScratchDatabase(like: Sqlite.Database): Sqlite.Database {
  const nativeBinding = nativeBindings.get(like);
  return new Sqlite(':memory:', nativeBinding === undefined ? {} : { nativeBinding });
}

/**
 * Runs work that may need temporary space as large as the database, such as compacting it or building indexes. SQLite then
 * uses files in the folder of the database instead of memory.
 */
export function withTemporaryFiles<T>(client: Sqlite.Database, work: () => T): T {
  client.pragma('temp_store = FILE');
  try {
    return work();
  } finally {
    client.pragma('temp_store = MEMORY');
  }
}

/** Opens the file (made when absent) in WAL mode with foreign keys enforced. Migrations are a step of their own. */
export function openDatabase(options: DatabaseOptions): Db {
  mkdirSync(dirname(options.file), { recursive: true });
  makePrivate(options.file);
  // Read when SQLite is loaded. Other folders for temporary files may be small, in memory, or not there at all.
  process.env.SQLITE_TMPDIR ??= dirname(options.file);
  const client = new Sqlite(options.file, {
    timeout: options.busyTimeoutMs,
    ...(options.nativeBinding === undefined ? {} : { nativeBinding: options.nativeBinding }),
  });
  if (options.nativeBinding !== undefined) nativeBindings.set(client, options.nativeBinding);
  client.pragma('journal_mode = WAL');
  client.pragma(`synchronous = ${options.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
  client.pragma('foreign_keys = ON');
  // Deleted and replaced values are overwritten with zeros: mails carry links, accounts hashes and addresses.
  client.pragma('secure_delete = ON');
  client.pragma('temp_store = MEMORY');
  client.pragma('cache_size = -16384');
  client.pragma('trusted_schema = OFF');
  const dialect = new PlanKeepingDialect();
  const session = new BetterSQLiteSession<Record<string, never>, Record<string, never>>(client, dialect, undefined);
  const writes = countWrites(client);
  return Object.assign(new BetterSQLite3Database('sync', dialect, session, undefined), { $client: client, writes });
}

/**
 * Makes the file empty and its owner's alone when it is absent; SQLite gives its journals the same mode. It holds password
 * hashes, and mails with links that work once, and its folder may be open to others.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It is there, or cannot be made: SQLite tells what is wrong.
  }
}

/**
 * A query that is built and prepared once for each database: `const findX = prepared((db) => db.select()….prepare())`,
 * then `findX(ctx).get({ id })`. Building a query costs many times what running it does.
 */
export function prepared<Query>(build: (db: Db) => Query): (ctx: { db: Db }) => Query {
  const queries = new WeakMap<Db, Query>();
  return ({ db }) => {
    let query = queries.get(db);
    if (query === undefined) {
      query = build(db);
      queries.set(db, query);
    }
    return query;
  };
}
