// Rows of deliveries.
import { and, asc, desc, eq, inArray, isNotNull, lt, lte, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import { outboxEvents, webhookDeliveries, webhookSubscriptions } from '../data/tables/tables.ts';
import { notFound } from '../lib/errors.ts';
import { startSteps } from '../lib/steps.ts';
import type { EventRow } from './event-store.ts';
import type { DeliveryStatus } from './schema.ts';

export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
type Db = Pick<App, 'db'>;

/** A delivery with the type and project of its event. */
export type ListedDelivery = DeliveryRow & Pick<EventRow, 'type' | 'projectId'>;

/** All data for an attempt. */
export interface DueDelivery {
  delivery: DeliveryRow;
  event: EventRow;
  subscription: Pick<
    typeof webhookSubscriptions.$inferSelect,
    'id' | 'organizationId' | 'projectId' | 'events' | 'sealedUrl' | 'sealedSecret' | 'format'
  >;
}

const insertion = prepared((db) =>
  db
    .insert(webhookDeliveries)
    .values({
      id: placeholder('id'),
      subscriptionId: placeholder('subscriptionId'),
      eventId: placeholder('eventId'),
      status: 'pending',
      attempts: 0,
      nextAttemptAt: sql`${placeholder('now')}`,
      createdAt: sql`${placeholder('now')}`,
    })
    .prepare(),
);

/** Skips from one subscription with open deliveries to the next in their index, because most have none. */
const dueSubscriptions = prepared((db) =>
  db.$client.prepare<[number], { id: string; organizationId: string }>(
    `WITH RECURSIVE open(id) AS (
        SELECT min(subscription_id) FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL
        UNION ALL
        SELECT (SELECT min(subscription_id) FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL AND subscription_id > open.id)
          FROM open WHERE open.id IS NOT NULL)
      SELECT s.id, s.organization_id AS organizationId FROM open JOIN webhook_subscriptions s ON s.id = open.id
        WHERE s.active = 1 AND EXISTS (SELECT 1 FROM webhook_deliveries WHERE subscription_id = s.id AND next_attempt_at <= +?)`,
  ),
);

const dueOf = prepared((db) =>
  db
    .select({
      delivery: webhookDeliveries,
      event: outboxEvents,
      subscription: {
        id: webhookSubscriptions.id,
        organizationId: webhookSubscriptions.organizationId,
        projectId: webhookSubscriptions.projectId,
        events: webhookSubscriptions.events,
        sealedUrl: webhookSubscriptions.sealedUrl,
        sealedSecret: webhookSubscriptions.sealedSecret,
        format: webhookSubscriptions.format,
      },
    })
    .from(webhookDeliveries)
    .innerJoin(
      webhookSubscriptions,
      and(eq(webhookSubscriptions.id, webhookDeliveries.subscriptionId), eq(webhookSubscriptions.active, true)),
    )
    .innerJoin(outboxEvents, eq(outboxEvents.id, webhookDeliveries.eventId))
    .where(
      and(
        eq(webhookDeliveries.subscriptionId, placeholder('subscriptionId')),
        lte(webhookDeliveries.nextAttemptAt, placeholder('now')),
      ),
    )
    .orderBy(asc(webhookDeliveries.nextAttemptAt))
    .limit(placeholder('limit'))
    .prepare(),
);

const newestWithStatus = prepared((db) =>
  db.$client
    .prepare<[string, string], string>(
      'SELECT id FROM webhook_deliveries WHERE subscription_id = ? AND status = ? ORDER BY id DESC LIMIT 1',
    )
    .pluck(),
);

const settlement = prepared((db) =>
  db
    .update(webhookDeliveries)
    .set({
      status: sql`${placeholder('status')}`,
      attempts: sql`${placeholder('attempts')}`,
      lastStatusCode: sql`${placeholder('lastStatusCode')}`,
      lastError: sql`${placeholder('lastError')}`,
      nextAttemptAt: sql`${placeholder('nextAttemptAt')}`,
      deliveredAt: sql`${placeholder('deliveredAt')}`,
    })
    .where(eq(webhookDeliveries.id, placeholder('id')))
    .prepare(),
);

/** Creates a delivery that is due immediately. Returns its id. */
export function insertDelivery(tx: Tx, subscriptionId: string, eventId: string): string {
  const id = tx.ids.next();
  insertion(tx).run({ id, subscriptionId, eventId, now: tx.now });
  return id;
}

/** Returns active subscriptions with due deliveries, and their organizations. */
export function listDueSubscriptions(app: Db, now: number): { id: string; organizationId: string }[] {
  return dueSubscriptions(app).all(now);
}

/** Returns the due deliveries of an active subscription, longest due first. */
export function listDue(app: Db, subscriptionId: string, now: number, limit: number): DueDelivery[] {
  return dueOf(app).all({ subscriptionId, now, limit });
}

/** Returns the ids of the newest delivery that succeeded and of the newest that failed; empty if there is none. Three index seeks. */
function findNewestOutcomes(app: Db, subscriptionId: string): { delivered: string; failed: string } {
  const newest = (status: string): string => newestWithStatus(app).get(subscriptionId, status) ?? '';
  return {
    delivered: newest('delivered'),
    failed: [newest('retrying'), newest('dead')].toSorted().at(-1) ?? '',
  };
}

/** Returns whether the last attempted delivery of a subscription succeeded, or undefined if none was attempted. */
export function findLastOutcome(app: Db, subscriptionId: string): boolean | undefined {
  const { delivered, failed } = findNewestOutcomes(app, subscriptionId);
  return delivered === failed ? undefined : delivered > failed;
}

const failuresSince = prepared((db) =>
  db.$client
    .prepare<[string, string, string, number], number>(
      `SELECT count(*) FROM (
         SELECT 1 FROM webhook_deliveries WHERE subscription_id = ? AND status = ? AND id > ? LIMIT ?)`,
    )
    .pluck(),
);

const openOf = prepared((db) =>
  db.$client
    .prepare<[string, number], number>(
      `SELECT count(*) FROM (
         SELECT 1 FROM webhook_deliveries WHERE subscription_id = ? AND next_attempt_at IS NOT NULL LIMIT ?)`,
    )
    .pluck(),
);

/**
 * Returns the newest failed delivery of a subscription and the number of failed ones since the last success, counted up
 * to `most`. Returns undefined if nothing has failed since.
 */
export function findFailures(app: Db, subscriptionId: string, most: number) {
  const { delivered, failed } = findNewestOutcomes(app, subscriptionId);
  if (failed <= delivered) return undefined;
  const count = (status: string) => failuresSince(app).get(subscriptionId, status, delivered, most) ?? 0;
  return { last: loadDelivery(app, subscriptionId, failed), count: Math.min(most, count('retrying') + count('dead')) };
}

/** Returns the number of deliveries of a subscription that are still to be sent, counted up to `most`. */
export function countOpenDeliveries(app: Db, subscriptionId: string, most: number): number {
  return openOf(app).get(subscriptionId, most) ?? 0;
}

/** Saves the result of an attempt. */
export function settleDelivery(
  tx: Tx,
  id: string,
  change: Pick<DeliveryRow, 'status' | 'attempts' | 'lastStatusCode' | 'lastError' | 'nextAttemptAt' | 'deliveredAt'>,
): void {
  settlement(tx).run({ id, ...change });
}

/** Returns a page of a subscription's deliveries, newest first. */
export function listDeliveries(
  app: Db,
  slice: { subscriptionId: string; status: DeliveryStatus | undefined; before: string; limit: number },
): ListedDelivery[] {
  return app.db
    .select({ delivery: webhookDeliveries, type: outboxEvents.type, projectId: outboxEvents.projectId })
    .from(webhookDeliveries)
    .innerJoin(outboxEvents, eq(outboxEvents.id, webhookDeliveries.eventId))
    .where(
      and(
        eq(webhookDeliveries.subscriptionId, slice.subscriptionId),
        slice.status === undefined ? undefined : eq(webhookDeliveries.status, slice.status),
        lt(webhookDeliveries.id, slice.before),
      ),
    )
    .orderBy(desc(webhookDeliveries.id))
    .limit(slice.limit)
    .all()
    .map(({ delivery, ...event }) => ({ ...delivery, ...event }));
}

/** Returns a delivery of a subscription. Throws `not_found` if it doesn't exist there. */
export function loadDelivery(app: Db, subscriptionId: string, id: string): ListedDelivery {
  const row = app.db
    .select({ delivery: webhookDeliveries, type: outboxEvents.type, projectId: outboxEvents.projectId })
    .from(webhookDeliveries)
    .innerJoin(outboxEvents, eq(outboxEvents.id, webhookDeliveries.eventId))
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.subscriptionId, subscriptionId)))
    .get();
  if (row === undefined) throw notFound();
  const { delivery, ...event } = row;
  return { ...delivery, ...event };
}

/** Makes the next attempt of an open delivery due now. */
export function makeDeliveryDue(tx: Tx, id: string): void {
  tx.db
    .update(webhookDeliveries)
    .set({ nextAttemptAt: tx.now })
    .where(and(eq(webhookDeliveries.id, id), isNotNull(webhookDeliveries.nextAttemptAt)))
    .run();
}

const nextOf = prepared((db) =>
  db.$client.prepare<[string, number], Pick<ListedDelivery, 'id' | 'type' | 'projectId'>>(
    `SELECT d.id, e.type, e.project_id AS projectId FROM webhook_deliveries d JOIN outbox_events e ON e.id = d.event_id
      WHERE d.subscription_id = ? AND d.next_attempt_at IS NOT NULL ORDER BY d.next_attempt_at LIMIT ?`,
  ),
);

/** Returns the open deliveries of a subscription that are attempted next. */
export function listNextDeliveries(app: Db, subscriptionId: string, limit: number) {
  return nextOf(app).all(subscriptionId, limit);
}

const deletion = prepared((db) => db.$client.prepare<[string]>('DELETE FROM webhook_deliveries WHERE id = ?'));

/** Deletes a delivery. The result of an attempt that is running changes nothing then. */
export function deleteDelivery(tx: Tx, id: string): void {
  deletion(tx).run(id);
}

/** Returns the open delivery of an event to a subscription, neither delivered nor dead, if there is one. */
export function findOpenDelivery(app: Db, subscriptionId: string, eventId: string): string | undefined {
  const { id, eventId: ofEvent, subscriptionId: ofSubscription, nextAttemptAt } = webhookDeliveries;
  return app.db
    .select({ id })
    .from(webhookDeliveries)
    .where(and(eq(ofEvent, eventId), eq(ofSubscription, subscriptionId), isNotNull(nextAttemptAt)))
    .get()?.id;
}

/** Open deliveries in the order of the index of due ones: after the last one of the step before. */
const openAfter = prepared((db) =>
  db.$client.prepare<[OpenDelivery & { max: number }], OpenDelivery & Pick<DeliveryRow, 'attempts'>>(
    `SELECT subscription_id AS subscriptionId, next_attempt_at AS dueAt, rowid AS row, attempts FROM webhook_deliveries
      WHERE next_attempt_at IS NOT NULL AND (subscription_id, next_attempt_at, rowid) > (@subscriptionId, @dueAt, @row)
      ORDER BY subscription_id, next_attempt_at, rowid LIMIT @max`,
  ),
);

const rescheduling = prepared((db) =>
  db.$client.prepare<[{ row: number; now: number }]>(
    'UPDATE webhook_deliveries SET next_attempt_at = @now WHERE rowid = @row',
  ),
);

/** The place of a delivery in the index of due ones. */
interface OpenDelivery {
  subscriptionId: string;
  dueAt: number;
  row: number;
}

/** In steps, because deliveries that are retried or that wait for an inactive subscription can be many. */
const EXAMINED_PER_STEP = 500;

/**
 * Makes deliveries due that were never attempted but are due in the future, or later than the given milliseconds. Other requests
 * run after each step; `signal` ends the work there.
 */
export async function makeStrandedDue(ctx: Context, maxMs: number, signal: AbortSignal): Promise<void> {
  const nextStep = startSteps();
  const now = ctx.clock.time();
  let last: OpenDelivery = { subscriptionId: '', dueAt: 0, row: 0 };
  for (;;) {
    const found = openAfter(ctx).all({ ...last, max: EXAMINED_PER_STEP });
    const stranded = found.filter(({ dueAt, attempts }) => dueAt > (attempts === 0 ? now : now + maxMs));
    const write = (tx: Tx) => {
      for (const { row } of stranded) rescheduling(tx).run({ row, now });
    };
    if (stranded.length > 0) ctx.transact(write, { bookkeeping: true });
    const end = found.at(-1);
    if (end === undefined || found.length < EXAMINED_PER_STEP) return;
    last = end;
    await nextStep();
    if (signal.aborted) return;
  }
}

/** Deletes deliveries of the given subscriptions. Returns the number deleted. */
export function deleteDeliveriesOf(tx: Tx, subscriptionIds: string[], limit: number): number {
  return deleteUpTo(tx, webhookDeliveries.id, inArray(webhookDeliveries.subscriptionId, subscriptionIds), limit);
}

/** Skips from one subscription to the next in the index, because there are far more deliveries than subscriptions. */
const deliveredTo = prepared((db) =>
  db.$client.prepare<[string, number], { id: string; isOrphaned: 0 | 1 }>(
    `WITH RECURSIVE named(id) AS (
        SELECT min(subscription_id) FROM webhook_deliveries WHERE subscription_id > +?
        UNION ALL
        SELECT (SELECT min(subscription_id) FROM webhook_deliveries WHERE subscription_id > named.id)
          FROM named WHERE named.id IS NOT NULL LIMIT +?)
      SELECT id, id NOT IN (SELECT id FROM webhook_subscriptions) AS isOrphaned FROM named WHERE id IS NOT NULL`,
  ),
);

/**
 * Returns up to `limit` subscriptions with deliveries and ids above `after`, in the order of their ids. Those that were deleted, or
 * whose organization was, are orphaned.
 */
export function listDeliveredTo(app: Db, after: string, limit: number): { id: string; isOrphaned: 0 | 1 }[] {
  return deliveredTo(app).all(after, limit);
}

/** Deletes deliveries created before a moment, oldest first. Returns the number deleted. */
export function deleteDeliveriesBefore(tx: Tx, before: number, limit: number): number {
  const old = tx.db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(lt(webhookDeliveries.createdAt, before))
    .orderBy(asc(webhookDeliveries.createdAt))
    .limit(limit);
  return tx.db.delete(webhookDeliveries).where(inArray(webhookDeliveries.id, old)).run().changes;
}
