// In-app updates: SDK apps, the installs that enrolled with them, their update tokens, and what they said of releases.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { channels } from './channels.ts';
import { flag, moment, uuid } from './columns.ts';
import { organizations, projects } from './organizations.ts';

export const sdkApps = sqliteTable(
  'sdk_apps',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => channels.id),
    name: text('name').notNull(),
    appKey: text('app_key').notNull(),
    secretHash: text('secret_hash').notNull(),
    /** Rows of sdk_installs: counting a hundred thousand for each list would cost too much. */
    installCount: integer('install_count').notNull().default(0),
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    secretRotatedAt: moment('secret_rotated_at'),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    uniqueIndex('sdk_apps_key').on(table.appKey),
    index('sdk_apps_project').on(table.projectId, table.id),
    index('sdk_apps_channel').on(table.channelId),
    index('sdk_apps_organization').on(table.organizationId),
    index('sdk_apps_created_by').on(table.createdBy).where(sql`created_by is not null`),
  ],
);

/**
 * One installed copy of an app. There is no reference to its SDK app, and below none to releases: deleting those takes a
 * moment however many installs there are, and a sweep removes what is left.
 */
export const sdkInstalls = sqliteTable(
  'sdk_installs',
  {
    id: uuid('id').primaryKey(),
    sdkAppId: uuid('sdk_app_id').notNull(),
    /** What the client is known by: its own choice, or given at enrollment. */
    installId: uuid('install_id').notNull(),
    bundleIdentifier: text('bundle_identifier'),
    deviceModel: text('device_model'),
    osVersion: text('os_version'),
    versionName: text('version_name'),
    buildNumber: integer('build_number'),
    enrolledAt: moment('enrolled_at').notNull(),
    /** Within an hour: not every question of an install is a write. */
    lastSeenAt: moment('last_seen_at').notNull(),
  },
  (table) => [
    uniqueIndex('sdk_installs_identity').on(table.sdkAppId, table.installId),
    index('sdk_installs_app').on(table.sdkAppId, table.id),
  ],
);

/** Update tokens. What their requests ask for is in this one row; `scripts/new-migration` makes the table WITHOUT ROWID. */
export const sdkTokens = sqliteTable(
  'sdk_tokens',
  {
    /** Over the app key and the token, so that a token is found with the key of its own SDK app only. */
    tokenHash: text('token_hash').primaryKey(),
    /** Row of sdk_installs. */
    installRowId: uuid('install_row_id')
      .notNull()
      .references(() => sdkInstalls.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** Set when a newer token took its place; it works a little longer. */
    replacedAt: moment('replaced_at'),
    /** As of its install, as far as written down: what has not changed need not be written again. */
    seenAt: moment('seen_at').notNull(),
    versionName: text('version_name'),
    buildNumber: integer('build_number'),
  },
  (table) => [
    index('sdk_tokens_install').on(table.installRowId, table.expiresAt),
    index('sdk_tokens_expires_at').on(table.expiresAt),
  ],
);

/** The last report of an install about a release; of the releases it spoke of last. */
export const sdkReports = sqliteTable(
  'sdk_reports',
  {
    id: uuid('id').primaryKey(),
    installRowId: uuid('install_row_id')
      .notNull()
      .references(() => sdkInstalls.id, { onDelete: 'cascade' }),
    /** Empty for a report that named no release of the project. */
    releaseId: uuid('release_id').notNull(),
    state: text('state', { enum: ['downloaded', 'installed', 'launched', 'failed'] }).notNull(),
    error: text('error'),
    /** The install had downloaded the release by then: in lists of who took it, its first download stands for it. */
    followsDownload: flag('follows_download').notNull().default(false),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('sdk_reports_install').on(table.installRowId, table.releaseId),
    index('sdk_reports_release').on(table.releaseId, table.id),
    index('sdk_reports_first').on(table.releaseId, table.id).where(sql`follows_download = 0`),
    index('sdk_reports_state').on(table.releaseId, table.state),
  ],
);
