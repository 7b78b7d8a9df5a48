// Deletion of many rows in short transactions, so that requests and other writers run in between.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createStepRows } from '../lib/step-rows.ts';
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
