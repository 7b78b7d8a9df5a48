// Devices that were registered with an enrollment link.
import type { Device } from '../../../devices/schema.ts';

/** Returns the devices enrolled since a server time, newest first. */
export function findEnrolledSince(devices: readonly Device[], since: string): Device[] {
  const moment = Date.parse(since);
  return devices
    .filter(({ enrolled_at: at }) => at !== null && Date.parse(at) >= moment)
    .sort((one, other) => Date.parse(other.enrolled_at ?? '') - Date.parse(one.enrolled_at ?? ''));
}

/**
 * Returns the last characters of an identifier, enough to recognize a device. The server sends members no more than
 * these.
 */
export function shortenUdid(udid: string): string {
  return `…${udid.slice(-4)}`;
}
