// Webhooks: who wants to hear of what, and every delivery with what became of it.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { flag, moment, uuid } from './columns.ts';
import { outboxEvents } from './machinery.ts';
import { organizations } from './organizations.ts';

export const webhookSubscriptions = sqliteTable(
  'webhook_subscriptions',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /**
     * The only project it hears of; null for all. No reference: what a project did last is still delivered when it is gone,
     * and a filter must never widen to every project.
     */
    projectId: uuid('project_id'),
    /** Encrypted, as the address of a chat's webhook is its whole secret. */
    sealedUrl: text('sealed_url').notNull(),
    /** A JSON array of event types. */
    events: text('events').notNull(),
    format: text('format', { enum: ['svc', 'slack', 'teams', 'discord'] }).notNull(),
    description: text('description'),
    active: flag('active').notNull(),
    /** Encrypted, because signing needs it back. */
    sealedSecret: text('sealed_secret').notNull(),
    createdAt: moment('created_at').notNull(),
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    rotatedAt: moment('rotated_at'),
  },
  (table) => [
    index('webhook_subscriptions_organization').on(table.organizationId, table.id),
    index('webhook_subscriptions_created_by').on(table.createdBy).where(sql`created_by is not null`),
  ],
);

export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    id: uuid('id').primaryKey(),
    /** No reference: a deletion would have to take all of its deliveries along at once. The sweep takes those it leaves. */
    subscriptionId: uuid('subscription_id').notNull(),
    eventId: uuid('event_id')
      .notNull()
      .references(() => outboxEvents.id),
    status: text('status', { enum: ['pending', 'delivered', 'retrying', 'dead'] }).notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** Of the last attempt that got an answer; null where there was none. */
    lastStatusCode: integer('last_status_code'),
    lastError: text('last_error'),
    /** Null once it is delivered or dead. */
    nextAttemptAt: moment('next_attempt_at'),
    createdAt: moment('created_at').notNull(),
    deliveredAt: moment('delivered_at'),
  },
  (table) => [
    index('webhook_deliveries_log').on(table.subscriptionId, table.id),
    index('webhook_deliveries_status').on(table.subscriptionId, table.status, table.id),
    index('webhook_deliveries_due')
      .on(table.subscriptionId, table.nextAttemptAt)
      .where(sql`next_attempt_at is not null`),
    index('webhook_deliveries_event').on(table.eventId),
    index('webhook_deliveries_age').on(table.createdAt),
  ],
);
