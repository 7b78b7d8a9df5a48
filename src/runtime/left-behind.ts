// Files beside the database that commands leave when they are killed.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { removeRehearsal } from '../data/rehearsal.ts';
import { acquireLocks, InUseError } from './lock.ts';

/** The folder of a restore has the name of its database, because others can be beside it. `mkdtemp` adds six characters. */
const restorePrefixOf = (file: string) => `.replica-${basename(file)}-`;
const RANDOM_CHARACTERS = 6;

/** Creates the folder in which a database is restored from a replica, beside its file. */
export function createRestoreFolder(file: string): string {
  return mkdtempSync(join(dirname(file), restorePrefixOf(file)));
}

/** Removes the folders of restores of a database that were killed. The caller holds its lock, so none is running. */
export function removeLeftRestores(file: string): void {
  const prefix = restorePrefixOf(file);
  for (const name of readdirSync(dirname(file))) {
    if (name.startsWith(prefix) && name.length === prefix.length + RANDOM_CHARACTERS) {
      rmSync(join(dirname(file), name), { recursive: true, force: true });
    }
  }
}

/** Removes what killed commands left beside a database, whose lock the caller holds. A rehearsal that runs has a lock of its own. */
export function removeLeftBehind(file: string, nativeBinding: string | undefined): void {
  removeLeftRestores(file);
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
