// How many testers have the current release, can install it, or can't.
import type { ChannelTester } from '../../../testers/roster/schema.ts';

export interface AdoptionParts {
  have: number;
  can: number;
  cannot: number;
  /** Testers without registered devices, or of whom nothing else is known. */
  unknown: number;
}

/**
 * Returns the parts of `total`, of whom `have` have the release. Without the complete list of testers, or while it
 * doesn't agree with the numbers, the others are unknown: the parts always add up.
 */
export function divideAdoption(
  { have, total }: { have: number; total: number },
  releaseId: string,
  testers: readonly ChannelTester[] | undefined,
): AdoptionParts {
  const rest = Math.max(0, total - have);
  const others = testers?.filter(({ installed }) => installed?.release_id !== releaseId) ?? [];
  if (testers?.length !== total || others.length !== rest) return { have, can: 0, cannot: 0, unknown: rest };
  const can = others.filter((tester) => abilityOf(tester) === 'yes').length;
  const cannot = others.filter((tester) => abilityOf(tester) === 'no').length;
  return { have, can, cannot, unknown: rest - can - cannot };
}

/** Returns whether a tester can install the current release on at least one device. */
export function abilityOf({ is_verified: isVerified, devices }: ChannelTester): 'yes' | 'no' | 'unknown' {
  if (!isVerified) return 'no';
  const verdicts = devices.flatMap(({ install }) => install?.verdict ?? []);
  if (verdicts.includes('yes')) return 'yes';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'no') ? 'no' : 'unknown';
}
