// The locks of work that must not run twice: backups, drills and restores.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { acquireLocks, isLocked, type LockTarget } from '../runtime/lock.ts';

/** The lock of a data folder that says that a backup, a drill or a restore is running. */
export function backupLock({ server }: Config): LockTarget {
  return {
    lockFile: join(server.data_dir, 'backup.lock'),
    name: 'the backup',
    refusal: `another backup, a drill or a restore uses ${server.data_dir}: try again when it has ended`,
  };
}

/** The additional lock of a drill, which distinguishes it from a backup. */
export function drillLock({ server }: Config): LockTarget {
  return { lockFile: join(server.data_dir, '.drill.lock'), name: 'the drill' };
}

/** Whether a backup has its lock. It may be one that isn't recorded as running. */
export function hasBackupLock(config: Config, nativeBinding: string | undefined): boolean {
  return isLocked(backupLock(config), nativeBinding) && !isLocked(drillLock(config), nativeBinding);
}

/**
 * Takes the locks of a restore, and returns a function that releases them. `refuse` throws if there is an installation already; it's
 * called before a lock file is created, which would belong to the account that runs the restore and not to that of the server.
 */
export function lockForRestore(config: Config, refuse: () => void, nativeBinding: string | undefined): () => void {
  const locks = restoreLocks(config);
  // The locks say more about a server that runs.
  if (!locks.some((lock) => isLocked(lock, nativeBinding))) refuse();
  return acquireLocks(locks, nativeBinding);
}

/** The locks of a restore: of the data folder, which restores share even if their database files differ, and of the database. */
function restoreLocks(config: Config): LockTarget[] {
  const { data_dir: dataDir } = config.server;
  const { file } = config.database;
  const inFolder = `a backup, a drill or another restore uses ${dataDir}: set another server.data_dir, or try again when it has ended`;
  const inFile = `a server or another restore uses ${file}: stop it, or set another server.data_dir or database.file`;
  const folder = { ...backupLock(config), refusal: inFolder };
  const database = { lockFile: `${file}.lock`, name: file, refusal: inFile };
  // A restore that a running server refuses creates no lock file of its own account in the server's folder.
  return existsSync(database.lockFile) ? [database, folder] : [folder, database];
}
