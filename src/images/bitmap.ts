// Writes black-and-white pictures as PNG (ISO/IEC 15948): one bit for each pixel, without metadata.
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Draws a square of `side` cells, each `scale` pixels wide. `isDark` says which cells are black; the others are white.
 */
export function drawCells(side: number, scale: number, isDark: (row: number, column: number) => boolean): Buffer {
  const width = side * scale;
  const rowBytes = Math.ceil(width / 8);
  const pixels = Buffer.alloc((rowBytes + 1) * width, 0xff);
  for (let y = 0; y < width; y += 1) {
    const start = y * (rowBytes + 1);
    // The filter of the row: none.
    pixels[start] = 0;
    for (let x = 0; x < width; x += 1) {
      if (!isDark(Math.floor(y / scale), Math.floor(x / scale))) continue;
      const at = start + 1 + (x >> 3);
      pixels[at] = (pixels[at] ?? 0) & ~(0x80 >> (x & 7));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header[8] = 1;
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND')]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
