// The rules of invitations: sent by email, valid for two weeks, with roles that the inviter may grant.

import { developerIdOf, responsibleIdOf } from '../core/actor.ts';
import type { App, OrganizationContext, ProjectContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { MINUTE, SECOND, timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { INVITATION_LIFETIME_MS } from '../lib/lifetimes.ts';
import { memberInvitationMail } from '../mail/templates.ts';
import { checkMayManageRole } from '../organizations/members/service.ts';
import { findMemberByEmail } from '../organizations/members/store.ts';
import { loadOrganization } from '../organizations/store.ts';
import type { OrganizationRole, ProjectRole } from '../permissions.ts';
import { organizationRoleReaches } from '../permissions.ts';
import { findProjectMember } from '../projects/members/store.ts';
import { loadProject } from '../projects/store.ts';
import { hasPendingAccess } from '../testers/pending-access.ts';
import { kindOf, recordInvitation } from './record.ts';
import type {
  NewOrganizationInvitation,
  NewProjectInvitation,
  OrganizationInvitation,
  OrganizationInvitationInput,
  ProjectInvitation,
  ProjectInvitationInput,
} from './schema.ts';
import {
  deleteInvitation,
  findOpenInvitation,
  type InvitationRow,
  insertInvitation,
  isInvited,
  isInvitedAnywhere,
  listOpenInvitations,
  renewInvitation,
  type Target,
} from './store.ts';

const TOKEN_PREFIX = 'svc_inv_';

const intoOrganization = ({ organization }: OrganizationContext): Target => ({
  organizationId: organization.id,
  projectId: null,
});
const intoProject = ({ organization, project }: ProjectContext): Target => ({
  organizationId: organization.id,
  projectId: project.id,
});

function commonFields(row: InvitationRow) {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    email: row.email,
    invited_by: row.invitedBy,
    created_at: timestamp(row.createdAt),
    sent_at: timestamp(row.sentAt),
    expires_at: timestamp(row.expiresAt),
  };
}

// The column contains roles of both kinds. The target determines the kind.
const toOrganizationInvitation = (row: InvitationRow): OrganizationInvitation => ({
  ...commonFields(row),
  role: row.role as OrganizationRole,
});
const toProjectInvitation = (row: InvitationRow): ProjectInvitation => ({
  ...commonFields(row),
  project_id: row.projectId ?? '',
  role: row.role as ProjectRole,
});

/**
 * Invites a person to the organization. Throws `insufficient_role` if a manager invites a manager or admin, and
 * `already_exists` for a member or an address with an open invitation.
 */
export function inviteIntoOrganization(
  ctx: OrganizationContext,
  { email, role }: OrganizationInvitationInput,
): NewOrganizationInvitation {
  checkMayManageRole(ctx.organization.role, role);
  return ctx.transact((tx) => {
    const target = intoOrganization(ctx);
    if (findMemberByEmail(tx, target.organizationId, email) !== undefined) {
      throw new AppError('already_exists', 'A member of the organization already has this email address');
    }
    const { row, url } = invite(tx, target, email, role);
    return { ...toOrganizationInvitation(row), accept_url: url };
  });
}

/**
 * Invites a person to the project and so to its organization. Throws `already_exists` for members of the project, for
 * managers and admins of the organization, who have access anyway, and for an address with an open invitation.
 */
export function inviteIntoProject(ctx: ProjectContext, { email, role }: ProjectInvitationInput): NewProjectInvitation {
  return ctx.transact((tx) => {
    const target = intoProject(ctx);
    const member = findMemberByEmail(tx, target.organizationId, email);
    const reachesAll = member !== undefined && organizationRoleReaches(member.role, 'manager');
    if (reachesAll || (member !== undefined && findProjectMember(tx, ctx.project.id, member.id) !== undefined)) {
      throw new AppError('already_exists', 'A person with this email address already has access to the project');
    }
    const { row, url } = invite(tx, target, email, role);
    return { ...toProjectInvitation(row), accept_url: url };
  });
}

/** An invitation and its link, which isn't stored. */
interface Sent {
  row: InvitationRow;
  url: string;
}

function invite(tx: Tx, target: Target, email: string, role: OrganizationRole | ProjectRole): Sent {
  if (isInvited(tx, target, email)) {
    throw new AppError('already_exists', 'This email address already has an open invitation. Resend it instead');
  }
  const token = tx.secrets.token(TOKEN_PREFIX);
  const row: InvitationRow = {
    id: tx.ids.next(),
    ...target,
    email,
    role,
    tokenHash: tx.secrets.hash(token),
    invitedBy: developerIdOf(tx.actor),
    backedBy: responsibleIdOf(tx.actor),
    createdAt: tx.now,
    sentAt: tx.now,
    expiresAt: tx.now + INVITATION_LIFETIME_MS,
    acceptedAt: null,
    acceptedBy: null,
  };
  insertInvitation(tx, row);
  const url = sendLink(tx, row, token);
  recordInvitation(tx, 'created', row);
  return { row, url };
}

/** Returns the open invitations to the organization, without those to its projects. */
export function listOrganizationInvitations(
  ctx: OrganizationContext,
  request: PageRequest,
): Page<OrganizationInvitation> {
  const target = intoOrganization(ctx);
  return readPage(
    ctx,
    request,
    (before, limit) => listOpenInvitations(ctx, { target, before, limit }),
    toOrganizationInvitation,
  );
}

/** Returns the open invitations to the project. */
export function listProjectInvitations(ctx: ProjectContext, request: PageRequest): Page<ProjectInvitation> {
  const target = intoProject(ctx);
  return readPage(
    ctx,
    request,
    (before, limit) => listOpenInvitations(ctx, { target, before, limit }),
    toProjectInvitation,
  );
}

/**
 * Resends an invitation with a new link that expires in 14 days. The previous link stops working. Throws
 * `rate_limit_exceeded` during the cooldown after the last email, and `not_found` if the invitation isn't open.
 */
export function resendOrganizationInvitation(ctx: OrganizationContext, id: string): NewOrganizationInvitation {
  return ctx.transact((tx) => {
    const { row, url } = resend(tx, loadGoverned(ctx, tx, id));
    return { ...toOrganizationInvitation(row), accept_url: url };
  });
}

/** Like resendOrganizationInvitation, for an invitation to the project. */
export function resendProjectInvitation(ctx: ProjectContext, id: string): NewProjectInvitation {
  return ctx.transact((tx) => {
    const { row, url } = resend(tx, loadOpen(tx, intoProject(ctx), id));
    return { ...toProjectInvitation(row), accept_url: url };
  });
}

function resend(tx: Tx, row: InvitationRow): Sent {
  const token = tx.secrets.token(TOKEN_PREFIX);
  // From now on the invitation depends on the role of the person who resends it.
  const backedBy = responsibleIdOf(tx.actor);
  const change = {
    tokenHash: tx.secrets.hash(token),
    sentAt: tx.now,
    expiresAt: tx.now + INVITATION_LIFETIME_MS,
    backedBy,
  };
  const cooldown = tx.config.limits.member_invitation_resend_minutes * MINUTE;
  if (!renewInvitation(tx, row.id, change, tx.now - cooldown)) {
    const seconds = Math.ceil((row.sentAt + cooldown - tx.now) / SECOND);
    throw new AppError(
      'rate_limit_exceeded',
      `The invitation was just sent. You can resend it in ${seconds} s`,
      { retry_after_seconds: seconds },
      { 'retry-after': String(seconds) },
    );
  }
  const renewed = { ...row, ...change };
  const url = sendLink(tx, renewed, token);
  recordInvitation(tx, 'resent', renewed);
  return { row: renewed, url };
}

/**
 * Revokes an open invitation. Throws `not_found` for all others, and `insufficient_role` like inviteIntoOrganization.
 */
export function cancelOrganizationInvitation(ctx: OrganizationContext, id: string): void {
  ctx.transact((tx) => cancel(tx, loadGoverned(ctx, tx, id)));
}

/** Revokes an open invitation to the project. */
export function cancelProjectInvitation(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => cancel(tx, loadOpen(tx, intoProject(ctx), id)));
}

function cancel(tx: Tx, row: InvitationRow): void {
  deleteInvitation(tx, row.id);
  recordInvitation(tx, 'revoked', row);
}

/** Returns whether an address (normalized) has an open invitation anywhere, for sign-up by invitation. */
export function hasOpenInvitation(app: Pick<App, 'db' | 'clock'>, email: string): boolean {
  return isInvitedAnywhere(app, email, app.clock.now().getTime()) || hasPendingAccess(app, email);
}

function loadOpen(tx: Tx, target: Target, id: string): InvitationRow {
  const row = findOpenInvitation(tx, target, id);
  if (row === undefined) throw notFound();
  return row;
}

function loadGoverned(ctx: OrganizationContext, tx: Tx, id: string): InvitationRow {
  const row = loadOpen(tx, intoOrganization(ctx), id);
  checkMayManageRole(ctx.organization.role, row.role as OrganizationRole);
  return row;
}

/** Emails the link. Returns it for the inviter, because email may be disabled. */
function sendLink(tx: Tx, row: InvitationRow, token: string): string {
  const { actor } = tx;
  const url = `${tx.config.server.base_url}/invite/${kindOf(row)}/${token}`;
  const mail = memberInvitationMail(url, {
    organizationName: loadOrganization(tx, row.organizationId).name,
    projectName: row.projectId === null ? null : loadProject(tx, row.projectId).name,
    inviterName: actor.kind === 'developer' ? actor.displayName : null,
    role: row.role.replaceAll('_', ' + '),
    expiresAt: row.expiresAt,
  });
  tx.mail({ kind: `${kindOf(row)}_invitation`, to: row.email, ...mail });
  return url;
}
