// Builds on their way in, builds that are there, and the objects their bytes live in.
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { moment, uuid } from './columns.ts';
import { organizations, projects } from './organizations.ts';

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
    versionName: text('version_name').notNull(),
    buildNumber: integer('build_number').notNull(),
    bundleIdentifier: text('bundle_identifier'),
    originalFilename: text('original_filename'),
    releaseNotes: text('release_notes'),
    objectKey: text('object_key').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('pending_uploads_identity').on(table.projectId, table.versionName, table.buildNumber),
    index('pending_uploads_expires_at').on(table.expiresAt),
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
    platform: text('platform', { enum: ['ios', 'android'] }).notNull(),
    versionName: text('version_name').notNull(),
    buildNumber: integer('build_number').notNull(),
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
    inspectionStatus: text('inspection_status', { enum: ['ok', 'unreadable'] }).notNull(),
    /** JSON of what the archive says of itself; null when it could not be read. */
    inspection: text('inspection'),
    inspectionReason: text('inspection_reason'),
    revokedAt: moment('revoked_at'),
    uploadedByDeveloperId: uuid('uploaded_by_developer_id').references(() => developers.id, { onDelete: 'set null' }),
    /** The pending upload this build came from, so that a repeated complete finds it. */
    pendingUploadId: uuid('pending_upload_id').notNull(),
  },
  (table) => [
    uniqueIndex('builds_identity').on(table.projectId, table.versionName, table.buildNumber),
    uniqueIndex('builds_pending_upload').on(table.pendingUploadId),
    index('builds_project').on(table.projectId, table.id),
  ],
);

/** Objects that no row points to any more; the sweep removes their bytes, so that a crash between the two loses nothing. */
export const doomedObjects = sqliteTable('doomed_objects', {
  objectKey: text('object_key').primaryKey(),
  doomedAt: moment('doomed_at').notNull(),
});
