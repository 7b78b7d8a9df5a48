// After an identity provider was replaced, it can't vouch for older accounts for a while. Otherwise a person with a
// hijacked admin session could replace it and take over any account.

import type { App } from '../core/context.ts';
import type { DeveloperRow } from '../developers/store.ts';
import { DAY } from '../lib/clock.ts';
import { type ConnectionRow, findConnection } from './store.ts';

/** Long enough for the admins to react to the email about the change. */
const HOLD_MS = DAY;

/**
 * Returns when the hold on an organization's identity provider ends for an account, in milliseconds since the epoch, or
 * undefined if there is none. Only accounts older than the current provider are affected.
 */
export function findHold(app: App, organizationId: string, { createdAt }: DeveloperRow): number | undefined {
  const changedAt = findConnection(app, organizationId)?.trustChangedAt ?? undefined;
  if (changedAt === undefined || createdAt >= changedAt) return undefined;
  const endsAt = changedAt + HOLD_MS;
  return app.clock.time() < endsAt ? endsAt : undefined;
}

type Trusted = Pick<
  ConnectionRow,
  'kind' | 'entityId' | 'ssoUrl' | 'certificates' | 'clientId' | 'emailClaim' | 'acceptsUnverifiedEmail'
>;

/** Returns whether a connection trusts another provider than before, or other statements of it. */
export function isOtherProvider(before: Trusted | undefined, after: Trusted): boolean {
  if (before === undefined) return true;
  return statementsOf(before) !== statementsOf(after);
}

function statementsOf(trusted: Trusted): string {
  const { kind, entityId, ssoUrl, certificates, clientId, emailClaim, acceptsUnverifiedEmail } = trusted;
  // An issuer can move its endpoints.
  const shared = kind === 'saml' ? [ssoUrl, certificates] : [clientId, emailClaim, acceptsUnverifiedEmail];
  return JSON.stringify([kind, entityId, ...shared]);
}
