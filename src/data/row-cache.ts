// A cache for rows that almost every request reads, such as the session of a token. Cleared when the database changes.
import type { Clock } from '../lib/clock.ts';
import { type Db, prepared } from './database.ts';

/** Current results of queries. Get it again after every await and every change of the database. */
export interface RowCache {
  /**
   * Returns the cached result for a query and one or two ids, or calls `read` and caches its result. A missing row (undefined)
   * isn't cached.
   */
  getOrRead<Row>(query: unknown, asked: string, read: () => Row, by?: string): Row;
}

const MAX_ROWS = 10_000;
/** Commits of other processes are noticed after this time; commits of this process immediately. */
const CHECK_EVERY_MS = 20;

const cacheOf = prepared(() => new DatabaseRowCache());
const foreignCommits = prepared((db) => db.$client.prepare<[], number>('PRAGMA data_version').pluck());

/** Clears the cache if another process has committed since the last check. Called once per request. */
export function checkForeignCommits(ctx: { db: Db; clock: Clock }): void {
  const cache = cacheOf(ctx);
  const now = ctx.clock.now().getTime();
  const elapsed = now - cache.checkedAt;
  if (elapsed >= 0 && elapsed < CHECK_EVERY_MS) return;
  cache.checkedAt = now;
  const commits = foreignCommits(ctx).get() ?? 0;
  if (commits === cache.foreignCommits) return;
  cache.foreignCommits = commits;
  cache.clear();
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
  checkedAt = 0;
  size = 0;
  /** By query, then by each id. Joining two ids to one key would create a new string to hash on each lookup. */
  readonly #rows = new Map<unknown, Map<string, Map<string, unknown>>>();

  clear(): void {
    this.#rows.clear();
    this.size = 0;
  }

  getOrRead<Row>(query: unknown, asked: string, read: () => Row, by = ''): Row {
    const known = this.#rows.get(query)?.get(asked)?.get(by);
    if (known !== undefined) return known as Row;
    const row = read();
    if (row !== undefined) this.#store(query, asked, by, row);
    return row;
  }

  #store(query: unknown, asked: string, by: string, row: unknown): void {
    let answers = this.#rows.get(query);
    if (answers === undefined) {
      answers = new Map();
      this.#rows.set(query, answers);
    }
    const rows = answers.get(asked);
    if (rows === undefined) answers.set(asked, new Map([[by, row]]));
    else rows.set(by, row);
    this.size += 1;
  }
}
