// What is deleted is gone from the files, too. SQLite overwrites deleted values with zeros (`secure_delete`), which leaves
// two places: the write-ahead log, until it is checkpointed, and copies of rows that were moved between pages, until the page
// is used up or the file is compacted.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import type { Db } from './database.ts';
import { withTemporaryFiles } from './database.ts';

/** Compacting takes about 50 ms for as many bytes, and nobody is answered meanwhile. */
const QUICKLY_COMPACTED_BYTES = 8 * 1024 * 1024;
/** `application_id` of a database that has been compacted since values are overwritten: "Taxi". */
const OVERWRITING = 0x54617869;
/** Compacting writes the database to a temporary file, and from there to the write-ahead log. */
const COPIES_OF_COMPACTING = 2;
const LEFT_FREE_BYTES = 64 * 1024 * 1024;

/** Empties the write-ahead log into the database. What keeps it from that, such as another process that reads, passes. */
export function emptyLog({ db, log }: { db: Db; log: Logger }): void {
  attempt(log, () => db.$client.pragma('wal_checkpoint(TRUNCATE)'));
}

/** Removes the last traces of deleted rows: compacts a small database, and empties the write-ahead log of any. */
export function eraseFreePages({ db, log }: { db: Db; log: Logger }): void {
  const { $client: client } = db;
  if (sizeOf(client) <= QUICKLY_COMPACTED_BYTES) attempt(log, () => client.exec('VACUUM'));
  emptyLog({ db, log });
}

/**
 * Compacts a database once that an earlier version wrote, which did not overwrite what it deleted. `isNew` is one that has
 * just been created. Where the disk hasn't the room for it, or when it fails, the next start tries again. `freeBytes` measures
 * the disk of a folder.
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
      const needed = COPIES_OF_COMPACTING * sizeOf(client) + LEFT_FREE_BYTES;
      const free = freeBytes(dirname(client.name));
      if (free < needed) {
        log.warn(
          { needed, free },
          'database not compacted, as the disk has no room for it; traces of deleted rows are left',
        );
        return;
      }
      log.info({ database: client.name }, 'compacting the database once, to erase what was deleted earlier');
      withTemporaryFiles(client, () => client.exec('VACUUM'));
    }
    client.pragma(`application_id = ${OVERWRITING}`);
  } catch (error) {
    log.warn({ err: error }, 'database not compacted, traces of deleted rows are left');
  } finally {
    truncateLog(client);
  }
}

/** What a compaction leaves in the log that broke off may be as much as the database. Whatever keeps it there passes. */
function truncateLog(client: Sqlite.Database): void {
  try {
    client.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // The next checkpoint does it.
  }
}

function measureFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function sizeOf(client: Sqlite.Database): number {
  return Number(client.pragma('page_count', { simple: true })) * Number(client.pragma('page_size', { simple: true }));
}

function attempt(log: Logger, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    log.debug({ err: error }, 'traces of deleted rows are left for now');
  }
}
