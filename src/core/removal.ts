// Deletion in bounded steps. Deleting a row also deletes the rows that reference it, which can be any number. If they fit into
// one step, they're deleted with the row. Otherwise only the row is deleted, so that it disappears and its name is free
// immediately, and a job deletes the rest. Until the job is done, the remaining rows reference a deleted row: `removals` lists
// the deleted rows, and queries that don't join the deleted row exclude them with `isNotRemoved`.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { type Column, type SQL, sql } from 'drizzle-orm';
import { prepared } from '../data/database.ts';
import { keyColumnOf, listReferencesTo, type Reference, rowKeyOf } from '../data/references.ts';
import { removals } from '../data/tables/tables.ts';
import type { Author } from '../events.ts';
import type { Context, RawRow, Removal, RemovalBudget, Tx } from './context.ts';
import { authorOf } from './record.ts';

export const REMOVAL_JOB = 'finish-removals';
export const REMOVAL_LANE = 'removals';

/** Maximum number of rows deleted in one transaction. */
const ROWS_PER_STEP = 200;
/** Maximum number of claims deleted together with their row; limits keep them below it. */
const CLAIMS_PER_REMOVAL = 150;
/** Cost, in rows, of deleting a row that records events or queues objects: 25 releases in a step take about 6 ms. */
const COST_OF_RULED_ROW = 8;
/** A step of the job starts nothing new after this time, regardless of how few rows it has deleted. */
const MAX_STEP_MS = 8;
/** Maximum run time of a job; its lease is a minute. */
const MAX_RUN_MS = 20_000;

/** More rows reference the row than one step may delete. Transactions with `removes` run again with foreign keys off. */
export class RowsLeftError extends Error {
  override message = 'More rows reference the row than one step may delete';
}

export const newBudget = (mayLeaveRows: boolean, maxMs = Number.POSITIVE_INFINITY): RemovalBudget => ({
  rows: ROWS_PER_STEP,
  endsAt: performance.now() + maxMs,
  mayLeaveRows,
});

/** A step always deletes something before its time runs out, so that slow machines finish too. */
const isSpent = ({ rows, endsAt }: RemovalBudget): boolean =>
  rows <= 0 || (rows < ROWS_PER_STEP && performance.now() >= endsAt);

/** Excludes rows that reference a deleted row. The list of deleted rows is usually empty. */
export function isNotRemoved(column: Column | SQL): SQL {
  return sql`(${column} IS NULL OR ${column} NOT IN (SELECT ${sql.raw('root_id')} FROM ${sql.raw('removals')}))`;
}

/** Same as `isNotRemoved`, for SQL text. */
export const notRemoved = (column: string): string =>
  `(${column} IS NULL OR ${column} NOT IN (SELECT root_id FROM removals))`;

/**
 * Deletes a row and everything that references it. Rows that don't fit into the step are left to a job. `facts` are the values
 * that the table's rules need after the row is deleted. The transaction must have `removes`, unless few rows reference the
 * row.
 */
export function removeRow(tx: Tx, table: string, id: string, facts: Removal['facts'] = {}): void {
  const { removal: budget = newBudget(false) } = tx;
  const removal: Removal = { rootTable: table, rootId: id, author: authorOf(tx), facts };
  if (!clear(tx, removal, budget)) {
    if (!budget.mayLeaveRows) throw new RowsLeftError();
    clearClaims(tx, removal);
    const { rootTable, rootId, author } = removal;
    tx.db
      .insert(removals)
      .values({ rootTable, rootId, ...author, facts: JSON.stringify(facts), createdAt: tx.now })
      .run();
    tx.enqueue({ kind: REMOVAL_JOB, dedupeKey: REMOVAL_JOB });
  }
  deleteRow(tx, table, id);
}

/** Deletes within the budget. Returns whether nothing that belongs to the root is left. */
function clear(tx: Tx, removal: Removal, budget: RemovalBudget): boolean {
  if (!clearReferences(tx, removal.rootTable, removal.rootId, removal, budget)) return false;
  const deleteUnreferenced = tx.removalRules.unreferenced[removal.rootTable];
  while (deleteUnreferenced !== undefined) {
    if (isSpent(budget)) return false;
    const deleted = deleteUnreferenced(tx, removal, budget.rows);
    budget.rows -= deleted;
    if (deleted === 0) break;
  }
  return true;
}

/** Deletes the row's claims with it: they would keep others from claiming the same until the job reaches them. */
function clearClaims(tx: Tx, removal: Removal): void {
  const { claims } = tx.removalRules;
  const budget: RemovalBudget = { ...newBudget(true), rows: CLAIMS_PER_REMOVAL };
  for (const reference of orderedReferences(tx, removal.rootTable)) {
    if (claims.includes(reference.table)) clearReference(tx, reference, removal.rootId, removal, budget);
  }
}

/** Deletes or clears the rows that reference a row, within the budget. Returns whether none is left. */
function clearReferences(tx: Tx, table: string, id: string, removal: Removal, budget: RemovalBudget): boolean {
  for (const reference of orderedReferences(tx, table)) {
    if (!clearReference(tx, reference, id, removal, budget)) return false;
  }
  return true;
}

function orderedReferences(tx: Tx, table: string): readonly Reference[] {
  const { first } = tx.removalRules;
  const rank = ({ table: name }: Reference) => (first.includes(name) ? first.indexOf(name) : first.length);
  return listReferencesTo(tx, table).toSorted((one, other) => rank(one) - rank(other));
}

function clearReference(tx: Tx, reference: Reference, id: string, removal: Removal, budget: RemovalBudget): boolean {
  const { table, column, onDelete } = reference;
  const rowKey = rowKeyOf(tx, table);
  const some = `${rowKey} IN (SELECT ${rowKey} FROM "${table}" WHERE "${column}" = ? LIMIT ?)`;
  if (onDelete === 'SET NULL') {
    const columns = [column, ...(tx.removalRules.clearedWith[`${table}.${column}`] ?? [])];
    const change = `UPDATE "${table}" SET ${columns.map((name) => `"${name}" = NULL`).join(', ')}`;
    return spend(budget, (max) => statement(tx, `${change} WHERE ${some}`).run(id, max).changes);
  }
  const rule = tx.removalRules.rows[table];
  if (rule === undefined && listReferencesTo(tx, table).length === 0) {
    const cost = tx.removalRules.costs[table];
    return spend(budget, (max) => statement(tx, `DELETE FROM "${table}" WHERE ${some}`).run(id, max).changes, cost);
  }
  const listing = `SELECT * FROM "${table}" WHERE "${column}" = ? LIMIT 1`;
  for (;;) {
    if (isSpent(budget)) return false;
    const row = statement(tx, listing).get(id) as RawRow | undefined;
    if (row === undefined) return true;
    const rowId = String(row[keyColumnOf(tx, table)]);
    if (!clearReferences(tx, table, rowId, removal, budget)) return false;
    rule?.(tx, row, removal.author);
    deleteRow(tx, table, rowId);
    budget.rows -= rule === undefined ? 1 : COST_OF_RULED_ROW;
  }
}

/** Spends the cost of the rows that `work` changes. If it changes fewer than allowed, none is left. */
function spend(budget: RemovalBudget, work: (max: number) => number, cost = 1): boolean {
  if (isSpent(budget)) return false;
  const max = Math.ceil(budget.rows / cost);
  const changed = work(max);
  budget.rows -= changed * cost;
  return changed < max;
}

function deleteRow(tx: Tx, table: string, id: string): void {
  statement(tx, `DELETE FROM "${table}" WHERE "${keyColumnOf(tx, table)}" = ?`).run(id);
}

const statementsOf = prepared(() => new Map<string, Sqlite.Statement<unknown[]>>());

/** Returns a statement, prepared once per text. There are as many texts as references. */
function statement(tx: Tx, text: string): Sqlite.Statement<unknown[]> {
  const known = statementsOf(tx);
  let found = known.get(text);
  if (found === undefined) {
    found = tx.db.$client.prepare(text);
    known.set(text, found);
  }
  return found;
}

const removalAfter = prepared((db) =>
  db.$client.prepare<[string], Omit<Removal, 'author' | 'facts'> & Author & { facts: string; createdAt: number }>(
    `SELECT root_id AS rootId, root_table AS rootTable, actor_kind AS actorKind, actor_id AS actorId,
        actor_name AS actorName, developer_id AS developerId, ip_address AS ipAddress, facts, created_at AS createdAt
      FROM removals WHERE root_id > ? ORDER BY root_id LIMIT 1`,
  ),
);

/** Whether a deletion is in progress, so that rows may reference a deleted row. */
export function isAnyRemovalOpen(ctx: Pick<Context, 'db'>): boolean {
  return removalAfter(ctx).get('') !== undefined;
}

/**
 * Continues the deletions in progress, one step per transaction, for up to 20 s. Returns whether all are finished. A deletion
 * that fails doesn't block the others; its error is thrown at the end.
 */
export async function finishRemovals(ctx: Context, stopping?: AbortSignal): Promise<boolean> {
  const endsAt = performance.now() + MAX_RUN_MS;
  let failure: unknown;
  for (let row = removalAfter(ctx).get(''); row !== undefined; row = removalAfter(ctx).get(row.rootId)) {
    const { rootId, rootTable, facts, createdAt: _, ...author } = row;
    const removal: Removal = { rootId, rootTable, author, facts: JSON.parse(facts) };
    try {
      while (!takeStep(ctx, removal)) {
        if (performance.now() > endsAt || stopping?.aborted === true) return false;
        await yieldToOthers();
      }
    } catch (error) {
      ctx.log.error({ err: error, root_table: rootTable, root_id: rootId }, 'removal failed');
      failure = error;
    }
    await yieldToOthers();
  }
  if (failure !== undefined) throw failure;
  return true;
}

/** Runs one step. Returns whether it was the last. */
function takeStep(ctx: Context, removal: Removal): boolean {
  return ctx.transact(
    (tx) => {
      const isDone = clear(tx, removal, newBudget(false, MAX_STEP_MS));
      if (isDone) statement(tx, 'DELETE FROM removals WHERE root_id = ?').run(removal.rootId);
      return isDone;
    },
    { bookkeeping: true },
  );
}

/** Runs the job. It queues itself again while anything is left. */
export async function runRemovalJob(ctx: Context, _payload: unknown, stopping: AbortSignal): Promise<void> {
  if (!(await finishRemovals(ctx, stopping))) queueRemovals(ctx);
}

/** Queues the job at server start, so that work left by a crash doesn't wait for a job lease to expire. */
export function resumeRemovals(ctx: Context): void {
  if (removalAfter(ctx).get('') !== undefined) queueRemovals(ctx);
}

function queueRemovals(ctx: Context): void {
  ctx.transact((tx) => tx.enqueue({ kind: REMOVAL_JOB, dedupeKey: REMOVAL_JOB }), { bookkeeping: true });
}
