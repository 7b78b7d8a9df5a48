// Audit events of invitations.

import type { Tx } from '../core/context.ts';
import type { EventName } from '../events.ts';
import type { InvitationRow, Target } from './store.ts';

/** Returns the kind of an invitation. */
export const kindOf = ({ projectId }: Pick<Target, 'projectId'>) => (projectId === null ? 'organization' : 'project');

/** Records an event of an invitation, without its token. */
export function recordInvitation(
  tx: Tx,
  what: 'created' | 'resent' | 'accepted' | 'revoked',
  row: InvitationRow,
  more: Record<string, unknown> = {},
): void {
  const { id: identifier, organizationId, projectId, email, role } = row;
  const event: EventName = `${kindOf(row)}_invitation.${what}`;
  const place = projectId === null ? {} : { project_id: projectId };
  tx.record(event, { identifier, organizationId, projectId, details: { email, role, ...place, ...more } });
}
