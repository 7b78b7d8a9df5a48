// The newest releases of an organization with their adoption in one response.
import { countAdopters } from '../channels/adoption.ts';
import { countReaching, countReachingProject } from '../channels/audience.ts';
import { totalDownloads } from '../channels/download-totals.ts';
import { type ChannelRow, findChannel } from '../channels/store.ts';
import type { OrganizationContext } from '../core/context.ts';
import { FIRST_PAGE } from '../core/paging.ts';
import { startSteps } from '../lib/steps.ts';
import { listReachable } from '../projects/service.ts';
import { toAnyRelease } from '../releases/service.ts';
import { findRelease, type ReleaseWithBuild } from '../releases/store.ts';
import { DEFAULT_RECENT, type RecentRelease, type RecentReleases } from './recent-release-schema.ts';
import { listNewestIds } from './recent-release-store.ts';

/** Number of the newest projects whose releases are listed. */
const MAX_PROJECTS = 1000;

/** Returns the newest active releases of the projects that the caller can access, newest first. */
export async function listRecentReleases(ctx: OrganizationContext, limit = DEFAULT_RECENT): Promise<RecentReleases> {
  const step = startSteps();
  const projects = new Map(listReachable(ctx, FIRST_PAGE, MAX_PROJECTS).map((row) => [row.id, row]));
  let ids: string[] = [];
  for (const { id } of projects.values()) {
    await step();
    // Once the list is full, a project needs one index seek to show that it has nothing newer.
    const after = ids.length < limit ? '' : (ids.at(-1) ?? '');
    const found = listNewestIds(ctx, id, after, limit);
    if (found.length > 0) ids = [...ids, ...found].sort().reverse().slice(0, limit);
  }
  const items: RecentRelease[] = [];
  const audiences = countAudiences(ctx);
  for (const id of ids) {
    await step();
    const row = findRelease(ctx, id);
    const channel = row && findChannel(ctx, row.release.channelId);
    const project = row && projects.get(row.release.projectId);
    // Another request may have deleted it since the ids were read.
    if (row === undefined || channel === undefined || project === undefined) continue;
    items.push(await toRecent(ctx, row, { channel, projectName: project.name, testers: await audiences(channel) }));
  }
  return { items };
}

/** Returns a function that counts the testers of a channel, once for each channel and project. */
function countAudiences(ctx: OrganizationContext): (channel: ChannelRow) => Promise<number> {
  const ofProjects = new Map<string, number>();
  const ofChannels = new Map<string, number>();
  return async (channel) => {
    const { id, projectId, organizationId } = channel;
    const ofProject = ofProjects.get(projectId) ?? (await countReachingProject(ctx, { projectId, organizationId }));
    ofProjects.set(projectId, ofProject);
    const testers = ofChannels.get(id) ?? (await countReaching(ctx, channel, ofProject));
    ofChannels.set(id, testers);
    return testers;
  };
}

async function toRecent(
  ctx: OrganizationContext,
  row: ReleaseWithBuild,
  { channel, projectName, testers }: { channel: ChannelRow; projectName: string; testers: number },
): Promise<RecentRelease> {
  return {
    release: toAnyRelease(ctx, row),
    project_name: projectName,
    channel_name: channel.name,
    testers,
    adoption: {
      testers: await countAdopters(ctx, channel, row.id),
      downloads: totalDownloads(ctx, row.id).downloads,
    },
  };
}
