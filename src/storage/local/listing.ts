// Lists objects in byte order of their keys, in pages.
import { join } from 'node:path';
import type { ListedObject } from '../../core/storage.ts';
import { describeObject, errorCode, type FileOperations, saysMissing } from './files.ts';

/** Returns up to `limit` objects below `root` whose key starts with `prefix` and sorts after `after`. */
export async function listObjects(
  files: FileOperations,
  root: string,
  { prefix, after, limit }: { prefix: string; after: string; limit: number },
): Promise<ListedObject[]> {
  const found: ListedObject[] = [];

  async function walk(folderKey: string): Promise<void> {
    for (const key of await readKeys(folderKey)) {
      if (found.length >= limit) return;
      if (key.endsWith('/')) {
        const mayMatch = key.startsWith(prefix) || prefix.startsWith(key);
        if (mayMatch && (key > after || after.startsWith(key))) await walk(key);
      } else if (key.startsWith(prefix) && key > after) {
        const object = await describe(key);
        if (object !== undefined) found.push(object);
      }
    }
  }

  // A folder sorts by its name including the slash, so that the traversal is in order of complete keys.
  async function readKeys(folderKey: string): Promise<string[]> {
    try {
      const entries = await files.readdir(join(root, folderKey), { withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .map((entry) => `${folderKey}${entry.name}${entry.isDirectory() ? '/' : ''}`)
        .sort((a, b) => (a < b ? -1 : 1));
    } catch (error) {
      // A prefix may go on after the key of an object.
      if (saysMissing(error) || errorCode(error) === 'ENOTDIR') return [];
      throw error;
    }
  }

  async function describe(key: string): Promise<ListedObject | undefined> {
    try {
      const { size, modifiedAt } = describeObject(await files.lstat(join(root, key), { bigint: true }));
      return { key, size, modifiedAt };
    } catch (error) {
      if (saysMissing(error)) return undefined;
      throw error;
    }
  }

  // Starts at the deepest folder of the prefix.
  await walk(prefix.slice(0, prefix.lastIndexOf('/') + 1));
  return found;
}
