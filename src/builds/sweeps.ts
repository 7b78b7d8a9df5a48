// The cleanup job of uploads that were never completed.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { releaseUpload } from '../billing/gates.ts';
import type { Context, Sweep } from '../core/context.ts';
import { deleteQueuedObjects, queueObjectDeletion } from '../core/object-deletion.ts';
import { deleteAbandonedDrafts } from '../projects/service.ts';
import { objectsOfUpload } from './objects.ts';
import { deleteExpiredRepeated, deletePending, listExpired } from './store.ts';

const UPLOADS_PER_BATCH = 50;
const BATCHES_PER_RUN = 20;

/**
 * Deletes expired pending uploads and their objects. Their version and build numbers become available again. Also
 * deletes projects that were created from a package that never arrived.
 */
export const pendingUploadsSweep: Sweep = {
  name: 'pending-uploads',
  schedule: '*/5 * * * *',
  async run(ctx) {
    let removed = 0;
    for (let batch = 0; batch < BATCHES_PER_RUN; batch += 1) {
      const { uploads, repeated } = removeExpired(ctx);
      removed += uploads;
      if (Math.max(uploads, repeated) < UPLOADS_PER_BATCH) break;
      await yieldToOthers();
    }
    // By age, unlike uploads, which have an expiry of their own.
    if (ctx.clockGuard.observe() === undefined) removed += deleteAbandonedDrafts(ctx, UPLOADS_PER_BATCH);
    // Rows are deleted first, so that a failing storage doesn't block version and build numbers.
    if (removed > 0) await deleteQueuedObjects(ctx);
    return removed;
  },
};

/** Returns the numbers of deleted uploads, and of those that are no longer remembered as repeated. */
function removeExpired(ctx: Context): { uploads: number; repeated: number } {
  return ctx.transact(
    (tx) => {
      const rows = listExpired(tx, tx.now, UPLOADS_PER_BATCH);
      for (const row of rows) {
        deletePending(tx, row.id);
        releaseUpload(tx, row.id);
        queueObjectDeletion(tx, objectsOfUpload(row));
      }
      return { uploads: rows.length, repeated: deleteExpiredRepeated(tx, UPLOADS_PER_BATCH) };
    },
    { bookkeeping: true },
  );
}
