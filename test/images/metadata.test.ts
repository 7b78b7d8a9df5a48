// What is removed from pictures: everything but the pixels and what they need to look right.
import { describe, expect, it } from 'vitest';
import { checkImage } from '../../src/images/check.ts';
import type { ImageType } from '../../src/images/limits.ts';
import { removeMetadata } from '../../src/images/metadata.ts';
import { sampleImages } from './sample-images.ts';

const segment = (marker: number, content: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
};
/** An Exif block with an orientation and a place, in either byte order. */
function exif(order: 'II' | 'MM', orientation: number): Buffer {
  const tiff = Buffer.alloc(26 + 12);
  tiff.write(order, 0, 'latin1');
  const two = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const four = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  two(42, 2);
  four(8, 4);
  two(1, 8);
  two(0x0112, 10);
  two(3, 12);
  four(1, 14);
  two(orientation, 18);
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from('52.5200 N, 13.4050 E')]);
}
const tagged = (jpeg: Buffer, ...segments: Buffer[]) =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);

describe('a JPEG', () => {
  const jpeg = sampleImages.baselineJpeg;
  const plain = removeMetadata('image/jpeg', jpeg);

  it('loses place, comments, thumbnails and what follows its end', async () => {
    const noisy = Buffer.concat([
      tagged(
        jpeg,
        segment(0xe1, exif('II', 1)),
        segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>')),
        segment(0xe2, Buffer.from('MPF\0another picture')),
        segment(0xed, Buffer.from('Photoshop 3.0\0by Tess')),
        segment(0xfe, Buffer.from('taken at home')),
      ),
      Buffer.from('a video of a second'),
    ]);
    const bytes = removeMetadata('image/jpeg', noisy);
    expect(bytes).toEqual(plain);
    expect(bytes.toString('latin1')).not.toMatch(/52\.52|xmpmeta|MPF|Tess|taken at home|video/);
    await expect(checkImage('image/jpeg', bytes)).resolves.toEqual(await checkImage('image/jpeg', jpeg));
  });

  it.each([['II', 6] as const, ['MM', 8] as const])('keeps the orientation of %s', async (order, orientation) => {
    const bytes = removeMetadata('image/jpeg', tagged(jpeg, segment(0xe1, exif(order, orientation))));
    expect(bytes.toString('latin1')).not.toContain('52.52');
    const at = bytes.indexOf('Exif');
    expect(bytes.readUInt16BE(at + 6 + 18)).toBe(orientation);
    expect(bytes.length).toBe(plain.length + 4 + 6 + 26);
    await expect(checkImage('image/jpeg', bytes)).resolves.toEqual(await checkImage('image/jpeg', jpeg));
  });

  it('keeps its color profile', () => {
    const profile = segment(0xe2, Buffer.from('ICC_PROFILE\0\u0001\u0001colors', 'latin1'));
    expect(removeMetadata('image/jpeg', tagged(jpeg, profile)).toString('latin1')).toContain('ICC_PROFILE');
  });

  it.each([0, 1, 9, 65_535])('has no orientation %s', (orientation) => {
    expect(removeMetadata('image/jpeg', tagged(jpeg, segment(0xe1, exif('MM', orientation))))).toEqual(plain);
  });
});

describe('every kind of picture', () => {
  it.each(Object.entries(sampleImages).map(([name, bytes]) => [name, bytes as Buffer] as const))(
    'stays the same picture: %s',
    async (_name, bytes) => {
      const type = ({ '\u0089P': 'image/png', ÿØ: 'image/jpeg', RI: 'image/webp' } as Record<string, ImageType>)[
        bytes.toString('latin1', 0, 2)
      ];
      if (type === undefined) throw new Error('unknown kind');
      const plain = removeMetadata(type, bytes);
      expect(await checkImage(type, plain)).toEqual(await checkImage(type, bytes));
      expect(removeMetadata(type, plain)).toEqual(plain);
    },
  );
});

describe('a WebP', () => {
  it('loses its Exif and XMP', async () => {
    const simple = sampleImages.lossyWebp;
    const sides = await checkImage('image/webp', simple);
    const canvas = Buffer.alloc(18);
    canvas.write('VP8X', 0, 'latin1');
    canvas.writeUInt32LE(10, 4);
    canvas[8] = 0x0c;
    canvas.writeUIntLE(sides.width - 1, 12, 3);
    canvas.writeUIntLE(sides.height - 1, 15, 3);
    const note = Buffer.concat([Buffer.from('EXIF\x08\0\0\0', 'latin1'), Buffer.from('52.5200N')]);
    const content = Buffer.concat([canvas, simple.subarray(12), note]);
    const head = Buffer.from(simple.subarray(0, 12));
    head.writeUInt32LE(4 + content.length, 4);
    const plain = removeMetadata('image/webp', Buffer.concat([head, content]));
    expect(plain.toString('latin1')).not.toContain('52.5200N');
    expect(plain[20]).toBe(0);
    expect(await checkImage('image/webp', plain)).toEqual(sides);
  });
});
