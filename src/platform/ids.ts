// Identifiers: UUIDv7 told by the application's clock, so that the order of ids is the order of creation.
import { randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';

export interface Ids {
  /** A new UUIDv7, greater as text than every one given before by the same source. */
  next(): string;
}

const POOL_SIZE = 4096;

/**
 * UUIDv7 (RFC 9562 section 5.7) with the sub-millisecond field used as a counter (section 6.2, method 1). The runtime's own
 * generator reads the system clock, which would put rows out of order when a test moves time.
 */
export function createIds(clock: Clock): Ids {
  const pool = Buffer.alloc(POOL_SIZE);
  let used = POOL_SIZE;
  let lastMillisecond = 0;
  let counter = 0;

  function randomBytes8(): Buffer {
    if (used + 8 > POOL_SIZE) {
      randomFillSync(pool);
      used = 0;
    }
    used += 8;
    return pool.subarray(used - 8, used);
  }

  return {
    next() {
      const now = clock.now().getTime();
      if (now > lastMillisecond) {
        lastMillisecond = now;
        counter = 0;
      } else if (++counter > 0xfff) {
        lastMillisecond += 1;
        counter = 0;
      }
      const time = lastMillisecond.toString(16).padStart(12, '0');
      const tail = randomBytes8();
      const variant = ((tail.readUInt8(0) & 0x3f) | 0x80).toString(16).padStart(2, '0');
      const rest = tail.toString('hex', 1);
      const count = counter.toString(16).padStart(3, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${variant}${rest.slice(0, 2)}-${rest.slice(2)}`;
    },
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in canonical lower-case form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}
