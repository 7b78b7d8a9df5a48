// Deletion of stored objects: queued in the transaction that deletes their last row, executed afterwards.
import { asc, eq } from 'drizzle-orm';
import { objectDeletions } from '../data/tables/tables.ts';
import type { Context, Tx } from './context.ts';

/** Kind of the job that deletes queued objects. */
export const REMOVE_OBJECTS_JOB = 'remove-doomed-objects';

const OBJECTS_PER_RUN = 200;

/** Queues objects for deletion, in the transaction that deletes the last row that refers to them. */
export function queueObjectDeletion(tx: Tx, keys: readonly (string | null)[]): void {
  const deletions = keys.filter((key) => key !== null).map((objectKey) => ({ objectKey, doomedAt: tx.now }));
  if (deletions.length === 0) return;
  tx.db.insert(objectDeletions).values(deletions).onConflictDoNothing().run();
  tx.enqueue({ kind: REMOVE_OBJECTS_JOB, dedupeKey: REMOVE_OBJECTS_JOB });
}

/**
 * Deletes up to 200 queued objects, oldest first. Returns the number deleted. An object that can't be deleted moves to the end
 * of the queue, so that it doesn't block others; its error is thrown after the others are deleted.
 */
export async function deleteQueuedObjects(ctx: Context): Promise<number> {
  const rows = ctx.db
    .select()
    .from(objectDeletions)
    .orderBy(asc(objectDeletions.doomedAt))
    .limit(OBJECTS_PER_RUN)
    .all();
  let removed = 0;
  let failure: unknown;
  for (const { objectKey } of rows) {
    const isThisOne = eq(objectDeletions.objectKey, objectKey);
    try {
      await ctx.storage.delete(objectKey);
      ctx.db.delete(objectDeletions).where(isThisOne).run();
      removed += 1;
    } catch (error) {
      failure = error;
      ctx.db.update(objectDeletions).set({ doomedAt: ctx.clock.now().getTime() }).where(isThisOne).run();
    }
  }
  if (failure !== undefined) throw failure;
  return removed;
}

/** Deletes queued objects, and queues itself again while there are more. */
export async function runRemoveObjectsJob(ctx: Context): Promise<void> {
  const removed = await deleteQueuedObjects(ctx);
  if (removed < OBJECTS_PER_RUN) return;
  ctx.transact((tx) => tx.enqueue({ kind: REMOVE_OBJECTS_JOB, dedupeKey: REMOVE_OBJECTS_JOB }), { bookkeeping: true });
}
