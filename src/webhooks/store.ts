// Queries for webhook subscriptions.
import { and, count, desc, eq, lt } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { projects, webhookSubscriptions } from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';

export type SubscriptionRow = typeof webhookSubscriptions.$inferSelect;
type Db = Pick<App, 'db'>;

const byId = prepared((db) =>
  db
    .select()
    .from(webhookSubscriptions)
    .where(eq(webhookSubscriptions.id, placeholder('id')))
    .prepare(),
);

const activeOf = prepared((db) =>
  db
    .select({
      id: webhookSubscriptions.id,
      projectId: webhookSubscriptions.projectId,
      events: webhookSubscriptions.events,
    })
    .from(webhookSubscriptions)
    .where(
      and(
        eq(webhookSubscriptions.organizationId, placeholder('organizationId')),
        eq(webhookSubscriptions.active, true),
      ),
    )
    .prepare(),
);

/** Returns the location of a subscription, for access declarations. */
export function locateSubscription(app: Db, id: string): Location | undefined {
  const row = byId(app).get({ id });
  return row && { organizationId: row.organizationId };
}

/** Returns a subscription of an organization. Throws `not_found` if it doesn't exist there. */
export function loadSubscription(app: Db, organizationId: string, id: string): SubscriptionRow {
  const row = byId(app).get({ id });
  if (row === undefined || row.organizationId !== organizationId) throw notFound();
  return row;
}

/** Returns a page of an organization's subscriptions, newest first. */
export function listSubscriptions(app: Db, organizationId: string, before: string, limit: number): SubscriptionRow[] {
  return app.db
    .select()
    .from(webhookSubscriptions)
    .where(and(eq(webhookSubscriptions.organizationId, organizationId), lt(webhookSubscriptions.id, before)))
    .orderBy(desc(webhookSubscriptions.id))
    .limit(limit)
    .all();
}

/** Returns the number of subscriptions of an organization, active or not. */
export function countSubscriptions(app: Db, organizationId: string): number {
  const row = app.db
    .select({ total: count() })
    .from(webhookSubscriptions)
    .where(eq(webhookSubscriptions.organizationId, organizationId))
    .get();
  return row?.total ?? 0;
}

/** Returns the filters of the active subscriptions of an organization. */
export function listActiveFilters(app: Db, organizationId: string) {
  return activeOf(app).all({ organizationId });
}

/** Returns whether a project belongs to the organization. */
export function isProjectOf(app: Db, organizationId: string, projectId: string): boolean {
  const row = app.db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.id, projectId), eq(projects.organizationId, organizationId)))
    .get();
  return row !== undefined;
}

export function insertSubscription(tx: Tx, row: SubscriptionRow): void {
  tx.db.insert(webhookSubscriptions).values(row).run();
}

export function updateSubscription(tx: Tx, id: string, change: Partial<SubscriptionRow>): void {
  tx.db.update(webhookSubscriptions).set(change).where(eq(webhookSubscriptions.id, id)).run();
}

/** Deletes a subscription. Its deliveries are no longer sent or shown. */
export function deleteSubscription(tx: Tx, id: string): void {
  tx.db.delete(webhookSubscriptions).where(eq(webhookSubscriptions.id, id)).run();
}
