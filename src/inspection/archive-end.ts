// The end records of a zip (APPNOTE 4.3.14 to 4.3.16), read strictly: there must be exactly one unambiguous directory.
import { BrokenArchive, UnreadableArchive } from './errors.ts';
import type { BlockReader } from './source.ts';

const endSize = 22;
const locatorSize = 20;
const end64Size = 56;
const maxCommentLength = 0xffff;
const endSignature = 0x06054b50;
const locatorSignature = 0x07064b50;
const end64Signature = 0x06064b50;

/** The position of the central directory, and its declared number of entries. */
export interface DirectoryPlace {
  readonly offset: number;
  readonly end: number;
  readonly entryCount: number;
  /** Whether there are zip64 end records. */
  readonly isWide: boolean;
}

interface EndRecord {
  readonly disk: number;
  readonly directoryDisk: number;
  readonly entriesOnDisk: number;
  readonly entryCount: number;
  readonly directorySize: number;
  readonly directoryOffset: number;
}

/**
 * Reads the end records of an archive. Throws for ambiguous directories (a second end record in the comment), multi-disk
 * archives, zip64 records that contradict the plain one, and bytes after the directory.
 */
export async function readArchiveEnd(reader: BlockReader): Promise<DirectoryPlace> {
  const tailSize = Math.min(reader.size, endSize + maxCommentLength);
  const tailStart = reader.size - tailSize;
  const tail = await reader.read(tailStart, tailSize);
  const position = findEnd(tail);
  const plain = readPlainRecord(tail.subarray(position));
  const end = tailStart + position;
  const wide = await readWideRecord(reader, end);
  checkDisks(plain, 0xffff);
  if (wide !== null) {
    checkDisks(wide.record, null);
    checkAgreement(plain, wide.record);
  }
  const { directoryOffset, directorySize, entryCount } = wide?.record ?? plain;
  if (directoryOffset + directorySize > reader.size) {
    throw new UnreadableArchive('The directory of the archive is outside of it.');
  }
  if (directoryOffset + directorySize !== (wide?.start ?? end)) {
    throw new UnreadableArchive('The archive has bytes between its directory and its end.');
  }
  return { offset: directoryOffset, end: directoryOffset + directorySize, entryCount, isWide: wide !== null };
}

/** Finds the position of the end record. Any position whose comment reaches the end of the file counts as one for some reader. */
function findEnd(tail: Buffer): number {
  const found: number[] = [];
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(endSignature);
  for (let position = tail.indexOf(signature); position >= 0; position = tail.indexOf(signature, position + 1)) {
    if (position + endSize > tail.length) break;
    if (position + endSize + tail.readUInt16LE(position + 20) === tail.length) found.push(position);
  }
  const [position] = found;
  if (position === undefined) throw new BrokenArchive();
  if (found.length > 1) throw new UnreadableArchive('The archive has another archive in its comment.');
  return position;
}

function readPlainRecord(bytes: Buffer): EndRecord {
  return {
    disk: bytes.readUInt16LE(4),
    directoryDisk: bytes.readUInt16LE(6),
    entriesOnDisk: bytes.readUInt16LE(8),
    entryCount: bytes.readUInt16LE(10),
    directorySize: bytes.readUInt32LE(12),
    directoryOffset: bytes.readUInt32LE(16),
  };
}

/** Returns the zip64 end record whose locator precedes the plain record, and its offset; null if there is none. */
async function readWideRecord(reader: BlockReader, end: number): Promise<{ start: number; record: EndRecord } | null> {
  if (end < locatorSize) return null;
  const locator = await reader.read(end - locatorSize, locatorSize);
  if (locator.readUInt32LE(0) !== locatorSignature) return null;
  const start = Number(locator.readBigUInt64LE(8));
  const isPlaced = start + end64Size <= end - locatorSize;
  const bytes = isPlaced ? await reader.read(start, end64Size) : null;
  if (bytes === null || bytes.readUInt32LE(0) !== end64Signature) {
    throw new BrokenArchive();
  }
  const isWhole = start + 12 + Number(bytes.readBigUInt64LE(4)) === end - locatorSize;
  if (!isWhole || locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) {
    throw new UnreadableArchive('The end records of the archive contradict each other.');
  }
  const record = {
    disk: bytes.readUInt32LE(16),
    directoryDisk: bytes.readUInt32LE(20),
    entriesOnDisk: Number(bytes.readBigUInt64LE(24)),
    entryCount: Number(bytes.readBigUInt64LE(32)),
    directorySize: Number(bytes.readBigUInt64LE(40)),
    directoryOffset: Number(bytes.readBigUInt64LE(48)),
  };
  return { start, record };
}

/** `unset` is the value with which the plain record refers to the zip64 record. */
function checkDisks({ disk, directoryDisk, entriesOnDisk, entryCount }: EndRecord, unset: number | null): void {
  const isFirst = (number: number) => number === 0 || number === unset;
  if (!isFirst(disk) || !isFirst(directoryDisk) || entriesOnDisk !== entryCount) {
    throw new UnreadableArchive('The archive is one part of a multi-part archive.');
  }
}

function checkAgreement(plain: EndRecord, wide: EndRecord): void {
  const isSame =
    (plain.entryCount === 0xffff || plain.entryCount === wide.entryCount) &&
    (plain.directorySize === 0xffffffff || plain.directorySize === wide.directorySize) &&
    (plain.directoryOffset === 0xffffffff || plain.directoryOffset === wide.directoryOffset);
  if (!isSame) throw new UnreadableArchive('The end records of the archive contradict each other.');
}
