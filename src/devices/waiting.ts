// Devices that wait for a build on a channel: registered phones that its current build doesn't include.
import { and, desc, eq, gt, inArray, lt, lte, type SQL, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { ChannelRow } from '../channels/store.ts';
import type { App, Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import { channelMutes, developers, devices, finishedWaits, waitingDevices } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { startSteps } from '../lib/steps.ts';
import type { Platform } from '../platforms.ts';
import { ownerTrail } from './service.ts';
import type { DeviceRow } from './store.ts';

type WaitingRow = typeof waitingDevices.$inferSelect;
type Db = Pick<App, 'db'>;

/** A device that no build has included after this time no longer waits. */
export const WAITING_LIFETIME_MS = 180 * DAY;
/** A device whose wait ended with a build waits again if the channel loses that build within this time. */
export const FINISHED_KEPT_MS = 30 * DAY;
/** Devices without an owner that can wait on one channel. Apple accepts 100 devices of each kind per year. */
const MAX_WAITING_WITHOUT_OWNER = 100;

/** A waiting device with the name of its owner. */
export interface WaitingDevice extends WaitingRow {
  device: DeviceRow;
  ownerName: string | null;
  /** The build that included it before; null if it never did. */
  earlierBuildId: string | null;
}

const columns = {
  waiting: waitingDevices,
  device: devices,
  ownerName: developers.displayName,
  earlierBuildId: finishedWaits.buildId,
};

const flatten = ({ waiting, ...rest }: { waiting: WaitingRow } & Omit<WaitingDevice, keyof WaitingRow>) => ({
  ...waiting,
  ...rest,
});

const anyWhere = (condition: SQL | undefined) =>
  prepared((db) => db.select({ id: waitingDevices.id }).from(waitingDevices).where(condition).limit(1).prepare());

const isOnChannel = eq(waitingDevices.channelId, placeholder('channelId'));
const isOfDevice = eq(waitingDevices.deviceId, placeholder('deviceId'));
const anyOfBoth = anyWhere(and(isOfDevice, isOnChannel));
const anyOnChannel = anyWhere(isOnChannel);

/** Returns whether a device waits for a build on a channel. */
export function isWaitingOn(app: Db, channelId: string, deviceId: string): boolean {
  return anyOfBoth(app).get({ channelId, deviceId }) !== undefined;
}

const waitingAmong = prepared((db) =>
  db.$client
    .prepare<[string], string>(
      'SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM waiting_devices WHERE device_id = value)',
    )
    .pluck(),
);

/** Returns which of some devices wait for a build on any channel. */
export function findWaitingAmong(app: Db, deviceIds: readonly string[]): Set<string> {
  return new Set(waitingAmong(app).all(JSON.stringify(deviceIds)));
}

/** Returns whether any device waits on a channel. */
export function hasWaiting(app: Db, channelId: string): boolean {
  return anyOnChannel(app).get({ channelId }) !== undefined;
}

/** SQLite uses the partial index only if the flag is a literal. */
const unownedOn = prepared((db) =>
  db.$client.prepare<[string, number]>('SELECT 1 FROM waiting_devices WHERE channel_id = ? AND is_unowned = 1 LIMIT ?'),
);

/** Returns whether no more devices without an owner can wait on a channel. */
export function isFullForStrangers(app: Db, channelId: string): boolean {
  return unownedOn(app).all(channelId, MAX_WAITING_WITHOUT_OWNER).length >= MAX_WAITING_WITHOUT_OWNER;
}

function insertWaiting(
  tx: Tx,
  { id, organizationId }: Pick<ChannelRow, 'id' | 'organizationId'>,
  deviceId: string,
): void {
  tx.db
    .insert(waitingDevices)
    .values({ id: tx.ids.next(), organizationId, channelId: id, deviceId, createdAt: tx.now })
    .run();
}

/** Lets a device wait for a build on a channel, because its owner asks for one. Does nothing if it already does. */
export function addWaiting(
  tx: Tx,
  channel: Pick<ChannelRow, 'id' | 'organizationId' | 'projectId' | 'name'>,
  device: DeviceRow,
): void {
  const { organizationId, projectId, id: channelId } = channel;
  const waits = isWaitingOn(tx, channelId, device.id);
  // Who asks again is emailed about any build, also about the one that included the device before.
  if (!deleteFinishedWait(tx, channelId, device.id) && waits) return;
  if (!waits) insertWaiting(tx, channel, device.id);
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
    .leftJoin(
      finishedWaits,
      and(eq(finishedWaits.channelId, waitingDevices.channelId), eq(finishedWaits.deviceId, waitingDevices.deviceId)),
    )
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

/** Ends the wait of a device on a channel because the team removed it, so that it doesn't wait again. */
export function removeWaiting(tx: Tx, { id, channelId, deviceId }: WaitingRow): void {
  deleteWaiting(tx, [id]);
  deleteFinishedWait(tx, channelId, deviceId);
}

const insertFinished = prepared((db) =>
  db.$client.prepare<[string, string, string, number]>(
    `INSERT INTO finished_waits (channel_id, device_id, build_id, finished_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (channel_id, device_id) DO UPDATE SET build_id = excluded.build_id, finished_at = excluded.finished_at`,
  ),
);

/** Ends the waits of devices that a build includes, and remembers the build in case that the channel loses it. */
export function finishWaiting(tx: Tx, rows: readonly WaitingDevice[], buildId: string): void {
  deleteWaiting(
    tx,
    rows.map(({ id }) => id),
  );
  for (const { channelId, deviceId } of rows) insertFinished(tx).run(channelId, deviceId, buildId, tx.now);
}

const anyFinished = prepared((db) =>
  db
    .select({ deviceId: finishedWaits.deviceId })
    .from(finishedWaits)
    .where(eq(finishedWaits.channelId, placeholder('channelId')))
    .limit(1)
    .prepare(),
);

/** Returns whether the wait of any device on a channel ended with a build in the last 30 days. */
export function hasFinishedWaits(app: Db, channelId: string): boolean {
  return anyFinished(app).get({ channelId }) !== undefined;
}

/** A device whose wait ended because a build included it. */
interface FinishedWait {
  device: DeviceRow;
  buildId: string;
}

/** Returns the finished waits on a channel of devices with ids above `after`, in the order of these ids. */
export function listFinishedAfter({ db }: Db, channelId: string, after: string, limit: number): FinishedWait[] {
  return db
    .select({ device: devices, buildId: finishedWaits.buildId })
    .from(finishedWaits)
    .innerJoin(devices, eq(devices.id, finishedWaits.deviceId))
    .where(and(eq(finishedWaits.channelId, channelId), gt(finishedWaits.deviceId, after)))
    .orderBy(finishedWaits.deviceId)
    .limit(limit)
    .all();
}

/** Lets a device wait again because the channel lost the build that included it. Does nothing if it already waits. */
export function resumeWaiting(tx: Tx, channel: Pick<ChannelRow, 'id' | 'organizationId'>, deviceId: string): void {
  if (!isWaitingOn(tx, channel.id, deviceId)) insertWaiting(tx, channel, deviceId);
}

/** Returns whether there was one. */
function deleteFinishedWait(tx: Tx, channelId: string, deviceId: string): boolean {
  const isIt = and(eq(finishedWaits.channelId, channelId), eq(finishedWaits.deviceId, deviceId));
  return tx.db.delete(finishedWaits).where(isIt).run().changes > 0;
}

function deleteWaiting(tx: Tx, ids: readonly string[]): void {
  tx.db
    .delete(waitingDevices)
    .where(inArray(waitingDevices.id, [...ids]))
    .run();
}

const deleteOldFinished = prepared((db) =>
  db.$client.prepare<[number, number]>(
    'DELETE FROM finished_waits WHERE rowid IN (SELECT rowid FROM finished_waits WHERE finished_at <= ? LIMIT ?)',
  ),
);

/** Deletes up to `max` waits that ended with a build long ago. Returns the number deleted. */
export function deleteOldFinishedWaits(ctx: Context, now: number, max: number): number {
  return ctx.transact((tx) => deleteOldFinished(tx).run(now - FINISHED_KEPT_MS, max).changes, { bookkeeping: true });
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
): { id: string; email: string; locale: string | null } | undefined {
  if (developerId === null) return undefined;
  const row = db
    .select({
      id: developers.id,
      email: developers.email,
      locale: developers.locale,
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
  return { id: row.id, email: row.email, locale: row.locale };
}

/** A channel on which devices wait. */
interface AwaitedChannel {
  channelId: string;
  channelName: string;
  projectId: string;
  projectName: string;
  platform: Platform;
  since: number;
}

const awaitedAfter = prepared((db) =>
  db.$client.prepare<[{ organizationId: string; after: string }], AwaitedChannel>(
    `SELECT c.id AS channelId, c.name AS channelName, p.id AS projectId, p.name AS projectName, p.platform, w.created_at AS since
      FROM waiting_devices w JOIN channels c ON c.id = w.channel_id JOIN projects p ON p.id = c.project_id
     WHERE w.organization_id = +@organizationId AND w.channel_id > +@after
     ORDER BY w.channel_id, w.created_at LIMIT 1`,
  ),
);

/** Returns the channels of an organization on which devices wait, each with one seek, regardless of how many devices there are. */
export async function listAwaitedChannels(app: Db, organizationId: string): Promise<AwaitedChannel[]> {
  const step = startSteps();
  const found: AwaitedChannel[] = [];
  let after = '';
  for (;;) {
    await step();
    const row = awaitedAfter(app).get({ organizationId, after });
    if (row === undefined) return found;
    found.push(row);
    after = row.channelId;
  }
}

/** Waiting devices of a channel are counted up to this number. */
const MAX_WAITING_COUNTED = 1_000;

const waitingOn = prepared((db) =>
  db.$client
    .prepare<[string, number], number>(
      'SELECT count(*) FROM (SELECT 1 FROM waiting_devices WHERE channel_id = ? LIMIT ?)',
    )
    .pluck(),
);

/** Returns the number of devices that wait on a channel, counted up to 1,000. */
export function countWaiting(app: Db, channelId: string): number {
  return waitingOn(app).get(channelId, MAX_WAITING_COUNTED) ?? 0;
}
