// Identifiers: UUIDv7 from the application's clock, so that ids sort in order of creation.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';

export interface Ids {
  /** Returns a new UUIDv7 that sorts after all previous ones of this generator. */
  next(): string;
}

/**
 * Generates UUIDv7 (RFC 9562 section 5.7) with the sub-millisecond field as a counter (section 6.2, method 1). The runtime's
 * own generator reads the system clock, so rows would be out of order when a test moves the time.
 */
export function createIds(clock: Clock): Ids {
  let lastMillisecond = 0;
  let counter = 0;
  let prefix = '';

  function startMillisecond(millisecond: number): void {
    lastMillisecond = millisecond;
    counter = 0;
    const time = millisecond.toString(16).padStart(12, '0');
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-`;
  }

  return {
    next() {
      const now = clock.now().getTime();
      if (now > lastMillisecond) startMillisecond(now);
      else if (++counter > 0xfff) startMillisecond(lastMillisecond + 1);
      // A random UUID has its variant and random bits in the same positions, and the runtime pre-generates random UUIDs.
      return `${prefix}${(0x7000 | counter).toString(16)}${randomUUID().slice(18)}`;
    },
  };
}

/** Returns the lowest UUIDv7 of a time in milliseconds since the epoch, to find rows that were created since then. */
export function lowestIdAt(moment: number): string {
  const time = moment.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in canonical lower-case form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** Returns the UUID whose 16 bytes are at an offset, in canonical form. */
export function uuidAt(bytes: Buffer, offset: number): string {
  const hex = bytes.toString('hex', offset, offset + 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
