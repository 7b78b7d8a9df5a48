// The cleanup jobs of billing: ended trials and months, and expired reservations. Both can be repeated and interrupted.

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Context, Sweep, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { DAY } from '../lib/clock.ts';
import { endTrial, useAccount } from './accounts.ts';
import { toCents } from './costs.ts';
import { forgetCountedLinks } from './downloads.ts';
import { type AccountWork, workOnAccounts } from './each-account.ts';
import { addEntry } from './ledger.ts';
import { accrue, closeRows } from './meters.ts';
import { deleteExpired, listReserving } from './reservations.ts';
import { listOpenMonths, readMonth } from './usage.ts';
import { dayOf, deleteOldDays } from './usage-days.ts';

const PER_STEP = 20;
const RESERVATIONS_PER_STEP = 500;
const RESERVING_PER_STEP = 1_000;
const PROVIDER_EVENTS_PER_STEP = 500;
const PROVIDER_EVENT_DAYS = 400;
const DAYS_PER_STEP = 500;
const USAGE_DAYS_KEPT = 400;

const accountsAfter = prepared((db) =>
  db.$client
    .prepare<[string, number], string>(
      `SELECT organization_id FROM billing_accounts WHERE organization_id > ? AND paused_at IS NULL
        ORDER BY organization_id LIMIT ?`,
    )
    .pluck(),
);

const endedTrials = prepared((db) =>
  db.$client
    .prepare<[number, number], string>(
      `SELECT id FROM organizations WHERE lock_reason IS NULL AND lock_advances_at <= ? LIMIT ?`,
    )
    .pluck(),
);

const deleteOldEvents = prepared((db) =>
  db.$client.prepare<[number, number]>(
    'DELETE FROM provider_events WHERE rowid IN (SELECT rowid FROM provider_events WHERE received_at < ? LIMIT ?)',
  ),
);

const isUnused = ({ billing }: Config): boolean => !billing.enabled;

/** Ends trials, and bills the months that are over: for each meter an entry of whole cents. */
export const billingSweep: Sweep = {
  name: 'billing',
  schedule: '7 * * * *',
  isUnused,
  async run(ctx) {
    if (!ctx.config.billing.enabled) return 0;
    // Credit that was forfeited because of a wrong clock would be lost. Locks hold without this.
    const isTrusted = ctx.clockGuard.observe() === undefined;
    const ended: { sum: number; failure?: unknown } = isTrusted ? await endTrials(ctx) : { sum: 0 };
    let done = ended.sum;
    let { failure } = ended;
    let after = '';
    for (;;) {
      const ids = accountsAfter(ctx).all(after, PER_STEP);
      const billed = workOnAccounts(ctx, ids, closeMonths);
      done += billed.sum;
      failure ??= billed.failure;
      const last = ids.at(-1);
      if (last === undefined || ids.length < PER_STEP) break;
      after = last;
      await yieldToOthers();
    }
    if (isTrusted) {
      done += await inSteps(() => forgetEvents(ctx), PROVIDER_EVENTS_PER_STEP);
      done += await inSteps(() => forgetDays(ctx), DAYS_PER_STEP);
    }
    if (failure !== undefined) throw failure;
    return done;
  },
};

/** Deletes reservations that have expired. They count for nothing since then. */
export const reservationsSweep: Sweep = {
  name: 'reservations',
  schedule: '* * * * *',
  isUnused,
  async run(ctx) {
    if (!ctx.config.billing.enabled) return 0;
    const links = (): number =>
      ctx.transact((tx) => forgetCountedLinks(tx, RESERVATIONS_PER_STEP), { bookkeeping: true });
    await inSteps(links, RESERVATIONS_PER_STEP);
    return forgetReservations(ctx);
  },
};

async function forgetReservations(ctx: Context): Promise<number> {
  let done = 0;
  let after = '';
  for (;;) {
    const page = ctx.transact((tx) => listReserving(tx, after, RESERVING_PER_STEP));
    for (const { id } of page.filter(({ hasExpired }) => hasExpired)) {
      const step = () => ctx.transact((tx) => deleteExpired(tx, id, RESERVATIONS_PER_STEP), { bookkeeping: true });
      done += await inSteps(step, RESERVATIONS_PER_STEP);
      await yieldToOthers();
    }
    const last = page.at(-1);
    if (last === undefined || page.length < RESERVING_PER_STEP) return done;
    after = last.id;
    await yieldToOthers();
  }
}

async function inSteps(step: () => number, full: number): Promise<number> {
  let done = 0;
  for (;;) {
    const count = step();
    done += count;
    if (count < full) return done;
    await yieldToOthers();
  }
}

const recordEnd: AccountWork = (tx, id) => {
  endTrial(tx, id);
  return 1;
};

/** Records the trials that have ended. Those that can't be are left for the next run. */
async function endTrials(ctx: Context): Promise<{ sum: number; failure?: unknown }> {
  const all: { sum: number; failure?: unknown } = { sum: 0 };
  for (;;) {
    const ids = endedTrials(ctx).all(ctx.clock.time(), PER_STEP);
    const { sum, failure } = workOnAccounts(ctx, ids, recordEnd);
    all.sum += sum;
    all.failure ??= failure;
    if (sum === 0 || ids.length < PER_STEP) return all;
    await yieldToOthers();
  }
}

function forgetEvents(ctx: Context): number {
  const work = (tx: Tx) => deleteOldEvents(tx).run(tx.now - PROVIDER_EVENT_DAYS * DAY, PROVIDER_EVENTS_PER_STEP);
  return ctx.transact((tx) => work(tx).changes, { bookkeeping: true });
}

function forgetDays(ctx: Context): number {
  const work = (tx: Tx) => deleteOldDays(tx, dayOf(tx.now - USAGE_DAYS_KEPT * DAY), DAYS_PER_STEP);
  return ctx.transact(work, { bookkeeping: true });
}

/** Bills the months of an organization that are over. Returns how many. */
export function closeMonths(tx: Tx, organizationId: string): number {
  useAccount(tx, organizationId);
  const present = accrue(tx, organizationId);
  const months = listOpenMonths(tx, organizationId).filter((month) => month < present.month);
  for (const month of months) billMonth(tx, organizationId, month);
  return months.length;
}

/** Bills what is stored of a month. What is less than a cent isn't charged. */
export function billMonth(tx: Tx, organizationId: string, month: string): void {
  const { rows, costs } = readMonth(tx, organizationId, month, 0);
  const open = rows.filter(({ closedAt }) => closedAt === null);
  if (open.length === 0) return;
  for (const [meter, ucents] of Object.entries(costs)) {
    const amountCents = toCents(ucents);
    if (amountCents < 1) continue;
    addEntry(tx, { organizationId, kind: 'usage', amountCents, source: 'operator', note: `${month} ${meter}` });
  }
  closeRows(tx, open);
}
