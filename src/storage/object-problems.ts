// Reads stored objects other than packages, and records those that are missing or can't be read, so that operators see them.
import type { Context } from '../core/context.ts';
import { StorageError } from '../core/storage.ts';
import type { ServerBackend } from '../lib/storage-backends.ts';
import { digestObject } from './digest-object.ts';
import { clearProblem, listObjectProblems, type ObjectProblem, saveProblem } from './problem-store.ts';
import type { StoredObject } from './stored-objects.ts';
import { describeStorageError } from './watch.ts';

const PROBLEMS_PER_RUN = 100;

interface Examined {
  bytes: number;
  problem?: ObjectProblem;
  reason?: string;
}

/** Reads an object and records its problem, or that it has none. Throws StorageError if its whole backend is unavailable. */
export async function examineObject(ctx: Context, object: StoredObject): Promise<Examined> {
  const { key } = object;
  try {
    const head = await ctx.storage.head(key);
    if (head !== undefined) {
      await digestObject(ctx.storage, key, head.size);
      clearProblem(ctx, key);
      return { bytes: head.size };
    }
    saveProblem(ctx, object, 'missing');
    return { bytes: 0, problem: 'missing' };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const backend = ctx.storage.attached.get(ctx.storage.placeOf(key) as ServerBackend);
    if (backend === undefined || !(await backend.check()).ok) throw error;
    saveProblem(ctx, object, 'unreadable');
    return { bytes: 0, problem: 'unreadable', reason: describeStorageError(error) };
  }
}

/** Reads objects with a problem again. Returns their number. */
export async function examineProblems(ctx: Context): Promise<number> {
  const rows = listObjectProblems(ctx, PROBLEMS_PER_RUN);
  for (const row of rows) await examineObject(ctx, { ...row, size: null, sha256: null });
  return rows.length;
}
