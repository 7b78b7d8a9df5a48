// What expires of a current release, and by which name two releases know that it is the same thing.
import type { SignedRelease } from './store.ts';

export interface Expiring {
  kind: 'profile' | 'certificate';
  /** The same for every release that it signs. */
  subject: string;
  /** Untrusted text. */
  name: string | null;
  expiresAt: number;
  release: SignedRelease;
}

/** The profile and the certificate of each release that end up to a moment, the first to end first. */
export function findExpiring(releases: readonly SignedRelease[], until: number): Expiring[] {
  const things = releases.flatMap((release) => [...profileOf(release), ...certificateOf(release)]);
  return things
    .filter(({ expiresAt }) => expiresAt <= until)
    .sort((one, other) => one.expiresAt - other.expiresAt || compareText(positionOf(one), positionOf(other)));
}

/** Where a thing stands among those that end at the same moment. */
export function positionOf({ release, kind }: Expiring): string {
  return `${release.releaseId}/${kind}`;
}

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
  // Of an iOS certificate the end is kept alone; to the second, and within a team, that is one certificate.
  const identity = certificates[0] ?? profile?.teamPrefix ?? `of ${release.buildId}`;
  return [{ kind: 'certificate', subject: `certificate ${identity} ${expiresAt}`, name: null, expiresAt, release }];
}
