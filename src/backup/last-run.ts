// The last run of a backup as operators see it: one whose process ended without recording it has failed.
import type Sqlite from 'better-sqlite3';
import type { Config } from '../config.ts';
import { addonOf } from '../data/addon.ts';
import { nativeBindingOf } from '../data/database.ts';
import { hasBackupLock } from './lock.ts';
import { type BackupRun, findLastRun, INTERRUPTED } from './run-store.ts';

/** Returns the last run to the configured place. */
export function readLastRun(config: Config, client: Sqlite.Database): BackupRun | undefined {
  const read = () => findLastRun(client, config.backup.directory);
  if (read()?.state !== 'running' || hasBackupLock(config, nativeBindingOf(client) ?? addonOf(config))) {
    return read();
  }
  // It may have ended since.
  const last = read();
  return last?.state === 'running' ? { ...last, state: 'failed', problem: INTERRUPTED } : last;
}
