// Emails to the owner of an account about each change to its sign-in methods, in case another person made it.

import type { Tx } from '../core/context.ts';
import { mailOnce } from '../mail/cooldowns.ts';
import { quoteName } from '../mail/templates/names.ts';
import { securityMail } from '../mail/templates/sign-in.ts';

const sentences = {
  mfa_enabled: 'An authenticator app was added',
  mfa_disabled: 'The authenticator app was removed',
  recovery_codes_regenerated: 'New recovery codes were created',
  recovery_codes_removed: 'The recovery codes were removed',
  passkey_registered: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
  factors_removed: 'The operator disabled two-factor authentication',
} as const;

const tokenSentences = {
  personal_token_created: 'A personal access token was created',
  personal_token_rotated: 'A personal access token was rotated',
} as const;

/**
 * Emails the owner of an account about a personal access token. Tokens don't require a step-up, so these emails have the
 * usual cooldown, and nobody can flood a mailbox.
 */
export function notifyOfToken(
  tx: Tx,
  { email }: { email: string },
  change: keyof typeof tokenSentences,
  name: string,
): void {
  mailOnce(tx, change, email, () => content(tx, tokenSentences[change], name));
}

function content(tx: Tx, sentence: string, name?: string) {
  const quoted = name === undefined ? {} : { name: quoteName(name) };
  return securityMail(tx.config.server.base_url, sentence, {
    ipAddress: tx.request.ipAddress,
    at: tx.now,
    ...quoted,
  });
}

/**
 * Emails the owner of an account about a change, with the name of the changed item if it has one. These emails have no
 * cooldown, because a second change could go unnoticed otherwise.
 */
export function notifyOwner(tx: Tx, { email }: { email: string }, change: keyof typeof sentences, name?: string): void {
  tx.mail({ kind: change, to: email, ...content(tx, sentences[change], name) });
}
