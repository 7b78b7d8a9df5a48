// The file system calls of the local backend as one replaceable value, and helpers based on them.
import { constants, promises } from 'node:fs';
import { dirname } from 'node:path';
import type { ObjectHead } from '../../core/storage.ts';
import { StorageError } from '../../core/storage.ts';

/** The functions of node:fs/promises that the backend uses. */
export type FileOperations = Pick<
  typeof promises,
  | 'chmod'
  | 'lstat'
  | 'mkdir'
  | 'open'
  | 'readdir'
  | 'realpath'
  | 'rename'
  | 'rm'
  | 'rmdir'
  | 'statfs'
  | 'unlink'
  | 'utimes'
>;

/** The real file system. */
export const nodeFiles: FileOperations = promises;

/** Opens for reading without following links and without blocking on pipes. */
export const READ_PLAIN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Returns the code of a file system error (`ENOENT`, …), or '' for other errors. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return '';
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : '';
}

/**
 * Whether the error means that there is no object with this name. A link or a file in the place of a folder says nothing about the
 * object, so its errors (ELOOP, ENOTDIR) aren't among these.
 */
export function saysMissing(error: unknown): boolean {
  return ['ENOENT', 'ENXIO', 'EISDIR'].includes(errorCode(error));
}

/** Converts a file system error to a StorageError. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const isFull = ['ENOSPC', 'EDQUOT'].includes(errorCode(error));
  return isFull
    ? new StorageError('full', 'the storage is full', error)
    : new StorageError('unavailable', 'the storage is unavailable', error);
}

/** Runs file system calls. Returns undefined if the file is missing; throws other errors as StorageError. */
export async function findOnDisk<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (saysMissing(error)) return undefined;
    throw toStorageError(error);
  }
}

/** Whether no folder in the path is a link. */
export async function isPlainPath(files: FileOperations, path: string): Promise<boolean> {
  const folder = dirname(path);
  return (await files.realpath(folder)) === folder;
}

/** Describes an object by the bigint form of its stat. */
export function describeObject(stat: { size: bigint; ino: bigint; mtimeNs: bigint }): ObjectHead {
  const tag = [stat.ino, stat.size, stat.mtimeNs].map((part) => part.toString(16)).join('-');
  return {
    size: Number(stat.size),
    etag: `"${tag}"`,
    modifiedAt: new Date(Number(stat.mtimeNs / 1_000_000n)),
  };
}

/** Makes changes of names in a folder durable. */
export async function syncFolder(files: FileOperations, folder: string): Promise<void> {
  // Windows can't flush a folder.
  if (process.platform === 'win32') return;
  const handle = await files.open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder and its parents below `root` durably. Those that exist are flushed too, because their creator may not have flushed them
 * yet, or was killed before.
 */
export async function makeFolder(files: FileOperations, folder: string, root: string): Promise<void> {
  await files.mkdir(folder, { recursive: true });
  for (let made = folder; made.length > root.length; made = dirname(made)) await syncFolder(files, dirname(made));
}

/** Deletes the folder and its parents while they're empty and below `root`. Returns the first remaining folder. */
export async function pruneFolders(files: FileOperations, folder: string, root: string): Promise<string> {
  let current = folder;
  while (current.length > root.length) {
    try {
      await files.rmdir(current);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') return current;
    }
    current = dirname(current);
  }
  return root;
}

/** Same as `pruneFolders`, durably. */
export async function pruneDurably(files: FileOperations, folder: string, root: string): Promise<void> {
  let stays = await pruneFolders(files, folder, root);
  for (;;) {
    try {
      await syncFolder(files, stays);
      return;
    } catch (error) {
      // A concurrent removal may have deleted this folder too; then its parent must be flushed.
      if (errorCode(error) !== 'ENOENT' || stays.length <= root.length) throw error;
      stays = dirname(stays);
    }
  }
}
