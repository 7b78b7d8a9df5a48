// The bytes of an uploaded package for its inspection, with few requests to remote storage.
import { type ObjectHeadAndTail, type Storage, StorageError } from '../core/storage.ts';
import type { ByteSource } from '../inspection/source.ts';

/**
 * The end of an archive has its directory and often its signature. Small packages are read completely with it, so that their
 * inspection needs no further request.
 */
export const TAIL_BYTES = 4 * 1024 * 1024;

/** Returns a source that serves the tail from memory and reads the rest, all from the same version of the object. */
export function createPackageSource(storage: Pick<Storage, 'read'>, key: string, head: ObjectHeadAndTail): ByteSource {
  const { size, etag, tail = Buffer.alloc(0) } = head;
  const tailStart = size - tail.length;

  return {
    size,
    async read(offset, length) {
      if (offset >= tailStart) return Buffer.from(tail.subarray(offset - tailStart, offset - tailStart + length));
      const rest = Math.max(0, offset + length - tailStart);
      const bytes = await storage.read(key, offset, length - rest, { etag });
      if (bytes.length !== length - rest) throw new StorageError('changed', 'the object became shorter meanwhile');
      return rest === 0 ? bytes : Buffer.concat([bytes, tail.subarray(0, rest)]);
    },
  };
}
