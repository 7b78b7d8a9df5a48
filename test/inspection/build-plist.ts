// Writes property lists for tests, as XML and as binary, and reads what the server wrote.
import type { PlistDict, PlistValue } from '../../src/inspection/plist-value.ts';

export type PlistInput =
  | string
  | number
  | boolean
  | Date
  | Buffer
  | readonly PlistInput[]
  | { readonly [key: string]: PlistInput };

export function buildXmlPlist(value: PlistInput): Buffer {
  const head =
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n';
  return Buffer.from(`${head}<plist version="1.0">${writeXml(value)}</plist>\n`);
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function writeXml(value: PlistInput): string {
  if (typeof value === 'string') return `<string>${escapeXml(value)}</string>`;
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  if (typeof value === 'number')
    return Number.isInteger(value) ? `<integer>${value}</integer>` : `<real>${value}</real>`;
  if (value instanceof Date) return `<date>${value.toISOString().replace(/\.\d+/, '')}</date>`;
  if (Buffer.isBuffer(value)) return `<data>${value.toString('base64')}</data>`;
  if (isList(value)) return `<array>${value.map(writeXml).join('')}</array>`;
  const members = Object.entries(value).map(([key, item]) => `<key>${escapeXml(key)}</key>${writeXml(item)}`);
  return `<dict>${members.join('')}</dict>`;
}

function isList(value: PlistInput): value is readonly PlistInput[] {
  return Array.isArray(value);
}

export function buildBinaryPlist(root: PlistInput): Buffer {
  const objects: Buffer[] = [];
  writeObject(root, objects);
  return assembleBinaryPlist(objects);
}

/** A bplist00 out of encoded objects, the first of them the root; references are two bytes. */
export function assembleBinaryPlist(objects: readonly Buffer[], statedCount = objects.length): Buffer {
  let offset = 8;
  const table = Buffer.alloc(objects.length * 4);
  objects.forEach((object, index) => {
    table.writeUInt32BE(offset, index * 4);
    offset += object.length;
  });
  const trailer = Buffer.alloc(32);
  trailer[6] = 4;
  trailer[7] = 2;
  trailer.writeBigUInt64BE(BigInt(statedCount), 8);
  trailer.writeBigUInt64BE(BigInt(offset), 24);
  return Buffer.concat([Buffer.from('bplist00'), ...objects, table, trailer]);
}

/** An array (0xa0) or dictionary (0xd0) object that refers to others by index. */
export function binaryContainer(kind: 0xa0 | 0xd0, count: number, references: readonly number[]): Buffer {
  const bytes = Buffer.alloc(references.length * 2);
  references.forEach((reference, index) => {
    bytes.writeUInt16BE(reference, index * 2);
  });
  return Buffer.concat([marker(kind, count), bytes]);
}

function marker(kind: number, count: number): Buffer {
  if (count < 15) return Buffer.from([kind | count]);
  const bytes = Buffer.from([kind | 15, 0x12, 0, 0, 0, 0]);
  bytes.writeUInt32BE(count, 2);
  return bytes;
}

function writeObject(value: PlistInput, objects: Buffer[]): number {
  const index = objects.length;
  objects.push(Buffer.alloc(0));
  const add = (item: PlistInput) => writeObject(item, objects);
  if (isList(value)) objects[index] = binaryContainer(0xa0, value.length, value.map(add));
  else if (typeof value === 'object' && !(value instanceof Date) && !Buffer.isBuffer(value)) {
    const keys = Object.keys(value).map(add);
    objects[index] = binaryContainer(0xd0, keys.length, [...keys, ...Object.values(value).map(add)]);
  } else objects[index] = writeScalar(value);
  return index;
}

function writeScalar(value: string | number | boolean | Date | Buffer): Buffer {
  if (typeof value === 'boolean') return Buffer.from([value ? 9 : 8]);
  if (Buffer.isBuffer(value)) return Buffer.concat([marker(0x40, value.length), value]);
  if (typeof value === 'string') {
    const isAscii = [...value].every((character) => character.charCodeAt(0) < 128);
    if (isAscii) return Buffer.concat([marker(0x50, value.length), Buffer.from(value)]);
    return Buffer.concat([marker(0x60, value.length), Buffer.from(value, 'utf16le').swap16()]);
  }
  const bytes = Buffer.alloc(9);
  if (value instanceof Date) {
    bytes[0] = 0x33;
    bytes.writeDoubleBE(value.getTime() / 1000 - 978_307_200, 1);
  } else if (Number.isInteger(value)) {
    bytes[0] = 0x13;
    bytes.writeBigInt64BE(BigInt(value), 1);
  } else {
    bytes[0] = 0x23;
    bytes.writeDoubleBE(value, 1);
  }
  return bytes;
}

/** A property list as plain objects, so that tests read as what iOS sees. */
export function toPlainValue(value: PlistValue | PlistDict): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, entry]) => [key, toPlainValue(entry)]));
  return Array.isArray(value) ? value.map(toPlainValue) : value;
}
