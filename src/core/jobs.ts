// The persistent job queue: rows with leases and retries, run by this process. A crash at any point repeats work instead of
// losing it, so handlers must be safe to run twice.
import { isBusy } from '../data/busy.ts';
import { SECOND, watchTurnBacks } from '../lib/clock.ts';
import type { App, Context, JobHandler, Jobs } from './context.ts';
import { claimJob, finishJob, listWaitingKinds, settleFailure } from './job-store.ts';
import { rescheduleStranded } from './stranded-jobs.ts';

const MAIN_LANE = 'main';
const POLL_MS = 5 * SECOND;

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
    return listWaitingKinds(current).filter((kind) => !others.has(kind));
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
        finishJob(current, row);
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
