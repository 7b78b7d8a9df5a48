// Rows of events, which webhooks deliver.
import { and, asc, eq, inArray, isNotNull, lt, notExists, sql } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { outboxEvents, webhookDeliveries } from '../data/tables/tables.ts';

type Db = Pick<App, 'db'>;
export type EventRow = typeof outboxEvents.$inferSelect;
/** What decides which subscriptions receive an event. */
export type OpenEvent = Pick<EventRow, 'id' | 'organizationId' | 'projectId' | 'type'>;

const openEvents = prepared((db) =>
  db.$client.prepare<[number], OpenEvent>(
    `SELECT id, organization_id AS organizationId, project_id AS projectId, type FROM outbox_events
      WHERE fanned_out_at IS NULL ORDER BY id LIMIT ?`,
  ),
);

/** Returns the oldest events without deliveries. */
export function listOpenEvents(app: Db, limit: number): OpenEvent[] {
  return openEvents(app).all(limit);
}

const closing = prepared((db) =>
  db.$client.prepare<[number, string]>('UPDATE outbox_events SET fanned_out_at = ? WHERE id = ?'),
);

/** Marks an event as fanned out. */
export function closeEvent(tx: Tx, id: string): void {
  closing(tx).run(tx.now, id);
}

/** Saves an event that only one subscription receives. */
export function insertClosedEvent(tx: Tx, row: Omit<EventRow, 'createdAt' | 'fannedOutAt'>): void {
  tx.db
    .insert(outboxEvents)
    .values({ ...row, createdAt: tx.now, fannedOutAt: tx.now })
    .run();
}

/** Deletes fanned-out events without deliveries that were created before a moment. Returns the number deleted. */
export function deleteEventsBefore(tx: Tx, before: number, limit: number): number {
  const old = tx.db
    .select({ id: outboxEvents.id })
    .from(outboxEvents)
    .where(
      and(
        lt(outboxEvents.createdAt, before),
        isNotNull(outboxEvents.fannedOutAt),
        notExists(
          tx.db.select({ one: sql`1` }).from(webhookDeliveries).where(eq(webhookDeliveries.eventId, outboxEvents.id)),
        ),
      ),
    )
    .orderBy(asc(outboxEvents.createdAt))
    .limit(limit);
  return tx.db.delete(outboxEvents).where(inArray(outboxEvents.id, old)).run().changes;
}
