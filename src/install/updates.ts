// Determines whether a build can update the copy that a phone may have installed.

import type { ArchiveFacts } from '../inspection/facts.ts';
import type { ReinstallReason } from '../page-texts/install-texts.ts';
import type { Platform } from '../platforms.ts';

export interface EarlierCopy {
  /** Untrusted text. */
  versionName: string;
  archive: ArchiveFacts;
}

type Compared = Pick<ArchiveFacts, 'bundleIdentifier' | 'buildNumber' | 'certificates' | 'profile'>;

/**
 * Returns why a phone with `earlier` would refuse to replace it with `next`. Returns null if nothing speaks against it,
 * and for an app with another identifier, which is installed separately. Android requires the same certificate and no
 * lower versionCode, iOS the same prefix of the application identifier.
 */
export function findReinstallReason(platform: Platform, next: Compared, earlier: Compared): ReinstallReason | null {
  if (next.bundleIdentifier !== earlier.bundleIdentifier) return null;
  if (platform === 'ios') {
    const [here, before] = [next.profile?.teamPrefix ?? null, earlier.profile?.teamPrefix ?? null];
    return here !== null && before !== null && here !== before ? 'team' : null;
  }
  const isSigned = next.certificates.length > 0 && earlier.certificates.length > 0;
  // After a key rotation the previous certificate is still among those that verify.
  if (isSigned && !next.certificates.some((sha256) => earlier.certificates.includes(sha256))) return 'certificate';
  const [code, codeBefore] = [versionCodeOf(next), versionCodeOf(earlier)];
  return code !== null && codeBefore !== null && code < codeBefore ? 'downgrade' : null;
}

/** Up to 64 bits wide, so it doesn't fit a number. */
function versionCodeOf({ buildNumber }: Compared): bigint | null {
  return buildNumber !== null && /^\d{1,20}$/.test(buildNumber) ? BigInt(buildNumber) : null;
}
