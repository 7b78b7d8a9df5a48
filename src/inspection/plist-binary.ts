// Apple's binary property list (bplist00), read with a budget of values, so that cycles and shared references can't explode.
import { Cursor } from './cursor.ts';
import type { PlistDict, PlistValue } from './plist-value.ts';

const trailerSize = 32;
const maxValues = 50_000;
const deepest = 64;
const maxText = 4 * 1024 * 1024;
// Apple counts seconds from 2001-01-01T00:00:00Z.
const appleEpoch = 978_307_200;

interface Reading {
  readonly cursor: Cursor;
  readonly offsetSize: number;
  readonly referenceSize: number;
  readonly objectCount: number;
  readonly tableOffset: number;
  readonly open: Set<number>;
  values: number;
  text: number;
}

/** Reads a bplist00. Every reference to a value counts, at most 50,000 and 64 levels. Throws for anything else. */
export function readBinaryPlist(bytes: Buffer): PlistValue {
  const cursor = new Cursor(bytes, 'The binary property list');
  if (bytes.length < 8 + trailerSize || bytes.toString('latin1', 0, 7) !== 'bplist0')
    cursor.refuse('has no header or trailer');
  const trailer = bytes.length - trailerSize;
  const reading: Reading = {
    cursor,
    offsetSize: cursor.u8(trailer + 6),
    referenceSize: cursor.u8(trailer + 7),
    objectCount: cursor.uintBe(trailer + 8, 8),
    tableOffset: cursor.uintBe(trailer + 24, 8),
    open: new Set(),
    values: 0,
    text: 0,
  };
  const { offsetSize, referenceSize, objectCount, tableOffset } = reading;
  const isSane = offsetSize >= 1 && offsetSize <= 8 && referenceSize >= 1 && referenceSize <= 8 && objectCount >= 1;
  if (!isSane || tableOffset + objectCount * offsetSize > trailer) cursor.refuse('has invalid sizes');
  return readObject(reading, cursor.uintBe(trailer + 16, 8));
}

function readObject(reading: Reading, index: number): PlistValue {
  const { cursor, open } = reading;
  reading.values += 1;
  if (reading.values > maxValues) cursor.refuse('has too many values');
  if (index >= reading.objectCount) cursor.refuse('refers to a missing object');
  if (open.has(index)) cursor.refuse('contains itself');
  if (open.size >= deepest) cursor.refuse('is nested too deeply');
  const offset = cursor.uintBe(reading.tableOffset + index * reading.offsetSize, reading.offsetSize);
  const marker = cursor.u8(offset);
  const low = marker & 0x0f;
  switch (marker >> 4) {
    case 0x0:
      if (low === 8 || low === 9) return low === 9;
      break;
    case 0x1:
      return readInteger(cursor, offset + 1, low);
    case 0x2:
      if (low === 2) return cursor.slice(offset + 1, 4).readFloatBE(0);
      if (low === 3) return cursor.slice(offset + 1, 8).readDoubleBE(0);
      break;
    case 0x3:
      if (low === 3) return new Date((cursor.slice(offset + 1, 8).readDoubleBE(0) + appleEpoch) * 1000);
      break;
    case 0x4:
      return Buffer.from(readText(reading, offset, low, 1));
    case 0x5:
      return readText(reading, offset, low, 1).toString('latin1');
    case 0x6:
      return Buffer.from(readText(reading, offset, low, 2))
        .swap16()
        .toString('utf16le');
    case 0x8:
      return cursor.uintBe(offset + 1, Math.min(low + 1, 8));
    case 0xa:
    case 0xc:
      return readArray(reading, index, offset, low);
    case 0xd:
      return readDict(reading, index, offset, low);
  }
  return cursor.refuse('has a value of an unknown type');
}

function readInteger(cursor: Cursor, offset: number, power: number): number | bigint {
  if (power > 4) cursor.refuse('has an excessive number');
  // Integers of up to 4 bytes are unsigned, of 8 bytes signed, of 16 bytes large and unsigned.
  if (power < 3) return cursor.uintBe(offset, 2 ** power);
  const high = power === 4 ? cursor.slice(offset, 8).readBigInt64BE(0) : 0n;
  const tail = cursor.slice(power === 4 ? offset + 8 : offset, 8);
  const value = power === 4 ? (high << 64n) | tail.readBigUInt64BE(0) : tail.readBigInt64BE(0);
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

// The count is in the marker, or in the following integer if the marker's bits are all set.
function readCount(cursor: Cursor, offset: number, low: number): { count: number; start: number } {
  if (low !== 0x0f) return { count: low, start: offset + 1 };
  const marker = cursor.u8(offset + 1);
  const width = 2 ** (marker & 0x0f);
  if (marker >> 4 !== 1 || width > 8) cursor.refuse('has an invalid count');
  return { count: cursor.uintBe(offset + 2, width), start: offset + 2 + width };
}

function readText(reading: Reading, offset: number, low: number, width: number): Buffer {
  const { count, start } = readCount(reading.cursor, offset, low);
  reading.text += count * width;
  if (reading.text > maxText) reading.cursor.refuse('has too much text');
  return reading.cursor.slice(start, count * width);
}

function readReferences(reading: Reading, start: number, count: number): number[] {
  const { cursor, referenceSize } = reading;
  if (count > maxValues) cursor.refuse('has too many values');
  cursor.slice(start, count * referenceSize);
  return Array.from({ length: count }, (_, index) => cursor.uintBe(start + index * referenceSize, referenceSize));
}

function readArray(reading: Reading, index: number, offset: number, low: number): PlistValue[] {
  const { count, start } = readCount(reading.cursor, offset, low);
  const references = readReferences(reading, start, count);
  reading.open.add(index);
  const values = references.map((reference) => readObject(reading, reference));
  reading.open.delete(index);
  return values;
}

function readDict(reading: Reading, index: number, offset: number, low: number): PlistDict {
  const { count, start } = readCount(reading.cursor, offset, low);
  const references = readReferences(reading, start, count * 2);
  const dict: PlistDict = new Map();
  reading.open.add(index);
  for (let position = 0; position < count; position += 1) {
    const key = readObject(reading, references[position] ?? -1);
    if (typeof key !== 'string') reading.cursor.refuse("has a key that isn't text");
    else if (dict.has(key)) reading.cursor.refuse('has a duplicate key');
    else dict.set(key, readObject(reading, references[count + position] ?? -1));
  }
  reading.open.delete(index);
  return dict;
}
