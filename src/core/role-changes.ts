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

/** Most rows of a kind whose end is recorded one by one. Real people have far fewer, and the rest must not delay other requests. */
export const MAX_RECORDED = 200;

/** The reason in the audit trail when what an account gave to others ended with its first holder. */
export const TAKEN_OVER = 'account_taken_over';

/** Ends what the first holder of an account gave to others, or can still use without signing in (`Hooks.accountTakenOver`). */
export function endGivenAccess(tx: Tx, developerId: string): void {
  for (const end of tx.hooks.accountTakenOver) end(tx, developerId);
}
