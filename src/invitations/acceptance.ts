// Accepts and declines invitations.

import { mayWrite } from '../core/actor.ts';
import type { App, DeveloperContext, Tx } from '../core/context.ts';
import { type DeveloperRow, loadDeveloper } from '../developers/store.ts';
import { checkWriteLock, lockOf } from '../http/organization-lock.ts';
import { notFound } from '../lib/errors.ts';
import { findMember, insertMembership, updateMembership } from '../organizations/members/store.ts';
import { loadOrganization } from '../organizations/store.ts';
import {
  type OrganizationRole,
  organizationRoleReaches,
  type ProjectRole,
  projectRoleReaches,
} from '../permissions.ts';
import { findProjectMember, insertProjectMembership, updateProjectMembership } from '../projects/members/store.ts';
import { checkSsoOfNewMember } from '../sso/requirement.ts';
import { projectsOf, recordInvitation } from './record.ts';
import type { AcceptedInvitation, InvitationKind } from './schema.ts';
import { backedProjects, isBackedBySender } from './sender-role.ts';
import * as store from './store.ts';

type InvitationRow = store.InvitationRow;

/** Other invitations that one sign-up accepts. People with more find the rest on their first page. */
const MAX_OTHERS = 20;
/** Memberships that they can create, so that the transaction stays short. */
const MAX_OTHER_MEMBERSHIPS = 60;

/**
 * Accepts an invitation. The token must be valid, and the caller's address must be the invited one and verified, or vouched
 * for. Otherwise throws `not_found`, so that a link doesn't reveal its recipient. Also throws it if the inviter no longer
 * has the role that the invitation grants. Throws `permission_denied` if the organization requires a sign-in through its identity
 * provider, and the error of a locked organization. An existing role is never lowered.
 */
export function acceptInvitation(ctx: DeveloperContext, kind: InvitationKind, token: string): AcceptedInvitation {
  return ctx.transact((tx) => {
    const developer = loadDeveloper(tx, ctx.actor.id);
    if (!mayWrite(developer)) throw notFound();
    return acceptByToken(tx, developer, kind, token).accepted;
  });
}

/** Accepts the invitation of a link for its address. Throws the errors of acceptInvitation. */
export function acceptByToken(
  tx: Tx,
  { id: developerId, email }: Pick<DeveloperRow, 'id' | 'email'>,
  kind: InvitationKind,
  token: string,
): { row: InvitationRow; accepted: AcceptedInvitation } {
  const row = store.consumeInvitation(tx, { kind, tokenHash: tx.secrets.hash(token), email, developerId });
  if (row === undefined || !isBackedBySender(tx, row)) throw notFound();
  return { row, accepted: attachAccess(tx, row, developerId) };
}

/**
 * Accepts an invitation to the caller's verified address without its link. Throws `not_found` for those of other people, and
 * the errors of acceptInvitation.
 */
export function acceptOwnInvitation(ctx: DeveloperContext, id: string): AcceptedInvitation {
  return ctx.transact((tx) => {
    const row = store.consumeInvitation(tx, ownInvitation(tx, ctx, id));
    if (row === undefined || !isBackedBySender(tx, row)) throw notFound();
    return attachAccess(tx, row, ctx.actor.id);
  });
}

/** Declines an invitation to the caller's verified address. Throws `not_found` for those of other people. */
export function declineOwnInvitation(ctx: DeveloperContext, id: string): void {
  ctx.transact((tx) => {
    const row = store.declineInvitation(tx, ownInvitation(tx, ctx, id));
    if (row === undefined) throw notFound();
    recordInvitation(tx, 'revoked', row, { reason: 'declined' });
  });
}

function ownInvitation(tx: Tx, { actor }: DeveloperContext, id: string) {
  const { email, emailVerifiedAt } = loadDeveloper(tx, actor.id);
  // An inviter only vouches for their own invitations, so without a verified address each one needs its link.
  if (emailVerifiedAt === null) throw notFound();
  return { id, email, developerId: actor.id };
}

/**
 * Returns the other open invitations of an address that a sign-up accepts, oldest first: not those of locked organizations, of
 * senders without the role, and of the organization `except`. The rest stays open.
 */
export function listOthers(app: App, first: InvitationRow, except: string | undefined): InvitationRow[] {
  const accepted: InvitationRow[] = [];
  let budget = MAX_OTHER_MEMBERSHIPS;
  for (const row of store.listOthers(app, first, MAX_OTHERS)) {
    budget -= 2 + projectsOf(row).length;
    if (budget < 0) break;
    const isLocked = lockOf(app, loadOrganization(app, row.organizationId)) !== null;
    if (!isLocked && row.organizationId !== except && isBackedBySender(app, row)) accepted.push(row);
  }
  return accepted;
}

/** Accepts the other invitations of a verified address. */
export function acceptOthers(
  tx: Tx,
  first: InvitationRow,
  { id: developerId, email }: Pick<DeveloperRow, 'id' | 'email'>,
  except: string | undefined,
): void {
  for (const { id } of listOthers(tx, first, except)) {
    const row = store.consumeInvitation(tx, { id, email, developerId });
    if (row !== undefined) attachAccess(tx, row, developerId);
  }
}

/** Records the acceptance and makes the developer a member. */
function attachAccess(tx: Tx, row: InvitationRow, developerId: string): AcceptedInvitation {
  const { organizationId, projectId } = row;
  checkSsoOfNewMember(tx, organizationId, row.email);
  checkWriteLock(tx, loadOrganization(tx, organizationId));
  recordInvitation(tx, 'accepted', row);
  if (projectId !== null) {
    joinOrganization(tx, row, developerId, 'member');
    const role = joinProject(tx, { organizationId, projectId }, developerId, row.role as ProjectRole);
    return { organization_id: organizationId, project_id: projectId, role, projects: [] };
  }
  // Before joining, because the role of a sender who accepts an invitation could rise.
  const granted = backedProjects(tx, row);
  const names = store.findProjectNames(
    tx,
    organizationId,
    granted.map((entry) => entry.project_id),
  );
  const role = joinOrganization(tx, row, developerId, row.role as OrganizationRole);
  const projects = granted
    .filter((entry) => names.has(entry.project_id))
    .map((entry) => {
      const target = { organizationId, projectId: entry.project_id };
      return { project_id: entry.project_id, role: joinProject(tx, target, developerId, entry.role) };
    });
  return { organization_id: organizationId, project_id: null, role, projects };
}

/** Makes the developer a member with at least the given role. Returns the resulting role. */
function joinOrganization(
  tx: Tx,
  { organizationId }: Pick<InvitationRow, 'organizationId'>,
  developerId: string,
  role: OrganizationRole,
): OrganizationRole {
  const held = findMember(tx, organizationId, developerId)?.role;
  if (held !== undefined && organizationRoleReaches(held, role)) return held;
  const facts = { identifier: developerId, organizationId };
  if (held === undefined) {
    insertMembership(tx, { organizationId, developerId, role, createdAt: tx.now });
    tx.record('organization_membership.created', { ...facts, details: { developer_id: developerId, role } });
  } else {
    updateMembership(tx, organizationId, developerId, role);
    const changed = { role: { from: held, to: role } };
    tx.record('organization_membership.edited', { ...facts, details: { developer_id: developerId, changed } });
  }
  return role;
}

/** Makes the developer a member of the project with at least the given role. Returns the resulting role. */
function joinProject(
  tx: Tx,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  developerId: string,
  role: ProjectRole,
): ProjectRole {
  const held = findProjectMember(tx, projectId, developerId)?.role;
  if (held !== undefined && projectRoleReaches(held, role)) return held;
  const facts = { identifier: developerId, organizationId, projectId };
  const details = { project_id: projectId, developer_id: developerId };
  if (held === undefined) {
    insertProjectMembership(tx, { projectId, developerId, role, createdAt: tx.now });
    tx.record('project_membership.created', { ...facts, details: { ...details, role } });
  } else {
    updateProjectMembership(tx, projectId, developerId, role);
    const changed = { role: { from: held, to: role } };
    tx.record('project_membership.edited', { ...facts, details: { ...details, changed } });
  }
  return role;
}
