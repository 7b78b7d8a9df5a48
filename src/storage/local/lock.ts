// The lock of the folder of packages.
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { LockTarget } from '../../runtime/lock.ts';

const LOCK_FILE = 'server.lock';

/** The files of the lock, which a folder without packages may have. */
export const lockFiles: readonly string[] = [LOCK_FILE, `${LOCK_FILE}-journal`];

/** The lock that the only server of a folder of packages has, or a restore that writes into it. */
export function localStorageLock({ storage }: Config): LockTarget {
  const { directory } = storage.local;
  return {
    lockFile: join(directory, LOCK_FILE),
    name: `the storage folder ${directory}`,
    refusal: `another server or restore uses the storage folder ${directory}; stop it, or set another storage.local.directory`,
  };
}
