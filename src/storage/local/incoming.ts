// Incoming objects: written to a temporary file, flushed, and renamed, so that they're complete or absent.
import type { promises } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ObjectHead, StorageError } from '../../core/storage.ts';
import type { KeyLocks } from '../../lib/key-locks.ts';
import type { ClosedKeys } from './closed-keys.ts';
import {
  describeObject,
  errorCode,
  type FileOperations,
  findOnDisk,
  makeFolder,
  pruneFolders,
  saysMissing,
  syncFolder,
  toStorageError,
} from './files.ts';

/** Called with the existing object of the key right before a new one replaces it. Throws to reject the new one. */
type LastLook = (existing: ObjectHead | undefined) => void;

/** One object being written. It can't be used after `publish` or `discard`. */
export type IncomingObject = {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the object visible under the key, durably. Throws StorageError immutable, full or unavailable, or the callback's error. */
  publish(key: string, lastLook?: LastLook): Promise<ObjectHead>;
  /** Deletes the temporary file. Safe to call at any time and repeatedly. Never throws. */
  discard(): Promise<void>;
};

/** The folder of incoming objects. */
export type Incoming = {
  begin(): Promise<IncomingObject>;
  /** Deletes files left by ended processes, but none of this process and none written since `before`. Returns the number deleted. */
  sweep(before?: Date): Promise<number>;
};

const MAX_RENAMES = 5;

/** `folder` must be in the same file system as `objects`, the folder of visible objects. */
export function createIncoming(options: {
  files: FileOperations;
  folder: string;
  objects: string;
  clock: { now(): Date };
  withKeys: KeyLocks;
  seals: ClosedKeys;
}): Incoming {
  const { files, folder, objects, clock, withKeys, seals } = options;
  const active = new Set<string>();
  let begun = 0;

  async function create(): Promise<{ name: string; handle: promises.FileHandle }> {
    for (;;) {
      begun += 1;
      const name = `${process.pid}-${begun}`;
      active.add(name);
      try {
        return { name, handle: await files.open(join(folder, name), 'wx', 0o644) };
      } catch (error) {
        active.delete(name);
        // Left behind by an earlier process with the same id.
        if (errorCode(error) !== 'EEXIST') throw toStorageError(error);
      }
    }
  }

  async function begin(): Promise<IncomingObject> {
    const { name, handle } = await create();
    const path = join(folder, name);
    const tick = (begun % 999) + 1;
    let isOpen = true;

    async function close(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      await handle.close();
    }

    async function publish(key: string, lastLook?: LastLook): Promise<ObjectHead> {
      const target = join(objects, key);
      // The time comes from the clock; its microseconds are counted, so that two objects of one millisecond have different ETags.
      const modified = (clock.now().getTime() * 1000 + tick) / 1_000_000;
      // By path: Node's permission model allows no change of times by a handle.
      await files.utimes(path, modified, modified);
      await handle.sync();
      const head = describeObject(await handle.stat({ bigint: true }));
      await close();
      return withKeys([key], async () => {
        if (await seals.isSealed(key)) throw new StorageError('immutable', 'the object was moved to its final key');
        const existing = await files.lstat(target, { bigint: true }).catch((error: unknown) => {
          if (saysMissing(error)) return undefined;
          throw error;
        });
        if (existing !== undefined && isFinal(existing)) throw new StorageError('immutable', 'the object is final');
        lastLook?.(existing === undefined ? undefined : describeObject(existing));
        await renameInto(files, { from: path, to: target, root: objects });
        active.delete(name);
        await syncFolder(files, dirname(target));
        return head;
      });
    }

    return {
      async write(bytes) {
        try {
          for (let written = 0; written < bytes.byteLength; ) {
            written += (await handle.write(bytes, written, bytes.byteLength - written)).bytesWritten;
          }
        } catch (error) {
          throw toStorageError(error);
        }
      },
      async publish(key, lastLook) {
        try {
          return await publish(key, lastLook);
        } catch (error) {
          throw errorCode(error) === '' ? error : toStorageError(error);
        }
      },
      async discard() {
        if (!active.has(name)) return;
        await close().catch(() => undefined);
        // What can't be deleted is left to a sweep. The reason of the caller matters more.
        await files.rm(path, { force: true }).catch(() => undefined);
        active.delete(name);
      },
    };
  }

  async function isOlder(path: string, before: Date): Promise<boolean> {
    const stat = await findOnDisk(() => files.lstat(path));
    return stat !== undefined && stat.mtime < before;
  }

  return {
    begin,
    async sweep(before) {
      let count = 0;
      for (const name of await files.readdir(folder)) {
        const path = join(folder, name);
        if (active.has(name) || (before !== undefined && !(await isOlder(path, before)))) continue;
        await files.rm(path, { recursive: true, force: true });
        count += 1;
      }
      return count;
    },
  };
}

/** Whether the object has its final key: `move` removes the write permission. */
function isFinal(stat: { mode: bigint; isFile(): boolean }): boolean {
  return stat.isFile() && (stat.mode & 0o200n) === 0n;
}

/** Renames into a folder, which is created and must not contain links in its path. */
export async function renameInto(
  files: FileOperations,
  { from, to, root }: { from: string; to: string; root: string },
): Promise<void> {
  const folder = dirname(to);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await makeFolder(files, folder, root);
      if ((await files.realpath(folder)) !== folder)
        throw new StorageError('unavailable', 'a folder of the key is a link');
      await files.rename(from, to);
      return;
    } catch (error) {
      // A concurrent removal may delete the folder between the two steps.
      if (errorCode(error) === 'ENOENT' && attempt < MAX_RENAMES) continue;
      await pruneFolders(files, folder, root);
      throw error;
    }
  }
}
