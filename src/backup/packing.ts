// Writes the files of a backup, and reads them back.

import { codeOf } from '../lib/error-code.ts';
import type { Seal, Unseal } from './encryption.ts';
import { BackupDamaged, type PackedFile } from './format.ts';
import type { BackupPlace } from './place.ts';
import { type Bytes, compress, decompress, measure, readStored } from './streams.ts';

type PackOptions = { seal?: Seal; isCompressed?: boolean };

/** Stores bytes as a file. Returns the checksums of what was given and of what was stored. */
export async function pack(
  place: BackupPlace,
  name: string,
  plain: Bytes,
  { seal, isCompressed = false }: PackOptions = {},
): Promise<PackedFile> {
  const isSealed = seal !== undefined && seal.fingerprint !== '';
  const before = measure(plain);
  const body = isCompressed ? compress(before.bytes) : before.bytes;
  const after = measure(isSealed ? await seal.close(body) : body);
  const file = isSealed && !name.endsWith('.age') ? `${name}.age` : name;
  await place.put(file, after.bytes);
  const { size, sha256 } = before.result();
  return { file, ...after.result(), plain_size: size, plain_sha256: sha256 };
}

/**
 * Reads the plain content of a file. Throws BackupDamaged, at the latest after its last byte, if it isn't the one that was
 * written. A file that ends with `.age` requires keys.
 */
export async function* unpack(
  place: BackupPlace,
  packed: PackedFile,
  { unseal, isCompressed = false }: { unseal?: Unseal | undefined; isCompressed?: boolean } = {},
): Bytes {
  const stored = readStored(place, packed);
  const opened = packed.file.endsWith('.age') && unseal !== undefined ? await unseal.open(stored) : stored;
  const { bytes, result } = measure(isCompressed ? translate(decompress(opened), packed.file) : opened);
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > packed.plain_size) throw new BackupDamaged(`${packed.file} is longer than expected`);
    yield chunk;
  }
  if (size !== packed.plain_size || result().sha256 !== packed.plain_sha256) {
    throw new BackupDamaged(`${packed.file} doesn't have the expected content`);
  }
}

/** An error of the decompression means damage. */
async function* translate(source: Bytes, file: string): Bytes {
  try {
    yield* source;
  } catch (error) {
    const isOurs = !codeOf(error).startsWith('ZSTD');
    if (isOurs) throw error;
    throw new BackupDamaged(`${file} can't be decompressed`);
  }
}
