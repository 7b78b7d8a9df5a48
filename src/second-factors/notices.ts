// Mails that tell the owner when the second factors of an account change, in case it was somebody else.
import { mailOnce } from '../mail/cooldowns.ts';
import { secondFactorMail } from '../mail/templates.ts';
import type { DeveloperContext, Tx } from '../platform/context.ts';

const sentences = {
  mfa_enabled: 'An authenticator app was added',
  mfa_disabled: 'The authenticator app was removed',
  recovery_codes_regenerated: 'New recovery codes were made',
  passkey_registered: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
} as const;

/** Tells the caller by mail; the same sort of change is told once in a while only, as all mails are. */
export function tellOwner(tx: Tx, { actor }: DeveloperContext, change: keyof typeof sentences): void {
  mailOnce(tx, change, actor.email, () => secondFactorMail(tx.config.server.base_url, sentences[change]));
}
