// Files beside the database that commands leave when they are killed.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeRehearsal } from '../data/rehearsal.ts';
import { acquireLocks, InUseError } from './lock.ts';

/** What the folder of a restore from a replica begins with, beside the database. */
export const RESTORE_FOLDER = '.replica-';

/** Removes the folders of restores that were killed. The caller holds the lock of the database, so none is running. */
export function removeLeftRestores(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(RESTORE_FOLDER)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Removes what killed commands left beside a database, whose lock the caller holds. A rehearsal that runs has a lock of its own. */
export function removeLeftBehind(file: string, nativeBinding: string | undefined): void {
  removeLeftRestores(dirname(file));
  if (!existsSync(`${file}.rehearsal`)) return;
  const lockFile = `${file}.rehearsal.lock`;
  try {
    const release = acquireLocks([{ lockFile, name: file }], nativeBinding);
    removeRehearsal(file);
    release();
    rmSync(lockFile, { force: true });
  } catch (error) {
    if (!(error instanceof InUseError)) throw error;
  }
}
