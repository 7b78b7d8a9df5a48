// Where stored objects are, if there are several storage backends.
import { sql } from 'drizzle-orm';
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storageBackends } from '../../lib/storage-backends.ts';
import { moment } from './columns.ts';

/** The backend of an object. Objects without a row are in the configured backend, or found by asking. */
export const objectPlaces = sqliteTable(
  'object_places',
  {
    objectKey: text('object_key').primaryKey(),
    backend: text('backend', { enum: storageBackends }).notNull(),
    /** The backend that the object was moved from, until its copy there is deleted. */
    leftBackend: text('left_backend', { enum: storageBackends }),
    leftAt: moment('left_at'),
    /** The modification time of that copy, which downloads that have begun still read. */
    leftModifiedAt: moment('left_modified_at'),
  },
  (table) => [index('object_places_left').on(table.leftAt).where(sql`left_at is not null`)],
);

/** The backends that the server uses since its last start. */
export const attachedBackends = sqliteTable('attached_backends', {
  backend: text('backend', { enum: storageBackends }).primaryKey(),
  attachedAt: moment('attached_at').notNull(),
});
