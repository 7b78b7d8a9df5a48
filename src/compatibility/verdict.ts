// The one answer to "can this phone install it?": from what a build says of itself and what is known of a device.

import { type ArchiveFacts, normalizeUdid, type ProfileFacts, type ProfileKind } from '../inspection/facts.ts';
import { DAY } from '../lib/clock.ts';
import type { Platform } from '../platforms.ts';
import { isSystemTooOld, nameMinimumVersion, readMinimumVersion, readSystemVersion } from './os-version.ts';

/** What is asked of a build. Moments are milliseconds since the epoch. */
export interface BuildFacts {
  platform: Platform;
  isRevoked: boolean;
  /** An iOS version, or an Android API level; null when the archive does not say. */
  minOsVersion: string | null;
  /** Null when the archive could not be read. */
  archive: JudgedArchive | null;
  /** The devices that the profile names, by `normalizeUdid`; looked into only when that decides. */
  provisionedDevices: { has(udid: string): boolean; readonly isEmpty: boolean };
}

/** The part of an archive's facts that decides about installing it. */
type JudgedArchive = Pick<
  ArchiveFacts,
  | 'isSimulatorBuild'
  | 'isUnsigned'
  | 'isPartial'
  | 'isTestOnly'
  | 'isDebuggable'
  | 'families'
  | 'abis'
  | 'verifiedFromSdk'
> & { profile: Pick<ProfileFacts, 'kind' | 'expiresAt'> | null };

/** What is known of a device; null for what is not. */
export interface PhoneFacts {
  platform: Platform | null;
  /** Which of Apple's families it belongs to. */
  family: 'iphone' | 'ipad' | null;
  /** A dotted version, or a build of iOS such as `21F79`. */
  osVersion: string | null;
  udid: string | null;
  /** What its processor runs, such as `arm64-v8a`. */
  abis: readonly string[] | null;
}

export type Verdict = 'yes' | 'no' | 'unknown';

/**
 * Why. `no`: revoked … not_provisioned. `yes`: provisioned (the profile names the device), enterprise (it names every
 * device), installable (nothing is in the way of an Android package). `unknown`: unreadable (Android may install it all the
 * same), unknown_device (the profile names devices, and whether this is one of them cannot be told).
 */
export const verdictReasons = [
  'revoked',
  'platform',
  'unreadable',
  'simulator',
  'unsigned',
  'partial',
  'test_only',
  'app_store_profile',
  'profile_expired',
  'device_family',
  'os_too_old',
  'abi_missing',
  'not_provisioned',
  'unknown_device',
  'provisioned',
  'enterprise',
  'installable',
] as const;
export type VerdictReason = (typeof verdictReasons)[number];

/** Reasons that hold for every device. `not_provisioned` is one of them if the profile names no device at all. */
export const universalReasons = [
  'revoked',
  'unreadable',
  'simulator',
  'unsigned',
  'partial',
  'test_only',
  'app_store_profile',
  'profile_expired',
  'not_provisioned',
] as const satisfies readonly VerdictReason[];
export type UniversalReason = (typeof universalReasons)[number];

/** What to know although it installs: the profile ends within 30 days, or the build is a debuggable one. */
export const verdictNotes = ['profile_expires_soon', 'debuggable'] as const;
export type VerdictNote = (typeof verdictNotes)[number];

export interface Judgement {
  verdict: Verdict;
  reason: VerdictReason;
  notes: readonly VerdictNote[];
  /** How an iOS build is signed. */
  profileKind: ProfileKind | null;
  /** When its profile ends or ended: after that it neither installs nor opens. */
  profileExpiresAt: number | null;
  /** The oldest system that the build runs on, for people: "iOS 15.0", "Android 8.0". */
  neededSystem: string | null;
  /** The device's system version, dotted; null when it is not known exactly. */
  actualSystem: string | null;
  /** The architectures that the build has code for; empty when any will do. */
  neededAbis: readonly string[];
}

const SOON_MS = 30 * DAY;

/** A phone of which nothing is known but, perhaps, its platform. */
export function unknownPhone(platform: Platform | null): PhoneFacts {
  return { platform, family: null, osVersion: null, udid: null, abis: null };
}

/**
 * Judges whether a device can install a build at a moment (milliseconds since the epoch). Pure; the first reason in the way
 * wins, and what is not known stands in nobody's way.
 */
export function judgeInstall(build: BuildFacts, phone: PhoneFacts, now: number): Judgement {
  const profile = build.archive?.profile ?? null;
  const expiresAt = build.platform === 'ios' ? (profile?.expiresAt ?? null) : null;
  const system = readSystemVersion(phone.osVersion);
  const [verdict, reason] = findReason(build, phone, now);
  return {
    verdict,
    reason,
    notes: verdict === 'no' ? [] : collectNotes(build, expiresAt, now),
    profileKind: profile?.kind ?? null,
    profileExpiresAt: expiresAt,
    neededSystem: nameMinimumVersion(build.platform, minimumOf(build)),
    actualSystem: system?.isExact === true ? system.version : null,
    neededAbis: build.platform === 'android' ? (build.archive?.abis ?? []) : [],
  };
}

/**
 * Returns why no device can install a build at a moment (milliseconds since the epoch), or null if some device might. Pure.
 * An Android package that this program cannot read is not proven uninstallable: hardened packages exist that Android reads.
 */
export function provenUninstallable(build: BuildFacts, now: number): UniversalReason | null {
  const obstacle = findObstacle(build, now);
  if (obstacle !== null) return obstacle;
  const kind = build.platform === 'ios' ? build.archive?.profile?.kind : undefined;
  const namesDevices = kind === 'ad-hoc' || kind === 'development';
  return namesDevices && build.provisionedDevices.isEmpty ? 'not_provisioned' : null;
}

/** The part of `provenUninstallable` that doesn't look into the list of devices. */
function findObstacle({ platform, isRevoked, archive }: BuildFacts, now: number): UniversalReason | null {
  if (isRevoked) return 'revoked';
  // iOS needs a manifest, and so what is inside.
  if (archive === null) return platform === 'ios' ? 'unreadable' : null;
  if (archive.isSimulatorBuild) return 'simulator';
  if (archive.isUnsigned) return 'unsigned';
  if (archive.isPartial) return 'partial';
  if (archive.isTestOnly) return 'test_only';
  const { profile } = archive;
  if (profile?.kind === 'app-store') return 'app_store_profile';
  if (profile !== null && profile.expiresAt !== null && profile.expiresAt <= now) return 'profile_expired';
  return null;
}

function findReason(build: BuildFacts, phone: PhoneFacts, now: number): [Verdict, VerdictReason] {
  const { platform, archive } = build;
  const isElsewhere = phone.platform !== null && phone.platform !== platform;
  if (isElsewhere && !build.isRevoked) return ['no', 'platform'];
  const obstacle = findObstacle(build, now);
  if (obstacle !== null) return ['no', obstacle];
  if (archive === null) return ['unknown', 'unreadable'];
  const { profile } = archive;
  if (lacksFamily(archive, phone)) return ['no', 'device_family'];
  if (isSystemTooOld(phone.osVersion, readMinimumVersion(platform, minimumOf(build)))) return ['no', 'os_too_old'];
  if (lacksAbi(archive, phone)) return ['no', 'abi_missing'];
  if (platform === 'android') return ['yes', 'installable'];
  if (profile?.kind === 'enterprise') return ['yes', 'enterprise'];
  if (phone.udid === null) return ['unknown', 'unknown_device'];
  const isNamed = build.provisionedDevices.has(normalizeUdid(phone.udid));
  return isNamed ? ['yes', 'provisioned'] : ['no', 'not_provisioned'];
}

/** What the archive asks for, or what its signature needs if that is more. */
function minimumOf({ platform, minOsVersion, archive }: BuildFacts): string | null {
  const verifiedFrom = platform === 'android' ? (archive?.verifiedFromSdk ?? null) : null;
  if (verifiedFrom === null) return minOsVersion;
  const asked = minOsVersion !== null && /^\d{1,3}$/.test(minOsVersion) ? Number(minOsVersion) : 1;
  return verifiedFrom > asked ? String(verifiedFrom) : minOsVersion;
}

/** iPads run apps for iPhones; iPhones run no apps that are made for iPads alone. */
function lacksFamily({ families }: JudgedArchive, { platform, family }: PhoneFacts): boolean {
  if (platform !== 'ios' || families.length === 0 || family === null) return false;
  return family === 'iphone'
    ? !families.includes('iphone')
    : !families.includes('iphone') && !families.includes('ipad');
}

function lacksAbi({ abis }: JudgedArchive, phone: PhoneFacts): boolean {
  if (phone.abis === null || abis.length === 0) return false;
  return !phone.abis.some((abi) => abis.includes(abi));
}

function collectNotes({ archive }: BuildFacts, expiresAt: number | null, now: number): VerdictNote[] {
  const notes: VerdictNote[] = [];
  if (expiresAt !== null && expiresAt - now < SOON_MS) notes.push('profile_expires_soon');
  if (archive?.isDebuggable === true) notes.push('debuggable');
  return notes;
}
