// The channels of a project with what each serves and how far that has come, in one answer.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { countReaching, countReachingProject, countTakers } from '../channels/audience.ts';
import { toChannel } from '../channels/service.ts';
import { type ChannelRow, listChannels } from '../channels/store.ts';
import type { ProjectContext } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { toCurrentRelease } from '../releases/service.ts';
import { countDownloads, findCurrent } from '../releases/store.ts';
import type { ChannelOverview } from './channel-schema.ts';

const MOST = 100;
/** Counting goes on for so long before other requests have their turn. */
const STEP_MS = 5;

/** One page of the project's channels, newest first. Everything is counted in indexes, and exact as it is read. */
export async function listChannelOverviews(ctx: ProjectContext, request: PageRequest): Promise<Page<ChannelOverview>> {
  const limit = Math.min(request.limit ?? MOST, MOST);
  const page = readPage(
    ctx,
    { ...request, limit },
    (before, most) => listChannels(ctx, ctx.project.id, before, most),
    (row) => row,
  );
  const ofProject = countReachingProject(ctx, { projectId: ctx.project.id, organizationId: ctx.organization.id });
  const items: ChannelOverview[] = [];
  let stepEnds = performance.now() + STEP_MS;
  for (const row of page.items) {
    if (performance.now() > stepEnds) {
      await yieldToOthers();
      stepEnds = performance.now() + STEP_MS;
    }
    items.push(toOverview(ctx, row, ofProject));
  }
  return { items, next_cursor: page.next_cursor };
}

function toOverview(ctx: ProjectContext, row: ChannelRow, ofProject: number): ChannelOverview {
  const current = findCurrent(ctx, row.id);
  return {
    channel: toChannel(ctx, row),
    current_release: current === undefined ? null : toCurrentRelease(ctx, current),
    testers: countReaching(ctx, row, ofProject),
    adoption:
      current === undefined
        ? null
        : { testers: countTakers(ctx, row, current.id), downloads: countDownloads(ctx, current.id) },
  };
}
