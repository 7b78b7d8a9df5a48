// The state of devices in the organization's Apple developer accounts.

import { Badge } from '@mantine/core';
import type { Device } from '../../devices/schema.ts';
import { type AppleRegistrationState, appleRegistrationStates } from '../../lib/apple-registration-states.ts';
import { useTexts } from '../texts/locale.ts';

type Registration = NonNullable<Device['apple_registrations']>[number];
export type AppleState = AppleRegistrationState | 'none';

/** All states, those that allow the most first. */
export const appleStates: readonly AppleState[] = [...appleRegistrationStates, 'none'];

const colors: Record<AppleState, string> = {
  registered: 'green',
  processing: 'accent',
  disabled: 'yellow',
  refused: 'red',
  none: 'gray',
};

/** Returns what is known about a device in an account; in the best one if no connection is named. */
export function registrationOf(device: Device, connectionId?: string): Registration | undefined {
  const known = (device.apple_registrations ?? []).filter(
    ({ store_connection_id: id }) => connectionId === undefined || id === connectionId,
  );
  return known.toSorted((one, other) => appleStates.indexOf(one.state) - appleStates.indexOf(other.state))[0];
}

/** Returns the state of a device in an account; in the best one if no connection is named. */
export function appleStateOf(device: Device, connectionId?: string): AppleState {
  return registrationOf(device, connectionId)?.state ?? 'none';
}

/** Whether the device has no place in the account yet, so that registering takes one. */
export function takesPlace(device: Device, connectionId: string): boolean {
  const state = appleStateOf(device, connectionId);
  return state === 'none' || state === 'refused';
}

/** Renders why Apple refused a device. The server sends it in English; sentences that the catalog doesn't have stay so. */
export function RefusalText({ message }: { message: string }) {
  const text = useTexts().stores.devices.refusal(message);
  return <span {...(text === message ? { lang: 'en' } : {})}>{text}</span>;
}

/** Renders the state. */
export function AppleStateBadge({ state }: { state: AppleState }) {
  const t = useTexts().stores.devices;
  return (
    <Badge variant="light" color={colors[state]} title={t.hints[state]}>
      {t.states[state]}
    </Badge>
  );
}
