// Registers devices with Apple, and looks again at those that Apple is still processing.
import type { Context, JobHandler, OrganizationContext } from '../core/context.ts';
import type { Device } from '../devices/schema.ts';
import { readDevice } from '../devices/service.ts';
import { type DeviceRow, findDevice, loadDevice } from '../devices/store.ts';
import type { Author } from '../events.ts';
import { classOfProduct } from '../lib/apple-device-classes.ts';
import { AppError } from '../lib/errors.ts';
import { type AppleDevice, findAppleDevice, registerWithApple } from './apple.ts';
import type { Failure } from './failures.ts';
import { countRegisteredDevice, readUsedPlaces } from './quota.ts';
import { checkLater, MAX_PROCESSING_MS, recordRegistered, SYSTEM } from './registration-states.ts';
import { appleKeyOf, loadAppleConnection, withConnection } from './service.ts';
import * as store from './store.ts';

export const STORES_LANE = 'stores';

/**
 * Registers a device with Apple and returns it with its state there. Registering it again changes nothing. Throws
 * `invalid_input` if Apple doesn't accept the identifier, `quota_exceeded` if its class has no place left,
 * `operation_not_allowed` if the key may not register devices, and `store_connection_unavailable` if Apple can't be asked.
 */
export async function registerDevice(
  ctx: OrganizationContext,
  deviceId: string,
  connectionId: string,
): Promise<Device> {
  await registerOne(ctx, { organizationId: ctx.organization.id, deviceId, connectionId });
  return readDevice(ctx, deviceId);
}

export interface Request {
  organizationId: string;
  deviceId: string;
  connectionId: string;
  /** Who asked for it, if not the actor of the context. */
  author?: Author | undefined;
}

/** Registers a device and saves the result. Throws like `registerDevice`. */
export function registerOne(ctx: Context, request: Request): Promise<void> {
  const { deviceId, connectionId } = request;
  return ctx.locks([`apple registration ${deviceId} ${connectionId}`], async () => {
    for (let isDone = false; !isDone; ) isDone = await tryToRegister(ctx, request);
  });
}

/**
 * Registers a device with the account of the connection and saves the result. Returns false, and saves nothing, if the connection
 * has got a key of another account in the meantime.
 */
async function tryToRegister(
  ctx: Context,
  { organizationId, deviceId, connectionId, author }: Request,
): Promise<boolean> {
  // Another request may have registered the device in the meantime. What Apple does can't be undone.
  ctx.confirmAccess();
  const device = loadDevice(ctx, organizationId, deviceId);
  const connection = loadAppleConnection(ctx, organizationId, connectionId);
  const result = await registerWithApple(ctx, appleKeyOf(ctx, connection), device);
  if (result.kind === 'registered') {
    if (store.hasOtherAccount(ctx, connection)) return false;
    // Also one that Apple had already: the answer to an earlier request can have been lost.
    countRegisteredDevice(ctx, connectionId, { udid: device.udid, deviceClass: result.device.deviceClass });
    saveState(ctx, device, connectionId, result, author);
    return true;
  }
  const refusal =
    result.kind === 'forbidden'
      ? await explainForbidden(ctx, connection, device, result.failure)
      : new AppError('invalid_input', "Apple doesn't accept the identifier of this device");
  if (store.hasOtherAccount(ctx, connection)) return false;
  // The key can have been replaced while Apple rejected the previous one.
  const isAboutKey = result.kind === 'forbidden' && store.hasCredentialsOf(ctx, connection);
  saveRefusal(ctx, device, connectionId, refusal.message, isAboutKey ? result.failure : undefined);
  throw refusal;
}

/** Finds out whether Apple forbids a registration because no place is left, which has no code of its own. */
async function explainForbidden(
  ctx: Context,
  connection: store.ConnectionRow,
  device: DeviceRow,
  failure: Failure,
): Promise<AppError> {
  const refused = new AppError('operation_not_allowed', failure.message, { code: failure.code });
  if (failure.code !== 'permission_missing') return refused;
  const places = await readUsedPlaces(ctx, connection, true);
  if ('code' in places) return refused;
  const limit = ctx.config.stores.app_store_connect.device_quota;
  const own = classOfProduct(device.product);
  const full = [...places.byClass].find(
    ([deviceClass, used]) => used >= limit && (own === undefined || deviceClass === own),
  );
  if (full === undefined) return refused;
  const [deviceClass] = full;
  const message = `The Apple developer account has no place left for this class of devices (${deviceClass})`;
  return new AppError('quota_exceeded', message, { device_class: deviceClass, limit });
}

/** Saves what Apple says about a device, and records a device that Apple didn't have before, or has processed since. */
function saveState(
  ctx: Context,
  device: DeviceRow,
  connectionId: string,
  { device: found, isNew }: { device: AppleDevice; isNew: boolean },
  author: Author | undefined,
): void {
  ctx.transact(
    (tx) => {
      // The device or the connection can be gone by now. Apple keeps the device.
      loadDevice(tx, device.organizationId, device.id);
      store.loadConnection(tx, device.organizationId, connectionId);
      const before = store.findRegistration(tx, device.id, connectionId);
      // A device that was removed from the account can be registered again.
      const isKnown = before !== undefined && before.state !== 'refused' && !isNew;
      const row: store.RegistrationRow = {
        id: before?.id ?? tx.ids.next(),
        deviceId: device.id,
        storeConnectionId: connectionId,
        state: found.state,
        deviceClass: found.deviceClass,
        registeredAt: (isKnown ? before.registeredAt : null) ?? tx.now,
        checkedAt: tx.now,
        message: null,
      };
      store.saveRegistration(tx, row);
      if (row.state === 'processing') checkLater(tx, row.id);
      const isReady = before?.state === 'processing' && row.state === 'registered';
      if (!isKnown || isReady) recordRegistered(tx, device, { ...found, connectionId }, author);
    },
    { bookkeeping: true },
  );
}

/** Saves why Apple refused a device, unless Apple has it already. A key that Apple rejects makes the connection invalid. */
export function saveRefusal(
  ctx: Context,
  device: DeviceRow,
  connectionId: string,
  message: string,
  failure: Failure | undefined,
): void {
  ctx.transact(
    (tx) => {
      loadDevice(tx, device.organizationId, device.id);
      store.loadConnection(tx, device.organizationId, connectionId);
      if (failure?.code === 'credentials_refused') {
        store.updateConnection(tx, connectionId, {
          status: 'invalid',
          checkedAt: tx.now,
          failureCode: failure.code,
          failureMessage: failure.message,
        });
      }
      const before = store.findRegistration(tx, device.id, connectionId);
      if (before !== undefined && before.state !== 'refused') return;
      store.saveRegistration(tx, {
        id: before?.id ?? tx.ids.next(),
        deviceId: device.id,
        storeConnectionId: connectionId,
        state: 'refused',
        deviceClass: null,
        registeredAt: null,
        checkedAt: tx.now,
        message,
      });
    },
    { bookkeeping: true },
  );
}

/** Looks again at a device that Apple was processing, hourly for five days. Jobs of earlier versions don't have the end. */
export const runCheckRegistrationJob: JobHandler = async (ctx, payload) => {
  const id = String(payload.id);
  const row = store.findRegistrationById(ctx, id);
  if (row === undefined || row.state !== 'processing') return;
  const until = Number(payload.until ?? (row.registeredAt ?? 0) + MAX_PROCESSING_MS);
  if (ctx.clock.time() > until) return;
  const found = await lookAgain(ctx, row);
  ctx.transact(
    (tx) => {
      const current = store.findRegistrationById(tx, id);
      if (current === undefined || current.state !== 'processing') return;
      if (found !== undefined) {
        const row: store.RegistrationRow = { ...current, ...found, checkedAt: tx.now };
        store.saveRegistration(tx, row);
        const device = findDevice(tx, row.deviceId);
        if (row.state === 'registered' && device !== undefined) {
          recordRegistered(tx, device, { ...found, connectionId: row.storeConnectionId }, SYSTEM);
        }
        if (row.state !== 'processing') return;
      }
      checkLater(tx, id, until);
    },
    { bookkeeping: true },
  );
};

/** Returns the device's state at Apple, or undefined if it can't be read now. */
async function lookAgain(ctx: Context, row: store.RegistrationRow): Promise<AppleDevice | undefined> {
  const device = findDevice(ctx, row.deviceId);
  if (device === undefined) return undefined;
  try {
    const found = await withConnection(ctx, row.storeConnectionId, async () => {
      // Another request may have replaced the key or deleted the connection in the meantime.
      const connection = store.findConnection(ctx, row.storeConnectionId);
      return connection && findAppleDevice(ctx, appleKeyOf(ctx, connection), device.udid);
    });
    return found === undefined || 'code' in found ? undefined : found;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
