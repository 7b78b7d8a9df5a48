// Local headers of a zip and the room between entries: what a program that reads from the front would unpack must be what the
// directory at the end says.
import type { Archive, ArchiveEntry } from './archive-entry.ts';
import { UnreadableArchive } from './errors.ts';

export const localHeaderSize = 30;
const localSignature = 0x04034b50;
const descriptorSignature = 0x08074b50;
const unset32 = 0xffffffff;
export const zip64Field = 0x0001;
const unicodePathField = 0x7075;
/** Flags that say what the data is: encrypted, sizes after it, patch, strongly encrypted, UTF-8 name, masked header. */
const meaningfulFlags = 0x2869;
const sizesFollow = 0x0008;
/** Room in which no entry that matters can be hidden: its header and the name `Payload/.app/Info.plist` take more. */
const harmlessRoom = localHeaderSize + 'Payload/.app/Info.plist'.length - 1;
const likelyExtra = 64;
const mostExplainedRooms = 1_000;
const mostRoomBytes = 4 * 1024 * 1024;
/** Reads for the local headers of an .ipa; those that more would be needed for are not compared. */
const mostReads = 10_000;

/**
 * Reads the local header of an entry and compares it with the directory. Returns where its data starts and where everything
 * that belongs to it ends. Refuses an entry that the two describe in different ways. `next` is the offset of the next header
 * that will be read, if any.
 */
export async function readLocalEntry(
  archive: Archive,
  entry: ArchiveEntry,
  next?: number,
): Promise<{ start: number; end: number }> {
  const { reader, directoryOffset } = archive;
  // In one read with what follows, mostly.
  const likelySize = Math.min(localHeaderSize + entry.rawName.length + likelyExtra, reader.size - entry.headerOffset);
  const likely = await reader.readSmall(entry.headerOffset, likelySize, next);
  if (likely.length < localHeaderSize) throw new UnreadableArchive('The archive ends before data it promises.');
  const header = likely.subarray(0, localHeaderSize);
  if (header.readUInt32LE(0) !== localSignature) throw new UnreadableArchive('An entry of the archive has no header.');
  const nameLength = header.readUInt16LE(26);
  const start = entry.headerOffset + localHeaderSize + nameLength + header.readUInt16LE(28);
  const end = start + entry.compressedSize;
  if (end > directoryOffset) throw new UnreadableArchive('The archive ends before data it promises.');
  const restStart = entry.headerOffset + localHeaderSize;
  const isWhole = start - entry.headerOffset <= likely.length;
  const rest = isWhole
    ? likely.subarray(localHeaderSize, start - entry.headerOffset)
    : await reader.readSmall(restStart, start - restStart);
  const hasSameName = rest.subarray(0, nameLength).equals(entry.rawName);
  if (!hasSameName || !isPlainExtra(rest.subarray(nameLength), entry)) {
    throw new UnreadableArchive('The archive names an entry in two ways.');
  }
  const flags = header.readUInt16LE(6);
  const isSame =
    (flags & meaningfulFlags) === (entry.flags & meaningfulFlags) &&
    header.readUInt16LE(8) === entry.method &&
    hasSameSizes(header, rest.subarray(nameLength), entry);
  if (!isSame) throw new UnreadableArchive('The archive describes an entry in two ways.');
  return { start, end: end + ((flags & sizesFollow) === 0 ? 0 : await measureDescriptor(archive, entry, end)) };
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
  // In this order in the zip64 field, too.
  const size = readSize(22);
  const compressedSize = readSize(18);
  const crc = header.readUInt32LE(14);
  // Sizes that follow the data are not known here yet.
  const isOpen = (entry.flags & sizesFollow) !== 0;
  const fits = (found: number, expected: number) => found === expected || (isOpen && found === 0);
  return fits(crc, entry.crc) && fits(size, entry.size) && fits(compressedSize, entry.compressedSize);
}

/** The length of the data descriptor after an entry: with or without a signature, of narrow or wide sizes. */
async function measureDescriptor({ reader }: Archive, entry: ArchiveEntry, offset: number): Promise<number> {
  const bytes = await reader.readSmall(offset, Math.min(24, reader.size - offset));
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
      if (isSame) return length;
    }
  }
  throw new UnreadableArchive('The archive describes an entry in two ways.');
}

/** The data of the first extra field with an id; null if there is none. */
export function findField(extra: Buffer, wanted: number): Buffer | null {
  // Alignment tools fill the rest with zeros, which are no field.
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
 * Refuses an archive with data before its first entry or hidden between entries. An .ipa is unpacked from its front, so all of
 * its local headers are compared with the directory. The reader of an .apk goes by the directory: room may hold zeros or the
 * empty entries of alignment tools, and only room that could hide an entry is looked at.
 * `end` is where the last entry has to end; null if that is not known.
 */
export async function checkLayout(
  archive: Archive,
  entries: readonly ArchiveEntry[],
  { isAndroid, end }: { isAndroid: boolean; end: number | null },
): Promise<void> {
  const sorted = entries.toSorted((a, b) => a.headerOffset - b.headerOffset);
  const budget = { rooms: mostExplainedRooms, bytes: mostRoomBytes };
  await checkRoom(archive, 0, sorted[0]?.headerOffset ?? end ?? 0, isAndroid, budget);
  for (const [index, entry] of sorted.entries()) {
    const next = sorted[index + 1]?.headerOffset ?? end;
    if (next === null) return;
    const room = next - entry.headerOffset - localHeaderSize - entry.rawName.length - entry.compressedSize;
    if (room < 0) throw new UnreadableArchive('The archive has entries that overlap.');
    const isSkipped = isAndroid || archive.reader.reads >= mostReads;
    if (isSkipped && room <= harmlessRoom) continue;
    if (isSkipped) budget.rooms -= 1;
    if (budget.rooms < 0) throw new UnreadableArchive('The archive has too much room between its entries.');
    const { end: entryEnd } = await readLocalEntry(archive, entry, next);
    if (entryEnd > next) throw new UnreadableArchive('The archive has entries that overlap.');
    await checkRoom(archive, entryEnd, next, isAndroid, budget);
  }
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
  if (!isEmpty) throw new UnreadableArchive('The archive has data that its directory does not name.');
}

/** Whether bytes are zeros and headers of entries without a name and content, which fill room with zeros too. */
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
  // Checksum, sizes and the length of the name.
  return bytes.subarray(14, 28).every((byte) => byte === 0);
}
