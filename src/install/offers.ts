// The offer of a link: the current release of a public channel, or what an install capability is for.
import { findDownloadTime } from '../builds/download-store.ts';
import { findArchiveFacts } from '../builds/fact-store.ts';
import { type BuildRow, findBuild } from '../builds/store.ts';
import { listReachedWith, type ReachableChannel, reachesChannel } from '../channels/audience.ts';
import { capabilityLinks, channelLinks, type InstallLinks } from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import type { ArchiveFacts } from '../inspection/facts.ts';
import { notFound } from '../lib/errors.ts';
import { presentRoles } from '../organizations/members/roles.ts';
import { projectRoleAllows } from '../permissions.ts';
import { findCurrent, findRelease, type ReleaseRow, type ReleaseWithBuild } from '../releases/store.ts';
import { isUuid } from '../runtime/ids.ts';
import { type CapabilityGrant, type CapabilityHolder, mintCapability, readCapability } from './capability.ts';
import { findShareLinkById } from './share-links.ts';
import {
  findPlace,
  findProjectPlace,
  isDeveloperActive,
  isServedBySdkApp,
  type Place,
  type ProjectPlace,
} from './store.ts';

export interface Offer {
  place: ProjectPlace;
  build: BuildRow;
  /** The release with its channel; null for a single build. */
  live: { release: ReleaseRow; channel: Place['channel']; pullRequest: number | null } | null;
  /** Null if the archive could not be read. */
  archive: ArchiveFacts | null;
  /** The capability that the links contain; null if none is needed. */
  proof: { token: string; grant: CapabilityGrant } | null;
  links: InstallLinks;
}

/** Returns a public channel, or undefined for a private or missing one, so that nobody can tell them apart. */
export function findPublicPlace(ctx: Context, channelId: string): Place | undefined {
  const place = isUuid(channelId) ? findPlace(ctx, channelId) : undefined;
  return place?.channel.isPublic === true ? place : undefined;
}

/** Who gets an offer. `id` is the id under which its downloads count as one; a new one by default. */
type Holder = CapabilityHolder & { id?: string };

/** Returns the release that is live on a channel with a capability of its holder, or undefined if there is none. */
export function findHeldOffer(
  ctx: Context,
  place: Place,
  holderOf: (release: ReleaseRow) => Holder,
): Offer | undefined {
  const current = findCurrent(ctx, place.channel.id);
  if (current === undefined) return undefined;
  const target = { releaseId: current.release.id, channelId: place.channel.id };
  const { token, ...grant } = mintCapability(ctx, { ...target, ...holderOf(current.release) });
  return makeOffer(ctx, place, current, { token, grant });
}

/** Returns a single build with a capability of its holder, or undefined for a revoked build. */
export function findBuildOffer(ctx: Context, build: BuildRow, holder: Holder): Offer | undefined {
  const place = findProjectPlace(ctx, build.projectId);
  if (place === undefined || build.revokedAt !== null) return undefined;
  const { token, ...grant } = mintCapability(ctx, { buildId: build.id, ...holder });
  return makeBuildOffer(ctx, place, build, { token, grant });
}

/** Returns the release that is live on a public channel, or undefined if there is none. */
export function findCurrentOffer(ctx: Context, place: Place): Offer | undefined {
  const { id } = place.channel;
  const current = findCurrent(ctx, id);
  if (current === undefined) return undefined;
  return makeOffer(ctx, place, current, null);
}

/**
 * Returns the current release of a public channel. Earlier releases need a capability: a public channel serves its
 * current release to anyone with the link, and no other (docs/specification/installs.md#public-channels). Throws `not_found`.
 */
export function loadCurrentOffer(ctx: Context, channelId: string, releaseId: string): Offer {
  const place = findPublicPlace(ctx, channelId);
  const offer = place && findCurrentOffer(ctx, place);
  if (offer === undefined || offer.live?.release.id !== releaseId) throw notFound();
  return offer;
}

/**
 * Returns the offer of a capability, or undefined if it is altered or expired, or if its target can no longer be
 * installed. A capability is for one release or build, so it stays valid after a newer release and after the channel becomes
 * private. It becomes invalid when the release is disabled, rolled back or deleted, the build is revoked, the person
 * loses the account or the access, its share link no longer works, or its SDK app is revoked or bound to another channel.
 */
export function findCapabilityOffer(ctx: Context, token: string): Offer | undefined {
  const grant = readCapability(ctx, token);
  if (grant === undefined) return undefined;
  const offer = 'buildId' in grant ? offerOfBuild(ctx, grant, token) : offerOfRelease(ctx, grant, token);
  return offer !== undefined && isStillHeld(ctx, offer, grant) ? offer : undefined;
}

type GrantWith<Field extends string> = Extract<CapabilityGrant, Record<Field, string>>;

function offerOfRelease(ctx: Context, grant: GrantWith<'releaseId'>, token: string): Offer | undefined {
  const found = findRelease(ctx, grant.releaseId);
  if (found === undefined || found.release.channelId !== grant.channelId) return undefined;
  if (found.release.state !== 'active' || found.build.revokedAt !== null) return undefined;
  const place = findPlace(ctx, grant.channelId);
  return place && makeOffer(ctx, place, found, { token, grant });
}

function offerOfBuild(ctx: Context, grant: GrantWith<'buildId'>, token: string): Offer | undefined {
  const build = findBuild(ctx, grant.buildId);
  const place = build?.revokedAt === null ? findProjectPlace(ctx, build.projectId) : undefined;
  return build && place && makeBuildOffer(ctx, place, build, { token, grant });
}

/** Returns whether the holder of a capability may still install what it is for. */
function isStillHeld(ctx: Context, { place, build, live }: Offer, grant: CapabilityGrant): boolean {
  const { developerId, shareLinkId, sdkAppId } = grant;
  if (shareLinkId !== undefined) return isShared(ctx, shareLinkId, grant);
  if (sdkAppId !== undefined) return live !== null && isServedBySdkApp(ctx, sdkAppId, live.channel.id);
  if (developerId === null) return true;
  if (!isDeveloperActive(ctx, developerId)) return false;
  return live === null
    ? mayDownload(ctx, developerId, build)
    : mayInstall(ctx, developerId, { ...place, channel: live.channel });
}

function isShared(ctx: Context, shareLinkId: string, grant: CapabilityGrant): boolean {
  const link = findShareLinkById(ctx, shareLinkId);
  if (link === undefined) return false;
  const isTarget = 'buildId' in grant ? link.row.buildId === grant.buildId : link.row.channelId === grant.channelId;
  // An install that was counted can be repeated and resumed.
  return isTarget && (link.state === 'active' || findDownloadTime(ctx, grant.id) !== undefined);
}

/** Returns whether someone may install from a channel: a tester, or a member who may download its builds. */
export function mayInstall(
  ctx: Pick<Context, 'db'>,
  developerId: string,
  { channel }: { channel: ReachableChannel },
): boolean {
  return reachesChannel(ctx, developerId, channel.id) || mayDownload(ctx, developerId, channel);
}

/** Returns whether someone may download a build as a member of its project. */
export function mayDownload(
  ctx: Pick<Context, 'db'>,
  developerId: string,
  build: Pick<BuildRow, 'organizationId' | 'projectId'>,
): boolean {
  const { projectRole } = presentRoles(ctx, developerId, build);
  return projectRole !== undefined && projectRoleAllows(projectRole, 'build.download');
}

/** Returns a channel on which a build is live and that a tester may install from, or undefined. */
export function findTesterPlace(ctx: Context, developerId: string, buildId: string): Place | undefined {
  const channelId = listReachedWith(ctx, developerId, buildId).find((id) => findCurrent(ctx, id)?.build.id === buildId);
  return channelId === undefined ? undefined : findPlace(ctx, channelId);
}

/** Returns the offer of a capability. Throws `not_found` if there is none, for any reason. */
export function loadCapabilityOffer(ctx: Context, token: string): Offer {
  const offer = findCapabilityOffer(ctx, token);
  if (offer === undefined) throw notFound();
  return offer;
}

function makeOffer(
  ctx: Context,
  place: Place,
  { release, build }: Pick<ReleaseWithBuild, 'release' | 'build'>,
  proof: Offer['proof'],
): Offer {
  const { base_url: baseUrl } = ctx.config.server;
  const { channel, pullRequest } = place;
  const links = proof === null ? channelLinks(baseUrl, channel.id, release.id) : capabilityLinks(baseUrl, proof.token);
  const archive = findArchiveFacts(ctx, build.id);
  return { place, live: { release, channel, pullRequest }, build, archive, proof, links };
}

function makeBuildOffer(ctx: Context, place: ProjectPlace, build: BuildRow, proof: NonNullable<Offer['proof']>): Offer {
  const links = capabilityLinks(ctx.config.server.base_url, proof.token);
  return { place, live: null, build, archive: findArchiveFacts(ctx, build.id), proof, links };
}

/** Returns the name of the app, or of the project if it is unknown. Untrusted text. */
export function nameOffer({ archive, place }: Offer): string {
  return archive?.applicationName || place.projectName;
}

/** Returns the notes of the release, or of its build if it has none. */
export function notesOf({ live, build }: Offer): string | null {
  return live?.release.releaseNotes ?? build.releaseNotes;
}

/** Returns the bundle identifier, which a manifest requires. Returns null for Android or if it is unknown. */
export function iosBundleIdentifier({ build, archive, place }: Offer): string | null {
  if (build.platform !== 'ios') return null;
  return archive?.bundleIdentifier ?? build.bundleIdentifier ?? place.bundleIdentifier;
}
