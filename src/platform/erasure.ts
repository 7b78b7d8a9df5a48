// What is deleted is gone from the files, too. SQLite overwrites deleted values with zeros (`secure_delete`), which leaves
// two places: the write-ahead log, until it is checkpointed, and copies of rows that were moved between pages, until the page
// is used up or the file is compacted.
import type Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import type { App } from './context.ts';

/** Compacting takes about 50 ms for as many bytes, and nobody is answered meanwhile. */
const QUICKLY_COMPACTED_BYTES = 8 * 1024 * 1024;
/** `user_version` of a database that has been compacted since values are overwritten. */
const OVERWRITING = 1;

/** Empties the write-ahead log into the database. What keeps it from that, such as another process that reads, passes. */
export function emptyLog({ db, log }: Pick<App, 'db' | 'log'>): void {
  attempt(log, () => db.$client.pragma('wal_checkpoint(TRUNCATE)'));
}

/** Removes the last traces of deleted rows: compacts a small database, and empties the write-ahead log of any. */
export function eraseTraces({ db, log }: Pick<App, 'db' | 'log'>): void {
  const { $client: client } = db;
  const pages = Number(client.pragma('page_count', { simple: true }));
  const pageSize = Number(client.pragma('page_size', { simple: true }));
  if (pages * pageSize <= QUICKLY_COMPACTED_BYTES) attempt(log, () => client.exec('VACUUM'));
  emptyLog({ db, log });
}

/**
 * Compacts a database once that an earlier version wrote, which did not overwrite what it deleted. `isNew` is one that has
 * just been created. When it fails, as it needs as much free space as the database has, the next start tries again.
 */
export function eraseEarlierTraces(client: Sqlite.Database, log: Pick<Logger, 'info' | 'warn'>, isNew: boolean): void {
  if (Number(client.pragma('user_version', { simple: true })) >= OVERWRITING) return;
  try {
    if (!isNew) {
      log.info({ database: client.name }, 'compacting the database once, to erase what was deleted earlier');
      client.exec('VACUUM');
      client.pragma('wal_checkpoint(TRUNCATE)');
    }
    client.pragma(`user_version = ${OVERWRITING}`);
  } catch (error) {
    log.warn({ err: error }, 'database not compacted, traces of deleted rows are left');
  }
}

function attempt(log: App['log'], work: () => unknown): void {
  try {
    work();
  } catch (error) {
    log.debug({ err: error }, 'traces of deleted rows are left for now');
  }
}
