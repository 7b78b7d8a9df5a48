// Fills what an upgrade left, while the server runs (data/background-fills.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { createFiller, type Filler, LONG_LOG_PAGES, listFills, type StepSize } from '../data/background-fills.ts';
import { isBusy } from '../data/busy.ts';
import { countLog } from '../data/log-size.ts';
import { MINUTE, SECOND } from '../lib/clock.ts';

/** Other work has at least as much time as a step. */
const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;
/** After an error, such as a full disk. */
const ERROR_PAUSE_MS = 10 * MINUTE;
const LONG_LOG = { pages: LONG_LOG_PAGES, pauseMs: SECOND };

export interface BackgroundFills {
  done: Promise<void>;
  stopping: AbortController;
}

/** Fills everything, and pauses while the log is long. */
export async function runFills(
  ctx: Context,
  signal: AbortSignal,
  longLog = LONG_LOG,
  size?: Partial<StepSize>,
): Promise<void> {
  const fills = listFills(ctx.db.$client);
  if (fills.length === 0) return;
  const startedAt = performance.now();
  ctx.log.info({ fills }, 'filling totals and sort keys of earlier versions in the background');
  const filler = createFiller(ctx.db.$client, size);
  try {
    for (let pause: number | undefined = 0; pause !== undefined; pause = attemptStep(ctx, filler)) {
      await sleep(pause, undefined, { signal });
      while (isLogLong(ctx, longLog.pages)) {
        // Its own snapshot would keep the log from being started over. What it counted in it is counted again.
        filler.close();
        await sleep(longLog.pauseMs, undefined, { signal });
      }
    }
  } finally {
    filler.close();
  }
  ctx.log.info({ seconds: Math.round((performance.now() - startedAt) / 1000) }, 'everything is filled');
}

/** Whether the log has so many pages, and can't be started over with the next write. */
function isLogLong(ctx: Context, tooMany: number): boolean {
  const { pages, checkpointed } = countLog(ctx.db.$client);
  return pages >= tooMany && checkpointed < pages;
}

/** Runs a step, and returns the pause before the next one, or undefined if everything is filled. */
function attemptStep(ctx: Context, filler: Filler): number | undefined {
  const beganAt = performance.now();
  try {
    if (!ctx.transact(() => filler.step(), { bookkeeping: true })) return undefined;
    return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, performance.now() - beganAt));
  } catch (error) {
    if (isBusy(error)) return MAX_PAUSE_MS;
    filler.close();
    ctx.log.error({ err: error }, 'filling in the background failed; it continues in ten minutes');
    return ERROR_PAUSE_MS;
  }
}

/** Fills in the background from the start of a server on. */
export const backgroundFillsOf = definePart<BackgroundFills>({
  open: () => ({ done: Promise.resolve(), stopping: new AbortController() }),
  start(state, newContext) {
    const ctx = newContext();
    const { signal } = state.stopping;
    state.done = runFills(ctx, signal).catch((error: unknown) => {
      if (!signal.aborted) ctx.log.error({ err: error }, 'filling in the background failed; the next start continues');
    });
  },
  close(state) {
    state.stopping.abort();
    return state.done;
  },
});
