// The open invitations of a person whom the team removes, each of which would let the person back in.

import { developerIdOf } from '../core/actor.ts';
import type { RoleChange, Tx } from '../core/context.ts';
import { findDeveloper } from '../developers/store.ts';
import { projectsOf, recordInvitation } from './record.ts';
import { findInvited, findOpenInvitation, setInvitationProjects, takeOpenInvitationsTo } from './store.ts';

/** The reason in the audit trail. */
const REMOVED = 'member_removed';

/**
 * Revokes the open invitations of a removed member's address: those to the organization and its projects, or only those to the
 * project that the person is removed from, which an invitation to the organization no longer grants either. Does nothing if they
 * left themselves.
 */
export function revokeInvitationsOfRemoved(tx: Tx, { developerId, organizationId, removedFrom }: RoleChange): void {
  if (organizationId === undefined || removedFrom === undefined || developerId === developerIdOf(tx.actor)) return;
  const developer = findDeveloper(tx, developerId);
  if (developer === undefined) return;
  const projectId = removedFrom === organizationId ? undefined : removedFrom;
  for (const row of takeOpenInvitationsTo(tx, { email: developer.email, organizationId, projectId })) {
    recordInvitation(tx, 'revoked', row, { reason: REMOVED });
  }
  if (projectId !== undefined) withdrawProject(tx, { email: developer.email, organizationId, projectId });
}

/** Takes a project out of the open invitation of an address to the organization. */
function withdrawProject(
  tx: Tx,
  { email, organizationId, projectId }: { email: string; organizationId: string; projectId: string },
): void {
  const target = { organizationId, projectId: null };
  const id = findInvited(tx, target, email);
  const row = id === undefined ? undefined : findOpenInvitation(tx, target, id);
  if (row === undefined) return;
  const granted = projectsOf(row);
  const left = granted.filter((entry) => entry.project_id !== projectId);
  if (left.length === granted.length) return;
  const projects = JSON.stringify(left);
  setInvitationProjects(tx, row.id, projects);
  recordInvitation(tx, 'edited', { ...row, projects }, { reason: REMOVED, project_id: projectId });
}
