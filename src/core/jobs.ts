// The persistent job queue: rows with leases and retries, run by this process. A crash at any point repeats work instead of
// losing it, so handlers must be safe to run twice.
import { eq } from 'drizzle-orm';
import { prepared } from '../data/database.ts';
import { jobs as jobsTable } from '../data/tables/tables.ts';
import { SECOND, watchTurnBacks } from '../lib/clock.ts';
import { startSteps } from '../lib/steps.ts';
import type { App, Context, JobHandler, JobRequest, Jobs, Tx } from './context.ts';

const MAIN_LANE = 'main';
/** Maximum run time of a handler. After a crash, the job is retried when its lease has expired. */
const LEASE_MS = 60 * SECOND;
const POLL_MS = 5 * SECOND;
const FIRST_PAUSE_MS = 2 * SECOND;
const MAX_PAUSE_MS = 3_600 * SECOND;

/** Raw SQL, because a step of background work queues the same job for each of its rows. */
const insertJob = prepared((db) =>
  db.$client.prepare<
    [
      {
        id: string;
        kind: string;
        payload: string;
        dedupeKey: string | null;
        runAt: number;
        maxAttempts: number;
        now: number;
      },
    ]
  >(
    `INSERT INTO jobs (id, kind, payload, dedupe_key, run_at, max_attempts, state, created_at)
      VALUES (@id, @kind, @payload, @dedupeKey, @runAt, @maxAttempts, 'waiting', @now)
      ON CONFLICT (dedupe_key) DO NOTHING`,
  ),
);

/** Adds a job to the queue. Only called through `tx.enqueue`. */
export function enqueueJob(tx: Tx, job: JobRequest): void {
  insertJob(tx).run({
    id: tx.ids.next(),
    kind: job.kind,
    payload: JSON.stringify(job.payload ?? {}),
    dedupeKey: job.dedupeKey ?? null,
    runAt: tx.now + (job.delayMs ?? 0),
    maxAttempts: job.maxAttempts ?? 10,
    now: tx.now,
  });
}

// The states select the index by kind.
const OF_ORGANIZATION = "state IN ('waiting', 'dead') AND kind = +? AND payload ->> 'organization_id' = +?";

const deleteJobsOf = prepared((db) =>
  db.$client.prepare<[string, string]>(`DELETE FROM jobs WHERE ${OF_ORGANIZATION}`),
);

/** Removes the jobs of a kind for an organization. One that is running isn't stopped, but not repeated either. */
export function cancelJobs(tx: Tx, kind: string, organizationId: string): void {
  deleteJobsOf(tx).run(kind, organizationId);
}

const findJobOf = prepared((db) =>
  db.$client.prepare<[string, string], 1>(`SELECT 1 FROM jobs WHERE ${OF_ORGANIZATION} LIMIT 1`).pluck(),
);

/** Whether there is a job of a kind for an organization: waiting, running, or failed too often. */
export function hasJob(app: Pick<App, 'db'>, kind: string, organizationId: string): boolean {
  return findJobOf(app).get(kind, organizationId) === 1;
}

const deleteDead = prepared((db) =>
  db.$client.prepare<[{ before: number; kept: string; max: number }]>(
    `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs
      WHERE state = 'dead' AND run_at <= @before AND kind NOT IN (SELECT value FROM json_each(@kept)) LIMIT @max)`,
  ),
);

/**
 * Deletes up to `max` jobs whose last attempt failed before a moment, except those of the kinds in `kept`. Returns the number
 * deleted. A failed job is never run again, so it would be reported forever.
 */
export function deleteDeadJobs(
  ctx: Context,
  { before, kept, max }: { before: number; kept: readonly string[]; max: number },
): number {
  return ctx.transact((tx) => deleteDead(tx).run({ before, kept: JSON.stringify(kept), max }).changes, {
    bookkeeping: true,
  });
}

type JobRow = Pick<typeof jobsTable.$inferSelect, 'id' | 'kind' | 'payload' | 'attempts' | 'maxAttempts' | 'runAt'>;

/** The kinds of waiting jobs, each found by one step in the index, so that their number doesn't matter. */
export const WAITING_KINDS = `WITH RECURSIVE found (kind) AS (
    SELECT min(kind) FROM jobs WHERE state = 'waiting'
    UNION ALL SELECT (SELECT min(kind) FROM jobs WHERE state = 'waiting' AND kind > found.kind) FROM found
      WHERE kind IS NOT NULL),
  kinds AS (SELECT kind FROM found WHERE kind IS NOT NULL)`;

const waitingKinds = prepared((db) =>
  db.$client.prepare<[], string>(`${WAITING_KINDS} SELECT kind FROM kinds`).pluck(),
);

/** A lease that ends later than any new one is from a clock that was ahead. */
const IS_DUE = `state = 'waiting' AND run_at <= +@now
  AND (leased_until IS NULL OR leased_until <= +@now OR leased_until > +@now + ${LEASE_MS})`;

// Runs for every kind after each transaction that queues a job.
const dueJob = prepared((db) =>
  db.$client.prepare<[{ kind: string; now: number }], JobRow>(
    `SELECT id, kind, payload, attempts, max_attempts AS maxAttempts, run_at AS runAt FROM jobs
      WHERE ${IS_DUE} AND kind = +@kind ORDER BY run_at, rowid LIMIT 1`,
  ),
);

/** Returns the job of some kinds that has been due for the longest time. What other kinds have due isn't read. */
function findDueJob(app: App, kinds: readonly string[], now: number): JobRow | undefined {
  let first: JobRow | undefined;
  for (const kind of kinds) {
    const row = dueJob(app).get({ kind, now });
    if (row !== undefined && (first === undefined || isEarlier(row, first))) first = row;
  }
  return first;
}

function isEarlier(one: JobRow, other: JobRow): boolean {
  return one.runAt < other.runAt || (one.runAt === other.runAt && one.id < other.id);
}

const claim = prepared((db) =>
  db.$client.prepare<[{ id: string; now: number; leasedUntil: number }]>(
    `UPDATE jobs SET leased_until = @leasedUntil, attempts = attempts + 1, dedupe_key = NULL WHERE id = +@id AND ${IS_DUE}`,
  ),
);

const deleteJob = prepared((db) => db.$client.prepare<[string]>('DELETE FROM jobs WHERE id = ?'));

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

/** Makes due what a clock that was ahead has postponed. Jobs that were created in the future and never ran keep their delay. */
async function rescheduleStranded(app: App, signal: AbortSignal): Promise<void> {
  const nextStep = startSteps();
  const now = app.clock.time();
  const isStranded = ({ runAt, createdAt, attempts }: WaitingJob) =>
    createdAt > now || (attempts > 0 && runAt > now + MAX_PAUSE_MS);
  for (const kind of waitingKinds(app).all()) {
    let last = { runAt: now, row: Number.MAX_SAFE_INTEGER };
    for (;;) {
      const found = notDue(app).all({ kind, ...last, max: RESCHEDULED_PER_STEP });
      const stranded = found.filter(isStranded);
      if (stranded.length > 0) {
        const write = app.db.$client.transaction(() => {
          for (const { row, runAt, createdAt, attempts } of stranded)
            reschedule(app).run({ row, runAt: attempts === 0 ? now + runAt - createdAt : now, now });
        });
        write.immediate();
      }
      const end = found.at(-1);
      if (end === undefined || found.length < RESCHEDULED_PER_STEP) break;
      last = { runAt: end.runAt, row: end.row };
      await nextStep();
      if (signal.aborted) return;
    }
  }
}

/** Whether another process, such as an operator command, holds the write lock for longer than the busy timeout. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/**
 * Claims the next due job of some kinds under a lease, and clears its dedupe key so that later work is queued again. Returns undefined
 * if no job is due. The claim is one conditional update: a transaction that reads first fails with SQLITE_BUSY, regardless of
 * the busy timeout, if another process commits between its read and its write.
 */
function claimJob(app: App, kinds: readonly string[]): JobRow | undefined {
  for (;;) {
    const now = app.clock.time();
    const row = findDueJob(app, kinds, now);
    if (row === undefined) return undefined;
    if (claim(app).run({ id: row.id, now, leasedUntil: now + LEASE_MS }).changes === 1) return row;
  }
}

function settleFailure(app: App, row: JobRow, error: unknown): void {
  const attempts = row.attempts + 1;
  const isDead = attempts >= row.maxAttempts;
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts);
  app.log.warn({ job: row.kind, attempts, isDead, err: error }, 'job failed');
  app.db
    .update(jobsTable)
    .set({
      leasedUntil: null,
      runAt: app.clock.time() + pause,
      state: isDead ? 'dead' : 'waiting',
      lastError: (error instanceof Error ? error.message : String(error)).slice(0, 500),
    })
    .where(eq(jobsTable.id, row.id))
    .run();
}

/** Creates the job runner of one server. Each lane runs one job at a time, in order of their due times. */
export function createJobs(): Jobs {
  const handlers = new Map<string, JobHandler>();
  /** Job kinds of each lane except the main lane, which runs all other kinds. */
  const lanes = new Map<string, string[]>();
  let app: App | undefined;
  let contextForJob: (() => Context) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const onTurnBack = watchTurnBacks();

  /** Returns the kinds of a lane. The main lane also has unknown ones, whose jobs fail. */
  function kindsOf(current: App, lane: string): readonly string[] {
    const kinds = lanes.get(lane);
    if (kinds !== undefined) return kinds;
    const others = new Set([...lanes.values()].flat());
    return waitingKinds(current)
      .all()
      .filter((kind) => !others.has(kind));
  }

  async function runDueJobs(current: App, newContext: () => Context, lane: string): Promise<void> {
    for (;;) {
      const row = claimJob(current, kindsOf(current, lane));
      if (row === undefined) return;
      const handler = handlers.get(row.kind);
      try {
        if (handler === undefined) throw new Error(`No handler for jobs of kind ${row.kind}`);
        // Jobs send emails and ask other services: what they're for has to survive.
        await current.db.durability.settle();
        const work = async () => handler(newContext(), JSON.parse(row.payload), stopping.signal);
        await (current.tracing?.run({ name: `job ${row.kind}` }, work) ?? work());
        deleteJob(current).run(row.id);
      } catch (error) {
        // A busy database isn't the job's failure. The job runs again when its lease has expired.
        if (isBusy(error)) throw error;
        settleFailure(current, row, error);
      }
      if (stopping.signal.aborted) return;
    }
  }

  function runLane(current: App, newContext: () => Context, lane: string): Promise<void> {
    const begun = running.get(lane);
    if (begun !== undefined) return begun;
    const run = runDueJobs(current, newContext, lane).finally(() => running.delete(lane));
    running.set(lane, run);
    return run;
  }

  async function runOnce(): Promise<void> {
    const current = app;
    const newContext = contextForJob;
    if (current === undefined || newContext === undefined || stopping.signal.aborted) return;
    await onTurnBack(current.clock.time(), () => rescheduleStranded(current, stopping.signal));
    if (stopping.signal.aborted) return;
    await Promise.all([MAIN_LANE, ...lanes.keys()].map((lane) => runLane(current, newContext, lane)));
  }

  function logFailure(error: unknown): void {
    // The next poll tries again.
    if (isBusy(error)) app?.log.debug({ err: error }, 'job run postponed: database busy');
    else app?.log.error({ err: error }, 'job runner failed');
  }

  return {
    register(kind, handler, lane = MAIN_LANE) {
      handlers.set(kind, handler);
      if (lane !== MAIN_LANE) lanes.set(lane, [...(lanes.get(lane) ?? []), kind]);
    },
    wake() {
      if (app === undefined || stopping.signal.aborted) return;
      const run = () => void setImmediate(() => runOnce().catch(logFailure));
      // The jobs of others don't belong to the request that wakes them.
      if (app.tracing === undefined) run();
      else app.tracing.detach(run);
    },
    async drain() {
      await runOnce();
      await runOnce();
    },
    start(current, newContext) {
      app = current;
      contextForJob = newContext;
      timer = setInterval(() => runOnce().catch(logFailure), POLL_MS).unref();
    },
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await Promise.all(running.values()).catch(logFailure);
    },
  };
}
