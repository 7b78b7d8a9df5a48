// The rules for channel invitations: a link that works once and expires in ten minutes.

import { loadChannel } from '../../channels/store.ts';
import { developerIdOf, mayWrite, responsibleIdOf } from '../../core/actor.ts';
import type { Context, DeveloperContext, ProjectContext, Tx } from '../../core/context.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { loadDeveloper } from '../../developers/store.ts';
import { checkWriteLock } from '../../http/organization-lock.ts';
import { timestamp, timestampOrNull } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { CHANNEL_INVITATION_LIFETIME_MS } from '../../lib/lifetimes.ts';
import { claimChosenMail } from '../../mail/cooldowns.ts';
import { channelInvitationMail } from '../../mail/templates/testers.ts';
import { checkMemberRequirements } from '../../organizations/member-requirements.ts';
import { loadOrganization } from '../../organizations/store.ts';
import { createGrant } from '../grants/service.ts';
import { isGranted } from '../grants/store.ts';
import { describeTarget } from '../target.ts';
import { recordChannelInvitation } from './record.ts';
import type { AcceptedChannelInvite, ChannelInvite, ChannelInvitePreview, NewChannelInvite } from './schema.ts';
import { isBackedBySender } from './sender-role.ts';
import * as store from './store.ts';

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
 * Creates a channel invitation, limited to an address if one is given. That address gets the link by email, unless it
 * got one for this channel a few minutes ago. Only the response contains the token.
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
      expiresAt: tx.now + CHANNEL_INVITATION_LIFETIME_MS,
      acceptedAt: null,
      acceptedBy: null,
    };
    store.insertInvitation(tx, row);
    const url = `${tx.config.server.base_url}${INVITATION_PAGE}/${token}`;
    const isMailed = email !== null && claimChosenMail(tx, `channel_invitation ${channelId}`, email) === undefined;
    if (isMailed) sendLink(tx, row, email, url);
    recordChannelInvitation(tx, 'channel_tester_invite.created', row);
    return { ...toInvite(row), invite_token: token, invite_url: url };
  });
}

function sendLink(tx: Tx, row: store.InvitationRow, to: string, url: string): void {
  const { actor } = tx;
  const content = channelInvitationMail(url, {
    ...describeTarget(tx, row),
    inviterName: actor.kind === 'developer' ? actor.displayName : null,
    expiresAt: row.expiresAt,
  });
  tx.mail({ kind: 'channel_invitation', to, content });
}

/** Returns a page of the open and accepted invitations to a channel, newest first. */
export function listInvites(ctx: ProjectContext, channelId: string, request: PageRequest): Page<ChannelInvite> {
  loadChannel(ctx, ctx.project.id, channelId);
  return readPage(ctx, request, (before, limit) => store.listInvitations(ctx, channelId, before, limit), toInvite);
}

/** Revokes an open invitation. Throws `not_found` for any other. */
export function revokeInvite(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => {
    const row = store.takeOpenInvitation(tx, ctx.project.id, id);
    if (row === undefined) throw notFound();
    recordChannelInvitation(tx, 'channel_tester_invite.revoked', row);
  });
}

/** Returns the preview of an invitation for a valid link. Throws `not_found` for all others. */
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
 * Accepts an invitation. Of concurrent calls, one succeeds. The caller's verified address must be the invited one.
 * Throws `not_found` otherwise, so that a link doesn't reveal its recipient, and the errors of an organization that is
 * locked or requires two-factor authentication.
 */
export function acceptInvite(ctx: DeveloperContext, token: string): AcceptedChannelInvite {
  return ctx.transact((tx) => {
    const developer = loadDeveloper(tx, ctx.actor.id);
    const { id: developerId, email } = developer;
    const wanted = { tokenHash: tx.secrets.hash(token), email, developerId };
    const row = mayWrite(developer) ? store.consumeInvitation(tx, wanted) : undefined;
    if (row === undefined || !isBackedBySender(tx, row)) throw notFound();
    checkMemberRequirements(ctx, row.organizationId);
    checkWriteLock(tx, loadOrganization(tx, row.organizationId));
    const { organizationId, projectId, channelId } = row;
    recordChannelInvitation(tx, 'channel_tester_invite.accepted', row);
    const target = { organizationId, projectId, channelId };
    if (!isGranted(tx, target, developerId)) createGrant(tx, target, { email, developerId });
    return { organization_id: organizationId, project_id: projectId, channel_id: channelId };
  });
}
