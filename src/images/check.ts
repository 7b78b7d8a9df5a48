// Validates uploaded images, and limits the cost of displaying them in browsers.
import { checkJpeg } from './jpeg.ts';
import type { ImageType, Sides } from './limits.ts';
import { checkPng } from './png.ts';
import { checkWebp } from './webp.ts';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff]);

/** Returns the type of an image by its first bytes; undefined if it isn't PNG, JPEG or WebP. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return 'image/png';
  if (bytes.subarray(0, 3).equals(JPEG_SIGNATURE)) return 'image/jpeg';
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? 'image/webp' : undefined;
}

/**
 * Checks that an image is complete and has 1 to 4,096 pixels per side, which it returns. PNG pixels are inflated in the thread
 * pool; for other formats, only the structure is checked. Throws UnusableImage.
 */
export async function checkImage(type: ImageType, bytes: Buffer): Promise<Sides> {
  if (type === 'image/png') return checkPng(bytes);
  return type === 'image/jpeg' ? checkJpeg(bytes) : checkWebp(bytes);
}
