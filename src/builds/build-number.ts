// Numbers of builds: what a package's own text becomes in the API, and what people see. Shared with clients, so it imports nothing.
import type { Platform } from '../platforms.ts';

/** Each part after the first stays below this, so that the number sorts like the text. */
const PART = 1000;

/**
 * Returns the `build_number` for a package's own text (CFBundleVersion or versionCode): a whole number as it is, two or three
 * dotted parts as a×10⁶ + b×10³ + c with b and c below 1000. Returns undefined for any other text and for what exceeds
 * 2^53 − 1; such a build gets the next free number of its project (docs/specification/builds.md#build-numbers).
 */
export function deriveBuildNumber(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || !/^\d{1,16}(\.\d{1,3}){0,2}$/.test(text)) return undefined;
  const [a = 0, b, c = 0] = text.split('.').map(Number);
  const number = b === undefined ? a : a * PART * PART + b * PART + c;
  return Number.isSafeInteger(number) ? number : undefined;
}

export interface NumberedBuild {
  platform: Platform;
  buildNumber: number;
  /** The package's own text; null when it has none or can't be read. */
  packageBuildNumber: string | null;
}

/**
 * Returns a build's number as people see it. On iOS that is the package's own text, which Xcode, the phone and crash reports
 * show too; on Android it is `build_number`.
 */
export function displayBuildNumber({ platform, buildNumber, packageBuildNumber }: NumberedBuild): string {
  return platform === 'ios' && packageBuildNumber !== null ? packageBuildNumber : String(buildNumber);
}

/** Returns the version of a build for its events; also the number that people see if it isn't `build_number`. */
export function versionDetails(build: NumberedBuild & { versionName: string }): Record<string, string | number> {
  const shown = displayBuildNumber(build);
  return {
    version_name: build.versionName,
    build_number: build.buildNumber,
    ...(shown === String(build.buildNumber) ? {} : { display_build_number: shown }),
  };
}

/**
 * Returns whether `build_number` contradicts the number in the package. Only whole numbers up to 2^53 − 1 can: for all
 * others the number is derived and doesn't equal the text.
 */
export function contradictsPackage(buildNumber: number, packageBuildNumber: string | null): boolean {
  if (packageBuildNumber === null || !/^\d+$/.test(packageBuildNumber)) return false;
  const found = Number(packageBuildNumber);
  return Number.isSafeInteger(found) && found !== buildNumber;
}
