// What stands between a build and the copy that a phone may have: whether it can take its place.

import type { ArchiveFacts } from '../inspection/facts.ts';
import type { Platform } from '../platforms.ts';

/** Why an installed copy has to go first. Its data goes with it. */
export type ReinstallReason = 'certificate' | 'downgrade' | 'team';

export interface EarlierCopy {
  /** Untrusted text. */
  versionName: string;
  archive: ArchiveFacts;
}

type Compared = Pick<ArchiveFacts, 'bundleIdentifier' | 'buildNumber' | 'certificates' | 'profile'>;

/**
 * Why a phone that has `earlier` refuses to replace it with `next`; null when it does not, as far as can be told, and for
 * an app of another identifier, which stands beside it. Android wants the same certificate and no lower versionCode, iOS the
 * same prefix of the application identifier.
 */
export function findReinstallReason(platform: Platform, next: Compared, earlier: Compared): ReinstallReason | null {
  if (next.bundleIdentifier !== earlier.bundleIdentifier) return null;
  if (platform === 'ios') {
    const [here, before] = [next.profile?.teamPrefix ?? null, earlier.profile?.teamPrefix ?? null];
    return here !== null && before !== null && here !== before ? 'team' : null;
  }
  const isSigned = next.certificates.length > 0 && earlier.certificates.length > 0;
  // A key that was rotated leaves the earlier certificate among those that verify.
  if (isSigned && !next.certificates.some((sha256) => earlier.certificates.includes(sha256))) return 'certificate';
  const [code, codeBefore] = [versionCodeOf(next), versionCodeOf(earlier)];
  return code !== null && codeBefore !== null && code < codeBefore ? 'downgrade' : null;
}

/** Up to 64 bits wide, so no number. */
function versionCodeOf({ buildNumber }: Compared): bigint | null {
  return buildNumber !== null && /^\d{1,20}$/.test(buildNumber) ? BigInt(buildNumber) : null;
}
