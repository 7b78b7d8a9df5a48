// In-app updates: SDK apps, enrolled installs, update tokens, and reports about releases.

import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { reportStates } from '../../lib/report-states.ts';
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
    /** Number of rows in sdk_installs. Counting a hundred thousand rows for each list would cost too much. */
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
 * One installed copy of an app. It has no foreign key to its SDK app, and reports have none to releases, so that deleting those
 * is fast regardless of the number of installs. A sweep deletes the remaining rows.
 */
export const sdkInstalls = sqliteTable(
  'sdk_installs',
  {
    id: uuid('id').primaryKey(),
    sdkAppId: uuid('sdk_app_id').notNull(),
    /** The client's id, chosen by the client or assigned at enrollment. */
    installId: uuid('install_id').notNull(),
    bundleIdentifier: text('bundle_identifier'),
    deviceModel: text('device_model'),
    osVersion: text('os_version'),
    versionName: text('version_name'),
    buildNumber: integer('build_number'),
    enrolledAt: moment('enrolled_at').notNull(),
    /** Accurate to an hour, so that most requests of an install don't write. */
    lastSeenAt: moment('last_seen_at').notNull(),
  },
  (table) => [
    uniqueIndex('sdk_installs_identity').on(table.sdkAppId, table.installId),
    index('sdk_installs_app').on(table.sdkAppId, table.id),
  ],
);

/** Update tokens. One row has all data that their requests need; `scripts/new-migration` makes the table WITHOUT ROWID. */
export const sdkTokens = sqliteTable(
  'sdk_tokens',
  {
    /** Hash of the app key and the token, so that a token works only with its own SDK app. */
    tokenHash: text('token_hash').primaryKey(),
    /** Row of sdk_installs. */
    installRowId: uuid('install_row_id')
      .notNull()
      .references(() => sdkInstalls.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** Set when a newer token replaced it. It remains valid for a short time. */
    replacedAt: moment('replaced_at'),
    /** Values last written to the install. Unchanged values aren't written again. */
    seenAt: moment('seen_at').notNull(),
    versionName: text('version_name'),
    buildNumber: integer('build_number'),
  },
  (table) => [
    index('sdk_tokens_install').on(table.installRowId, table.expiresAt),
    index('sdk_tokens_expires_at').on(table.expiresAt),
  ],
);

/** The last report of an install about a release; only for its most recent releases. */
export const sdkReports = sqliteTable(
  'sdk_reports',
  {
    id: uuid('id').primaryKey(),
    installRowId: uuid('install_row_id')
      .notNull()
      .references(() => sdkInstalls.id, { onDelete: 'cascade' }),
    /** Empty for a report without a release of the project. */
    releaseId: uuid('release_id').notNull(),
    state: text('state', { enum: reportStates }).notNull(),
    error: text('error'),
    /** Whether the install downloaded the release before. In lists of recipients, the first download represents it. */
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
