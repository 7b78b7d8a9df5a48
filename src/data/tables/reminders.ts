// Which reminders of a second factor were written, so that each is written once.
import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { moment, uuid } from './columns.ts';
import { organizations } from './organizations.ts';

export const mfaReminders = sqliteTable(
  'mfa_reminders',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    /** The end that the reminder named; another end is reminded of anew. */
    graceEndsAt: moment('grace_ends_at').notNull(),
    /** How many days before the end the last reminder belongs to. */
    stageDays: integer('stage_days').notNull(),
    sentAt: moment('sent_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.developerId] }),
    index('mfa_reminders_developer').on(table.developerId),
  ],
);
