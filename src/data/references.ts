// The references between tables, read from the database itself: what has to go before a row can.
import { prepared } from './database.ts';

/** A column that refers to the key of another table. */
export interface Reference {
  table: string;
  column: string;
  parent: string;
  /** What SQLite does with the rows when the row they refer to is deleted. */
  onDelete: 'CASCADE' | 'SET NULL' | 'NO ACTION';
}

const allReferences = prepared((db) =>
  db.$client
    .prepare<[], Reference>(
      `SELECT m.name AS "table", f."from" AS "column", f."table" AS parent, f.on_delete AS onDelete
        FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id`,
    )
    .all(),
);

const referencesByParent = prepared((db) => Map.groupBy(allReferences({ db }), ({ parent }) => parent));

const keyColumns = prepared(
  (db) =>
    new Map(
      db.$client
        .prepare<[], { table: string; column: string }>(
          `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND c.pk = 1`,
        )
        .all()
        .map(({ table, column }) => [table, column]),
    ),
);

/** Every reference of the database. */
export function listReferences(ctx: Parameters<typeof allReferences>[0]): readonly Reference[] {
  return allReferences(ctx);
}

/** The references to a table. */
export function listReferencesTo(ctx: Parameters<typeof allReferences>[0], table: string): readonly Reference[] {
  return referencesByParent(ctx).get(table) ?? [];
}

/** The first column of a table's primary key. */
export function keyColumnOf(ctx: Parameters<typeof allReferences>[0], table: string): string {
  return keyColumns(ctx).get(table) ?? 'id';
}

const tablesWithoutRowId = prepared(
  (db) => new Set(db.$client.prepare<[], string>('SELECT name FROM pragma_table_list WHERE wr = 1').pluck().all()),
);

/** What names a single row of a table, whatever its primary key: the row id, where the table has one. */
export function rowKeyOf(ctx: Parameters<typeof allReferences>[0], table: string): string {
  return tablesWithoutRowId(ctx).has(table) ? `"${keyColumnOf(ctx, table)}"` : 'rowid';
}
