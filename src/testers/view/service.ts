// What a signed-in tester sees and may install: what they reach, and nothing else of an organization. Who is a member too is
// held to its MFA policy here as everywhere.
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
import { capabilityLinks } from '../../channels/install-links.ts';
import { findChannel } from '../../channels/store.ts';
import type { Context, DeveloperContext } from '../../core/context.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { checkDownloadLock } from '../../http/organization-lock.ts';
import { type Reply, reply } from '../../http/reply.ts';
import { mintCapability } from '../../install/capability.ts';
import { itmsLink } from '../../install/manifest.ts';
import { iosBundleIdentifier, loadCapabilityOffer } from '../../install/offers.ts';
import type { InstallLink } from '../../install/schema.ts';
import { timestamp } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { findCurrent, findRelease, type ReleaseWithBuild } from '../../releases/store.ts';
import { checkMemberRequirements } from '../member-requirements.ts';
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

/** The organizations in which the caller may test anything. */
export function listMyOrganizations(ctx: DeveloperContext, request: PageRequest): Page<TesterOrganization> {
  return readPage(
    ctx,
    request,
    (before, limit) => organizationsReached(ctx, ctx.actor.id, { before, limit }),
    ({ id, name }) => ({ identifier: id, name }),
  );
}

/** The projects of an organization in which the caller may test anything. An organization without any is not_found. */
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
  // The page that begins just above an id begins with it, if it is there.
  const [first] = organizationsReached(ctx, ctx.actor.id, { before: `${organizationId}~`, limit: 1 });
  return first?.id === organizationId;
}

const toProject = ({ id, organizationId, name, description, platform }: ReachedProject): TesterProject => ({
  identifier: id,
  organization_id: organizationId,
  name,
  description,
  platform,
});

/** The channels of a project that the caller reaches, each with what it serves now. A project without any is not_found. */
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
  };
}

function requireReach(ctx: DeveloperContext, channelId: string): void {
  const channel = findChannel(ctx, channelId);
  if (channel === undefined || !reachesChannel(ctx, ctx.actor.id, channelId)) throw notFound();
  checkMemberRequirements(ctx, channel.organizationId);
}

/** The releases of a channel that the caller may install, newest first. */
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

/** Whether the caller gets mails about a channel. */
export function readPreference(ctx: DeveloperContext, channelId: string): NotificationPreference {
  requireReach(ctx, channelId);
  return { muted: isMuted(ctx, channelId, ctx.actor.id) };
}

/** Mutes a channel for the caller, or hears of it again. */
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
 * A capability for one install of a release, for 15 minutes. What the caller does not reach, and what may not be installed,
 * is not_found; throws the refusal of an organization that is locked against downloads.
 */
export function createMyInstallLink(ctx: DeveloperContext, releaseId: string): InstallLink {
  const { token, expiresAt } = mintForTester(ctx, ctx.actor.id, releaseId);
  const offer = loadCapabilityOffer(ctx, token);
  checkMemberRequirements(ctx, offer.release.organizationId);
  checkDownloadLock(offer.place.lockReason);
  const links = capabilityLinks(ctx.config.server.base_url, token);
  return {
    capability: token,
    expires_at: timestamp(expiresAt),
    install_url: links.pageUrl,
    download_url: links.downloadUrl,
    ...(iosBundleIdentifier(offer) === null
      ? {}
      : { manifest_url: links.manifestUrl, itms_url: itmsLink(links.manifestUrl) }),
  };
}

/** A capability for a tester who reaches the release's channel; not_found otherwise, and for what may not be installed. */
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

/** The icon of a release that the caller may install. */
export async function serveMyIcon(ctx: DeveloperContext, releaseId: string): Promise<Reply> {
  const { release, build } = loadServed(ctx, ctx.actor.id, releaseId);
  checkMemberRequirements(ctx, release.organizationId);
  const icon = await readBuildIcon(ctx, build);
  if (icon === undefined) throw notFound();
  return reply(icon.contentType, icon.bytes, {
    'cache-control': 'private, max-age=86400, immutable',
    // Somebody else's bytes under our address: they may be drawn and nothing more.
    'content-security-policy': "default-src 'none'; sandbox",
  });
}
