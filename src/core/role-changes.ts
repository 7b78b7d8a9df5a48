// Changes of roles: what somebody gave others in their own name is worth no more than their roles.
import type { RoleChange, Tx } from './context.ts';

/**
 * Runs a change of somebody's roles and its consequences in the same transaction: invitations that they sent and could not
 * send now lapse, and the admins of projects are notified of access tokens that stopped working or became weaker.
 */
export function changeRoles<T>(tx: Tx, roleChange: RoleChange, change: () => T): T {
  const followUps = tx.hooks.roleChange.map((hook) => hook(tx, roleChange));
  const result = change();
  for (const followUp of followUps) followUp();
  return result;
}
