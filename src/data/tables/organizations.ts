// Organizations, projects, their members, and their tokens.

import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { lockReasons } from '../../lib/lock-reasons.ts';
import { tiers } from '../../lib/tiers.ts';
import { organizationRoles, projectRoles } from '../../permissions.ts';
import { platforms } from '../../platforms.ts';
import { developers } from './accounts.ts';
import { flag, moment, uuid } from './columns.ts';

export const organizations = sqliteTable(
  'organizations',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    tier: text('tier', { enum: tiers }).notNull(),
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    iconKey: text('icon_key'),
    iconType: text('icon_type'),
    /** `#rrggbb`; `none` for an icon without a color; null until it is computed. */
    iconColor: text('icon_color'),
    lockReason: text('lock_reason', { enum: lockReasons }),
    /** When the lock advances automatically: the end of a trial, or of the downloads of a suspended organization. */
    lockAdvancesAt: moment('lock_advances_at'),
    mfaRequiredAt: moment('mfa_required_at'),
    mfaGracePeriodDays: integer('mfa_grace_period_days').notNull().default(0),
    mfaPasskeySatisfies: flag('mfa_passkey_satisfies').notNull().default(true),
    /** Whether sessions that began with an emailed code or link work in the organization. */
    allowsEmailSignIn: flag('allows_email_sign_in').notNull().default(true),
  },
  (table) => [
    index('organizations_created_by').on(table.createdBy).where(sql`created_by is not null`),
    index('organizations_lock').on(table.lockReason).where(sql`lock_reason is not null`),
    index('organizations_trial')
      .on(table.lockAdvancesAt)
      .where(sql`lock_reason is null and lock_advances_at is not null`),
  ],
);

export const organizationMemberships = sqliteTable(
  'organization_memberships',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    role: text('role', { enum: organizationRoles }).notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.developerId] }),
    index('organization_memberships_developer').on(table.developerId),
    // The list of members, newest first.
    index('organization_memberships_newest').on(table.organizationId, table.createdAt, table.developerId),
    index('organization_memberships_admins').on(table.organizationId, table.createdAt).where(sql`role = 'admin'`),
  ],
);

/** What people decided about the setup checklist of an organization. All other states are computed. */
export const setupMarks = sqliteTable(
  'setup_marks',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    mark: text('mark', { enum: ['dismissed', 'backup'] }).notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.developerId, table.mark] }),
    index('setup_marks_developer').on(table.developerId),
    // Any operator's backup counts for all.
    index('setup_marks_backup').on(table.mark).where(sql`mark = 'backup'`),
  ],
);

export const projects = sqliteTable(
  'projects',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    name: text('name').notNull(),
    platform: text('platform', { enum: platforms }).notNull(),
    description: text('description'),
    bundleIdentifier: text('bundle_identifier'),
    /** Larger builds are marked; null for no budget. */
    sizeBudgetBytes: integer('size_budget_bytes'),
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    iconKey: text('icon_key'),
    iconType: text('icon_type'),
    /** The same for the projects of one app, at most one for each platform; null if it isn't linked. */
    appId: uuid('app_id'),
    /** Created from a package whose upload isn't complete. The first build names the project. */
    isDraft: flag('is_draft').notNull().default(false),
  },
  (table) => [
    uniqueIndex('projects_app').on(table.appId, table.platform).where(sql`app_id is not null`),
    index('projects_drafts').on(table.createdAt).where(sql`is_draft = 1`),
    index('projects_organization').on(table.organizationId, table.id),
    index('projects_created_by').on(table.createdBy).where(sql`created_by is not null`),
    uniqueIndex('projects_name').on(table.organizationId, table.platform, table.name),
  ],
);

/** Screenshots of the app, which install pages show. */
export const projectScreenshots = sqliteTable(
  'project_screenshots',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Ascending in the order in which they are shown. */
    position: integer('position').notNull(),
    imageKey: text('image_key').notNull(),
    imageType: text('image_type').notNull(),
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('project_screenshots_project').on(table.projectId, table.position)],
);

export const projectMemberships = sqliteTable(
  'project_memberships',
  {
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    role: text('role', { enum: projectRoles }).notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.developerId] }),
    index('project_memberships_developer').on(table.developerId),
    // The list of members, newest first.
    index('project_memberships_newest').on(table.projectId, table.createdAt, table.developerId),
  ],
);

export const personalAccessTokens = sqliteTable(
  'personal_access_tokens',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** Decimal text, because the sentinel ALL exceeds a JavaScript number. */
    scopes: text('scopes').notNull(),
    tokenHash: text('token_hash').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at'),
    rotatedAt: moment('rotated_at'),
    revokedAt: moment('revoked_at'),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    uniqueIndex('personal_access_tokens_hash').on(table.tokenHash),
    index('personal_access_tokens_owner').on(table.organizationId, table.developerId, table.id),
    index('personal_access_tokens_developer').on(table.developerId, table.id),
    index('personal_access_tokens_organization').on(table.organizationId, table.id),
  ],
);

export const projectAccessTokens = sqliteTable(
  'project_access_tokens',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    role: text('role', { enum: projectRoles }).notNull(),
    tokenHash: text('token_hash').notNull(),
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    /** The developer whose current role in the project limits the token: its creator, or the admin who took it over. */
    ownerId: uuid('owner_id').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at'),
    rotatedAt: moment('rotated_at'),
    revokedAt: moment('revoked_at'),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    uniqueIndex('project_access_tokens_hash').on(table.tokenHash),
    index('project_access_tokens_project').on(table.projectId, table.id),
    index('project_access_tokens_owner').on(table.ownerId, table.organizationId),
    index('project_access_tokens_organization').on(table.organizationId),
    index('project_access_tokens_created_by').on(table.createdBy).where(sql`created_by is not null`),
  ],
);
