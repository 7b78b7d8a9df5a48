// Black-and-white pictures that the server draws, read back pixel by pixel.
import { inflateSync } from 'node:zlib';
import QrCode from 'qrcode';
import { describe, expect, it } from 'vitest';
import { drawCells } from '../../src/images/bitmap.ts';
import { checkPng, readPngChunks } from '../../src/images/png.ts';

/** Whether the pixel is black. */
function readPixels(png: Buffer, width: number): (x: number, y: number) => boolean {
  const packed = readPngChunks(png).find(({ type }) => type === 'IDAT')?.data ?? Buffer.alloc(0);
  const rows = inflateSync(packed);
  const rowBytes = 1 + Math.ceil(width / 8);
  return (x, y) => ((rows[y * rowBytes + 1 + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0;
}

describe('a drawing of cells', () => {
  it.each([1, 3, 8])('has each cell with a scale of %s pixels', async (scale) => {
    const { modules } = QrCode.create('https://builds.example.com/install', { errorCorrectionLevel: 'M' });
    const isDark = (row: number, column: number) => modules.get(row, column) !== 0;
    const png = drawCells(modules.size, scale, isDark);
    const width = modules.size * scale;
    expect(await checkPng(png)).toEqual({ width, height: width });
    const isBlack = readPixels(png, width);
    for (let y = 0; y < width; y += 1) {
      for (let x = 0; x < width; x += 1) {
        if (isBlack(x, y) !== isDark(Math.floor(y / scale), Math.floor(x / scale)))
          throw new Error(`differs at ${x}, ${y}`);
      }
    }
  });
});
