// The database: one connection with the required durability, and prepared queries.
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BetterSQLite3Database, BetterSQLiteSession, PreparedQuery } from 'drizzle-orm/better-sqlite3';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import { makeFolderNow } from '../lib/durable-file.ts';
import { countWrites, type Writes } from './change-count.ts';
import { leaveCheckpoints } from './checkpoints.ts';
import { type Durability, settledByCommit } from './durability.ts';

export type Db = BetterSQLite3Database & {
  $client: Sqlite.Database;
  writes: Writes;
  durability: Durability;
  /** What `prepared` made for it, by the number of the query. */
  prepared: unknown[];
};

export interface DatabaseOptions {
  file: string;
  /** When commits wait for the disk. `off` is for data that needn't outlive the machine, such as that of tests. */
  synchronous: 'full' | 'normal' | 'off';
  busyTimeoutMs: number;
  /** Whether Litestream replicates the database. Only Litestream checkpoints it then. */
  isReplicated?: boolean | undefined;
  /** Path of SQLite's native addon if it isn't in node_modules. */
  nativeBinding?: string | undefined;
}

/**
 * SQLite replans a join whenever a plain `?` in it is bound, which costs ten times the execution. With a unary plus, which
 * changes neither value nor meaning, it keeps the plan.
 */
class PlanKeepingDialect extends SQLiteSyncDialect {
  override escapeParam(): string {
    return '+?';
  }
}

/** The path that each connection's native addon was loaded from. */
const nativeBindings = new WeakMap<Sqlite.Database, string>();

/** Returns the path that a connection's native addon was loaded from, if the program named it. */
export function nativeBindingOf(client: Sqlite.Database): string | undefined {
  return nativeBindings.get(client);
}

/** Opens an empty in-memory database with the same native addon as another connection. */
export function openScratchDatabase(like: Sqlite.Database): Sqlite.Database {
  const nativeBinding = nativeBindings.get(like);
  return new Sqlite(':memory:', nativeBinding === undefined ? {} : { nativeBinding });
}

/** Opens another connection to the same file, which only reads: a snapshot of its own, while the first one writes. */
export function openReader(like: Sqlite.Database): Sqlite.Database {
  const nativeBinding = nativeBindings.get(like);
  return new Sqlite(like.name, { readonly: true, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
}

/**
 * Runs work that may need temporary space as large as the database, such as VACUUM or building indexes. During the work, SQLite
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

/** Opens the file, created if missing, in WAL mode with foreign keys enforced. Doesn't run migrations. */
export function openDatabase(options: DatabaseOptions): Db {
  makeFolderNow(dirname(options.file));
  makePrivate(options.file);
  // SQLite reads this when it's loaded. Other folders for temporary files may be small, in memory, or missing.
  process.env.SQLITE_TMPDIR ??= dirname(options.file);
  const client = new Sqlite(options.file, {
    timeout: options.busyTimeoutMs,
    ...(options.nativeBinding === undefined ? {} : { nativeBinding: options.nativeBinding }),
  });
  if (options.nativeBinding !== undefined) nativeBindings.set(client, options.nativeBinding);
  client.pragma('journal_mode = WAL');
  client.pragma(`synchronous = ${options.synchronous}`);
  client.pragma('foreign_keys = ON');
  // Deleted and replaced values are overwritten with zeros, because emails contain links and accounts contain hashes and addresses.
  client.pragma('secure_delete = ON');
  client.pragma('temp_store = MEMORY');
  client.pragma('cache_size = -16384');
  client.pragma('trusted_schema = OFF');
  if (options.isReplicated === true) leaveCheckpoints(client);
  return wrap(client, options.busyTimeoutMs);
}

/** Returns a connection in the form that queries take. Its writes wait for the lock of writers for `busyTimeoutMs`. */
export function wrap(client: Sqlite.Database, busyTimeoutMs = 0): Db {
  const dialect = new PlanKeepingDialect();
  const session = new BetterSQLiteSession<Record<string, never>, Record<string, never>>(client, dialect, undefined);
  const writes = countWrites(client, busyTimeoutMs);
  return Object.assign(new BetterSQLite3Database('sync', dialect, session, undefined), {
    $client: client,
    writes,
    durability: settledByCommit,
    prepared: [],
  });
}

/**
 * Creates a database's file with access for its owner only, if it's missing. SQLite gives its journals the same mode. The database
 * contains password hashes and emails with single-use links, and its folder may be readable by others.
 */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists or can't be created. In the second case, SQLite reports the reason.
  }
}

/** The number of calls of `prepared`. */
let queryCount = 0;

/**
 * Returns a query that is built and prepared once per database: `const findX = prepared((db) => db.select()….prepare())`, then
 * `findX(ctx).get({ id })`. Building a query costs many times its execution. Its SQL is the same for every database, so it's built
 * once per process and only prepared again: `build` must not depend on the content of the database.
 */
export function prepared<Query>(build: (db: Db) => Query): (ctx: { db: Db }) => Query {
  const number = queryCount;
  queryCount += 1;
  let built: (Query & PreparedQuery) | undefined;
  return ({ db }) => {
    // A request looks up several, and a map would hash the database each time.
    let query = db.prepared[number] as Query | undefined;
    if (query === undefined) {
      if (built === undefined) {
        query = build(db);
        // Without its statement, which would keep a closed database in memory.
        if (query instanceof PreparedQuery) built = copyQuery(query, undefined);
      } else query = copyQuery(built, db);
      db.prepared[number] = query;
    }
    return query;
  };
}

/** Copies a query with its statement prepared in a database, or with none. */
function copyQuery<Query>(query: Query & PreparedQuery, db: Db | undefined): Query {
  const stmt = db?.$client.prepare(query.getQuery().sql);
  return Object.assign(Object.create(Object.getPrototypeOf(query)), query, { stmt });
}
