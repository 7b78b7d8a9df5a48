// Samples the pixels of a PNG. Decodes in short steps, so that other requests are not delayed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { bytesOfRows, bytesPerRow, type PngLayout, passesOf, undoFilter } from '../lib/png-rows.ts';
import { checkSides, damaged } from './limits.ts';
import { readLayout, readPngChunks } from './png.ts';

const inflated = promisify(inflate);

/** Larger images aren't decoded. An icon of 1,024 pixels per side with transparency has 4 MB. */
const MAX_BYTES = 16 * 1024 * 1024;
/** About a millisecond of work. */
const STEP_BYTES = 128 * 1024;
/** About as many samples per side are taken. */
const SAMPLES = 96;

/** Receives one pixel, each value from 0 to 255. */
export type Visit = (red: number, green: number, blue: number, alpha: number) => void;

/** Calls `visit` for up to about 100 × 100 evenly spread pixels. Throws if the image is damaged or too large. */
export async function samplePixels(bytes: Buffer, visit: Visit): Promise<void> {
  const chunks = readPngChunks(bytes);
  const layout = readLayout(chunks.find(({ type }) => type === 'IHDR')?.data);
  // Without rows, the width isn't limited by the number of bytes, and a single long row can't be decoded in steps.
  checkSides(layout.width, layout.height);
  const expected = bytesOfRows(layout);
  if (expected > MAX_BYTES) throw damaged();
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const pixels = await inflated(packed, { maxOutputLength: expected + 1 });
  if (pixels.length !== expected) throw damaged();
  const read = pixelReader(layout, chunks.find(({ type }) => type === 'PLTE')?.data ?? Buffer.alloc(0), {
    transparency: chunks.find(({ type }) => type === 'tRNS')?.data,
    visit,
  });
  let offset = 0;
  let untilTurn = STEP_BYTES;
  for (const { columns, rows } of passesOf(layout)) {
    const width = bytesPerRow(columns, layout);
    let above: Buffer = Buffer.alloc(width);
    for (let row = 0; row < rows; row += 1) {
      const line = pixels.subarray(offset + 1, offset + 1 + width);
      if (!undoFilter(pixels[offset] ?? 0, line, above, layout)) throw damaged();
      if (row % Math.ceil(rows / SAMPLES) === 0) {
        for (let column = 0; column < columns; column += Math.ceil(columns / SAMPLES)) read(line, column);
      }
      above = line;
      offset += width + 1;
      untilTurn -= width;
      if (untilTurn <= 0) {
        await nextTurn();
        untilTurn = STEP_BYTES;
      }
    }
  }
}

function pixelReader(
  { bitDepth, colorType, samples }: PngLayout,
  palette: Buffer,
  { transparency, visit }: { transparency: Buffer | undefined; visit: Visit },
): (line: Buffer, column: number) => void {
  const most = 2 ** bitDepth - 1;
  const sampleAt = (line: Buffer, index: number): number => {
    if (bitDepth === 8) return line[index] ?? 0;
    if (bitDepth === 16) return line[index * 2] ?? 0;
    const shift = 8 - bitDepth - ((index * bitDepth) % 8);
    return ((line[(index * bitDepth) >> 3] ?? 0) >> shift) & most;
  };
  if (colorType === 3) {
    return (line, column) => {
      const entry = sampleAt(line, column);
      const [red = 0, green = 0, blue = 0] = palette.subarray(entry * 3, entry * 3 + 3);
      visit(red, green, blue, transparency?.[entry] ?? 255);
    };
  }
  const isGray = samples < 3;
  const scale = bitDepth < 8 ? 255 / most : 1;
  return (line, column) => {
    const at = column * samples;
    const first = sampleAt(line, at) * scale;
    const alpha = samples % 2 === 0 ? sampleAt(line, at + samples - 1) : 255;
    if (isGray) visit(first, first, first, alpha);
    else visit(first, sampleAt(line, at + 1), sampleAt(line, at + 2), alpha);
  };
}
