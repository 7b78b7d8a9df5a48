// The sweep that deletes objects without a row, left behind by a crash or by other programs.
import type { Context, Sweep } from '../core/context.ts';
import { deleteQueuedObjects } from '../core/object-deletion.ts';
import { DAY, MINUTE } from '../lib/clock.ts';
import { findSweepPosition, saveSweepPosition } from './sweep-position-store.ts';

const OBJECTS_PER_RUN = 2_000;

/** Deletes objects queued for deletion, and orphans under the prefixes of all domains. */
export const orphanedObjectsSweep: Sweep = {
  name: 'orphaned-objects',
  deletesByAge: true,
  schedule: '17 * * * *',
  async run(ctx) {
    let removed = await deleteQueuedObjects(ctx);
    for (const owner of ctx.objectOwners) removed += await sweepPrefix(ctx, owner);
    return removed;
  },
};

/** Checks the next objects of a prefix, and starts over after the last. Recent objects are skipped, because their row may follow. */
async function sweepPrefix(ctx: Context, { prefix, findOrphans }: Context['objectOwners'][number]): Promise<number> {
  const { storage, config } = ctx;
  const safeAge = DAY + config.limits.pending_upload_lifetime_minutes * MINUTE;
  const youngest = ctx.clock.now().getTime() - safeAge;
  const page = await storage.list(prefix, { after: findSweepPosition(ctx, prefix), limit: OBJECTS_PER_RUN });
  const old = page.items.filter(({ modifiedAt }) => modifiedAt.getTime() <= youngest).map(({ key }) => key);
  const orphans = findOrphans(ctx, old);
  for (const key of orphans) {
    ctx.log.warn({ object: key }, 'orphaned object deleted');
    await storage.delete(key);
  }
  saveSweepPosition(ctx, prefix, page.next);
  return orphans.length;
}
