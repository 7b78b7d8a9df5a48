// The rules for deliveries: created from events, listed, redelivered and deleted.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context, OrganizationContext, Sweep, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { FAN_OUT_JOB } from '../core/record.ts';
import { DAY, timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { WebhookEvent } from '../webhook-events.ts';
import * as deliveryStore from './delivery-store.ts';
import * as eventStore from './event-store.ts';
import { deliveryRunnerOf } from './runner.ts';
import type { Delivery, DeliveryStatus } from './schema.ts';
import { MAX_DELETED_PER_STEP } from './service.ts';
import * as store from './store.ts';
import { type EventFilter, filterOf, receives } from './subscribed.ts';

const EVENTS_AT_ONCE = 100;
/** Most deliveries created in one transaction, so that other requests can run in between. */
const ENOUGH_WORK = 500;
/** Cost of reading a subscription, in deliveries created. */
const READING = 0.1;
const HISTORY_MS = 30 * DAY;
/** Subscriptions in whose deliveries one step of a cleanup run looks for orphans. */
const SUBSCRIPTIONS_PER_PAGE = 500;
/** Most transactions of a cleanup run for each type of row. */
const MAX_BATCHES = 100;

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
 * Creates the deliveries of all new events. Each batch is a transaction that also marks its events, so that a crash
 * neither loses nor duplicates a delivery.
 */
export async function fanOutEvents(ctx: Context): Promise<void> {
  while (fanOutBatch(ctx)) {
    deliveryRunnerOf(ctx).wake();
    await nextTurn();
  }
}

/**
 * Queues the fan-out when a server starts. The lease of a killed server's job may last for a while, and its events must
 * not wait for that.
 */
export function resumeFanOut(ctx: Context): void {
  if (eventStore.listOpenEvents(ctx, 1).length === 0) return;
  ctx.transact((tx) => tx.enqueue({ kind: FAN_OUT_JOB, dedupeKey: FAN_OUT_JOB }), { bookkeeping: true });
}

/** Returns whether there was anything to do. */
function fanOutBatch(ctx: Context): boolean {
  const events = eventStore.listOpenEvents(ctx, EVENTS_AT_ONCE);
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

interface Listener extends EventFilter {
  id: string;
}

function listListeners(tx: Tx, organizationId: string): Listener[] {
  return store.listActiveFilters(tx, organizationId).map((row) => ({ id: row.id, ...filterOf(row) }));
}

/**
 * Creates the deliveries of an event: to active subscriptions of the organization that include the event and existed when it
 * happened (docs/specification/webhooks.md#events). Returns their number.
 */
function fanOut(tx: Tx, event: eventStore.OpenEvent, listeners: readonly Listener[]): number {
  const meant = listeners.filter((listener) => listener.id < event.id && receives(listener, event));
  for (const { id } of meant) deliveryStore.insertDelivery(tx, id, event.id);
  eventStore.closeEvent(tx, event.id);
  return meant.length;
}

/** Sends a `webhook.test` to a subscription. Throws `operation_not_allowed` if it isn't active. */
export function sendTest(ctx: OrganizationContext, webhookId: string): Delivery {
  return queue(ctx, webhookId, (tx, { id, organizationId, projectId }) => {
    const eventId = tx.ids.next();
    eventStore.insertClosedEvent(tx, {
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
 * Delivers an event again, as a new delivery of the same event, so that the log is preserved. If one is still open, its
 * next attempt is made now instead. Throws `operation_not_allowed` if the subscription isn't active or no longer receives
 * the event.
 */
export function redeliver(ctx: OrganizationContext, webhookId: string, deliveryId: string): Delivery {
  return queue(ctx, webhookId, (tx, subscription) => {
    const { eventId, ...event } = deliveryStore.loadDelivery(tx, webhookId, deliveryId);
    if (!receives(filterOf(subscription), event)) {
      throw new AppError('operation_not_allowed', 'The webhook no longer subscribes to this event');
    }
    const open = deliveryStore.findOpenDelivery(tx, webhookId, eventId);
    if (open === undefined) return deliveryStore.insertDelivery(tx, webhookId, eventId);
    deliveryStore.makeDeliveryDue(tx, open);
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
        throw new AppError('operation_not_allowed', "The webhook isn't active. Activate it first");
      }
      const id = makeDue(tx, subscription);
      return toDelivery(deliveryStore.loadDelivery(tx, webhookId, id));
    },
    { bookkeeping: true },
  );
  deliveryRunnerOf(ctx).wake();
  return answer;
}

/** Returns a page of a subscription's deliveries, newest first. */
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
 * Deletes deliveries after 30 days, including dead letters, those of deleted subscriptions, and events without
 * deliveries.
 */
export const deliverySweep: Sweep = {
  name: 'deliveries',
  deletesByAge: true,
  schedule: '37 * * * *',
  async run(ctx) {
    const before = ctx.clock.time() - HISTORY_MS;
    const orphans = await removeOrphans(ctx);
    const old = await removeInBatches(ctx, (tx, limit) => deliveryStore.deleteDeliveriesBefore(tx, before, limit));
    const events = await removeInBatches(ctx, (tx, limit) => eventStore.deleteEventsBefore(tx, before, limit));
    return orphans + old + events;
  },
};

/** Deletes deliveries of deleted subscriptions. Other requests run after each page of subscriptions. */
async function removeOrphans(ctx: Context): Promise<number> {
  let total = 0;
  for (let after: string | undefined = ''; after !== undefined; await nextTurn()) {
    const page = deliveryStore.listDeliveredTo(ctx, after, SUBSCRIPTIONS_PER_PAGE);
    const gone = page.filter(({ isOrphaned }) => isOrphaned === 1).map(({ id }) => id);
    if (gone.length > 0) {
      total += await removeInBatches(ctx, (tx, limit) => deliveryStore.deleteDeliveriesOf(tx, gone, limit));
    }
    after = page.length < SUBSCRIPTIONS_PER_PAGE ? undefined : page.at(-1)?.id;
  }
  return total;
}

/** Deletes until nothing is left or the limit of the run is reached. Other requests run between transactions. */
async function removeInBatches(ctx: Context, remove: (tx: Tx, limit: number) => number): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const removed = ctx.transact((tx) => remove(tx, MAX_DELETED_PER_STEP), { bookkeeping: true });
    if (removed === 0) break;
    total += removed;
    await nextTurn();
  }
  return total;
}
