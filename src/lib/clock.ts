// The one source of time: everything that tells time asks a Clock, so that tests move it instead of sleeping.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

export interface Clock {
  now(): Date;
  /** How much time passes, whatever the clock is set to. Without it nobody notices that the clock jumped. */
  elapsed?: ElapsedTime;
}

/** Time that only runs forward. */
interface ElapsedTime {
  /** Milliseconds, cheap to read; stands still while the machine is suspended. */
  quick(): number;
  /** Milliseconds since the machine started, suspended time included, and which start that was. */
  sinceBoot(): { bootId: string; ms: number };
}

/** Where the system doesn't name its starts, each process is taken for one of its own. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `process ${process.pid} ${performance.timeOrigin}`;
  }
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: {
    quick: () => performance.now(),
    sinceBoot: () => ({ bootId: readBootId(), ms: Math.round(uptime() * 1000) }),
  },
};

export interface MovableClock extends Clock {
  /** Lets time pass. */
  advance(milliseconds: number): void;
  /** Lets time pass until a moment, or go back to it. */
  set(date: Date): void;
  /** Sets the clock wrong, or right again: no time passes. */
  jump(milliseconds: number): void;
}

/**
 * Returns a clock that starts at the given time (the system's by default) and stands still until `advance`, `set` or `jump`
 * moves it.
 */
export function createMovableClock(start: Date = new Date()): MovableClock {
  let passed = 0;
  let wrongBy = 0;
  const now = () => start.getTime() + passed + wrongBy;
  return {
    now: () => new Date(now()),
    advance(milliseconds) {
      passed += milliseconds;
    },
    set(date) {
      passed += date.getTime() - now();
    },
    jump(milliseconds) {
      wrongBy += milliseconds;
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

/** Milliseconds since the epoch in the wire form, `2026-01-31T12:00:00.000Z`. Throws RangeError for a number that is no time. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The wire form of a time that may be absent. */
export function timestampOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}
