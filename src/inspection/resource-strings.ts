// Android's compiled string pool (ResStringPool): single strings by index, UTF-8 or UTF-16, decoded on demand.
import { Cursor } from './cursor.ts';

export const stringPoolType = 0x0001;
const utf8Flag = 0x100;
const longest = 16 * 1024;
const maxDecoded = 8 * 1024 * 1024;

export interface StringPool {
  readonly count: number;
  /**
   * Returns the string at an index, at most 16 Ki characters; null if there is none or, as on Android, if no zero follows it. Throws if
   * it's outside the pool.
   */
  get(index: number): string | null;
}

/** Opens a string pool chunk. Throws if it declares more strings than fit. */
export function openStringPool(chunk: Buffer): StringPool {
  const cursor = new Cursor(chunk, 'The string pool');
  const headerSize = cursor.u16(2);
  const count = cursor.u32(8);
  const isUtf8 = (cursor.u32(16) & utf8Flag) !== 0;
  const stringsStart = cursor.u32(20);
  if (headerSize < 28 || headerSize + count * 4 > chunk.length) cursor.refuse('declares more strings than it has');
  // Many indexes may share one long string, so decoded strings are cached, and their total size is limited.
  const decoded = new Map<number, string | null>();
  let length = 0;
  return {
    count,
    get(index) {
      if (index < 0 || index >= count) return null;
      const known = decoded.get(index);
      if (known !== undefined) return known;
      const offset = cursor.u32(headerSize + index * 4);
      // Android counts in units of two bytes here.
      const text = isUtf8
        ? readUtf8(cursor, stringsStart + offset)
        : readUtf16(cursor, stringsStart + offset - (offset % 2));
      length += text?.length ?? 0;
      if (length > maxDecoded) cursor.refuse('has too much text');
      decoded.set(index, text);
      return text;
    },
  };
}

function readUtf8(cursor: Cursor, offset: number): string | null {
  // The length in UTF-16 units, then the length in bytes, each in one or two bytes.
  const bytesAt = offset + ((cursor.u8(offset) & 0x80) !== 0 ? 2 : 1);
  const first = cursor.u8(bytesAt);
  const isLong = (first & 0x80) !== 0;
  const length = isLong ? ((first & 0x7f) << 8) | cursor.u8(bytesAt + 1) : first;
  const start = bytesAt + (isLong ? 2 : 1);
  const bytes = cursor.slice(start, length);
  return cursor.bytes[start + length] === 0 ? bytes.subarray(0, longest).toString('utf8') : null;
}

function readUtf16(cursor: Cursor, offset: number): string | null {
  const first = cursor.u16(offset);
  const isLong = (first & 0x8000) !== 0;
  const length = isLong ? (first & 0x7fff) * 0x10000 + cursor.u16(offset + 2) : first;
  const start = offset + (isLong ? 4 : 2);
  const bytes = cursor.slice(start, length * 2);
  const isEnded = cursor.bytes[start + length * 2] === 0 && cursor.bytes[start + length * 2 + 1] === 0;
  return isEnded ? bytes.subarray(0, longest * 2).toString('utf16le') : null;
}
