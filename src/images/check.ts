// Whether a picture that somebody uploads is whole and what drawing it costs, before everybody's browser has to find out.
import { checkJpeg } from './jpeg.ts';
import { checkPng } from './png.ts';
import { checkWebp } from './webp.ts';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff]);

/** The type of an image by its first bytes; undefined for whatever is not PNG, JPEG or WebP. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return 'image/png';
  if (bytes.subarray(0, 3).equals(JPEG_SIGNATURE)) return 'image/jpeg';
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? 'image/webp' : undefined;
}

/**
 * Checks that an image is whole and has 1 to 4,096 pixels on each side. The pixels of a PNG are inflated outside of the event
 * loop; of the others the structure is checked. Throws UnusableImage.
 */
export async function checkImage(type: ImageType, bytes: Buffer): Promise<void> {
  if (type === 'image/png') await checkPng(bytes);
  else if (type === 'image/jpeg') checkJpeg(bytes);
  else checkWebp(bytes);
}
