// The states of devices with Apple, as a list of the team's devices shows them: people also remove, disable and enable devices on
// Apple's website, and a renewed membership frees places.
import type { Context, Tx } from '../core/context.ts';
import { ownerTrail } from '../devices/service.ts';
import type { Author } from '../events.ts';
import { DAY, HOUR, MINUTE } from '../lib/clock.ts';
import { startSteps } from '../lib/steps.ts';
import type { AppleDevice, AppleDeviceList } from './apple.ts';
import * as store from './store.ts';

export const CHECK_REGISTRATION_JOB = 'check-apple-registration';

/** A transaction of this size blocks the server for a few milliseconds. */
export const PER_STEP = 25;
/** Apple processes devices of new memberships for one to three days. */
export const MAX_PROCESSING_MS = 5 * DAY;
/** A list can lack a device that was registered shortly before. */
const LIST_DELAY_MS = 10 * MINUTE;
const GONE = 'The Apple developer account no longer has this device';

/** The author of what the server learns from Apple without a request for it. */
export const SYSTEM: Author = {
  actorKind: 'system',
  actorId: null,
  actorName: null,
  developerId: null,
  ipAddress: null,
};

/** Looks again at a device that Apple is processing in an hour, and then hourly until a time. */
export function checkLater(tx: Tx, id: string, until = tx.now + MAX_PROCESSING_MS): void {
  const payload = { id, until };
  tx.enqueue({ kind: CHECK_REGISTRATION_JOB, payload, dedupeKey: `registration ${id}`, delayMs: HOUR });
}

/** Records that Apple has a device, or that profiles can include it from now on. */
export function recordRegistered(
  tx: Tx,
  device: store.KnownRegistration['device'],
  { state, deviceClass, connectionId }: AppleDevice & { connectionId: string },
  author: Author | undefined,
): void {
  const facts = { store_connection_id: connectionId, state, device_class: deviceClass };
  tx.record('device.registered_with_apple', {
    identifier: device.id,
    organizationId: device.organizationId,
    ...ownerTrail(device),
    author,
    data: { device_id: device.id, ...facts },
    details: { name: device.name, ...facts },
  });
}

/**
 * Saves what a list of the team's devices says about those that were registered through a connection. `startedAt` is the time before
 * the list was requested. Does nothing if the credentials have changed since.
 */
export async function keepListedStates(
  ctx: Context,
  connection: store.ConnectionRow,
  { devices, isComplete }: AppleDeviceList,
  startedAt: number,
): Promise<void> {
  const listed = new Map(devices.map((device) => [device.udid.toLowerCase(), device]));
  const step = startSteps();
  for (let after = 0; ; ) {
    const rows = ctx.transact(
      (tx) => {
        if (!store.hasCredentialsOf(tx, connection)) return [];
        const some = store.listRegistrations(tx, connection.id, after, PER_STEP);
        for (const known of some) {
          const found = listed.get(known.device.udid.toLowerCase());
          if (found !== undefined) keepFound(tx, known, found, startedAt);
          else if (isComplete) keepMissing(tx, known, startedAt);
        }
        return some;
      },
      { bookkeeping: true },
    );
    const last = rows.at(-1);
    if (last === undefined || rows.length < PER_STEP) return;
    after = last.position;
    await step();
  }
}

/** Whether a registration was saved while the clock was ahead, which says nothing about what is newer. */
const isAhead = (tx: Tx, { checkedAt }: store.RegistrationRow) => checkedAt > tx.now;

function keepFound(
  tx: Tx,
  { registration: before, device }: store.KnownRegistration,
  found: AppleDevice,
  startedAt: number,
): void {
  // Something newer is known.
  if (before.checkedAt > startedAt && !isAhead(tx, before)) return;
  const row: store.RegistrationRow = {
    ...before,
    state: found.state,
    deviceClass: found.deviceClass,
    registeredAt: before.registeredAt ?? tx.now,
    checkedAt: startedAt,
    message: null,
  };
  store.saveRegistration(tx, row);
  if (row.state === 'processing' && before.state !== 'processing') checkLater(tx, row.id);
  const isReady = before.state === 'processing' && row.state === 'registered';
  if (before.state !== 'refused' && !isReady) return;
  recordRegistered(tx, device, { ...found, connectionId: row.storeConnectionId }, SYSTEM);
}

function keepMissing(tx: Tx, { registration: before }: store.KnownRegistration, startedAt: number): void {
  if (before.state === 'refused') return;
  if (before.checkedAt >= startedAt - LIST_DELAY_MS && !isAhead(tx, before)) return;
  store.saveRegistration(tx, {
    ...before,
    state: 'refused',
    deviceClass: null,
    registeredAt: null,
    checkedAt: startedAt,
    message: GONE,
  });
}
