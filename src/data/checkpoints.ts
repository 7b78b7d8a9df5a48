// Checkpoints of the write-ahead log. When Litestream replicates the database, only Litestream may checkpoint: a checkpoint by
// another connection lets SQLite reuse the log before Litestream has copied it, and Litestream then has to send all of the
// database again.
import type Sqlite from 'better-sqlite3';

/** Leaves all checkpoints of a database to Litestream. A setting of the connection, so each one needs it. */
export function leaveCheckpoints(client: Sqlite.Database): void {
  client.pragma('wal_autocheckpoint = 0');
}

/** Whether checkpoints are left to Litestream. */
function isLeft(client: Sqlite.Database): boolean {
  return Number(client.pragma('wal_autocheckpoint', { simple: true })) === 0;
}

/** Writes the log into the database file, as far as no other connection reads it. Does nothing if Litestream does it. */
export function checkpoint(client: Sqlite.Database): void {
  if (!isLeft(client)) client.pragma('wal_checkpoint(PASSIVE)');
}

/** Writes the log into the database file, and truncates it. Does nothing if Litestream checkpoints. */
export function truncateLog(client: Sqlite.Database): void {
  if (!isLeft(client)) client.pragma('wal_checkpoint(TRUNCATE)');
}
