// Connections to App Store Connect and Google Play, devices registered with Apple through them, and publish jobs.

import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { appleRegistrationStates } from '../../lib/apple-registration-states.ts';
import { storeProviders } from '../../lib/store-providers.ts';
import { developers } from './accounts.ts';
import { flag, moment, uuid } from './columns.ts';
import { devices } from './devices.ts';
import { organizations, projects } from './organizations.ts';

const provider = () => text('provider', { enum: storeProviders }).notNull();

export const storeConnections = sqliteTable(
  'store_connections',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    provider: provider(),
    name: text('name').notNull(),
    /** App Store Connect only; null for an individual key. */
    issuerId: text('issuer_id'),
    /** App Store Connect only. */
    keyId: text('key_id'),
    /** Google Play only: the service account, from its JSON. */
    clientEmail: text('client_email'),
    packageName: text('package_name'),
    /** The private key of App Store Connect, or the JSON of the service account; encrypted. */
    sealedSecret: text('sealed_secret').notNull(),
    status: text('status', { enum: ['valid', 'invalid'] }).notNull(),
    /** The last time the provider answered a validation. */
    checkedAt: moment('checked_at').notNull(),
    scope: text('scope', { enum: ['account', 'package', 'token'] }).notNull(),
    /** The code of a failed validation; null if it succeeded. */
    failureCode: text('failure_code'),
    failureMessage: text('failure_message'),
    /** Whether new devices are registered with Apple automatically. App Store Connect only. */
    automaticRegistration: flag('automatic_registration').notNull().default(false),
    /** Places of each class that automatic registration leaves. */
    reserve: integer('reserve').notNull().default(10),
    createdAt: moment('created_at').notNull(),
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('store_connections_organization').on(table.organizationId, table.id),
    index('store_connections_created_by').on(table.createdBy).where(sql`created_by is not null`),
  ],
);

/** What Apple's developer program says about a device, one row per device and connection. */
export const appleRegistrations = sqliteTable(
  'apple_registrations',
  {
    id: uuid('id').primaryKey(),
    deviceId: uuid('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    storeConnectionId: uuid('store_connection_id')
      .notNull()
      .references(() => storeConnections.id, { onDelete: 'cascade' }),
    state: text('state', { enum: appleRegistrationStates }).notNull(),
    /** Apple's class of the device, such as `IPHONE`; null if Apple refused it. */
    deviceClass: text('device_class'),
    /** When this server first learned that Apple has the device; null if Apple refused it. */
    registeredAt: moment('registered_at'),
    checkedAt: moment('checked_at').notNull(),
    /** Why Apple refused the device; null otherwise. */
    message: text('message'),
  },
  (table) => [
    uniqueIndex('apple_registrations_device').on(table.deviceId, table.storeConnectionId),
    index('apple_registrations_connection').on(table.storeConnectionId),
  ],
);

/** Devices that wait to be registered with Apple, one after the other. */
export const queuedRegistrations = sqliteTable(
  'queued_registrations',
  {
    storeConnectionId: uuid('store_connection_id')
      .notNull()
      .references(() => storeConnections.id, { onDelete: 'cascade' }),
    deviceId: uuid('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    /** JSON of who asked for it (`Author`); null for automatic registration. */
    author: text('author'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.storeConnectionId, table.deviceId] }),
    index('queued_registrations_device').on(table.deviceId),
  ],
);

/** Requests to publish a build. They outlive the build and the connection, and keep the name of the connection. */
export const publishJobs = sqliteTable(
  'publish_jobs',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    buildId: uuid('build_id').notNull(),
    storeConnectionId: uuid('store_connection_id').notNull(),
    storeConnectionName: text('store_connection_name').notNull(),
    provider: provider(),
    track: text('track'),
    state: text('state', { enum: ['created', 'running', 'failed'] }).notNull(),
    createdAt: moment('created_at').notNull(),
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    index('publish_jobs_project').on(table.projectId, table.id),
    index('publish_jobs_organization').on(table.organizationId),
    index('publish_jobs_created_by').on(table.createdBy).where(sql`created_by is not null`),
  ],
);
