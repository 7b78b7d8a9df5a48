// The space of a disk.
import { statfs } from 'node:fs/promises';

/** In bytes. */
export interface DiskSpace {
  free: number;
  total: number;
}

/** Returns the space of the disk of a folder; undefined if the folder can't be reached, as on a disk that is unmounted. */
export async function findDiskSpace(folder: string): Promise<DiskSpace | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return undefined;
  }
}
