// Feed tokens: the part of a private feed's address that stands for a person, because app stores on phones send no credentials.

import type { Context, DeveloperContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { MAX_RECORDED, TAKEN_OVER } from '../core/role-changes.ts';
import { findDeveloper } from '../developers/store.ts';
import { checkWriteLock } from '../http/organization-lock.ts';
import { findPublicPlace, mayInstall } from '../install/offers.ts';
import { findPlace, type Place } from '../install/store.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { admitsTokenOf, checkMemberRequirements } from '../organizations/member-requirements.ts';
import { isUuid } from '../runtime/ids.ts';
import { type Feed, feedUrl, listItems } from './content.ts';
import { writeObtainiumLink } from './documents.ts';
import { readFingerprint } from './keys.ts';
import { feedFacts, feedKinds, offers } from './kinds.ts';
import type { ChannelFeeds, FeedAddresses, FeedToken, FeedTokenInput, NewFeedToken } from './schema.ts';
import * as store from './store.ts';

/** Tokens of a person for one channel. */
const MAX_TOKENS = 10;
const PREFIX = 'svc_feed_';
/** Longer keys aren't looked up. */
const MAX_KEY_CHARACTERS = 100;

/**
 * Returns the feeds of an address: those of a public channel by its id, or those of any channel by a token whose owner may install
 * from it now. Throws `not_found` for every other address.
 */
export function openFeed(ctx: Context, key: string): Feed {
  if (isUuid(key)) {
    const place = findPublicPlace(ctx, key);
    if (place !== undefined) return { place, key, token: null };
  } else if (key.startsWith(PREFIX) && key.length <= MAX_KEY_CHARACTERS) {
    const token = store.findTokenByHash(ctx, ctx.secrets.hash(key));
    const place = token && findPlace(ctx, token.channelId);
    if (token !== undefined && place !== undefined && hasAccess(ctx, token, place)) return { place, key, token };
  }
  throw notFound();
}

/** The token stops working immediately if its owner loses access or the account, or no longer meets the organization's requirements. */
function hasAccess(ctx: Context, { developerId }: store.FeedTokenRow, place: Place): boolean {
  const owner = findDeveloper(ctx, developerId);
  if (owner === undefined || !mayInstall(ctx, developerId, place)) return false;
  return admitsTokenOf(ctx, place.organizationId, owner);
}

/** Returns the place of a channel that the caller may install from. Throws `not_found` otherwise, and if it requires more of them. */
function loadOwnPlace(ctx: DeveloperContext, channelId: string): Place {
  const place = findPlace(ctx, channelId);
  if (place === undefined || !mayInstall(ctx, ctx.actor.id, place)) throw notFound();
  checkMemberRequirements(ctx, place.organizationId);
  return place;
}

/** Returns the addresses of a channel's public feeds, and what clients need to trust its repository. */
export async function readChannelFeeds(ctx: DeveloperContext, channelId: string): Promise<ChannelFeeds> {
  const place = loadOwnPlace(ctx, channelId);
  const fingerprint = offers(place.platform, 'fdroid') ? await readFingerprint(ctx, place.organizationId) : null;
  return {
    channel_id: channelId,
    fingerprint,
    public: place.channel.isPublic ? toAddresses(ctx, { place, key: channelId }, fingerprint) : null,
  };
}

function toAddresses(ctx: Context, feed: Pick<Feed, 'place' | 'key'>, fingerprint: string | null): FeedAddresses {
  const { platform, channel } = feed.place;
  const url = feedUrl(ctx, feed.key);
  const urls = Object.fromEntries(
    feedKinds.map((kind) => [`${kind}_url`, offers(platform, kind) ? `${url}/${feedFacts[kind].path}` : null]),
  ) as Omit<FeedAddresses, 'fdroid_link' | 'obtainium_link'>;
  // fdroidrepo for http, fdroidrepos for https.
  const link = urls.fdroid_url && `${urls.fdroid_url.replace(/^http/, 'fdroidrepo')}?fingerprint=${fingerprint}`;
  return {
    ...urls,
    fdroid_link: link,
    obtainium_link: offers(platform, 'obtainium') ? writeObtainiumLink(ctx, feed, listItems(ctx, channel.id)) : null,
  };
}

const toItem = ({ id, channelId, note, createdAt }: store.FeedTokenRow): FeedToken => ({
  identifier: id,
  channel_id: channelId,
  note,
  created_at: timestamp(createdAt),
});

/**
 * Creates a token of the caller for a channel. Only the response contains it. Throws `not_found` for a channel that the caller may
 * not install from, `quota_exceeded` if they have too many tokens for it, and the error of a locked organization.
 */
export async function createFeedToken(
  ctx: DeveloperContext,
  channelId: string,
  input: FeedTokenInput,
): Promise<NewFeedToken> {
  const before = loadOwnPlace(ctx, channelId);
  // Checked before a key is created too.
  checkWriteLock(ctx, before);
  const { platform, organizationId } = before;
  const fingerprint = offers(platform, 'fdroid') ? await readFingerprint(ctx, organizationId) : null;
  return ctx.transact((tx) => {
    // The channel or the access may be gone since.
    tx.confirmAccess();
    const place = loadOwnPlace(ctx, channelId);
    checkWriteLock(tx, place);
    const developerId = ctx.actor.id;
    if (store.countOwnTokens(tx, { channelId, developerId }) >= MAX_TOKENS) {
      const message = `You can have at most ${MAX_TOKENS} feed tokens for a channel. Revoke one first`;
      throw new AppError('quota_exceeded', message, { limit: MAX_TOKENS });
    }
    const token = tx.secrets.token(PREFIX);
    const row: store.FeedTokenRow = {
      id: tx.ids.next(),
      organizationId: place.organizationId,
      projectId: place.projectId,
      channelId,
      developerId,
      tokenHash: tx.secrets.hash(token),
      note: input.note ?? null,
      createdAt: tx.now,
    };
    store.insertToken(tx, row);
    recordToken(tx, 'feed_token.created', row);
    return { ...toItem(row), token, feeds: toAddresses(ctx, { place, key: token }, fingerprint) };
  });
}

/** Returns a page of the caller's tokens for a channel, newest first, also after they lost access. */
export function listFeedTokens(ctx: DeveloperContext, channelId: string, request: PageRequest): Page<FeedToken> {
  const of = { channelId, developerId: ctx.actor.id };
  return readPage(ctx, request, (before, limit) => store.listOwnTokens(ctx, of, before, limit), toItem);
}

/** Revokes a token of the caller: it is deleted. Throws `not_found` for any other. */
export function revokeFeedToken(ctx: DeveloperContext, id: string): void {
  ctx.transact((tx) => {
    const row = store.findOwnToken(tx, ctx.actor.id, id);
    if (row === undefined) throw notFound();
    store.deleteToken(tx, id);
    recordToken(tx, 'feed_token.revoked', row);
  });
}

/** Revokes the tokens of an account that another person may have created. */
export function endFeedTokensOf(tx: Tx, developerId: string): void {
  for (const row of store.deleteTokensOf(tx, developerId).slice(0, MAX_RECORDED)) {
    recordToken(tx, 'feed_token.revoked', row, { reason: TAKEN_OVER });
  }
}

function recordToken(
  tx: Tx,
  event: 'feed_token.created' | 'feed_token.revoked',
  row: store.FeedTokenRow,
  more: Record<string, unknown> = {},
): void {
  tx.record(event, {
    identifier: row.id,
    organizationId: row.organizationId,
    projectId: row.projectId,
    details: { channel_id: row.channelId, ...(row.note === null ? {} : { note: row.note }), ...more },
  });
}
