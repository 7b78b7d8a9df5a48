// An invitation never grants more than its sender has: it is revoked when the sender's role falls below the granted
// one.

import type { App, Context, Tx } from '../core/context.ts';
import { MAX_RECORDED, TAKEN_OVER } from '../core/role-changes.ts';
import { presentRoles } from '../organizations/members/roles.ts';
import {
  type OrganizationRole,
  organizationRoleReaches,
  type ProjectRole,
  projectRoleReaches,
} from '../permissions.ts';
import { projectsOf, recordInvitation } from './record.ts';
import type { ProjectRoleGrant } from './schema.ts';
import { type InvitationRow, lapseInvitation, lapseInvitationsBy, listOpenInvitationsBy } from './store.ts';

/** Invitations checked in one transaction. */
const PER_STEP = 200;
export const REVOKE_INVITATIONS_JOB = 'lapse-invitations';

interface Sender {
  developerId: string;
  organizationId?: string | undefined;
}

/** Returns whether the sender of an invitation still has at least the granted role. */
export function isBackedBySender(app: Pick<App, 'db'>, row: InvitationRow): boolean {
  const { organizationRole, projectRole } = presentRoles(app, row.backedBy, row);
  if (row.projectId !== null)
    return projectRole !== undefined && projectRoleReaches(projectRole, row.role as ProjectRole);
  return organizationRole !== undefined && organizationRoleReaches(organizationRole, row.role as OrganizationRole);
}

/** Returns the roles in projects that an invitation to the organization still grants: those that its sender has too. */
export function backedProjects(app: Pick<App, 'db'>, row: InvitationRow): ProjectRoleGrant[] {
  return projectsOf(row).filter(({ project_id: projectId, role }) => {
    const { projectRole } = presentRoles(app, row.backedBy, { organizationId: row.organizationId, projectId });
    return projectRole !== undefined && projectRoleReaches(projectRole, role);
  });
}

/** Revokes the open invitations of a sender that grant more than the sender has. A job continues if there are many. */
export function revokeUnbackedInvitations(tx: Tx, sender: Sender, after = ''): void {
  const rows = listOpenInvitationsBy(tx, { ...sender, after, limit: PER_STEP });
  for (const row of rows) {
    if (isBackedBySender(tx, row)) continue;
    lapseInvitation(tx, row.id);
    recordInvitation(tx, 'revoked', row, { reason: 'sender_role', sent_by: sender.developerId });
  }
  const last = rows.at(-1);
  if (last === undefined || rows.length < PER_STEP) return;
  const payload = { developer_id: sender.developerId, organization_id: sender.organizationId ?? null, after: last.id };
  tx.enqueue({ kind: REVOKE_INVITATIONS_JOB, payload });
}

/** The job: another step of revokeUnbackedInvitations. It can run twice. */
export function runRevokeInvitationsJob(ctx: Context, payload: Record<string, unknown>): void {
  const { developer_id: developerId, organization_id: organizationId, after } = payload;
  const sender = {
    developerId: String(developerId),
    organizationId: typeof organizationId === 'string' ? organizationId : undefined,
  };
  ctx.transact((tx) => revokeUnbackedInvitations(tx, sender, String(after)), { bookkeeping: true });
}

/** Revokes the open invitations of an account that another person may have created. */
export function endInvitationsOf(tx: Tx, developerId: string): void {
  for (const row of lapseInvitationsBy(tx, developerId).slice(0, MAX_RECORDED)) {
    recordInvitation(tx, 'revoked', row, { reason: TAKEN_OVER, sent_by: developerId });
  }
}
