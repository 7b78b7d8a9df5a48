// Guessing passwords in lock-step: after a few free failures each guess for an address waits longer than the one before.
import { and, eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { knownNetworks, passwordGuesses } from '../data/tables/tables.ts';
import type { DeveloperRow } from '../developers/store.ts';
import { DAY } from '../lib/clock.ts';
import { networkOf } from '../lib/network.ts';
import { FREE_FAILURES, GUESS_MEMORY_MS, refuseEarly } from '../second-factors/failed-attempts.ts';

/** A network is known to an account for so long after the last sign-in from it. */
const NETWORK_MEMORY_MS = 90 * DAY;

/** One look at a password, and what it counts for. */
export interface Guess {
  /** Hash of the address, and of the network where the account is known there. */
  subject: string;
  /** Counted before it was looked at. */
  isCharged: boolean;
}

const findGuesses = prepared((db) =>
  db
    .select()
    .from(passwordGuesses)
    .where(eq(passwordGuesses.subject, placeholder('subject')))
    .prepare(),
);

const findNetwork = prepared((db) =>
  db
    .select()
    .from(knownNetworks)
    .where(
      and(
        eq(knownNetworks.developerId, placeholder('developerId')),
        eq(knownNetworks.networkHash, placeholder('hash')),
      ),
    )
    .prepare(),
);

function hashNetwork(app: App, developerId: string, address: string): string {
  return app.secrets.hash(`network ${developerId} ${networkOf(address)}`);
}

/**
 * Whom a failure counts against. Guesses for an address share one count, wherever they come from and whether or not it has
 * an account; but networks from which the account has signed in within 90 days, or set its password by a mailed link, have
 * a count of their own each. So strangers can slow each other down and not the owner at the usual places, and who is kept
 * out elsewhere comes in by resetting the password.
 */
export function guessSubject(ctx: Context, address: string, developer: DeveloperRow | undefined): string {
  const { ipAddress } = ctx.request;
  const developerId = developer?.id ?? '';
  const hash = ipAddress === null ? '' : hashNetwork(ctx, developerId, ipAddress);
  // Asked for addresses without an account too: the same work for both.
  const known = findNetwork(ctx).get({ developerId, hash });
  const isKnown = known !== undefined && known.seenAt > ctx.clock.now().getTime() - NETWORK_MEMORY_MS;
  return isKnown ? knownSubject(ctx, hash) : strangersSubject(ctx, address);
}

function knownSubject(app: App, networkHash: string): string {
  return app.secrets.hash(`known ${networkHash}`);
}

function strangersSubject(app: App, address: string): string {
  return app.secrets.hash(`guess ${address}`);
}

function find(app: App, subject: string) {
  const row = findGuesses(app).get({ subject });
  return row === undefined || app.clock.now().getTime() - row.lastFailureAt >= GUESS_MEMORY_MS ? undefined : row;
}

/**
 * Admits one guess, or throws rate_limit_exceeded with Retry-After. Once the free failures are used up, a guess is counted
 * before it is looked at, so that of many at once one is.
 */
export function admitAttempt(ctx: Context, subject: string): Guess {
  return ctx.transact(
    (tx) => {
      const row = find(tx, subject);
      refuseEarly(row, tx.now);
      const isCharged = (row?.failures ?? 0) >= FREE_FAILURES;
      if (isCharged) count(tx, subject);
      return { subject, isCharged };
    },
    { bookkeeping: true },
  );
}

function count(tx: Tx, subject: string): void {
  const change = { failures: (find(tx, subject)?.failures ?? 0) + 1, lastFailureAt: tx.now };
  tx.db
    .insert(passwordGuesses)
    .values({ subject, ...change })
    .onConflictDoUpdate({ target: passwordGuesses.subject, set: change })
    .run();
}

/** Counts a guess that was wrong, unless it was counted already. */
export function countWrongGuess(tx: Tx, { subject, isCharged }: Guess): void {
  if (!isCharged) count(tx, subject);
}

/** Forgives what was counted, after a right password. */
export function clearFailedAttempts(tx: Tx, { subject }: Pick<Guess, 'subject'>): void {
  tx.db.delete(passwordGuesses).where(eq(passwordGuesses.subject, subject)).run();
}

/** Forgives what was guessed for an account, by strangers and in the network of the request, after it got a new password. */
export function clearAllFailedAttempts(tx: Tx, { id, email }: Pick<DeveloperRow, 'id' | 'email'>): void {
  const { ipAddress } = tx.request;
  clearFailedAttempts(tx, { subject: strangersSubject(tx, email) });
  if (ipAddress !== null) clearFailedAttempts(tx, { subject: knownSubject(tx, hashNetwork(tx, id, ipAddress)) });
}

/** Notes that the owner of an account was seen in the network of the request. */
export function noteNetwork(tx: Tx, developerId: string): void {
  const { ipAddress } = tx.request;
  if (ipAddress === null) return;
  const networkHash = hashNetwork(tx, developerId, ipAddress);
  tx.db
    .insert(knownNetworks)
    .values({ developerId, networkHash, seenAt: tx.now })
    .onConflictDoUpdate({ target: [knownNetworks.developerId, knownNetworks.networkHash], set: { seenAt: tx.now } })
    .run();
}

const deleteOldRows = (table: 'password_guesses' | 'known_networks', column: 'last_failure_at' | 'seen_at') =>
  prepared((db) =>
    db.$client.prepare<[number, number]>(
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${column} <= ? LIMIT ?)`,
    ),
  );
const deleteOldGuesses = deleteOldRows('password_guesses', 'last_failure_at');
const deleteOldNetworks = deleteOldRows('known_networks', 'seen_at');

/** Forgets old wrong guesses, and networks that nobody signed in from for long: at most `most` of each; answers how many. */
export function deleteOldFailedAttempts(ctx: Context, now: number, most: number): number {
  return ctx.transact(
    (tx) =>
      deleteOldGuesses(tx).run(now - GUESS_MEMORY_MS, most).changes +
      deleteOldNetworks(tx).run(now - NETWORK_MEMORY_MS, most).changes,
    { bookkeeping: true },
  );
}
