// Parts of queries that the stores share.
import { and, gt, inArray, isNull, lt, or, type SQL } from 'drizzle-orm';
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
