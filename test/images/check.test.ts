// Accepted images: complete ones of limited size, with any additional content.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkImage, imageTypeOf } from '../../src/images/check.ts';
import { assemblePng, buildPng } from '../support/fixtures.ts';
import { collectGarbage } from '../support/garbage.ts';
import { sampleImages } from './sample-images.ts';

/** `ok`, or why the image is not accepted. */
async function check(bytes: Buffer): Promise<string> {
  const type = imageTypeOf(bytes);
  if (type === undefined) return 'no image';
  return checkImage(type, bytes).then(
    () => 'ok',
    (error: Error) => (error.name === 'UnusableImage' ? error.message : Promise.reject(error)),
  );
}

const nothing = Buffer.alloc(0);
type Chunk = readonly [type: string, data: Buffer];

function header(width: number, height: number, [depth, color, interlace] = [8, 6, 0]): Chunk {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth ?? 0, color ?? 0, 0, 0, interlace ?? 0], 8);
  return ['IHDR', data];
}
const MEBIBYTE = 1024 * 1024;
const pieceOfZeros = deflateRawSync(Buffer.alloc(MEBIBYTE), { finishFlush: constants.Z_FULL_FLUSH });

/** Deflates so many zeros. Each mebibyte has the same form, so that hundreds of them take no time. */
function deflateZeros(size: number): Buffer {
  const pieces = Array<Buffer>(Math.floor(size / MEBIBYTE)).fill(pieceOfZeros);
  const checksum = Buffer.alloc(4);
  // Adler-32 of zeros (RFC 1950).
  checksum.writeUInt16BE(size % 65_521, 0);
  checksum.writeUInt16BE(1, 2);
  return Buffer.concat([
    Buffer.from('789c', 'hex'),
    ...pieces,
    deflateRawSync(Buffer.alloc(size % MEBIBYTE)),
    checksum,
  ]);
}

const pixels = (size: number): Chunk => ['IDAT', deflateZeros(size)];
const end: Chunk = ['IEND', nothing];
const png = (...chunks: Chunk[]) => assemblePng([...chunks, end]);
const text = (type: string, head: string, size: number): Chunk => [
  type,
  Buffer.concat([Buffer.from(head, 'latin1'), deflateZeros(size)]),
];
const square = [header(2, 2), pixels(18)] as const;
const damaged = 'is damaged or incomplete';
const sides = (width: number, height: number) => `must have 1 to 4096 pixels on each side, not ${width} × ${height}`;
const packed = 'has more than 4 MiB of texts and color profiles';

describe('a PNG', () => {
  it.each<[string, () => Buffer, string]>([
    ['of one pixel', () => buildPng(1, 1), 'ok'],
    ['of 4,096 pixels a side', () => png(header(4096, 4096, [8, 2, 0]), pixels(4096 * (1 + 3 * 4096))), 'ok'],
    ['of a palette', () => sampleImages.palettePng, 'ok'],
    ['of gray', () => sampleImages.grayPng, 'ok'],
    // Seven passes of 1×1, 1×1, 2×1, 1×2, 3×1, 2×3 and 5×2 pixels of 4 bytes, and a byte for each of the 11 rows.
    ['that is interlaced', () => png(header(5, 5, [8, 6, 1]), pixels(100 + 11)), 'ok'],
    ['in several pieces', () => splitPixels(buildPng(9, 9)), 'ok'],
    ['with bytes after its end', () => Buffer.concat([buildPng(1, 1), Buffer.alloc(1000)]), 'ok'],
    ['with a color profile', () => png(header(2, 2), text('iCCP', 'sRGB\0\0', MEBIBYTE), pixels(18)), 'ok'],
    [
      'with texts',
      () => png(...square, ['tEXt', Buffer.from('a\0b')], ['iTXt', Buffer.from('a\0\0\0de\0b\0text')]),
      'ok',
    ],
    ['without width', () => png(header(0, 2), pixels(0)), sides(0, 2)],
    ['without height', () => png(header(2, 0), pixels(0)), sides(2, 0)],
    ['that is too wide', () => png(header(4097, 1), pixels(1 + 4 * 4097)), sides(4097, 1)],
    ['that is too high', () => png(header(1, 4097), pixels(5 * 4097)), sides(1, 4097)],
    ['of four billion pixels', () => png(header(65_535, 65_535), pixels(18)), sides(65_535, 65_535)],
    ['that is cut', () => buildPng(90, 90).subarray(0, -20), damaged],
    ['without its end', () => buildPng(9, 9).subarray(0, -12), damaged],
    ['with a bit flipped', () => flip(buildPng(9, 9), 50), damaged],
    ['with too few pixels', () => png(header(2, 2), pixels(17)), damaged],
    ['with too many pixels', () => png(header(2, 2), pixels(19)), damaged],
    ['whose pixels are a bomb', () => png(header(2, 2), pixels(200 * MEBIBYTE)), damaged],
    ['whose pixels are cut', () => png(header(2, 2), ['IDAT', deflateSync(Buffer.alloc(18)).subarray(0, -5)]), damaged],
    ['whose pixels do not inflate', () => png(header(2, 2), ['IDAT', Buffer.from('no pixels')]), damaged],
    ['without pixels', () => png(header(2, 2)), damaged],
    ['with something between its pixels', () => png(...square, ['tEXt', nothing], pixels(18)), damaged],
    ['without a palette', () => png(header(2, 2, [8, 3, 0]), pixels(6)), damaged],
    ['with two headers', () => png(header(2, 2), ...square), damaged],
    ['with an unknown color type', () => png(header(2, 2, [8, 5, 0]), pixels(18)), damaged],
    ['with an unknown depth', () => png(header(2, 2, [4, 6, 0]), pixels(18)), damaged],
    ['that Apple crushed', () => assemblePng([['CgBI', Buffer.alloc(4)], ...square, end]), damaged],
    [
      'whose color profile is a bomb',
      () => png(header(2, 2), text('iCCP', 'a\0\0', 500 * MEBIBYTE), pixels(18)),
      packed,
    ],
    ['whose text is a bomb', () => png(...square, text('zTXt', 'a\0\0', 5 * MEBIBYTE)), packed],
    [
      'whose international text is a bomb',
      () => png(...square, text('iTXt', 'a\0\x01\0de\0b\0', 5 * MEBIBYTE)),
      packed,
    ],
    [
      'whose texts are a bomb together',
      () => png(...square, ...Array(5).fill(text('zTXt', 'a\0\0', MEBIBYTE))),
      packed,
    ],
    ['with very many texts', () => png(...square, ...Array(65).fill(text('zTXt', 'a\0\0', 1))), 'has too many texts'],
    ['with a text that does not inflate', () => png(...square, ['zTXt', Buffer.from('a\0\0b')]), damaged],
    ['of very many pieces', () => png(header(2, 2), ...Array(11_000).fill(['tEXt', nothing]), pixels(18)), damaged],
  ])('%s', async (_what, bytes, expected) => {
    expect(await check(bytes())).toBe(expected);
  });

  it('of the largest size is checked while other requests are served', async () => {
    const bytes = png(header(4096, 4096, [16, 6, 0]), pixels(4096 * (1 + 8 * 4096)));
    collectGarbage();
    const memory = process.memoryUsage().arrayBuffers;
    const answer = check(bytes);
    let isDone = false;
    void answer.then(() => {
      isDone = true;
    });
    let turns = 0;
    let used = 0;
    for (; !isDone; turns += 1) {
      await nextTurn();
      if (turns % 100 !== 50) continue;
      collectGarbage();
      used = Math.max(used, process.memoryUsage().arrayBuffers - memory);
    }
    expect(await answer).toBe('ok');
    expect(turns).toBeGreaterThan(50);
    expect(used).toBeLessThan(MEBIBYTE);
  });
});

describe('a JPEG', () => {
  const { baselineJpeg: jpeg, progressiveJpeg: progressive } = sampleImages;
  const frame = jpeg.indexOf(Buffer.from('ffc0', 'hex'));
  const sized = (width: number, height: number) => {
    const bytes = Buffer.from(jpeg);
    bytes.writeUInt16BE(height, frame + 5);
    bytes.writeUInt16BE(width, frame + 7);
    return bytes;
  };
  const marked = (marker: number) => {
    const bytes = Buffer.from(jpeg);
    bytes[frame + 1] = marker;
    return bytes;
  };
  const scan = progressive.subarray(progressive.lastIndexOf(Buffer.from('ffda', 'hex')), -2);

  it.each<[string, () => Buffer, string]>([
    ['of one scan', () => jpeg, 'ok'],
    ['of several scans', () => progressive, 'ok'],
    ['with bytes after its end', () => Buffer.concat([jpeg, Buffer.alloc(1000)]), 'ok'],
    ['of 4,096 pixels a side', () => sized(4096, 4096), 'ok'],
    ['that is too wide', () => sized(4097, 1), sides(4097, 1)],
    ['that is too high', () => sized(1, 65_535), sides(1, 65_535)],
    ['without width', () => sized(0, 1), sides(0, 1)],
    ['whose height comes later', () => sized(1, 0), sides(1, 0)],
    ['without its end', () => jpeg.subarray(0, -2), damaged],
    ['that is cut', () => jpeg.subarray(0, 200), damaged],
    ['of a head alone', () => Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'), damaged],
    [
      'with two frames',
      () => Buffer.concat([jpeg.subarray(0, frame), jpeg.subarray(frame, frame + 19), jpeg.subarray(frame)]),
      damaged,
    ],
    ['that is lossless', () => marked(0xc3), "is a JPEG of a kind that browsers don't support"],
    ['in arithmetic coding', () => marked(0xc9), "is a JPEG of a kind that browsers don't support"],
    [
      'of very many scans',
      () => Buffer.concat([progressive.subarray(0, -2), ...Array(101).fill(scan), progressive.subarray(-2)]),
      'has more than 100 scans',
    ],
  ])('%s', async (_what, bytes, expected) => {
    expect(await check(bytes())).toBe(expected);
  });
});

describe('a WebP', () => {
  const { lossyWebp: lossy, losslessWebp: lossless, extendedWebp: extended, animatedWebp: animated } = sampleImages;
  const change = (bytes: Buffer, edit: (copy: Buffer) => void) => {
    const copy = Buffer.from(bytes);
    edit(copy);
    return copy;
  };

  it.each<[string, () => Buffer, string]>([
    ['that is lossy', () => lossy, 'ok'],
    ['that is lossless', () => lossless, 'ok'],
    ['with a canvas', () => extended, 'ok'],
    ['that is animated, with bytes after its end', () => animated, 'ok'],
    ['that is cut', () => lossy.subarray(0, -2), damaged],
    ['whose picture is longer than it', () => change(lossy, (copy) => copy.writeUInt32LE(1000, 16)), damaged],
    ['whose first part is longer than it', () => change(lossy, (copy) => copy.writeUIntLE(0xffff00, 20, 3)), damaged],
    ['that is no key frame', () => change(lossy, (copy) => copy.writeUInt8((copy[20] ?? 0) | 1, 20)), damaged],
    ['without width', () => change(lossy, (copy) => copy.writeUInt16LE(0, 26)), sides(0, 2)],
    ['that is too wide', () => change(lossy, (copy) => copy.writeUInt16LE(5000, 26)), sides(5000, 2)],
    [
      'that is lossless and too large',
      () => change(lossless, (copy) => copy.writeUInt32LE(0x0fffffff, 21)),
      sides(16_384, 16_384),
    ],
    ['with a huge canvas', () => change(extended, (copy) => copy.writeUIntLE(0xffffff, 24, 3)), sides(16_777_216, 3)],
    ['whose canvas is smaller than its picture', () => change(extended, (copy) => copy.writeUIntLE(0, 24, 3)), damaged],
    [
      'with a frame outside of its canvas',
      () => change(animated, (copy) => copy.writeUIntLE(9, copy.indexOf('ANMF') + 8, 3)),
      damaged,
    ],
    ['without a picture', () => change(lossy, (copy) => copy.write('EXIF', 12)), damaged],
    ['of a head alone', () => Buffer.from('RIFF\u0004\0\0\0WEBP', 'latin1'), damaged],
  ])('%s', async (_what, bytes, expected) => {
    expect(await check(bytes())).toBe(expected);
  });
});

/** The pixels of a PNG in one piece for each byte. */
function splitPixels(bytes: Buffer): Buffer {
  const start = bytes.indexOf('IDAT') + 4;
  const data = bytes.subarray(start, start + bytes.readUInt32BE(start - 8));
  return png(['IHDR', bytes.subarray(16, 29)], ...[...data].map((byte): Chunk => ['IDAT', Buffer.from([byte])]));
}

function flip(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[offset] = (copy[offset] ?? 0) ^ 1;
  return copy;
}
