// Writes zip archives for tests, honest ones and lying ones.
import { crc32, deflateRawSync } from 'node:zlib';

/** What the two headers of an entry say of it. */
interface Stated {
  readonly crc?: number;
  readonly size?: number;
  readonly compressedSize?: number;
  readonly flags?: number;
  readonly method?: number;
}

export interface ZipPart {
  readonly name: string;
  readonly data: Buffer;
  readonly isStored?: boolean;
  /** Lies for both headers; what is left out is true. */
  readonly stated?: Stated;
  /** Lies for one of them. */
  readonly central?: Stated & { headerOffset?: number; disk?: number; extra?: Buffer };
  readonly local?: Stated & { extra?: Buffer };
  /** Name in the local header, when it differs. */
  readonly localName?: string;
  /** Bytes in front of the local header. */
  readonly before?: Buffer;
  /** Bytes after the data, such as its descriptor, given what they describe. */
  readonly after?: (facts: { crc: number; compressedSize: number; size: number }) => Buffer;
}

export interface ZipOptions {
  /** Bytes between the last entry and the central directory, such as a signing block, given where they start. */
  readonly beforeDirectory?: (offset: number) => Buffer;
  /** Bytes between the central directory and the end record. */
  readonly afterDirectory?: Buffer;
  /** Entry count to state in the end record. */
  readonly statedCount?: number;
  /** Numbers of this disk and of the one with the directory. */
  readonly disks?: readonly [number, number];
  readonly comment?: string | Buffer;
}

export function buildZip(parts: readonly ZipPart[], options: ZipOptions = {}): Buffer {
  const { body, records } = layOut(parts);
  const between = options.beforeDirectory?.(body.length) ?? Buffer.alloc(0);
  const directory = Buffer.concat(records);
  return Buffer.concat([
    body,
    between,
    directory,
    options.afterDirectory ?? Buffer.alloc(0),
    endRecord(parts.length, body.length + between.length, directory, options),
  ]);
}

function layOut(parts: readonly ZipPart[]): { body: Buffer; records: Buffer[] } {
  const chunks: Buffer[] = [];
  const records: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const packed = part.isStored ? part.data : deflateRawSync(part.data);
    const name = Buffer.from(part.localName ?? part.name);
    const fields = {
      method: part.isStored ? 0 : 8,
      crc: crc32(part.data),
      compressedSize: packed.length,
      size: part.data.length,
    };
    const stated = { flags: 0x800, ...fields, ...part.stated };
    const local = { ...stated, extra: Buffer.alloc(0), ...part.local };
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(local.flags, 6);
    header.writeUInt16LE(local.method, 8);
    header.writeUInt32LE(local.crc, 14);
    header.writeUInt32LE(local.compressedSize, 18);
    header.writeUInt32LE(local.size, 22);
    header.writeUInt16LE(name.length, 26);
    header.writeUInt16LE(local.extra.length, 28);
    const before = part.before ?? Buffer.alloc(0);
    const after = part.after?.(fields) ?? Buffer.alloc(0);
    const place = { headerOffset: offset + before.length, disk: 0, extra: Buffer.alloc(0) };
    records.push(directoryRecord(part.name, { ...place, ...stated, ...part.central }));
    const whole = Buffer.concat([before, header, name, local.extra, packed, after]);
    chunks.push(whole);
    offset += whole.length;
  }
  return { body: Buffer.concat(chunks), records };
}

interface Fields {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly headerOffset: number;
  readonly disk: number;
  readonly extra: Buffer;
}

function directoryRecord(fileName: string, fields: Fields): Buffer {
  const name = Buffer.from(fileName);
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(20, 4);
  record.writeUInt16LE(20, 6);
  record.writeUInt16LE(fields.flags, 8);
  record.writeUInt16LE(fields.method, 10);
  record.writeUInt32LE(fields.crc, 16);
  record.writeUInt32LE(fields.compressedSize, 20);
  record.writeUInt32LE(fields.size, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(fields.extra.length, 30);
  record.writeUInt16LE(fields.disk, 34);
  record.writeUInt32LE(fields.headerOffset, 42);
  return Buffer.concat([record, name, fields.extra]);
}

function endRecord(count: number, offset: number, directory: Buffer, options: ZipOptions): Buffer {
  const comment = Buffer.from(options.comment ?? '');
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(options.disks?.[0] ?? 0, 4);
  record.writeUInt16LE(options.disks?.[1] ?? 0, 6);
  record.writeUInt16LE(options.statedCount ?? count, 8);
  record.writeUInt16LE(options.statedCount ?? count, 10);
  record.writeUInt32LE(directory.length, 12);
  record.writeUInt32LE(offset, 16);
  record.writeUInt16LE(comment.length, 20);
  return Buffer.concat([record, comment]);
}

/** The archive with zip64 end records that state what is given; the plain record refers to them unless `isPlainKept`. */
export function widenEnd(
  bytes: Buffer,
  lies: { count?: number; offset?: number; disk?: number; isPlainKept?: boolean } = {},
): Buffer {
  const plain = Buffer.from(bytes.subarray(-22));
  const count = BigInt(lies.count ?? plain.readUInt16LE(10));
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt32LE(lies.disk ?? 0, 16);
  record.writeBigUInt64LE(count, 24);
  record.writeBigUInt64LE(count, 32);
  record.writeBigUInt64LE(BigInt(plain.readUInt32LE(12)), 40);
  record.writeBigUInt64LE(BigInt(lies.offset ?? plain.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(bytes.length - 22), 8);
  locator.writeUInt32LE(1, 16);
  if (lies.isPlainKept !== true) plain.fill(0xff, 8, 20);
  return Buffer.concat([bytes.subarray(0, -22), record, locator, plain]);
}
