// Bytes on their way into and out of a backup: checksums, compression and encryption.
import { createHash } from 'node:crypto';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Storage } from '../core/storage.ts';
import { BackupDamaged, type StoredFile } from './format.ts';

export type Bytes = AsyncIterable<Uint8Array>;

const STEP_BYTES = 1024 * 1024;

/** Counts and hashes the bytes that pass. `result` is complete once they have. */
export function measure(source: Bytes): { bytes: Bytes; result(): { size: number; sha256: string } } {
  const hash = createHash('sha256');
  let size = 0;
  async function* pass() {
    for await (const chunk of source) {
      size += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  }
  return { bytes: pass(), result: () => ({ size, sha256: hash.copy().digest('hex') }) };
}

export function compress(source: Bytes): Bytes {
  return through(source, createZstdCompress());
}

export function decompress(source: Bytes): Bytes {
  return through(source, createZstdDecompress());
}

function through(source: Bytes, transform: Transform): Bytes {
  // The error of either side is thrown where the result is read.
  return pipeline(Readable.from(source, { objectMode: false }), transform, () => undefined);
}

/** Reads an object in steps. */
export async function* readObject(storage: Pick<Storage, 'read'>, key: string, size: number): Bytes {
  for (let position = 0; position < size; position += STEP_BYTES) {
    const bytes = await storage.read(key, position, Math.min(STEP_BYTES, size - position));
    if (bytes.length === 0) throw new BackupDamaged(`${key} is shorter than expected`);
    yield bytes;
  }
}

/** Reads a file of a backup. Throws BackupDamaged, at the latest after its last byte, if it isn't the one that was written. */
export async function* readStored(place: Pick<Storage, 'read' | 'head'>, stored: StoredFile): Bytes {
  const found = await place.head(stored.file);
  if (found === undefined) throw new BackupDamaged(`${stored.file} is missing`);
  if (found.size !== stored.size)
    throw new BackupDamaged(`${stored.file} has ${found.size} bytes instead of ${stored.size}`);
  const { bytes, result } = measure(readObject(place, stored.file, stored.size));
  yield* bytes;
  if (result().sha256 !== stored.sha256) throw new BackupDamaged(`${stored.file} was modified`);
}

/** Yields the lines of a text. Throws BackupDamaged for one that is too long. */
export async function* readLines(source: Bytes): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > 10_000) throw new BackupDamaged('a line of a list is too long');
    yield* lines;
  }
  if (rest !== '') throw new BackupDamaged('a list is incomplete');
}

/** Reads all bytes, which pass for their checksums. */
export async function drain(source: Bytes): Promise<void> {
  for await (const _ of source) {
    // Measured on the way.
  }
}
