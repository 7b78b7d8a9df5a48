// The places for devices in an Apple developer account: a number for each class and membership year, which a device keeps until
// the membership is renewed, even if it is disabled. Apple tells neither the limit nor the day.
import type { Context, OrganizationContext } from '../core/context.ts';
import { deviceClasses } from '../lib/apple-device-classes.ts';
import { MINUTE, timestamp } from '../lib/clock.ts';
import { type AppleDeviceList, listAppleDevices } from './apple.ts';
import { type Failure, refusalOf } from './failures.ts';
import { keepListedStates } from './registration-states.ts';
import type { DeviceQuota } from './schema.ts';
import { appleKeyOf, loadAppleConnection } from './service.ts';
import { storeStateOf, type UsedPlaces } from './state.ts';
import { type ConnectionRow, hasCredentialsOf } from './store.ts';

const MAX_AGE_MS = 10 * MINUTE;

/**
 * Returns the places that a team has used, at most ten minutes old unless `isFresh`, or why the key can't see them. If Apple is asked,
 * saves the states of the devices, too.
 */
export async function readUsedPlaces(
  ctx: Context,
  connection: ConnectionRow,
  isFresh = false,
): Promise<UsedPlaces | Failure> {
  const { places } = storeStateOf(ctx);
  const now = ctx.clock.time();
  const known = places.get(connection.id);
  if (!isFresh && known !== undefined && now - known.checkedAt < MAX_AGE_MS) return known;
  const list = await listAppleDevices(ctx, appleKeyOf(ctx, connection));
  if ('code' in list) return list;
  const read: UsedPlaces = { checkedAt: now, byClass: countClasses(list) };
  if (hasCredentialsOf(ctx, connection)) places.set(connection.id, read);
  await keepListedStates(ctx, connection, list, now);
  return read;
}

function countClasses({ devices }: AppleDeviceList): Map<string, number> {
  const byClass = new Map<string, number>();
  for (const { deviceClass } of devices) byClass.set(deviceClass, (byClass.get(deviceClass) ?? 0) + 1);
  return byClass;
}

/** Counts a device that was just registered. */
export function countNewDevice(ctx: Context, connectionId: string, deviceClass: string): void {
  const known = storeStateOf(ctx).places.get(connectionId);
  known?.byClass.set(deviceClass, (known.byClass.get(deviceClass) ?? 0) + 1);
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
