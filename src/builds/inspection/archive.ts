// The zip around a package: its directory, checked and bounded, and single entries with their CRC verified.
import { crc32, inflateRawSync } from 'node:zlib';
import type { Entry } from 'yauzl';
import yauzl from 'yauzl';
import { RejectedArchive, SourceFailure, UnreadableArchive } from './refusal.ts';
import type { BlockReader } from './source.ts';

const mostEntries = 65_536;
const largestDirectory = 16 * 1024 * 1024;
const longestName = 1024;
const localHeaderSize = 30;

export interface ArchiveEntry {
  readonly name: string;
  readonly nameLength: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly headerOffset: number;
  readonly isEncrypted: boolean;
}

export interface Archive {
  readonly reader: BlockReader;
  readonly entries: ReadonlyMap<string, ArchiveEntry>;
  /** Names that occur more than once: installers disagree which one counts, so such an entry is never read. */
  readonly duplicates: ReadonlySet<string>;
  readonly directoryOffset: number;
  readonly directoryEnd: number;
}

// yauzl reads through this: the central directory comes from memory, the rest through the block reader.
class ArchiveReader extends yauzl.RandomAccessReader {
  readonly #reader: BlockReader;
  #directory: { start: number; bytes: Buffer } | null = null;

  constructor(reader: BlockReader) {
    super();
    this.#reader = reader;
  }

  async preload(start: number): Promise<void> {
    this.#directory = { start, bytes: await this.#reader.read(start, this.#reader.size - start) };
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

/** Reads the directory of the zip. Refuses what is no zip, is cut, lies about sizes, overlaps or escapes its folder. */
export async function openArchive(reader: BlockReader): Promise<Archive> {
  if (reader.size < 22) throw new UnreadableArchive('The file is empty or too short to be a zip archive.');
  try {
    return await readDirectory(reader);
  } catch (error) {
    if (error instanceof UnreadableArchive || error instanceof RejectedArchive || error instanceof SourceFailure)
      throw error;
    throw new UnreadableArchive('The file is not a zip archive, or it is damaged.', { cause: error });
  }
}

async function readDirectory(reader: BlockReader): Promise<Archive> {
  const zipReader = new ArchiveReader(reader);
  const zip = await new Promise<yauzl.ZipFile>((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true };
    yauzl.fromRandomAccessReader(zipReader, reader.size, options, (error, file) =>
      error ? reject(error) : resolve(file),
    );
  });
  const directoryOffset = Number(zip.readEntryCursor);
  if (zip.entryCount > mostEntries) throw new UnreadableArchive(`The archive has more than ${mostEntries} entries.`);
  if (directoryOffset > reader.size) throw new UnreadableArchive('The directory of the archive lies outside of it.');
  if (reader.size - directoryOffset > largestDirectory)
    throw new UnreadableArchive('The directory of the archive is too large.');
  await zipReader.preload(directoryOffset);

  const entries = new Map<string, ArchiveEntry>();
  const duplicates = new Set<string>();
  for await (const raw of zip.eachEntry()) {
    const entry = readEntry(raw, directoryOffset);
    if (entries.has(entry.name)) duplicates.add(entry.name);
    else entries.set(entry.name, entry);
  }
  checkOverlaps([...entries.values()]);
  return { reader, entries, duplicates, directoryOffset, directoryEnd: Number(zip.readEntryCursor) };
}

function readEntry(raw: Entry, directoryOffset: number): ArchiveEntry {
  if (raw.fileNameLength === 0 || raw.fileNameLength > longestName) {
    throw new UnreadableArchive('The archive has an entry with an empty or endless name.');
  }
  // Names without the UTF-8 flag are UTF-8 in practice too: Apple's and Android's tools never write anything else.
  const name = raw.fileNameRaw.toString('utf8');
  if (isEscaping(name)) throw new UnreadableArchive('The archive has an entry that points outside of it.');
  if (raw.relativeOffsetOfLocalHeader + localHeaderSize + raw.compressedSize > directoryOffset) {
    throw new UnreadableArchive('The archive ends before data it promises.');
  }
  return {
    name,
    nameLength: raw.fileNameLength,
    method: raw.compressionMethod,
    crc: raw.crc32,
    compressedSize: raw.compressedSize,
    size: raw.uncompressedSize,
    headerOffset: raw.relativeOffsetOfLocalHeader,
    isEncrypted: (raw.generalPurposeBitFlag & 0x2041) !== 0,
  };
}

function isEscaping(name: string): boolean {
  const path = name.replaceAll('\\', '/');
  return path.includes('\0') || path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.split('/').includes('..');
}

// Entries that share bytes are how a small archive describes a huge one, and how two readers see two contents.
function checkOverlaps(entries: ArchiveEntry[]): void {
  const sorted = entries.toSorted((a, b) => a.headerOffset - b.headerOffset);
  let end = 0;
  for (const entry of sorted) {
    if (entry.headerOffset < end) throw new UnreadableArchive('The archive has entries that overlap.');
    end = entry.headerOffset + localHeaderSize + entry.nameLength + entry.compressedSize;
  }
}

/**
 * The bytes of one entry, at most `limit` of them, with the CRC-32 checked.
 * Refuses encrypted entries, other methods than stored and deflate, and data that does not fit what the directory says.
 */
export async function readArchiveEntry(archive: Archive, entry: ArchiveEntry, limit: number): Promise<Buffer> {
  const what = 'An entry of the archive';
  if (archive.duplicates.has(entry.name)) throw new UnreadableArchive('The archive holds the same file twice.');
  if (entry.isEncrypted) throw new UnreadableArchive(`${what} is encrypted.`);
  if (entry.method !== 0 && entry.method !== 8) throw new UnreadableArchive(`${what} is compressed in an unknown way.`);
  if (entry.size > limit || entry.compressedSize > limit)
    throw new UnreadableArchive(`${what} is too large to be read.`);
  const data = await readRawData(archive, entry);
  let bytes = data;
  if (entry.method === 8) {
    try {
      // One chunk of the stated size: the output needs no second copy, and a lying size ends at the limit.
      const chunkSize = Math.max(64, entry.size + 1);
      bytes = inflateRawSync(data, { maxOutputLength: chunkSize, chunkSize });
    } catch (error) {
      throw new UnreadableArchive(`${what} is damaged.`, { cause: error });
    }
  }
  if (bytes.length !== entry.size) throw new UnreadableArchive(`${what} has another size than stated.`);
  if (crc32(bytes) !== entry.crc) throw new UnreadableArchive(`${what} is damaged: its checksum does not fit.`);
  return bytes;
}

async function readRawData(archive: Archive, entry: ArchiveEntry): Promise<Buffer> {
  const header = await archive.reader.read(entry.headerOffset, localHeaderSize);
  if (header.readUInt32LE(0) !== 0x04034b50) throw new UnreadableArchive('An entry of the archive has no header.');
  const nameLength = header.readUInt16LE(26);
  const start = entry.headerOffset + localHeaderSize + nameLength + header.readUInt16LE(28);
  if (start + entry.compressedSize > archive.directoryOffset) {
    throw new UnreadableArchive('The archive ends before data it promises.');
  }
  const name = await archive.reader.read(entry.headerOffset + localHeaderSize, nameLength);
  if (name.toString('utf8') !== entry.name) throw new UnreadableArchive('The archive names an entry in two ways.');
  return archive.reader.read(start, entry.compressedSize);
}
