// How long a replaced identity provider vouches for nobody who was there before it: whoever replaces it with a borrowed session
// could otherwise sign in as anybody and take the account over.

import type { App } from '../core/context.ts';
import type { DeveloperRow } from '../developers/store.ts';
import { DAY } from '../lib/clock.ts';
import { type ConnectionRow, findConnection } from './store.ts';

/** Long enough for the admins to act on the email about the change. */
const HOLD_MS = DAY;

/**
 * When the hold on an organization's identity provider ends for an account, in milliseconds since the epoch; undefined when
 * there is none. Accounts that are younger than the present provider have known no other.
 */
export function findHold(app: App, organizationId: string, { createdAt }: DeveloperRow): number | undefined {
  const changedAt = findConnection(app, organizationId)?.trustChangedAt ?? undefined;
  if (changedAt === undefined || createdAt > changedAt) return undefined;
  const endsAt = changedAt + HOLD_MS;
  return app.clock.now().getTime() < endsAt ? endsAt : undefined;
}

type Trusted = Pick<ConnectionRow, 'entityId' | 'ssoUrl' | 'certificates'>;

/** Whether a connection trusts somebody else than before. */
export function isOtherProvider(before: Trusted | undefined, after: Trusted): boolean {
  if (before === undefined) return true;
  const { entityId, ssoUrl, certificates } = before;
  return entityId !== after.entityId || ssoUrl !== after.ssoUrl || certificates !== after.certificates;
}
