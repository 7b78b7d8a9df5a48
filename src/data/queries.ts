// Parts of queries that the stores share.
import { and, count, gt, inArray, isNull, lt, or, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from './database.ts';

interface Revocable {
  revokedAt: SQLiteColumn;
  expiresAt: SQLiteColumn;
}

/** Links and tokens that are neither revoked nor expired. Without an expiry they don't expire. */
export function isCurrent({ revokedAt, expiresAt }: Revocable, now: number): SQL | undefined {
  return and(isNull(revokedAt), or(isNull(expiresAt), gt(expiresAt, now)));
}

/**
 * Counts the current links or tokens that meet a condition. With an index of the condition and the expiry, for rows that aren't
 * revoked, no other rows are read: one condition for both kinds of expiry would read the expired rows too.
 */
export function countCurrent({ db }: { db: Db }, columns: Revocable, condition: SQL | undefined, now: number): number {
  const { revokedAt, expiresAt } = columns;
  const table = expiresAt.table as SQLiteTable;
  const totalOf = (expiry: SQL) =>
    db
      .select({ total: count() })
      .from(table)
      .where(and(condition, isNull(revokedAt), expiry))
      .get()?.total ?? 0;
  return totalOf(isNull(expiresAt)) + totalOf(gt(expiresAt, now));
}

/** Rows whose count is below their limit, or that have no limit. */
export function isBelow(total: SQLiteColumn, limit: SQLiteColumn): SQL | undefined {
  return or(isNull(limit), lt(total, limit));
}

/** Deletes up to `max` of the rows that meet a condition. `key` identifies a row. Returns the number deleted. */
export function deleteUpTo({ db }: { db: Db }, key: SQLiteColumn, condition: SQL | undefined, max: number): number {
  const table = key.table as SQLiteTable;
  const rows = db.select({ key }).from(table).where(condition).limit(max);
  return db.delete(table).where(inArray(key, rows)).run().changes;
}
