// The daily statistics of a channel: its usage and the adoption of its current release.
import { type AdoptionDays, readAdoptionDays } from '../channels/adoption.ts';
import { countReaching, countReachingProject } from '../channels/audience.ts';
import { loadChannel } from '../channels/store.ts';
import type { ProjectContext } from '../core/context.ts';
import { DAY, timestamp } from '../lib/clock.ts';
import { findCurrent } from '../releases/store.ts';
import type { ChannelDay, ChannelDays } from './channel-day-schema.ts';
import { countInstallsOf, countInstallsOn, listDownloadDays, listInstallDays } from './channel-day-store.ts';

/**
 * Returns the last `count` UTC days of a channel, including today, oldest first. The current release is always the
 * present one, on all days. Goes backwards from today: the totals of testers and installs are known, and each day subtracts
 * its own.
 */
export async function readDays(ctx: ProjectContext, id: string, count: number): Promise<ChannelDays> {
  const channel = loadChannel(ctx, ctx.project.id, id);
  const current = findCurrent(ctx, id);
  const today = Math.floor(ctx.clock.time() / DAY);
  const from = today - count + 1;
  const adopted: AdoptionDays = current === undefined ? new Map() : await readAdoptionDays(ctx, channel, current.id);
  const downloads = listDownloadDays(ctx, id, from);
  const installs = listInstallDays(ctx, id, from);
  const onCurrent: AdoptionDays = current === undefined ? new Map() : listInstallDays(ctx, current.id, from);
  let installsOnCurrent = current === undefined ? 0 : countInstallsOn(ctx, current.id);
  let testersOnCurrent = 0;
  // Days after today are those of a clock that was ahead.
  for (const [day, later] of onCurrent) if (day > today) installsOnCurrent -= later;
  for (const [day, testers] of adopted) if (day <= today) testersOnCurrent += testers;
  const days: ChannelDay[] = [];
  for (let day = today; day >= from; day -= 1) {
    days.push({
      day: timestamp(day * DAY).slice(0, 10),
      downloads: downloads.get(day) ?? 0,
      installs: installs.get(day) ?? 0,
      testers_on_current: testersOnCurrent,
      installs_on_current: installsOnCurrent,
    });
    testersOnCurrent -= adopted.get(day) ?? 0;
    installsOnCurrent = Math.max(0, installsOnCurrent - (onCurrent.get(day) ?? 0));
  }
  const ofProject = await countReachingProject(ctx, { projectId: ctx.project.id, organizationId: ctx.organization.id });
  return {
    channel_id: id,
    release_id: current?.id ?? null,
    testers: await countReaching(ctx, channel, ofProject),
    installs: countInstallsOf(ctx, id),
    days: days.reverse(),
  };
}
