// What testers wrote about releases, with their pictures and the replies.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { moment, uuid } from './columns.ts';
import { projects } from './organizations.ts';

/**
 * Channel, release, build and install aren't foreign keys: feedback outlives them, and their deletion doesn't touch it.
 */
export const feedback = sqliteTable(
  'feedback',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** The tester's account; null for visitors of a public channel and installs. Deleted with the account. */
    developerId: uuid('developer_id').references(() => developers.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id'),
    releaseId: uuid('release_id'),
    buildId: uuid('build_id'),
    /** The install of an SDK app that sent it. */
    sdkInstallId: uuid('sdk_install_id'),
    source: text('source', { enum: ['install_page', 'my_apps', 'sdk'] }).notNull(),
    state: text('state', { enum: ['open', 'done'] }).notNull(),
    text: text('text').notNull(),
    versionName: text('version_name'),
    /** As people see it. */
    buildNumber: text('build_number'),
    deviceModel: text('device_model'),
    osVersion: text('os_version'),
    /** The address that a tester without an account entered for replies. Not verified. */
    contactEmail: text('contact_email'),
    /** Bytes of all its pictures. */
    pictureBytes: integer('picture_bytes').notNull(),
    createdAt: moment('created_at').notNull(),
    stateChangedAt: moment('state_changed_at'),
  },
  (table) => [
    index('feedback_state').on(table.projectId, table.state, table.id),
    index('feedback_release').on(table.projectId, table.releaseId, table.id),
    // The total of a project is read from the index alone.
    index('feedback_sizes').on(table.projectId, table.id, table.pictureBytes),
    index('feedback_developer').on(table.developerId, table.createdAt).where(sql`developer_id is not null`),
    index('feedback_install').on(table.sdkInstallId, table.createdAt).where(sql`sdk_install_id is not null`),
  ],
);

export const feedbackPictures = sqliteTable(
  'feedback_pictures',
  {
    id: uuid('id').primaryKey(),
    feedbackId: uuid('feedback_id')
      .notNull()
      .references(() => feedback.id, { onDelete: 'cascade' }),
    /** Ascending in the order in which they were sent. */
    position: integer('position').notNull(),
    imageKey: text('image_key').notNull(),
    imageType: text('image_type').notNull(),
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
  },
  (table) => [
    index('feedback_pictures_feedback').on(table.feedbackId, table.position),
    // Whether a stored object is in use.
    index('feedback_pictures_object').on(table.imageKey),
  ],
);

export const feedbackReplies = sqliteTable(
  'feedback_replies',
  {
    id: uuid('id').primaryKey(),
    feedbackId: uuid('feedback_id')
      .notNull()
      .references(() => feedback.id, { onDelete: 'cascade' }),
    /** The member who wrote it; null if the account was deleted, or for a project access token. */
    developerId: uuid('developer_id').references(() => developers.id, { onDelete: 'set null' }),
    text: text('text').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('feedback_replies_feedback').on(table.feedbackId, table.id),
    index('feedback_replies_developer').on(table.developerId).where(sql`developer_id is not null`),
  ],
);
