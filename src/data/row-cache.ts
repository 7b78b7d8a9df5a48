// A cache for rows that almost every request reads, such as the session of a token. Cleared when the database changes.
import { type Db, prepared } from './database.ts';

/** Current results of queries. Get it again after every await and every change of the database. */
export interface RowCache {
  /**
   * Returns the cached result for a query and one or two ids, always as many for the same query, or calls `read` and caches its
   * result. A missing row (undefined) isn't cached.
   */
  getOrRead<Row>(query: unknown, asked: string, read: () => Row, by?: string): Row;
  /** Forgets the row of a query with one id. */
  forget(query: unknown, asked: string): void;
}

const MAX_ROWS = 10_000;
/** A turn of the event loop can be longer, with many open connections. */
const LONGEST_TRUST_MS = 20;

const cacheOf = prepared(() => new DatabaseRowCache());
const foreignCommits = prepared((db) => db.$client.prepare<[], number>('PRAGMA data_version').pluck());

/**
 * Clears the cache if another process has committed. Called once per request. Asks SQLite once in each turn of the event loop,
 * because the other requests of the turn were sent before.
 */
export function checkForeignCommits(ctx: { db: Db }): void {
  const cache = cacheOf(ctx);
  const now = performance.now();
  if (cache.isChecked && now - cache.checkedAt < LONGEST_TRUST_MS) return;
  if (!cache.isChecked) setImmediate(cache.endTurn);
  cache.isChecked = true;
  cache.checkedAt = now;
  clearAfterForeignCommit(ctx);
}

/** The same at the beginning of a transaction, which may have waited for another process. */
export function clearAfterForeignCommit(ctx: { db: Db }): void {
  const cache = cacheOf(ctx);
  const commits = foreignCommits(ctx).get() ?? 0;
  if (commits === cache.foreignCommits) return;
  cache.foreignCommits = commits;
  cache.clear();
}

/**
 * Runs a write without clearing the cache: of values that cached rows don't contain, such as the times of last use, or of rows that the
 * caller forgets.
 */
export function keepRowCache(ctx: { db: Db }, write: () => void): void {
  const cache = cacheOf(ctx);
  const isCurrent = cache.writes === ctx.db.writes.count;
  write();
  if (isCurrent) cache.writes = ctx.db.writes.count;
}

/** Returns the cache of a database. Clears it first if this process may have changed a row. */
export function rowCacheOf(ctx: { db: Db }): RowCache {
  const cache = cacheOf(ctx);
  const writes = ctx.db.writes.count;
  if (writes !== cache.writes || cache.size >= MAX_ROWS) {
    cache.writes = writes;
    cache.clear();
  }
  return cache;
}

class DatabaseRowCache implements RowCache {
  writes = -1;
  foreignCommits = -1;
  /** Whether commits of other processes were looked for in this turn of the event loop. */
  isChecked = false;
  checkedAt = 0;
  size = 0;
  /** By id: a request asks for several rows of the same id. Joining two ids would create a new string to hash on each lookup. */
  readonly #rows = new Map<string, RowsOfId>();

  readonly endTurn = (): void => {
    this.isChecked = false;
  };

  clear(): void {
    this.#rows.clear();
    this.size = 0;
  }

  getOrRead<Row>(query: unknown, asked: string, read: () => Row, by?: string): Row {
    const found = this.#rows.get(asked)?.get(query);
    const known = by === undefined ? found : (found as Map<string, unknown> | undefined)?.get(by);
    if (known !== undefined) return known as Row;
    const row = read();
    if (row !== undefined) this.#store(query, asked, by, row);
    return row;
  }

  forget(query: unknown, asked: string): void {
    const rows = this.#rows.get(asked);
    if (rows?.delete(query) !== true) return;
    this.size -= 1;
    if (rows.isEmpty()) this.#rows.delete(asked);
  }

  #store(query: unknown, asked: string, by: string | undefined, row: unknown): void {
    let rows = this.#rows.get(asked);
    if (rows === undefined) {
      rows = new RowsOfId();
      this.#rows.set(asked, rows);
    }
    if (by === undefined) rows.set(query, row);
    else {
      const known = rows.get(query) as Map<string, unknown> | undefined;
      if (known === undefined) rows.set(query, new Map([[by, row]]));
      else known.set(by, row);
    }
    this.size += 1;
  }
}

/** The rows of an id by query, in a list: searching a few takes less time than hashing, and less memory. */
class RowsOfId {
  readonly #queries: unknown[] = [];
  readonly #rows: unknown[] = [];

  get(query: unknown): unknown {
    for (let at = 0; at < this.#queries.length; at += 1) if (this.#queries[at] === query) return this.#rows[at];
    return undefined;
  }

  set(query: unknown, row: unknown): void {
    this.#queries.push(query);
    this.#rows.push(row);
  }

  delete(query: unknown): boolean {
    const at = this.#queries.indexOf(query);
    if (at < 0) return false;
    this.#queries.splice(at, 1);
    this.#rows.splice(at, 1);
    return true;
  }

  isEmpty(): boolean {
    return this.#queries.length === 0;
  }
}
