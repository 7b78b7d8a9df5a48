// Free space for uploads and other large objects: the space of the file system minus a reserve for the database, its log and small objects.
import { StorageError } from '../../core/storage.ts';
import { type FileOperations, toStorageError } from './files.ts';

/** The space that large objects leave free: the smaller of the two. 0 for none. */
export type Reserve = { readonly bytes: number; readonly percent: number };

/** Returns the bytes of a reserve on a file system. */
export function reservedBytes(
  { bytes, percent }: Reserve,
  { blocks, bsize }: { blocks: number; bsize: number },
): number {
  return Math.min(bytes, (blocks * bsize * percent) / 100);
}

export type Room = {
  /** Whether an object of this size can be stored without using the reserve. Throws StorageError `unavailable`. */
  has(bytes: number): Promise<boolean>;
  /** Reserves bytes that will be written. Throws StorageError `full` if they would use the reserve. */
  take(bytes: number): Promise<void>;
};

/** Other programs write to the same disk, so a measurement is valid only for this long. */
const MEASUREMENT_LIFETIME_MS = 1_000;

/** Measures the file system of `folder` at most once a second while there is enough space, and again before a rejection. */
export function createRoom(options: { files: FileOperations; folder: string; reserve: Reserve }): Room {
  const { files, folder, reserve } = options;
  let left = 0;
  let measuredAt = Number.NEGATIVE_INFINITY;

  async function measure(): Promise<void> {
    try {
      const disk = await files.statfs(folder);
      left = disk.bavail * disk.bsize - reservedBytes(reserve, disk);
      measuredAt = performance.now();
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async function has(bytes: number): Promise<boolean> {
    if (left < bytes || performance.now() - measuredAt > MEASUREMENT_LIFETIME_MS) await measure();
    return left >= bytes;
  }

  return {
    has,
    async take(bytes) {
      if (!(await has(bytes))) throw new StorageError('full', 'only the reserve of the disk is left');
      left -= bytes;
    },
  };
}
