// What is asked again and again of a build's archive: a small part of its inspection, made once when the build is.
import type { Inspection, IosSigning } from './schema.ts';

export type ProfileKind = IosSigning['kind'];

/** Names in it are untrusted text. Moments are milliseconds since the epoch. */
export interface ArchiveFacts {
  applicationName: string | null;
  bundleIdentifier: string;
  versionName: string | null;
  /** CFBundleVersion or versionCode. */
  buildNumber: string | null;
  isSimulatorBuild: boolean;
  /** One split of an Android app. */
  isPartial: boolean;
  /** Android installs it from a computer only. */
  isTestOnly: boolean;
  isDebuggable: boolean;
  /** No signature that this platform would accept. */
  isUnsigned: boolean;
  /** iOS device families: `iphone`, `ipad`, …; empty when it does not say. */
  families: readonly string[];
  /** Processor architectures with native code; empty when it needs none. */
  abis: readonly string[];
  /** Of an iOS build that carries one. */
  profile: ProfileFacts | null;
  /** The lowest Android API level that accepts the signature: an older phone refuses it, whatever the package asks for. */
  verifiedFromSdk: number | null;
  /** SHA-256 of the certificates that an Android package is signed with, lower-case hex. */
  certificates: readonly string[];
}

export interface ProfileFacts {
  kind: ProfileKind;
  uuid: string | null;
  name: string | null;
  expiresAt: number | null;
  /** What the application identifier starts with; an app of another prefix cannot take its place. */
  teamPrefix: string | null;
}

/** One form of a device identifier, so that two of them can be compared. */
export function normalizeUdid(udid: string): string {
  return udid.trim().toUpperCase();
}

/** The facts of an inspection, and what is kept beside them: moments that are searched for, and the list of devices. */
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
    isPartial: inspection.split !== null,
    isTestOnly: inspection.test_only === true,
    isDebuggable: inspection.debuggable === true,
    isUnsigned: signing === null || (android !== null && android.verified_from_sdk === null),
    families: inspection.platform === 'ios' ? inspection.devices : [],
    abis: inspection.abis,
    profile,
    verifiedFromSdk: android?.verified_from_sdk ?? null,
    certificates: android?.certificates.map(({ sha256 }) => sha256) ?? [],
  };
  const ends = (android?.certificates ?? []).flatMap(({ not_after: end }) => toMoment(end) ?? []);
  // A profile for developers carries the certificates of all of them, and the first to end says nothing about the build.
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
