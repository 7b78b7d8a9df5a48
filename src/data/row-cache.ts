// Rows that almost every request asks for, such as the session behind a token, remembered until the database changes.
import type { Clock } from '../lib/clock.ts';
import { type Db, prepared } from './database.ts';

/** Answers of queries as of now. Good until the caller waits for anything or changes the database: then ask for it anew. */
export interface Memory {
  /**
   * The answer of `read`, remembered under the query and the one or two ids that it was asked for; that there is no row is
   * not remembered.
   */
  recall<Row>(query: unknown, asked: string, read: () => Row, by?: string): Row;
}

const MOST_ROWS = 10_000;
/** What another process commits counts after this time; what this process commits counts at once. */
const LOOK_EVERY_MS = 20;

const memoryOf = prepared(() => new RowMemory());
const foreignCommits = prepared((db) => db.$client.prepare<[], number>('PRAGMA data_version').pluck());

/** Empties the memory when another process has committed since the last look; called once for each request. */
export function checkForeignCommits(ctx: { db: Db; clock: Clock }): void {
  const memory = memoryOf(ctx);
  const now = ctx.clock.now().getTime();
  const elapsed = now - memory.lookedAt;
  if (elapsed >= 0 && elapsed < LOOK_EVERY_MS) return;
  memory.lookedAt = now;
  const commits = foreignCommits(ctx).get() ?? 0;
  if (commits === memory.foreignCommits) return;
  memory.foreignCommits = commits;
  memory.forget();
}

/** The memory of a database, emptied if this process may have changed any row since. */
export function rowCacheOf(ctx: { db: Db }): Memory {
  const memory = memoryOf(ctx);
  const writes = ctx.db.writes.count;
  if (writes !== memory.writes || memory.size >= MOST_ROWS) {
    memory.writes = writes;
    memory.forget();
  }
  return memory;
}

class RowMemory implements Memory {
  writes = -1;
  foreignCommits = -1;
  lookedAt = 0;
  size = 0;
  /** By query, then by what it was asked for. Joined to one key, two ids would be a new text to hash at each look. */
  readonly #rows = new Map<unknown, Map<string, Map<string, unknown>>>();

  forget(): void {
    this.#rows.clear();
    this.size = 0;
  }

  recall<Row>(query: unknown, asked: string, read: () => Row, by = ''): Row {
    const known = this.#rows.get(query)?.get(asked)?.get(by);
    if (known !== undefined) return known as Row;
    const row = read();
    if (row !== undefined) this.#remember(query, asked, by, row);
    return row;
  }

  #remember(query: unknown, asked: string, by: string, row: unknown): void {
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
