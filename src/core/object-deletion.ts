// Stored objects that no row refers to any more: named in the transaction that lets go of them, removed afterwards.
import { asc, eq } from 'drizzle-orm';
import { objectDeletions } from '../data/tables/tables.ts';
import type { Context, Tx } from './context.ts';

/** Kind of the job that removes doomed objects. */
export const REMOVE_OBJECTS_JOB = 'remove-doomed-objects';

const OBJECTS_PER_RUN = 200;

/** Hands objects over for removal, in the transaction that removes the last row that refers to them. */
export function queueObjectDeletion(tx: Tx, keys: readonly (string | null)[]): void {
  const doomed = keys.filter((key) => key !== null).map((objectKey) => ({ objectKey, doomedAt: tx.now }));
  if (doomed.length === 0) return;
  tx.db.insert(objectDeletions).values(doomed).onConflictDoNothing().run();
  tx.enqueue({ kind: REMOVE_OBJECTS_JOB, dedupeKey: REMOVE_OBJECTS_JOB });
}

/**
 * Removes up to 200 doomed objects, those that wait longest first; answers how many. One that fails goes to the end of
 * the queue, so that it holds up nobody, and the failure is thrown when the others are done.
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

/** The job: removes what is doomed, and comes back while there is more. */
export async function runRemoveObjectsJob(ctx: Context): Promise<void> {
  const removed = await deleteQueuedObjects(ctx);
  if (removed < OBJECTS_PER_RUN) return;
  ctx.transact((tx) => tx.enqueue({ kind: REMOVE_OBJECTS_JOB, dedupeKey: REMOVE_OBJECTS_JOB }), { bookkeeping: true });
}
