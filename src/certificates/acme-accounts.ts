// Accounts at ACME authorities, with a backoff after failures.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { App } from '../core/context.ts';
import { acmeAccounts } from '../data/tables/tables.ts';
import { HOUR, MINUTE } from '../lib/clock.ts';
import { openSealed } from './store.ts';

export const ACME_ACCOUNT_KEY = 'acme account key';
/** Authorities allow a handful of failures per hour. */
const FIRST_PAUSE_MS = 10 * MINUTE;
const MAX_PAUSE_MS = 12 * HOUR;
/** Also if a new certificate is already due for renewal. */
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

/** Returns the account at an authority with its key. A new account isn't registered with the authority yet. */
export function loadAcmeAccount({ db, clock, secrets }: App, directory: string): AcmeAccount {
  const row = db.select().from(acmeAccounts).where(eq(acmeAccounts.directory, directory)).get();
  if (row !== undefined) {
    const { privateKeyEncrypted, createdAt: _, ...kept } = row;
    return { ...kept, key: createPrivateKey(openSealed(secrets, privateKeyEncrypted, ACME_ACCOUNT_KEY)) };
  }
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKeyEncrypted = secrets.encrypt(
    key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ACME_ACCOUNT_KEY,
  );
  const now = clock.time();
  db.insert(acmeAccounts).values({ directory, privateKeyEncrypted, createdAt: now, nextAttemptAt: 0 }).run();
  return { directory, key, accountUrl: null, failures: 0, attemptedAt: null, nextAttemptAt: 0, lastError: null };
}

/** Saves the account's URL at the authority; null if the authority no longer knows it. */
export function setAccountUrl({ db }: App, directory: string, accountUrl: string | null): void {
  db.update(acmeAccounts).set({ accountUrl }).where(eq(acmeAccounts.directory, directory)).run();
}

/** Records an attempt before it starts, so that an attempt that crashes the process counts too. */
export function noteAttempt({ db, clock }: App, { directory }: AcmeAccount): void {
  const now = clock.time();
  const values = { attemptedAt: now, nextAttemptAt: now + FIRST_PAUSE_MS };
  db.update(acmeAccounts).set(values).where(eq(acmeAccounts.directory, directory)).run();
}

/** Records a success. The next attempt is made six hours later at the earliest. */
export function noteSuccess({ db, clock }: App, { directory }: AcmeAccount): void {
  const nextAttemptAt = clock.time() + PAUSE_AFTER_SUCCESS_MS;
  const values = { failures: 0, lastError: null, nextAttemptAt };
  db.update(acmeAccounts).set(values).where(eq(acmeAccounts.directory, directory)).run();
}

/** Records a failure and returns the time of the next attempt. `retryAfterMs` is the delay requested by the authority. */
export function noteFailure(
  { db, clock }: App,
  { directory, failures }: AcmeAccount,
  lastError: string,
  retryAfterMs = 0,
): number {
  const doubled = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 20), MAX_PAUSE_MS);
  const nextAttemptAt = clock.time() + Math.max(doubled, Math.min(retryAfterMs, 14 * MAX_PAUSE_MS));
  const values = { failures: failures + 1, lastError, nextAttemptAt };
  db.update(acmeAccounts).set(values).where(eq(acmeAccounts.directory, directory)).run();
  return nextAttemptAt;
}

/** After a restart, which may have fixed the problem, the first delay is enough. */
export function shortenPause({ db }: App, { directory, attemptedAt, nextAttemptAt }: AcmeAccount): void {
  const earliest = Math.min(nextAttemptAt, (attemptedAt ?? 0) + FIRST_PAUSE_MS);
  db.update(acmeAccounts).set({ nextAttemptAt: earliest }).where(eq(acmeAccounts.directory, directory)).run();
}
