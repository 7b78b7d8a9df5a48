// Types, limits and errors of uploaded images.

/** The media types of images that people can upload. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

export type ImageType = (typeof imageTypes)[number];

/** Maximum number of pixels per side. */
const MAX_PIXELS = 4_096;

/** The image isn't accepted. The message continues "The image in the part file". */
export class UnusableImage extends Error {
  override readonly name = 'UnusableImage';
}

/** Of an image in pixels. */
export interface Sides {
  readonly width: number;
  readonly height: number;
}

/** Returns the sides. Throws UnusableImage unless both have 1 to 4,096 pixels. */
export function checkSides(width: number, height: number): Sides {
  if ([width, height].some((side) => side < 1 || side > MAX_PIXELS)) {
    throw new UnusableImage(`must have 1 to ${MAX_PIXELS} pixels on each side, not ${width} × ${height}`);
  }
  return { width, height };
}

export function damaged(): UnusableImage {
  return new UnusableImage('is damaged or incomplete');
}
