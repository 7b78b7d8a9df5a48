// Devices that wait for a build on a channel: registered phones that its current build doesn't include.
import { and, desc, eq, gt, inArray, isNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { ChannelRow } from '../channels/store.ts';
import type { App, Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import { channelMutes, developers, devices, waitingDevices } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import type { Platform } from '../platforms.ts';
import { ownerTrail } from './service.ts';
import type { DeviceRow } from './store.ts';

type WaitingRow = typeof waitingDevices.$inferSelect;
type Db = Pick<App, 'db'>;

/** A device that no build has included after this time no longer waits. */
export const WAITING_LIFETIME_MS = 180 * DAY;
/** Devices without an owner that can wait on one channel. Apple accepts 100 devices of each kind per year. */
export const MAX_WAITING_WITHOUT_OWNER = 100;

/** A waiting device with the name of its owner. */
export interface WaitingDevice extends WaitingRow {
  device: DeviceRow;
  ownerName: string | null;
}

const columns = { waiting: waitingDevices, device: devices, ownerName: developers.displayName };

const flatten = ({ waiting, ...rest }: { waiting: WaitingRow; device: DeviceRow; ownerName: string | null }) => ({
  ...waiting,
  ...rest,
});

const anyWhere = (condition: SQL | undefined) =>
  prepared((db) => db.select({ id: waitingDevices.id }).from(waitingDevices).where(condition).limit(1).prepare());

const isOnChannel = eq(waitingDevices.channelId, placeholder('channelId'));
const isOfDevice = eq(waitingDevices.deviceId, placeholder('deviceId'));
const anyOfBoth = anyWhere(and(isOfDevice, isOnChannel));
const anyOfDevice = anyWhere(isOfDevice);
const anyOnChannel = anyWhere(isOnChannel);

/** Returns whether a device waits for a build on a channel. */
export function isWaitingOn(app: Db, channelId: string, deviceId: string): boolean {
  return anyOfBoth(app).get({ channelId, deviceId }) !== undefined;
}

/** Returns whether a device waits for a build on any channel. */
export function isWaiting(app: Db, deviceId: string): boolean {
  return anyOfDevice(app).get({ deviceId }) !== undefined;
}

/** Returns whether any device waits on a channel. */
export function hasWaiting(app: Db, channelId: string): boolean {
  return anyOnChannel(app).get({ channelId }) !== undefined;
}

/** Returns whether no more devices without an owner can wait on a channel. */
export function isFullForStrangers({ db }: Db, channelId: string): boolean {
  const some = db
    .select({ id: waitingDevices.id })
    .from(waitingDevices)
    .innerJoin(devices, eq(devices.id, waitingDevices.deviceId))
    .where(and(eq(waitingDevices.channelId, channelId), isNull(devices.developerId)))
    .limit(MAX_WAITING_WITHOUT_OWNER)
    .all();
  return some.length >= MAX_WAITING_WITHOUT_OWNER;
}

/** Lets a device wait for a build on a channel. Does nothing if it already does. */
export function addWaiting(
  tx: Tx,
  channel: Pick<ChannelRow, 'id' | 'organizationId' | 'projectId' | 'name'>,
  device: DeviceRow,
): void {
  if (isWaitingOn(tx, channel.id, device.id)) return;
  const { organizationId, projectId, id: channelId } = channel;
  tx.db
    .insert(waitingDevices)
    .values({ id: tx.ids.next(), organizationId, channelId, deviceId: device.id, createdAt: tx.now })
    .run();
  tx.record('waiting_device.created', {
    identifier: device.id,
    organizationId,
    projectId,
    ...ownerTrail(device),
    details: { name: device.name, channel_id: channelId, channel: channel.name },
  });
}

const waitingWhere = ({ db }: Db, condition: SQL | undefined) =>
  db
    .select(columns)
    .from(waitingDevices)
    .innerJoin(devices, eq(devices.id, waitingDevices.deviceId))
    .leftJoin(developers, eq(developers.id, devices.developerId))
    .where(condition);

/** Returns the waiting devices of a channel with ids below `before`, newest first. */
export function listWaiting(
  app: Db,
  channelId: string,
  { before, limit }: { before: string; limit: number },
): WaitingDevice[] {
  return waitingWhere(app, and(eq(waitingDevices.channelId, channelId), lt(waitingDevices.id, before)))
    .orderBy(desc(waitingDevices.id))
    .limit(limit)
    .all()
    .map(flatten);
}

/** Returns the same with ids above `after`, oldest first. */
export function listWaitingAfter(app: Db, channelId: string, after: string, limit: number): WaitingDevice[] {
  return waitingWhere(app, and(eq(waitingDevices.channelId, channelId), gt(waitingDevices.id, after)))
    .orderBy(waitingDevices.id)
    .limit(limit)
    .all()
    .map(flatten);
}

/** Returns the waiting devices of one owner on a channel. */
export function listWaitingOf(app: Db, channelId: string, developerId: string): WaitingDevice[] {
  // Without the sign, SQLite reads all waiting devices of the channel instead of the devices of the owner.
  const isOnThis = sql`+${waitingDevices.channelId} = ${channelId}`;
  return waitingWhere(app, and(eq(devices.developerId, developerId), isOnThis))
    .all()
    .map(flatten);
}

/** Returns a waiting device of a channel, or undefined. */
export function findWaiting(app: Db, channelId: string, deviceId: string): WaitingDevice | undefined {
  return waitingWhere(app, and(eq(waitingDevices.channelId, channelId), eq(waitingDevices.deviceId, deviceId)))
    .all()
    .map(flatten)[0];
}

export function deleteWaiting(tx: Tx, ids: readonly string[]): void {
  tx.db
    .delete(waitingDevices)
    .where(inArray(waitingDevices.id, [...ids]))
    .run();
}

/** Deletes up to `max` rows of devices that waited too long. Returns the number deleted. */
export function deleteOldWaiting(ctx: Context, now: number, max: number): number {
  return ctx.transact(
    (tx) => deleteUpTo(tx, waitingDevices.id, lte(waitingDevices.createdAt, now - WAITING_LIFETIME_MS), max),
    { bookkeeping: true },
  );
}

/**
 * Returns the owner of a device if they get an email when a build on the channel includes it: they have a verified address, aren't
 * locked, and haven't muted the channel. The caller checks their access.
 */
export function findNotifiedOwner(
  { db }: Db,
  channelId: string,
  { developerId }: Pick<DeviceRow, 'developerId'>,
): { id: string; email: string } | undefined {
  if (developerId === null) return undefined;
  const row = db
    .select({
      id: developers.id,
      email: developers.email,
      emailVerifiedAt: developers.emailVerifiedAt,
      lockedAt: developers.lockedAt,
      mutedAt: channelMutes.mutedAt,
    })
    .from(developers)
    .leftJoin(channelMutes, and(eq(channelMutes.developerId, developers.id), eq(channelMutes.channelId, channelId)))
    .where(eq(developers.id, developerId))
    .get();
  if (row === undefined || row.emailVerifiedAt === null || row.lockedAt !== null || row.mutedAt !== null) {
    return undefined;
  }
  return { id: row.id, email: row.email };
}

/** A channel on which devices wait. */
interface AwaitedChannel {
  channelId: string;
  channelName: string;
  projectId: string;
  projectName: string;
  platform: Platform;
  devices: number;
  since: number;
}

const awaitedChannels = prepared((db) =>
  db.$client.prepare<[string], AwaitedChannel>(
    `SELECT c.id AS channelId, c.name AS channelName, p.id AS projectId, p.name AS projectName, p.platform, w.devices, w.since
      FROM (SELECT channel_id, count(*) AS devices, min(created_at) AS since FROM waiting_devices
             WHERE organization_id = ? GROUP BY channel_id) w
        JOIN channels c ON c.id = w.channel_id
        JOIN projects p ON p.id = c.project_id
      ORDER BY w.since`,
  ),
);

/** Returns the channels of an organization on which devices wait, those that waited longest first. */
export function listAwaitedChannels(app: Db, organizationId: string): AwaitedChannel[] {
  return awaitedChannels(app).all(organizationId);
}
