// The rules of inviting testers into a channel: a link for ten minutes that works once.

import { loadChannel } from '../../channels/store.ts';
import { developerIdOf, responsibleIdOf } from '../../core/actor.ts';
import type { Context, DeveloperContext, ProjectContext, Tx } from '../../core/context.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { loadDeveloper } from '../../developers/store.ts';
import { checkWriteLock } from '../../http/organization-lock.ts';
import { MINUTE, timestamp, timestampOrNull } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { claimMail } from '../../mail/cooldowns.ts';
import { channelInvitationMail } from '../../mail/templates.ts';
import { loadOrganization } from '../../organizations/store.ts';
import { createGrant } from '../grants/service.ts';
import { isGranted } from '../grants/store.ts';
import { checkMemberRequirements } from '../member-requirements.ts';
import { describeTarget } from '../target.ts';
import { recordChannelInvitation } from './record.ts';
import type { AcceptedChannelInvite, ChannelInvite, ChannelInvitePreview, NewChannelInvite } from './schema.ts';
import { isBackedBySender } from './sender-role.ts';
import * as store from './store.ts';

/** Specification part 5, Lifetimes. */
const LIFETIME_MS = 10 * MINUTE;
const TOKEN_PREFIX = 'svc_tst_';

export const INVITATION_PAGE = '/testers/invites';

function toInvite(row: store.InvitationRow): ChannelInvite {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    channel_id: row.channelId,
    email: row.email,
    invited_at: timestamp(row.createdAt),
    expires_at: timestamp(row.expiresAt),
    invited_by_developer_id: row.invitedBy,
    accepted_at: timestampOrNull(row.acceptedAt),
    accepted_by_developer_id: row.acceptedBy,
  };
}

/**
 * Mints an invitation into a channel, bound to an address if one is given, which is then mailed the link unless it was a few
 * minutes ago for this channel. The answer alone carries the token.
 */
export function inviteTester(ctx: ProjectContext, channelId: string, email: string | null): NewChannelInvite {
  return ctx.transact((tx) => {
    const channel = loadChannel(tx, ctx.project.id, channelId);
    const token = tx.secrets.token(TOKEN_PREFIX);
    const row: store.InvitationRow = {
      id: tx.ids.next(),
      organizationId: channel.organizationId,
      projectId: channel.projectId,
      channelId,
      email,
      tokenHash: tx.secrets.hash(token),
      invitedBy: developerIdOf(tx.actor),
      backedBy: responsibleIdOf(tx.actor),
      createdAt: tx.now,
      expiresAt: tx.now + LIFETIME_MS,
      acceptedAt: null,
      acceptedBy: null,
    };
    store.insertInvitation(tx, row);
    const url = `${tx.config.server.base_url}${INVITATION_PAGE}/${token}`;
    if (email !== null && claimMail(tx, `channel_invitation ${channelId}`, email)) sendLink(tx, row, email, url);
    recordChannelInvitation(tx, 'channel_tester_invite.created', row);
    return { ...toInvite(row), invite_token: token, invite_url: url };
  });
}

function sendLink(tx: Tx, row: store.InvitationRow, to: string, url: string): void {
  const { actor } = tx;
  const mail = channelInvitationMail(url, {
    place: describeTarget(tx, row),
    inviterName: actor.kind === 'developer' ? actor.displayName : null,
    expiresAt: row.expiresAt,
  });
  tx.mail({ kind: 'channel_invitation', to, ...mail });
}

/** One page of the invitations into a channel that are open or were accepted, newest first. */
export function listInvites(ctx: ProjectContext, channelId: string, request: PageRequest): Page<ChannelInvite> {
  loadChannel(ctx, ctx.project.id, channelId);
  return readPage(ctx, request, (before, limit) => store.listInvitations(ctx, channelId, before, limit), toInvite);
}

/** Takes an open invitation back: its link stops. Throws not_found for any other, whatever became of it. */
export function revokeInvite(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => {
    const row = store.takeOpenInvitation(tx, ctx.project.id, id);
    if (row === undefined) throw notFound();
    recordChannelInvitation(tx, 'channel_tester_invite.revoked', row);
  });
}

/** What the link leads to, for whoever holds it. Throws not_found for a link that works no more, whatever became of it. */
export function previewInvite(ctx: Context, token: string): ChannelInvitePreview {
  const found = store.findPreview(ctx, ctx.secrets.hash(token));
  if (found === undefined) throw notFound();
  const { invitation, organizationName, projectName, channelName } = found;
  return {
    organization_id: invitation.organizationId,
    organization_name: organizationName,
    project_id: invitation.projectId,
    project_name: projectName,
    channel_id: invitation.channelId,
    channel_name: channelName,
    expires_at: timestamp(invitation.expiresAt),
  };
}

/**
 * Accepts an invitation: of any number of uses at once one wins. The caller's own verified address must be the invited one.
 * Throws not_found for everything else, so that a link tells nothing about whom it was sent to, and the refusals of an
 * organization that is locked, or asks its members for a second factor.
 */
export function acceptInvite(ctx: DeveloperContext, token: string): AcceptedChannelInvite {
  return ctx.transact((tx) => {
    const { id: developerId, email, emailVerifiedAt } = loadDeveloper(tx, ctx.actor.id);
    const wanted = { tokenHash: tx.secrets.hash(token), email, developerId };
    const row = emailVerifiedAt === null ? undefined : store.consumeInvitation(tx, wanted);
    if (row === undefined || !isBackedBySender(tx, row)) throw notFound();
    checkMemberRequirements(ctx, row.organizationId);
    checkWriteLock(loadOrganization(tx, row.organizationId).lockReason);
    const { organizationId, projectId, channelId } = row;
    recordChannelInvitation(tx, 'channel_tester_invite.accepted', row);
    const target = { organizationId, projectId, channelId };
    if (!isGranted(tx, target, developerId)) createGrant(tx, target, { email, developerId });
    return { organization_id: organizationId, project_id: projectId, channel_id: channelId };
  });
}
