// Notices that the machine's clock jumped. One wrong reading must neither delete what isn't old, nor give ids from the future.
//
// The clock is compared with the time that has passed since its last reading, which is in the database. After a jump of over
// an hour, forward or back, nothing is deleted by age for a day of running time, and ids follow the time that has passed
// instead of the clock. When the clock still shows the same after that day, it is believed.
import type Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import { type Db, prepared } from '../data/database.ts';
import type { clockState } from '../data/tables/tables.ts';
import { type Clock, DAY, HOUR, MINUTE } from '../lib/clock.ts';

export interface ClockGuard {
  /** The time that ids follow, in milliseconds: the clock's, or while it isn't believed the time it should show. */
  now(): number;
  /** Reads the clock, and answers why nothing may be deleted by age; undefined when it may. */
  observe(): ClockHold | undefined;
  /** Reads the clock once a minute. */
  start(): void;
  stop(): void;
}

export interface ClockHold {
  /** What the clock should have shown, in milliseconds since the epoch. */
  jumpedFrom: number;
  /** What it showed. */
  jumpedTo: number;
  /** Running time in milliseconds until deletion by age resumes. */
  leftMs: number;
  /** The machine may simply have been off meanwhile. */
  mayBeOff: boolean;
}

type State = typeof clockState.$inferSelect;

/** A clock that is corrected by less is believed at once. */
const TOLERANCE_MS = HOUR;
const HOLD_MS = DAY;
/**
 * A machine that is off every night never runs for a day. A clock that is wrong as it starts is usually set right within the
 * hour, and one that is ahead by so little deletes nothing before the owners were told a week ahead.
 */
const SHORT_OFF_MS = 7 * DAY;
const SHORT_HOLD_MS = HOUR;
/** After a restart of the machine nothing says how long it was off. A longer time than this is taken for a wrong clock. */
const LONGEST_OFF_MS = 366 * DAY;

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

/** Why nothing is deleted by age, for the operator. */
export function describeHold({ jumpedFrom, jumpedTo, leftMs, mayBeOff }: ClockHold): string {
  const [from, to] = [jumpedFrom, jumpedTo].map((ms) => new Date(ms).toISOString());
  const hours = Math.max(1, Math.round(leftMs / HOUR));
  const rest = `nothing is deleted by age for another ${hours} h of running time. Set the clock right if it is wrong`;
  return mayBeOff
    ? `the machine was off from ${from} to ${to} by its clock; ${rest}`
    : `the clock jumped from ${from} to ${to}; ${rest}`;
}

/** What the last reading in a database holds back; reads only. */
export function readHold(client: Sqlite.Database): ClockHold | undefined {
  // A database that waits for its migration has no such table yet.
  if (client.prepare("SELECT 1 FROM sqlite_master WHERE name = 'clock_state'").get() === undefined) return undefined;
  return holdOf(client.prepare<[], State>(FIND_STATE).get());
}

function holdOf(state: State | undefined): ClockHold | undefined {
  if (state === undefined || state.holdMs <= 0 || state.jumpedFrom === null || state.jumpedTo === null)
    return undefined;
  const { holdMs: leftMs, jumpedFrom, jumpedTo, skewMs } = state;
  // A clock that is set right goes back, and one that is wrong is skewed.
  return { jumpedFrom, jumpedTo, leftMs, mayBeOff: skewMs === 0 && jumpedTo > jumpedFrom };
}

/** The guard of one server. A clock that doesn't say how much time passes is always believed. */
export function createClockGuard({ db, clock, log }: { db: Db; clock: Clock; log: Pick<Logger, 'warn'> }): ClockGuard {
  const { elapsed } = clock;
  if (elapsed === undefined) {
    return { now: () => clock.now().getTime(), observe: () => undefined, start() {}, stop() {} };
  }
  const time = elapsed;
  let timer: NodeJS.Timeout | undefined;
  const known = findState({ db }).get();
  let state = known ?? firstState();
  let hasReading = known !== undefined;
  /** What the clock is ahead of `quick` by, as of the last reading. */
  let lead = 0;
  observe();

  /** Of an installation that has no reading yet: its newest event says what the clock has shown. */
  function firstState(): State {
    const wall = newestEvent({ db }).get() ?? clock.now().getTime();
    return { id: 1, wall, bootId: '', sinceBootMs: 0, skewMs: 0, holdMs: 0, jumpedFrom: null, jumpedTo: null };
  }

  function observe(): ClockHold | undefined {
    const wall = clock.now().getTime();
    const { bootId, ms: sinceBootMs } = time.sinceBoot();
    const isSameBoot = bootId !== '' && bootId === state.bootId;
    const passed = isSameBoot ? Math.max(0, sinceBootMs - state.sinceBootMs) : 0;
    const change = wall - state.wall - passed;
    const isJump = isSameBoot ? Math.abs(change) > TOLERANCE_MS : change < -TOLERANCE_MS || change > LONGEST_OFF_MS;
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
      // Set right again.
      if (Math.abs(skewMs) <= TOLERANCE_MS) skewMs = 0;
      log.warn({ from: new Date(wall - change).toISOString(), to: new Date(wall).toISOString() }, 'clock jumped');
    }
    state = { id: 1, wall, bootId, sinceBootMs, skewMs, holdMs, jumpedFrom, jumpedTo };
    lead = wall - time.quick();
    try {
      writeState({ db }).run(state);
    } catch (error) {
      // The next reading is compared with this one all the same, unless the server restarts before.
      log.warn({ err: error }, 'clock reading not written');
    }
    return holdOf(state);
  }

  return {
    now() {
      const wall = clock.now().getTime();
      // Suspended time looks like a jump to the quick reading, so a look at the exact one decides.
      if (Math.abs(wall - time.quick() - lead) > TOLERANCE_MS) observe();
      return wall - state.skewMs;
    },
    observe,
    start() {
      timer = setInterval(observe, MINUTE).unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}
