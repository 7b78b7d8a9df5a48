// Requests for access to a channel. Asking has the same effect whether the channel exists or not; only its team sees a request.
import { and, desc, eq, inArray, isNull, lt, lte } from 'drizzle-orm';
import type { App, DeveloperContext, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import { accessRequests, channels, developers } from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { DAY, MINUTE } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Platform } from '../platforms.ts';
import { findChannel } from './store.ts';

type AccessRequestRow = typeof accessRequests.$inferSelect;
type Db = Pick<App, 'db'>;

export const ACCESS_REQUEST_JOB = 'notify_access_requests';

/** A request that nobody answered is deleted after this time. */
export const ACCESS_REQUEST_LIFETIME_MS = 30 * DAY;
/** How many channels an account may ask for at a time. */
export const MAX_OPEN_REQUESTS = 20;
/** Requests that arrive together are sent in one email. */
const COLLECT_MS = MINUTE;

const isOpen = isNull(accessRequests.declinedAt);

/** Returns whether a developer has asked for access to a channel. A declined request still counts until it is deleted. */
export function hasAskedForAccess({ db }: Db, developerId: string, targetId: string): boolean {
  const row = db
    .select({ id: accessRequests.id })
    .from(accessRequests)
    .where(and(eq(accessRequests.developerId, developerId), eq(accessRequests.targetId, targetId)))
    .get();
  return row !== undefined;
}

/** The address at which a person asks. */
interface AskedAddress {
  path: string;
  targetId: string;
  /** The channel that the address leads to, whether it exists or not. */
  channelId: string;
}

/**
 * Asks the team of a channel for access. Does nothing if the caller has already asked, and shows the team nothing if it declined a
 * request of the caller. Throws `rate_limit_exceeded` if they have
 * asked for 20 channels.
 */
export function askForAccess(ctx: DeveloperContext, { path, targetId, channelId }: AskedAddress): void {
  // The team grants access to the address that the request shows.
  if (!ctx.actor.isVerified) throw new AppError('email_not_verified');
  ctx.transact((tx) => {
    const { id: developerId } = ctx.actor;
    if (hasAskedForAccess(tx, developerId, targetId)) return;
    const others = listRequestsOf(tx, developerId);
    if (others.length >= MAX_OPEN_REQUESTS) {
      const message = `You have asked for access to ${MAX_OPEN_REQUESTS} apps. Wait until their teams have answered`;
      throw new AppError('rate_limit_exceeded', message, {}, { 'retry-after': String(DAY / 1000) });
    }
    const channel = findChannel(tx, channelId);
    // A person whom the team declined can't ask at another address of the channel, and can ask again at the same time at all of them.
    const declined = others.find((one) => one.declinedAt !== null && one.channelId === channel?.id);
    const row: AccessRequestRow = {
      id: tx.ids.next(),
      targetId,
      channelId: channel?.id ?? null,
      organizationId: channel?.organizationId ?? null,
      developerId,
      createdAt: declined?.createdAt ?? tx.now,
      notifiedAt: null,
      declinedAt: declined?.declinedAt ?? null,
    };
    tx.db.insert(accessRequests).values(row).run();
    // Only in the trail of the person, and with the address alone: an id would show whether a short address leads to a channel.
    const details = { address: path };
    tx.record('access_request.created', { identifier: row.id, organizationId: null, developerId, details });
    const payload = { channel_id: channelId };
    tx.enqueue({ kind: ACCESS_REQUEST_JOB, payload, dedupeKey: channelId, delayMs: COLLECT_MS });
  });
}

/** Returns the requests of an account, at most 20. */
function listRequestsOf({ db }: Db, developerId: string) {
  const { channelId, createdAt, declinedAt } = accessRequests;
  return db
    .select({ channelId, createdAt, declinedAt })
    .from(accessRequests)
    .where(eq(accessRequests.developerId, developerId))
    .all();
}

/** A request with the account that made it. */
export interface ListedAccessRequest extends AccessRequestRow {
  email: string;
  displayName: string;
}

/** Returns the open requests for a channel with ids below `before`, newest first. */
export function listAccessRequests(
  { db }: Db,
  channelId: string,
  { before, limit }: { before: string; limit: number },
): ListedAccessRequest[] {
  return db
    .select({ request: accessRequests, email: developers.email, displayName: developers.displayName })
    .from(accessRequests)
    .innerJoin(developers, eq(developers.id, accessRequests.developerId))
    .where(and(eq(accessRequests.channelId, channelId), isOpen, lt(accessRequests.id, before)))
    .orderBy(desc(accessRequests.id))
    .limit(limit)
    .all()
    .map(({ request, ...person }) => ({ ...request, ...person }));
}

/** A channel with open requests, among the newest ones of its organization. */
interface RequestedChannel {
  channelId: string;
  channelName: string;
  projectId: string;
  projectName: string;
  platform: Platform;
  requests: number;
  since: number;
}

/** Requests of an organization that are grouped by channel, so that reads stay cheap. */
const MAX_GROUPED = 1_000;

const requestedChannels = prepared((db) =>
  db.$client.prepare<[{ organizationId: string; max: number }], RequestedChannel>(
    `SELECT c.id AS channelId, c.name AS channelName, p.id AS projectId, p.name AS projectName, p.platform,
        count(DISTINCT r.developer_id) AS requests, min(r.created_at) AS since
      FROM (SELECT channel_id, developer_id, created_at FROM access_requests
             WHERE organization_id = @organizationId AND declined_at IS NULL ORDER BY id DESC LIMIT @max) r
        JOIN channels c ON c.id = r.channel_id
        JOIN projects p ON p.id = c.project_id
      GROUP BY c.id ORDER BY since`,
  ),
);

/** Returns the channels of an organization with open requests, those that waited longest first. */
export function listRequestedChannels(app: Db, organizationId: string): RequestedChannel[] {
  return requestedChannels(app).all({ organizationId, max: MAX_GROUPED });
}

/** Returns an open request with its account, or undefined. */
export function findAccessRequest({ db }: Db, id: string): ListedAccessRequest | undefined {
  const row = db
    .select({ request: accessRequests, email: developers.email, displayName: developers.displayName })
    .from(accessRequests)
    .innerJoin(developers, eq(developers.id, accessRequests.developerId))
    .where(and(eq(accessRequests.id, id), isOpen))
    .get();
  return row && { ...row.request, email: row.email, displayName: row.displayName };
}

/** Returns the location of a request for an existing channel, for access declarations. */
export function locateAccessRequest({ db }: Db, id: string): Location | undefined {
  return db
    .select({
      organizationId: channels.organizationId,
      projectId: channels.projectId,
      channelId: channels.id,
    })
    .from(accessRequests)
    .innerJoin(channels, eq(channels.id, accessRequests.channelId))
    .where(eq(accessRequests.id, id))
    .get();
}

/** Returns the open requests for a channel about which its team hasn't been emailed, oldest first. */
export function listUnannouncedRequests({ db }: Db, channelId: string, limit: number): ListedAccessRequest[] {
  return db
    .select({ request: accessRequests, email: developers.email, displayName: developers.displayName })
    .from(accessRequests)
    .innerJoin(developers, eq(developers.id, accessRequests.developerId))
    .where(and(eq(accessRequests.channelId, channelId), isOpen, isNull(accessRequests.notifiedAt)))
    .orderBy(accessRequests.id)
    .limit(limit)
    .all()
    .map(({ request, ...person }) => ({ ...request, ...person }));
}

/** Records that the team was emailed about requests. */
export function markAnnounced(tx: Tx, ids: readonly string[]): void {
  tx.db
    .update(accessRequests)
    .set({ notifiedAt: tx.now })
    .where(inArray(accessRequests.id, [...ids]))
    .run();
}

/** The open requests of a developer for a channel: a person may ask at its link and at its short address. */
const isOf = (developerId: string, channelId: string) =>
  and(eq(accessRequests.developerId, developerId), eq(accessRequests.channelId, channelId), isOpen);

/** Declines the requests of a developer for a channel. They stay stored until they expire, so that the person can't ask again. */
export function markDeclined(tx: Tx, developerId: string, channelId: string): void {
  tx.db.update(accessRequests).set({ declinedAt: tx.now }).where(isOf(developerId, channelId)).run();
}

/** An organization, a project or a channel. Ids below the narrowest one are null. */
interface RequestPlace {
  organizationId: string;
  projectId: string | null;
  channelId: string | null;
}

/** Deletes the open requests of a developer for a channel, or for the channels of a project or an organization. */
export function deleteAccessRequests(tx: Tx, developerId: string, place: RequestPlace): void {
  const { organizationId, projectId, channelId } = place;
  const isWithin = projectId === null ? eq(channels.organizationId, organizationId) : eq(channels.projectId, projectId);
  const isIn =
    channelId === null
      ? inArray(accessRequests.channelId, tx.db.select({ id: channels.id }).from(channels).where(isWithin))
      : eq(accessRequests.channelId, channelId);
  tx.db
    .delete(accessRequests)
    .where(and(eq(accessRequests.developerId, developerId), isIn, isOpen))
    .run();
}

/** Deletes up to `max` requests from before a time. Returns the number deleted. */
export function deleteOldAccessRequests(tx: Tx, createdBefore: number, max: number): number {
  return deleteUpTo(tx, accessRequests.id, lte(accessRequests.createdAt, createdBefore), max);
}
