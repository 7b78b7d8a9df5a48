// Webhook subscriptions, and every delivery with its result.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { formats } from '../../webhook-events.ts';
import { developers } from './accounts.ts';
import { flag, moment, uuid } from './columns.ts';
import { outboxEvents } from './core.ts';
import { organizations } from './organizations.ts';

export const webhookSubscriptions = sqliteTable(
  'webhook_subscriptions',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /**
     * The only project whose events are sent; null for all. Not a foreign key: a project's last events are still delivered after
     * its deletion, and a filter must never widen to all projects.
     */
    projectId: uuid('project_id'),
    /** Encrypted, because the URL of a chat webhook is a secret too. */
    sealedUrl: text('sealed_url').notNull(),
    /** A JSON array of event types. */
    events: text('events').notNull(),
    format: text('format', { enum: formats }).notNull(),
    description: text('description'),
    active: flag('active').notNull(),
    /** Encrypted, not hashed, because signing needs the secret. */
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
    /** Not a foreign key: deleting a subscription would have to delete all its deliveries immediately. A sweep deletes them later. */
    subscriptionId: uuid('subscription_id').notNull(),
    eventId: uuid('event_id')
      .notNull()
      .references(() => outboxEvents.id),
    status: text('status', { enum: ['pending', 'delivered', 'retrying', 'dead'] }).notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** Status code of the last attempt with a response; null if there was none. */
    lastStatusCode: integer('last_status_code'),
    lastError: text('last_error'),
    /** Null after the delivery succeeded or finally failed. */
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
