// The sign-in methods added to an account since its last known good sign-in. An attacker may have added them, so a
// password reset lists them and lets the owner remove them.

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

/** A factor of this age counts as known: its owner was emailed when it was added and has had to use it since. */
const SETTLED_MS = 30 * DAY;
/** Maximum number of listed tokens, newest first. Older ones are listed by the next reset. */
const MAX_TOKENS = 200;

export interface Additions {
  items: Addition[];
  /** Whether more additions exist than are listed. */
  isCut: boolean;
}

/**
 * Returns the time before which all additions are known, in milliseconds since the epoch. An addition of the same
 * millisecond isn't known.
 */
function knownUntil({ knownGoodAt, createdAt }: DeveloperRow): number {
  return knownGoodAt ?? createdAt;
}

/**
 * Notes a sign-in with a factor that was added at a given time (milliseconds since the epoch). If the factor is known
 * or 30 days old, the sign-in is known good, and everything added to the account until now becomes known. Otherwise a
 * first factor would never become known, and access to the mailbox would suffice to remove it. A password alone is
 * never enough, because it may have been stolen.
 */
export function noteSignIn(tx: Tx, developer: DeveloperRow, factorAddedAt: number): void {
  const isKnown = factorAddedAt < knownUntil(developer) || factorAddedAt <= tx.now - SETTLED_MS;
  if (isKnown) updateDeveloper(tx, developer.id, { knownGoodAt: tx.now });
}

/**
 * Returns when the recovery codes of an account were created, in milliseconds since the epoch, or undefined if no
 * unused one is left.
 */
export function recoveryCodesMadeAt(app: Pick<App, 'db'>, developerId: string): number | undefined {
  const id = factors.findUnusedRecoveryCode(app, developerId);
  return id === undefined ? undefined : momentOfId(id);
}

/** Returns the additions since the last known good sign-in and those never reviewed, newest first. */
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
  const tokens = listLivingTokens(app, developer.id, since, MAX_TOKENS + 1);
  for (const { id, name, createdAt, rotatedAt } of tokens.slice(0, MAX_TOKENS)) {
    const item = { kind: 'personal_access_token', identifier: id, name } as const;
    added.push({ at: Math.max(createdAt, rotatedAt ?? 0), item });
  }
  const items = added
    .sort((left, right) => right.at - left.at)
    .map(({ at, item }) => ({ ...item, added_at: timestamp(at) }));
  return { items, isCut: tokens.length > MAX_TOKENS };
}

/** Prevents the listed passkeys from signing in on their own until the list has been reviewed. */
export function suspendPasskeys(tx: Tx, items: readonly Addition[]): void {
  for (const { kind, identifier } of items) if (kind === 'passkey') factors.suspendPasskey(tx, identifier);
}

/** Removes an addition, records it and emails the owner. */
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

/** Marks the remaining additions as reviewed by the owner, unless some weren't listed. */
export function keepAdditions(tx: Tx, { id }: DeveloperRow, { isCut }: Pick<Additions, 'isCut'>): void {
  factors.resumePasskeys(tx, id);
  if (!isCut) updateDeveloper(tx, id, { knownGoodAt: tx.now });
  tx.record('developer.edited', {
    identifier: id,
    organizationId: null,
    developerId: id,
    details: { fields: [], action: 'additions_kept' },
  });
}
