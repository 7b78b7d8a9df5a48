// Detects jumps of the machine's clock. A wrong reading must not delete recent data or create ids in the future.
//
// The clock is compared with the time elapsed since its last reading, which is stored in the database. After a jump of more
// than an hour in either direction, age-based deletion pauses for a day of running time, and ids follow the elapsed time
// instead of the clock. If the clock is unchanged after that day, it's trusted again.
import type Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import { type Db, prepared } from '../data/database.ts';
import { hasTable } from '../data/has-table.ts';
import type { clockState } from '../data/tables/tables.ts';
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts';

export interface ClockGuard {
  /** The time for ids, in milliseconds: the clock's, or the expected time while the clock isn't trusted. */
  now(): number;
  /** Reads the clock. Returns why age-based deletion is paused, or undefined if it isn't. */
  observe(): ClockHold | undefined;
  /** Starts reading the clock: after a second, then once a minute. */
  start(): void;
  stop(): void;
}

export interface ClockHold {
  /** The expected time, in milliseconds since the epoch. */
  jumpedFrom: number;
  /** The time that the clock showed. */
  jumpedTo: number;
  /** Running time in milliseconds until age-based deletion resumes. */
  leftMs: number;
  /** Whether the machine may have been off during the gap. */
  mayBeOff: boolean;
}

type State = typeof clockState.$inferSelect;

/** Smaller corrections of the clock are accepted immediately. */
const TOLERANCE_MS = HOUR;
const HOLD_MS = DAY;
/**
 * Gaps up to this length pause deletion for an hour only, because a machine that is off every night never runs for a day. A
 * clock that is wrong at start is usually corrected within an hour, and a clock that is a week ahead deletes nothing, because
 * owners are notified a week before deletion.
 */
const SHORT_OFF_MS = 7 * DAY;
export const SHORT_HOLD_MS = HOUR;
/** The duration of a shutdown is unknown after a reboot. Longer gaps count as a wrong clock. */
const MAX_OFF_MS = 366 * DAY;

const FIND_STATE = `SELECT id, wall, boot_id AS bootId, since_boot_ms AS sinceBootMs, skew_ms AS skewMs, hold_ms AS holdMs,
    jumped_from AS jumpedFrom, jumped_to AS jumpedTo FROM clock_state`;
const findState = prepared((db) => db.$client.prepare<[], State>(FIND_STATE));

const writeState = prepared((db) =>
  db.$client.prepare<[State]>(
    `INSERT OR REPLACE INTO clock_state (id, wall, boot_id, since_boot_ms, skew_ms, hold_ms, jumped_from, jumped_to)
      VALUES (1, @wall, @bootId, @sinceBootMs, @skewMs, @holdMs, @jumpedFrom, @jumpedTo)`,
  ),
);

const newestEvent = prepared((db) =>
  db.$client.prepare<[], number>('SELECT timestamp FROM audit_events ORDER BY id DESC LIMIT 1').pluck(),
);

/** Describes a pause of age-based deletion for the operator. */
export function describeHold({ jumpedFrom, jumpedTo, leftMs, mayBeOff }: ClockHold): string {
  const [from, to] = [jumpedFrom, jumpedTo].map((ms) => new Date(ms).toISOString());
  const hours = Math.max(1, Math.round(leftMs / HOUR));
  const rest = `nothing is deleted by age for another ${hours} h of running time. If the clock is wrong, correct it`;
  return mayBeOff
    ? `the machine was off from ${from} to ${to} by its clock; ${rest}`
    : `the clock jumped from ${from} to ${to}; ${rest}`;
}

/** Returns the pause stored in a database, without writing to it. */
export function readHold(client: Sqlite.Database): ClockHold | undefined {
  // A database that hasn't been migrated may lack the table.
  if (!hasTable(client, 'clock_state')) return undefined;
  return holdOf(client.prepare<[], State>(FIND_STATE).get());
}

function holdOf(state: State | undefined): ClockHold | undefined {
  if (state === undefined || state.holdMs <= 0 || state.jumpedFrom === null || state.jumpedTo === null)
    return undefined;
  const { holdMs: leftMs, jumpedFrom, jumpedTo, skewMs } = state;
  // A gap with the machine off leaves no skew and moves the clock forward.
  return { jumpedFrom, jumpedTo, leftMs, mayBeOff: skewMs === 0 && jumpedTo > jumpedFrom };
}

/** Creates the guard of one server. A clock without elapsed time is always trusted. */
export function createClockGuard({ db, clock, log }: { db: Db; clock: Clock; log: Pick<Logger, 'warn'> }): ClockGuard {
  const { elapsed } = clock;
  if (elapsed === undefined) {
    return { now: () => clock.time(), observe: () => undefined, start() {}, stop() {} };
  }
  const time = elapsed;
  let timer: NodeJS.Timeout | undefined;
  let first: NodeJS.Timeout | undefined;
  const known = findState({ db }).get();
  let state = known ?? firstState();
  let hasReading = known !== undefined;
  /** Difference between the clock and `quick` at the last reading. */
  let lead = 0;
  let isStored = false;
  read();

  /** Returns the initial state for a database without a reading. Its newest event shows a past clock reading. */
  function firstState(): State {
    const wall = newestEvent({ db }).get() ?? clock.time();
    return { id: 1, wall, bootId: '', sinceBootMs: 0, skewMs: 0, holdMs: 0, jumpedFrom: null, jumpedTo: null };
  }

  /** Compares the clock with the last reading, and keeps the new one in memory. */
  function read(): void {
    const wall = clock.time();
    const { bootId, ms: sinceBootMs } = time.sinceBoot();
    const isSameBoot = bootId !== '' && bootId === state.bootId;
    const passed = isSameBoot ? Math.max(0, sinceBootMs - state.sinceBootMs) : 0;
    const change = wall - state.wall - passed;
    const isJump = isSameBoot ? Math.abs(change) > TOLERANCE_MS : change < -TOLERANCE_MS || change > MAX_OFF_MS;
    const mayBeJump = isJump || (hasReading && change > TOLERANCE_MS);
    hasReading = true;
    let { skewMs, holdMs, jumpedFrom, jumpedTo } = state;
    holdMs = Math.max(0, holdMs - passed);
    if (holdMs === 0) skewMs = 0;
    const wanted = isJump || change > SHORT_OFF_MS ? HOLD_MS : SHORT_HOLD_MS;
    if (mayBeJump && wanted >= holdMs) {
      holdMs = wanted;
      [jumpedFrom, jumpedTo] = [state.wall + passed, wall];
    }
    if (isJump) {
      skewMs += change;
      // The clock was corrected.
      if (Math.abs(skewMs) <= TOLERANCE_MS) skewMs = 0;
      log.warn({ from: new Date(wall - change).toISOString(), to: new Date(wall).toISOString() }, 'clock jumped');
    }
    state = { id: 1, wall, bootId, sinceBootMs, skewMs, holdMs, jumpedFrom, jumpedTo };
    lead = wall - time.quick();
  }

  function observe(): ClockHold | undefined {
    read();
    isStored = true;
    try {
      writeState({ db }).run(state);
    } catch (error) {
      // The reading is still compared with the next one, unless the server restarts before.
      log.warn({ err: error }, 'clock reading not written');
    }
    return holdOf(state);
  }

  return {
    now() {
      const wall = clock.time();
      // Suspended time looks like a jump to the quick reading, so the exact reading decides.
      if (Math.abs(wall - time.quick() - lead) > TOLERANCE_MS) observe();
      return wall - state.skewMs;
    },
    observe,
    start() {
      // The server's first write flushes the new log and its folder, and the first requests would wait for it.
      first = setTimeout(() => isStored || observe(), SECOND).unref();
      timer = setInterval(observe, MINUTE).unref();
    },
    stop() {
      clearTimeout(first);
      clearInterval(timer);
    },
  };
}
