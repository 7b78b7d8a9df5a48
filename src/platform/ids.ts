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
  let prefix = '';

  function randomBytes8(): Buffer {
    if (used + 8 > POOL_SIZE) {
      randomFillSync(pool);
      used = 0;
    }
    used += 8;
    return pool.subarray(used - 8, used);
  }

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
      const tail = randomBytes8();
      tail[0] = ((tail[0] ?? 0) & 0x3f) | 0x80;
      const text = tail.toString('hex');
      return `${prefix}${(0x7000 | counter).toString(16)}-${text.slice(0, 4)}-${text.slice(4)}`;
    },
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in canonical lower-case form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}
