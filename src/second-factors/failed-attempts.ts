// Failed attempts per account: after a few free ones, each must wait longer than the one before, up to a limit. A correct
// password doesn't reset failed two-factor attempts (docs/specification/identity.md#failed-attempts).
import { and, eq } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { guessCounters } from '../data/tables/tables.ts';
import { DAY, SECOND } from '../lib/clock.ts';
import { tooManyRequests } from '../runtime/rate-limits.ts';

export type GuessKind = (typeof guessCounters.$inferSelect)['kind'];

export const FREE_FAILURES = 4;
const MAX_WAIT_MS = 900 * SECOND;
/** Failures are reset this long after the last one. */
export const GUESS_MEMORY_MS = DAY;

function find(app: App, developerId: string, kind: GuessKind) {
  const row = app.db
    .select()
    .from(guessCounters)
    .where(and(eq(guessCounters.developerId, developerId), eq(guessCounters.kind, kind)))
    .get();
  return row === undefined || app.clock.time() - row.lastFailureAt >= GUESS_MEMORY_MS ? undefined : row;
}

/** Returns the wait in milliseconds after a number of failures: 2 s after the fifth, doubling up to 15 min. */
export function waitAfter(failures: number): number {
  if (failures <= FREE_FAILURES) return 0;
  return Math.min(MAX_WAIT_MS, SECOND * 2 ** Math.min(failures - FREE_FAILURES, 30));
}

/** Throws `rate_limit_exceeded` with Retry-After while an account must wait. */
export function checkBackoff(app: App, developerId: string, kind: GuessKind): void {
  requireNoWait(find(app, developerId, kind), app.clock.time());
}

/**
 * Throws `rate_limit_exceeded` with Retry-After while the failures require a wait. None is required after failures in the future:
 * the clock was ahead then, and nobody could sign in until it catches up.
 */
export function requireNoWait(counted: { failures: number; lastFailureAt: number } | undefined, now: number): void {
  if (counted === undefined || counted.lastFailureAt > now) return;
  const remaining = counted.lastFailureAt + waitAfter(counted.failures) - now;
  if (remaining <= 0) return;
  throw tooManyRequests(remaining, 'Too many failed attempts for this account. Try again later');
}

/** A failed attempt that was counted. */
interface Failure {
  at: number;
  /** The failure before it. */
  previousAt: number;
}

/** Counts a failed attempt. */
export function countFailure(tx: Tx, developerId: string, kind: GuessKind): Failure {
  const row = find(tx, developerId, kind);
  const change = { failures: (row?.failures ?? 0) + 1, lastFailureAt: tx.now };
  tx.db
    .insert(guessCounters)
    .values({ developerId, kind, ...change })
    .onConflictDoUpdate({ target: [guessCounters.developerId, guessCounters.kind], set: change })
    .run();
  return { at: tx.now, previousAt: row?.lastFailureAt ?? tx.now };
}

/** Leaves the counter as it was before an attempt that couldn't be verified, such as because too many wait. */
export function uncountFailure(tx: Tx, developerId: string, kind: GuessKind, { at, previousAt }: Failure): void {
  const row = find(tx, developerId, kind);
  if (row === undefined) return;
  // Others may have failed in the meantime.
  const lastFailureAt = row.lastFailureAt === at ? previousAt : row.lastFailureAt;
  tx.db
    .update(guessCounters)
    .set({ failures: row.failures - 1, lastFailureAt })
    .where(and(eq(guessCounters.developerId, developerId), eq(guessCounters.kind, kind)))
    .run();
}

/** Resets the failed attempts, after a successful one. */
export function clearFailures(tx: Tx, developerId: string, kind: GuessKind): void {
  tx.db
    .delete(guessCounters)
    .where(and(eq(guessCounters.developerId, developerId), eq(guessCounters.kind, kind)))
    .run();
}
