// Sent reminders to set up two-factor authentication, so that each is sent once.
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
    /** The end of the grace period named in the reminder. A different end causes new reminders. */
    graceEndsAt: moment('grace_ends_at').notNull(),
    /** The number of days before the end at which the last reminder was due. */
    stageDays: integer('stage_days').notNull(),
    sentAt: moment('sent_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.developerId] }),
    index('mfa_reminders_developer').on(table.developerId),
  ],
);
