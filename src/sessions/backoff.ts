// Backoff for password attempts: after a few free failures, each attempt for an address must wait longer than the one
// before.
import { and, eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { knownNetworks, passwordGuesses } from '../data/tables/tables.ts';
import type { DeveloperRow } from '../developers/store.ts';
import { DAY } from '../lib/clock.ts';
import { networkOf } from '../lib/network.ts';
import { FREE_FAILURES, GUESS_MEMORY_MS, requireNoWait } from '../second-factors/failed-attempts.ts';

/** How long a network is known to an account after the last sign-in from it. */
const NETWORK_MEMORY_MS = 90 * DAY;

/** A password attempt, and the counter it counts toward. */
export interface Guess {
  /** Hash of the address, or of the network if the account knows it. */
  subject: string;
  /** Whether it was counted before the verification. */
  isCharged: boolean;
  at: number;
  /** The failure before it. */
  previousFailureAt: number;
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
 * Returns the counter of an attempt. Attempts for an address share one counter, from anywhere and whether or not it has
 * an account. Networks from which the account signed in within 90 days, or set its password with an emailed link, have
 * counters of their own. So attackers only slow each other down, not the owner in known networks. Elsewhere the owner
 * can reset the password.
 */
export function guessSubject(ctx: Context, address: string, developer: DeveloperRow | undefined): string {
  const { ipAddress } = ctx.request;
  const developerId = developer?.id ?? '';
  const hash = ipAddress === null ? '' : hashNetwork(ctx, developerId, ipAddress);
  // Also queried for addresses without an account, so that both cases take the same time.
  const known = findNetwork(ctx).get({ developerId, hash });
  const isKnown = known !== undefined && known.seenAt > ctx.clock.time() - NETWORK_MEMORY_MS;
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
  return row === undefined || app.clock.time() - row.lastFailureAt >= GUESS_MEMORY_MS ? undefined : row;
}

/**
 * Admits an attempt or throws `rate_limit_exceeded` with Retry-After. After the free failures, an attempt is counted
 * before its verification, so that only one of several concurrent attempts is admitted. `free` is the number of failures
 * without a wait.
 */
export function admitAttempt(ctx: Context, subject: string, free = FREE_FAILURES): Guess {
  return ctx.transact(
    (tx) => {
      const row = find(tx, subject);
      requireNoWait(row && { ...row, failures: row.failures - free + FREE_FAILURES }, tx.now);
      const isCharged = (row?.failures ?? 0) >= free;
      if (isCharged) count(tx, subject);
      return { subject, isCharged, at: tx.now, previousFailureAt: row?.lastFailureAt ?? tx.now };
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

/** Counts a failed attempt unless it was already counted. */
export function countWrongGuess(tx: Tx, { subject, isCharged }: Guess): void {
  if (!isCharged) count(tx, subject);
}

/** Leaves the counters as they were before attempts whose password couldn't be verified, such as because too many wait. */
export function uncountAttempts(ctx: Context, ...guesses: readonly Guess[]): void {
  ctx.transact(
    (tx) => {
      for (const guess of guesses) uncountAttempt(tx, guess);
    },
    { bookkeeping: true },
  );
}

/** Leaves the counter as it was before a correct password, for one that people with the password share with those who guess. */
export function uncountAttempt(tx: Tx, { subject, isCharged, at, previousFailureAt }: Guess): void {
  const row = find(tx, subject);
  if (!isCharged || row === undefined) return;
  // Others may have failed during the verification.
  const lastFailureAt = row.lastFailureAt === at ? previousFailureAt : row.lastFailureAt;
  tx.db
    .update(passwordGuesses)
    .set({ failures: row.failures - 1, lastFailureAt })
    .where(eq(passwordGuesses.subject, subject))
    .run();
}

/** Resets the counter after a correct password. */
export function clearFailedAttempts(tx: Tx, { subject }: Pick<Guess, 'subject'>): void {
  tx.db.delete(passwordGuesses).where(eq(passwordGuesses.subject, subject)).run();
}

/**
 * Resets the counters of an account, that of its address and that of the request's network, after its password was
 * changed.
 */
export function clearAllFailedAttempts(tx: Tx, { id, email }: Pick<DeveloperRow, 'id' | 'email'>): void {
  const { ipAddress } = tx.request;
  clearFailedAttempts(tx, { subject: strangersSubject(tx, email) });
  if (ipAddress !== null) clearFailedAttempts(tx, { subject: knownSubject(tx, hashNetwork(tx, id, ipAddress)) });
}

/** Saves the network of the request as known to an account. */
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

/** Forgets the networks of an account, because another person may have signed in from them. */
export function forgetNetworks(tx: Tx, developerId: string): void {
  tx.db.delete(knownNetworks).where(eq(knownNetworks.developerId, developerId)).run();
}

const deleteOldRows = (table: 'password_guesses' | 'known_networks', column: 'last_failure_at' | 'seen_at') =>
  prepared((db) =>
    db.$client.prepare<[number, number]>(
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${column} <= ? LIMIT ?)`,
    ),
  );
const deleteOldGuesses = deleteOldRows('password_guesses', 'last_failure_at');
const deleteOldNetworks = deleteOldRows('known_networks', 'seen_at');

/** Deletes up to `max` old failed attempts and as many unused networks. Returns the number deleted. */
export function deleteOldFailedAttempts(ctx: Context, now: number, max: number): number {
  return ctx.transact(
    (tx) =>
      deleteOldGuesses(tx).run(now - GUESS_MEMORY_MS, max).changes +
      deleteOldNetworks(tx).run(now - NETWORK_MEMORY_MS, max).changes,
    { bookkeeping: true },
  );
}
