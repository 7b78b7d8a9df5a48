// Which events a subscription receives. Waiting deliveries of events that it no longer receives are deleted.

import type { Tx } from '../core/context.ts';
import type { SubscribableEvent } from '../webhook-events.ts';
import { deleteDelivery, listNextDeliveries } from './delivery-store.ts';
import type { SubscriptionRow } from './store.ts';

/** Most waiting deliveries examined in one transaction, so that other requests can run in between. */
const MAX_EXAMINED = 1_000;

/** The part of a subscription that selects events. */
export interface EventFilter {
  projectId: string | null;
  types: ReadonlySet<string>;
}

/** Returns the event types of a subscription. */
export function listedEvents(row: Pick<SubscriptionRow, 'events'>): SubscribableEvent[] {
  return JSON.parse(row.events) as SubscribableEvent[];
}

/** Returns which events a subscription selects. */
export function filterOf(row: Pick<SubscriptionRow, 'events' | 'projectId'>): EventFilter {
  return { projectId: row.projectId, types: new Set(listedEvents(row)) };
}

/**
 * Whether a subscription receives an event (docs/specification/webhooks.md#events). A test is sent to its subscription regardless
 * of the subscribed events.
 */
export function receives(
  { projectId, types }: EventFilter,
  event: { type: string; projectId: string | null },
): boolean {
  if (event.type === 'webhook.test') return true;
  return types.has(event.type) && (projectId === null || projectId === event.projectId);
}

/**
 * Deletes the waiting deliveries of events that the subscription doesn't receive, among the next 1,000. The others are deleted
 * when they are due. They haven't failed, so none of them counts as a failure of the endpoint.
 */
export function deleteUnsubscribed(tx: Tx, row: Pick<SubscriptionRow, 'id' | 'events' | 'projectId'>): void {
  const filter = filterOf(row);
  for (const delivery of listNextDeliveries(tx, row.id, MAX_EXAMINED)) {
    if (!receives(filter, delivery)) deleteDelivery(tx, delivery.id);
  }
}
