// Rows that almost every request asks for, such as the session behind a token, remembered until the database changes.
import type { App } from './context.ts';
import { prepared } from './database.ts';

type WithDb = Pick<App, 'db'>;

interface Memory {
  ownChanges: number;
  foreignCommits: number;
  /** By query, then by what it was asked. */
  rows: Map<unknown, Map<string, unknown>>;
  size: number;
}

const MOST_ROWS = 10_000;

const memoryOf = prepared((): Memory => ({ ownChanges: -1, foreignCommits: -1, rows: new Map(), size: 0 }));
const ownChanges = prepared((db) => db.$client.prepare<[], number>('SELECT total_changes()').pluck());
const foreignCommits = prepared((db) => db.$client.prepare<[], number>('PRAGMA data_version').pluck());

/** Forgets everything when another process has committed since; asked once for each request, before its first `recall`. */
export function noticeForeignCommits(ctx: WithDb): void {
  const memory = memoryOf(ctx);
  const commits = foreignCommits(ctx).get() ?? 0;
  if (commits === memory.foreignCommits) return;
  memory.foreignCommits = commits;
  forget(memory);
}

/**
 * The answer of `read`, remembered under the query and what it was asked until any row of the database changes, whoever
 * changes it. Inside a transaction nothing is remembered, as it may be rolled back; neither is that there is no row.
 */
export function recall<Row>(ctx: WithDb, query: unknown, asked: string, read: () => Row): Row {
  if (ctx.db.$client.inTransaction) return read();
  const memory = memoryOf(ctx);
  const changes = ownChanges(ctx).get() ?? 0;
  if (changes !== memory.ownChanges || memory.size >= MOST_ROWS) {
    memory.ownChanges = changes;
    forget(memory);
  }
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
}

function forget(memory: Memory): void {
  memory.rows.clear();
  memory.size = 0;
}
