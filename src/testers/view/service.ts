// The data shown to signed-in testers: only the parts of an organization that they have access to. Members must also
// meet its two-factor authentication policy.
import { checkDownloadFunds } from '../../billing/gates.ts';
import { displayBuildNumber } from '../../builds/build-number.ts';
import { readBuildIcon } from '../../builds/downloads.ts';
import {
  channelsReached,
  organizationsReached,
  projectsReached,
  type ReachedChannel,
  type ReachedProject,
  reachesChannel,
} from '../../channels/audience.ts';
import { listSiblingChannels } from '../../channels/siblings.ts';
import { findChannel } from '../../channels/store.ts';
import type { Context, DeveloperContext } from '../../core/context.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { checkDownloadLock } from '../../http/organization-lock.ts';
import { type Reply, reply } from '../../http/reply.ts';
import { mintCapability } from '../../install/capability.ts';
import { loadCapabilityOffer } from '../../install/offers.ts';
import type { InstallLink } from '../../install/schema.ts';
import { toInstallLink } from '../../install/service.ts';
import { timestamp } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { checkMemberRequirements } from '../../organizations/member-requirements.ts';
import { findCurrent, findRelease, type ReleaseWithBuild } from '../../releases/store.ts';
import { isMuted, setMuted } from './mutes.ts';
import type {
  NotificationPreference,
  TesterChannel,
  TesterOrganization,
  TesterProject,
  TesterRelease,
} from './schema.ts';
import { listServed } from './store.ts';

function toRelease(
  { config }: Context,
  { release, build }: ReleaseWithBuild,
  currentId: string | undefined,
): TesterRelease {
  const iconPath = `/api/v1/testers/me/releases/${release.id}/icon`;
  return {
    identifier: release.id,
    organization_id: release.organizationId,
    project_id: release.projectId,
    channel_id: release.channelId,
    build_id: build.id,
    platform: build.platform,
    version_name: build.versionName,
    build_number: build.buildNumber,
    display_build_number: displayBuildNumber(build),
    size_bytes: build.sizeBytes,
    sha256: build.sha256,
    min_os_version: build.minOsVersion,
    release_notes: release.releaseNotes ?? build.releaseNotes,
    mandatory: release.mandatory,
    is_current: release.id === currentId,
    icon_url: build.iconKey === null ? null : config.server.base_url + iconPath,
    created_at: timestamp(release.createdAt),
  };
}

/** Returns the organizations in which the caller is a tester. */
export function listMyOrganizations(ctx: DeveloperContext, request: PageRequest): Page<TesterOrganization> {
  return readPage(
    ctx,
    request,
    (before, limit) => organizationsReached(ctx, ctx.actor.id, { before, limit }),
    ({ id, name }) => ({ identifier: id, name }),
  );
}

/** Returns the projects of an organization in which the caller is a tester. Throws `not_found` if there are none. */
export function listMyProjects(
  ctx: DeveloperContext,
  organizationId: string,
  request: PageRequest,
): Page<TesterProject> {
  const developerId = ctx.actor.id;
  const page = readPage(
    ctx,
    request,
    (before, limit) => projectsReached(ctx, developerId, { organizationId, before, limit }),
    toProject,
  );
  if (page.items.length === 0 && !reachesOrganization(ctx, organizationId)) throw notFound();
  checkMemberRequirements(ctx, organizationId);
  return page;
}

function reachesOrganization(ctx: DeveloperContext, organizationId: string): boolean {
  // The page starting just above an id starts with that id if it exists.
  const [first] = organizationsReached(ctx, ctx.actor.id, { before: `${organizationId}~`, limit: 1 });
  return first?.id === organizationId;
}

const toProject = ({ id, organizationId, name, description, platform, siblingIds }: ReachedProject): TesterProject => ({
  identifier: id,
  organization_id: organizationId,
  name,
  description,
  platform,
  sibling_ids: siblingIds?.split(',') ?? [],
});

/**
 * Returns the channels of a project that the caller has access to, each with its current release. Throws `not_found` if
 * there are none.
 */
export function listMyChannels(
  ctx: DeveloperContext,
  place: { organizationId: string; projectId: string },
  request: PageRequest,
): Page<TesterChannel> {
  const page = readPage(
    ctx,
    request,
    (before, limit) => channelsReached(ctx, ctx.actor.id, { ...place, before, limit }),
    (row) => toChannel(ctx, row),
  );
  if (page.items.length === 0 && !reachesProject(ctx, place)) throw notFound();
  checkMemberRequirements(ctx, place.organizationId);
  return page;
}

function reachesProject(ctx: DeveloperContext, place: { organizationId: string; projectId: string }): boolean {
  const [first] = projectsReached(ctx, ctx.actor.id, {
    organizationId: place.organizationId,
    before: `${place.projectId}~`,
    limit: 1,
  });
  return first?.id === place.projectId;
}

function toChannel(ctx: DeveloperContext, row: ReachedChannel): TesterChannel {
  const current = findCurrent(ctx, row.id);
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    name: row.name,
    description: row.description,
    muted: row.mutedAt !== null,
    current_release: current === undefined ? null : toRelease(ctx, current, current.id),
    sibling_ids: listSiblingChannels(ctx, row.id).flatMap(({ id }) =>
      reachesChannel(ctx, ctx.actor.id, id) ? id : [],
    ),
  };
}

function requireReach(ctx: DeveloperContext, channelId: string): void {
  const channel = findChannel(ctx, channelId);
  if (channel === undefined || !reachesChannel(ctx, ctx.actor.id, channelId)) throw notFound();
  checkMemberRequirements(ctx, channel.organizationId);
}

/** Returns the releases of a channel that the caller can install, newest first. */
export function listMyReleases(ctx: DeveloperContext, channelId: string, request: PageRequest): Page<TesterRelease> {
  requireReach(ctx, channelId);
  const currentId = findCurrent(ctx, channelId)?.id;
  return readPage(
    ctx,
    request,
    (before, limit) => listServed(ctx, channelId, before, limit),
    (row) => toRelease(ctx, row, currentId),
  );
}

/** Returns whether the caller gets emails about a channel. */
export function readPreference(ctx: DeveloperContext, channelId: string): NotificationPreference {
  requireReach(ctx, channelId);
  return { muted: isMuted(ctx, channelId, ctx.actor.id) };
}

/** Mutes or unmutes a channel for the caller. */
export function writePreference(
  ctx: DeveloperContext,
  channelId: string,
  { muted }: NotificationPreference,
): NotificationPreference {
  return ctx.transact((tx) => {
    requireReach(ctx, channelId);
    setMuted(tx, channelId, ctx.actor.id, muted);
    return { muted };
  });
}

/**
 * Creates a capability for installing a release, valid for 15 minutes. Throws `not_found` if the caller has no access
 * or the release can't be installed, and the error of an organization whose downloads are locked or can't be paid.
 */
export function createMyInstallLink(ctx: DeveloperContext, releaseId: string): InstallLink {
  const capability = mintForTester(ctx, ctx.actor.id, releaseId);
  const offer = loadCapabilityOffer(ctx, capability.token);
  checkMemberRequirements(ctx, offer.place.organizationId);
  checkDownloadLock(ctx, offer.place);
  checkDownloadFunds(ctx, offer.build);
  return toInstallLink(ctx, capability, offer);
}

/**
 * Creates a capability for a tester of the release's channel. Throws `not_found` without access, and if the release
 * can't be installed.
 */
export function mintForTester(ctx: Context, developerId: string, releaseId: string) {
  const { release } = loadServed(ctx, developerId, releaseId);
  return mintCapability(ctx, { releaseId, channelId: release.channelId, developerId });
}

function loadServed(ctx: Context, developerId: string, releaseId: string): ReleaseWithBuild {
  const found = findRelease(ctx, releaseId);
  const isServed = found?.release.state === 'active' && found.build.revokedAt === null;
  if (!isServed || !reachesChannel(ctx, developerId, found.release.channelId)) throw notFound();
  return found;
}

/** Returns the icon of a release that the caller can install. */
export async function serveMyIcon(ctx: DeveloperContext, releaseId: string): Promise<Reply> {
  const { release, build } = loadServed(ctx, ctx.actor.id, releaseId);
  checkMemberRequirements(ctx, release.organizationId);
  const icon = await readBuildIcon(ctx, build);
  if (icon === undefined) throw notFound();
  return reply(icon.contentType, icon.bytes, {
    'cache-control': 'private, max-age=86400, immutable',
    // These bytes come from users and are served from our origin, so they must only be displayed.
    'content-security-policy': "default-src 'none'; sandbox",
  });
}
