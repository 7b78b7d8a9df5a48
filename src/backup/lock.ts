// The locks of work that must not run twice: backups, drills and restores.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { LockTarget } from '../runtime/lock.ts';

/** The lock of a data folder that says that a backup, a drill or a restore is running. */
export function backupLock({ server }: Config): LockTarget {
  return {
    lockFile: join(server.data_dir, 'backup.lock'),
    name: 'the backup',
    refusal: 'another backup of this server is running',
  };
}

/**
 * The locks of a restore. That of the data folder, which restores into it have in common whatever their database files are, comes first: a
 * restore that is refused leaves nothing in the folder.
 */
export function restoreLocks(config: Config): LockTarget[] {
  const { data_dir: dataDir } = config.server;
  const { file } = config.database;
  const inFolder = `a backup or another restore uses ${dataDir}: wait until it has ended, or set another server.data_dir`;
  const inFile = `a server or another restore uses ${file}: stop it, or set another server.data_dir`;
  return [
    { ...backupLock(config), refusal: inFolder },
    { lockFile: `${file}.lock`, name: file, refusal: inFile },
  ];
}
