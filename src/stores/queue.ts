// Registers devices with Apple in the background, one after the other: those that someone chose, and new ones automatically.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { AddedDevice, Context, JobHandler, OrganizationContext, Tx } from '../core/context.ts';
import { authorOf } from '../core/record.ts';
import { type DeviceRow, findDevice, loadDevice } from '../devices/store.ts';
import type { Author } from '../events.ts';
import { checkWriteLock } from '../http/organization-lock.ts';
import { classOfProduct } from '../lib/apple-device-classes.ts';
import { DAY, MINUTE, SECOND } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { findOrganization } from '../organizations/store.ts';
import { readUsedPlaces } from './quota.ts';
import { registerOne, saveRefusal } from './registrations.ts';
import type { RegistrationsInput } from './schema.ts';
import { loadAppleConnection } from './service.ts';
import * as store from './store.ts';

export const REGISTER_QUEUED_JOB = 'register-queued-devices';

const PER_STEP = 200;
const NO_ID = '00000000-0000-0000-0000-000000000000';
/** Devices fail after Apple couldn't be asked for this long. */
const MAX_WAIT_MS = 5 * DAY;
/** With fewer places left above the reserve, Apple is asked again before each registration. */
const CLOSE_TO_RESERVE = 20;

/** Queues a new device for each connection that registers new devices automatically. A hook of devices. */
export function queueNewDevice(tx: Tx, { id, organizationId }: AddedDevice): void {
  for (const connection of store.listAutomatic(tx, organizationId)) queue(tx, connection.id, [id], null);
}

/**
 * Queues devices to be registered with Apple. Without ids, all of the organization that Apple doesn't have yet. Returns the
 * number of devices that weren't queued before. Throws `not_found` for a device of another organization, and
 * `operation_not_allowed` for a connection to Google Play.
 */
export async function queueDevices(
  ctx: OrganizationContext,
  connectionId: string,
  { device_ids: ids }: RegistrationsInput,
): Promise<{ queued: number }> {
  const connection = loadAppleConnection(ctx, ctx.organization.id, connectionId);
  const save = (some: readonly string[]): number =>
    ctx.transact(
      (tx) => {
        for (const id of some) loadDevice(tx, ctx.organization.id, id);
        store.loadConnection(tx, ctx.organization.id, connectionId);
        return queue(tx, connectionId, some, authorOf(tx));
      },
      { bookkeeping: true },
    );
  let queued = 0;
  if (ids !== undefined) {
    // Nothing is queued if one of them doesn't exist.
    for (const id of ids) loadDevice(ctx, ctx.organization.id, id);
    for (let start = 0; start < ids.length; start += PER_STEP) {
      queued += save(ids.slice(start, start + PER_STEP));
      await yieldToOthers();
    }
    return { queued };
  }
  for (let after = NO_ID; ; ) {
    const some = store.listUnregistered(ctx, connection, after, PER_STEP);
    queued += save(some);
    const last = some.at(-1);
    if (last === undefined || some.length < PER_STEP) return { queued };
    after = last;
    await yieldToOthers();
  }
}

function queue(tx: Tx, connectionId: string, deviceIds: readonly string[], author: Author | null): number {
  const row = { storeConnectionId: connectionId, author: author && JSON.stringify(author), createdAt: tx.now };
  const added = deviceIds.filter((deviceId) => store.insertQueued(tx, { ...row, deviceId })).length;
  if (added > 0) runLater(tx, connectionId, 0);
  return added;
}

function runLater(tx: Tx, connectionId: string, delayMs: number, after = NO_ID): void {
  tx.enqueue({
    kind: REGISTER_QUEUED_JOB,
    payload: { connectionId, after },
    dedupeKey: `registrations ${connectionId}`,
    delayMs,
  });
}

/**
 * Registers the next device of a connection's queue. The device after one for which Apple failed comes next, so that it doesn't
 * hold up the others. Jobs of earlier versions don't have it.
 */
export const runRegisterQueuedJob: JobHandler = async (ctx, payload) => {
  const connectionId = String(payload.connectionId);
  const after = String(payload.after ?? NO_ID);
  const row = store.findQueued(ctx, connectionId, after);
  const connection = store.findConnection(ctx, connectionId);
  if (row === undefined || connection === undefined) return;
  const device = findDevice(ctx, row.deviceId);
  const delayMs = device === undefined ? 0 : await attempt(ctx, connection, device, row);
  ctx.transact(
    (tx) => {
      if (delayMs === 0) store.deleteQueued(tx, row);
      if (store.countQueued(tx, connectionId) === 0) return;
      runLater(tx, connectionId, delayMs, delayMs === 0 ? after : row.deviceId);
    },
    { bookkeeping: true },
  );
};

/** Registers a device. Returns 0 if that succeeded or was refused, or the milliseconds until the next attempt. */
async function attempt(
  ctx: Context,
  connection: store.ConnectionRow,
  device: DeviceRow,
  row: store.QueuedRow,
): Promise<number> {
  const { organizationId, id: connectionId } = connection;
  const author = row.author === null ? undefined : (JSON.parse(row.author) as Author);
  const refuse = (message: string): number => {
    saveRefusal(ctx, device, connectionId, message, undefined);
    return 0;
  };
  try {
    const organization = findOrganization(ctx, organizationId);
    if (organization === undefined) return 0;
    checkWriteLock(ctx, organization);
    if (connection.status === 'invalid') return refuse(connection.failureMessage ?? 'The connection is invalid');
    const problem = await findPlaceProblem(ctx, connection, device, row.author === null ? connection.reserve : 0);
    // The places can be those of a previous account.
    if (problem !== undefined) return store.hasOtherAccount(ctx, connection) ? SECOND : refuse(problem);
    await registerOne(ctx, { organizationId, deviceId: device.id, connectionId, author });
    return 0;
  } catch (error) {
    // A connection or device that was deleted in the meantime isn't an error.
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'operation_not_allowed') {
      // A key that was replaced in the meantime can register them.
      if (!store.hasCredentialsOf(ctx, connection)) return SECOND;
      refuseQueued(ctx, connection, error.message);
    }
    if (error.code !== 'store_connection_unavailable') return error.status === 402 ? refuse(error.message) : 0;
    if (ctx.clock.time() - row.createdAt > MAX_WAIT_MS) return refuse(error.message);
    return Math.max(MINUTE, Number(error.headers['retry-after'] ?? 0) * SECOND);
  }
}

/** Refuses the next queued devices for the same reason: Apple would refuse each because of the key or an agreement. */
function refuseQueued(ctx: Context, connection: store.ConnectionRow, message: string): void {
  ctx.transact(
    (tx) => {
      for (const row of store.listQueued(tx, connection.id, PER_STEP)) {
        const device = findDevice(tx, row.deviceId);
        if (device !== undefined) saveRefusal(ctx, device, connection.id, message, undefined);
        store.deleteQueued(tx, row);
      }
    },
    { bookkeeping: true },
  );
}

/**
 * Returns why a device isn't registered although Apple would accept it, or why Apple wouldn't, as far as the used places tell. The
 * classes of unknown products all count. Registering a device that Apple already has takes no place.
 */
async function findPlaceProblem(
  ctx: Context,
  connection: store.ConnectionRow,
  { product, udid }: DeviceRow,
  reserve: number,
): Promise<string | undefined> {
  const limit = ctx.config.stores.app_store_connect.device_quota;
  const deviceClass = classOfProduct(product);
  let places = await readUsedPlaces(ctx, connection);
  if ('code' in places) return undefined;
  const leftNow = () => {
    if ('code' in places) return 0;
    const { byClass } = places;
    const used = deviceClass === undefined ? Math.max(0, ...byClass.values()) : (byClass.get(deviceClass) ?? 0);
    return limit - used;
  };
  const isKnown = () => !('code' in places) && places.udids.has(udid.toLowerCase());
  const isOld = ctx.clock.time() - places.checkedAt > MINUTE;
  if (!isKnown() && leftNow() - reserve <= CLOSE_TO_RESERVE && (reserve > 0 || isOld)) {
    places = await readUsedPlaces(ctx, connection, true);
  }
  if (isKnown()) return undefined;
  const left = leftNow();
  const name = deviceClass ?? 'devices of an unknown class';
  if (reserve > 0 && left <= reserve) {
    return `Not registered automatically: ${Math.max(0, left)} places for ${name} are left, and ${reserve} are reserved`;
  }
  // Without a known class, only Apple can tell.
  if (left > 0 || deviceClass === undefined) return undefined;
  return `The Apple developer account has no place left for this class of devices (${name})`;
}
