// The first proof that an address belongs to whoever has the account (completions 10.17).
import type { Tx } from '../core/context.ts';
import { endLinks } from '../developers/links.ts';
import { revokeSessions } from '../developers/session-store.ts';
import { type DeveloperRow, nameOfAddress, updateDeveloper } from '../developers/store.ts';
import { removeAllFactors } from '../second-factors/factors.ts';
import { onAddressVerified } from './email-verified-hooks.ts';

/** How an address was proven. Only its own verification link says that whoever made the account also reads the mail. */
export type AddressProof = 'verification_link' | 'later_sign_up' | 'password_reset' | 'saml' | 'operator' | 'setup';

/**
 * Notes that the address of an account is proven; does nothing when it was before. Unless the proof is the account's own
 * verification link, whoever made the account may have been somebody else: the password, every session and every factor
 * from before end. So they do, with the name, if more than one person may have signed up. Answers the account as it is then;
 * the caller sets a new password if there is one.
 */
export function proveAddress(tx: Tx, developer: DeveloperRow, how: AddressProof): DeveloperRow {
  if (developer.emailVerifiedAt !== null) return developer;
  const isMaker = how === 'verification_link' || how === 'operator';
  if (!isMaker || developer.isContested) endCredentials(tx, developer);
  endLinks(tx, developer.id, ['verify_email', 'password_reset', 'change_email']);
  const displayName = developer.isContested ? nameOfAddress(developer.email) : developer.displayName;
  const proven = updateDeveloper(tx, developer.id, { emailVerifiedAt: tx.now, isContested: false, displayName });
  tx.record('developer.email_verified', {
    identifier: developer.id,
    organizationId: null,
    developerId: developer.id,
    details: { email: developer.email, how },
  });
  onAddressVerified(tx, proven);
  return proven;
}

function endCredentials(tx: Tx, { id }: DeveloperRow): void {
  updateDeveloper(tx, id, { passwordHash: null });
  endSessions(tx, id);
  removeAllFactors(tx, id);
}

/** Ends every session of an account, whoever asked; recorded when there was any. Answers how many there were. */
export function endSessions(tx: Tx, developerId: string): number {
  const count = revokeSessions(tx, developerId);
  if (count > 0) {
    const details = { count };
    tx.record('session.all_revoked', { identifier: developerId, organizationId: null, developerId, details });
  }
  return count;
}
