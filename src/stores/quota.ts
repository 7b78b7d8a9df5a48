// The places for devices in an Apple developer account: a number for each class and membership year, which a device keeps until
// the membership is renewed, even if it is disabled. Apple's API returns neither the limit nor the day.
import type { Context, OrganizationContext } from '../core/context.ts';
import { deviceClasses } from '../lib/apple-device-classes.ts';
import { isRecent, timestamp } from '../lib/clock.ts';
import { listAppleDevices } from './apple.ts';
import { type Failure, refusalOf } from './failures.ts';
import { keepListedStates } from './registration-states.ts';
import type { DeviceQuota } from './schema.ts';
import { appleKeyOf, loadAppleConnection } from './service.ts';
import { type CountedDevice, MAX_AGE_MS, storeStateOf, type UsedPlaces } from './state.ts';
import { type ConnectionRow, hasCredentialsOf } from './store.ts';

/**
 * Returns the places that a team has used, at most ten minutes old unless `isFresh`, or why the key can't see them. If Apple is asked,
 * saves the states of the devices, too.
 */
export async function readUsedPlaces(
  ctx: Context,
  connection: ConnectionRow,
  isFresh = false,
): Promise<UsedPlaces | Failure> {
  const { places, reads } = storeStateOf(ctx);
  const now = ctx.clock.time();
  const known = places.get(connection.id);
  if (!isFresh && known !== undefined && isRecent(known.checkedAt, now, MAX_AGE_MS)) return known;
  const key = appleKeyOf(ctx, connection);
  const reading = { connectionId: connection.id, registered: [] as CountedDevice[] };
  reads.add(reading);
  const list = await listAppleDevices(ctx, key).finally(() => reads.delete(reading));
  if ('code' in list) return list;
  const read: UsedPlaces = { checkedAt: now, byClass: new Map(), udids: new Set() };
  for (const device of list.devices) countDevice(read, device);
  for (const device of reading.registered) countRegistered(read, device);
  if (hasCredentialsOf(ctx, connection)) places.set(connection.id, read);
  await keepListedStates(ctx, connection, list, now);
  return read;
}

function countDevice({ byClass, udids }: UsedPlaces, { udid, deviceClass }: CountedDevice): void {
  udids.add(udid.toLowerCase());
  byClass.set(deviceClass, (byClass.get(deviceClass) ?? 0) + 1);
}

/** Counts a registered device unless the list has it already. */
function countRegistered(places: UsedPlaces, device: CountedDevice): void {
  if (!places.udids.has(device.udid.toLowerCase())) countDevice(places, device);
}

/** Counts a device that Apple has, also in the lists that are being read. One that a list already has is counted once. */
export function countRegisteredDevice(ctx: Context, connectionId: string, device: CountedDevice): void {
  const { places, reads } = storeStateOf(ctx);
  const known = places.get(connectionId);
  if (known !== undefined) countRegistered(known, device);
  for (const reading of reads) if (reading.connectionId === connectionId) reading.registered.push(device);
}

/**
 * Returns the used places of each class, and asks Apple if `isFresh`. Throws `operation_not_allowed` for a connection of Google Play, `invalid_input` or
 * `operation_not_allowed` if Apple rejects the key, and `store_connection_unavailable` if Apple can't be asked.
 */
export async function readDeviceQuota(ctx: OrganizationContext, id: string, isFresh: boolean): Promise<DeviceQuota> {
  const connection = loadAppleConnection(ctx, ctx.organization.id, id);
  const places = await readUsedPlaces(ctx, connection, isFresh);
  if ('code' in places) throw refusalOf(places);
  const limit = ctx.config.stores.app_store_connect.device_quota;
  const names = [...new Set([...deviceClasses, ...places.byClass.keys()])];
  return {
    checked_at: timestamp(places.checkedAt),
    classes: names.map((deviceClass) => {
      const used = places.byClass.get(deviceClass) ?? 0;
      return { device_class: deviceClass, used, limit, left: Math.max(0, limit - used) };
    }),
  };
}
