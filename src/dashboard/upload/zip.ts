// Reads the directory of a ZIP file and single small entries in the browser.
import { readSafely, UnreadableFile, viewBytes } from './bytes.ts';

export interface ZipEntry {
  name: string;
  method: number;
  compressedSize: number;
  size: number;
  offset: number;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const MAX_TAIL = 22 + 65_535;
const LARGEST_LIST = 32 * 1024 * 1024;
const MAX_ENTRIES = 200_000;

async function read(file: Blob, start: number, length: number): Promise<Uint8Array> {
  if (start < 0 || length < 0 || start + length > file.size) throw new UnreadableFile('cut off');
  return new Uint8Array(await file.slice(start, start + length).arrayBuffer());
}

/** Returns the entries. Throws UnreadableFile if the file isn't a ZIP file. */
export async function listZip(file: Blob): Promise<ZipEntry[]> {
  const { start, length } = await findList(file);
  if (length > LARGEST_LIST) throw new UnreadableFile('too many files');
  const bytes = await read(file, start, length);
  return readSafely(() => {
    const view = viewBytes(bytes);
    const decoder = new TextDecoder();
    const entries: ZipEntry[] = [];
    for (let at = 0; at + 46 <= length && view.getUint32(at, true) === ENTRY && entries.length < MAX_ENTRIES; ) {
      const nameLength = view.getUint16(at + 28, true);
      const extraLength = view.getUint16(at + 30, true);
      const commentLength = view.getUint16(at + 32, true);
      entries.push({
        name: decoder.decode(bytes.subarray(at + 46, at + 46 + nameLength)),
        method: view.getUint16(at + 10, true),
        compressedSize: view.getUint32(at + 20, true),
        size: view.getUint32(at + 24, true),
        offset: view.getUint32(at + 42, true),
      });
      at += 46 + nameLength + extraLength + commentLength;
    }
    if (entries.length === 0) throw new UnreadableFile('empty');
    return entries;
  });
}

async function findList(file: Blob): Promise<{ start: number; length: number }> {
  const tailStart = Math.max(0, file.size - MAX_TAIL);
  const tail = await read(file, tailStart, file.size - tailStart);
  const view = viewBytes(tail);
  for (let at = tail.length - 22; at >= 0; at -= 1) {
    if (view.getUint32(at, true) !== END) continue;
    const length = view.getUint32(at + 12, true);
    const start = view.getUint32(at + 16, true);
    if (start !== 0xffffffff && length !== 0xffffffff) return { start, length };
    return findList64(file, tailStart + at);
  }
  throw new UnreadableFile('no zip');
}

async function findList64(file: Blob, end: number): Promise<{ start: number; length: number }> {
  const locator = viewBytes(await read(file, end - 20, 20));
  if (locator.getUint32(0, true) !== END_64_LOCATOR) throw new UnreadableFile('no zip');
  const record = viewBytes(await read(file, Number(locator.getBigUint64(8, true)), 56));
  if (record.getUint32(0, true) !== END_64) throw new UnreadableFile('no zip');
  return { length: Number(record.getBigUint64(40, true)), start: Number(record.getBigUint64(48, true)) };
}

/** Returns the content of an entry of at most `limit` bytes. */
export async function readZipEntry(file: Blob, entry: ZipEntry, limit: number): Promise<Uint8Array> {
  if (entry.size > limit || entry.compressedSize > limit) throw new UnreadableFile('too large');
  const head = viewBytes(await read(file, entry.offset, 30));
  if (head.getUint32(0, true) !== LOCAL) throw new UnreadableFile('no entry');
  const start = entry.offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const raw = await read(file, start, entry.compressedSize);
  if (entry.method === 0) return raw;
  if (entry.method !== 8) throw new UnreadableFile('unknown compression');
  const stream = new Blob([raw as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'));
  const pieces: Uint8Array[] = [];
  let total = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw new UnreadableFile('damaged', { cause: error });
    });
    if (done) break;
    total += value.length;
    if (total > limit) throw new UnreadableFile('too large');
    pieces.push(value);
  }
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
