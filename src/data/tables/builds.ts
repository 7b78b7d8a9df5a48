// Pending uploads, builds, and their stored objects.

import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { platforms } from '../../platforms.ts';
import { developers } from './accounts.ts';
import { moment, uuid } from './columns.ts';
import { organizations, projects } from './organizations.ts';

const idAt = (milliseconds: string) => `printf('%08x-%04x', (${milliseconds}) >> 16, (${milliseconds}) & 65535)`;

/**
 * Matches builds whose id has a time more than a minute before or after their upload, because the clock was wrong
 * (runtime/id-clock.ts). Queries need the same text to use the index.
 */
export const HAS_SKEWED_ID = `(id < ${idAt('max(0, uploaded_at - 60000)')} OR id >= ${idAt('uploaded_at + 60000')})`;

export const pendingUploads = sqliteTable(
  'pending_uploads',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Null if the package has to say it. Only an upload with both reserves its identity. */
    versionName: text('version_name'),
    buildNumber: integer('build_number'),
    bundleIdentifier: text('bundle_identifier'),
    originalFilename: text('original_filename'),
    releaseNotes: text('release_notes'),
    /** JSON of `Origin`: where the build comes from and its labels, until the build exists; null for none. */
    origin: text('origin'),
    objectKey: text('object_key').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('pending_uploads_identity').on(table.projectId, table.versionName, table.buildNumber),
    index('pending_uploads_expires_at').on(table.expiresAt),
    index('pending_uploads_organization').on(table.organizationId),
  ],
);

export const builds = sqliteTable(
  'builds',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id),
    platform: text('platform', { enum: platforms }).notNull(),
    versionName: text('version_name').notNull(),
    buildNumber: integer('build_number').notNull(),
    /** The package's own build number: CFBundleVersion or versionCode. */
    packageBuildNumber: text('package_build_number'),
    sha256: text('sha256').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    uploadedAt: moment('uploaded_at').notNull(),
    bundleIdentifier: text('bundle_identifier'),
    originalFilename: text('original_filename'),
    releaseNotes: text('release_notes'),
    minOsVersion: text('min_os_version'),
    objectKey: text('object_key').notNull(),
    iconKey: text('icon_key'),
    iconType: text('icon_type'),
    /** `#rrggbb`; `none` for an icon without a color; null until it is computed. */
    iconColor: text('icon_color'),
    inspectionStatus: text('inspection_status', { enum: ['ok', 'unreadable'] }).notNull(),
    revokedAt: moment('revoked_at'),
    /** When maintainers were notified that retention will delete the build. */
    retentionNoticeAt: moment('retention_notice_at'),
    /** Since when retention must not delete it; null if it isn't pinned. */
    pinnedAt: moment('pinned_at'),
    uploadedByDeveloperId: uuid('uploaded_by_developer_id').references(() => developers.id, { onDelete: 'set null' }),
    /** The pending upload of this build, so that a repeated complete request finds it. */
    pendingUploadId: uuid('pending_upload_id').notNull(),
    /** Sorts like the version and then the build number (lib/version-key.ts). */
    versionKey: text('version_key').notNull().default(''),
    /** The name of the project access token that uploaded the build; null for developers. */
    uploadedByToken: text('uploaded_by_token'),
    // Where the build comes from, as its uploader says.
    sourceCommit: text('source_commit'),
    sourceBranch: text('source_branch'),
    sourceTag: text('source_tag'),
    sourcePullRequest: integer('source_pull_request'),
    sourceRepositoryUrl: text('source_repository_url'),
    sourceRunUrl: text('source_run_url'),
    sourceAuthor: text('source_author'),
  },
  (table) => [
    uniqueIndex('builds_identity').on(table.projectId, table.versionName, table.buildNumber),
    uniqueIndex('builds_pending_upload').on(table.pendingUploadId),
    // Finds the highest build number of a project, to determine the next one.
    index('builds_project_number').on(table.projectId, table.buildNumber),
    index('builds_project').on(table.projectId, table.id),
    index('builds_age').on(table.organizationId, table.uploadedAt),
    // Builds that retention announced, by project.
    index('builds_announced')
      .on(table.organizationId, table.projectId, table.id)
      .where(sql`retention_notice_at is not null`),
    // Few or none.
    index('builds_skewed').on(table.projectId, table.uploadedAt, table.id).where(sql.raw(HAS_SKEWED_ID)),
    index('builds_pinned').on(table.projectId).where(sql`pinned_at is not null`),
    index('builds_size').on(table.organizationId, table.sizeBytes),
    // A page of builds with one status must not scan builds with the other.
    index('builds_project_active').on(table.projectId, table.id).where(sql`revoked_at is null`),
    index('builds_project_revoked').on(table.projectId, table.id).where(sql`revoked_at is not null`),
    // Whether an object that moves is a package (the triggers of build_totals).
    index('builds_object').on(table.objectKey),
    // Used when an account is deleted.
    index('builds_uploaded_by').on(table.uploadedByDeveloperId).where(sql`uploaded_by_developer_id is not null`),
    // The filters of a project's list, each in the order of its pages.
    index('builds_project_version').on(table.projectId, table.versionKey, table.id),
    index('builds_project_bundle').on(table.projectId, table.bundleIdentifier, table.id),
    index('builds_project_uploader')
      .on(table.projectId, table.uploadedByDeveloperId, table.id)
      .where(sql`uploaded_by_developer_id is not null`),
    index('builds_project_commit')
      .on(table.projectId, table.sourceCommit, table.id)
      .where(sql`source_commit is not null`),
    index('builds_project_branch')
      .on(table.projectId, table.sourceBranch, table.id)
      .where(sql`source_branch is not null`),
    index('builds_project_pull_request')
      .on(table.projectId, table.sourcePullRequest, table.id)
      .where(sql`source_pull_request is not null`),
  ],
);

/** Uploads whose package already was a build, so that a repeated complete request finds it until the upload would have expired. */
export const repeatedUploads = sqliteTable(
  'repeated_uploads',
  {
    pendingUploadId: uuid('pending_upload_id').primaryKey(),
    buildId: uuid('build_id')
      .notNull()
      .references(() => builds.id, { onDelete: 'cascade' }),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('repeated_uploads_build').on(table.buildId),
    index('repeated_uploads_expires_at').on(table.expiresAt),
  ],
);

/** The labels of builds. At most 20 for each. */
export const buildLabels = sqliteTable(
  'build_labels',
  {
    buildId: uuid('build_id')
      .notNull()
      .references(() => builds.id, { onDelete: 'cascade' }),
    /** The label in lower case: labels that differ only in case are one. */
    key: text('key').notNull(),
    label: text('label').notNull(),
    /** The project of the build, for the index of its labels. */
    projectId: uuid('project_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.buildId, table.key] }),
    index('build_labels_project').on(table.projectId, table.key, table.buildId),
  ],
);

/** The stored package of a build as the server last saw it, to detect damage before delivery. */
export const packageIntegrity = sqliteTable(
  'package_integrity',
  {
    buildId: uuid('build_id')
      .primaryKey()
      .references(() => builds.id, { onDelete: 'cascade' }),
    /** SHA-256 in hex of the bytes that the server received or read, not the client's declaration; null until computed. */
    sha256: text('sha256'),
    /** Modification time of the stored object when it was received or last read; null until then. */
    modifiedAt: moment('modified_at'),
    /** When all bytes were last compared with the hash, or the hash was computed; 0 for never. */
    verifiedAt: moment('verified_at').notNull(),
    /** The problem with the stored object; null if none is known. */
    problem: text('problem', { enum: ['missing', 'size', 'modified', 'content', 'unreadable'] }),
    /** When the problem was found. */
    problemAt: moment('problem_at'),
  },
  (table) => [
    index('package_integrity_verified').on(table.verifiedAt),
    index('package_integrity_problem').on(table.verifiedAt).where(sql`problem is not null`),
  ],
);

/** The inspection of a build's archive. Separate from the build, because it's large and rarely read. */
export const buildInspections = sqliteTable('build_inspections', {
  buildId: uuid('build_id')
    .primaryKey()
    .references(() => builds.id, { onDelete: 'cascade' }),
  /** JSON of the inspection; null when the archive could not be read. */
  content: text('content'),
  /** Why the archive couldn't be read. */
  reason: text('reason'),
});

/** Stored objects without a row that refers to them. A sweep deletes them, so that a crash in between leaves none behind. */
export const objectDeletions = sqliteTable('doomed_objects', {
  objectKey: text('object_key').primaryKey(),
  doomedAt: moment('doomed_at').notNull(),
});

/** Where the scan of all stored objects continues, because one run of its sweep doesn't finish it. */
export const objectSweepPositions = sqliteTable('object_walks', {
  prefix: text('prefix').primaryKey(),
  after: text('after').notNull(),
});
