// Deletes stored objects that no row refers to: queued in the transaction that deletes the last reference, deleted
// afterwards.

import { prepared } from '../data/database.ts';
import { MINUTE } from '../lib/clock.ts';
import { containerOf, type ObjectPlace } from '../lib/storage-backends.ts';
import type { Context, Tx } from './context.ts';

/** Kind of the job that deletes queued objects. */
export const REMOVE_OBJECTS_JOB = 'remove-doomed-objects';

const OBJECTS_PER_RUN = 200;

/** Rows are in the order of queueing. An object that is queued again moves to the end. */
const insertQueued = prepared((db) =>
  db.$client.prepare<[string, number]>(
    `INSERT INTO doomed_objects (object_key, doomed_at) VALUES (?, ?) ON CONFLICT (object_key)
      DO UPDATE SET doomed_at = excluded.doomed_at, rowid = (SELECT max(rowid) + 1 FROM doomed_objects)`,
  ),
);

interface QueuedObject {
  position: number;
  key: string;
}

/** Keeps an object that was queued again since it was read, because it may have been stored after it was deleted. */
const deleteQueued = prepared((db) =>
  db.$client.prepare<[QueuedObject]>('DELETE FROM doomed_objects WHERE rowid = @position AND object_key = @key'),
);
/** Without those in containers of organizations that can't be used at the moment, which may be any number. */
const firstQueued = prepared((db) =>
  db.$client.prepare<[number], QueuedObject>(
    `SELECT rowid AS position, object_key AS key FROM doomed_objects WHERE NOT EXISTS (
        SELECT 1 FROM object_places JOIN customer_containers ON id IN (substr(backend, 7), substr(left_backend, 7))
          WHERE object_places.object_key = doomed_objects.object_key AND unreachable_since IS NOT NULL)
      ORDER BY rowid LIMIT ?`,
  ),
);

/** Queues objects for deletion, in the transaction that deletes the last row that refers to them. */
export function queueObjectDeletion(tx: Tx, keys: readonly (string | null)[]): void {
  const queued = keys.filter((key) => key !== null);
  if (queued.length === 0) return;
  for (const key of queued) insertQueued(tx).run(key, tx.now);
  tx.enqueue({ kind: REMOVE_OBJECTS_JOB, dedupeKey: REMOVE_OBJECTS_JOB });
}

/** Deletes an uploaded object again once no signed PUT of its key can store another one. */
export const REMOVE_REAPPEARED_JOB = 'remove-reappeared-object';

/** A PUT that began before its URL expired may take a while. */
const LATE_UPLOAD_MS = 60 * MINUTE;

/**
 * Queues the source of a copied object for deletion, in the transaction that records the copy. It's deleted again after
 * `uploadUntil`, because the URL for uploading it works until then.
 */
export function queueMovedSource(tx: Tx, key: string, uploadUntil: number): void {
  queueObjectDeletion(tx, [key]);
  const payload = { object_key: key, place: tx.storage.placeOf(key) };
  for (const delayMs of [0, LATE_UPLOAD_MS]) {
    tx.enqueue({ kind: REMOVE_REAPPEARED_JOB, payload, delayMs: Math.max(0, uploadUntil - tx.now) + delayMs });
  }
}

/** The job: deletes an object that may have been uploaded again. */
export async function runRemoveReappearedJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  const key = String(payload.object_key);
  const place = payload.place as ObjectPlace | undefined;
  await ctx.db.durability.settle();
  // Its record was deleted with the object.
  if (place !== undefined && containerOf(place) !== undefined) await ctx.storage.at(place).delete(key);
  else await ctx.storage.delete(key);
}

/**
 * Deletes up to 200 queued objects, oldest first. Returns the number deleted. An object that can't be deleted moves to the end
 * of the queue, so that it doesn't block others; its error is thrown after the others are deleted. Failures in a container of an
 * organization are only logged: those objects are deleted when it can be used again.
 */
export async function deleteQueuedObjects(ctx: Context): Promise<number> {
  const queued = firstQueued(ctx).all(OBJECTS_PER_RUN);
  const keys = queued.map(({ key }) => key);
  const failures = new Map((await ctx.storage.deleteMany(keys)).map(({ key, error }) => [key, error]));
  const now = ctx.clock.time();
  for (const object of queued) {
    if (failures.has(object.key)) insertQueued(ctx).run(object.key, now);
    else deleteQueued(ctx).run(object);
  }
  for (const [key, error] of failures) {
    if (containerOf(ctx.storage.placeOf(key)) === undefined) throw error;
    ctx.log.warn({ object: key, err: error }, "an object in an organization's container was not deleted");
  }
  return keys.length - failures.size;
}

/** Deletes queued objects, and queues itself again while there are more. */
export async function runRemoveObjectsJob(ctx: Context): Promise<void> {
  const removed = await deleteQueuedObjects(ctx);
  if (removed < OBJECTS_PER_RUN && (removed === 0 || firstQueued(ctx).get(1) === undefined)) return;
  ctx.transact((tx) => tx.enqueue({ kind: REMOVE_OBJECTS_JOB, dedupeKey: REMOVE_OBJECTS_JOB }), { bookkeeping: true });
}
