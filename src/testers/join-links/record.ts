// Audit events of join links.
import type { Tx } from '../../core/context.ts';
import type { JoinLinkRow } from './store.ts';

/** Records an event of a link, without its token. */
export function recordJoinLink(
  tx: Tx,
  event: 'join_link.created' | 'join_link.accepted' | 'join_link.revoked',
  { id, organizationId, projectId, channelId, label }: JoinLinkRow,
  more: Record<string, unknown> = {},
): void {
  const details = { project_id: projectId, channel_id: channelId, ...(label === null ? {} : { label }), ...more };
  tx.record(event, { identifier: id, organizationId, projectId, details });
}
