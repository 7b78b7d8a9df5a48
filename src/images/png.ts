// PNG (ISO/IEC 15948): chunks with their checksums, and the number of pixels declared in the header.
import { crc32, createInflate } from 'node:zlib';
import { checkSides, damaged, UnusableImage } from './limits.ts';

const SIGNATURE_SIZE = 8;
const MAX_CHUNKS = 10_000;
/** Maximum inflated size of texts and color profiles in total. A large profile has about half a megabyte. */
const MAX_METADATA_BYTES = 4 * 1024 * 1024;
const MAX_PACKED_TEXTS = 64;
const INFLATE_STEP = 1024 * 1024;

/** Samples per pixel by color type, and the valid bit depths. */
const COLOR_TYPES: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

/** Offset and step of the pixels in each of the seven passes of an interlaced image, horizontally and vertically. */
const PASSES = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** Throws UnusableImage unless the image is complete: checksums, pixels and limited metadata. */
export async function checkPng(bytes: Buffer): Promise<void> {
  const chunks = readChunks(bytes);
  const [header] = chunks;
  if (header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND') throw damaged();
  const isRepeated = chunks.filter(({ type }) => type === 'IHDR').length > 1;
  const pixelSize = readPixelSize(header.data);
  checkSides(header.data.readUInt32BE(0), header.data.readUInt32BE(4));
  const first = chunks.findIndex(({ type }) => type === 'IDAT');
  const last = chunks.findLastIndex(({ type }) => type === 'IDAT');
  const pixels = chunks.slice(first, last + 1);
  const palette = chunks.findIndex(({ type }) => type === 'PLTE');
  const lacksPalette = header.data[9] === 3 && (palette < 0 || palette > first);
  if (isRepeated || first < 0 || pixels.some(({ type }) => type !== 'IDAT') || lacksPalette) throw damaged();
  await checkMetadata(chunks);
  const expected = countBytes(header.data, pixelSize);
  const packed = pixels.map(({ data }) => data);
  if ((await inflatedSize(packed, expected)) !== expected) throw damaged();
}

function readChunks(bytes: Buffer): Chunk[] {
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

/** Returns the number of bits per pixel. */
function readPixelSize(header: Buffer): number {
  const [depth = 0, colorType = 0, compression, filter, interlace = 2] = header.subarray(8);
  const color = COLOR_TYPES[colorType];
  if (!color?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) throw damaged();
  return color.samples * depth;
}

/** Returns the inflated size of the pixels in bytes; each row starts with a filter byte. */
function countBytes(header: Buffer, pixelSize: number): number {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const countRows = (columns: number, rows: number) =>
    columns === 0 ? 0 : rows * (1 + Math.ceil((columns * pixelSize) / 8));
  if (header[12] === 0) return countRows(width, height);
  return PASSES.reduce((total, [left, across, top, down]) => {
    const columns = Math.ceil(Math.max(0, width - left) / across);
    return total + countRows(columns, Math.ceil(Math.max(0, height - top) / down));
  }, 0);
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
