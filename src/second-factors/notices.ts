// Emails to the owner of an account about each change to its sign-in methods, in case another person made it.

import type { LocalizedMail, Tx } from '../core/context.ts';
import { mailOnce } from '../mail/cooldowns.ts';
import { securityMail } from '../mail/templates/sign-in.ts';
import type { SecurityChange } from '../mail/texts/texts.ts';

type TokenChange = Extract<SecurityChange, `personal_token_${string}`>;

/**
 * Emails the owner of an account about a personal access token. Tokens don't require a step-up, so these emails have the
 * usual cooldown, and nobody can flood a mailbox.
 */
export function notifyOfToken(tx: Tx, { email }: { email: string }, change: TokenChange, name: string): void {
  mailOnce(tx, change, email, () => compose(tx, change, name));
}

/**
 * Emails the owner of an account about a change, with the name of the changed item if it has one. These emails have no
 * cooldown, because a second change could go unnoticed otherwise.
 */
export function notifyOwner(
  tx: Tx,
  { email }: { email: string },
  change: Exclude<SecurityChange, TokenChange>,
  name?: string,
): void {
  tx.mail({ kind: change, to: email, content: compose(tx, change, name) });
}

function compose(tx: Tx, change: SecurityChange, name: string | undefined): LocalizedMail {
  const { ipAddress } = tx.request;
  return securityMail(tx.config.server.base_url, { change, name, ipAddress, at: tx.now });
}
