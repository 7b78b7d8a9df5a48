// What the trail says of invitations into channels.
import type { Tx } from '../../core/context.ts';
import type { InvitationRow } from './store.ts';

/** Records what happened to an invitation. Its token appears nowhere. */
export function recordChannelInvitation(
  tx: Tx,
  event: 'channel_tester_invite.created' | 'channel_tester_invite.accepted' | 'channel_tester_invite.revoked',
  { id, organizationId, projectId, channelId, email }: InvitationRow,
  more: Record<string, unknown> = {},
): void {
  const details = { project_id: projectId, channel_id: channelId, ...(email === null ? {} : { email }), ...more };
  tx.record(event, { identifier: id, organizationId, projectId, details });
}
