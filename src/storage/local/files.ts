// The file system calls of the local backend, handed in as one value, and the few steps made of them.
import { constants, promises } from 'node:fs';
import { dirname } from 'node:path';
import type { ObjectHead } from '../../core/storage.ts';
import { StorageError } from '../../core/storage.ts';

/** The calls of node:fs/promises that the backend makes. */
export type FileOperations = Pick<
  typeof promises,
  'chmod' | 'lstat' | 'mkdir' | 'open' | 'readdir' | 'realpath' | 'rename' | 'rm' | 'rmdir' | 'statfs' | 'unlink'
>;

/** The real file system. */
export const nodeFiles: FileOperations = promises;

/** Opens for reading without following a link and without waiting for the other end of a pipe. */
export const READ_PLAIN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The code of a file system error (`ENOENT`, …), or '' for any other error. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return '';
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : '';
}

/** Whether the error says that nothing of that name is there (or nothing that could be an object). */
export function saysMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(errorCode(error));
}

/** A file system error as the error of the storage interface. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const isFull = ['ENOSPC', 'EDQUOT'].includes(errorCode(error));
  return isFull
    ? new StorageError('full', 'the storage has no room left', error)
    : new StorageError('unavailable', 'the storage does not work', error);
}

/** Runs file system calls: what is missing gives undefined, any other trouble a StorageError. */
export async function findOnDisk<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (saysMissing(error)) return undefined;
    throw toStorageError(error);
  }
}

/** Whether no folder on the way to the path is a link. */
export async function isPlainPath(files: FileOperations, path: string): Promise<boolean> {
  const folder = dirname(path);
  return (await files.realpath(folder)) === folder;
}

/** What the bigint form of stat says about an object. */
export function describeObject(stat: { size: bigint; ino: bigint; mtimeNs: bigint }): ObjectHead {
  const tag = [stat.ino, stat.size, stat.mtimeNs].map((part) => part.toString(16)).join('-');
  return {
    size: Number(stat.size),
    etag: `"${tag}"`,
    modifiedAt: new Date(Number(stat.mtimeNs / 1_000_000n)),
  };
}

/** Makes names inside a folder durable. */
export async function syncFolder(files: FileOperations, folder: string): Promise<void> {
  // Windows has no handle on a folder to flush.
  if (process.platform === 'win32') return;
  const handle = await files.open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and those above it, durably; folders that were there cost nothing more. */
export async function makeFolder(files: FileOperations, folder: string): Promise<void> {
  const first = await files.mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(files, dirname(made));
}

/** Removes the folder and those above it as long as they are empty and below `root`; answers the first that stays. */
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

/** Removes the folder and those above it as `pruneFolders` does, durably. */
export async function pruneDurably(files: FileOperations, folder: string, root: string): Promise<void> {
  let stays = await pruneFolders(files, folder, root);
  for (;;) {
    try {
      await syncFolder(files, stays);
      return;
    } catch (error) {
      // A removal next door may have taken this one away as well: then the next above says so.
      if (errorCode(error) !== 'ENOENT' || stays.length <= root.length) throw error;
      stays = dirname(stays);
    }
  }
}
