// Identifiers: UUIDv7 told by the application's clock, so that the order of ids is the order of creation.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';

export interface Ids {
  /** A new UUIDv7, greater as text than every one given before by the same source. */
  next(): string;
}

/**
 * UUIDv7 (RFC 9562 section 5.7) with the sub-millisecond field used as a counter (section 6.2, method 1). The runtime's own
 * generator reads the system clock, which would put rows out of order when a test moves time.
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
      // Variant and random bits are where a random UUID has them, and the runtime keeps a store of those.
      return `${prefix}${(0x7000 | counter).toString(16)}${randomUUID().slice(18)}`;
    },
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in canonical lower-case form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}
