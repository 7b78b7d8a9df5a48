// Identifiers: UUIDv7 from the application's clock, so that ids sort in order of creation.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { UUID_PATTERN } from '../lib/uuid.ts';

export interface Ids {
  /** Returns a new UUIDv7 that sorts after all previous ones of this generator. */
  next(): string;
}

/**
 * Generates UUIDv7 (RFC 9562 section 5.7) with the sub-millisecond field as a counter (section 6.2, method 1). The runtime's
 * own generator reads the system clock, so rows would be out of order when a test moves the time.
 */
export function createIds(clock: Pick<Clock, 'time'>): Ids {
  const random = createRandomDigits();
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
      const now = clock.time();
      if (now > lastMillisecond) startMillisecond(now);
      else if (++counter > 0xfff) startMillisecond(lastMillisecond + 1);
      return `${prefix}${counter === 0 ? '7000' : (0x7000 | counter).toString(16)}-${random.next()}`;
    },
  };
}

/** As many bytes as 512 ids need. Drawing them one by one takes longer than the rest of an id. */
const POOL_BYTES = 512 * 8;

/** Generates the random end of a UUID: the variant (RFC 9562 section 4.1) and 62 random bits. */
function createRandomDigits() {
  let digits = '';
  let at = 0;
  return {
    next(): string {
      if (at === digits.length) {
        const bytes = randomBytes(POOL_BYTES);
        for (let start = 0; start < POOL_BYTES; start += 8)
          bytes.writeUInt8((bytes.readUInt8(start) & 0x3f) | 0x80, start);
        digits = bytes.toString('hex');
        at = 0;
      }
      const end = `${digits.slice(at, at + 4)}-${digits.slice(at + 4, at + 16)}`;
      at += 16;
      return end;
    },
  };
}

/** Returns the lowest UUIDv7 of a time in milliseconds since the epoch, to find rows that were created since then. */
export function lowestIdAt(moment: number): string {
  const time = moment.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** Whether a text is a UUID in canonical lower-case form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** Returns the UUID whose 16 bytes are at an offset, in canonical form. */
export function uuidAt(bytes: Buffer, offset: number): string {
  const hex = bytes.toString('hex', offset, offset + 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
