// The lock that says that a backup or a drill is running.
import { join } from 'node:path';
import type { Config } from '../config.ts';

/** The lock that says that a backup is running. */
export function backupLock({ server }: Config) {
  return {
    lockFile: join(server.data_dir, 'backup.lock'),
    name: 'the backup',
    refusal: 'another backup of this server is running',
  };
}
