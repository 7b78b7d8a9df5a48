// What the archive of a build says that is asked again and again: small, beside the whole inspection, which is large.
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { builds } from './builds.ts';
import { moment, uuid } from './columns.ts';

/** One row for each build whose archive could be read. */
export const buildFacts = sqliteTable(
  'build_facts',
  {
    buildId: uuid('build_id')
      .primaryKey()
      .references(() => builds.id, { onDelete: 'cascade' }),
    /** JSON of `ArchiveFacts`. */
    content: text('content').notNull(),
    /** When the provisioning profile of an iOS build ends. */
    profileExpiresAt: moment('profile_expires_at'),
    /** When the first of its signing certificates ends. */
    certificateExpiresAt: moment('certificate_expires_at'),
    /** Normalized UDIDs, each between two line feeds. The last column: a list of thousands is read only by who asks for it. */
    provisionedDevices: text('provisioned_devices'),
  },
  (table) => [
    index('build_facts_profile_expires_at').on(table.profileExpiresAt),
    index('build_facts_certificate_expires_at').on(table.certificateExpiresAt),
  ],
);
