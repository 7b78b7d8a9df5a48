// Columns with encrypted values, for encrypting them with another key.
import { getTableName } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Db } from '../data/database.ts';
import { SealedValueError, type Secrets } from './secrets.ts';

/** A column, and what its values are encrypted for: for the whole column, or for the value that `owner` has in the same row. */
export type SealedColumn =
  | { readonly column: SQLiteColumn; readonly purpose: string; readonly owner?: undefined }
  | { readonly column: SQLiteColumn; readonly purpose: (owner: string) => string; readonly owner: SQLiteColumn };

export interface ResealedValues {
  values: number;
  /** Those that couldn't be decrypted, which are left as they are. */
  damaged: number;
}

interface SealedRow {
  row: number;
  sealed: string;
  owner: string | null;
}

/** Of a query, so that memory doesn't grow with the table. */
const ROWS = 500;

/** Encrypts all values of a column with another key, in the caller's transaction. */
export function resealColumn(
  { $client: client }: Pick<Db, '$client'>,
  sealedColumn: SealedColumn,
  from: Secrets,
  to: Secrets,
): ResealedValues {
  const { column, owner } = sealedColumn;
  const table = getTableName(column.table);
  const page = client.prepare<[number], SealedRow>(
    `SELECT rowid AS row, ${column.name} AS sealed, ${owner?.name ?? 'NULL'} AS owner FROM ${table}
      WHERE rowid > ? AND ${column.name} IS NOT NULL ORDER BY rowid LIMIT ${ROWS}`,
  );
  const update = client.prepare<[string, number]>(`UPDATE ${table} SET ${column.name} = ? WHERE rowid = ?`);
  const result = { values: 0, damaged: 0 };
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.row ?? 0)) {
    for (const { row, sealed, owner: holder } of rows) {
      const purpose = sealedColumn.owner === undefined ? sealedColumn.purpose : sealedColumn.purpose(holder ?? '');
      const plain = open(from, sealed, purpose);
      if (plain !== undefined) update.run(to.encrypt(plain, purpose), row);
      result[plain === undefined ? 'damaged' : 'values'] += 1;
    }
  }
  return result;
}

/** Returns undefined for a damaged value. */
function open(secrets: Secrets, sealed: string, purpose: string): string | undefined {
  try {
    return secrets.decrypt(sealed, purpose);
  } catch (error) {
    if (error instanceof SealedValueError) return undefined;
    throw error;
  }
}
