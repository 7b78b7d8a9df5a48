// The bytes of an uploaded package for its inspection, with few requests to remote storage.
import type { App } from '../core/context.ts';
import { type ObjectHeadAndTail, type Storage, StorageError } from '../core/storage.ts';
import { prepared } from '../data/database.ts';
import type { ByteSource } from '../inspection/source.ts';

/**
 * The end of an archive has its directory and often its signature. Small packages are read completely with it, so that their
 * inspection needs no further request.
 */
export const TAIL_BYTES = 4 * 1024 * 1024;
/** Of all packages that are inspected or wait for it. Further ones are read in parts when it's their turn. */
const MAX_TAILS = 16;
/** Of these, those of one organization, so that it doesn't slow down the uploads of others. */
const MAX_TAILS_OF_ORGANIZATION = 8;
/** The beginning often has the manifest. */
const FRONT_BYTES = 512 * 1024;

/** The organizations whose packages are kept, once for each package. */
const tailsOf = prepared((): string[] => []);

/** Runs work that may keep the end of one package in memory, and passes the number of bytes: 0 if too many others are kept. */
export async function holdTail<T>(
  app: Pick<App, 'db'>,
  organizationId: string,
  work: (tailBytes: number) => Promise<T>,
): Promise<T> {
  const tails = tailsOf(app);
  const own = tails.filter((id) => id === organizationId).length;
  if (tails.length >= MAX_TAILS || own >= MAX_TAILS_OF_ORGANIZATION) return work(0);
  tails.push(organizationId);
  try {
    return await work(TAIL_BYTES);
  } finally {
    tails.splice(tails.indexOf(organizationId), 1);
  }
}

/** Returns a source that reads all from the same version of the object. With a tail, reads the beginning in one request. */
export function createPackageSource(storage: Pick<Storage, 'read'>, key: string, head: ObjectHeadAndTail): ByteSource {
  const { size, etag, tail } = head;
  const tailStart = size - (tail?.length ?? 0);
  const frontEnd = tail === undefined ? 0 : Math.min(FRONT_BYTES, tailStart);
  let front: Promise<Buffer> | undefined;

  async function readStored(offset: number, length: number): Promise<Buffer> {
    const bytes = await storage.read(key, offset, length, { etag });
    if (bytes.length !== length) throw new StorageError('changed', 'the object became shorter while it was read');
    return bytes;
  }

  /** Returns the bytes that are in one of the three parts of the object: front, middle and tail. */
  async function readPart(offset: number, length: number): Promise<Buffer> {
    if (tail !== undefined && offset >= tailStart)
      return tail.subarray(offset - tailStart, offset - tailStart + length);
    if (offset >= frontEnd) return readStored(offset, length);
    front ??= readStored(0, frontEnd);
    return (await front).subarray(offset, offset + length);
  }

  return {
    size,
    async read(offset, length) {
      const end = offset + length;
      const bounds = [offset, frontEnd, tailStart, end].filter((bound) => bound >= offset && bound <= end);
      const starts = [...new Set(bounds)].sort((a, b) => a - b);
      const parts = starts.slice(0, -1).map((start, index) => readPart(start, (starts[index + 1] ?? end) - start));
      return Buffer.concat(await Promise.all(parts));
    },
  };
}
