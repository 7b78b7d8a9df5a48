// Frequently read facts of a build's archive: small, and separate from the complete inspection, which is large.
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { builds } from './builds.ts';
import { moment, uuid } from './columns.ts';

/** One row for each build with a readable archive. */
export const buildFacts = sqliteTable(
  'build_facts',
  {
    buildId: uuid('build_id')
      .primaryKey()
      .references(() => builds.id, { onDelete: 'cascade' }),
    /** JSON of `ArchiveFacts`. */
    content: text('content').notNull(),
    /** Expiry of the provisioning profile of an iOS build. */
    profileExpiresAt: moment('profile_expires_at'),
    /** The earliest expiry of its signing certificates. */
    certificateExpiresAt: moment('certificate_expires_at'),
    /** Normalized UDIDs, each between two line feeds. The last column, so that other queries don't read a list of thousands. */
    provisionedDevices: text('provisioned_devices'),
  },
  (table) => [
    index('build_facts_profile_expires_at').on(table.profileExpiresAt),
    index('build_facts_certificate_expires_at').on(table.certificateExpiresAt),
  ],
);
