// The color of an icon: the one that most of its colorful pixels share.
import { imageTypeOf } from './check.ts';
import { samplePixels } from './png-pixels.ts';

const HUES = 24;
/** Less colorful pixels count as gray. */
const MIN_CHROMA = 24;
/** Icons with a smaller share of colorful pixels count as gray. */
const MIN_SHARE = 0.04;
const MIN_ALPHA = 128;

/** Stored for an icon without a color. */
const NO_COLOR = 'none';

/** Returns the value to store for a color. */
export function storedColor(color: string | null): string {
  return color ?? NO_COLOR;
}

/** Returns the color of a stored value. */
export function shownColor(stored: string): string | null {
  return stored === NO_COLOR ? null : stored;
}

interface Bucket {
  weight: number;
  red: number;
  green: number;
  blue: number;
}

/**
 * Returns the color of an icon as `#rrggbb`, or null if it is gray, damaged or not a PNG. The work is done in short
 * steps.
 */
export async function readIconColor(bytes: Buffer): Promise<string | null> {
  if (imageTypeOf(bytes) !== 'image/png') return null;
  const buckets: Bucket[] = Array.from({ length: HUES }, () => ({ weight: 0, red: 0, green: 0, blue: 0 }));
  let visible = 0;
  let colorful = 0;
  try {
    await samplePixels(bytes, (red, green, blue, alpha) => {
      if (alpha < MIN_ALPHA) return;
      visible += 1;
      const chroma = Math.max(red, green, blue) - Math.min(red, green, blue);
      if (chroma < MIN_CHROMA) return;
      colorful += 1;
      const bucket = buckets[Math.floor((hueOf(red, green, blue) * HUES) / 360) % HUES];
      if (bucket === undefined) return;
      // A vivid sign counts for more than a large, pale ground.
      const weight = chroma;
      bucket.weight += weight;
      bucket.red += weight * red;
      bucket.green += weight * green;
      bucket.blue += weight * blue;
    });
  } catch {
    // A page is complete without the color, so no error of an image matters.
    return null;
  }
  if (colorful === 0 || colorful < visible * MIN_SHARE) return null;
  // Neighbors are added, because a gradient or an edge spreads one color over several hues.
  const sums = buckets.map((bucket, index) => addAll([bucket, at(buckets, index - 1), at(buckets, index + 1)]));
  const best = sums.reduce((most, sum) => (sum.weight > most.weight ? sum : most));
  return `#${[best.red, best.green, best.blue].map((sum) => hex(sum / best.weight)).join('')}`;
}

function at(buckets: readonly Bucket[], index: number): Bucket {
  return buckets[(index + HUES) % HUES] ?? { weight: 0, red: 0, green: 0, blue: 0 };
}

function addAll(buckets: readonly Bucket[]): Bucket {
  const sum = { weight: 0, red: 0, green: 0, blue: 0 };
  for (const { weight, red, green, blue } of buckets) {
    sum.weight += weight;
    sum.red += red;
    sum.green += green;
    sum.blue += blue;
  }
  return sum;
}

/** Returns the hue in degrees, from 0 to less than 360. */
function hueOf(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  const sector =
    most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
  return (sector * 60 + 360) % 360;
}

function hex(value: number): string {
  return Math.round(value).toString(16).padStart(2, '0');
}
