// Emails to the owner about each change to the ways into their account, in case it was somebody else.

import type { Tx } from '../core/context.ts';
import { mailOnce } from '../mail/cooldowns.ts';
import { quoteName, secondFactorMail } from '../mail/templates.ts';

const sentences = {
  mfa_enabled: 'An authenticator app was added',
  mfa_disabled: 'The authenticator app was removed',
  recovery_codes_regenerated: 'New recovery codes were made',
  recovery_codes_removed: 'The recovery codes were removed',
  passkey_registered: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
  factors_removed: 'The operator removed the second factors',
} as const;

const tokenSentences = {
  personal_token_created: 'A personal access token was created',
  personal_token_rotated: 'A personal access token was rotated',
} as const;

/**
 * Emails the owner of an account about a personal access token. Tokens need no step-up, so these emails have the usual
 * cooldown: nobody fills a mailbox with them.
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
  return secondFactorMail(tx.config.server.base_url, sentence, {
    ipAddress: tx.request.ipAddress,
    at: tx.now,
    ...quoted,
  });
}

/**
 * Emails the owner of an account about one change, with the name of what changed if it has one. Each change has an email of
 * its own, without a cooldown: otherwise a change right after the owner's own would go unnoticed.
 */
export function notifyOwner(tx: Tx, { email }: { email: string }, change: keyof typeof sentences, name?: string): void {
  tx.mail({ kind: change, to: email, ...content(tx, sentences[change], name) });
}
