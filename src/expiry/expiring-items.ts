// The expiring items of current releases, and the identity by which releases share one.
import type { SignedRelease } from './store.ts';

export interface Expiring {
  kind: 'profile' | 'certificate';
  /** The same for all releases signed with it. */
  subject: string;
  /** Untrusted text. */
  name: string | null;
  expiresAt: number;
  release: SignedRelease;
}

/** Returns the profile and the certificate of each release that expire before a time, earliest first. */
export function findExpiring(releases: readonly SignedRelease[], until: number): Expiring[] {
  const items = releases.flatMap((release) => [...profileOf(release), ...certificateOf(release)]);
  return items
    .filter(({ expiresAt }) => expiresAt <= until)
    .map((item) => ({ item, position: positionOf(item) }))
    .sort((one, other) => one.item.expiresAt - other.item.expiresAt || compareText(one.position, other.position))
    .map(({ item }) => item);
}

/** The position of an item among those that expire at the same time. */
export function positionOf({ release, kind }: Expiring): string {
  return `${release.releaseId}/${kind}`;
}

/** Compares texts by code units, as SQLite does, for Array.sort. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function profileOf(release: SignedRelease): Expiring[] {
  const { profile } = release.archive;
  const expiresAt = release.profileExpiresAt;
  if (profile === null || expiresAt === null) return [];
  const identity = profile.uuid ?? `of ${release.buildId}`;
  return [{ kind: 'profile', subject: `profile ${identity} ${expiresAt}`, name: profile.name, expiresAt, release }];
}

function certificateOf(release: SignedRelease): Expiring[] {
  const expiresAt = release.certificateExpiresAt;
  if (expiresAt === null) return [];
  const { certificates, profile } = release.archive;
  // For an iOS certificate only the expiry is stored. To the second and within a team, it identifies a certificate.
  const identity = certificates[0] ?? profile?.teamPrefix ?? `of ${release.buildId}`;
  return [{ kind: 'certificate', subject: `certificate ${identity} ${expiresAt}`, name: null, expiresAt, release }];
}
