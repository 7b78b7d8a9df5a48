// Sent warnings about expiring profiles and certificates, so that each is sent once.
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { moment, uuid } from './columns.ts';
import { organizations } from './organizations.ts';

export const expiryNotices = sqliteTable(
  'expiry_notices',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** The expiring item: its kind, identity and expiry. */
    subject: text('subject').notNull(),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    /** The number of days before expiry at which the warning is due. */
    thresholdDays: integer('threshold_days').notNull(),
    sentAt: moment('sent_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.subject, table.developerId, table.thresholdDays] }),
    index('expiry_notices_developer').on(table.developerId),
  ],
);
