// The rows of the job queue: what waits, what is due, and what failed too often.
import { eq } from 'drizzle-orm';
import { prepared } from '../data/database.ts';
import { jobs as jobsTable } from '../data/tables/tables.ts';
import { SECOND } from '../lib/clock.ts';
import type { App, Context, JobRequest, Tx } from './context.ts';

/** Maximum run time of a handler. After a crash, the job is retried when its lease has expired. */
const LEASE_MS = 60 * SECOND;
const FIRST_PAUSE_MS = 2 * SECOND;
/** The longest pause before a failed job is tried again. */
export const MAX_PAUSE_MS = 3_600 * SECOND;

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

export type JobRow = Pick<
  typeof jobsTable.$inferSelect,
  'id' | 'kind' | 'payload' | 'attempts' | 'maxAttempts' | 'runAt'
>;

/** The kinds of waiting jobs, each found by one step in the index, so that their number doesn't matter. */
export const WAITING_KINDS = `WITH RECURSIVE found (kind) AS (
    SELECT min(kind) FROM jobs WHERE state = 'waiting'
    UNION ALL SELECT (SELECT min(kind) FROM jobs WHERE state = 'waiting' AND kind > found.kind) FROM found
      WHERE kind IS NOT NULL),
  kinds AS (SELECT kind FROM found WHERE kind IS NOT NULL)`;

const selectWaitingKinds = prepared((db) =>
  db.$client.prepare<[], string>(`${WAITING_KINDS} SELECT kind FROM kinds`).pluck(),
);

/** Returns the kinds of the jobs that wait. */
export function listWaitingKinds(app: Pick<App, 'db'>): string[] {
  return selectWaitingKinds(app).all();
}

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

/**
 * Claims the next due job of some kinds under a lease, and clears its dedupe key so that later work is queued again. Returns undefined
 * if no job is due. The claim is one conditional update: a transaction that reads first fails with SQLITE_BUSY, regardless of
 * the busy timeout, if another process commits between its read and its write.
 */
export function claimJob(app: App, kinds: readonly string[]): JobRow | undefined {
  for (;;) {
    const now = app.clock.time();
    const row = findDueJob(app, kinds, now);
    if (row === undefined) return undefined;
    if (claim(app).run({ id: row.id, now, leasedUntil: now + LEASE_MS }).changes === 1) return row;
  }
}

const deleteJob = prepared((db) => db.$client.prepare<[string]>('DELETE FROM jobs WHERE id = ?'));

/** Removes a job that has succeeded. */
export function finishJob(app: Pick<App, 'db'>, { id }: JobRow): void {
  deleteJob(app).run(id);
}

/** Repeats a job that has failed after a pause, or keeps it as dead after its last attempt. */
export function settleFailure(app: App, row: JobRow, error: unknown): void {
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
