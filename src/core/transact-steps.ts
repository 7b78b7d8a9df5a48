// Long work in short transactions, so that requests and other writers run in between.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createStepRows, type StepRows } from '../lib/step-rows.ts';
import type { Context, Tx } from './context.ts';

const ROWS = { min: 25, max: 1_000 };

/** Deletes up to `max` rows. `deleteRows` deletes up to the given number and returns how many it deleted. Returns the sum. */
export async function deleteInSteps(
  ctx: Context,
  max: number,
  deleteRows: (tx: Tx, rows: number) => number,
): Promise<number> {
  const steps = createStepRows(ROWS);
  let deleted = 0;
  for (let isDone = false; !isDone && deleted < max; await yieldToOthers()) {
    deleted += steps.take((rows) => {
      const limit = Math.min(rows, max - deleted);
      const count = ctx.transact((tx) => deleteRows(tx, limit), { bookkeeping: true });
      isDone = count < limit;
      return count;
    });
  }
  return deleted;
}

/**
 * Works on all items, each once, in batches of as many as fit in a step. After a crash, the work of some batches is done, and that of
 * the others isn't. `rest` is awaited after each batch.
 */
export async function transactInSteps<Item>(
  ctx: Context,
  items: readonly Item[],
  steps: StepRows,
  work: (tx: Tx, batch: readonly Item[]) => void,
  rest?: () => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; ) {
    from += steps.take((count) => {
      const batch = items.slice(from, from + count);
      ctx.transact((tx) => work(tx, batch), { bookkeeping: true });
      return batch.length;
    });
    await yieldToOthers();
    await rest?.();
  }
}
