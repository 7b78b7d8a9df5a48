// The daily statistics of a channel: its usage and the adoption of its current release.
import { countReaching, countReachingProject, listAdoptionDays } from '../channels/audience.ts';
import { loadChannel } from '../channels/store.ts';
import type { ProjectContext } from '../core/context.ts';
import { DAY, timestamp } from '../lib/clock.ts';
import { startSteps } from '../lib/steps.ts';
import { findCurrent } from '../releases/store.ts';
import type { ChannelDay, ChannelDays } from './channel-day-schema.ts';
import { countDownloadsIn, countInstallsIn, countInstallsOf, countInstallsOn } from './channel-day-store.ts';

/**
 * Returns the last `count` UTC days of a channel, including today, oldest first. The current release is always the
 * present one, on all days. Counts backwards from today: the total of installs is known, and each day subtracts its
 * own.
 */
export async function readDays(ctx: ProjectContext, id: string, count: number): Promise<ChannelDays> {
  const channel = loadChannel(ctx, ctx.project.id, id);
  const current = findCurrent(ctx, id);
  const today = Math.floor(ctx.clock.now().getTime() / DAY);
  const takings = current === undefined ? [] : await listAdoptionDays(ctx, channel, current.id);
  let installsOnCurrent = current === undefined ? 0 : countInstallsOn(ctx, current.id);
  const days: ChannelDay[] = [];
  const step = startSteps();
  for (let day = today; day > today - count; day -= 1) {
    await step();
    const span = { from: day * DAY, to: (day + 1) * DAY };
    const { installs, onCurrent } = countInstallsIn(ctx, id, current?.id, span);
    days.push({
      day: timestamp(span.from).slice(0, 10),
      downloads: countDownloadsIn(ctx, id, span),
      installs,
      testers_on_current: takings.reduce((sum, taking) => sum + (taking.day <= day ? taking.testers : 0), 0),
      installs_on_current: installsOnCurrent,
    });
    installsOnCurrent = Math.max(0, installsOnCurrent - onCurrent);
  }
  const ofProject = countReachingProject(ctx, { projectId: ctx.project.id, organizationId: ctx.organization.id });
  return {
    channel_id: id,
    release_id: current?.id ?? null,
    testers: countReaching(ctx, channel, ofProject),
    installs: countInstallsOf(ctx, id),
    days: days.reverse(),
  };
}
