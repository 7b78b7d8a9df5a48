// The size of a database.
import type Sqlite from 'better-sqlite3';

/** Returns the size of a database in bytes, including pages that are still in the write-ahead log. */
export function databaseBytes(client: Sqlite.Database): number {
  return Number(client.pragma('page_count', { simple: true })) * Number(client.pragma('page_size', { simple: true }));
}
