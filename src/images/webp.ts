// WebP (RFC 9649): the chunks of the container, and the declared dimensions of its images.
import { checkSides, damaged, type Sides, UnusableImage } from './limits.ts';

const HEADER_SIZE = 12;
const FRAME_HEADER_SIZE = 16;
const MAX_CHUNKS = 10_000;
const HAS_ANIMATION = 0x02;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** Returns the sides. Throws UnusableImage unless all chunks are complete and every image fits the limits and its canvas. */
export function checkWebp(bytes: Buffer): Sides {
  if (bytes.length < HEADER_SIZE) throw damaged();
  const end = bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) throw damaged();
  // Programs ignore data after the end.
  const chunks = readChunks(bytes.subarray(HEADER_SIZE, end));
  const [first] = chunks;
  if (first === undefined) throw damaged();
  if (first.type !== 'VP8X') {
    if (chunks.length > 1) throw damaged();
    return readPicture(chunks);
  }
  if (first.data.length !== 10) throw damaged();
  const canvas = checkSides(first.data.readUIntLE(4, 3) + 1, first.data.readUIntLE(7, 3) + 1);
  if (((first.data[0] ?? 0) & HAS_ANIMATION) !== 0) checkFrames(chunks, canvas);
  else checkFits(readPicture(chunks.slice(1)), canvas, { left: 0, top: 0 });
  return canvas;
}

function readChunks(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    if (offset + 8 > bytes.length || chunks.length >= MAX_CHUNKS) throw damaged();
    const size = bytes.readUInt32LE(offset + 4);
    const end = offset + 8 + size;
    // Chunks of odd size are followed by a padding byte.
    if (end + (size % 2) > bytes.length) throw damaged();
    chunks.push({ type: bytes.toString('latin1', offset, offset + 4), data: bytes.subarray(offset + 8, end) });
    offset = end + (size % 2);
  }
  return chunks;
}

/** Returns the dimensions of the single image in the chunks, from its own header. */
function readPicture(chunks: readonly Chunk[]): Sides {
  const [picture, ...more] = chunks.filter(({ type }) => type === 'VP8 ' || type === 'VP8L');
  if (picture === undefined || more.length > 0) throw damaged();
  const { type, data } = picture;
  const sides = type === 'VP8 ' ? readLossy(data) : readLossless(data);
  return checkSides(sides.width, sides.height);
}

/** RFC 6386, section 9.1: a key frame whose first partition is complete. */
function readLossy(data: Buffer): Sides {
  if (data.length < 10 || data.readUIntBE(3, 3) !== 0x9d012a) throw damaged();
  const tag = data.readUIntLE(0, 3);
  const isKeyFrame = (tag & 1) === 0;
  if (!isKeyFrame || 10 + (tag >>> 5) > data.length) throw damaged();
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

function readLossless(data: Buffer): Sides {
  if (data.length < 6 || data[0] !== 0x2f) throw damaged();
  const bits = data.readUInt32LE(1);
  if (bits >>> 29 !== 0) throw damaged();
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function checkFrames(chunks: readonly Chunk[], canvas: Sides): void {
  const frames = chunks.filter(({ type }) => type === 'ANMF');
  if (frames.length === 0) throw damaged();
  if (frames.length > 100) throw new UnusableImage('has more than 100 frames');
  for (const { data } of frames) {
    if (data.length < FRAME_HEADER_SIZE) throw damaged();
    const place = { left: data.readUIntLE(0, 3) * 2, top: data.readUIntLE(3, 3) * 2 };
    checkFits(readPicture(readChunks(data.subarray(FRAME_HEADER_SIZE))), canvas, place);
  }
}

function checkFits(picture: Sides, canvas: Sides, { left, top }: { left: number; top: number }): void {
  if (left + picture.width > canvas.width || top + picture.height > canvas.height) throw damaged();
}
