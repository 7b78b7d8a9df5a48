// Links for people without an account, who install a build or what is live on a channel.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { builds } from './builds.ts';
import { channels } from './channels.ts';
import { moment, uuid } from './columns.ts';
import { organizations, projects } from './organizations.ts';

/** Each has either a channel or a build. Only token hashes are stored. */
export const shareLinks = sqliteTable(
  'share_links',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id').references(() => channels.id, { onDelete: 'cascade' }),
    buildId: uuid('build_id').references(() => builds.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    /** What the link is for, shown only to the team. */
    note: text('note'),
    /** PHC string; null for a link without a password. */
    passwordHash: text('password_hash'),
    /** Null if the link doesn't expire. */
    expiresAt: moment('expires_at'),
    /** Null if the number of installs isn't limited. */
    maxInstalls: integer('max_installs'),
    /** Increased with the first download of each install. */
    installs: integer('installs').notNull().default(0),
    /** The person whose role backs the link: its creator, or the owner of the project access token that created it. */
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    uniqueIndex('share_links_token').on(table.tokenHash),
    index('share_links_organization').on(table.organizationId),
    index('share_links_project').on(table.projectId, table.id),
    index('share_links_channel').on(table.channelId, table.id).where(sql`channel_id is not null`),
    index('share_links_build').on(table.buildId, table.id).where(sql`build_id is not null`),
    // Links that aren't revoked, and by their expiry those that haven't expired.
    index('share_links_channel_open')
      .on(table.channelId, table.expiresAt)
      .where(sql`channel_id is not null and revoked_at is null`),
    index('share_links_build_open')
      .on(table.buildId, table.expiresAt)
      .where(sql`build_id is not null and revoked_at is null`),
    index('share_links_created_by').on(table.createdBy).where(sql`created_by is not null`),
    index('share_links_expires_at').on(table.expiresAt).where(sql`expires_at is not null`),
    index('share_links_revoked_at').on(table.revokedAt).where(sql`revoked_at is not null`),
  ],
);
