// Feature flags set by the operator. A flag without a row has its built-in default.
import { isNull } from 'drizzle-orm';
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { flag, moment, uuid } from './columns.ts';
import { organizations } from './organizations.ts';

export const featureFlags = sqliteTable(
  'feature_flags',
  {
    id: uuid('id').primaryKey(),
    key: text('key').notNull(),
    /** Null for the whole server. */
    organizationId: uuid('organization_id').references(() => organizations.id, { onDelete: 'cascade' }),
    enabled: flag('enabled').notNull(),
    /** Set only on the platform-wide row: the flag is removed for everyone. */
    archivedAt: moment('archived_at'),
  },
  (table) => [
    uniqueIndex('feature_flags_platform').on(table.key).where(isNull(table.organizationId)),
    uniqueIndex('feature_flags_organization').on(table.key, table.organizationId),
    index('feature_flags_of').on(table.organizationId),
  ],
);
