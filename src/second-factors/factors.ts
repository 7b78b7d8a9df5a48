// The two-factor methods of an account, and their removal.

import type { App, Tx } from '../core/context.ts';
import { type DeveloperRow, updateDeveloper } from '../developers/store.ts';
import { endChallenges } from './challenges.ts';
import { clearFailures } from './failed-attempts.ts';
import type { SecondFactorMethod } from './schema.ts';
import * as store from './store.ts';

/** Returns the two-factor methods available when signing in by password, or an empty list if the password is enough. */
export function listMethods(app: App, developer: DeveloperRow): SecondFactorMethod[] {
  const hasTotp = developer.totpEnabledAt !== null;
  const hasPasskey = developer.passkeyCount > 0;
  if (!hasTotp && !hasPasskey) return [];
  const hasRecoveryCode = store.countUnusedRecoveryCodes(app, developer.id) > 0;
  return [
    ...(hasTotp ? (['totp'] as const) : []),
    ...(hasRecoveryCode ? (['recovery_code'] as const) : []),
    ...(hasPasskey ? (['passkey'] as const) : []),
  ];
}

/**
 * Updates the number of passkeys of an account. Recovery codes are deleted with the last method, which they replace.
 */
export function notePasskeys(tx: Tx, developerId: string): DeveloperRow {
  const row = updateDeveloper(tx, developerId, { passkeyCount: store.countPasskeys(tx, developerId) });
  if (row.passkeyCount === 0 && row.totpEnabledAt === null) store.replaceRecoveryCodes(tx, developerId, []);
  return row;
}

/** Removes the authenticator app and the recovery codes of an account. The caller records it. */
export function removeTotp(tx: Tx, developerId: string): void {
  store.deleteTotp(tx, developerId);
  store.replaceRecoveryCodes(tx, developerId, []);
  updateDeveloper(tx, developerId, { totpEnabledAt: null });
}

/**
 * Removes all two-factor methods of an account: authenticator app, recovery codes and passkeys, with pending sign-ins.
 * Used by the operator, and when another person than the one who added them verifies the address first.
 * Records it and returns whether there were any.
 */
export function removeAllFactors(tx: Tx, developerId: string): boolean {
  const hadTotp = store.findTotp(tx, developerId)?.confirmedAt != null;
  store.deleteTotp(tx, developerId);
  store.replaceRecoveryCodes(tx, developerId, []);
  const passkeys = store.deleteAllPasskeys(tx, developerId);
  updateDeveloper(tx, developerId, { totpEnabledAt: null, passkeyCount: 0 });
  clearFailures(tx, developerId, 'second_factor');
  endChallenges(tx, developerId);
  if (!hadTotp && passkeys === 0) return false;
  tx.record('mfa.disabled', {
    identifier: developerId,
    organizationId: null,
    developerId,
    details: { totp: hadTotp, passkeys },
  });
  return true;
}
