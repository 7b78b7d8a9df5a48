// What becomes of access with the account of an address: it attaches when the address is proven, and waits again when an
// account ends that never proved it.

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

/** Attaches everything that waited for the verified address of an account (specification part 3). */
export function attachPendingGrants(tx: Tx, { id: developerId, email }: DeveloperRow): void {
  for (const row of listPendingGrants(tx, email)) {
    // With a new address an account may have waited for what it has already.
    const tier = tierOf(row);
    if (isGranted(tx, row, developerId)) {
      deleteGrant(tx, row.id);
      recordGrant(tx, `${tier}_tester_grant.deleted`, row, developerId);
      continue;
    }
    attachGrant(tx, row.id, developerId);
    // Access to a channel comes by accepting, so it never waits.
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
 * An account that ends without having proven its address may have been somebody else's: what it was given at once waits for
 * whoever proves it. Of an account that did, the access ends with it, and what still names its address.
 */
export function releaseGrants(tx: Tx, { id, emailVerifiedAt }: Pick<DeveloperRow, 'id' | 'emailVerifiedAt'>): void {
  deleteAcceptedBy(tx, id);
  if (emailVerifiedAt !== null) return;
  detachGrants(tx, id);
  detachMembers(tx, id);
}

/** Whether access waits for an address: who may sign up where sign-up is by invitation. */
export function hasPendingAccess(app: Pick<App, 'db' | 'clock'>, email: string): boolean {
  return (
    listPendingGrants(app, email).length > 0 ||
    listPendingMembers(app, email).length > 0 ||
    isInvitedAnywhere(app, email, app.clock.now().getTime())
  );
}
