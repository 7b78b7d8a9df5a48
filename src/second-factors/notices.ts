// Emails to the owner about each change to the ways into their account, in case it was somebody else.
import { quoteName, secondFactorMail } from '../mail/templates.ts';
import type { Tx } from '../platform/context.ts';

const sentences = {
  mfa_enabled: 'An authenticator app was added',
  mfa_disabled: 'The authenticator app was removed',
  recovery_codes_regenerated: 'New recovery codes were made',
  recovery_codes_removed: 'The recovery codes were removed',
  passkey_registered: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
  factors_removed: 'The operator removed the second factors',
  personal_token_created: 'A personal access token was created',
  personal_token_rotated: 'A personal access token was rotated',
} as const;

/**
 * Emails the owner of an account about one change, with the name of what changed if it has one. Each change has an email of
 * its own, without a cooldown: otherwise a change right after the owner's own would go unnoticed.
 */
export function tellOwner(tx: Tx, { email }: { email: string }, change: keyof typeof sentences, name?: string): void {
  const facts = {
    ipAddress: tx.request.ipAddress,
    at: tx.now,
    ...(name === undefined ? {} : { name: quoteName(name) }),
  };
  tx.mail({ kind: change, to: email, ...secondFactorMail(tx.config.server.base_url, sentences[change], facts) });
}
