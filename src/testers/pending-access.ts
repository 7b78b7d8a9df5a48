// Pending access: it becomes active when the address is verified, and pending again when an account is deleted without
// verifying it.

import { deleteAccessRequests } from '../channels/access-requests.ts';
import type { App, Tx } from '../core/context.ts';
import type { DeveloperRow } from '../developers/store.ts';
import { recordGrant } from './grants/service.ts';
import { attachGrant, deleteGrant, detachGrants, isGranted, listPendingGrants } from './grants/store.ts';
import {
  attachMember,
  deleteGroupMember,
  detachMembers,
  isInGroup,
  listPendingMembers,
} from './groups/member-store.ts';
import { recordMember } from './groups/members.ts';
import { deleteAcceptedBy, isInvitedAnywhere } from './invitations/store.ts';
import { tierOf } from './target.ts';

/** Activates all pending access of the verified address of an account (docs/specification/testers.md#tester-grants). */
export function attachPendingGrants(tx: Tx, { id: developerId, email }: DeveloperRow): void {
  for (const row of listPendingGrants(tx, email)) {
    // After an address change, an account may already have the pending access.
    const tier = tierOf(row);
    if (isGranted(tx, row, developerId)) {
      deleteGrant(tx, row.id);
      recordGrant(tx, `${tier}_tester_grant.deleted`, row, developerId);
      continue;
    }
    attachGrant(tx, row.id, developerId);
    deleteAccessRequests(tx, developerId, row);
    // Channel access requires accepting an invitation, so it is never pending.
    if (tier !== 'channel') recordGrant(tx, `${tier}_tester_grant.attached`, row, developerId);
  }
  for (const { member, organizationId } of listPendingMembers(tx, email)) {
    if (isInGroup(tx, member.groupId, developerId)) {
      deleteGroupMember(tx, member.id);
      recordMember(tx, 'tester_group_member.deleted', organizationId, member, developerId);
      continue;
    }
    attachMember(tx, member.id, developerId);
    recordMember(tx, 'tester_group_member.attached', organizationId, member, developerId);
  }
}

/**
 * Handles the access of a deleted account. If it never verified its address, another person may own the address, so the
 * access becomes pending again. Otherwise the access is deleted with the account, and so are rows that contain its
 * address.
 */
export function releaseGrants(tx: Tx, { id, emailVerifiedAt }: Pick<DeveloperRow, 'id' | 'emailVerifiedAt'>): void {
  deleteAcceptedBy(tx, id);
  if (emailVerifiedAt !== null) return;
  detachGrants(tx, id);
  detachMembers(tx, id);
}

/** Returns whether an address has pending access, for sign-up by invitation. */
export function hasPendingAccess(app: Pick<App, 'db' | 'clock'>, email: string): boolean {
  return (
    listPendingGrants(app, email).length > 0 ||
    listPendingMembers(app, email).length > 0 ||
    isInvitedAnywhere(app, email, app.clock.time())
  );
}
