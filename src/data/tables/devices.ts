// Registered devices of an organization, those that wait for a build, enrollment links, and used challenges.
import { sql } from 'drizzle-orm';
import { index, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { channels } from './channels.ts';
import { flag, moment, uuid } from './columns.ts';
import { organizations } from './organizations.ts';

/** One row per device and organization. The UDID is personal data and is deleted with the account it belongs to. */
export const devices = sqliteTable(
  'devices',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** As returned by `readUdid`, so that each device has one spelling. */
    udid: text('udid').notNull(),
    name: text('name').notNull(),
    /** Apple's hardware identifier, such as `iPhone14,2`; null for a device entered by hand. */
    product: text('product'),
    /** The build of the operating system, such as `22F76`; null for a device entered by hand. */
    osBuild: text('os_build'),
    /** The device's owner; null if unknown. */
    developerId: uuid('developer_id').references(() => developers.id, { onDelete: 'cascade' }),
    registeredAt: moment('registered_at').notNull(),
    /** When the device last proved its identifier by its signature; null for one entered by hand. */
    enrolledAt: moment('enrolled_at'),
  },
  (table) => [
    uniqueIndex('devices_udid').on(table.organizationId, table.udid),
    index('devices_organization').on(table.organizationId, table.id),
    index('devices_developer').on(table.developerId),
  ],
);

/** Enrollment links, valid for an hour and for any number of devices. Only token hashes are stored. */
export const deviceEnrollments = sqliteTable(
  'device_enrollments',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    /** The name for new devices; null to use the device's own name. */
    name: text('name'),
    /** The owner of the registered devices. */
    developerId: uuid('developer_id').references(() => developers.id, { onDelete: 'cascade' }),
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    /** The channel whose install page the link was created on, to which the phone returns; null for other links. */
    channelId: uuid('channel_id').references(() => channels.id, { onDelete: 'cascade' }),
    /** Whether that page was opened at its short address. */
    isShort: flag('short_address').notNull().default(false),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('device_enrollments_token').on(table.tokenHash),
    index('device_enrollments_organization').on(table.organizationId, table.expiresAt),
    index('device_enrollments_developer').on(table.developerId),
    index('device_enrollments_created_by').on(table.createdBy).where(sql`created_by is not null`),
    index('device_enrollments_channel').on(table.channelId).where(sql`channel_id is not null`),
    index('device_enrollments_expires_at').on(table.expiresAt),
  ],
);

/** Used challenges. Each profile contains its own challenge, and a second response to it is a replay. */
export const deviceChallenges = sqliteTable(
  'device_challenges',
  {
    id: uuid('id').primaryKey(),
    enrollmentId: uuid('enrollment_id')
      .notNull()
      .references(() => deviceEnrollments.id, { onDelete: 'cascade' }),
    consumedAt: moment('consumed_at').notNull(),
  },
  (table) => [index('device_challenges_enrollment').on(table.enrollmentId)],
);

/** Devices that wait for a build on a channel that includes them. Deleted when the channel has one. */
export const waitingDevices = sqliteTable(
  'waiting_devices',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    deviceId: uuid('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
    /** Whether the device has no owner. Kept by the triggers `waiting_devices_added` and `waiting_devices_owned`. */
    isUnowned: flag('is_unowned').notNull().default(false),
  },
  (table) => [
    uniqueIndex('waiting_devices_device').on(table.deviceId, table.channelId),
    index('waiting_devices_channel').on(table.channelId, table.id),
    index('waiting_devices_organization').on(table.organizationId, table.channelId, table.createdAt),
    index('waiting_devices_created_at').on(table.createdAt),
    index('waiting_devices_unowned').on(table.channelId).where(sql`is_unowned = 1`),
  ],
);

/** Devices that no longer wait because the build that was current on the channel included them. They wait again without it. */
export const finishedWaits = sqliteTable(
  'finished_waits',
  {
    channelId: uuid('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    deviceId: uuid('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    /** The build that included the device. Not a foreign key: the row is needed after the build was deleted. */
    buildId: uuid('build_id').notNull(),
    finishedAt: moment('finished_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.deviceId] }),
    index('finished_waits_device').on(table.deviceId),
    index('finished_waits_finished_at').on(table.finishedAt),
  ],
);
