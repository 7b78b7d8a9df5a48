// Marks email addresses as verified (docs/specification/identity.md#email-verification).
import type { Tx } from '../core/context.ts';
import { endGivenAccess } from '../core/role-changes.ts';
import { endLinks } from '../developers/links.ts';
import { revokeSessions } from '../developers/session-store.ts';
import { type DeveloperRow, nameOfAddress, updateDeveloper } from '../developers/store.ts';
import { removeAllFactors } from '../second-factors/factors.ts';
import { forgetNetworks } from '../sessions/backoff.ts';
import { joinAfterSignUp } from '../testers/join-links/joining.ts';
import { attachPendingGrants } from '../testers/pending-access.ts';
import { endTokensOf } from '../tokens/personal/service.ts';

/**
 * How an address was verified. Only the account's own verification link shows that the person who signed up also reads
 * the email.
 */
export type VerificationMethod =
  | 'verification_link'
  | 'later_sign_up'
  | 'password_reset'
  | 'email_sign_in'
  | 'saml'
  | 'oidc'
  | 'invitation'
  | 'operator'
  | 'setup';

/**
 * Marks the address of an account as verified. Does nothing if it already is. Unless the account's own verification
 * link was used, another person may have created the account, so its password, sessions, factors, tokens and what it gave to others
 * end. The same happens, and the name is reset, if several people may have signed up with the address. Returns the updated
 * account. The caller sets a new password if there is one.
 */
export function markAddressVerified(tx: Tx, developer: DeveloperRow, how: VerificationMethod): DeveloperRow {
  if (developer.emailVerifiedAt !== null) return developer;
  const isMaker = how === 'verification_link' || how === 'operator';
  if (!isMaker || developer.isContested) endCredentials(tx, developer);
  endLinks(tx, developer.id, ['verify_email', 'password_reset', 'change_email']);
  const displayName = developer.isContested ? nameOfAddress(developer.email) : developer.displayName;
  const proven = updateDeveloper(tx, developer.id, {
    emailVerifiedAt: tx.now,
    vouchedAt: null,
    isContested: false,
    displayName,
  });
  tx.record('developer.email_verified', {
    identifier: developer.id,
    organizationId: null,
    developerId: developer.id,
    details: { email: developer.email, how },
  });
  attachPendingGrants(tx, proven);
  joinAfterSignUp(tx, proven, isMaker && !developer.isContested);
  return proven;
}

function endCredentials(tx: Tx, { id }: DeveloperRow): void {
  updateDeveloper(tx, id, { passwordHash: null });
  endSessions(tx, id);
  removeAllFactors(tx, id);
  endTokensOf(tx, id);
  forgetNetworks(tx, id);
  endGivenAccess(tx, id);
}

/** Ends all sessions of an account and records it if there were any. Returns the number of sessions ended. */
export function endSessions(tx: Tx, developerId: string, more: Record<string, unknown> = {}): number {
  const count = revokeSessions(tx, developerId);
  if (count > 0) {
    const details = { count, ...more };
    tx.record('session.all_revoked', { identifier: developerId, organizationId: null, developerId, details });
  }
  return count;
}
