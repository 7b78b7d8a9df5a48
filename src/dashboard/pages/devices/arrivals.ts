// How long a page looks out for a phone, and how often: fast at first, slower later, and never for ever.
import type { Device } from '../../../devices/schema.ts';

const MINUTE = 60_000;
export const POLLING_TIMEOUT_MS = 15 * MINUTE;

/** Pause before the next look after waiting so long, both in milliseconds; undefined once the patience is over. */
export function pollingInterval(waitedMs: number): number | undefined {
  if (waitedMs >= POLLING_TIMEOUT_MS) return undefined;
  return Math.min(15_000, Math.max(2000, waitedMs / 10));
}

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
