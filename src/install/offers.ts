// What a link offers: the current release of a public channel, or the one release that an install capability was minted for.
import { findArchiveFacts } from '../builds/fact-store.ts';
import { reachesChannel } from '../channels/audience.ts';
import { capabilityLinks, channelLinks, type InstallLinks } from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import type { ArchiveFacts } from '../inspection/facts.ts';
import { notFound } from '../lib/errors.ts';
import { findCurrent, findRelease, type ReleaseWithBuild } from '../releases/store.ts';
import { isUuid } from '../runtime/ids.ts';
import { type CapabilityGrant, readCapability } from './capability.ts';
import { findPlace, isDeveloperActive, type Place } from './store.ts';

export interface Offer extends Pick<ReleaseWithBuild, 'release' | 'build'> {
  place: Place;
  /** Null when the archive could not be read. */
  archive: ArchiveFacts | null;
  /** The proof behind the links; null where none is needed. */
  proof: { token: string; grant: CapabilityGrant } | null;
  links: InstallLinks;
}

/** A public channel; undefined for a private or absent one, which nobody can tell apart. */
export function findPublicPlace(ctx: Context, channelId: string): Place | undefined {
  const place = isUuid(channelId) ? findPlace(ctx, channelId) : undefined;
  return place?.channel.isPublic === true ? place : undefined;
}

/** What a public channel serves now; undefined while it serves nothing. */
export function findCurrentOffer(ctx: Context, place: Place): Offer | undefined {
  const { id } = place.channel;
  const current = findCurrent(ctx, id);
  if (current === undefined) return undefined;
  return makeOffer(ctx, place, current, null, channelLinks(ctx.config.server.base_url, id, current.id));
}

/**
 * The release as its public channel serves it now. Earlier releases need a capability: a public channel serves its current
 * release to anyone with the link, and no other (specification part 2, Channel). Throws not_found.
 */
export function loadCurrentOffer(ctx: Context, channelId: string, releaseId: string): Offer {
  const place = findPublicPlace(ctx, channelId);
  const offer = place && findCurrentOffer(ctx, place);
  if (offer === undefined || offer.release.id !== releaseId) throw notFound();
  return offer;
}

/**
 * What a capability offers; undefined when it is altered or expired, or when its release may not be served any more. It was
 * granted for this release, so it outlives a newer release and the channel's turning private, but no withdrawal: not the
 * disabling, roll back or deletion of the release, not the revocation of the build, not the end of the tester's account or
 * access.
 */
export function findCapabilityOffer(ctx: Context, token: string): Offer | undefined {
  const grant = readCapability(ctx, token);
  if (grant === undefined) return undefined;
  const found = findRelease(ctx, grant.releaseId);
  if (found === undefined || found.release.channelId !== grant.channelId) return undefined;
  if (found.release.state !== 'active' || found.build.revokedAt !== null) return undefined;
  if (grant.developerId !== null && !isEntitled(ctx, grant.developerId, grant.channelId)) return undefined;
  const place = findPlace(ctx, grant.channelId);
  if (place === undefined) return undefined;
  return makeOffer(ctx, place, found, { token, grant }, capabilityLinks(ctx.config.server.base_url, token));
}

/** Whether a tester still has an account and still reaches the channel. */
function isEntitled(ctx: Context, developerId: string, channelId: string): boolean {
  return isDeveloperActive(ctx, developerId) && reachesChannel(ctx, developerId, channelId);
}

/** What a capability offers; not_found otherwise, whatever the reason. */
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

/** The name under the app's icon, else the project's. Untrusted text. */
export function nameOffer({ archive, place }: Offer): string {
  return archive?.applicationName || place.projectName;
}

/** What changed: the release's own notes, else its build's. */
export function notesOf({ release, build }: Offer): string | null {
  return release.releaseNotes ?? build.releaseNotes;
}

/** The identifier iOS installs the app under, which a manifest cannot do without; null for Android and where nobody said it. */
export function iosBundleIdentifier({ build, archive, place }: Offer): string | null {
  if (build.platform !== 'ios') return null;
  return archive?.bundleIdentifier ?? build.bundleIdentifier ?? place.bundleIdentifier;
}
