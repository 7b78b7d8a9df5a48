// The content digest of a small APK as defined by signature scheme v2, to detect contents changed after signing.
import { createHash } from 'node:crypto';
import type { Archive } from './archive-entry.ts';

const chunkSize = 1024 * 1024;

/** Contents of larger packages aren't checked, because that reads every byte, and the cost of inspection must not depend on size. */
export const maxCheckedPackageBytes = 4 * 1024 * 1024;

const hashOfAlgorithm: Readonly<Record<number, string>> = {
  257: 'sha256',
  258: 'sha512',
  259: 'sha256',
  260: 'sha512',
  513: 'sha256',
  514: 'sha512',
  769: 'sha256',
};

/** Returns a function that computes the content digest for a hash, once per hash. Reads every byte of the package. */
export function createContentDigester(archive: Archive, blockOffset: number): (hash: string) => Promise<Buffer> {
  const computed = new Map<string, Promise<Buffer>>();
  return (hash) => {
    const digest = computed.get(hash) ?? digestContents(archive, blockOffset, hash);
    computed.set(hash, digest);
    return digest;
  };
}

/** Whether the contents differ from the signed digests, for any algorithm that can be computed. */
export async function areContentsChanged(
  digestOf: (hash: string) => Promise<Buffer>,
  signed: ReadonlyMap<number, Buffer>,
): Promise<boolean> {
  for (const [id, digest] of signed) {
    const hash = hashOfAlgorithm[id];
    if (hash !== undefined && !(await digestOf(hash)).equals(digest)) return true;
  }
  return false;
}

async function digestContents(archive: Archive, blockOffset: number, hash: string): Promise<Buffer> {
  const { reader, directoryOffset, directoryEnd } = archive;
  const record = Buffer.from(await reader.read(directoryEnd, reader.size - directoryEnd));
  // The digest covers the end record as if there were no signing block.
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
