// Locks that prevent two servers from using the same database or storage folder, and other work from running twice.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { isBusy } from '../data/busy.ts';
import { makeFolderNow } from '../lib/durable-file.ts';
import { createForOwner } from './data-owner.ts';

/** Another process, or other work in this one, has the lock. */
export class InUseError extends Error {}

/** A lock file can't be used, for example because its folder can't be written. */
export class LockFileError extends Error {}

/** A locked resource: its lock file, and its name in messages. */
export interface LockTarget {
  lockFile: string;
  name: string;
  /** The error's text instead of the one about another server. */
  refusal?: string;
}

/**
 * Acquires the lock files (created if missing) and returns a function that releases them. They're also released when the
 * process ends in any way. Throws InUseError with the name of the resource if another process, or this one, has one of the locks,
 * LockFileError, or the file system's error if a folder can't be created; then none is acquired.
 */
export function acquireLocks(targets: readonly LockTarget[], nativeBinding?: string): () => void {
  const locks: Sqlite.Database[] = [];
  const release = (): void => {
    for (const lock of locks.splice(0)) lock.close();
  };
  try {
    for (const target of targets) {
      const { lockFile } = target;
      // Usually the first to create the data folder, so with its mode.
      makeFolderNow(dirname(lockFile));
      try {
        createForOwner(lockFile);
        const lock = new Sqlite(lockFile, { timeout: 0, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
        locks.push(lock);
        // A file that can only be read would be locked for reading, which excludes nobody.
        accessSync(lockFile, constants.W_OK);
        lockExclusively(lock, target);
      } catch (error) {
        if (error instanceof InUseError || !(error instanceof Error && 'code' in error)) throw error;
        const hint =
          error.code !== 'EROFS' && isForeign(lockFile)
            ? ': it belongs to another account; give it to that of the server with chown'
            : '';
        throw new LockFileError(`can't write the lock file ${lockFile} (${error.code})${hint}`);
      }
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Whether a file is one of an account that this process doesn't run as, such as root's. */
function isForeign(file: string): boolean {
  const account = process.geteuid?.() ?? 0;
  try {
    return account !== 0 && statSync(file).uid !== account;
  } catch {
    return false;
  }
}

/** Whether another process, or other work in this one, has a lock. Creates no file; one that can't be read counts as free. */
export function isLocked({ lockFile }: Pick<LockTarget, 'lockFile'>, nativeBinding?: string): boolean {
  if (!existsSync(lockFile)) return false;
  let lock: Sqlite.Database | undefined;
  try {
    lock = new Sqlite(lockFile, {
      readonly: true,
      timeout: 0,
      ...(nativeBinding === undefined ? {} : { nativeBinding }),
    });
    lock.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    lock?.close();
  }
}

/**
 * Node has no file locks. SQLite's locks are those of the operating system, so they end with the process and never become
 * stale. The file stays empty. It must not be opened by other means, because closing any handle of it would release the lock.
 */
function lockExclusively(lock: Sqlite.Database, { name, refusal }: LockTarget): void {
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new InUseError(
      refusal ??
        `another Taxiway server uses ${name}; stop it, or give this one a folder of its own with server.data_dir ` +
          '(TAXIWAY_SERVER__DATA_DIR=…)',
    );
  }
}
