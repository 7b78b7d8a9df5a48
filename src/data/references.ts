// Foreign keys, read from the database itself: the rows to delete before a row can be deleted.
import { prepared } from './database.ts';

/** A column that references the key of another table. */
export interface Reference {
  table: string;
  column: string;
  parent: string;
  /** SQLite's action on these rows when the referenced row is deleted. */
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

/** Returns every reference of the database. */
export function listReferences(ctx: Parameters<typeof allReferences>[0]): readonly Reference[] {
  return allReferences(ctx);
}

/** Returns the references to a table. */
export function listReferencesTo(ctx: Parameters<typeof allReferences>[0], table: string): readonly Reference[] {
  return referencesByParent(ctx).get(table) ?? [];
}

/** Returns the first column of a table's primary key. */
export function keyColumnOf(ctx: Parameters<typeof allReferences>[0], table: string): string {
  return keyColumns(ctx).get(table) ?? 'id';
}

const tablesWithoutRowId = prepared(
  (db) => new Set(db.$client.prepare<[], string>('SELECT name FROM pragma_table_list WHERE wr = 1').pluck().all()),
);

/** Returns the SQL expression that identifies a row of a table regardless of its primary key: the rowid if the table has one. */
export function rowKeyOf(ctx: Parameters<typeof allReferences>[0], table: string): string {
  return tablesWithoutRowId(ctx).has(table) ? `"${keyColumnOf(ctx, table)}"` : 'rowid';
}
