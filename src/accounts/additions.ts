// The ways in that were added to an account since its last known good sign-in. Whoever resets a password may have lost the
// account to somebody else, so a reset shows them and can remove them.

import type { App, Tx } from '../core/context.ts';
import { type DeveloperRow, updateDeveloper } from '../developers/store.ts';
import { DAY, timestamp } from '../lib/clock.ts';
import { momentOfId } from '../lib/id-times.ts';
import { removeTotp } from '../second-factors/factors.ts';
import { notifyOwner } from '../second-factors/notices.ts';
import { dropPasskey } from '../second-factors/passkeys.ts';
import * as factors from '../second-factors/store.ts';
import { endToken } from '../tokens/personal/service.ts';
import { listLivingTokens, loadOwnToken } from '../tokens/personal/store.ts';
import type { Addition } from './schema.ts';

/** A factor that has been there for so long is known: its owner was emailed when it was added, and asked for it since. */
const SETTLED_MS = 30 * DAY;
/** Tokens that are listed at once, newest first; older ones are listed by the next reset. */
const MOST_TOKENS = 200;

export interface Additions {
  items: Addition[];
  /** Whether there are more than are listed. */
  isCut: boolean;
}

/** Everything added before then is known, in milliseconds since the epoch. What was added in that very millisecond isn't. */
function knownUntil({ knownGoodAt, createdAt }: DeveloperRow): number {
  return knownGoodAt ?? createdAt;
}

/**
 * Notes a sign-in by a factor that was added at a moment (milliseconds since the epoch). If that factor was known, or is 30
 * days old, the sign-in is known good, and so is everything that the account has by then. Otherwise a first factor would never become known, and a
 * mailbox alone could remove it. A password alone never is: it may have been stolen.
 */
export function noteSignIn(tx: Tx, developer: DeveloperRow, factorAddedAt: number): void {
  const isKnown = factorAddedAt < knownUntil(developer) || factorAddedAt <= tx.now - SETTLED_MS;
  if (isKnown) updateDeveloper(tx, developer.id, { knownGoodAt: tx.now });
}

/** When the recovery codes of an account were made, in milliseconds since the epoch; undefined without an unused one. */
export function recoveryCodesMadeAt(app: Pick<App, 'db'>, developerId: string): number | undefined {
  const id = factors.findUnusedRecoveryCode(app, developerId);
  return id === undefined ? undefined : momentOfId(id);
}

/** What was added to an account since its last known good sign-in, newest first, with what was never reviewed. */
export function listAdditions(app: App, developer: DeveloperRow): Additions {
  const since = knownUntil(developer);
  const added: { at: number; item: Omit<Addition, 'added_at'> }[] = [];
  const totp = factors.findTotp(app, developer.id);
  if (totp?.confirmedAt != null && totp.confirmedAt >= since) {
    added.push({ at: totp.confirmedAt, item: { kind: 'totp', identifier: 'totp', name: null } });
  }
  const codesAt = recoveryCodesMadeAt(app, developer.id);
  if (codesAt !== undefined && codesAt >= since) {
    added.push({ at: codesAt, item: { kind: 'recovery_codes', identifier: 'recovery_codes', name: null } });
  }
  for (const { id, name, createdAt, suspendedAt } of factors.listAllPasskeys(app, developer.id)) {
    if (createdAt < since && suspendedAt === null) continue;
    added.push({ at: createdAt, item: { kind: 'passkey', identifier: id, name } });
  }
  const tokens = listLivingTokens(app, developer.id, since, MOST_TOKENS + 1);
  for (const { id, name, createdAt, rotatedAt } of tokens.slice(0, MOST_TOKENS)) {
    const item = { kind: 'personal_access_token', identifier: id, name } as const;
    added.push({ at: Math.max(createdAt, rotatedAt ?? 0), item });
  }
  const items = added
    .sort((left, right) => right.at - left.at)
    .map(({ at, item }) => ({ ...item, added_at: timestamp(at) }));
  return { items, isCut: tokens.length > MOST_TOKENS };
}

/** Stops the listed passkeys from signing in alone until somebody has reviewed the list. */
export function suspendPasskeys(tx: Tx, items: readonly Addition[]): void {
  for (const { kind, identifier } of items) if (kind === 'passkey') factors.suspendPasskey(tx, identifier);
}

/** Removes one addition, records it and emails the owner. */
export function removeAddition(tx: Tx, developer: DeveloperRow, { kind, identifier }: Addition): void {
  const facts = { identifier: developer.id, organizationId: null, developerId: developer.id };
  if (kind === 'passkey') {
    dropPasskey(tx, developer, factors.loadPasskey(tx, developer.id, identifier));
  } else if (kind === 'totp') {
    removeTotp(tx, developer.id);
    tx.record('mfa.disabled', { ...facts, details: { totp: true, passkeys: 0 } });
    notifyOwner(tx, developer, 'mfa_disabled');
  } else if (kind === 'recovery_codes') {
    factors.replaceRecoveryCodes(tx, developer.id, []);
    tx.record('developer.edited', {
      ...facts,
      details: { fields: ['recovery_codes'], action: 'recovery_codes_removed' },
    });
    notifyOwner(tx, developer, 'recovery_codes_removed');
  } else {
    endToken(tx, loadOwnToken(tx, developer.id, identifier));
  }
}

/** Notes that the owner has looked at the list and keeps what is left of it. */
export function keepAdditions(tx: Tx, { id }: DeveloperRow, { isCut }: Additions): void {
  factors.resumePasskeys(tx, id);
  if (!isCut) updateDeveloper(tx, id, { knownGoodAt: tx.now });
  tx.record('developer.edited', {
    identifier: id,
    organizationId: null,
    developerId: id,
    details: { fields: [], action: 'additions_kept' },
  });
}
