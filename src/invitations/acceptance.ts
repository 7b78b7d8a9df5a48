// Previews and accepts invitations.

import type { Context, DeveloperContext, Tx } from '../core/context.ts';
import { loadDeveloper } from '../developers/store.ts';
import { checkWriteLock } from '../http/organization-lock.ts';
import { timestamp } from '../lib/clock.ts';
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
import { recordInvitation } from './record.ts';
import type { AcceptedInvitation, InvitationKind, InvitationPreview } from './schema.ts';
import { isBackedBySender } from './sender-role.ts';
import { consumeInvitation, findPreview, type InvitationRow } from './store.ts';

/** Returns the preview of an invitation for a valid link. Throws `not_found` for all others. */
export function previewInvitation(ctx: Context, kind: InvitationKind, token: string): InvitationPreview {
  const found = findPreview(ctx, kind, ctx.secrets.hash(token));
  if (found === undefined) throw notFound();
  const { invitation, organizationName, projectName, inviterName } = found;
  return {
    kind,
    organization_id: invitation.organizationId,
    organization_name: organizationName,
    project_id: invitation.projectId,
    project_name: projectName,
    role: invitation.role as OrganizationRole | ProjectRole,
    inviter_name: inviterName,
    expires_at: timestamp(invitation.expiresAt),
  };
}

/**
 * Accepts an invitation. The token must be valid, and the caller's verified address must be the invited one. Otherwise
 * throws `not_found`, so that a link doesn't reveal its recipient. Also throws it if the inviter no longer has the role
 * that the invitation grants. Throws the error of a locked organization. An existing role is never lowered.
 */
export function acceptInvitation(ctx: DeveloperContext, kind: InvitationKind, token: string): AcceptedInvitation {
  return ctx.transact((tx) => {
    const developer = loadDeveloper(tx, ctx.actor.id);
    const wanted = { kind, tokenHash: tx.secrets.hash(token), email: developer.email, developerId: developer.id };
    const row = developer.emailVerifiedAt === null ? undefined : consumeInvitation(tx, wanted);
    if (row === undefined || !isBackedBySender(tx, row)) throw notFound();
    checkWriteLock(loadOrganization(tx, row.organizationId).lockReason);
    recordInvitation(tx, 'accepted', row);
    const { organizationId, projectId } = row;
    if (projectId === null) {
      const role = joinOrganization(tx, row, developer.id, row.role as OrganizationRole);
      return { organization_id: organizationId, project_id: null, role };
    }
    joinOrganization(tx, row, developer.id, 'member');
    const role = joinProject(tx, { organizationId, projectId }, developer.id, row.role as ProjectRole);
    return { organization_id: organizationId, project_id: projectId, role };
  });
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
