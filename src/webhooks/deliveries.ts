// The rules of deliveries: made from events, listed, made again, and forgotten.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context, OrganizationContext, Sweep, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { FAN_OUT_JOB } from '../core/record.ts';
import { DAY, timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { WebhookEvent } from '../webhook-events.ts';
import * as deliveryStore from './delivery-store.ts';
import { LONGEST_PAUSE_MS } from './retry.ts';
import { deliveryRunnerOf } from './runner.ts';
import type { Delivery, DeliveryStatus } from './schema.ts';
import { listedEvents, MOST_DELETED_AT_ONCE } from './service.ts';
import * as store from './store.ts';

const EVENTS_AT_ONCE = 100;
/** Deliveries made after which a transaction ends, so that requests get their turn. */
const ENOUGH_WORK = 500;
/** What reading a subscription costs, in deliveries made. */
const READING = 0.1;
const HISTORY_MS = 30 * DAY;
/** Transactions of one run of the sweep, for each kind of thing that it removes. */
const MOST_BATCHES = 100;

function toDelivery(row: deliveryStore.ListedDelivery): Delivery {
  return {
    identifier: row.id,
    webhook_id: row.subscriptionId,
    event_id: row.eventId,
    type: row.type as WebhookEvent,
    status: row.status,
    attempts: row.attempts,
    last_status_code: row.lastStatusCode,
    last_error: row.lastError,
    next_attempt_at: timestampOrNull(row.nextAttemptAt),
    created_at: timestamp(row.createdAt),
    delivered_at: timestampOrNull(row.deliveredAt),
  };
}

/**
 * Makes the deliveries of every event that has none yet. Each batch is one transaction that also marks its events, so
 * that a crash anywhere neither loses nor doubles a delivery.
 */
export async function fanOutEvents(ctx: Context): Promise<void> {
  while (fanOutBatch(ctx)) {
    deliveryRunnerOf(ctx).wake();
    await nextTurn();
  }
}

/**
 * Queues the fan-out anew when a server starts: the job of one that was killed is held by its lease for a while, and its
 * events need not wait for that.
 */
export function resumeFanOut(ctx: Context): void {
  if (deliveryStore.listOpenEvents(ctx, 1).length === 0) return;
  ctx.transact((tx) => tx.enqueue({ kind: FAN_OUT_JOB, dedupeKey: FAN_OUT_JOB }), { bookkeeping: true });
}

/**
 * Makes due what a clock that was ahead has put off: deliveries that were never tried, and those that wait for longer than
 * any pause.
 */
export function resumeDeliveries(ctx: Context): void {
  ctx.transact((tx) => deliveryStore.hastenStranded(tx, LONGEST_PAUSE_MS), { bookkeeping: true });
}

/** Whether there was anything to do. */
function fanOutBatch(ctx: Context): boolean {
  const events = deliveryStore.listOpenEvents(ctx, EVENTS_AT_ONCE);
  if (events.length === 0) return false;
  ctx.transact(
    (tx) => {
      const listeners = new Map<string, Listener[]>();
      let work = 0;
      for (const event of events) {
        if (work >= ENOUGH_WORK) return;
        let known = listeners.get(event.organizationId);
        if (known === undefined) {
          known = listListeners(tx, event.organizationId);
          listeners.set(event.organizationId, known);
          work += known.length * READING;
        }
        work += fanOut(tx, event, known);
      }
    },
    { bookkeeping: true },
  );
  return true;
}

interface Listener {
  id: string;
  projectId: string | null;
  types: ReadonlySet<string>;
}

function listListeners(tx: Tx, organizationId: string): Listener[] {
  return store
    .listActiveFilters(tx, organizationId)
    .map(({ id, projectId, events }) => ({ id, projectId, types: new Set(listedEvents({ events })) }));
}

/** Part 6, rule 1: active subscriptions of the organization that list the type, and were there when it happened. */
function fanOut(tx: Tx, event: deliveryStore.EventRow, listeners: readonly Listener[]): number {
  const meant = listeners.filter(
    ({ id, projectId, types }) =>
      id < event.id && (projectId === null || projectId === event.projectId) && types.has(event.type),
  );
  for (const { id } of meant) deliveryStore.insertDelivery(tx, id, event.id);
  deliveryStore.closeEvent(tx, event.id);
  return meant.length;
}

/** Sends a `webhook.test` to one subscription. Throws operation_not_allowed while it is not active. */
export function sendTest(ctx: OrganizationContext, webhookId: string): Delivery {
  return queue(ctx, webhookId, (tx, { id, organizationId, projectId }) => {
    const eventId = tx.ids.next();
    deliveryStore.insertClosedEvent(tx, {
      id: eventId,
      organizationId,
      projectId,
      type: 'webhook.test',
      data: JSON.stringify({ webhook_id: id }),
      details: '{}',
    });
    return deliveryStore.insertDelivery(tx, id, eventId);
  });
}

/**
 * Delivers an event once more, as a new delivery of the same event, so that the log keeps what was. Where one is still open
 * it gets its next attempt now instead. Throws operation_not_allowed while the subscription is not active.
 */
export function redeliver(ctx: OrganizationContext, webhookId: string, deliveryId: string): Delivery {
  return queue(ctx, webhookId, (tx) => {
    const { eventId } = deliveryStore.loadDelivery(tx, webhookId, deliveryId);
    const open = deliveryStore.findOpenDelivery(tx, webhookId, eventId);
    if (open === undefined) return deliveryStore.insertDelivery(tx, webhookId, eventId);
    deliveryStore.hastenDelivery(tx, open);
    return open;
  });
}

function queue(
  ctx: OrganizationContext,
  webhookId: string,
  makeDue: (tx: Tx, subscription: store.SubscriptionRow) => string,
): Delivery {
  const answer = ctx.transact(
    (tx) => {
      const subscription = store.loadSubscription(tx, ctx.organization.id, webhookId);
      if (!subscription.active) {
        throw new AppError('operation_not_allowed', 'The webhook is not active; activate it first');
      }
      const id = makeDue(tx, subscription);
      return toDelivery(deliveryStore.loadDelivery(tx, webhookId, id));
    },
    { bookkeeping: true },
  );
  deliveryRunnerOf(ctx).wake();
  return answer;
}

/** One page of a subscription's deliveries, newest first. */
export function listDeliveries(
  ctx: OrganizationContext,
  webhookId: string,
  { status, ...request }: PageRequest & { status?: DeliveryStatus | undefined },
): Page<Delivery> {
  store.loadSubscription(ctx, ctx.organization.id, webhookId);
  return readPage(
    ctx,
    request,
    (before, limit) => deliveryStore.listDeliveries(ctx, { subscriptionId: webhookId, status, before, limit }),
    toDelivery,
  );
}

/**
 * Forgets deliveries after 30 days, dead letters included, those of subscriptions that are gone, and events that no delivery
 * refers to any more.
 */
export const deliverySweep: Sweep = {
  name: 'deliveries',
  deletesByAge: true,
  schedule: '37 * * * *',
  async run(ctx) {
    const before = ctx.clock.now().getTime() - HISTORY_MS;
    const orphans = await removeInBatches(ctx, deliveryStore.deleteOrphanedDeliveries);
    const old = await removeInBatches(ctx, (tx, limit) => deliveryStore.deleteDeliveriesBefore(tx, before, limit));
    const events = await removeInBatches(ctx, (tx, limit) => deliveryStore.deleteEventsBefore(tx, before, limit));
    return orphans + old + events;
  },
};

/** Removes until nothing is left or the run is long enough; between transactions requests get their turn. */
async function removeInBatches(ctx: Context, remove: (tx: Tx, limit: number) => number): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const removed = ctx.transact((tx) => remove(tx, MOST_DELETED_AT_ONCE), { bookkeeping: true });
    if (removed === 0) break;
    total += removed;
    await nextTurn();
  }
  return total;
}
