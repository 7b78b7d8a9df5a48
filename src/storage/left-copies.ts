// Deletes the copies that moved objects left, when no download reads them anymore.
import type { Context, Tx } from '../core/context.ts';
import type { DeleteFailure } from '../core/storage.ts';
import { MINUTE } from '../lib/clock.ts';
import { containerOf, type ObjectPlace, type ServerBackend } from '../lib/storage-backends.ts';
import * as store from './stored-objects.ts';

/** Kind of the job that deletes the copies that moved objects left. */
export const REMOVE_LEFT_JOB = 'remove-left-copies';
/** Links for downloads work for 15 minutes, and a download may begin at the end. */
const LEFT_LIFETIME_MS = 20 * MINUTE;
const LEFT_PER_RUN = 200;
const CONCURRENT_HEADS = 16;

/** Queues the deletion for when the links for downloads have expired. */
export function enqueueRemoval(tx: Tx): void {
  tx.enqueue({ kind: REMOVE_LEFT_JOB, dedupeKey: REMOVE_LEFT_JOB, delayMs: LEFT_LIFETIME_MS });
}

/**
 * The job: deletes copies that no download reads anymore and those that were abandoned, up to 200 a run. Throws the error of one
 * that can't be deleted.
 */
export async function runRemoveLeftJob(ctx: Context): Promise<void> {
  const count = await removeLeftCopies(ctx);
  if (!store.hasLeft(ctx)) return;
  const delayMs = count === LEFT_PER_RUN ? 0 : MINUTE;
  ctx.transact((tx) => tx.enqueue({ kind: REMOVE_LEFT_JOB, dedupeKey: REMOVE_LEFT_JOB, delayMs }), {
    bookkeeping: true,
  });
}

/** Deletes copies, and returns how many were due. */
export async function removeLeftCopies(ctx: Context): Promise<number> {
  const { attached } = ctx.storage;
  const left = store.takeLeft(ctx, ctx.clock.time() - LEFT_LIFETIME_MS, LEFT_PER_RUN);
  const failures = new Map<string, unknown>();
  const missing: store.LeftCopy[] = [];
  for (let start = 0; start < left.length; start += CONCURRENT_HEADS) {
    const some = left.slice(start, start + CONCURRENT_HEADS);
    await Promise.all(
      some.map(async (copy) => {
        const { key, place, modifiedAt } = copy;
        try {
          // A former object isn't deleted unless the new one is there. If it isn't, this finds the former one again.
          const isThere = modifiedAt === 0 || (await ctx.storage.at(place).head(key)) !== undefined;
          if (!isThere) missing.push(copy);
        } catch (error) {
          failures.set(key, error);
        }
      }),
    );
  }
  for (const { key } of missing) {
    ctx.log.error({ object: key }, 'a moved object is missing, so its former copy is used again');
    await ctx.storage.head(key).catch((error: unknown) => failures.set(key, error));
  }
  // One that was found again isn't recorded as left anymore.
  const due = left.filter(
    ({ key, backend }) => !failures.has(key) && store.findPlace(ctx, key)?.leftBackend === backend,
  );
  for (const backend of new Set(due.map((copy) => copy.backend))) {
    // Copies in a backend that isn't used anymore are left to its owner.
    if (containerOf(backend) === undefined && !attached.has(backend as ServerBackend)) continue;
    const keys = due.filter((copy) => copy.backend === backend).map(({ key }) => key);
    for (const { key, error } of await deleteAt(ctx, backend, keys)) failures.set(key, error);
  }
  store.clearLeft(
    ctx,
    due.filter(({ key }) => !failures.has(key)),
  );
  store.postponeLeft(ctx, [...failures.keys()]);
  for (const { key, backend, place } of left) {
    const isInContainer = containerOf(backend) !== undefined || containerOf(place) !== undefined;
    if (!failures.has(key)) continue;
    // An outage of a container is reported to the admins of its organization.
    if (!isInContainer) throw failures.get(key);
    ctx.log.warn(
      { object: key, err: failures.get(key) },
      "a leftover copy in an organization's container was not deleted",
    );
  }
  return left.length;
}

/** Deletes objects at a place. Returns those that couldn't be deleted, and never throws. */
async function deleteAt(ctx: Context, place: ObjectPlace, keys: readonly string[]): Promise<readonly DeleteFailure[]> {
  try {
    await ctx.db.durability.settle();
    return await ctx.storage.at(place).deleteMany(keys);
  } catch (error) {
    return keys.map((key) => ({ key, error }));
  }
}
