// Reads objects of the local backend: metadata, ranges, and open files for downloads.
import type { promises } from 'node:fs';
import { join } from 'node:path';
import { type ObjectHead, StorageError } from '../../core/storage.ts';
import { assertObjectKey } from '../object-key.ts';
import {
  describeObject,
  errorCode,
  type FileOperations,
  findOnDisk,
  isPlainPath,
  READ_PLAIN_FILE,
  toStorageError,
} from './files.ts';

/** An object opened for reading. Its content stays the same even if another object replaces it. */
export type OpenObject = { readonly handle: promises.FileHandle; readonly head: ObjectHead };

/** Creates the read functions. Links aren't followed, neither for objects nor for folders. */
export function createReading({ files, objects }: { files: FileOperations; objects: string }): {
  head(key: string): Promise<ObjectHead | undefined>;
  openObject(key: string): Promise<OpenObject | undefined>;
  read(key: string, offset: number, length: number): Promise<Buffer>;
} {
  const pathOf = (key: string): string => join(objects, assertObjectKey(key));

  /** Returns undefined if the object is missing. Throws if the whole folder is, such as that of a disk that isn't mounted. */
  async function find<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
    const found = await findOnDisk(work);
    if (found !== undefined) return found;
    const root = await findOnDisk(() => files.lstat(objects));
    if (root?.isDirectory() !== true) throw new StorageError('unavailable', 'the folder of the objects is missing');
    return undefined;
  }

  /** A link in the place of an object is none; a loop of links on the way to it is an error. */
  async function openFile(path: string): Promise<promises.FileHandle | undefined> {
    try {
      return await files.open(path, READ_PLAIN_FILE);
    } catch (error) {
      const isLink = ['ELOOP', 'EMLINK'].includes(errorCode(error)) && (await files.lstat(path)).isSymbolicLink();
      if (isLink) return undefined;
      throw error;
    }
  }

  async function head(key: string): Promise<ObjectHead | undefined> {
    const path = pathOf(key);
    return find(async () => {
      const stat = await files.lstat(path, { bigint: true });
      return stat.isFile() && (await isPlainPath(files, path)) ? describeObject(stat) : undefined;
    });
  }

  async function openObject(key: string): Promise<OpenObject | undefined> {
    const path = pathOf(key);
    return find(async () => {
      const handle = await openFile(path);
      if (handle === undefined) return undefined;
      try {
        const stat = await handle.stat({ bigint: true });
        if (stat.isFile() && (await isPlainPath(files, path))) return { handle, head: describeObject(stat) };
      } catch (error) {
        await handle.close();
        throw error;
      }
      await handle.close();
      return undefined;
    });
  }

  async function read(key: string, offset: number, length: number): Promise<Buffer> {
    const object = await openObject(key);
    if (object === undefined) throw new StorageError('not_found', "the object doesn't exist");
    const { handle } = object;
    try {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, object.head.size - offset)));
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    } catch (error) {
      throw toStorageError(error);
    } finally {
      await handle.close();
    }
  }

  return { head, openObject, read };
}
