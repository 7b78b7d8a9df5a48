// Accounts at authorities, and when each may be asked again: an authority that refuses is asked ever more seldom.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { App } from '../core/context.ts';
import { acmeAccounts } from '../data/tables/tables.ts';
import { HOUR, MINUTE } from '../lib/clock.ts';
import { openSealed } from './store.ts';

const KEY_PURPOSE = 'acme account key';
/** Authorities allow a handful of failures an hour. */
const FIRST_PAUSE_MS = 10 * MINUTE;
const LONGEST_PAUSE_MS = 12 * HOUR;
/** Even where a new certificate would be due again at once. */
const PAUSE_AFTER_SUCCESS_MS = 6 * HOUR;

export interface AcmeAccount {
  directory: string;
  key: KeyObject;
  accountUrl: string | null;
  failures: number;
  attemptedAt: number | null;
  nextAttemptAt: number;
  lastError: string | null;
}

/** The account at an authority, with its key; a new one is not known to the authority yet. */
export function loadAcmeAccount({ db, clock, secrets }: App, directory: string): AcmeAccount {
  const row = db.select().from(acmeAccounts).where(eq(acmeAccounts.directory, directory)).get();
  if (row !== undefined) {
    const { privateKeyEncrypted, createdAt: _, ...kept } = row;
    return { ...kept, key: createPrivateKey(openSealed(secrets, privateKeyEncrypted, KEY_PURPOSE)) };
  }
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKeyEncrypted = secrets.encrypt(key.export({ type: 'pkcs8', format: 'pem' }).toString(), KEY_PURPOSE);
  const now = clock.now().getTime();
  db.insert(acmeAccounts).values({ directory, privateKeyEncrypted, createdAt: now, nextAttemptAt: 0 }).run();
  return { directory, key, accountUrl: null, failures: 0, attemptedAt: null, nextAttemptAt: 0, lastError: null };
}

/** Keeps the address by which the authority knows the account; null when it does not any more. */
export function setAccountUrl({ db }: App, directory: string, accountUrl: string | null): void {
  db.update(acmeAccounts).set({ accountUrl }).where(eq(acmeAccounts.directory, directory)).run();
}

/** Notes an attempt before it is made: one that ends the process counts too. */
export function noteAttempt({ db, clock }: App, { directory }: AcmeAccount): void {
  const now = clock.now().getTime();
  const values = { attemptedAt: now, nextAttemptAt: now + FIRST_PAUSE_MS };
  db.update(acmeAccounts).set(values).where(eq(acmeAccounts.directory, directory)).run();
}

export function noteSuccess({ db, clock }: App, { directory }: AcmeAccount): void {
  const nextAttemptAt = clock.now().getTime() + PAUSE_AFTER_SUCCESS_MS;
  const values = { failures: 0, lastError: null, nextAttemptAt };
  db.update(acmeAccounts).set(values).where(eq(acmeAccounts.directory, directory)).run();
}

/** Notes a failure; answers when to try again. `retryAfterMs` is what the authority asked for. */
export function noteFailure(
  { db, clock }: App,
  { directory, failures }: AcmeAccount,
  lastError: string,
  retryAfterMs = 0,
): number {
  const doubled = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 20), LONGEST_PAUSE_MS);
  const nextAttemptAt = clock.now().getTime() + Math.max(doubled, Math.min(retryAfterMs, 14 * LONGEST_PAUSE_MS));
  const values = { failures: failures + 1, lastError, nextAttemptAt };
  db.update(acmeAccounts).set(values).where(eq(acmeAccounts.directory, directory)).run();
  return nextAttemptAt;
}

/** After a restart, which may have mended what was wrong, the first pause is long enough. */
export function shortenPause({ db }: App, { directory, attemptedAt, nextAttemptAt }: AcmeAccount): void {
  const earliest = Math.min(nextAttemptAt, (attemptedAt ?? 0) + FIRST_PAUSE_MS);
  db.update(acmeAccounts).set({ nextAttemptAt: earliest }).where(eq(acmeAccounts.directory, directory)).run();
}
