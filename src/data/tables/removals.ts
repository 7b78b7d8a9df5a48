// Deletions under way: the row itself is gone, and what belongs to it is deleted in steps (core/removal.ts).
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment, uuid } from './columns.ts';

export const removals = sqliteTable(
  'removals',
  {
    /** Id of the deleted row. */
    rootId: uuid('root_id').primaryKey(),
    /** The table it was in. */
    rootTable: text('root_table').notNull(),
    /** Who deleted it, for the events of what goes with it. */
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id'),
    actorName: text('actor_name'),
    /** The developer behind the actor. */
    developerId: uuid('developer_id'),
    ipAddress: text('ip_address'),
    /** JSON of what the rules of its table need to know about it. */
    facts: text('facts').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('removals_created_at').on(table.createdAt)],
);
