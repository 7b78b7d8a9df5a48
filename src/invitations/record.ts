// Audit events of invitations.

import type { Tx } from '../core/context.ts';
import type { EventName } from '../events.ts';
import type { ProjectRoleGrant } from './schema.ts';
import type { InvitationRow, Target } from './store.ts';

/** Returns the kind of an invitation. */
export const kindOf = ({ projectId }: Pick<Target, 'projectId'>) => (projectId === null ? 'organization' : 'project');

/** Returns the roles in projects that an invitation to the organization also grants. */
export const projectsOf = ({ projects }: Pick<InvitationRow, 'projects'>): ProjectRoleGrant[] => JSON.parse(projects);

/** Records an event of an invitation, without its token. */
export function recordInvitation(
  tx: Tx,
  what: 'created' | 'resent' | 'edited' | 'accepted' | 'revoked',
  row: InvitationRow,
  more: Record<string, unknown> = {},
): void {
  const { id: identifier, organizationId, projectId, email, role } = row;
  // Only invitations to the organization can change: they list projects.
  const event: EventName = what === 'edited' ? 'organization_invitation.edited' : `${kindOf(row)}_invitation.${what}`;
  const place = projectId === null ? {} : { project_id: projectId };
  const projects = projectsOf(row);
  const granted = projects.length === 0 ? {} : { projects };
  tx.record(event, { identifier, organizationId, projectId, details: { email, role, ...place, ...granted, ...more } });
}
