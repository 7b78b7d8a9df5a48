// Packages of any size: an existing package with a stored entry of zeros added in front.
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const END_RECORD_BYTES = 22;
const ENTRY_NAME = Buffer.from('assets/padding.bin');
const ZEROS = Buffer.alloc(1024 * 1024);

/**
 * Writes `archive`, a zip without comment, as a file of exactly `size` bytes. Adjusts offsets; a signing block stays before the
 * directory. The zeros are a hole in the file, so they use no disk space.
 */
export function writePaddedPackage(file: string, archive: Buffer, size: number): void {
  const end = archive.subarray(archive.length - END_RECORD_BYTES);
  if (end.readUInt32LE(0) !== 0x06054b50) throw new Error('the archive has a comment or is no zip');
  const count = end.readUInt16LE(10);
  const directoryBytes = end.readUInt32LE(12);
  const directoryAt = end.readUInt32LE(16);
  const overhead = 30 + ENTRY_NAME.length + 46 + ENTRY_NAME.length;
  const padding = size - archive.length - overhead;
  if (padding < 0) throw new RangeError(`the archive has ${archive.length} bytes already`);

  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt32LE(crcOfZeros(padding), 10);
  facts.writeUInt32LE(padding, 14);
  facts.writeUInt32LE(padding, 18);
  facts.writeUInt16LE(ENTRY_NAME.length, 22);
  const localHeader = Buffer.concat([Buffer.from('504b0304', 'hex'), facts, ENTRY_NAME]);
  const moved = localHeader.length + padding;

  const directory = Buffer.from(archive.subarray(directoryAt, directoryAt + directoryBytes));
  for (let at = 0; at < directory.length; ) {
    directory.writeUInt32LE(directory.readUInt32LE(at + 42) + moved, at + 42);
    at += 46 + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  const entry = Buffer.concat([Buffer.from('504b01021400', 'hex'), facts, Buffer.alloc(14), ENTRY_NAME]);
  const newEnd = Buffer.from(end);
  newEnd.writeUInt16LE(count + 1, 8);
  newEnd.writeUInt16LE(count + 1, 10);
  newEnd.writeUInt32LE(directory.length + entry.length, 12);
  newEnd.writeUInt32LE(directoryAt + moved, 16);

  const handle = openSync(file, 'w');
  try {
    ftruncateSync(handle, size);
    writeSync(handle, localHeader, 0, localHeader.length, 0);
    const rest = Buffer.concat([archive.subarray(0, directoryAt), directory, entry, newEnd]);
    writeSync(handle, rest, 0, rest.length, moved);
  } finally {
    closeSync(handle);
  }
}

function crcOfZeros(length: number): number {
  let crc = 0;
  for (let left = length; left > 0; left -= ZEROS.length)
    crc = crc32(ZEROS.subarray(0, Math.min(left, ZEROS.length)), crc);
  return crc;
}
