// The offer of a link: the current release of a public channel, or the release of an install capability.
import { findArchiveFacts } from '../builds/fact-store.ts';
import { type ReachableChannel, reachesChannel } from '../channels/audience.ts';
import { capabilityLinks, channelLinks, type InstallLinks } from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import type { ArchiveFacts } from '../inspection/facts.ts';
import { notFound } from '../lib/errors.ts';
import { presentRoles } from '../organizations/members/roles.ts';
import { projectRoleAllows } from '../permissions.ts';
import { findCurrent, findRelease, type ReleaseWithBuild } from '../releases/store.ts';
import { isUuid } from '../runtime/ids.ts';
import { type CapabilityGrant, mintCapability, readCapability } from './capability.ts';
import { findPlace, isDeveloperActive, type Place } from './store.ts';

export interface Offer extends Pick<ReleaseWithBuild, 'release' | 'build'> {
  place: Place;
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

/** Returns the release that is live on a channel with a capability of a tester, or undefined if there is none. */
export function findTesterOffer(ctx: Context, place: Place, developerId: string): Offer | undefined {
  const current = findCurrent(ctx, place.channel.id);
  if (current === undefined) return undefined;
  const { token, ...grant } = mintCapability(ctx, {
    releaseId: current.release.id,
    channelId: place.channel.id,
    developerId,
  });
  return makeOffer(ctx, place, current, { token, grant }, capabilityLinks(ctx.config.server.base_url, token));
}

/** Returns the release that is live on a public channel, or undefined if there is none. */
export function findCurrentOffer(ctx: Context, place: Place): Offer | undefined {
  const { id } = place.channel;
  const current = findCurrent(ctx, id);
  if (current === undefined) return undefined;
  return makeOffer(ctx, place, current, null, channelLinks(ctx.config.server.base_url, id, current.id));
}

/**
 * Returns the current release of a public channel. Earlier releases need a capability: a public channel serves its
 * current release to anyone with the link, and no other (docs/specification/installs.md#public-channels). Throws `not_found`.
 */
export function loadCurrentOffer(ctx: Context, channelId: string, releaseId: string): Offer {
  const place = findPublicPlace(ctx, channelId);
  const offer = place && findCurrentOffer(ctx, place);
  if (offer === undefined || offer.release.id !== releaseId) throw notFound();
  return offer;
}

/**
 * Returns the offer of a capability, or undefined if it is altered or expired, or if its release can no longer be
 * installed. A capability is for one release, so it stays valid after a newer release and after the channel becomes
 * private. It becomes invalid when the release is disabled, rolled back or deleted, the build is revoked, or the person
 * loses the account or the access.
 */
export function findCapabilityOffer(ctx: Context, token: string): Offer | undefined {
  const grant = readCapability(ctx, token);
  if (grant === undefined) return undefined;
  const found = findRelease(ctx, grant.releaseId);
  if (found === undefined || found.release.channelId !== grant.channelId) return undefined;
  if (found.release.state !== 'active' || found.build.revokedAt !== null) return undefined;
  const place = findPlace(ctx, grant.channelId);
  if (place === undefined) return undefined;
  const { developerId } = grant;
  if (developerId !== null && !(isDeveloperActive(ctx, developerId) && mayInstall(ctx, developerId, place)))
    return undefined;
  return makeOffer(ctx, place, found, { token, grant }, capabilityLinks(ctx.config.server.base_url, token));
}

/** Returns whether somebody may install from a channel: a tester, or a member who may download its builds. */
export function mayInstall(
  ctx: Pick<Context, 'db'>,
  developerId: string,
  { channel }: { channel: ReachableChannel },
): boolean {
  if (reachesChannel(ctx, developerId, channel.id)) return true;
  const { projectRole } = presentRoles(ctx, developerId, channel);
  return projectRole !== undefined && projectRoleAllows(projectRole, 'build.download');
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
  { release, build }: ReleaseWithBuild,
  proof: Offer['proof'],
  links: InstallLinks,
): Offer {
  return { place, release, build, archive: findArchiveFacts(ctx, build.id), proof, links };
}

/** Returns the name of the app, or of the project if it is unknown. Untrusted text. */
export function nameOffer({ archive, place }: Offer): string {
  return archive?.applicationName || place.projectName;
}

/** Returns the notes of the release, or of its build if it has none. */
export function notesOf({ release, build }: Offer): string | null {
  return release.releaseNotes ?? build.releaseNotes;
}

/** Returns the bundle identifier, which a manifest requires. Returns null for Android or if it is unknown. */
export function iosBundleIdentifier({ build, archive, place }: Offer): string | null {
  if (build.platform !== 'ios') return null;
  return archive?.bundleIdentifier ?? build.bundleIdentifier ?? place.bundleIdentifier;
}
