// Converts Apple's crushed PNG (CgBI: raw deflate, BGRA, premultiplied) to a plain PNG. Returns plain PNGs unchanged.
import { crc32, deflateSync, inflateRawSync, constants as zlibConstants } from 'node:zlib';
import { bytesOfRows, bytesPerRow, type PngLayout, passesOf, readPngLayout, undoFilter } from '../lib/png-rows.ts';
import { UnreadableArchive } from './errors.ts';
import { isPng } from './image.ts';

const maxSide = 1024;

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

function readLayout(header: Buffer | undefined): PngLayout {
  const layout = readPngLayout(header) ?? refuse('has an invalid header');
  const { width, height } = layout;
  if (width < 1 || height < 1 || width > maxSide || height > maxSide) refuse('has dimensions that are too large');
  return layout;
}

function inflatePixels(packed: Buffer, layout: PngLayout): Buffer {
  const expected = bytesOfRows(layout);
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
function restoreColors(pixels: Buffer, layout: PngLayout): Buffer {
  const isColor = layout.bitDepth === 8 && layout.samples >= 3;
  let offset = 0;
  for (const { columns, rows } of passesOf(layout)) {
    const width = bytesPerRow(columns, layout);
    let above: Buffer = Buffer.alloc(width);
    for (let row = 0; row < rows; row += 1) {
      const line = pixels.subarray(offset + 1, offset + 1 + width);
      if (!undoFilter(pixels.readUInt8(offset), line, above, layout)) refuse('is damaged');
      pixels[offset] = 0;
      above = line;
      offset += width + 1;
    }
  }
  if (!isColor) return pixels;
  offset = 0;
  for (const { columns, rows } of passesOf(layout)) {
    const width = bytesPerRow(columns, layout);
    for (let row = 0; row < rows; row += 1) {
      restoreRow(pixels.subarray(offset + 1, offset + 1 + width), layout.samples);
      offset += width + 1;
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

function writeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
