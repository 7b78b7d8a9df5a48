// Who may see which install page: the channel of an address, its siblings, and what visitors without access can do.
import { createHash } from 'node:crypto';
import { hasAskedForAccess } from '../channels/access-requests.ts';
import { noChannel } from '../channels/audience.ts';
import { listSiblingChannels } from '../channels/siblings.ts';
import { sendsEmail } from '../config/sends-email.ts';
import type { Context, DeveloperContext } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import { checkMemberRequirements } from '../organizations/member-requirements.ts';
import { platforms as allPlatforms } from '../platforms.ts';
import { isUuid } from '../runtime/ids.ts';
import { mayInstall } from './offers.ts';
import type { AccessState } from './page/view.ts';
import { findPlace, type Place } from './store.ts';
import { isDeveloper, platformOfVisitor } from './visitor.ts';

/** An address at which the page of a channel may be. */
export interface PageAddress {
  /** Below the base URL. */
  path: string;
  /** Undefined if no channel has the address. */
  place: Place | undefined;
  /** What a request for access names; undefined for a malformed id. */
  asked: { targetId: string; channelId: string } | undefined;
}

/** Returns the address of a channel's link. */
export function addressOfChannel(ctx: Context, channelId: string): PageAddress {
  const targetId = isUuid(channelId) ? channelId : undefined;
  const place = targetId === undefined ? undefined : findPlace(ctx, targetId);
  // Ids of any form end up in links, so that malformed ones don't stand out.
  const asked = targetId === undefined ? undefined : { targetId, channelId: targetId };
  return { path: pathOfChannel(channelId), place, asked };
}

/** Returns the path of a channel's page below the base URL. */
export function pathOfChannel(channelId: string): string {
  return `/install/channels/${encodeURIComponent(channelId)}`;
}

/** Returns the short address of a channel, or one that no channel has. */
export function addressOfSlug(slug: string, channelId: string | undefined, ctx: Context): PageAddress {
  const place = findPlace(ctx, channelId ?? noChannel.id);
  // The same for every slug, so that having asked at one address says nothing about another.
  const targetId = uuidOfText(slug);
  return { path: `/i/${encodeURIComponent(slug)}`, place, asked: { targetId, channelId: channelId ?? targetId } };
}

/** Returns an id for a slug, whether a channel has it or not. */
function uuidOfText(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** A channel that a visitor may install from. `developerId` is null for public channels. */
export interface Admitted {
  place: Place;
  developerId: string | null;
}

/** What the page of a link shows: a channel, and on computers its siblings. */
export interface Visit extends Admitted {
  others: readonly Admitted[];
}

/**
 * Returns what the page of a link shows to a visitor. Phones of another platform than the channel's get its sibling if the
 * visitor may install from it, and computers get both. A visitor who may not gets the same as without a sibling.
 */
export function receiveVisitor(ctx: Context, address: PageAddress): Visit | AccessState {
  const admitted = admitVisitor(ctx, address);
  const own = 'kind' in admitted ? admitted : { ...admitted, others: [] };
  const platform = platformOfVisitor(ctx);
  if (!('kind' in own) && own.place.platform === platform) return own;
  // A private link shows nothing to strangers, not even a public sibling: otherwise it would differ from a missing one.
  if ('kind' in own && !isDeveloper(ctx)) return own;
  // For people without access, also if the channel is missing or for their phone: otherwise it would take longer than others.
  const results = findSiblingPlaces(ctx, address).flatMap((place) => {
    const result = admitToSibling(ctx, address.path, place, 'kind' in own);
    return result === undefined || (platform !== null && place?.platform !== platform) ? [] : [result];
  });
  if (platform !== null) {
    const [result] = results;
    if (result === undefined) return own;
    return 'kind' in result ? result : { ...result, others: [] };
  }
  const open = results.flatMap((result) => ('kind' in result ? [] : [result]));
  if (!('kind' in own)) return { ...own, others: open };
  const [first, ...others] = open;
  return first === undefined ? own : { ...first, others };
}

/**
 * Admits a visitor to the sibling of a link's channel, or to none. `needsOwnAccess`: the visitor may not install from the channel
 * itself, so that only their own access to the sibling counts, not that it is public. Returns undefined without access.
 */
function admitToSibling(
  ctx: Context,
  path: string,
  place: Place | undefined,
  needsOwnAccess: boolean,
): Admitted | AccessState | undefined {
  // Looked up for missing siblings too, so that they aren't found faster.
  const isOwn = isDeveloper(ctx) && mayInstall(ctx, ctx.actor.id, place ?? { channel: noChannel });
  if (place === undefined) return undefined;
  if (place.channel.isPublic && (isOwn || !needsOwnAccess)) return { place, developerId: null };
  if (!isOwn || !ctx.actor.mayWrite) return undefined;
  return findRequirement(ctx, place.organizationId, path) ?? { place, developerId: ctx.actor.id };
}

/**
 * Returns the siblings of a channel, with undefined for each that is missing: the lookups are the same for a channel without
 * siblings, and for a missing one.
 */
export function findSiblingPlaces(ctx: Context, { place }: PageAddress): (Place | undefined)[] {
  const siblings = listSiblingChannels(ctx, place?.channel.id ?? noChannel.id);
  return allPlatforms.slice(1).map((_, at) => findPlace(ctx, siblings[at]?.id ?? noChannel.id));
}

/**
 * Returns the channel if the visitor may install from it, and otherwise what they can do. `developerId` is null for public
 * channels. The answer for a private channel is the same as for a missing one unless the visitor may install from it.
 */
export function admitVisitor(ctx: Context, { path, place, asked }: PageAddress): Admitted | AccessState {
  if (place?.channel.isPublic === true) return { place, developerId: null };
  const admitted = admitPerson(ctx, { path, asked, isAskable: true }, (developerId) =>
    // Looked up for missing channels too, so that they aren't found faster.
    mayInstall(ctx, developerId, place ?? { channel: noChannel }) ? place : undefined,
  );
  return 'kind' in admitted ? admitted : { place: admitted.found, developerId: admitted.developerId };
}

/**
 * Returns what `find` returns for the person whose session the browser has, and otherwise what the visitor can do.
 * `isAskable`: the page has a team that can be asked for access.
 */
export function admitPerson<Found extends { organizationId: string }>(
  ctx: Context,
  { path, asked, isAskable }: Pick<PageAddress, 'path' | 'asked'> & { isAskable: boolean },
  find: (developerId: string) => Found | undefined,
): { found: Found; developerId: string } | AccessState {
  const { base_url: baseUrl } = ctx.config.server;
  const signInUrl = signInPage(baseUrl, path);
  if (!isDeveloper(ctx)) return { kind: 'sign_in', signInUrl };
  const { id: developerId, email, isVerified, mayWrite } = ctx.actor;
  const accountUrl = `${baseUrl}/me`;
  const sendsMail = sendsEmail(ctx.config);
  const unverified = { kind: 'verify_email', email, accountUrl, sendsMail } as const;
  if (!mayWrite) return unverified;
  const found = find(developerId);
  if (found === undefined) {
    // The team would grant access to the address, which isn't verified.
    if (!isVerified) return unverified;
    if (asked !== undefined && hasAskedForAccess(ctx, developerId, asked.targetId)) {
      return { kind: 'access_asked', sendsMail };
    }
    const otherAccountUrl = `${signInUrl}&account=other`;
    const requestUrl = isAskable ? `${baseUrl}${path}/access-request` : null;
    return { kind: 'no_access', email, signInUrl: otherAccountUrl, requestUrl };
  }
  return findRequirement(ctx, found.organizationId, path) ?? { found, developerId };
}

/** Returns what a person with access must do before, or undefined. */
function findRequirement(ctx: DeveloperContext, organizationId: string, path: string): AccessState | undefined {
  const { base_url: baseUrl } = ctx.config.server;
  const accountUrl = `${baseUrl}/me`;
  try {
    checkMemberRequirements(ctx, organizationId);
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'mfa_enrollment_required') {
      return { kind: 'two_factor_needed', accountUrl };
    }
    if (error instanceof AppError && error.details.reason === 'email_sign_in_not_allowed') {
      return { kind: 'sign_in_otherwise', signInUrl: `${signInPage(baseUrl, path)}&account=other`, accountUrl };
    }
    throw error;
  }
}

/** The sign-in page that returns to a page of ours. */
export function signInPage(baseUrl: string, path: string): string {
  return `${baseUrl}/sign-in?back=${encodeURIComponent(path)}`;
}
