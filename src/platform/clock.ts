// The one source of time: everything that tells time asks a Clock, so that tests move it instead of sleeping.

export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export interface MovableClock extends Clock {
  advance(milliseconds: number): void;
  set(date: Date): void;
}

/** A clock that runs with the system's, shifted by what `advance` and `set` were given. */
export function createMovableClock(base: Clock = systemClock): MovableClock {
  let offset = 0;
  return {
    now: () => new Date(base.now().getTime() + offset),
    advance(milliseconds) {
      offset += milliseconds;
    },
    set(date) {
      offset = date.getTime() - base.now().getTime();
    },
  };
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Milliseconds since the epoch to the wire form `2026-01-31T12:00:00.000Z`. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The wire form of a moment that may be absent. */
export function timestampOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}
