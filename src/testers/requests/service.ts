// The rules for answering requests for access to a channel.
import {
  ACCESS_REQUEST_JOB,
  ACCESS_REQUEST_LIFETIME_MS,
  deleteAccessRequests,
  deleteOldAccessRequests,
  findAccessRequest,
  type ListedAccessRequest,
  listAccessRequests,
  listUnannouncedRequests,
  markAnnounced,
  markDeclined,
} from '../../channels/access-requests.ts';
import { channelPageUrl } from '../../channels/install-links.ts';
import { type ChannelRow, findChannel, loadChannel } from '../../channels/store.ts';
import type { Context, ProjectContext, Tx } from '../../core/context.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { deleteInSteps } from '../../core/transact-steps.ts';
import type { EventName } from '../../events.ts';
import { MINUTE, timestamp } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { mailOnce } from '../../mail/cooldowns.ts';
import { accessGrantedMail, accessRequestsMail } from '../../mail/templates/testers.ts';
import { createGrant } from '../grants/service.ts';
import { isGranted } from '../grants/store.ts';
import { describeTarget } from '../target.ts';
import type { AccessRequest } from './schema.ts';
import { listMaintainerAddresses } from './store.ts';

/** Named in one email; more are counted. */
const MAX_NAMED = 10;
/** People of a team who get an email about requests. */
const MAX_RECIPIENTS = 20;

function toRequest(channel: ChannelRow, row: ListedAccessRequest): AccessRequest {
  return {
    identifier: row.id,
    organization_id: channel.organizationId,
    project_id: channel.projectId,
    channel_id: channel.id,
    developer_id: row.developerId,
    email: row.email,
    display_name: row.displayName,
    created_at: timestamp(row.createdAt),
  };
}

/** Returns a page of the open requests for a channel, newest first. */
export function listRequests(ctx: ProjectContext, channelId: string, request: PageRequest): Page<AccessRequest> {
  const channel = loadChannel(ctx, ctx.project.id, channelId);
  return readPage(
    ctx,
    request,
    (before, limit) => listAccessRequests(ctx, channelId, { before, limit }),
    (row) => toRequest(channel, row),
  );
}

/** Gives the person access to the channel and emails them the link. Throws `not_found` if the request isn't open. */
export function grantRequest(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => {
    const { row, channel } = loadOpen(tx, ctx.project.id, id);
    const { organizationId, projectId, id: channelId } = channel;
    const { developerId, email } = row;
    const target = { organizationId, projectId, channelId };
    deleteAccessRequests(tx, developerId, target);
    recordRequest(tx, 'access_request.granted', row, channel);
    if (!isGranted(tx, target, developerId)) createGrant(tx, target, { email, developerId });
    const content = accessGrantedMail(channelPageUrl(tx.config.server.base_url, channelId), describeTarget(tx, target));
    tx.mail({ kind: 'access_granted', to: email, content });
  });
}

/** Declines a request. The person isn't told, and can ask again in a month. Throws `not_found` if the request isn't open. */
export function declineRequest(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => {
    const { row, channel } = loadOpen(tx, ctx.project.id, id);
    markDeclined(tx, row.developerId, channel.id);
    recordRequest(tx, 'access_request.declined', row, channel);
  });
}

function loadOpen(tx: Tx, projectId: string, id: string): { row: ListedAccessRequest; channel: ChannelRow } {
  const row = findAccessRequest(tx, id);
  if (row === undefined || row.channelId === null) throw notFound();
  return { row, channel: loadChannel(tx, projectId, row.channelId) };
}

function recordRequest(tx: Tx, event: EventName, { id, email, developerId }: ListedAccessRequest, channel: ChannelRow) {
  tx.record(event, {
    identifier: id,
    organizationId: channel.organizationId,
    projectId: channel.projectId,
    details: { email, developer_id: developerId, channel_id: channel.id },
  });
}

/** Emails the team of a channel about new requests. Does nothing for a channel that doesn't exist. */
export function runAccessRequestJob(ctx: Context, payload: Record<string, unknown>): void {
  const { channel_id: channelId } = payload;
  const channel = typeof channelId === 'string' ? findChannel(ctx, channelId) : undefined;
  if (channel !== undefined) announceRequests(ctx, channel);
}

function announceRequests(ctx: Context, channel: ChannelRow): void {
  ctx.transact(
    (tx) => {
      const rows = listUnannouncedRequests(tx, channel.id, MAX_NAMED + 1);
      if (rows.length === 0) return;
      const { organizationId, projectId, id: channelId } = channel;
      const url = `${tx.config.server.base_url}/projects/${projectId}/channels/${channelId}`;
      const about = {
        ...describeTarget(tx, { organizationId, projectId, channelId }),
        people: rows.slice(0, MAX_NAMED),
        hasMore: rows.length > MAX_NAMED,
      };
      const content = accessRequestsMail(url, about);
      const addresses = listMaintainerAddresses(tx, channel, MAX_RECIPIENTS);
      const mailed = addresses.filter((email) => mailOnce(tx, `access_requests ${channelId}`, email, () => content));
      if (mailed.length > 0) {
        markAnnounced(
          tx,
          rows.map(({ id }) => id),
        );
      } else if (addresses.length > 0) {
        // Everyone was just emailed about earlier requests.
        announceLater(tx, channelId);
      }
    },
    { bookkeeping: true },
  );
}

/** Queues the email about requests for the end of the cooldown. */
function announceLater(tx: Tx, channelId: string): void {
  const payload = { channel_id: channelId };
  const delayMs = tx.config.limits.transactional_email_minutes * MINUTE;
  tx.enqueue({ kind: ACCESS_REQUEST_JOB, payload, dedupeKey: channelId, delayMs });
}

/** Deletes up to `max` expired requests. Returns the number deleted. */
export function sweepAccessRequests(ctx: Context, max: number): Promise<number> {
  return deleteInSteps(ctx, max, (tx, rows) => deleteOldAccessRequests(tx, tx.now - ACCESS_REQUEST_LIFETIME_MS, rows));
}
