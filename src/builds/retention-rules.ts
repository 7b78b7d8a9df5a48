// When retention deletes a build: by the days of the plan, and by the rules of the channels it was released to
// (docs/specification/builds.md#retention).

import type { App } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import type { Tier } from '../lib/tiers.ts';
import { type AgedBuild, findReleaseAt, listRuledReleases } from './retention-store.ts';

/** From the announcement of a build to its deletion. */
export const NOTICE_MS = 7 * DAY;
/** A build with more releases counts as kept, so that the check of a build reads few rows. */
const MAX_JUDGED_RELEASES = 1_000;

/** The days of a plan. */
export interface Plan {
  days: number;
  /** Whether builds that are live on a channel are kept. */
  keepsCurrent: boolean;
}

/** A build that isn't kept forever. */
export interface Fate {
  /** From when it isn't kept, in milliseconds since the epoch. */
  endsAt: number;
  by: 'plan' | 'channels';
}

/** Returns undefined if the plan keeps builds forever. */
export function planOf({ config }: Pick<App, 'config'>, tier: Tier): Plan | undefined {
  const { build_retention_days: days, keep_current_builds: keepsCurrent } = config.plans[tier];
  return days === 0 ? undefined : { days, keepsCurrent };
}

/**
 * Returns when a build ends, or undefined if something keeps it: a pin, a channel on which it is live, or the plan and the rules
 * of its channels. `places` remembers what was read of the channels, for several builds at one moment.
 */
export function judge(
  app: Pick<App, 'db'>,
  build: AgedBuild,
  plan: Plan | undefined,
  places: Map<string, string | undefined>,
): Fate | undefined {
  if (build.pinnedAt !== null) return undefined;
  const isLive = build.isCurrent === 1;
  const byPlan = plan === undefined || (isLive && plan.keepsCurrent) ? undefined : build.uploadedAt + plan.days * DAY;
  const byChannels = isLive ? undefined : endOnChannels(app, build.id, places);
  if (byChannels !== undefined && (byPlan === undefined || byChannels < byPlan)) {
    return { endsAt: byChannels, by: 'channels' };
  }
  return byPlan === undefined ? undefined : { endsAt: byPlan, by: 'plan' };
}

/** Returns when the last channel lets a build go, or undefined if one of them keeps it, or if it was released nowhere. */
function endOnChannels(
  app: Pick<App, 'db'>,
  buildId: string,
  places: Map<string, string | undefined>,
): number | undefined {
  const releases = listRuledReleases(app, buildId, MAX_JUDGED_RELEASES + 1);
  if (releases.length === 0 || releases.length > MAX_JUDGED_RELEASES) return undefined;
  let endsAt = Number.NEGATIVE_INFINITY;
  for (const { id, releasedAt, channelId, keepLast, keepDays } of releases) {
    if (keepLast === null && keepDays === null) return undefined;
    if (keepLast !== null) {
      if (!places.has(channelId)) places.set(channelId, findReleaseAt(app, channelId, keepLast));
      const oldestKept = places.get(channelId);
      if (oldestKept === undefined || id >= oldestKept) return undefined;
    }
    endsAt = Math.max(endsAt, releasedAt + (keepDays ?? 0) * DAY);
  }
  return endsAt;
}

/** Whether a build ends within a week, so that it has to be announced. */
export const isDue = ({ endsAt }: Fate, now: number): boolean => endsAt - NOTICE_MS <= now;

/** Whether a build was announced. A notice is valid from a week before the date it announced, which a change of the plan moves. */
export const isAnnounced = ({ noticeAt }: AgedBuild, { endsAt }: Fate): boolean =>
  noticeAt !== null && noticeAt >= endsAt - NOTICE_MS;

/** Returns when an announced build is deleted at the earliest. */
export const deletedFrom = ({ noticeAt }: AgedBuild, { endsAt }: Fate): number =>
  Math.max(endsAt, (noticeAt ?? 0) + NOTICE_MS);
