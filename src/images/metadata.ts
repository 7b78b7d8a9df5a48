// Removes what cameras and programs write about a picture: place, time, device, comments and thumbnails. Pixels stay as they
// are. Color profiles stay, because colors would change; so does the orientation of a JPEG, without which it would lie on its side.
import { crc32 } from 'node:zlib';
import type { ImageType } from './limits.ts';
import { readPngChunks } from './png.ts';

/** Returns a checked image without metadata. */
export function removeMetadata(type: ImageType, bytes: Buffer): Buffer {
  if (type === 'image/png') return plainPng(bytes);
  return type === 'image/jpeg' ? plainJpeg(bytes) : plainWebp(bytes);
}

/** Critical chunks, and the ones that change how the pixels look. */
const PNG_CHUNKS: ReadonlySet<string> = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'pHYs', 'bKGD'],
]);

function plainPng(bytes: Buffer): Buffer {
  const kept = readPngChunks(bytes).filter(({ type }) => PNG_CHUNKS.has(type));
  const chunks = kept.map(({ type, data }) => {
    const chunk = Buffer.alloc(12 + data.length);
    chunk.writeUInt32BE(data.length, 0);
    chunk.write(type, 4, 'latin1');
    data.copy(chunk, 8);
    chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
    return chunk;
  });
  return Buffer.concat([bytes.subarray(0, 8), ...chunks]);
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
/** How the colors of a JPEG by Adobe's programs are stored. */
const APP14 = 0xee;
const APP15 = 0xef;
const COMMENT = 0xfe;

function plainJpeg(bytes: Buffer): Buffer {
  const kept: Buffer[] = [bytes.subarray(0, 2)];
  let orientation = 1;
  let offset = 2;
  while (offset + 4 <= bytes.length) {
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    if (marker === END_OF_IMAGE) break;
    const end = offset + 2 + bytes.readUInt16BE(offset + 2);
    const segment = bytes.subarray(offset, end);
    if (marker === APP1) orientation = orientationIn(segment.subarray(4)) ?? orientation;
    if (isKept(marker, segment)) kept.push(segment);
    offset = end;
    if (marker !== START_OF_SCAN) continue;
    const next = endOfScan(bytes, offset);
    kept.push(bytes.subarray(offset, next));
    offset = next;
  }
  const note = orientation === 1 ? [] : [orientationSegment(orientation)];
  const [start = Buffer.alloc(0), ...segments] = kept;
  // What follows the end is dropped: phones append videos and depth maps.
  return Buffer.concat([start, ...note, ...segments, Buffer.from([0xff, END_OF_IMAGE])]);
}

function isKept(marker: number, segment: Buffer): boolean {
  if (marker === APP2) return segment.toString('latin1', 4, 15) === 'ICC_PROFILE';
  if (marker === APP0) return segment.toString('latin1', 4, 9) === 'JFIF\0';
  if (marker === APP14) return segment.toString('latin1', 4, 9) === 'Adobe';
  return !(marker > APP0 && marker <= APP15) && marker !== COMMENT;
}

function endOfScan(bytes: Buffer, start: number): number {
  for (let at = start; at + 1 < bytes.length; at += 1) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

const ORIENTATION_TAG = 0x0112;
const MAX_ENTRIES = 200;

/** Returns the orientation in an Exif segment, 1 to 8, or undefined. */
function orientationIn(content: Buffer): number | undefined {
  if (content.toString('latin1', 0, 6) !== 'Exif\0\0') return undefined;
  const tiff = content.subarray(6);
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 10 || (order !== 'II' && order !== 'MM')) return undefined;
  const two = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const first = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (first + 2 > tiff.length) return undefined;
  const count = Math.min(two(first), MAX_ENTRIES);
  for (let index = 0; index < count; index += 1) {
    const at = first + 2 + index * 12;
    if (at + 12 > tiff.length) return undefined;
    if (two(at) !== ORIENTATION_TAG) continue;
    const value = two(at + 8);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

/** An Exif segment with nothing but the orientation. */
function orientationSegment(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, APP1, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

const WEBP_HEADER = 12;
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;
const WEBP_CHUNKS: ReadonlySet<string> = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

function plainWebp(bytes: Buffer): Buffer {
  const end = bytes.readUInt32LE(4) + 8;
  const kept: Buffer[] = [];
  for (let at = WEBP_HEADER; at + 8 <= end; ) {
    const size = bytes.readUInt32LE(at + 4);
    const next = at + 8 + size + (size % 2);
    const type = bytes.toString('latin1', at, at + 4);
    if (WEBP_CHUNKS.has(type)) {
      const chunk = Buffer.from(bytes.subarray(at, next));
      if (type === 'VP8X') chunk[8] = (chunk[8] ?? 0) & ~(HAS_EXIF | HAS_XMP);
      kept.push(chunk);
    }
    at = next;
  }
  const content = Buffer.concat(kept);
  const header = Buffer.from(bytes.subarray(0, WEBP_HEADER));
  header.writeUInt32LE(4 + content.length, 4);
  return Buffer.concat([header, content]);
}
