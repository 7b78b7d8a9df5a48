// Keeps a second server away from what one server alone may use: its database and its folder of objects.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';

/** A refusal to start: another server holds what this one needs. */
export class InUseError extends Error {}

/** One thing that is held: the lock file beside it, and its name for people. */
export interface Held {
  lockFile: string;
  name: string;
}

/**
 * Holds the lock files (made when missing) until the answered function is called or the process ends, however it ends.
 * Throws InUseError naming what another server, also one in this process, holds; then nothing is held.
 */
export function holdLocks(things: readonly Held[], nativeBinding?: string): () => void {
  const locks: Sqlite.Database[] = [];
  const release = (): void => {
    for (const lock of locks.splice(0)) lock.close();
  };
  try {
    for (const { lockFile, name } of things) {
      mkdirSync(dirname(lockFile), { recursive: true });
      const lock = new Sqlite(lockFile, { timeout: 0, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
      locks.push(lock);
      holdExclusively(lock, name);
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/**
 * Node has no file locks; SQLite's are the system's own, so they go with the process and need no stale process number to
 * be judged. The file stays empty. It must not be opened by other means: closing any handle of it would end the lock.
 */
function holdExclusively(lock: Sqlite.Database, name: string): void {
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    throw new InUseError(
      `another Taxiway server uses ${name}; stop it, or give this one a folder of its own with server.data_dir ` +
        '(TAXIWAY_SERVER__DATA_DIR=…)',
    );
  }
}
