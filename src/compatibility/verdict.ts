// Determines whether a device can install a build, from the facts about both.

import { type ArchiveFacts, normalizeUdid, type ProfileFacts, type ProfileKind } from '../inspection/facts.ts';
import { DAY } from '../lib/clock.ts';
import type { Platform } from '../platforms.ts';
import {
  isSystemTooNew,
  isSystemTooOld,
  nameMinimumVersion,
  readMinimumVersion,
  readSystemVersion,
} from './os-version.ts';
import type { UniversalReason, VerdictNote, VerdictReason } from './reasons.ts';

/** The facts about a build. Times are in milliseconds since the epoch. */
export interface BuildFacts {
  platform: Platform;
  isRevoked: boolean;
  /** An iOS version or an Android API level; null if the archive has none. */
  minOsVersion: string | null;
  /** Null if the archive could not be read. */
  archive: JudgedArchive | null;
  /** The devices in the profile, by `normalizeUdid`. Only read if they decide. */
  provisionedDevices: { has(udid: string): boolean; isEmpty(): boolean };
}

/** The facts of an archive that affect its installation. */
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
  | 'verifiedUntilSdk'
> & { profile: Pick<ProfileFacts, 'kind' | 'expiresAt'> | null };

/** The facts about a device; null for unknown ones. */
export interface PhoneFacts {
  platform: Platform | null;
  /** The device family. */
  family: 'iphone' | 'ipad' | null;
  /** A dotted version, or an iOS build such as `21F79`. */
  osVersion: string | null;
  udid: string | null;
  /** Architectures of the processor, such as `arm64-v8a`. */
  abis: readonly string[] | null;
}

type Verdict = 'yes' | 'no' | 'unknown';

export interface Judgment {
  verdict: Verdict;
  reason: VerdictReason;
  notes: readonly VerdictNote[];
  /** How an iOS build is signed. */
  profileKind: ProfileKind | null;
  /** When its profile expires or expired. After that it can't be installed or opened. */
  profileExpiresAt: number | null;
  /** The oldest supported system as text: "iOS 15.0", "Android 8.0". */
  neededSystem: string | null;
  /** The newest system that accepts the signature as text; null if newer ones do too. */
  newestSystem: string | null;
  /** The device's dotted system version; null if not known exactly. */
  actualSystem: string | null;
  /** The architectures supported by the build; empty for any. */
  neededAbis: readonly string[];
}

const SOON_MS = 30 * DAY;

/** A phone of which at most the platform is known. */
export function unknownPhone(platform: Platform | null): PhoneFacts {
  return { platform, family: null, osVersion: null, udid: null, abis: null };
}

/**
 * Returns whether a device can install a build at a time (milliseconds since the epoch). Pure. The first obstacle
 * decides; unknown facts aren't obstacles.
 */
export function judgeInstall(build: BuildFacts, phone: PhoneFacts, now: number): Judgment {
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
    newestSystem: nameMinimumVersion(build.platform, verifiedUntil(build)),
    actualSystem: system?.isExact === true ? system.version : null,
    neededAbis: build.platform === 'android' ? (build.archive?.abis ?? []) : [],
  };
}

/** Returns whether the profile of a build includes a device, and devices that it includes can install it. Pure. */
export function includesDevice(build: BuildFacts, udid: string, now: number): boolean {
  return judgeInstall(build, { ...unknownPhone('ios'), udid }, now).verdict === 'yes';
}

/**
 * Returns why no device can install a build at a time (milliseconds since the epoch), or null if some device might.
 * Pure. An unreadable Android package isn't considered uninstallable, because Android can read hardened packages that
 * this program can't.
 */
export function provenUninstallable(build: BuildFacts, now: number): UniversalReason | null {
  const obstacle = findObstacle(build, now);
  if (obstacle !== null) return obstacle;
  const kind = build.platform === 'ios' ? build.archive?.profile?.kind : undefined;
  const namesDevices = kind === 'ad-hoc' || kind === 'development';
  return namesDevices && build.provisionedDevices.isEmpty() ? 'not_provisioned' : null;
}

/** The part of `provenUninstallable` that doesn't use the device list. */
function findObstacle({ platform, isRevoked, archive }: BuildFacts, now: number): UniversalReason | null {
  if (isRevoked) return 'revoked';
  // iOS requires a manifest, and so the content of the archive.
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
  const newest = readMinimumVersion(platform, verifiedUntil(build));
  if (isSystemTooNew(phone.osVersion, newest)) return ['no', 'signature_too_old'];
  if (lacksAbi(archive, phone)) return ['no', 'abi_missing'];
  if (platform === 'android') return ['yes', 'installable'];
  if (profile?.kind === 'enterprise') return ['yes', 'enterprise'];
  if (phone.udid === null) return ['unknown', 'unknown_device'];
  const isNamed = build.provisionedDevices.has(normalizeUdid(phone.udid));
  return isNamed ? ['yes', 'provisioned'] : ['no', 'not_provisioned'];
}

/** Returns the minimum system of the archive or of its signature, whichever is higher. */
function minimumOf({ platform, minOsVersion, archive }: BuildFacts): string | null {
  const verifiedFrom = platform === 'android' ? (archive?.verifiedFromSdk ?? null) : null;
  if (verifiedFrom === null) return minOsVersion;
  const asked = minOsVersion !== null && /^\d{1,3}$/.test(minOsVersion) ? Number(minOsVersion) : 1;
  return verifiedFrom > asked ? String(verifiedFrom) : minOsVersion;
}

/** Returns the newest system that accepts the signature of the archive, or null if newer ones do too. */
function verifiedUntil({ platform, archive }: BuildFacts): string | null {
  const until = platform === 'android' ? (archive?.verifiedUntilSdk ?? null) : null;
  return until === null ? null : String(until);
}

/** iPads run iPhone apps, but iPhones don't run iPad-only apps. */
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
