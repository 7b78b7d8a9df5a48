// Detects a database that is missing or empty next to other files of an installation. Starting with a new one would hide the
// loss, and offer an empty server to the first person who opens the setup link.
import { type Dirent, opendirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The server can't start: the database is missing, but other files of the installation exist, or a folder is in its place. */
export class DatabaseLostError extends Error {}

export interface InstallationPaths {
  database: string;
  /** The file of the secret key. A new installation creates it after the database. */
  secretKey: string;
  /** The folder of the local storage. */
  storage: string;
}

/** Marks a data folder into which a backup is being restored, or was when the process ended. */
export const restoreMarkOf = (dataDir: string): string => join(dataDir, '.restoring');

/**
 * Removes the mark of a restore that was killed when the database was in its place and only the mark was left. If the database was lost
 * later, the mark would allow the next restore to delete the packages.
 */
export function endRestore(dataDir: string): void {
  rmSync(restoreMarkOf(dataDir), { force: true });
}

/** Returns the problem that an interrupted restore is, and its remedy. */
export function describeInterruptedRestore(dataDir: string): string {
  return `restoring a backup into ${dataDir} was interrupted: run "taxiway restore" again, or delete the contents of this folder`;
}

/** Throws DatabaseLostError if the database is a folder, for which SQLite would report a disk error. */
export function refuseFolder(database: string): void {
  if (statSync(database, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw new DatabaseLostError(`the database ${database} is a folder: set database.file to a file`);
}

/** Throws DatabaseLostError if the database is a folder, or if its file is missing or empty and other files of an installation exist. */
export function checkDatabaseNotLost(paths: InstallationPaths): void {
  refuseFolder(paths.database);
  const loss = describeLoss(paths);
  if (loss !== undefined) throw new DatabaseLostError(loss);
}

/** Returns the problem and its remedy, or undefined if the database has content or this may be a new installation. */
export function describeLoss({ database, secretKey, storage }: InstallationPaths): string | undefined {
  if (hasContent(database)) return undefined;
  const size = sizeOf(database);
  const dataDir = dirname(secretKey);
  if (sizeOf(restoreMarkOf(dataDir)) !== undefined) {
    return describeInterruptedRestore(dataDir);
  }
  const traces = [
    ...(sizeOf(secretKey) === undefined ? [] : [secretKey]),
    ...(hasFile(join(storage, 'objects')) ? [`the packages in ${storage}`] : []),
    ...(sizeOf(`${database}-wal`) ? [`${database}-wal`] : []),
    ...findCopies(database),
  ];
  if (traces.length === 0) return undefined;
  return (
    `the database ${database} ${size === undefined ? 'is missing' : 'is empty'}, but ${traces.join(' and ')} belong to one. ` +
    'Restore the database from a backup, or mount the disk that it is on. To start with an empty server, move these away first.'
  );
}

/** Whether the file of a database exists and isn't empty. */
export const hasContent = (database: string): boolean => (sizeOf(database) ?? 0) > 0;

function sizeOf(file: string): number | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true ? stats.size : undefined;
}

/** Finds the copies saved before upgrades. */
function findCopies(database: string): string[] {
  const prefix = `${basename(database)}.before-`;
  try {
    const names = readdirSync(dirname(database)).filter((name) => name.startsWith(prefix) && !name.endsWith('.part'));
    return names.slice(0, 1).map((name) => join(dirname(database), name));
  } catch {
    return [];
  }
}

/** Whether the folder contains a file at any depth. Stops at the first. */
export function hasFile(folder: string): boolean {
  try {
    const entries = opendirSync(folder);
    try {
      for (let entry: Dirent | null = entries.readSync(); entry !== null; entry = entries.readSync()) {
        if (entry.isFile() || (entry.isDirectory() && hasFile(join(folder, entry.name)))) return true;
      }
      return false;
    } finally {
      entries.closeSync();
    }
  } catch {
    // The folder doesn't exist.
    return false;
  }
}
