// The channels of a project with their current releases and adoption in one response.
import { countAdopters } from '../channels/adoption.ts';
import { countReaching, countReachingProject } from '../channels/audience.ts';
import { totalDownloads } from '../channels/download-totals.ts';
import { toChannel } from '../channels/service.ts';
import { type ChannelRow, listChannels } from '../channels/store.ts';
import type { ProjectContext } from '../core/context.ts';
import { type Page, type PageRequest, readPageInSteps } from '../core/paging.ts';
import { toCurrentRelease } from '../releases/service.ts';
import { findCurrent } from '../releases/store.ts';
import type { ChannelOverview } from './channel-schema.ts';

const MAX = 100;

/** Returns a page of the project's channels, newest first. All numbers are exact and counted with indexes. */
export async function listChannelOverviews(ctx: ProjectContext, request: PageRequest): Promise<Page<ChannelOverview>> {
  const limit = Math.min(request.limit ?? MAX, MAX);
  const ofProject = await countReachingProject(ctx, { projectId: ctx.project.id, organizationId: ctx.organization.id });
  return readPageInSteps(
    ctx,
    { ...request, limit },
    (before, max) => listChannels(ctx, ctx.project.id, before, max),
    (row) => toOverview(ctx, row, ofProject),
  );
}

async function toOverview(ctx: ProjectContext, row: ChannelRow, ofProject: number): Promise<ChannelOverview> {
  const current = findCurrent(ctx, row.id);
  return {
    channel: toChannel(ctx, row),
    current_release: current === undefined ? null : toCurrentRelease(ctx, current),
    testers: await countReaching(ctx, row, ofProject),
    adoption:
      current === undefined
        ? null
        : { testers: await countAdopters(ctx, row, current.id), downloads: totalDownloads(ctx, current.id).downloads },
  };
}
