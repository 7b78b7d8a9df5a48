// Emails to the admins of an organization about changes to its single sign-on, in case an attacker made them.

import type { Tx } from '../core/context.ts';
import { mailOnce } from '../mail/cooldowns.ts';
import { ssoChangedMail } from '../mail/templates/organizations.ts';
import { type SsoChange, ssoChanges } from '../mail/texts/texts.ts';
import { listAdminAddresses } from '../organizations/members/store.ts';

/** Returns whether admins are notified about a change, because it affects who can sign members in. */
export function isTold(action: string): action is SsoChange {
  return ssoChanges.some((change) => change === action);
}

/** Emails all admins of an organization about a change. Each kind of change is subject to the usual cooldown. */
export function notifyAdmins(tx: Tx, organizationId: string, change: SsoChange): void {
  for (const { email, organizationName } of listAdminAddresses(tx, organizationId)) {
    mailOnce(tx, `sso_${change}`, email, () => ssoChangedMail(tx.config.server.base_url, { change, organizationName }));
  }
}
