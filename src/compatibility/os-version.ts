// System versions: what a build asks for, in the words of its platform, and whether a phone has it.
import type { Platform } from '../platforms.ts';

/** Android's version for each API level, from 1 on. */
const androidVersions = (
  '1.0 1.1 1.5 1.6 2.0 2.0.1 2.1 2.2 2.3 2.3.3 3.0 3.1 3.2 4.0 4.0.3 4.1 4.2 4.3 4.4 4.4 5.0 5.1 6.0 7.0 7.1 8.0 8.1 9 10 11 12 12.1 ' +
  '13 14 15 16 17'
).split(' ');

/** The dotted system version behind a build's `min_os_version`: an iOS version, or an Android API level. Null when it says nothing. */
export function readMinimumVersion(platform: Platform, minimum: string | null): string | null {
  if (minimum === null) return null;
  if (platform === 'ios') return /^\d{1,3}(?:\.\d{1,3}){0,2}$/.test(minimum) ? minimum : null;
  return /^\d{1,3}$/.test(minimum) ? (androidVersions[Number(minimum) - 1] ?? null) : null;
}

/** The same for people: "iOS 15.0", "Android 8.0"; a level newer than this table is named as such. Null when there is none. */
export function nameMinimumVersion(platform: Platform, minimum: string | null): string | null {
  const version = readMinimumVersion(platform, minimum);
  if (version !== null) return `${platform === 'ios' ? 'iOS' : 'Android'} ${version}`;
  return platform === 'android' && minimum !== null && /^[1-9]\d{0,2}$/.test(minimum)
    ? `Android (API ${minimum})`
    : null;
}

/** Whether `version` is certainly older than `minimum`; unknown versions are not. 15 and 15.0 are the same version. */
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

/** Two parts say when a phone is certainly too old, where only its system build is known. */
const SURE_PARTS = 2;

/**
 * The system version behind what a device says of itself: a dotted version, or a build of iOS such as `21F79`, whose number
 * tells the major version and, from iOS 15 on, whose letter the minor one. Null for anything else.
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

/** Whether a device is certainly older than `minimum`; what cannot be told is not. */
export function isSystemTooOld(system: string | null, minimum: string | null): boolean {
  const read = readSystemVersion(system);
  if (read === null || minimum === null) return false;
  return isOlderVersion(read.version, read.isExact ? minimum : minimum.split('.').slice(0, SURE_PARTS).join('.'));
}
