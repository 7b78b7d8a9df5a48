// Fills what an upgrade left, while the server runs (data/background-fills.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { fillStep, listFills } from '../data/background-fills.ts';

/** Other work has at least as much time as a step. */
const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;

async function fill(ctx: Context, isStopped: () => boolean): Promise<void> {
  if (listFills(ctx.db.$client).length === 0) return;
  const startedAt = performance.now();
  ctx.log.info(
    { fills: listFills(ctx.db.$client) },
    'filling totals and sort keys of earlier versions in the background',
  );
  for (;;) {
    const beganAt = performance.now();
    if (!ctx.transact((tx) => fillStep(tx.db.$client), { bookkeeping: true })) break;
    await sleep(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, performance.now() - beganAt)));
    if (isStopped()) return;
  }
  ctx.log.info({ seconds: Math.round((performance.now() - startedAt) / 1000) }, 'everything is filled');
}

/** Fills in the background from the start of a server on. */
export const backgroundFillsOf = definePart<{ done: Promise<void>; isStopped: boolean }>({
  open: () => ({ done: Promise.resolve(), isStopped: false }),
  start(state, newContext) {
    const ctx = newContext();
    state.done = fill(ctx, () => state.isStopped).catch((error: unknown) =>
      ctx.log.error({ err: error }, 'filling in the background failed; the next start continues'),
    );
  },
  close(state) {
    state.isStopped = true;
    return state.done;
  },
});
