// Digest over the contents of a small APK, as signature scheme v2 defines it, to find contents changed after signing.
import { createHash } from 'node:crypto';
import type { Archive } from './archive.ts';

const chunkSize = 1024 * 1024;

/** The bound under which contents are checked: checking reads every byte, and inspection must not cost more with size. */
export const largestCheckedPackage = 4 * 1024 * 1024;

const hashOfAlgorithm: Readonly<Record<number, string>> = {
  257: 'sha256',
  258: 'sha512',
  259: 'sha256',
  260: 'sha512',
  513: 'sha256',
  514: 'sha512',
  769: 'sha256',
};

/** Whether the contents have the digests that were signed; null when none of the algorithms is one that can be computed. */
export async function hasSignedContents(
  archive: Archive,
  blockOffset: number,
  digests: ReadonlyMap<number, Buffer>,
): Promise<boolean | null> {
  const known = [...digests].filter(([id]) => hashOfAlgorithm[id] !== undefined);
  if (known.length === 0) return null;
  for (const [id, digest] of known) {
    const computed = await digestContents(archive, blockOffset, hashOfAlgorithm[id] ?? 'sha256');
    if (!computed.equals(digest)) return false;
  }
  return true;
}

async function digestContents(archive: Archive, blockOffset: number, hash: string): Promise<Buffer> {
  const { reader, directoryOffset, directoryEnd } = archive;
  const end = await reader.read(directoryEnd, reader.size - directoryEnd);
  // The record at the end counts as if the signing block were not there.
  const record = Buffer.from(end);
  record.writeUInt32LE(blockOffset, 16);
  const sections = [
    await reader.read(0, blockOffset),
    await reader.read(directoryOffset, directoryEnd - directoryOffset),
    record,
  ];
  const chunkDigests: Buffer[] = [];
  for (const section of sections) {
    for (let offset = 0; offset < section.length; offset += chunkSize) {
      const chunk = section.subarray(offset, offset + chunkSize);
      chunkDigests.push(createHash(hash).update(prefix(0xa5, chunk.length)).update(chunk).digest());
    }
  }
  return createHash(hash).update(prefix(0x5a, chunkDigests.length)).update(Buffer.concat(chunkDigests)).digest();
}

function prefix(marker: number, count: number): Buffer {
  const bytes = Buffer.alloc(5, marker);
  bytes.writeUInt32LE(count, 1);
  return bytes;
}
