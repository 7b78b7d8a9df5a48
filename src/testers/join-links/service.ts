// The rules for join links: who can create them, and their lists.

import { loadChannel } from '../../channels/store.ts';
import { developerIdOf, responsibleIdOf } from '../../core/actor.ts';
import type { App, Context, ProjectContext } from '../../core/context.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { removeRow } from '../../core/removal.ts';
import { DAY, timestamp, timestampOrNull } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { requireDomain } from '../../saml/domain-name.ts';
import { expiryMoment } from '../../tokens/expiry.ts';
import { recordJoinLink } from './record.ts';
import { deleteOldRemovals } from './removals.ts';
import type { CreateJoinLink, JoinLink, NewJoinLink } from './schema.ts';
import { isBackedByCreator } from './sender-role.ts';
import * as store from './store.ts';

const TOKEN_PREFIX = 'svc_join_';
/** Links of a channel that are neither revoked nor expired. */
const MAX_LINKS = 100;
/** Revoked and expired links stay listed for a while, to show the origin of the access. */
const OLD_LINKS_KEPT_MS = 90 * DAY;

export const JOIN_PAGE = '/join';

function toJoinLink(app: Pick<App, 'db' | 'clock'>, row: store.JoinLinkRow): JoinLink {
  const state = store.stateOf(row, app.clock.time());
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    channel_id: row.channelId,
    label: row.label,
    state: state === 'expired' || isBackedByCreator(app, row) ? state : 'revoked',
    email_domain: row.emailDomain,
    max_people: row.maxPeople,
    joined: row.joined,
    created_at: timestamp(row.createdAt),
    created_by_developer_id: row.createdBy,
    expires_at: timestampOrNull(row.expiresAt),
    revoked_at: timestampOrNull(row.revokedAt),
  };
}

/**
 * Creates a join link of a channel. Only the response contains its token. Throws `quota_exceeded` if the channel has 100 links
 * that are neither revoked nor expired.
 */
export function createJoinLink(ctx: ProjectContext, channelId: string, body: CreateJoinLink): NewJoinLink {
  const emailDomain = body.email_domain == null ? null : requireDomain(body.email_domain, 'email_domain');
  return ctx.transact((tx) => {
    const channel = loadChannel(tx, ctx.project.id, channelId);
    if (store.countCurrentLinks(tx, channelId) >= MAX_LINKS) {
      throw new AppError('quota_exceeded', `A channel can have at most ${MAX_LINKS} join links. Revoke one first`, {
        limit: MAX_LINKS,
      });
    }
    const token = tx.secrets.token(TOKEN_PREFIX);
    const row: store.JoinLinkRow = {
      id: tx.ids.next(),
      organizationId: channel.organizationId,
      projectId: channel.projectId,
      channelId,
      label: body.label ?? null,
      tokenHash: tx.secrets.hash(token),
      emailDomain,
      maxPeople: body.max_people ?? null,
      joined: 0,
      createdBy: developerIdOf(tx.actor),
      backedBy: responsibleIdOf(tx.actor),
      createdAt: tx.now,
      expiresAt: expiryMoment(tx, body.expires_at),
      revokedAt: null,
    };
    store.insertJoinLink(tx, row);
    recordJoinLink(tx, 'join_link.created', row, {
      expires_at: timestampOrNull(row.expiresAt),
      max_people: row.maxPeople,
      email_domain: emailDomain,
    });
    return { ...toJoinLink(tx, row), join_url: `${tx.config.server.base_url}${JOIN_PAGE}/${token}` };
  });
}

/** Returns a page of the links of a channel, newest first, including those that no longer work. */
export function listJoinLinks(ctx: ProjectContext, channelId: string, request: PageRequest): Page<JoinLink> {
  loadChannel(ctx, ctx.project.id, channelId);
  return readPage(
    ctx,
    request,
    (before, limit) => store.listLinks(ctx, channelId, before, limit),
    (row) => toJoinLink(ctx, row),
  );
}

/** Revokes a link. People who joined with it keep their access. Throws `not_found` if it was already revoked or has expired. */
export function revokeJoinLink(ctx: ProjectContext, channelId: string, id: string): void {
  ctx.transact((tx) => {
    loadChannel(tx, ctx.project.id, channelId);
    const row = store.revokeLink(tx, { id, channelId });
    if (row === undefined) throw notFound();
    recordJoinLink(tx, 'join_link.revoked', row);
  });
}

/** Links deleted in one transaction. What references them is deleted in further steps. */
const LINKS_PER_RUN = 100;

/** Deletes up to 100 old links, and up to `max` removals that no link needs. Returns the number of rows deleted. */
export async function sweepJoinLinks(ctx: Context, max: number): Promise<number> {
  const links = ctx.transact(
    (tx) => {
      const ids = store.listOldLinks(tx, tx.now - OLD_LINKS_KEPT_MS, Math.min(max, LINKS_PER_RUN));
      for (const id of ids) removeRow(tx, 'join_links', id);
      return ids.length;
    },
    { bookkeeping: true, removes: true },
  );
  return links + (await deleteOldRemovals(ctx, max));
}
