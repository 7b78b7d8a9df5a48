// Counts for the metrics of the operator. Each reads an index of few rows.

import type { Context } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { DAY } from '../lib/clock.ts';
import { lockReasons } from '../lib/lock-reasons.ts';

const lockCount = prepared((db) =>
  db.$client.prepare<[string], number>('SELECT count(*) FROM organizations WHERE lock_reason = ?').pluck(),
);

/** Counts balances below zero. Nobody can settle that of a deleted organization. */
export const COUNT_BELOW_ZERO = `SELECT count(*) FROM billing_accounts a
  WHERE balance_cents < 0 AND EXISTS (SELECT 1 FROM organizations o WHERE o.id = a.organization_id)`;

const belowZeroCount = prepared((db) => db.$client.prepare<[], number>(COUNT_BELOW_ZERO).pluck());

const recentEvents = prepared((db) =>
  db.$client.prepare<[number], { outcome: string; total: number }>(
    'SELECT outcome, count(*) AS total FROM provider_events WHERE received_at > ? GROUP BY outcome',
  ),
);

/** Returns the numbers of locked organizations, of balances below zero, and of the provider's events in the last 24 hours. */
export function countBilling(ctx: Pick<Context, 'db' | 'clock'>): {
  locks: Record<string, number>;
  belowZero: number;
  events: Record<string, number>;
} {
  const countLocks = (reason: string) => [reason, lockCount(ctx).get(reason) ?? 0] as const;
  const found = recentEvents(ctx).all(ctx.clock.time() - DAY);
  const countEvents = (outcome: string) => [outcome, found.find((row) => row.outcome === outcome)?.total ?? 0] as const;
  return {
    locks: Object.fromEntries(lockReasons.map(countLocks)),
    belowZero: belowZeroCount(ctx).get() ?? 0,
    events: Object.fromEntries(['applied', 'stale', 'ignored'].map(countEvents)),
  };
}
