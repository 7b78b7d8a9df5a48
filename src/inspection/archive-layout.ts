// Local headers of a zip and the gaps between entries. A program that reads from the start of the file must unpack the same
// entries that the central directory lists.
import type { Archive, ArchiveEntry } from './archive-entry.ts';
import { UnreadableArchive } from './errors.ts';
import type { ByteRange } from './read-plan.ts';

export const localHeaderSize = 30;
const localSignature = 0x04034b50;
const descriptorSignature = 0x08074b50;
const unset32 = 0xffffffff;
export const zip64Field = 0x0001;
const unicodePathField = 0x7075;
/** Flags that affect interpretation: encryption, data descriptor, patch, strong encryption, UTF-8 name, masked header. */
const meaningfulFlags = 0x2869;
const sizesFollow = 0x0008;
/** Gaps up to this size can't contain a relevant entry: its header and the name `Payload/.app/Info.plist` are longer. */
const harmlessRoom = localHeaderSize + 'Payload/.app/Info.plist'.length - 1;
export const likelyExtra = 64;
const maxExplainedRooms = 1_000;
const maxRoomBytes = 4 * 1024 * 1024;
/** Maximum number of reads for local headers of an .ipa. Beyond it, headers aren't compared. */
const maxReads = 10_000;
/** The longest data descriptor. */
const descriptorSize = 24;

/**
 * Reads an entry's local header and compares it with the directory. Returns the offset of its data and the end of the entry.
 * Throws if the two contradict each other. `next` is the offset of the next header to be read, if any.
 */
export async function readLocalEntry(
  archive: Archive,
  entry: ArchiveEntry,
  next?: number,
): Promise<{ start: number; end: number }> {
  const { reader, directoryOffset } = archive;
  // Usually reads the header together with the following data.
  const likelySize = Math.min(localHeaderSize + entry.rawName.length + likelyExtra, reader.size - entry.headerOffset);
  const likely = await reader.readSmall(entry.headerOffset, likelySize, next);
  if (likely.length < localHeaderSize) throw new UnreadableArchive('The archive ends before its declared data.');
  const header = likely.subarray(0, localHeaderSize);
  if (header.readUInt32LE(0) !== localSignature) throw new UnreadableArchive('An entry of the archive has no header.');
  const nameLength = header.readUInt16LE(26);
  const start = entry.headerOffset + localHeaderSize + nameLength + header.readUInt16LE(28);
  const end = start + entry.compressedSize;
  if (end > directoryOffset) throw new UnreadableArchive('The archive ends before its declared data.');
  const restStart = entry.headerOffset + localHeaderSize;
  const isWhole = start - entry.headerOffset <= likely.length;
  const rest = isWhole
    ? likely.subarray(localHeaderSize, start - entry.headerOffset)
    : await reader.readSmall(restStart, start - restStart);
  const hasSameName = rest.subarray(0, nameLength).equals(entry.rawName);
  if (!hasSameName || !isPlainExtra(rest.subarray(nameLength), entry)) {
    throw new UnreadableArchive('The archive has contradictory names for an entry.');
  }
  const flags = header.readUInt16LE(6);
  const isSame =
    (flags & meaningfulFlags) === (entry.flags & meaningfulFlags) &&
    header.readUInt16LE(8) === entry.method &&
    hasSameSizes(header, rest.subarray(nameLength), entry);
  if (!isSame) throw new UnreadableArchive('The archive has contradictory headers for an entry.');
  return {
    start,
    end: end + ((flags & sizesFollow) === 0 ? 0 : await measureDescriptor(archive, entry, { end, next })),
  };
}

function hasSameSizes(header: Buffer, extra: Buffer, entry: ArchiveEntry): boolean {
  const wide = findField(extra, zip64Field);
  let position = 0;
  const readSize = (offset: number): number => {
    const narrow = header.readUInt32LE(offset);
    if (narrow !== unset32 || wide === null || position + 8 > wide.length) return narrow;
    position += 8;
    return Number(wide.readBigUInt64LE(position - 8));
  };
  // The zip64 field has the same order.
  const size = readSize(22);
  const compressedSize = readSize(18);
  const crc = header.readUInt32LE(14);
  // With a data descriptor, the sizes aren't known here yet.
  const isOpen = (entry.flags & sizesFollow) !== 0;
  const fits = (found: number, expected: number) => found === expected || (isOpen && found === 0);
  return fits(crc, entry.crc) && fits(size, entry.size) && fits(compressedSize, entry.compressedSize);
}

/**
 * Returns the length of an entry's data descriptor: with or without signature, with 32-bit or 64-bit sizes. That of an empty entry
 * fits both; then the one that reaches `next` counts.
 */
async function measureDescriptor(
  { reader }: Archive,
  entry: ArchiveEntry,
  { end: offset, next }: { end: number; next: number | undefined },
): Promise<number> {
  const bytes = await reader.readSmall(offset, Math.min(descriptorSize, reader.size - offset));
  const lengths: number[] = [];
  for (const signature of [true, false]) {
    for (const width of [4, 8]) {
      const start = signature ? 4 : 0;
      const length = start + 4 + 2 * width;
      if (bytes.length < length || (signature && bytes.readUInt32LE(0) !== descriptorSignature)) continue;
      const readSize = (at: number) => (width === 4 ? bytes.readUInt32LE(at) : Number(bytes.readBigUInt64LE(at)));
      const isSame =
        bytes.readUInt32LE(start) === entry.crc &&
        readSize(start + 4) === entry.compressedSize &&
        readSize(start + 4 + width) === entry.size;
      if (isSame) lengths.push(length);
    }
  }
  const [first] = lengths;
  if (first === undefined) throw new UnreadableArchive('The archive has contradictory headers for an entry.');
  return lengths.find((length) => offset + length === next) ?? first;
}

/** Returns the data of the first extra field with an id, or null. */
export function findField(extra: Buffer, wanted: number): Buffer | null {
  // Alignment tools pad the extra data with zeros, which aren't fields.
  for (let position = 0; position + 4 <= extra.length; ) {
    const end = position + 4 + extra.readUInt16LE(position + 2);
    if (end > extra.length) return null;
    if (extra.readUInt16LE(position) === wanted) return extra.subarray(position + 4, end);
    position = end;
  }
  return null;
}

function isPlainExtra(extra: Buffer, entry: ArchiveEntry): boolean {
  const path = findField(extra, unicodePathField);
  return path === null || path.subarray(5).equals(entry.rawName);
}

/**
 * Throws if an archive has data before its first entry or hidden between entries. An .ipa is unpacked from its start, so all of
 * its local headers are compared with the directory. Android reads an .apk by its directory, so gaps may contain zeros or the
 * empty entries of alignment tools, and only gaps large enough to hide an entry are checked. `end` is where the last entry must
 * end; null if unknown.
 */
export async function checkLayout(
  archive: Archive,
  entries: readonly ArchiveEntry[],
  { isAndroid, end }: { isAndroid: boolean; end: number | null },
): Promise<void> {
  const sorted = entries.toSorted((a, b) => a.headerOffset - b.headerOffset);
  const budget = { rooms: maxExplainedRooms, bytes: maxRoomBytes };
  await checkRoom(archive, 0, sorted[0]?.headerOffset ?? end ?? 0, isAndroid, budget);
  const nextOf = (index: number): number | null => sorted[index + 1]?.headerOffset ?? end;
  if (!isAndroid) archive.reader.readAhead(listHeaders(archive, sorted), maxReads);
  for (const [index, entry] of sorted.entries()) {
    const next = nextOf(index);
    if (next === null) return;
    const room = next - entry.headerOffset - localHeaderSize - entry.rawName.length - entry.compressedSize;
    if (room < 0) throw new UnreadableArchive('The archive has entries that overlap.');
    const isSkipped = isAndroid || archive.reader.reads >= maxReads;
    if (isSkipped && room <= harmlessRoom) continue;
    if (isSkipped) budget.rooms -= 1;
    if (budget.rooms < 0) throw new UnreadableArchive('The archive has too many gaps between its entries.');
    const { end: entryEnd } = await readLocalEntry(archive, entry, next);
    if (entryEnd > next) throw new UnreadableArchive('The archive has entries that overlap.');
    await checkRoom(archive, entryEnd, next, isAndroid, budget);
  }
}

/** Returns where the local headers are, with the data descriptors of the entries before them. */
function listHeaders({ reader, directoryOffset }: Archive, sorted: readonly ArchiveEntry[]): ByteRange[] {
  const describedBefore = (index: number): number =>
    ((sorted[index - 1]?.flags ?? 0) & sizesFollow) === 0 ? 0 : descriptorSize;
  const headers = sorted.map(({ headerOffset, rawName }, index) => ({
    start: Math.max(0, headerOffset - describedBefore(index)),
    end: Math.min(headerOffset + localHeaderSize + rawName.length + likelyExtra, reader.size),
  }));
  const before = describedBefore(sorted.length);
  if (before === 0) return headers;
  const end = Math.min(directoryOffset + before, reader.size);
  return [...headers, { start: Math.max(0, directoryOffset - before), end }];
}

async function checkRoom(
  { reader }: Archive,
  start: number,
  end: number,
  isAndroid: boolean,
  budget: { bytes: number },
): Promise<void> {
  if (start === end) return;
  budget.bytes -= end - start;
  const isEmpty = isAndroid && budget.bytes >= 0 && isUnused(await reader.read(start, end - start));
  if (!isEmpty) throw new UnreadableArchive("The archive has data that its directory doesn't list.");
}

/** Whether bytes are zeros, or headers of entries without name and content, which alignment tools also use as padding. */
function isUnused(bytes: Buffer): boolean {
  let position = 0;
  while (position < bytes.length) {
    if (bytes[position] === 0) position += 1;
    else if (isEmptyHeader(bytes.subarray(position))) position += localHeaderSize;
    else return false;
  }
  return true;
}

function isEmptyHeader(bytes: Buffer): boolean {
  if (bytes.length < localHeaderSize || bytes.readUInt32LE(0) !== localSignature) return false;
  // Checksum, sizes and name length.
  return bytes.subarray(14, 28).every((byte) => byte === 0);
}
