// Channels, their releases, and downloads with the channel and release they came from.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { builds } from './builds.ts';
import { flag, moment, uuid } from './columns.ts';
import { organizations, projects } from './organizations.ts';

export const channels = sqliteTable(
  'channels',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    description: text('description'),
    autoDistribute: flag('auto_distribute').notNull(),
    notifyOnRelease: flag('notify_on_release').notNull(),
    isPublic: flag('public').notNull(),
    createdAt: moment('created_at').notNull(),
    /** The last part of its short address, unique on the server; null if it has none. */
    slug: text('slug'),
    /** Whether anyone with the link of the public channel can register their iPhone. */
    allowsDeviceRegistration: flag('allow_device_registration').notNull().default(false),
    /** The name of its sibling channels; null for its own name, empty for none. */
    siblingName: text('sibling_name'),
    /** How many of its newest releases keep their builds; null if their number keeps none. */
    keepLast: integer('keep_last'),
    /** For how many days a release keeps its build; null if its age keeps none. Without both, the channel keeps all builds. */
    keepDays: integer('keep_days'),
  },
  (table) => [
    // The channel of a project for a sibling's name (channels/siblings.ts). drizzle-kit divides expressions at commas.
    index('channels_sibling_name').on(
      table.projectId,
      sql`lower(case when sibling_name is null then name else sibling_name end)`,
      sql`sibling_name is null`,
      table.id,
    ),
    uniqueIndex('channels_slug').on(table.slug).where(sql`slug is not null`),
    index('channels_project').on(table.projectId, table.id),
    index('channels_organization').on(table.organizationId),
    index('channels_public').on(table.organizationId, table.id).where(sql`public = 1`),
    // Channels with a rule, for retention.
    index('channels_retention')
      .on(table.organizationId, table.id)
      .where(sql`keep_last is not null or keep_days is not null`),
    uniqueIndex('channels_name').on(table.projectId, table.name),
  ],
);

/** Slugs that a channel had before. For a year they redirect to the channel, and no other channel can have them. */
export const formerSlugs = sqliteTable(
  'former_slugs',
  {
    slug: text('slug').primaryKey(),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    retiredAt: moment('retired_at').notNull(),
  },
  (table) => [index('former_slugs_channel').on(table.channelId), index('former_slugs_retired_at').on(table.retiredAt)],
);

/** The open previews of pull requests. Each has a channel of its own, which is deleted when it ends. */
export const previews = sqliteTable(
  'previews',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    pullRequest: integer('pull_request').notNull(),
    openedAt: moment('opened_at').notNull(),
    endsAt: moment('ends_at').notNull(),
  },
  (table) => [
    uniqueIndex('previews_pull_request').on(table.projectId, table.pullRequest),
    index('previews_project').on(table.projectId, table.id),
    uniqueIndex('previews_channel').on(table.channelId),
    index('previews_ends_at').on(table.endsAt),
  ],
);

export const releases = sqliteTable(
  'releases',
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
    buildId: uuid('build_id')
      .notNull()
      .references(() => builds.id),
    releaseNotes: text('release_notes'),
    mandatory: flag('mandatory').notNull(),
    state: text('state', { enum: ['active', 'disabled', 'rolled_back'] }).notNull(),
    createdAt: moment('created_at').notNull(),
    /** The developer who created the release; null for a project access token. */
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    /** The name that the project access token had; null for developers and automatic releases. */
    createdByToken: text('created_by_token'),
    /** Whether auto_distribute created it. */
    isAutomatic: flag('is_automatic').notNull().default(false),
  },
  (table) => [
    index('releases_channel').on(table.channelId, table.id),
    // Includes the channel, because the channel that a release was promoted from is searched in the index alone.
    index('releases_build').on(table.buildId, table.id, table.channelId),
    index('releases_organization').on(table.organizationId),
    index('releases_project').on(table.projectId),
    index('releases_created_by').on(table.createdBy).where(sql`created_by is not null`),
    // Queries of apps that check for updates. Neither may scan releases that are no longer live.
    index('releases_channel_active').on(table.channelId, table.id).where(sql`state = 'active'`),
    index('releases_channel_mandatory').on(table.channelId, table.id).where(sql`state = 'active' and mandatory = 1`),
    // The newest release of each project, for the list of all projects.
    index('releases_project_active').on(table.projectId, table.id).where(sql`state = 'active'`),
  ],
);

/** One row per download, with the channel and release at the time of the download. It outlives all of them but the project. */
export const downloads = sqliteTable(
  'downloads',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    projectId: uuid('project_id').notNull(),
    buildId: uuid('build_id').notNull(),
    channelId: uuid('channel_id'),
    releaseId: uuid('release_id'),
    developerId: uuid('developer_id').references(() => developers.id, { onDelete: 'set null' }),
    /** Id of the install capability, so that repeated requests of a phone count once. */
    capabilityId: text('capability_id'),
    /** The install that updates itself, a row of sdk_installs; null for other downloads. */
    sdkInstallId: uuid('sdk_install_id'),
    /** User agent of the download by a known developer; null for anonymous downloads. */
    userAgent: text('user_agent'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('downloads_channel').on(table.channelId, table.createdAt),
    index('downloads_release').on(table.releaseId, table.id),
    // Distinct developers of a release, answered from the index alone.
    index('downloads_takers').on(table.releaseId, table.developerId).where(sql`developer_id is not null`),
    index('downloads_project').on(table.projectId, table.createdAt),
    // Whether an organization has any install.
    index('downloads_organization').on(table.organizationId).where(sql`channel_id is not null`),
    uniqueIndex('downloads_capability').on(table.capabilityId),
    // Other downloads of the same release by an install.
    index('downloads_install').on(table.sdkInstallId, table.releaseId, table.id).where(sql`sdk_install_id is not null`),
    index('downloads_tester').on(table.channelId, table.developerId, table.id),
    // Used when an account is deleted. Downloads through public links have no developer.
    index('downloads_developer').on(table.developerId).where(sql`developer_id is not null`),
  ],
);

/**
 * Downloads by release and by channel, so that they are never counted. The trigger `downloads_counted`, which is defined in the
 * migration, adds each download.
 */
export const downloadTotals = sqliteTable(
  'download_totals',
  {
    /** A release or a channel. Not a foreign key, like the columns of downloads. */
    subjectId: uuid('subject_id').notNull(),
    buildId: uuid('build_id').notNull(),
    downloads: integer('downloads').notNull(),
    firstAt: moment('first_at').notNull(),
    lastAt: moment('last_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.subjectId, table.buildId] })],
);
