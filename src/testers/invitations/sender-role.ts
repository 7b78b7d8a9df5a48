// A channel invitation grants downloads, so it works only while its sender may download too.

import type { App, Tx } from '../../core/context.ts';
import { MAX_RECORDED, TAKEN_OVER } from '../../core/role-changes.ts';
import { presentRoles } from '../../organizations/members/roles.ts';
import { projectRoleReaches } from '../../permissions.ts';
import { recordChannelInvitation } from './record.ts';
import { deleteInvitation, type InvitationRow, listOpenInvitationsBy, takeOpenInvitationsBy } from './store.ts';

/** Invitations expire after ten minutes, so there are hardly ever more. The rest is rejected on acceptance. */
const MAX = 500;

/** Returns whether the sender of an invitation may still download from the project. */
export function isBackedBySender(app: Pick<App, 'db'>, row: InvitationRow): boolean {
  const { projectRole } = presentRoles(app, row.backedBy, row);
  return projectRole !== undefined && projectRoleReaches(projectRole, 'read_download');
}

/** Revokes the open invitations of a sender who may no longer download from their projects. */
export function revokeUnbackedChannelInvitations(
  tx: Tx,
  sender: { developerId: string; organizationId?: string | undefined },
): void {
  for (const row of listOpenInvitationsBy(tx, { ...sender, limit: MAX })) {
    if (isBackedBySender(tx, row)) continue;
    deleteInvitation(tx, row.id);
    recordChannelInvitation(tx, 'channel_tester_invite.revoked', row, {
      reason: 'sender_role',
      sent_by: sender.developerId,
    });
  }
}

/** Revokes the open invitations of an account that another person may have created. */
export function endChannelInvitationsOf(tx: Tx, developerId: string): void {
  for (const row of takeOpenInvitationsBy(tx, developerId).slice(0, MAX_RECORDED)) {
    recordChannelInvitation(tx, 'channel_tester_invite.revoked', row, { reason: TAKEN_OVER, sent_by: developerId });
  }
}
