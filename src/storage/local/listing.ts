// Lists objects in byte order of their keys, a page at a time.
import { join } from 'node:path';
import type { ListedObject } from '../../core/storage.ts';
import { describeObject, type FileOperations, saysMissing } from './files.ts';

/** Up to `limit` objects below `root` whose key starts with `prefix` and comes after `after`. */
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

  // A folder sorts as its name with the slash, which makes the walk's order the order of whole keys.
  async function readKeys(folderKey: string): Promise<string[]> {
    try {
      const entries = await files.readdir(join(root, folderKey), { withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .map((entry) => `${folderKey}${entry.name}${entry.isDirectory() ? '/' : ''}`)
        .sort((a, b) => (a < b ? -1 : 1));
    } catch (error) {
      if (saysMissing(error)) return [];
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

  // Only the deepest folder that the prefix names needs to be walked.
  await walk(prefix.slice(0, prefix.lastIndexOf('/') + 1));
  return found;
}
