// Where stored objects are, if there are several storage backends.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { type ObjectPlace, serverBackends, storageBackends } from '../../lib/storage-backends.ts';
import { developers } from './accounts.ts';
import { moment, uuid } from './columns.ts';
import { organizations } from './organizations.ts';

/** The place of an object. Objects without a row are in the configured backend, or found by asking. */
export const objectPlaces = sqliteTable(
  'object_places',
  {
    objectKey: text('object_key').primaryKey(),
    backend: text('backend').$type<ObjectPlace>().notNull(),
    /** Another place with a copy to delete: the object was moved from there, or is being copied there. */
    leftBackend: text('left_backend').$type<ObjectPlace>(),
    /** The copy is deleted 20 minutes later. */
    leftAt: moment('left_at'),
    /** The modification time of the copy that was the object, which downloads that have started still read; null while copying. */
    leftModifiedAt: moment('left_modified_at'),
  },
  (table) => [
    index('object_places_left').on(table.leftAt).where(sql`left_at is not null`),
    // Only few objects are in containers of organizations, and only those are searched by their place.
    index('object_places_containers').on(table.backend).where(sql`backend like 'azure:%'`),
  ],
);

/** The backends that the server uses since its last start. */
export const attachedBackends = sqliteTable('attached_backends', {
  backend: text('backend', { enum: serverBackends }).primaryKey(),
  /** The folder, or the URL of the bucket. */
  location: text('location').notNull(),
  attachedAt: moment('attached_at').notNull(),
});

/** The last move of objects to another backend, for the operator. At most one row. */
export const objectMoves = sqliteTable('object_moves', {
  id: uuid('id').primaryKey(),
  toBackend: text('to_backend', { enum: storageBackends }).notNull(),
  /** The organization whose objects are moved; null for all. Not a reference: it's only shown. */
  organizationId: uuid('organization_id'),
  startedAt: moment('started_at').notNull(),
  /** Updated while it runs, so that an interrupted move is told from a running one. */
  seenAt: moment('seen_at').notNull(),
  finishedAt: moment('finished_at'),
  objects: integer('objects').notNull(),
  done: integer('done').notNull(),
  moved: integer('moved').notNull(),
  bytes: integer('bytes').notNull(),
  failed: integer('failed').notNull(),
});

/** Objects other than packages that are missing or can't be read. Those of packages are in package_integrity. */
export const objectProblems = sqliteTable('object_problems', {
  objectKey: text('object_key').primaryKey(),
  /** What it is, such as "screenshot", and the row that refers to it. */
  what: text('what').notNull(),
  rowId: uuid('row_id').notNull(),
  buildId: uuid('build_id'),
  projectId: uuid('project_id'),
  problem: text('problem', { enum: ['missing', 'unreadable'] }).notNull(),
  foundAt: moment('found_at').notNull(),
});

/** How the application of a customer proves itself to the customer's tenant. */
const authentication = ['federation', 'secret'] as const;

/** The request of an organization to store its packages in its own container; at most one per organization. */
export const storageRequests = sqliteTable(
  'storage_requests',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .unique()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    tenantId: uuid('tenant_id').notNull(),
    clientId: uuid('client_id').notNull(),
    account: text('account').notNull(),
    container: text('container').notNull(),
    authentication: text('authentication', { enum: authentication }).notNull(),
    clientSecretEncrypted: text('client_secret_encrypted'),
    status: text('status', {
      enum: ['validating', 'validation_failed', 'awaiting_approval', 'approved', 'rejected'],
    }).notNull(),
    /** The report of the last validation, as JSON. */
    report: text('report'),
    validatedAt: moment('validated_at'),
    /** Whether browsers may upload from the origin of this server (CORS); null if it isn't known. */
    browserUploads: text('browser_uploads', { enum: ['allowed', 'blocked'] }),
    rejectionReason: text('rejection_reason'),
    decidedAt: moment('decided_at'),
    requestedByDeveloperId: uuid('requested_by_developer_id').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('storage_requests_requested_by')
      .on(table.requestedByDeveloperId)
      .where(sql`requested_by_developer_id is not null`),
  ],
);

/** The RSA key that signs assertions for other clouds; the private half is encrypted with the master key. */
export const federationKeys = sqliteTable('federation_keys', {
  id: uuid('id').primaryKey(),
  publicKey: text('public_key').notNull(),
  privateKeyEncrypted: text('private_key_encrypted').notNull(),
  createdAt: moment('created_at').notNull(),
});
