// Jobs that a clock that was ahead has postponed.
import { prepared } from '../data/database.ts';
import { startSteps } from '../lib/steps.ts';
import type { App } from './context.ts';
import { listWaitingKinds, MAX_PAUSE_MS } from './job-store.ts';

/** Jobs that aren't due, in the order of the index: after the last one of the step before. */
const notDue = prepared((db) =>
  db.$client.prepare<[{ kind: string; runAt: number; row: number; max: number }], WaitingJob>(
    `SELECT rowid AS row, run_at AS runAt, created_at AS createdAt, attempts FROM jobs
      WHERE state = 'waiting' AND kind = @kind AND (run_at, rowid) > (@runAt, @row) ORDER BY run_at, rowid LIMIT @max`,
  ),
);

const reschedule = prepared((db) =>
  db.$client.prepare<[{ row: number; runAt: number; now: number }]>(
    'UPDATE jobs SET run_at = @runAt, created_at = min(created_at, @now) WHERE rowid = @row',
  ),
);

interface WaitingJob {
  row: number;
  runAt: number;
  createdAt: number;
  attempts: number;
}

/** In steps, because emails that are retried can be many. */
const RESCHEDULED_PER_STEP = 500;

/** Makes due what a clock that was ahead has postponed. */
export async function rescheduleStranded(app: App, signal: AbortSignal): Promise<void> {
  const nextStep = startSteps();
  const now = app.clock.time();
  const isStranded = ({ runAt, createdAt, attempts }: WaitingJob) =>
    createdAt > now || (attempts > 0 && runAt > now + MAX_PAUSE_MS);
  for (const kind of listWaitingKinds(app)) {
    let last = { runAt: now, row: Number.MAX_SAFE_INTEGER };
    for (;;) {
      const found = notDue(app).all({ kind, ...last, max: RESCHEDULED_PER_STEP });
      makeDue(app, found.filter(isStranded), now);
      const end = found.at(-1);
      if (end === undefined || found.length < RESCHEDULED_PER_STEP) break;
      last = { runAt: end.runAt, row: end.row };
      await nextStep();
      if (signal.aborted) return;
    }
  }
}

/** Jobs that never ran keep their delay from when they were created. */
function makeDue(app: App, jobs: readonly WaitingJob[], now: number): void {
  if (jobs.length === 0) return;
  const write = app.db.$client.transaction(() => {
    for (const { row, runAt, createdAt, attempts } of jobs)
      reschedule(app).run({ row, runAt: attempts === 0 ? now + runAt - createdAt : now, now });
  });
  write.immediate();
}
