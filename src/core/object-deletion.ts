// Stored objects that no row refers to any more: named in the transaction that lets go of them, removed afterwards.

import { prepared } from '../data/database.ts';
import type { Context, Tx } from './context.ts';

/** Kind of the job that removes doomed objects. */
export const REMOVE_OBJECTS_JOB = 'remove-doomed-objects';

const OBJECTS_PER_RUN = 200;

/** Rows are in the order in which they were named. One whose removal failed is written anew, and so goes to the end. */
const insertDoomed = prepared((db) =>
  db.$client.prepare<[string, number]>(
    'INSERT INTO doomed_objects (object_key, doomed_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  ),
);
const postponeDoomed = prepared((db) =>
  db.$client.prepare<[string, number]>('REPLACE INTO doomed_objects (object_key, doomed_at) VALUES (?, ?)'),
);
const deleteDoomed = prepared((db) => db.$client.prepare<[string]>('DELETE FROM doomed_objects WHERE object_key = ?'));
const firstDoomed = prepared((db) =>
  db.$client.prepare<[number], string>('SELECT object_key FROM doomed_objects ORDER BY rowid LIMIT ?').pluck(),
);

/** Hands objects over for removal, in the transaction that removes the last row that refers to them. */
export function queueObjectDeletion(tx: Tx, keys: readonly (string | null)[]): void {
  const doomed = keys.filter((key) => key !== null);
  if (doomed.length === 0) return;
  for (const key of doomed) insertDoomed(tx).run(key, tx.now);
  tx.enqueue({ kind: REMOVE_OBJECTS_JOB, dedupeKey: REMOVE_OBJECTS_JOB });
}

/**
 * Removes up to 200 doomed objects, those that wait longest first; answers how many. One that fails goes to the end of
 * the queue, so that it holds up nobody, and the failure is thrown when the others are done.
 */
export async function deleteQueuedObjects(ctx: Context): Promise<number> {
  let removed = 0;
  let failure: unknown;
  for (const objectKey of firstDoomed(ctx).all(OBJECTS_PER_RUN)) {
    try {
      await ctx.storage.delete(objectKey);
      deleteDoomed(ctx).run(objectKey);
      removed += 1;
    } catch (error) {
      failure = error;
      postponeDoomed(ctx).run(objectKey, ctx.clock.now().getTime());
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
