// Checkpoints of the write-ahead log. The server leaves them to another thread (background-checkpoints.ts). When Litestream
// replicates the database, only Litestream may checkpoint: a checkpoint by another connection lets SQLite reuse the log before
// Litestream has copied it, and Litestream then has to send all of the database again.
import type Sqlite from 'better-sqlite3';

/** Leaves all checkpoints of a database to Litestream. A setting of the connection, so each one needs it. */
export function leaveCheckpoints(client: Sqlite.Database): void {
  client.pragma('wal_autocheckpoint = 0');
}

/**
 * Pages of the log at which SQLite checkpoints by itself: never. While another connection reads an earlier state, the log grows, and the
 * first commit after it would write all of it, which takes seconds for a gigabyte.
 */
const NEVER = 2 ** 31 - 1;

/** Leaves the checkpoints of a connection to another thread. */
export function leaveCheckpointsToThread(client: Sqlite.Database): void {
  client.pragma(`wal_autocheckpoint = ${NEVER}`);
}

const automaticPages = (client: Sqlite.Database) => Number(client.pragma('wal_autocheckpoint', { simple: true }));

/** Whether checkpoints are left to Litestream. */
function isLeft(client: Sqlite.Database): boolean {
  return automaticPages(client) === 0;
}

/** Writes the log into the database file, as far as no other connection reads it. Does nothing if a thread or Litestream does it. */
export function checkpoint(client: Sqlite.Database): void {
  if (!isLeft(client) && automaticPages(client) !== NEVER) checkpointNow(client);
}

/** The same without a condition, for the thread and what it leaves. Never for a database that Litestream replicates. */
export function checkpointNow(client: Sqlite.Database): void {
  client.pragma('wal_checkpoint(PASSIVE)');
}

/** Longer than most reads of other connections take. */
const TRUNCATION_TIMEOUT_MS = 20;

/**
 * Writes the log into the database file, and truncates it. Does nothing if Litestream checkpoints. Returns false if another
 * connection reads an earlier state for longer than a moment, as a backup does: then it isn't truncated.
 */
export function truncateLog(client: Sqlite.Database): boolean {
  if (isLeft(client)) return true;
  // Without the lock of writers, which the truncation then only needs for a moment.
  checkpointNow(client);
  const timeout = Number(client.pragma('busy_timeout', { simple: true }));
  // While it waits, it has the lock of all writers.
  client.pragma(`busy_timeout = ${TRUNCATION_TIMEOUT_MS}`);
  try {
    const [outcome] = client.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return outcome?.busy === 0;
  } finally {
    client.pragma(`busy_timeout = ${timeout}`);
  }
}
