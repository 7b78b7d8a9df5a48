// Which warnings about expiring profiles and certificates were written, so that each is written once.
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
    /** What expires: its kind, its identity and the moment. */
    subject: text('subject').notNull(),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    /** How many days before the end the warning belongs to. */
    thresholdDays: integer('threshold_days').notNull(),
    sentAt: moment('sent_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.subject, table.developerId, table.thresholdDays] }),
    index('expiry_notices_developer').on(table.developerId),
  ],
);
