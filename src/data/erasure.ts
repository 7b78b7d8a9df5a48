// Erases deleted data from the database files. SQLite overwrites deleted values with zeros (`secure_delete`), but copies remain
// in two places: in the write-ahead log until it's checkpointed, and in pages that rows were moved out of until the pages are
// reused or the file is compacted.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import { truncateLog } from './checkpoints.ts';
import type { Db } from './database.ts';
import { withTemporaryFiles } from './database.ts';
import { databaseBytes } from './database-size.ts';
import { countLog } from './log-size.ts';

/** Compacting this much takes about 50 ms, during which no request is processed. */
const QUICKLY_COMPACTED_BYTES = 8 * 1024 * 1024;
/** `application_id` of a database that has been compacted since `secure_delete` is on: "Taxi". */
const OVERWRITING = 0x54617869;
/** VACUUM writes the database to a temporary file, and from there to the write-ahead log. */
const COPIES_OF_COMPACTING = 2;
const LEFT_FREE_BYTES = 64 * 1024 * 1024;

/** More pages of the log are left to the checkpoint thread: writing 33,000 takes a second, during which no request is processed. */
const QUICKLY_WRITTEN_PAGES = 2_000;

/**
 * Checkpoints and truncates the write-ahead log. Returns false if that isn't possible now, such as during another process's read.
 * Does nothing if Litestream checkpoints it.
 */
export function emptyLog({ db, log }: { db: Db; log: Logger }): Promise<boolean> {
  const { $client: client } = db;
  const truncate = () => {
    const { pages, checkpointed } = countLog(client);
    return pages - checkpointed <= QUICKLY_WRITTEN_PAGES && truncateLog(client);
  };
  return new Promise((resolve) => {
    db.durability.whenLogIsFree(() => resolve(attempt(log, truncate) ?? false));
  });
}

/** Compacts a small database, so that no page contains remains of rows that were moved out of it. */
export function compactIfSmall({ db, log }: { db: Db; log: Logger }): void {
  const { $client: client } = db;
  if (databaseBytes(client) <= QUICKLY_COMPACTED_BYTES) attempt(log, () => client.prepare('VACUUM').run());
}

/**
 * Compacts a database once if an earlier version wrote it, because earlier versions didn't overwrite deleted values. `isNew` is
 * true for a database that was just created. If the disk is too full or compacting fails, the next start tries again.
 * `freeBytes` returns the free space of a folder's disk.
 */
export function eraseEarlierFreePages(
  client: Sqlite.Database,
  log: Pick<Logger, 'info' | 'warn'>,
  isNew: boolean,
  freeBytes: (folder: string) => number = measureFree,
): void {
  if (Number(client.pragma('application_id', { simple: true })) === OVERWRITING) return;
  try {
    if (!isNew) {
      const needed = COPIES_OF_COMPACTING * databaseBytes(client) + LEFT_FREE_BYTES;
      const free = freeBytes(dirname(client.name));
      if (free < needed) {
        log.warn({ needed, free }, 'database not compacted: not enough disk space to erase deleted data');
        return;
      }
      log.info({ database: client.name }, 'one-time database compaction to erase deleted data');
      withTemporaryFiles(client, () => client.exec('VACUUM'));
    }
    client.pragma(`application_id = ${OVERWRITING}`);
  } catch (error) {
    log.warn({ err: error }, 'database not compacted: deleted data not erased');
  } finally {
    shortenLog(client);
  }
}

/** Truncates the log: after a failed VACUUM it may be as large as the database. Errors are ignored. */
function shortenLog(client: Sqlite.Database): void {
  try {
    truncateLog(client);
  } catch {
    // The next checkpoint truncates it.
  }
}

function measureFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function attempt<T>(log: Logger, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    log.debug({ err: error }, 'deleted data not erased yet');
    return undefined;
  }
}
