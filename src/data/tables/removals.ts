// Deletions in progress: the row is deleted, and its dependent rows are deleted in steps (core/removal.ts).
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment, uuid } from './columns.ts';

export const removals = sqliteTable(
  'removals',
  {
    /** Id of the deleted row. */
    rootId: uuid('root_id').primaryKey(),
    /** The table of the deleted row. */
    rootTable: text('root_table').notNull(),
    /** The actor of the deletion, for events of dependent rows. */
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id'),
    actorName: text('actor_name'),
    /** The developer behind the actor. */
    developerId: uuid('developer_id'),
    ipAddress: text('ip_address'),
    /** JSON of the facts that the table's removal rules need. */
    facts: text('facts').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('removals_created_at').on(table.createdAt)],
);
