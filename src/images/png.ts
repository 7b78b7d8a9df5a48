// PNG (ISO/IEC 15948): chunks with their checksums, the pixels that the header declares, and bounded metadata.
import { crc32, createInflate } from 'node:zlib';
import { bytesOfRows, type PngLayout, readPngLayout } from '../lib/png-rows.ts';
import { checkSides, damaged, type Sides, UnusableImage } from './limits.ts';

const SIGNATURE_SIZE = 8;
const MAX_CHUNKS = 10_000;
/** Maximum inflated size of texts and color profiles in total. A large profile has about half a megabyte. */
const MAX_METADATA_BYTES = 4 * 1024 * 1024;
const MAX_PACKED_TEXTS = 64;
const INFLATE_STEP = 1024 * 1024;

export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** Returns the sides. Throws UnusableImage unless the image is complete: checksums, pixels and limited metadata. */
export async function checkPng(bytes: Buffer): Promise<Sides> {
  const chunks = readPngChunks(bytes);
  const [header] = chunks;
  if (header?.type !== 'IHDR' || chunks.at(-1)?.type !== 'IEND') throw damaged();
  const isRepeated = chunks.filter(({ type }) => type === 'IHDR').length > 1;
  const layout = readLayout(header.data);
  const sides = checkSides(layout.width, layout.height);
  const first = chunks.findIndex(({ type }) => type === 'IDAT');
  const last = chunks.findLastIndex(({ type }) => type === 'IDAT');
  const pixels = chunks.slice(first, last + 1);
  const palette = chunks.findIndex(({ type }) => type === 'PLTE');
  const lacksPalette = layout.colorType === 3 && (palette < 0 || palette > first);
  if (isRepeated || first < 0 || pixels.some(({ type }) => type !== 'IDAT') || lacksPalette) throw damaged();
  await checkMetadata(chunks);
  const expected = bytesOfRows(layout);
  const packed = pixels.map(({ data }) => data);
  if ((await inflatedSize(packed, expected)) !== expected) throw damaged();
  return sides;
}

/** Returns the chunks of a PNG up to its end. Throws UnusableImage if one is incomplete or altered. */
export function readPngChunks(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  let offset = SIGNATURE_SIZE;
  while (offset < bytes.length) {
    if (offset + 12 > bytes.length || chunks.length >= MAX_CHUNKS) throw damaged();
    const end = offset + 12 + bytes.readUInt32BE(offset);
    if (end > bytes.length || crc32(bytes.subarray(offset + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      throw damaged();
    const type = bytes.toString('latin1', offset + 4, offset + 8);
    chunks.push({ type, data: bytes.subarray(offset + 8, end - 4) });
    // Programs ignore data after the end.
    if (type === 'IEND') break;
    offset = end;
  }
  return chunks;
}

/** Returns how the pixels are stored. Throws UnusableImage if the header is invalid. */
export function readLayout(header: Buffer | undefined): PngLayout {
  const layout = readPngLayout(header);
  if (layout === null) throw damaged();
  return layout;
}

async function checkMetadata(chunks: readonly Chunk[]): Promise<void> {
  const packed = chunks.flatMap((chunk) => findPackedText(chunk) ?? []);
  if (packed.length > MAX_PACKED_TEXTS) throw new UnusableImage('has too many texts');
  let left = MAX_METADATA_BYTES;
  for (const data of packed) {
    left -= await inflatedSize([data], left);
    if (left < 0) throw new UnusableImage('has more than 4 MiB of texts and color profiles');
  }
}

/** Returns the compressed part of a text or color profile; null for other chunks. */
function findPackedText({ type, data }: Chunk): Buffer | null {
  const name = data.indexOf(0);
  if (type === 'iCCP' || type === 'zTXt') {
    if (name < 0 || data[name + 1] !== 0) throw damaged();
    return data.subarray(name + 2);
  }
  if (type !== 'iTXt') return null;
  const [isPacked, method] = data.subarray(name + 1);
  const language = data.indexOf(0, name + 3);
  const text = data.indexOf(0, language + 1);
  if (name < 0 || language < 0 || text < 0) throw damaged();
  if (isPacked !== 1) return null;
  if (method !== 0) throw damaged();
  return data.subarray(text + 1);
}

/** Inflates in the thread pool and discards the output. Returns its size in bytes, or `max` + 1 if it's larger. */
function inflatedSize(packed: readonly Buffer[], max: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const inflate = createInflate({ chunkSize: INFLATE_STEP });
    let size = 0;
    inflate.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= max) return;
      resolve(max + 1);
      inflate.destroy();
    });
    inflate.on('end', () => resolve(size));
    inflate.on('error', () => reject(damaged()));
    for (const part of packed) inflate.write(part);
    inflate.end();
  });
}
