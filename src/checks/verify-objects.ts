// Reads stored objects, all or a random sample, and names those that are missing or damaged. Problems of packages are recorded, so
// that the server doesn't deliver them.
import { describeProblem, verifyPackage } from '../builds/integrity.ts';
import { findIntegrity } from '../builds/integrity-store.ts';
import type { Context } from '../core/context.ts';
import { StorageError } from '../core/storage.ts';
import { Refusal } from '../lib/failure.ts';
import { backendOf, isServerBackend, type StorageBackend } from '../lib/storage-backends.ts';
import { examineObject } from '../storage/object-problems.ts';
import { countStoredObjects, isReferenced, listStoredObjects, type StoredObject } from '../storage/stored-objects.ts';
import { describeStorageError } from '../storage/watch.ts';

interface ObjectProblem extends StoredObject {
  readonly backend: StorageBackend;
  readonly text: string;
}

export interface ObjectVerdict {
  checked: number;
  total: number;
  bytes: number;
  problems: ObjectProblem[];
  /** Problems beyond those that are listed. */
  unlisted: number;
}

const MAX_LISTED = 1_000;

/** Verifies all objects, or `sample` of them that `random` (from 0 up to 1) chooses. */
export async function verifyObjects(
  ctx: Context,
  options: { sample?: number | undefined; random(): number; onProgress?(done: number, total: number): void },
): Promise<ObjectVerdict> {
  const total = countStoredObjects(ctx);
  let left = total;
  let wanted = Math.min(options.sample ?? total, total);
  const count = wanted;
  const verdict: ObjectVerdict = { checked: 0, total, bytes: 0, problems: [], unlisted: 0 };
  for (const object of listStoredObjects(ctx)) {
    // Each object has the same chance, and exactly as many as wanted are chosen.
    const isChosen = options.sample === undefined || options.random() * left < wanted;
    left -= 1;
    if (!isChosen) continue;
    wanted -= 1;
    const problem = await judge(ctx, object, verdict);
    verdict.checked += 1;
    options.onProgress?.(verdict.checked, count);
    // It may have been deleted since it was listed.
    if (problem === undefined || !isReferenced(ctx, object)) continue;
    if (verdict.problems.length >= MAX_LISTED) verdict.unlisted += 1;
    else verdict.problems.push({ ...object, backend: backendOf(ctx.storage.placeOf(object.key)), text: problem });
  }
  return verdict;
}

/** Returns the problem of an object as the end of a sentence about it. Adds the bytes that were read. */
async function judge(ctx: Context, object: StoredObject, verdict: ObjectVerdict): Promise<string | undefined> {
  try {
    if (object.what === 'package') {
      verdict.bytes += await verifyPackage(ctx, object.id);
      const problem = findIntegrity(ctx, object.id)?.problem ?? null;
      return problem === null ? undefined : describeProblem(problem);
    }
    const { bytes, problem, reason } = await examineObject(ctx, object);
    verdict.bytes += bytes;
    if (problem === undefined) return undefined;
    return problem === 'missing' ? 'is missing' : `cannot be read: ${reason}`;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const place = ctx.storage.placeOf(object.key);
    // A container of an organization that can't be read says nothing about the other objects.
    const backend = isServerBackend(place) ? ctx.storage.attached.get(place) : undefined;
    const state = await backend?.check();
    if (!isServerBackend(place) || state?.ok === true) return `cannot be read: ${describeStorageError(error)}`;
    const reason = state?.detail ?? describeStorageError(error);
    throw new Refusal(`${verdict.checked} objects were read, then "${place}" was unavailable: ${reason}`);
  }
}
