// Sends due deliveries. Their rows are the queue: only one server uses a database, so running deliveries only need to
// be remembered in memory, and after a crash they are still due.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { isBusy } from '../data/busy.ts';
import { SECOND, watchTurnBacks } from '../lib/clock.ts';
import { createResolve } from '../outbound/resolve.ts';
import { attemptDelivery } from './attempt.ts';
import {
  type DueDelivery,
  findLastOutcome,
  listDue,
  listDueSubscriptions,
  makeStrandedDue,
  settleDelivery,
} from './delivery-store.ts';
import type { PostOutcome } from './post.ts';
import { MAX_PAUSE_MS, pauseAfter } from './retry.ts';
import { createDeliveryScheduler } from './scheduler.ts';
import { deleteUnsubscribed, filterOf, receives } from './subscribed.ts';

export interface DeliveryRunner {
  start(newContext: () => Context): void;
  /** Checks for due deliveries soon. */
  wake(): void;
  /** The last failed attempt as text for the operator; undefined if none failed since the start. */
  lastFailure(): { at: number; text: string } | undefined;
  /** Runs until nothing is due, for tests and a clean stop. */
  drain(): Promise<void>;
  /** Aborts running deliveries. They are sent again after the next start. */
  stop(): Promise<void>;
}

const POLL_MS = 5 * SECOND;
/** Longer attempts move to the slots for slow ones. */
const SLOW_MS = SECOND;
/** Results of this period are saved in one transaction, because each waits for the disk. */
const SETTLE_MS = 50;

interface Settlement {
  due: DueDelivery;
  outcome: PostOutcome;
  isSlow: boolean;
}

/** Creates the runner of a server. It does nothing before its start and after its stop. */
function createDeliveryRunner(concurrency: number): DeliveryRunner {
  const turns = createDeliveryScheduler(concurrency);
  const resolve = createResolve();
  const held = new Set<string>();
  const stopping = new AbortController();
  const onTurnBack = watchTurnBacks();
  let newContext: (() => Context) | undefined;
  let poll: NodeJS.Timeout | undefined;
  let lastFailure: { at: number; text: string } | undefined;
  let isSettling = false;
  let isWoken = false;
  let rescheduling: Promise<void> | undefined;
  let settlements: Settlement[] = [];
  let idle: PromiseWithResolvers<void> | undefined;

  /** Makes due what a clock that was ahead has postponed. Other deliveries are sent at the same time. */
  function rescheduleStranded(ctx: Context): Promise<void> {
    const earlier = rescheduling;
    const run = async () => {
      await earlier;
      await makeStrandedDue(ctx, MAX_PAUSE_MS, stopping.signal);
    };
    const result = run();
    const end = result
      .catch((error: unknown) => logFailure(ctx, error))
      .then(() => {
        if (rescheduling === end) rescheduling = undefined;
        wake();
      });
    rescheduling = end;
    return result;
  }

  /** Assigns free slots to due deliveries. */
  function fill(ctx: Context): void {
    const now = ctx.clock.time();
    if (isWoken) {
      isWoken = false;
      onTurnBack(now, () => rescheduleStranded(ctx));
      for (const { id, organizationId } of listDueSubscriptions(ctx, now)) {
        recallOutcome(ctx, id);
        turns.add(id, organizationId);
      }
    }
    for (let id = turns.take(); id !== undefined; id = turns.take()) {
      // Only running deliveries may be skipped, so one more row shows the next.
      const due = listDue(ctx, id, now, turns.runningOf(id) + 1).find((row) => !held.has(row.delivery.id));
      if (due === undefined) continue;
      if (!receives(filterOf(due.subscription), due.event)) {
        // Those that were too many for the change of the subscription, or attempted during it.
        ctx.transact((tx) => deleteUnsubscribed(tx, due.subscription), { bookkeeping: true });
        wake();
        continue;
      }
      held.add(due.delivery.id);
      turns.begin(id, due.subscription.organizationId);
      turns.add(id, due.subscription.organizationId);
      attempt(ctx, due);
    }
  }

  function attempt(ctx: Context, due: DueDelivery): void {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = turns.slowDown(due.subscription.id);
      if (isSlow && !stopping.signal.aborted) guard(fill);
    }, SLOW_MS).unref();
    void attemptDelivery(ctx, due, resolve, stopping.signal).then((outcome) => {
      clearTimeout(timer);
      noteOutcome({ due, outcome, isSlow });
    });
  }

  /** After a start, the state of an endpoint is only known from its deliveries. */
  function recallOutcome(ctx: Context, id: string): void {
    if (turns.isKnown(id)) return;
    const hasSucceeded = findLastOutcome(ctx, id);
    if (hasSucceeded !== undefined) turns.remember(id, hasSucceeded);
  }

  function noteOutcome(settlement: Settlement): void {
    settlements.push(settlement);
    settleIn(SETTLE_MS);
  }

  function settleIn(delayMs: number): void {
    if (isSettling) return;
    isSettling = true;
    setTimeout(() => guard(settle), delayMs);
  }

  /** Saves the results of attempts. Until then they keep their slots, so that a busy database isn't overloaded. */
  function settle(ctx: Context): void {
    isSettling = false;
    const batch = settlements;
    settlements = [];
    const wasAnswered = ({ outcome }: Settlement) => outcome.statusCode !== null || !stopping.signal.aborted;
    try {
      ctx.transact(
        (tx) => {
          for (const { due, outcome } of batch.filter(wasAnswered)) {
            settleDelivery(tx, due.delivery.id, nextState(ctx, tx.now, due, outcome));
          }
        },
        { bookkeeping: true },
      );
    } catch (error) {
      if (stopping.signal.aborted) ctx.log.warn({ err: error }, 'saving webhook results failed');
      else {
        // They count as running until they can be saved.
        settlements.push(...batch);
        settleIn(POLL_MS);
        throw error;
      }
    }
    for (const { due, outcome, isSlow } of batch) {
      held.delete(due.delivery.id);
      turns.end(due.subscription.id, outcome.error === null, isSlow);
      logOutcome(ctx, due, outcome);
      const { reason } = outcome;
      if (reason !== null) lastFailure = { at: ctx.clock.time(), text: `webhook ${due.subscription.id}: ${reason}` };
    }
    try {
      if (!stopping.signal.aborted) fill(ctx);
    } finally {
      if (held.size === 0) idle?.resolve();
    }
  }

  function guard(work: (ctx: Context) => void): void {
    if (newContext === undefined) return;
    const ctx = newContext();
    try {
      work(ctx);
    } catch (error) {
      logFailure(ctx, error);
    }
  }

  function logFailure(ctx: Context, error: unknown): void {
    // The next poll tries again.
    if (isBusy(error)) ctx.log.debug({ err: error }, 'database busy, webhooks wait');
    else ctx.log.error({ err: error }, 'sending webhooks failed');
  }

  function wake(): void {
    if (isWoken || newContext === undefined) return;
    isWoken = true;
    setImmediate(look);
  }

  function look(): void {
    if (stopping.signal.aborted) return;
    isWoken = true;
    guard(fill);
  }

  async function becomeIdle(): Promise<void> {
    idle ??= Promise.withResolvers();
    await idle.promise;
    idle = undefined;
  }

  return {
    start(contextForDelivery) {
      newContext = contextForDelivery;
      poll = setInterval(look, POLL_MS).unref();
      look();
    },
    wake,
    lastFailure: () => lastFailure,
    async drain() {
      look();
      while (held.size > 0 || rescheduling !== undefined || (isWoken && newContext !== undefined)) {
        await (rescheduling ?? (held.size > 0 ? becomeIdle() : nextTurn()));
        look();
      }
    },
    async stop() {
      stopping.abort();
      clearInterval(poll);
      await rescheduling;
      if (held.size > 0) await becomeIdle();
      newContext = undefined;
    },
  };
}

/** Returns the values of a delivery after an attempt. */
function nextState(ctx: Context, now: number, { delivery }: DueDelivery, { statusCode, error }: PostOutcome) {
  const attempts = delivery.attempts + 1;
  const state = { attempts, lastStatusCode: statusCode, lastError: error, nextAttemptAt: null, deliveredAt: null };
  if (error === null) return { ...state, status: 'delivered' as const, deliveredAt: now };
  if (attempts >= ctx.config.webhooks.max_attempts) return { ...state, status: 'dead' as const };
  return { ...state, status: 'retrying' as const, nextAttemptAt: now + pauseAfter(attempts, delivery.id) };
}

function logOutcome(ctx: Context, { delivery, subscription }: DueDelivery, { statusCode, reason }: PostOutcome): void {
  const isLast = delivery.attempts + 1 >= ctx.config.webhooks.max_attempts;
  const facts = { webhook_id: subscription.id, delivery_id: delivery.id, status: statusCode };
  if (reason === null) ctx.log.debug(facts, 'webhook delivered');
  else if (isLast) ctx.log.warn({ ...facts, reason }, 'webhook delivery failed');
  else ctx.log.info({ ...facts, reason }, 'webhook attempt failed');
}

/** Sends the deliveries of one server. */
export const deliveryRunnerOf = definePart<DeliveryRunner>({
  open: ({ config }) => createDeliveryRunner(config.webhooks.concurrency),
  start: (runner, newContext) => runner.start(newContext),
  close: (runner) => runner.stop(),
});
