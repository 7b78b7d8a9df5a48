// Compares two builds of an app in the order used by phones.
import type { Platform } from '../platforms.ts';

/** The build reported by an install; null for missing values. */
export interface Version {
  versionName: string | null;
  buildNumber: number | null;
}

const NUMERIC_START = /^\d{1,15}(?:\.\d{1,15}){0,9}/;

/**
 * Compares versions by the numbers they start with: `1.10` is above `1.9`, and `1.2` equals `1.2.0` and `1.2-beta`.
 * Versions without a number are below all others. Returns a negative number, zero or a positive number.
 */
export function compareVersionNames(left: string, right: string): number {
  const [a, b] = [numbersOf(left), numbersOf(right)];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(name: string): number[] {
  return NUMERIC_START.exec(name)?.[0].split('.').map(Number) ?? [];
}

/**
 * Compares builds: on Android by the number, which is the versionCode, and then by the version name; on iOS by the
 * version and then by the number, which may restart there. Missing values are ignored.
 */
function compareBuilds(platform: Platform, left: Version, right: Version): number {
  if (platform === 'ios') return compareNames(left, right) || compareNumbers(left, right);
  return compareNumbers(left, right) || compareNames(left, right);
}

function compareNumbers({ buildNumber: left }: Version, { buildNumber: right }: Version): number {
  return left === null || right === null ? 0 : left - right;
}

function compareNames({ versionName: left }: Version, { versionName: right }: Version): number {
  return left === null || right === null ? 0 : compareVersionNames(left, right);
}

/** Returns whether a build is newer than that of an install; true if the install doesn't report one. */
export function isNewerBuild(platform: Platform, build: Version, running: Version): boolean {
  if (running.versionName === null && running.buildNumber === null) return true;
  return compareBuilds(platform, build, running) > 0;
}

/**
 * Returns the few builds that suffice for a comparison: a build of the list is newer than that of an install if and
 * only if one of these is, whether the install reports the version, the number or both.
 */
export function pickNewest(platform: Platform, builds: readonly Version[]): Version[] {
  const greatest = (compare: (left: Version, right: Version) => number) =>
    builds.reduce<Version | undefined>(
      (best, build) => (best === undefined || compare(build, best) > 0 ? build : best),
      undefined,
    );
  const only = (version: Version, part: keyof Version) =>
    part === 'buildNumber' ? { ...version, versionName: null } : { ...version, buildNumber: null };
  const picked = [
    greatest((left, right) => compareBuilds(platform, left, right)),
    greatest((left, right) => compareBuilds(platform, only(left, 'buildNumber'), only(right, 'buildNumber'))),
    greatest((left, right) => compareBuilds(platform, only(left, 'versionName'), only(right, 'versionName'))),
  ];
  return [...new Set(picked.filter((build) => build !== undefined))];
}
