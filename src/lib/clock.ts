// The only source of time. Code reads the time from a Clock, so that tests can move it instead of sleeping.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

export interface Clock {
  now(): Date;
  /** Returns the milliseconds since the epoch. Cheaper than `now`, which creates an object. */
  time(): number;
  /** Time that passes independently of the clock's setting. Without it, clock jumps aren't detected. */
  elapsed?: ElapsedTime;
}

/** The clock of a program that contains the server. */
export type TimeSource = Omit<Clock, 'time'>;

/** Returns the clock that reads a given one. */
export function clockFrom(source: TimeSource): Clock {
  const { elapsed } = source;
  return { now: () => source.now(), time: () => source.now().getTime(), ...(elapsed && { elapsed }) };
}

/** Monotonic time. */
interface ElapsedTime {
  /** Milliseconds; cheap to read. Doesn't advance while the machine is suspended. */
  quick(): number;
  /** Milliseconds since the machine booted, including suspended time, and the id of that boot. */
  sinceBoot(): { bootId: string; ms: number };
}

/** Returns the id of the current boot. Systems without boot ids get one per process. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `process ${process.pid} ${performance.timeOrigin}`;
  }
}

export const systemClock: Clock = {
  now: () => new Date(),
  time: () => Date.now(),
  elapsed: {
    quick: () => performance.now(),
    sinceBoot: () => ({ bootId: readBootId(), ms: Math.round(uptime() * 1000) }),
  },
};

/**
 * Returns a function that does some work if the clock was set back since its last call, and at its first call. The work makes
 * due what was scheduled while the clock was ahead. It's repeated at the next call if it throws or rejects.
 */
export function watchTurnBacks(): <Result>(now: number, work: () => Result) => Result | undefined {
  let lookedAt = Number.POSITIVE_INFINITY;
  return (now, work) => {
    const isBack = now < lookedAt;
    const result = isBack ? work() : undefined;
    lookedAt = now;
    if (result instanceof Promise) {
      result.catch(() => {
        lookedAt = Number.POSITIVE_INFINITY;
      });
    }
    return result;
  };
}

export interface MovableClock extends Clock {
  /** Moves time forward. Throws RangeError if no valid date before the year 10000 would follow, as `set` and `jump` do. */
  advance(milliseconds: number): void;
  /** Moves time to a date, forward or backward. */
  set(date: Date): void;
  /** Changes the clock's setting without passing any time. */
  jump(milliseconds: number): void;
}

/** Later times have more digits, in the API and in ids. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Returns a clock that starts at the given time (the system time by default) and changes only through `advance`, `set` and
 * `jump`.
 */
export function createMovableClock(start: Date = new Date()): MovableClock {
  let passed = 0;
  let wrongBy = 0;
  // A date has no fractions of a millisecond either.
  const time = () => Math.floor(start.getTime() + passed + wrongBy);
  const checked = (milliseconds: number): number => {
    const next = new Date(time() + milliseconds).getTime();
    if (Number.isNaN(next) || next > LAST_MOMENT)
      throw new RangeError('The time must be a valid date before the year 10000');
    return milliseconds;
  };
  return {
    now: () => new Date(time()),
    time,
    advance(milliseconds) {
      passed += checked(milliseconds);
    },
    set(date) {
      passed += checked(date.getTime() - time());
    },
    jump(milliseconds) {
      wrongBy += checked(milliseconds);
    },
    elapsed: {
      quick: () => passed,
      sinceBoot: () => ({ bootId: 'movable', ms: passed }),
    },
  };
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * Returns whether something was read within a time before now. The age of what was read in the future is unknown, because the clock
 * was ahead then.
 */
export function isRecent(readAt: number, now: number, maxAgeMs: number): boolean {
  return readAt <= now && now - readAt < maxAgeMs;
}

/** Returns the whole second at or before a time. Signed links expire with one, because they state their expiry in seconds. */
export function wholeSecond(milliseconds: number): number {
  return Math.floor(milliseconds / SECOND) * SECOND;
}

/**
 * Formats milliseconds since the epoch for the API, such as `2026-01-31T12:00:00.000Z`. Throws RangeError for an
 * invalid time.
 */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Same as `timestamp`, for an optional time. */
export function timestampOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}
