// The projects of an organization with the versions on their channels and their recent builds in one response.

import { displayBuildNumber } from '../builds/build-number.ts';
import { countDevicesOf } from '../builds/device-counts.ts';
import { type BuildRow, listBuilds } from '../builds/store.ts';
import { type ChannelRow, listLastingChannels } from '../channels/store.ts';
import type { OrganizationContext } from '../core/context.ts';
import { FIRST_PAGE, type Page, type PageRequest, readPage } from '../core/paging.ts';
import { DAY } from '../lib/clock.ts';
import { startSteps } from '../lib/steps.ts';
import { listReachable } from '../projects/service.ts';
import { findCurrent } from '../releases/store.ts';
import { lowestIdAt } from '../runtime/ids.ts';
import { type ChannelActivity, MAX_BUILDS, type ProjectActivity } from './activity-schema.ts';
import { countBuildsSince } from './activity-store.ts';

/** Number of the newest channels of a project that are listed. */
export const MAX_CHANNELS = 100;

/** Returns a page of the projects that the caller can access, newest first. */
export async function listProjectActivity(
  ctx: OrganizationContext,
  request: PageRequest,
): Promise<Page<ProjectActivity>> {
  const page = readPage(
    ctx,
    request,
    (before, limit) => listReachable(ctx, before, limit),
    ({ id }) => id,
  );
  const weekAgo = lowestIdAt(ctx.clock.time() - 7 * DAY);
  const step = startSteps();
  const items: ProjectActivity[] = [];
  const newestBuilds: BuildRow[] = [];
  for (const projectId of page.items) {
    await step();
    const channels: ChannelActivity[] = [];
    for (const row of listLastingChannels(ctx, projectId, MAX_CHANNELS).reverse()) {
      await step();
      channels.push(toChannelActivity(ctx, row));
    }
    newestBuilds.push(...listBuilds(ctx, { projectId, status: 'active', before: FIRST_PAGE, limit: 1 }));
    items.push({
      project_id: projectId,
      channels,
      builds_last_7_days: countBuildsSince(ctx, projectId, weekAgo, MAX_BUILDS),
      newest_build_devices: null,
    });
  }
  const counts = await countDevicesOf(ctx, newestBuilds);
  const projectOf = new Map(newestBuilds.map((row) => [row.id, row.projectId]));
  const countOf = new Map(counts.map((count) => [projectOf.get(count.build_id), count]));
  return {
    items: items.map((item) => ({ ...item, newest_build_devices: countOf.get(item.project_id) ?? null })),
    next_cursor: page.next_cursor,
  };
}

function toChannelActivity(ctx: OrganizationContext, { id, name }: ChannelRow): ChannelActivity {
  const current = findCurrent(ctx, id);
  return {
    channel_id: id,
    name,
    current:
      current === undefined
        ? null
        : {
            release_id: current.id,
            build_id: current.build.id,
            version_name: current.build.versionName,
            display_build_number: displayBuildNumber(current.build),
          },
  };
}
