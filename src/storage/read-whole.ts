// Reads a small object as a whole.
import { type Storage, StorageError } from '../core/storage.ts';

/** The bytes of an object; undefined when there is none, also when it goes away between the look and the read. */
export async function readWhole(storage: Storage, key: string): Promise<Buffer | undefined> {
  try {
    const head = await storage.head(key);
    return head && (await storage.read(key, 0, head.size));
  } catch (error) {
    if (error instanceof StorageError && error.code === 'not_found') return undefined;
    throw error;
  }
}
