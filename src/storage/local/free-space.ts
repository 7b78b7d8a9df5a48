// Free space for uploads: what the file system has beyond the reserve, which belongs to the database, its log and small objects.
import { StorageError } from '../../core/storage.ts';
import { type FileOperations, toStorageError } from './files.ts';

/** The part of the disk that uploads leave free: the smaller of the two. 0 keeps nothing. */
export type Reserve = { readonly bytes: number; readonly percent: number };

export type Room = {
  /** Whether an object of so many bytes can be stored without using the reserve. Throws StorageError unavailable. */
  has(bytes: number): Promise<boolean>;
  /** Takes bytes that are about to be written. Throws StorageError full when they would use the reserve. */
  take(bytes: number): Promise<void>;
};

/** Others write to the same disk, so a measurement is used only this long. */
const MEASUREMENT_LIFETIME_MS = 1_000;

/** Measures the file system of `folder` once a second at most while there is enough, and again before anything is refused. */
export function createRoom(options: { files: FileOperations; folder: string; reserve: Reserve }): Room {
  const { files, folder, reserve } = options;
  let left = 0;
  let measuredAt = Number.NEGATIVE_INFINITY;

  async function measure(): Promise<void> {
    try {
      const { bavail, blocks, bsize } = await files.statfs(folder);
      left = bavail * bsize - Math.min(reserve.bytes, (blocks * bsize * reserve.percent) / 100);
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
