// The rules of invitations: sent by email, valid for two weeks, with roles that the inviter may grant.

import { developerIdOf, responsibleIdOf } from '../core/actor.ts';
import type { App, OrganizationContext, ProjectContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { MINUTE, timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { INVITATION_LIFETIME_MS } from '../lib/lifetimes.ts';
import { fieldError } from '../lib/validation.ts';
import { claimSenderMail, emailedTooOften } from '../mail/cooldowns.ts';
import { memberInvitationMail } from '../mail/templates/organizations.ts';
import { checkMayManageRole } from '../organizations/members/service.ts';
import { findMemberByEmail } from '../organizations/members/store.ts';
import { loadOrganization } from '../organizations/store.ts';
import type { OrganizationRole, ProjectRole } from '../permissions.ts';
import { organizationRoleReaches } from '../permissions.ts';
import { findProjectMember } from '../projects/members/store.ts';
import { loadProject } from '../projects/store.ts';
import { hasPendingAccess } from '../testers/pending-access.ts';
import { kindOf, projectsOf, recordInvitation } from './record.ts';
import type {
  NewOrganizationInvitation,
  NewProjectInvitation,
  OrganizationInvitation,
  OrganizationInvitationInput,
  ProjectInvitation,
  ProjectInvitationInput,
  ProjectRoleGrant,
} from './schema.ts';
import {
  deleteInvitation,
  findEmailState,
  findInvited,
  findOpenInvitation,
  findProjectNames,
  type InvitationRow,
  insertInvitation,
  isInvitedAnywhere,
  type ListedInvitation,
  listInvitations,
  renewInvitation,
  setInvitationMail,
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

const stateOf = ({ declinedAt, lapsedAt }: InvitationRow) =>
  declinedAt !== null ? 'declined' : lapsedAt !== null ? 'lapsed' : 'open';

function commonFields(row: ListedInvitation) {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    email: row.email,
    invited_by: row.invitedBy,
    created_at: timestamp(row.createdAt),
    sent_at: timestamp(row.sentAt),
    expires_at: timestamp(row.expiresAt),
    state: stateOf(row),
    email_state: row.emailState,
  } as const;
}

// The column contains roles of both kinds. The target determines the kind.
const toOrganizationInvitation = (row: ListedInvitation): OrganizationInvitation => ({
  ...commonFields(row),
  role: row.role as OrganizationRole,
  projects: projectsOf(row),
});
const toProjectInvitation = (row: ListedInvitation): ProjectInvitation => ({
  ...commonFields(row),
  project_id: row.projectId ?? '',
  role: row.role as ProjectRole,
});

/**
 * Invites a person to the organization, and to projects of it. Throws `insufficient_role` if a manager invites a manager or
 * admin, `already_exists` for a member or an address with an open invitation, and `validation_error` for projects of other
 * organizations.
 */
export function inviteIntoOrganization(
  ctx: OrganizationContext,
  { email, role, projects }: OrganizationInvitationInput,
): NewOrganizationInvitation {
  checkMayManageRole(ctx.organization.role, role);
  return ctx.transact((tx) => {
    const target = intoOrganization(ctx);
    // Inviting requires a manager, who is an admin of every project.
    const ids = projects.map((entry) => entry.project_id);
    const known = findProjectNames(tx, target.organizationId, ids);
    const unknown = ids.findIndex((id) => !known.has(id));
    if (unknown >= 0) {
      const message = 'The project must be one of the organization';
      throw fieldError('body', ['projects', String(unknown), 'project_id'], 'value_error', message);
    }
    if (findMemberByEmail(tx, target.organizationId, email) !== undefined) {
      throw new AppError('already_exists', 'A member of the organization already has this email address', {
        reason: 'member',
      });
    }
    const { row, url } = invite(tx, target, { email, role, projects });
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
      throw new AppError('already_exists', 'A person with this email address already has access to the project', {
        reason: 'member',
      });
    }
    const { row, url } = invite(tx, target, { email, role, projects: [] });
    return { ...toProjectInvitation(row), accept_url: url };
  });
}

/** An invitation and the link for its inviter, which isn't stored. */
interface Sent {
  row: ListedInvitation;
  url: string;
}

interface Invited {
  email: string;
  role: OrganizationRole | ProjectRole;
  projects: readonly ProjectRoleGrant[];
}

function invite(tx: Tx, target: Target, { email, role, projects }: Invited): Sent {
  const existing = findInvited(tx, target, email);
  if (existing !== undefined) {
    throw new AppError('already_exists', 'This email address already has an open invitation. Resend it instead', {
      reason: 'invited',
      invite_id: existing,
    });
  }
  const tokens = createTokens(tx);
  const row: InvitationRow = {
    id: tx.ids.next(),
    ...target,
    email,
    role,
    projects: JSON.stringify(projects),
    ...tokens.hashes,
    mailId: null,
    invitedBy: developerIdOf(tx.actor),
    backedBy: responsibleIdOf(tx.actor),
    createdAt: tx.now,
    sentAt: tx.now,
    expiresAt: tx.now + INVITATION_LIFETIME_MS,
    acceptedAt: null,
    declinedAt: null,
    lapsedAt: null,
    acceptedBy: null,
  };
  insertInvitation(tx, row);
  const sent = sendLink(tx, row, tokens);
  recordInvitation(tx, 'created', row);
  return sent;
}

interface Tokens {
  /** Only emailed to the address, so that its holder reads the address. No response contains it. */
  mailed: string;
  /** For the inviter to pass on. */
  copied: string;
  hashes: { tokenHash: string; mailedTokenHash: string };
}

function createTokens({ secrets }: Tx): Tokens {
  const mailed = secrets.token(TOKEN_PREFIX);
  const copied = secrets.token(TOKEN_PREFIX);
  return { mailed, copied, hashes: { tokenHash: secrets.hash(copied), mailedTokenHash: secrets.hash(mailed) } };
}

interface ListRequest extends PageRequest {
  include?: 'ended' | undefined;
}

/** Returns the open invitations to the organization, without those to its projects. */
export function listOrganizationInvitations(
  ctx: OrganizationContext,
  request: ListRequest,
): Page<OrganizationInvitation> {
  const target = intoOrganization(ctx);
  return readPage(
    ctx,
    request,
    (before, limit) => listInvitations(ctx, { target, before, limit, withEnded: request.include === 'ended' }),
    toOrganizationInvitation,
  );
}

/** Returns the open invitations to the project. */
export function listProjectInvitations(ctx: ProjectContext, request: ListRequest): Page<ProjectInvitation> {
  const target = intoProject(ctx);
  return readPage(
    ctx,
    request,
    (before, limit) => listInvitations(ctx, { target, before, limit, withEnded: request.include === 'ended' }),
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
  const tokens = createTokens(tx);
  // From now on the invitation depends on the role of the person who resends it.
  const backedBy = responsibleIdOf(tx.actor);
  const change = {
    ...tokens.hashes,
    sentAt: tx.now,
    expiresAt: tx.now + INVITATION_LIFETIME_MS,
    backedBy,
  };
  const cooldown = tx.config.limits.member_invitation_resend_minutes * MINUTE;
  if (!renewInvitation(tx, row.id, change, tx.now - cooldown)) {
    throw emailedTooOften(tx, row.sentAt + cooldown, 'The invitation was just sent. You can resend it');
  }
  const renewed = { ...row, ...change };
  const sent = sendLink(tx, renewed, tokens);
  recordInvitation(tx, 'resent', renewed);
  return sent;
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
  return isInvitedAnywhere(app, email, app.clock.time()) || hasPendingAccess(app, email);
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

/**
 * Emails the link for the address. Returns the one for the inviter, because email may be disabled. Throws `rate_limit_exceeded` if
 * the sender had too many emails sent to the address.
 */
function sendLink(tx: Tx, row: InvitationRow, { mailed, copied }: Tokens): Sent {
  const limit = claimSenderMail(tx, row.email);
  if (limit !== undefined) {
    throw emailedTooOften(tx, limit.availableAt, 'You just invited this address many times. You can invite it again');
  }
  const { actor } = tx;
  const urlOf = (token: string) => `${tx.config.server.base_url}/invite/${kindOf(row)}/${token}`;
  const projects = projectsOf(row).map((entry) => entry.project_id);
  const content = memberInvitationMail(urlOf(mailed), {
    organizationName: loadOrganization(tx, row.organizationId).name,
    projectName: row.projectId === null ? null : loadProject(tx, row.projectId).name,
    projectNames: [...findProjectNames(tx, row.organizationId, projects).values()],
    inviterName: actor.kind === 'developer' ? actor.displayName : null,
    role: row.role,
    expiresAt: row.expiresAt,
  });
  const mailId = tx.mail({ kind: `${kindOf(row)}_invitation`, to: row.email, content });
  setInvitationMail(tx, row.id, mailId);
  return { row: { ...row, mailId, emailState: findEmailState(tx, mailId) }, url: urlOf(copied) };
}
