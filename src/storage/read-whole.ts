// Reads small objects completely.
import { type Storage, StorageError } from '../core/storage.ts';

/** Returns the bytes of an object, or undefined if it doesn't exist or is deleted in the meantime. */
export async function readWhole(storage: Storage, key: string): Promise<Buffer | undefined> {
  try {
    const head = await storage.head(key);
    return head && (await storage.read(key, 0, head.size));
  } catch (error) {
    if (error instanceof StorageError && error.code === 'not_found') return undefined;
    throw error;
  }
}
