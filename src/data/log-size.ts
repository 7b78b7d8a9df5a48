// The size of the write-ahead log.
import type Sqlite from 'better-sqlite3';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Returns the bytes of the log that are in use. The file can be larger, because SQLite writes it from the beginning again. */
export function measureLog(client: Sqlite.Database): number {
  // NOOP only counts.
  const [counts] = client.pragma('wal_checkpoint(NOOP)') as { log: number }[];
  const frames = Math.max(0, counts?.log ?? 0);
  const page = Number(client.pragma('page_size', { simple: true }));
  return frames === 0 ? 0 : HEADER_BYTES + frames * (FRAME_HEADER_BYTES + page);
}
