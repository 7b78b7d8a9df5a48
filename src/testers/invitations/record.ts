// Audit events of channel invitations.
import type { Tx } from '../../core/context.ts';
import type { InvitationRow } from './store.ts';

/** Records an event of an invitation, without its token. */
export function recordChannelInvitation(
  tx: Tx,
  event: 'channel_tester_invite.created' | 'channel_tester_invite.accepted' | 'channel_tester_invite.revoked',
  { id, organizationId, projectId, channelId, email }: InvitationRow,
  more: Record<string, unknown> = {},
): void {
  const details = { project_id: projectId, channel_id: channelId, ...(email === null ? {} : { email }), ...more };
  tx.record(event, { identifier: id, organizationId, projectId, details });
}
