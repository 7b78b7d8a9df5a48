// Frequently used facts of a build's archive: a small part of its inspection, extracted when the build is created.
import type { Inspection, IosSigning } from './schema.ts';

export type ProfileKind = IosSigning['kind'];

/** Names are untrusted text. Times are in milliseconds since the epoch. */
export interface ArchiveFacts {
  applicationName: string | null;
  bundleIdentifier: string;
  versionName: string | null;
  /** CFBundleVersion or versionCode. */
  buildNumber: string | null;
  isSimulatorBuild: boolean;
  /** Whether it's only a part of an Android app: one of its splits, or the package that they belong to. */
  isPartial: boolean;
  /** Whether Android can only install it from a computer. */
  isTestOnly: boolean;
  isDebuggable: boolean;
  /** Whether it has no signature that its platform accepts. */
  isUnsigned: boolean;
  /** iOS device families: `iphone`, `ipad`, …; empty if not declared. */
  families: readonly string[];
  /** Processor architectures of native code; empty if it has none. */
  abis: readonly string[];
  /** The provisioning profile of an iOS build; null if it has none. */
  profile: ProfileFacts | null;
  /** The lowest Android API level that accepts the signature, regardless of the package's minimum. */
  verifiedFromSdk: number | null;
  /** The highest Android API level that accepts the signature; null or missing if newer ones do too. */
  verifiedUntilSdk?: number | null;
  /** SHA-256 of the certificates of an Android package's signature, lower-case hex. */
  certificates: readonly string[];
}

export interface ProfileFacts {
  kind: ProfileKind;
  uuid: string | null;
  name: string | null;
  expiresAt: number | null;
  /** The prefix of the application identifier. An app with another prefix can't replace this one. */
  teamPrefix: string | null;
}

/** Returns the canonical form of a device identifier, for comparison. */
export function normalizeUdid(udid: string): string {
  return udid.trim().toUpperCase();
}

/** Extracts the facts of an inspection, and the values stored in separate columns: searchable times and the list of devices. */
export function gatherFacts(inspection: Inspection) {
  const { signing } = inspection;
  const ios = signing?.platform === 'ios' ? signing : null;
  const android = signing?.platform === 'android' ? signing : null;
  const profile = ios && {
    kind: ios.kind,
    uuid: ios.profile_uuid,
    name: ios.profile_name,
    expiresAt: toMoment(ios.expires_at),
    teamPrefix: teamPrefixOf(ios),
  };
  const facts: ArchiveFacts = {
    applicationName: inspection.application_name,
    bundleIdentifier: inspection.bundle_identifier,
    versionName: inspection.version_name,
    buildNumber: inspection.build_number,
    isSimulatorBuild: inspection.is_simulator,
    isPartial: inspection.split !== null || inspection.needs_splits === true,
    isTestOnly: inspection.test_only === true,
    isDebuggable: inspection.debuggable === true,
    isUnsigned: signing === null || (android !== null && android.verified_from_sdk === null),
    families: inspection.platform === 'ios' ? inspection.devices : [],
    abis: inspection.abis,
    profile,
    verifiedFromSdk: android?.verified_from_sdk ?? null,
    verifiedUntilSdk: android?.verified_until_sdk ?? null,
    certificates: android?.certificates.map(({ sha256 }) => sha256) ?? [],
  };
  const ends = (android?.certificates ?? []).flatMap(({ not_after: end }) => toMoment(end) ?? []);
  // A development profile contains the certificates of all developers, so the first expiry says nothing about the build.
  const isOneOfMany = ios?.kind === 'development' && ios.certificate_count > 1;
  const iosEnd = ios === null || isOneOfMany ? null : toMoment(ios.certificate_expires_at);
  const certificateExpiresAt = ends.length > 0 ? Math.min(...ends) : iosEnd;
  const udids = (ios?.provisioned_devices ?? []).map(normalizeUdid).filter((udid) => !/\s/.test(udid));
  return { facts, profileExpiresAt: profile?.expiresAt ?? null, certificateExpiresAt, udids };
}

function teamPrefixOf(signing: IosSigning): string | null {
  const identifier = signing.entitlements['application-identifier'];
  const prefix = typeof identifier === 'string' ? /^([^.]+)\./.exec(identifier)?.[1] : undefined;
  return prefix ?? signing.team_id;
}

function toMoment(text: string | null): number | null {
  const moment = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(moment) ? null : moment;
}
