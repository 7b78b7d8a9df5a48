// A channel invitation gives downloads, so it works only as long as its sender may download as well.

import type { App, Tx } from '../../core/context.ts';
import { presentRoles } from '../../organizations/members/roles.ts';
import { projectRoleReaches } from '../../permissions.ts';
import { recordChannelInvitation } from './record.ts';
import { deleteInvitation, type InvitationRow, listOpenInvitationsBy } from './store.ts';

/** They live for ten minutes, so there are hardly ever more; whatever is left is refused when somebody accepts it. */
const MOST = 500;

/** Whether the sender of an invitation may still download from the project. */
export function isBackedBySender(app: Pick<App, 'db'>, row: InvitationRow): boolean {
  const { projectRole } = presentRoles(app, row.backedBy, row);
  return projectRole !== undefined && projectRoleReaches(projectRole, 'read_download');
}

/** Removes the open invitations of a sender who may not download from their projects any more. */
export function revokeUnbackedChannelInvitations(
  tx: Tx,
  sender: { developerId: string; organizationId?: string | undefined },
): void {
  for (const row of listOpenInvitationsBy(tx, { ...sender, limit: MOST })) {
    if (isBackedBySender(tx, row)) continue;
    deleteInvitation(tx, row.id);
    recordChannelInvitation(tx, 'channel_tester_invite.revoked', row, {
      reason: 'sender_role',
      sent_by: sender.developerId,
    });
  }
}
