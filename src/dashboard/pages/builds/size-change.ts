// How much larger or smaller a build is than the one before it.
import type { Build } from '../../../builds/schema.ts';
import { formatBytes } from '../../../lib/formats.ts';

type Sized = Pick<Build, 'size_bytes' | 'bundle_identifier'>;

/** Smaller changes don't show in the three digits of a size. */
const MIN_CHANGE = 0.001;
/** Growth from which a change is highlighted. */
const MUCH_GROWTH = 0.05;

interface SizeChange {
  /** The signed size, such as "+0.7 MB"; empty if the sizes are practically the same. */
  text: string;
  isLarge: boolean;
}

/** Returns the change; undefined if there is no build before it, or if it is of another app. */
export function compareSizes(build: Sized, before: Sized | undefined, language: string): SizeChange | undefined {
  if (before === undefined || before.size_bytes === 0) return undefined;
  if (build.bundle_identifier === null || build.bundle_identifier !== before.bundle_identifier) return undefined;
  const bytes = build.size_bytes - before.size_bytes;
  const share = bytes / before.size_bytes;
  if (Math.abs(share) < MIN_CHANGE) return { text: '', isLarge: false };
  return {
    text: `${bytes > 0 ? '+' : '−'}${formatBytes(Math.abs(bytes), language)}`,
    isLarge: share > MUCH_GROWTH,
  };
}
