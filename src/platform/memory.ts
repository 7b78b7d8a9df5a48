// Rows that almost every request asks for, such as the session behind a token, remembered until the database changes.
import type { App } from './context.ts';
import { prepared } from './database.ts';

interface Remembered {
  ownChanges: number;
  foreignCommits: number;
  lookedAt: number;
  /** By query, then by what it was asked. */
  rows: Map<unknown, Map<string, unknown>>;
  size: number;
}

/** Answers of queries as of now. Good until the caller waits for anything or changes the database: then ask for it anew. */
export interface Memory {
  /** The answer of `read`, remembered under the query and what it was asked; that there is no row is not remembered. */
  recall<Row>(query: unknown, asked: string, read: () => Row): Row;
}

const MOST_ROWS = 10_000;
/** What another process commits counts after this time; what this process commits counts at once. */
const LOOK_EVERY_MS = 20;

const rememberedBy = prepared((): Remembered & Memory => createMemory());
const ownChanges = prepared((db) => db.$client.prepare<[], number>('SELECT total_changes()').pluck());
const foreignCommits = prepared((db) => db.$client.prepare<[], number>('PRAGMA data_version').pluck());

/** Empties the memory when another process has committed since the last look; called once for each request. */
export function lookForForeignCommits(ctx: Pick<App, 'db' | 'clock'>): void {
  const memory = rememberedBy(ctx);
  const now = ctx.clock.now().getTime();
  const elapsed = now - memory.lookedAt;
  if (elapsed >= 0 && elapsed < LOOK_EVERY_MS) return;
  memory.lookedAt = now;
  const commits = foreignCommits(ctx).get() ?? 0;
  if (commits === memory.foreignCommits) return;
  memory.foreignCommits = commits;
  forget(memory);
}

/** The memory of a database, emptied if this process has changed any row since. */
export function openMemory(ctx: Pick<App, 'db'>): Memory {
  // What a transaction has written may be rolled back.
  if (ctx.db.$client.inTransaction) return { recall: (_query, _asked, read) => read() };
  const memory = rememberedBy(ctx);
  const changes = ownChanges(ctx).get() ?? 0;
  if (changes !== memory.ownChanges || memory.size >= MOST_ROWS) {
    memory.ownChanges = changes;
    forget(memory);
  }
  return memory;
}

function forget(memory: Remembered): void {
  memory.rows.clear();
  memory.size = 0;
}

function createMemory(): Remembered & Memory {
  const memory: Remembered & Memory = {
    ownChanges: -1,
    foreignCommits: -1,
    lookedAt: 0,
    rows: new Map(),
    size: 0,
    recall<Row>(query: unknown, asked: string, read: () => Row): Row {
      let answers = memory.rows.get(query) as Map<string, Row> | undefined;
      if (answers === undefined) {
        answers = new Map();
        memory.rows.set(query, answers);
      }
      const known = answers.get(asked);
      if (known !== undefined) return known;
      const row = read();
      if (row !== undefined) {
        answers.set(asked, row);
        memory.size += 1;
      }
      return row;
    },
  };
  return memory;
}
