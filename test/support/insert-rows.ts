// Many rows of a table for tests. Building and preparing an insert for each takes longer than what the tests are about.
import { sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from '../../src/data/database.ts';

/** Inserts rows, all with the same columns, by one statement in one transaction. */
export function insertRows<Table extends SQLiteTable>(
  db: Db,
  table: Table,
  rows: readonly Table['$inferInsert'][],
): void {
  const names = Object.keys(rows[0] ?? {}).map((name) => [name, sql.placeholder(name)]);
  const insert = db
    .insert(table)
    .values(Object.fromEntries(names) as Table['$inferInsert'])
    .prepare();
  db.$client.transaction(() => {
    for (const row of rows) insert.run(row);
  })();
}
