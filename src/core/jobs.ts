// The persistent job queue: rows with leases and retries. A crash at any point repeats work instead of losing it, so handlers
// must be idempotent.
import { and, asc, eq, inArray, isNull, lte, notInArray, or, type SQL } from 'drizzle-orm';
import { jobs as jobsTable } from '../data/tables/tables.ts';
import { SECOND } from '../lib/clock.ts';
import type { App, Context, JobHandler, JobRequest, Jobs, Tx } from './context.ts';

const MAIN_LANE = 'main';
/** Maximum run time of a handler. After a crash, the job is retried when its lease has expired. */
const LEASE_MS = 60 * SECOND;
const POLL_MS = 5 * SECOND;
const FIRST_PAUSE_MS = 2 * SECOND;
const LONGEST_PAUSE_MS = 3_600 * SECOND;

/** Adds a job to the queue. Only called through `tx.enqueue`. */
export function enqueueJob(tx: Tx, job: JobRequest): void {
  tx.db
    .insert(jobsTable)
    .values({
      id: tx.ids.next(),
      kind: job.kind,
      payload: JSON.stringify(job.payload ?? {}),
      dedupeKey: job.dedupeKey ?? null,
      runAt: tx.now + (job.delayMs ?? 0),
      maxAttempts: job.maxAttempts ?? 10,
      state: 'waiting',
      createdAt: tx.now,
    })
    .onConflictDoNothing({ target: jobsTable.dedupeKey })
    .run();
}

type JobRow = typeof jobsTable.$inferSelect;

/** Whether another process, such as an operator command, holds the write lock for longer than the busy timeout. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/**
 * Claims a lane's next due job under a lease, and clears its dedupe key so that later work is queued again. Returns undefined
 * if no job is due. The claim is one conditional update: a transaction that reads first fails with SQLITE_BUSY, regardless of
 * the busy timeout, if another process commits between its read and its write.
 */
function claimJob(app: App, isInLane: SQL | undefined): JobRow | undefined {
  for (;;) {
    const now = app.clock.now().getTime();
    const isDue = and(
      eq(jobsTable.state, 'waiting'),
      lte(jobsTable.runAt, now),
      or(isNull(jobsTable.leasedUntil), lte(jobsTable.leasedUntil, now)),
    );
    const row = app.db
      .select()
      .from(jobsTable)
      .where(and(isInLane, isDue))
      .orderBy(asc(jobsTable.runAt), asc(jobsTable.id))
      .limit(1)
      .get();
    if (row === undefined) return undefined;
    const { changes } = app.db
      .update(jobsTable)
      .set({ leasedUntil: now + LEASE_MS, attempts: row.attempts + 1, dedupeKey: null })
      .where(and(eq(jobsTable.id, row.id), isDue))
      .run();
    if (changes === 1) return row;
  }
}

function settleFailure(app: App, row: JobRow, error: unknown): void {
  const attempts = row.attempts + 1;
  const isDead = attempts >= row.maxAttempts;
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts);
  app.log.warn({ job: row.kind, attempts, isDead, err: error }, 'job failed');
  app.db
    .update(jobsTable)
    .set({
      leasedUntil: null,
      runAt: app.clock.now().getTime() + pause,
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

  function kindsOf(lane: string): SQL | undefined {
    const kinds = lanes.get(lane);
    if (kinds !== undefined) return inArray(jobsTable.kind, kinds);
    return lanes.size === 0 ? undefined : notInArray(jobsTable.kind, [...lanes.values()].flat());
  }

  async function runDueJobs(current: App, newContext: () => Context, lane: string): Promise<void> {
    const isInLane = kindsOf(lane);
    for (let row = claimJob(current, isInLane); row !== undefined; row = claimJob(current, isInLane)) {
      const handler = handlers.get(row.kind);
      try {
        if (handler === undefined) throw new Error(`No handler for jobs of kind ${row.kind}`);
        await handler(newContext(), JSON.parse(row.payload), stopping.signal);
        current.db.delete(jobsTable).where(eq(jobsTable.id, row.id)).run();
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
      if (app !== undefined && !stopping.signal.aborted) setImmediate(() => runOnce().catch(logFailure));
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
