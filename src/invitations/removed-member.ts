// The open invitations of a person whom the team removes, each of which would let the person back in.

import { developerIdOf } from '../core/actor.ts';
import type { RoleChange, Tx } from '../core/context.ts';
import { findDeveloper } from '../developers/store.ts';
import { recordInvitation } from './record.ts';
import { takeOpenInvitationsTo } from './store.ts';

/**
 * Revokes the open invitations of a removed member's address: those to the organization and its projects, or only those to the
 * project that the person is removed from. Does nothing if they left themselves.
 */
export function revokeInvitationsOfRemoved(tx: Tx, { developerId, organizationId, removedFrom }: RoleChange): void {
  if (organizationId === undefined || removedFrom === undefined || developerId === developerIdOf(tx.actor)) return;
  const developer = findDeveloper(tx, developerId);
  if (developer === undefined) return;
  const projectId = removedFrom === organizationId ? undefined : removedFrom;
  for (const row of takeOpenInvitationsTo(tx, { email: developer.email, organizationId, projectId })) {
    recordInvitation(tx, 'revoked', row, { reason: 'member_removed' });
  }
}
