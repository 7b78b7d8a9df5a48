// Role changes and their effect on what a person granted to others.
import type { RoleChange, Tx } from './context.ts';

/**
 * Changes a developer's roles and applies the consequences in the same transaction: invitations that they may no longer send
 * expire, and project admins are notified of access tokens that stopped working or lost permissions.
 */
export function changeRoles<T>(tx: Tx, roleChange: RoleChange, change: () => T): T {
  const followUps = tx.hooks.roleChange.map((hook) => hook(tx, roleChange));
  const result = change();
  for (const followUp of followUps) followUp();
  return result;
}
