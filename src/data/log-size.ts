// The write-ahead log: its path and size.
import { realpathSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Returns the path of the log. SQLite resolves symbolic links first. */
export function logOf(client: Sqlite.Database): string {
  return `${realpathSync(client.name)}-wal`;
}

/** Returns the pages in the log, and how many of them are in the database file as well. */
export function countLog(client: Sqlite.Database): { pages: number; checkpointed: number } {
  // NOOP only counts.
  const [counts] = client.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[];
  return { pages: Math.max(0, counts?.log ?? 0), checkpointed: Math.max(0, counts?.checkpointed ?? 0) };
}

/** Returns the bytes of the log that are in use. The file can be larger, because SQLite writes it from the beginning again. */
export function measureLog(client: Sqlite.Database): number {
  const { pages } = countLog(client);
  const page = Number(client.pragma('page_size', { simple: true }));
  return pages === 0 ? 0 : HEADER_BYTES + pages * (FRAME_HEADER_BYTES + page);
}
