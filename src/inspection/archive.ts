// The zip archive of a package: its validated directory, and single entries with verified CRC.

import { crc32, inflateRawSync } from 'node:zlib';
import type { Entry } from 'yauzl';
import yauzl from 'yauzl';
import { findSigningBlock } from './apk-signing-block.ts';
import { readArchiveEnd } from './archive-end.ts';
import type { Archive, ArchiveEntry } from './archive-entry.ts';
import { checkLayout, findField, localHeaderSize, readLocalEntry, zip64Field } from './archive-layout.ts';
import { type EntryName, NameRegister, readName } from './archive-names.ts';
import { BrokenArchive, RejectedArchive, SourceFailure, UnreadableArchive } from './errors.ts';
import { classifyUnreadable, packageFindings } from './package-findings.ts';
import type { BlockReader } from './source.ts';

/** The size of the end record alone (APPNOTE 4.3.16). */
const MIN_ARCHIVE_BYTES = 22;
const maxEntries = 65_536;
const maxDirectoryBytes = 16 * 1024 * 1024;
const maxNameLength = 1024;
const recordSize = 46;
const unset32 = 0xffffffff;

// The reader for yauzl: serves the central directory from memory, and other data through the block reader.
class ArchiveReader extends yauzl.RandomAccessReader {
  readonly #reader: BlockReader;
  #directory: { start: number; bytes: Buffer } | null = null;

  constructor(reader: BlockReader) {
    super();
    this.#reader = reader;
  }

  async preload(start: number): Promise<Buffer> {
    const bytes = await this.#reader.read(start, this.#reader.size - start);
    this.#directory = { start, bytes };
    return bytes;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null, bytesRead?: number) => void,
  ): void {
    const directory = this.#directory;
    if (directory && position >= directory.start && position + length <= directory.start + directory.bytes.length) {
      directory.bytes.copy(target, offset, position - directory.start, position - directory.start + length);
      done(null, length);
      return;
    }
    this.#reader.read(position, length).then(
      (bytes) => {
        bytes.copy(target, offset);
        done(null, length);
      },
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  }
}

/**
 * Reads the directory of the zip. Throws for files that aren't a zip, are truncated, have wrong sizes, overlapping entries or
 * names that escape their folder, and for ambiguous archives, because a phone must find what was inspected. Calls `checkKind`
 * before it compares the entries with the directory, because packages of other kinds have other layouts.
 */
export async function openArchive(
  reader: BlockReader,
  checkKind: (archive: Archive) => void = () => undefined,
): Promise<Archive> {
  try {
    if (reader.size < MIN_ARCHIVE_BYTES) throw new BrokenArchive();
    return await readDirectory(reader, checkKind);
  } catch (error) {
    const isExplained = error instanceof UnreadableArchive && !(error instanceof BrokenArchive);
    if (isExplained || error instanceof RejectedArchive || error instanceof SourceFailure) throw error;
    const head = await reader.read(0, Math.min(reader.size, 4));
    throw new UnreadableArchive(packageFindings[classifyUnreadable(head)], { cause: error });
  }
}

async function readDirectory(reader: BlockReader, checkKind: (archive: Archive) => void): Promise<Archive> {
  const place = await readArchiveEnd(reader);
  if (place.entryCount > maxEntries) throw new UnreadableArchive(`The archive has more than ${maxEntries} entries.`);
  if (reader.size - place.offset > maxDirectoryBytes)
    throw new UnreadableArchive('The directory of the archive is too large.');
  const zipReader = new ArchiveReader(reader);
  const directory = await zipReader.preload(place.offset);
  const zip = await new Promise<yauzl.ZipFile>((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true };
    yauzl.fromRandomAccessReader(zipReader, reader.size, options, (error, file) =>
      error ? reject(error) : resolve(file),
    );
  });
  const all: ArchiveEntry[] = [];
  const names = new NameRegister();
  let position = 0;
  for await (const raw of zip.eachEntry()) {
    checkRecord(directory.subarray(position), raw);
    position += recordSize + raw.fileNameLength + raw.extraFieldLength + raw.fileCommentLength;
    const name = readName(raw.fileNameRaw, raw.extraFields);
    names.add(name);
    all.push(readEntry(raw, name, place.offset));
  }
  if (place.offset + position !== place.end) {
    throw new UnreadableArchive('The directory of the archive has more entries than declared.');
  }
  const entries = new Map(all.map((entry) => [entry.name, entry]));
  const { offset: directoryOffset, end: directoryEnd, isWide } = place;
  const archive = { reader, entries, directoryOffset, directoryEnd, isWide };
  checkKind(archive);
  const isAndroid = entries.has('AndroidManifest.xml');
  await checkLayout(archive, all, { isAndroid, end: isAndroid ? await findContentsEnd(archive) : place.offset });
  return archive;
}

/** Returns the end of an .apk's entries; null if its signing block is invalid, in which case no phone installs it anyway. */
async function findContentsEnd(archive: Archive): Promise<number | null> {
  try {
    return (await findSigningBlock(archive))?.offset ?? archive.directoryOffset;
  } catch (error) {
    if (error instanceof UnreadableArchive) return null;
    throw error;
  }
}

// yauzl ignores the disk number, and unnecessary zip64 sizes, which some readers use.
function checkRecord(record: Buffer, entry: Entry): void {
  if (record.readUInt16LE(34) !== 0) throw new UnreadableArchive('The archive is one part of a multi-part archive.');
  const wide = findField(entry.extraFieldRaw, zip64Field);
  if (wide === null) return;
  const unset = [24, 20, 42].filter((offset) => record.readUInt32LE(offset) === unset32);
  if (wide.length <= 8 * unset.length) return;
  const values = [entry.uncompressedSize, entry.compressedSize, entry.relativeOffsetOfLocalHeader];
  const isSame = values.every(
    (value, index) => wide.length < 8 * (index + 1) || Number(wide.readBigUInt64LE(8 * index)) === value,
  );
  if (!isSame) throw new UnreadableArchive('The archive has contradictory headers for an entry.');
}

function readEntry(raw: Entry, { name, aliases }: EntryName, directoryOffset: number): ArchiveEntry {
  if (raw.fileNameLength === 0 || raw.fileNameLength > maxNameLength) {
    throw new UnreadableArchive('The archive has an entry with an empty or too long name.');
  }
  if (raw.relativeOffsetOfLocalHeader + localHeaderSize + raw.compressedSize > directoryOffset) {
    throw new UnreadableArchive('The archive ends before its declared data.');
  }
  return {
    name,
    rawName: raw.fileNameRaw,
    hasOtherName: aliases.length > 0,
    flags: raw.generalPurposeBitFlag,
    method: raw.compressionMethod,
    crc: raw.crc32,
    compressedSize: raw.compressedSize,
    size: raw.uncompressedSize,
    headerOffset: raw.relativeOffsetOfLocalHeader,
    isEncrypted: (raw.generalPurposeBitFlag & 0x2041) !== 0,
  };
}

/**
 * Returns the bytes of an entry, at most `limit`, with verified CRC-32. Throws for encrypted entries, methods other than stored
 * and deflate, and data that doesn't match the directory.
 */
export async function readArchiveEntry(archive: Archive, entry: ArchiveEntry, limit: number): Promise<Buffer> {
  const what = 'An entry of the archive';
  if (entry.hasOtherName) throw new UnreadableArchive('The archive has contradictory names for an entry.');
  if (entry.isEncrypted) throw new UnreadableArchive(`${what} is encrypted.`);
  if (entry.method !== 0 && entry.method !== 8)
    throw new UnreadableArchive(`${what} uses an unsupported compression method.`);
  if (entry.size > limit || entry.compressedSize > limit)
    throw new UnreadableArchive(`${what} is too large to be read.`);
  const data = await readRawData(archive, entry);
  let bytes = data;
  if (entry.method === 8) {
    try {
      // One chunk of the declared size: the output needs no second copy, and inflating stops at the limit if the size is wrong.
      const chunkSize = Math.max(64, entry.size + 1);
      bytes = inflateRawSync(data, { maxOutputLength: chunkSize, chunkSize });
    } catch (error) {
      throw new UnreadableArchive(`${what} is damaged.`, { cause: error });
    }
  }
  if (bytes.length !== entry.size) throw new UnreadableArchive(`${what} doesn't have the declared size.`);
  if (crc32(bytes) !== entry.crc) throw new UnreadableArchive(`${what} is damaged: its checksum doesn't match.`);
  return bytes;
}

async function readRawData(archive: Archive, entry: ArchiveEntry): Promise<Buffer> {
  const { start } = await readLocalEntry(archive, entry);
  return archive.reader.read(start, entry.compressedSize);
}
