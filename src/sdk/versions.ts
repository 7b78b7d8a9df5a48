// Which of two builds of an app is the newer one, as the phone that installs them orders them.
import type { Platform } from '../platforms.ts';

/** A build as an install names its own; null for what it does not say. */
export interface Version {
  versionName: string | null;
  buildNumber: number | null;
}

const NUMERIC_START = /^\d{1,15}(?:\.\d{1,15}){0,9}/;

/**
 * Orders versions by the numbers they start with: `1.10` is above `1.9`, and `1.2` equals `1.2.0` and `1.2-beta`. What starts
 * with none is below all others. Negative, zero or positive.
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
 * Orders builds: Android by the number alone, which is its versionCode, and by the name only between equal ones; iOS by the
 * version and then by the number, which there may begin anew. What either side does not say does not count.
 */
export function compareBuilds(platform: Platform, left: Version, right: Version): number {
  if (platform === 'ios') return compareNames(left, right) || compareNumbers(left, right);
  return compareNumbers(left, right) || compareNames(left, right);
}

function compareNumbers({ buildNumber: left }: Version, { buildNumber: right }: Version): number {
  return left === null || right === null ? 0 : left - right;
}

function compareNames({ versionName: left }: Version, { versionName: right }: Version): number {
  return left === null || right === null ? 0 : compareVersionNames(left, right);
}

/** Whether a build is newer than what an install runs; every build is for one that does not say what it runs. */
export function isNewerBuild(platform: Platform, build: Version, running: Version): boolean {
  if (running.versionName === null && running.buildNumber === null) return true;
  return compareBuilds(platform, build, running) > 0;
}

/**
 * The few builds that decide for all: a build of the list is newer than what an install runs if and only if one of these is,
 * whichever of version and number the install says.
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
