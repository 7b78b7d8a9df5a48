// Sweeps: bounded, idempotent cleanup jobs, run by schedule or by command. Their last run is stored for the operator.
import { Cron } from 'croner';
import { sweepRuns } from '../data/tables/tables.ts';
import { MINUTE, SECOND } from '../lib/clock.ts';
import { type ClockHold, describeHold, SHORT_HOLD_MS } from '../runtime/clock-guard.ts';
import type { App, Sweep } from './context.ts';
import { systemContext } from './transact.ts';

/** Schedules are in minutes. */
const LOOK_EVERY_MS = 5 * SECOND;
/**
 * A sweep that was due while the server was stopped runs this long after the start. A machine that is off every night would otherwise
 * never run the daily ones. By then, age-based deletion is no longer paused because the machine was off.
 */
const CATCH_UP_MS = SHORT_HOLD_MS + 10 * MINUTE;

/**
 * Runs one sweep and stores its result. An error is stored too, and thrown. After a clock jump, a sweep that deletes by age is
 * skipped, and that is stored.
 */
export async function runSweep(app: App, sweep: Sweep): Promise<number> {
  const startedAt = app.clock.time();
  const begin = performance.now();
  let removed = 0;
  let failure: unknown;
  const hold = sweep.deletesByAge === true ? app.clockGuard.observe() : undefined;
  try {
    const work = async () => sweep.run(systemContext(app));
    if (hold === undefined) removed = await (app.tracing?.run({ name: `sweep ${sweep.name}` }, work) ?? work());
  } catch (error) {
    failure = error;
  }
  // The server may have stopped during a long sweep.
  if (!app.db.$client.open) return removed;
  const row = {
    startedAt,
    durationMs: Math.round(performance.now() - begin),
    removed,
    error: describeOutcome(failure, hold),
  };
  app.db
    .insert(sweepRuns)
    .values({ name: sweep.name, ...row })
    .onConflictDoUpdate({ target: sweepRuns.name, set: row })
    .run();
  if (failure !== undefined) throw failure;
  return removed;
}

function describeOutcome(failure: unknown, hold: ClockHold | undefined): string | null {
  if (hold !== undefined) return `not run: ${describeHold(hold)}`;
  return failure === undefined ? null : String(failure).slice(0, 500);
}

/** Starts the schedules and returns a function that stops them. A sweep that is still running isn't started again. */
export function scheduleSweeps(app: App, sweeps: readonly Sweep[]): () => void {
  const running = new Set<Sweep>();
  const run = async (sweep: Sweep) => {
    running.add(sweep);
    try {
      const removed = await runSweep(app, sweep);
      if (removed > 0) app.log.info({ sweep: sweep.name, removed }, 'sweep');
    } catch (error) {
      app.log.error({ sweep: sweep.name, err: error }, 'sweep failed');
    } finally {
      running.delete(sweep);
    }
  };
  const startedAt = Date.now();
  let lookedAt = startedAt;
  // Computed at the first look, because it takes a few milliseconds that a start would wait for.
  let dueAt: (number | null)[] | undefined;
  const look = () => {
    const now = Date.now();
    const wasTurnedBack = now < lookedAt;
    lookedAt = now;
    const known = dueAt ?? findFirstRuns(app, sweeps, startedAt);
    dueAt = sweeps.map((sweep, index) => {
      const due = known[index] ?? null;
      const isDue = due !== null && due <= now;
      if (isDue && !running.has(sweep)) void run(sweep);
      return isDue || wasTurnedBack ? findNextRun(sweep, new Date(now)) : due;
    });
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Returns when each sweep runs first after a start, in milliseconds; null for never. */
function findFirstRuns(app: Pick<App, 'db'>, sweeps: readonly Sweep[], startedAt: number): (number | null)[] {
  const runs = readLastRuns(app);
  return sweeps.map((sweep) => {
    const next = findNextRun(sweep, new Date(startedAt));
    if (next === null || next <= startedAt + CATCH_UP_MS) return next;
    const last = runs.get(sweep.name)?.startedAt;
    const missed = last === undefined ? startedAt : findNextRun(sweep, new Date(last));
    return missed !== null && missed <= startedAt ? startedAt + CATCH_UP_MS : next;
  });
}

/** Returns the time of the next run, in milliseconds; null for none. */
function findNextRun({ schedule }: Pick<Sweep, 'schedule'>, after: Date): number | null {
  // Not kept, because each holds 80 KB.
  return new Cron(schedule, { utcOffset: 0, paused: true }).nextRun(after)?.getTime() ?? null;
}

/** A sweep with its last run. */
export interface SweepState {
  name: Sweep['name'];
  schedule: string;
  /** Next scheduled run, in milliseconds; null for none. */
  nextRunAt: number | null;
  lastRun: { startedAt: number; durationMs: number; removed: number; error: string | null } | null;
}

/** Returns every sweep with its last run. */
export function describeSweeps(app: Pick<App, 'db' | 'clock'>, sweeps: readonly Sweep[]): SweepState[] {
  const runs = readLastRuns(app);
  return sweeps.map(({ name, schedule }) => ({
    name,
    schedule,
    nextRunAt: findNextRun({ schedule }, app.clock.now()),
    lastRun: runs.get(name) ?? null,
  }));
}

function readLastRuns(app: Pick<App, 'db'>) {
  const rows = app.db.select().from(sweepRuns).all();
  return new Map(rows.map(({ name, ...run }) => [name, run]));
}
