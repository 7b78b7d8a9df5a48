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
  readonly #rows = new Map<string, CachedRow>();

  readonly endTurn = (): void => {
    this.isChecked = false;
  };

  clear(): void {
    this.#rows.clear();
    this.size = 0;
  }

  getOrRead<Row>(query: unknown, asked: string, read: () => Row, by?: string): Row {
    const found = this.#find(query, asked)?.row;
    const known = by === undefined ? found : (found as Map<string, unknown> | undefined)?.get(by);
    if (known !== undefined) return known as Row;
    const row = read();
    if (row !== undefined) this.#store({ query, asked, by, row });
    return row;
  }

  forget(query: unknown, asked: string): void {
    const first = this.#rows.get(asked);
    const left = without(first, query);
    if (left === first) return;
    this.size -= 1;
    if (left === undefined) this.#rows.delete(asked);
    else this.#rows.set(asked, left);
  }

  #find(query: unknown, asked: string): CachedRow | undefined {
    let entry = this.#rows.get(asked);
    while (entry !== undefined && entry.query !== query) entry = entry.next;
    return entry;
  }

  #store({ query, asked, by, row }: { query: unknown; asked: string; by: string | undefined; row: unknown }): void {
    const known = by === undefined ? undefined : (this.#find(query, asked)?.row as Map<string, unknown> | undefined);
    if (by !== undefined && known !== undefined) known.set(by, row);
    else {
      const kept = by === undefined ? row : new Map([[by, row]]);
      this.#rows.set(asked, { query, row: kept, next: this.#rows.get(asked) });
    }
    this.size += 1;
  }
}

/** A row by the query that found it, chained to the rows of other queries with the same id: most ids have one to three. */
interface CachedRow {
  query: unknown;
  /** Of a query with two ids, the rows by the second one. */
  row: unknown;
  next: CachedRow | undefined;
}

/** Returns the chain without the row of a query: the same one if it has none. */
function without(entry: CachedRow | undefined, query: unknown): CachedRow | undefined {
  if (entry === undefined || entry.query === query) return entry?.next;
  const next = without(entry.next, query);
  return next === entry.next ? entry : { ...entry, next };
}
