// The sweep that deletes objects without a row, left behind by a crash or by other programs.
import type { Context, Sweep } from '../core/context.ts';
import { deleteQueuedObjects } from '../core/object-deletion.ts';
import { type Storage, StorageError } from '../core/storage.ts';
import { DAY, MINUTE } from '../lib/clock.ts';
import type { ContainerPlace, ObjectPlace, ServerBackend } from '../lib/storage-backends.ts';
import { cleanUpAbandoned } from './azure/abandoned.ts';
import { listReachable } from './azure/container-store.ts';
import { removeLeftCopies } from './left-copies.ts';
import { storageOwner } from './owner.ts';
import { findSweepPosition, saveSweepPosition } from './sweep-position-store.ts';

const OBJECTS_PER_RUN = 2_000;

/** Deletes objects queued for deletion, copies that moved objects left, and orphans under the prefixes of all domains. */
export const orphanedObjectsSweep: Sweep = {
  name: 'orphaned-objects',
  deletesByAge: true,
  schedule: '17 * * * *',
  async run(ctx) {
    let removed = 0;
    const failures: unknown[] = [];
    // A backend that can't be reached doesn't keep the others from being cleaned up.
    const attempt = async (work: () => Promise<void>) => work().catch((error: unknown) => void failures.push(error));
    await attempt(async () => {
      removed += await deleteQueuedObjects(ctx);
    });
    await attempt(async () => {
      await removeLeftCopies(ctx);
    });
    for (const storage of ctx.storage.attached.values() as Iterable<Storage & { backend: ServerBackend }>) {
      await attempt(async () => {
        // Objects without a row here may have a row of another server that uses the same bucket.
        if (!(await storage.claim(storageOwner(ctx)))) {
          throw new Error(
            'the storage belongs to another server, so nothing without a row is deleted: use another prefix',
          );
        }
        const onFailure = (error: unknown) => void failures.push(error);
        for (const owner of ctx.objectOwners) {
          removed += await sweepPrefix(ctx, { storage, place: storage.backend, onFailure }, owner);
        }
      });
    }
    for (const id of listReachable(ctx)) removed += await sweepContainer(ctx, `azure:${id}`);
    await cleanUpAbandoned(ctx);
    for (const failure of failures) throw failure;
    return removed;
  },
};

/** Deletes orphans in the container of an organization. If it can't be used, others aren't affected. */
async function sweepContainer(ctx: Context, place: ContainerPlace): Promise<number> {
  let removed = 0;
  const onFailure = (error: unknown): void => {
    if (!(error instanceof StorageError)) throw error;
    ctx.log.warn({ place, err: error }, "an organization's container was not cleaned up");
  };
  try {
    for (const owner of ctx.objectOwners.filter(({ inContainers }) => inContainers === true)) {
      removed += await sweepPrefix(ctx, { storage: ctx.storage.at(place), place, onFailure }, owner);
    }
  } catch (error) {
    onFailure(error);
  }
  return removed;
}

/**
 * Checks the next objects of a prefix, and starts over after the last. Recent objects are skipped, because their row may follow. Those
 * that can't be deleted are tried again in the next round, so that they don't stop the deletion of others.
 */
async function sweepPrefix(
  ctx: Context,
  { storage, place, onFailure }: { storage: Storage; place: ObjectPlace; onFailure(error: unknown): void },
  { prefix, findOrphans }: Context['objectOwners'][number],
): Promise<number> {
  const { config } = ctx;
  const safeAge = DAY + config.limits.pending_upload_lifetime_minutes * MINUTE;
  const youngest = ctx.clock.time() - safeAge;
  const position = place === ctx.storage.backend ? prefix : `${place}:${prefix}`;
  const page = await storage.list(prefix, { after: findSweepPosition(ctx, position), limit: OBJECTS_PER_RUN });
  const old = page.items.filter(({ modifiedAt }) => modifiedAt.getTime() <= youngest).map(({ key }) => key);
  const orphans = findOrphans(ctx, old);
  const failures = new Map((await ctx.storage.deleteFrom(place, orphans)).map(({ key, error }) => [key, error]));
  for (const key of orphans) if (!failures.has(key)) ctx.log.warn({ object: key }, 'orphaned object deleted');
  saveSweepPosition(ctx, position, page.next);
  for (const error of failures.values()) {
    onFailure(error);
    break;
  }
  return orphans.length - failures.size;
}
