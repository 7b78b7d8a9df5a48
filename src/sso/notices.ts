// Emails to the admins of an organization when it changes who may sign its members in, in case it was somebody else.

import type { Tx } from '../core/context.ts';
import { mailOnce } from '../mail/cooldowns.ts';
import { ssoChangedMail } from '../mail/templates.ts';
import { listAdminAddresses } from '../organizations/members/store.ts';

const sentences = {
  created: 'An identity provider was configured',
  replaced: 'The identity provider was replaced',
  enabled: 'Single sign-on was enabled',
  domain_verified: 'A domain was verified',
} as const;

type Change = keyof typeof sentences;

/** Whether a change to the connection lets somebody sign members in, so that admins get an email about it. */
export function isTold(action: string): action is Change {
  return action in sentences;
}

/** Emails every admin of an organization about one change, each kind of change once within the usual cooldown. */
export function notifyAdmins(tx: Tx, organizationId: string, change: Change): void {
  for (const { email, organizationName } of listAdminAddresses(tx, organizationId)) {
    mailOnce(tx, `sso_${change}`, email, () =>
      ssoChangedMail(tx.config.server.base_url, sentences[change], organizationName),
    );
  }
}
