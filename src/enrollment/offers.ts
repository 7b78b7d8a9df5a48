// The installable releases for a device: the current release of each iOS channel that is public or that the device's
// owner can access.

import { and, desc, eq, sql } from 'drizzle-orm';
import { displayBuildNumber } from '../builds/build-number.ts';
import { loadBuildFacts } from '../builds/compatibility-facts.ts';
import { findArchiveFacts } from '../builds/fact-store.ts';
import { channelsReached, projectsReached } from '../channels/audience.ts';
import { capabilityLinks, channelPageUrl, iconPath } from '../channels/install-links.ts';
import { judgeInstall } from '../compatibility/verdict.ts';
import type { Context } from '../core/context.ts';
import { FIRST_PAGE } from '../core/paging.ts';
import { channels, projects } from '../data/tables/tables.ts';
import { findDeveloper } from '../developers/store.ts';
import { factsOfDevice } from '../devices/compatibility-facts.ts';
import type { DeviceRow } from '../devices/store.ts';
import { mintCapability } from '../install/capability.ts';
import { admitsTokenOf } from '../organizations/member-requirements.ts';
import { findCurrent } from '../releases/store.ts';
import type { OfferView } from './page/result-page.ts';

/** More don't fit on a page. */
const MAX_CHANNELS = 50;

/**
 * How much the page shows about the owner's channels: nothing, their names, or also install links. Install links are
 * only for the owner, so they require that the owner requested this enrollment and has just completed it.
 */
export type OwnerAccess = 'none' | 'names' | 'links';

interface Candidate {
  id: string;
  name: string;
  projectName: string;
  isPublic: boolean;
}

/** Returns the offers for a device, newest channel first, at most 50. */
export function listOffers(ctx: Context, device: DeviceRow, access: OwnerAccess): OfferView[] {
  const now = ctx.clock.time();
  return listCandidates(ctx, device, access).flatMap((channel) => {
    const current = findCurrent(ctx, channel.id);
    if (current === undefined) return [];
    const { build, release } = current;
    const baseUrl = ctx.config.server.base_url;
    const judgment = judgeInstall(loadBuildFacts(ctx, build), factsOfDevice(device), now);
    const mayLink = !channel.isPublic && access === 'links' && judgment.verdict === 'yes';
    const token = mayLink
      ? mintCapability(ctx, { releaseId: release.id, channelId: channel.id, developerId: device.developerId }).token
      : null;
    const pageUrl = token === null ? null : capabilityLinks(baseUrl, token).pageUrl;
    // A private icon is shown only to people who may install the build.
    const showsIcon = build.iconKey !== null && (channel.isPublic || token !== null);
    return [
      {
        name: findArchiveFacts(ctx, build.id)?.applicationName ?? channel.projectName,
        channelName: channel.name,
        versionName: build.versionName,
        buildNumber: displayBuildNumber(build),
        iconUrl: showsIcon ? iconPath(build.id, token) : null,
        pageUrl: channel.isPublic ? channelPageUrl(baseUrl, channel.id) : pageUrl,
        judgment,
      },
    ];
  });
}

function listCandidates(ctx: Context, device: DeviceRow, access: OwnerAccess): Candidate[] {
  const open = ctx.db
    .select({ id: channels.id, name: channels.name, projectName: projects.name, isPublic: channels.isPublic })
    .from(channels)
    .innerJoin(projects, eq(projects.id, channels.projectId))
    .where(
      and(
        eq(channels.organizationId, device.organizationId),
        eq(projects.platform, 'ios'),
        // SQLite uses the index of public channels only if the flag is a literal.
        sql`${channels.isPublic} = 1`,
      ),
    )
    .orderBy(desc(channels.id))
    .limit(MAX_CHANNELS)
    .all();
  const found = new Map(open.map((channel) => [channel.id, channel]));
  for (const channel of access === 'none' ? [] : listReached(ctx, device)) {
    if (!found.has(channel.id)) found.set(channel.id, channel);
  }
  return [...found.values()].sort((left, right) => (left.id < right.id ? 1 : -1)).slice(0, MAX_CHANNELS);
}

/**
 * Returns the channels that the owner of a device can access, or none if the account is locked, its email address isn't verified,
 * or the owner doesn't meet the organization's requirements for members.
 */
function listReached(ctx: Context, { organizationId, developerId }: DeviceRow): Candidate[] {
  const owner = developerId === null ? undefined : findDeveloper(ctx, developerId);
  if (owner === undefined || !admitsTokenOf(ctx, organizationId, owner)) return [];
  const slice = { organizationId, before: FIRST_PAGE, limit: MAX_CHANNELS };
  return projectsReached(ctx, owner.id, slice)
    .filter(({ platform }) => platform === 'ios')
    .flatMap((project) =>
      channelsReached(ctx, owner.id, { ...slice, projectId: project.id }).map(({ id, name }) => ({
        id,
        name,
        projectName: project.name,
        isPublic: false,
      })),
    );
}
