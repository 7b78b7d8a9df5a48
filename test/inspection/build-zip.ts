// Writes zip archives for tests, honest ones and lying ones.
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string;
  readonly data: Buffer;
  readonly isStored?: boolean;
  /** Lies for the central directory; what is left out is true. */
  readonly stated?: {
    crc?: number;
    size?: number;
    compressedSize?: number;
    headerOffset?: number;
    flags?: number;
    method?: number;
  };
  /** Name in the local header, when it differs. */
  readonly localName?: string;
}

export interface ZipOptions {
  /** Bytes between the last entry and the central directory, such as a signing block, given where they start. */
  readonly beforeDirectory?: (offset: number) => Buffer;
  /** Entry count to state in the end record. */
  readonly statedCount?: number;
  readonly comment?: string;
}

export function buildZip(parts: readonly ZipPart[], options: ZipOptions = {}): Buffer {
  const { body, records } = layOut(parts);
  const between = options.beforeDirectory?.(body.length) ?? Buffer.alloc(0);
  const directory = Buffer.concat(records);
  return Buffer.concat([
    body,
    between,
    directory,
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
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(0x800, 6);
    header.writeUInt16LE(fields.method, 8);
    header.writeUInt32LE(fields.crc, 14);
    header.writeUInt32LE(fields.compressedSize, 18);
    header.writeUInt32LE(fields.size, 22);
    header.writeUInt16LE(name.length, 26);
    records.push(directoryRecord(part.name, { flags: 0x800, headerOffset: offset, ...fields, ...part.stated }));
    chunks.push(header, name, packed);
    offset += 30 + name.length + packed.length;
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
  record.writeUInt32LE(fields.headerOffset, 42);
  return Buffer.concat([record, name]);
}

function endRecord(count: number, offset: number, directory: Buffer, options: ZipOptions): Buffer {
  const comment = Buffer.from(options.comment ?? '');
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(options.statedCount ?? count, 8);
  record.writeUInt16LE(options.statedCount ?? count, 10);
  record.writeUInt32LE(directory.length, 12);
  record.writeUInt32LE(offset, 16);
  record.writeUInt16LE(comment.length, 20);
  return Buffer.concat([record, comment]);
}
