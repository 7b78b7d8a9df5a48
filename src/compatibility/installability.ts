// The installability of a build, as shown in lists of builds.
import { timestampOrNull } from '../lib/clock.ts';
import type { Installability } from './installability-schema.ts';
import { type BuildFacts, judgeInstall, provenUninstallable, unknownPhone } from './verdict.ts';

/** Returns the installability of a build at a moment (milliseconds since the epoch) in its wire shape. Pure. */
export function describeInstallability(build: BuildFacts, now: number): Installability {
  const judgment = judgeInstall(build, unknownPhone(build.platform), now);
  return {
    ...describeStatus(build, now),
    profile_expires_at: timestampOrNull(judgment.profileExpiresAt),
    needed_system: judgment.neededSystem,
    newest_system: judgment.newestSystem,
  };
}

function describeStatus(build: BuildFacts, now: number): Pick<Installability, 'status' | 'reason'> {
  const obstacle = provenUninstallable(build, now);
  if (obstacle !== null) return { status: 'uninstallable', reason: obstacle };
  if (build.archive === null) return { status: 'unknown', reason: 'unreadable' };
  if (build.platform === 'android') return { status: 'installable', reason: 'installable' };
  const isForAll = build.archive.profile?.kind === 'enterprise';
  return { status: 'installable', reason: isForAll ? 'enterprise' : 'provisioned' };
}
