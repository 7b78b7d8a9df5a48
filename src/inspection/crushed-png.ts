// Converts Apple's crushed PNG (CgBI: raw deflate, BGRA, premultiplied) to a plain PNG. Returns plain PNGs unchanged.
import { crc32, deflateSync, inflateRawSync, constants as zlibConstants } from 'node:zlib';
import { UnreadableArchive } from './errors.ts';
import { isPng } from './image.ts';

const maxSide = 1024;

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly channels: number;
  readonly isInterlaced: boolean;
}

// Color types with their valid bit depths (PNG specification, section 11.2.1).
const colorTypes: Readonly<Record<number, { channels: number; depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};

function refuse(why: string): never {
  throw new UnreadableArchive(`The icon ${why}.`);
}

/**
 * Returns the plain PNG bytes of an icon of at most 1024 pixels per side. Colors of crushed images are un-premultiplied, rounding
 * half up; fully transparent pixels become transparent black. Throws if it isn't a PNG, has wrong sizes or is truncated.
 */
export function decrushPng(bytes: Buffer): Buffer {
  if (!isPng(bytes)) refuse("isn't a PNG");
  const chunks: { type: string; data: Buffer }[] = [];
  let offset = 8;
  let end = 0;
  while (end === 0) {
    if (offset + 12 > bytes.length) refuse('is truncated');
    const length = bytes.readUInt32BE(offset);
    if (offset + 12 + length > bytes.length) refuse('is truncated');
    const type = bytes.toString('latin1', offset + 4, offset + 8);
    chunks.push({ type, data: bytes.subarray(offset + 8, offset + 8 + length) });
    offset += 12 + length;
    if (type === 'IEND') end = offset;
    if (chunks.length > 10_000) refuse('has too many chunks');
  }
  const layout = readLayout(chunks.find((chunk) => chunk.type === 'IHDR')?.data);
  // Data after IEND isn't part of the image and is dropped.
  if (chunks[0]?.type !== 'CgBI') return bytes.subarray(0, end);

  const packed = Buffer.concat(chunks.filter((chunk) => chunk.type === 'IDAT').map((chunk) => chunk.data));
  const pixels = restoreColors(inflatePixels(packed, layout), layout);
  const output = [bytes.subarray(0, 8)];
  let isWritten = false;
  for (const chunk of chunks) {
    if (chunk.type === 'CgBI' || chunk.type === 'iDOT') continue;
    if (chunk.type !== 'IDAT') output.push(writeChunk(chunk.type, chunk.data));
    else if (!isWritten) {
      output.push(writeChunk('IDAT', deflateSync(pixels)));
      isWritten = true;
    }
  }
  return Buffer.concat(output);
}

function readLayout(data: Buffer | undefined): Layout {
  if (data?.length !== 13) return refuse('has no header');
  const colours = colorTypes[data.readUInt8(9)];
  const bitDepth = data.readUInt8(8);
  // The bit depth multiplies the size, so an invalid one would make a small icon huge.
  if (!colours?.depths.includes(bitDepth)) return refuse('has an invalid color type');
  const layout = {
    width: data.readUInt32BE(0),
    height: data.readUInt32BE(4),
    bitDepth,
    channels: colours.channels,
    isInterlaced: data.readUInt8(12) === 1,
  };
  if (layout.width < 1 || layout.height < 1 || layout.width > maxSide || layout.height > maxSide) {
    refuse('has dimensions that are too large');
  }
  return layout;
}

function rowLength({ bitDepth, channels }: Layout, width: number): number {
  return Math.ceil((width * bitDepth * channels) / 8);
}

// Origin and step of the seven passes of an interlaced PNG (PNG specification, section 8.2); a plain one is a single pass.
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

function passesOf(layout: Layout): { bytes: number; rows: number }[] {
  if (!layout.isInterlaced) return [{ bytes: rowLength(layout, layout.width), rows: layout.height }];
  return adam7
    .map(([x, y, stepX, stepY]) => ({
      bytes: rowLength(layout, Math.max(0, Math.ceil((layout.width - x) / stepX))),
      rows: Math.max(0, Math.ceil((layout.height - y) / stepY)),
    }))
    .filter((pass) => pass.bytes > 0 && pass.rows > 0);
}

function inflatePixels(packed: Buffer, layout: Layout): Buffer {
  const expected = passesOf(layout).reduce((sum, pass) => sum + (pass.bytes + 1) * pass.rows, 0);
  let pixels: Buffer;
  try {
    const chunkSize = Math.max(64, expected + 1);
    pixels = inflateRawSync(packed, { maxOutputLength: chunkSize, chunkSize, finishFlush: zlibConstants.Z_SYNC_FLUSH });
  } catch {
    return refuse('is damaged or larger than declared');
  }
  return pixels.length === expected ? pixels : refuse('is damaged or larger than declared');
}

// Filters are removed, because they depend on neighboring pixels, which change; the rows are written unfiltered.
function restoreColors(pixels: Buffer, layout: Layout): Buffer {
  const { channels } = layout;
  const isColour = layout.bitDepth === 8 && channels >= 3;
  const step = Math.max(1, (layout.bitDepth * channels) >> 3);
  let offset = 0;
  for (const pass of passesOf(layout)) {
    let above: Buffer = Buffer.alloc(pass.bytes);
    for (let row = 0; row < pass.rows; row += 1) {
      const line = pixels.subarray(offset + 1, offset + 1 + pass.bytes);
      undoFilter(pixels.readUInt8(offset), line, above, step);
      pixels[offset] = 0;
      above = line;
      offset += pass.bytes + 1;
    }
  }
  if (!isColour) return pixels;
  offset = 0;
  for (const pass of passesOf(layout)) {
    for (let row = 0; row < pass.rows; row += 1) {
      restoreRow(pixels.subarray(offset + 1, offset + 1 + pass.bytes), channels);
      offset += pass.bytes + 1;
    }
  }
  return pixels;
}

function restoreRow(line: Buffer, channels: number): void {
  for (let at = 0; at + channels <= line.length; at += channels) {
    const blue = line[at] ?? 0;
    const green = line[at + 1] ?? 0;
    const red = line[at + 2] ?? 0;
    const alpha = channels === 4 ? (line[at + 3] ?? 0) : 255;
    line[at] = unpremultiply(red, alpha);
    line[at + 1] = unpremultiply(green, alpha);
    line[at + 2] = unpremultiply(blue, alpha);
  }
}

function unpremultiply(value: number, alpha: number): number {
  if (alpha === 255) return value;
  if (alpha === 0) return 0;
  return Math.min(255, Math.floor((value * 510 + alpha) / (alpha * 2)));
}

function undoFilter(filter: number, line: Buffer, above: Buffer, step: number): void {
  if (filter > 4) refuse('is damaged');
  if (filter === 0) return;
  for (let at = 0; at < line.length; at += 1) {
    const left = at >= step ? (line[at - step] ?? 0) : 0;
    const up = above[at] ?? 0;
    const corner = at >= step ? (above[at - step] ?? 0) : 0;
    const guess = filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
    line[at] = ((line[at] ?? 0) + guess) & 0xff;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const byLeft = Math.abs(up - corner);
  const byUp = Math.abs(left - corner);
  const byCorner = Math.abs(left + up - 2 * corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}

function writeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
