// System versions: the minimum version of a build, and whether a phone is older.
import { type Platform, platformFacts } from '../platforms.ts';

/** Android versions by API level, starting with 1, as phones report them. */
const androidVersions = (
  '1.0 1.1 1.5 1.6 2.0 2.0.1 2.1 2.2 2.3 2.3.3 3.0 3.1 3.2 4.0 4.0.3 4.1 4.2 4.3 4.4 4.4 5.0 5.1 6.0 7.0 7.1 8.0 8.1 9 10 11 12 12 ' +
  '13 14 15 16 17'
).split(' ');

/**
 * Returns the dotted system version of a build's `min_os_version`: an iOS version or an Android API level. Returns null
 * if it has none.
 */
export function readMinimumVersion(platform: Platform, minimum: string | null): string | null {
  if (minimum === null) return null;
  if (platform === 'ios') return /^\d{1,3}(?:\.\d{1,3}){0,2}$/.test(minimum) ? minimum : null;
  return /^\d{1,3}$/.test(minimum) ? (androidVersions[Number(minimum) - 1] ?? null) : null;
}

/** Versions that have another name than phones report. */
const androidNames: Readonly<Record<string, string>> = { 32: 'Android 12L' };

/**
 * Returns the same as text: "iOS 15.0", "Android 8.0", or the API level if it isn't in this table. Returns null if
 * there is none.
 */
export function nameMinimumVersion(platform: Platform, minimum: string | null): string | null {
  if (platform === 'android' && minimum !== null && Object.hasOwn(androidNames, minimum)) {
    return androidNames[minimum] ?? null;
  }
  const version = readMinimumVersion(platform, minimum);
  if (version !== null) return `${platformFacts[platform].name} ${version}`;
  return platform === 'android' && minimum !== null && /^[1-9]\d{0,2}$/.test(minimum)
    ? `Android (API ${minimum})`
    : null;
}

/**
 * Returns whether `version` is certainly older than `minimum`; false for unknown versions. 15 and 15.0 are the same
 * version.
 */
export function isOlderVersion(version: string | null, minimum: string | null): boolean {
  if (version === null || minimum === null) return false;
  const have = version.split('.').map(Number);
  const need = minimum.split('.').map(Number);
  for (let part = 0; part < Math.max(have.length, need.length); part += 1) {
    const difference = (have[part] ?? 0) - (need[part] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Only the first two parts are compared if only the build of the phone's system is known. */
const SURE_PARTS = 2;

/**
 * Returns the system version reported by a device: a dotted version, or an iOS build such as `21F79`, whose number
 * determines the major version and, from iOS 15 on, whose letter the minor version. Returns null for anything else.
 */
export function readSystemVersion(text: string | null): { version: string; isExact: boolean } | null {
  if (text === null) return null;
  if (/^\d{1,3}(?:\.\d{1,4}){0,3}$/.test(text)) return { version: text, isExact: true };
  const [, generation = '', letter = ''] = /^(\d\d)([A-Z])\d{1,5}[a-z]?$/.exec(text) ?? [];
  const number = Number(generation);
  if (generation === '' || number < 10) return null;
  // After iOS 18 (builds 22…) the version follows the year: builds 23… are iOS 26.
  const major = number >= 23 ? number + 3 : number - 4;
  const minor = letter.charCodeAt(0) - 'A'.charCodeAt(0);
  return { version: major >= 15 ? `${major}.${minor}` : `${major}.99`, isExact: false };
}

/** Returns whether a device is certainly newer than `maximum`, an Android version; false if unknown. */
export function isSystemTooNew(system: string | null, maximum: string | null): boolean {
  const [release] = readSystemVersion(system)?.version.split('.') ?? [];
  return release !== undefined && isOlderVersion(maximum, release);
}

/** Returns whether a device is certainly older than `minimum`; false if unknown. */
export function isSystemTooOld(system: string | null, minimum: string | null): boolean {
  const read = readSystemVersion(system);
  if (read === null || minimum === null) return false;
  return isOlderVersion(read.version, read.isExact ? minimum : minimum.split('.').slice(0, SURE_PARTS).join('.'));
}
