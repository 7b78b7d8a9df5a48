// The color that a page takes from an icon.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readIconColor } from '../../src/images/icon-color.ts';
import { samplePixels } from '../../src/images/png-pixels.ts';
import { assemblePng, buildPng } from '../support/fixtures.ts';
import { sampleImages } from './sample-images.ts';

type Pixel = readonly [red: number, green: number, blue: number, alpha?: number];

/** An image of 20 × 20 pixels, each as `paint` says; `filter` is that of every row. */
function paintIcon(paint: (x: number, y: number) => Pixel, side = 20): Buffer {
  const rows: number[] = [];
  for (let y = 0; y < side; y += 1) {
    rows.push(0);
    for (let x = 0; x < side; x += 1) {
      const [red, green, blue, alpha = 255] = paint(x, y);
      rows.push(red, green, blue, alpha);
    }
  }
  return assemblePng([header(side, 8, 6), ['IDAT', deflateSync(Buffer.from(rows))], ['IEND', Buffer.alloc(0)]]);
}

function header(side: number, depth: number, colorType: number, interlace = 0): [string, Buffer] {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(side, 0);
  data.writeUInt32BE(side, 4);
  data.set([depth, colorType, 0, 0, interlace], 8);
  return ['IHDR', data];
}

const teal: Pixel = [14, 124, 114];
const white: Pixel = [255, 255, 255];

describe('the color of an icon', () => {
  it.each<[string, Buffer, string | null]>([
    ['of one color', buildPng(64, 64, [20, 120, 220, 255]), '#1478dc'],
    ['on white', paintIcon((x) => (x < 4 ? teal : white)), '#0e7c72'],
    ['with a small sign of another color', paintIcon((x, y) => (x === 3 && y < 9 ? [250, 200, 60] : teal)), '#0e7c72'],
    ['with a vivid sign on a pale ground', paintIcon((x) => (x < 6 ? [230, 20, 40] : [224, 232, 250])), '#e61428'],
    ['around a transparent edge', paintIcon((x) => (x < 10 ? [255, 0, 0, 0] : teal)), '#0e7c72'],
    ['without color', paintIcon((x) => (x < 10 ? [30, 30, 30] : white)), null],
    ['with too little of it', paintIcon((x, y) => (x === 0 && y < 10 ? teal : white)), null],
    ['that is transparent', paintIcon(() => [255, 0, 0, 0]), null],
    ['in gray samples', sampleImages.grayPng, null],
    ['that is a JPEG', sampleImages.baselineJpeg, null],
    ['that is cut off', buildPng(64, 64).subarray(0, 60), null],
    ['that is no image', Buffer.from('icon'), null],
  ])('%s', async (_name, bytes, color) => {
    expect(await readIconColor(bytes)).toBe(color);
  });

  it.each([
    ['nothing', 0, [200, 40, 30, 200, 40, 30]],
    ['the pixel on the left', 1, [200, 40, 30, 0, 0, 0]],
    ['the pixel above', 2, [200, 40, 30, 200, 40, 30]],
    ['their mean', 3, [200, 40, 30, 100, 20, 15]],
    ['the closest of three', 4, [200, 40, 30, 0, 0, 0]],
  ] as const)('does not depend on rows with %s', async (_name, filter, row) => {
    const bytes = assemblePng([
      (() => {
        const [type, data] = header(2, 8, 2);
        data.writeUInt32BE(1, 4);
        return [type, data] as const;
      })(),
      ['IDAT', deflateSync(Buffer.from([filter, ...row]))],
      ['IEND', Buffer.alloc(0)],
    ]);
    expect(await readIconColor(bytes)).toBe('#c8281e');
  });

  it('is found in palettes, 16 bits and interlaced images', async () => {
    const palette = assemblePng([
      header(8, 1, 3),
      ['PLTE', Buffer.from([255, 255, 255, 200, 40, 30])],
      ['IDAT', deflateSync(Buffer.from(Array.from({ length: 8 }, () => [0, 0b10101010]).flat()))],
      ['IEND', Buffer.alloc(0)],
    ]);
    expect(await readIconColor(palette)).toBe('#c8281e');
    const deep = assemblePng([
      header(1, 16, 2),
      ['IDAT', deflateSync(Buffer.from([0, 200, 9, 40, 9, 30, 9]))],
      ['IEND', Buffer.alloc(0)],
    ]);
    expect(await readIconColor(deep)).toBe('#c8281e');
    // Two pixels per side take three of the seven passes.
    const interlaced = assemblePng([
      header(2, 8, 2, 1),
      ['IDAT', deflateSync(Buffer.from([0, 200, 40, 30, 0, 200, 40, 30, 0, 200, 40, 30, 200, 40, 30]))],
      ['IEND', Buffer.alloc(0)],
    ]);
    expect(await readIconColor(interlaced)).toBe('#c8281e');
  });

  it('of the largest icon is computed without delaying other requests', async () => {
    const bytes = paintIcon((x) => (x % 2 === 0 ? teal : [16, 120, 110]), 1024);
    expect(await readIconColor(bytes)).toMatch(/^#0[ef]7[ab]7[0-2]$/);
    let pixels = 0;
    let most = 0;
    let isDone = false;
    const sampled = samplePixels(bytes, () => {
      pixels += 1;
      most = Math.max(most, pixels);
    }).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await nextTurn();
      pixels = 0;
    }
    await sampled;
    // 32 rows of 4 KiB in one step, of which every 11th row and column is read.
    expect(most).toBe(3 * 94);
  });

  it('is not computed for an image that claims to be huge', async () => {
    const bytes = assemblePng([
      header(4096, 16, 6),
      ['IDAT', deflateSync(Buffer.alloc(64))],
      ['IEND', Buffer.alloc(0)],
    ]);
    expect(await readIconColor(bytes)).toBeNull();
  });

  it.each([
    ['rows of millions of pixels', 15_000_000, 1],
    ['endless rows, but none of them', 0xffff_ffff, 0],
    ['no columns', 0, 1_000_000],
  ])('of an image with %s is not computed, and delays nothing', async (_name, width, height) => {
    const [type, data] = header(0, 8, 6);
    data.writeUInt32BE(width, 0);
    data.writeUInt32BE(height, 4);
    data.set([8, 0], 8);
    // Rows that differ from the pixel on the left, which takes work for each byte.
    const pixels = deflateSync(Buffer.alloc(height === 0 ? 0 : (1 + width) * height, 1));
    const bytes = assemblePng([
      [type, data],
      ['IDAT', pixels],
      ['IEND', Buffer.alloc(0)],
    ]);
    const before = process.memoryUsage().arrayBuffers;
    expect(await readIconColor(bytes)).toBeNull();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
    await expect(samplePixels(bytes, () => {})).rejects.toThrow('must have 1 to 4096 pixels on each side');
  });
});
