// Whether a database has a table, for commands that read a database before it's migrated.
import type Sqlite from 'better-sqlite3';

/** Returns whether a database has a table. That of an earlier version lacks newer ones. `schema` is the name of an attached database. */
export function hasTable(client: Sqlite.Database, table: string, schema = 'main'): boolean {
  const query = `SELECT 1 FROM ${schema}.sqlite_master WHERE type = 'table' AND name = ?`;
  return client.prepare(query).get(table) !== undefined;
}
