// The containers of organizations.
import { sql } from 'drizzle-orm';
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { moment, uuid } from './columns.ts';
import { organizations } from './organizations.ts';

/**
 * The Azure containers that organizations store their packages in. A container keeps its organization for ever, and its row
 * stays as long as an object is in it, also after the organization is deleted.
 */
export const customerContainers = sqliteTable(
  'customer_containers',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').references(() => organizations.id, { onDelete: 'set null' }),
    /** Beginning of the names of its blobs, which keeps organizations apart that use the same container. */
    prefix: text('prefix').notNull(),
    account: text('account').notNull(),
    container: text('container').notNull(),
    tenantId: text('tenant_id').notNull(),
    clientId: text('client_id').notNull(),
    /** Of the application, encrypted; null with federation. */
    secretEncrypted: text('secret_encrypted'),
    /** `active` for new packages of the organization. */
    state: text('state', { enum: ['active', 'left'] }).notNull(),
    activatedAt: moment('activated_at').notNull(),
    /** Changes when the credentials do. */
    updatedAt: moment('updated_at').notNull(),
    unreachableSince: moment('unreachable_since'),
    unreachableReason: text('unreachable_reason'),
    /** When the outage was recorded in the audit trail; null if it's shorter. */
    reportedAt: moment('reported_at'),
    /** The last email about an outage. */
    mailedAt: moment('mailed_at'),
    /** When a cleanup job found that the organization had been deleted. */
    orphanedAt: moment('orphaned_at'),
  },
  (table) => [
    uniqueIndex('customer_containers_active').on(table.organizationId).where(sql`state = 'active'`),
    index('customer_containers_organization').on(table.organizationId).where(sql`organization_id is not null`),
    index('customer_containers_unreachable').on(table.unreachableSince).where(sql`unreachable_since is not null`),
  ],
);
