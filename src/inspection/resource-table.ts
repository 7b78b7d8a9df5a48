// Android's resource table (resources.arsc): looks up single entries by id without decoding the rest.
import { Cursor } from './cursor.ts';
import { openStringPool, type StringPool, stringPoolType } from './resource-strings.ts';
import { type ResourceValue, valueTypes } from './resource-value.ts';

const tableType = 0x0002;
const packageType = 0x0200;
const typeType = 0x0201;
const maxChunks = 50_000;
const maxPackages = 64;
const maxLookups = 2_000_000;
const complexFlag = 0x0001;
const compactFlag = 0x0008;
const noEntry = 0xffffffff;

/** One value of a resource under one configuration. */
export interface ConfiguredValue {
  readonly value: ResourceValue;
  /** Whether this is the configuration without qualifiers. */
  readonly isDefault: boolean;
  readonly hasLocale: boolean;
  readonly language: string;
  readonly density: number;
}

export interface ResourceTable {
  /** Returns all values of a resource, one per configuration, in the order of the table; empty for an unknown id. */
  find(id: number): ConfiguredValue[];
}

/** Indexes a resource table. Throws if its chunks are inconsistent or too many. */
export function openResourceTable(bytes: Buffer): ResourceTable {
  const cursor = new Cursor(bytes, 'The resource table');
  if (cursor.u16(0) !== tableType) cursor.refuse("isn't a resource table");
  let pool: StringPool | null = null;
  // Chunks of one resource type of one package, one per configuration, under package * 256 + type.
  const types = new Map<number, Cursor[]>();
  let packages = 0;
  const count = { chunks: 0 };
  walkChunks(cursor, cursor.u16(2), Math.min(cursor.u32(4), bytes.length), count, (type, chunk) => {
    if (type === stringPoolType) pool ??= openStringPool(chunk.bytes);
    if (type !== packageType) return;
    packages += 1;
    if (packages > maxPackages) cursor.refuse('has too many packages');
    const packageId = chunk.u32(8) & 0xff;
    walkChunks(chunk, chunk.u16(2), chunk.length, count, (kind, part) => {
      if (kind !== typeType) return;
      const key = packageId * 256 + part.u8(8);
      const known = types.get(key);
      if (known) known.push(part);
      else types.set(key, [part]);
    });
  });
  let lookups = 0;
  const strings = pool ?? cursor.refuse('has no strings');
  return {
    find(id) {
      const chunks = types.get(id >>> 16) ?? [];
      lookups += chunks.length;
      if (lookups > maxLookups) cursor.refuse('refers to itself too often');
      return chunks.flatMap((chunk) => readEntry(chunk, id & 0xffff, strings) ?? []);
    },
  };
}

function walkChunks(
  cursor: Cursor,
  start: number,
  end: number,
  count: { chunks: number },
  visit: (type: number, chunk: Cursor) => void,
): void {
  let offset = start;
  while (offset + 8 <= end) {
    const size = cursor.u32(offset + 4);
    count.chunks += 1;
    if (size < 8) cursor.refuse('has a chunk with an invalid size');
    if (count.chunks > maxChunks) cursor.refuse('has too many chunks');
    visit(cursor.u16(offset), new Cursor(cursor.slice(offset, size), cursor.what));
    offset += size;
  }
}

// Returns the offset of an entry in a type chunk; sparse types list (index, offset) pairs, others one offset per index.
function findEntryOffset(chunk: Cursor, index: number): number | null {
  const headerSize = chunk.u16(2);
  const flags = chunk.u8(9);
  const count = chunk.u32(12);
  const entriesStart = chunk.u32(16);
  if ((flags & 0x01) !== 0) {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      const found = chunk.u16(headerSize + middle * 4);
      if (found === index) return entriesStart + chunk.u16(headerSize + middle * 4 + 2) * 4;
      if (found < index) low = middle + 1;
      else high = middle;
    }
    return null;
  }
  if (index >= count) return null;
  if ((flags & 0x02) !== 0) {
    const offset = chunk.u16(headerSize + index * 2);
    return offset === 0xffff ? null : entriesStart + offset * 4;
  }
  const offset = chunk.u32(headerSize + index * 4);
  return offset === noEntry ? null : entriesStart + offset;
}

function readEntry(chunk: Cursor, index: number, strings: StringPool): ConfiguredValue | null {
  const offset = findEntryOffset(chunk, index);
  if (offset === null) return null;
  const flags = chunk.u16(offset + 2);
  if ((flags & compactFlag) !== 0) return configured(chunk, flags >> 8, chunk.u32(offset + 4), strings);
  // Bags (styles, plurals) have no single value and aren't needed here.
  if ((flags & complexFlag) !== 0) return null;
  const at = offset + chunk.u16(offset);
  return configured(chunk, chunk.u8(at + 3), chunk.u32(at + 4), strings);
}

function configured(chunk: Cursor, type: number, data: number, strings: StringPool): ConfiguredValue {
  const size = Math.max(4, Math.min(chunk.u32(20), 64));
  const config = chunk.slice(20, size);
  const language = size >= 12 ? config.subarray(8, 12) : Buffer.alloc(4);
  return {
    value: { type, data, text: type === valueTypes.string ? strings.get(data) : null },
    isDefault: config.subarray(4).every((byte) => byte === 0),
    hasLocale: language.some((byte) => byte !== 0),
    language: language.toString('latin1', 0, 2),
    density: size >= 16 ? config.readUInt16LE(14) : 0,
  };
}
