// Moves stored objects to another backend while the server runs. Interrupted at any step, the next run continues.
import type { Context } from '../core/context.ts';
import { StorageError } from '../core/storage.ts';
import { addonOf } from '../data/addon.ts';
import { Refusal } from '../lib/failure.ts';
import { createPace, type Pace } from '../lib/pace.ts';
import { backendOf, containerOf, type ObjectPlace, type StorageBackend } from '../lib/storage-backends.ts';
import { acquireLocks, InUseError, LockFileError } from '../runtime/lock.ts';
import { moveObject } from './move-object.ts';
import * as moves from './move-store.ts';
import { storageOwner } from './owner.ts';
import * as store from './stored-objects.ts';
import { describeStorageError } from './watch.ts';

/** Objects that are moved at the same time. Each takes a few parts of 8 MiB in memory. */
const CONCURRENT = 2;
/** Each of them rests for the other half of the time, so that requests to the server and to the backends don't wait for it. */
const SHARE_OF_TIME = 0.5;
const MAX_LISTED = 1_000;
/** After this many failures in a row because a backend is unavailable, the rest would fail too. */
const MAX_FAILURES_IN_A_ROW = 10;

interface MoveFailure extends store.StoredObject {
  readonly reason: string;
}

export interface MoveResult {
  moved: number;
  bytes: number;
  /** Objects that were there before. */
  there: number;
  /** Objects that were moved before, and whose copy in the earlier backend isn't deleted yet. */
  waiting: number;
  /** Packages that stay in the containers of organizations, because all organizations were meant. */
  inContainers: number;
  /** Objects that were deleted during the move. */
  deleted: number;
  failed: number;
  failures: MoveFailure[];
  /** Uploads that aren't complete and whose bytes are in another backend. */
  uploads: number;
}

export interface MoveOptions {
  to: StorageBackend;
  organizationId?: string | undefined;
  onProgress?(done: number, total: number, bytes: number): void;
  signal?: AbortSignal | undefined;
}

/**
 * Moves all objects, or those of an organization. Throws Refusal if that isn't possible with the configuration, if another move
 * is running, or if a backend isn't available anymore.
 */
export async function moveObjects(ctx: Context, options: MoveOptions): Promise<MoveResult> {
  const { organizationId, onProgress = () => undefined, signal } = options;
  const to = findTarget(ctx, options);
  if (organizationId !== undefined) refuseUnknown(ctx, organizationId);
  // Only packages are stored in containers.
  const scope = { organizationId, isPackagesOnly: containerOf(to) !== undefined };
  const release = lockMoves(ctx);
  const result: MoveResult = {
    moved: 0,
    bytes: 0,
    there: 0,
    waiting: 0,
    inContainers: 0,
    deleted: 0,
    failed: 0,
    failures: [],
    uploads: 0,
  };
  let failuresInARow = 0;
  let isStopped = false;
  try {
    await refuseForeign(ctx, to);
    const total = store.countStoredObjects(ctx, scope);
    record(ctx, options, { state: 'started', objects: total });
    const progress = moves.beginMove(ctx, { to: backendOf(to), organizationId, objects: total });
    const objects = store.listStoredObjects(ctx, scope);
    let done = 0;
    const workers = Array.from({ length: CONCURRENT }, async () => {
      const pace = createPace(SHARE_OF_TIME);
      for (const object of objects) {
        if (isStopped) return;
        signal?.throwIfAborted();
        await moveOne(object, pace);
        done += 1;
        progress.save(done, result);
        onProgress(done, total, result.bytes);
        await pace.rest(signal);
      }
    });
    // Each worker ends before this does, because the caller closes the database.
    const ended = await Promise.allSettled(workers.map((worker) => worker.catch(stop)));
    const { moved, bytes, failed, waiting } = result;
    progress.end(done, result, !isStopped);
    record(ctx, options, { state: isStopped ? 'stopped' : 'finished', moved, bytes, failed, waiting });
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
    result.uploads = store.countUploadsElsewhere(ctx, { to, home: ctx.storage.backend, organizationId });
    return result;
  } finally {
    release();
  }

  function stop(error: unknown): never {
    isStopped = true;
    throw error;
  }

  async function moveOne(object: store.StoredObject, pace: Pace): Promise<void> {
    try {
      const isStaying = organizationId === undefined && containerOf(ctx.storage.placeOf(object.key)) !== undefined;
      const outcome = isStaying ? 'inContainers' : await moveObject(ctx, object, to, { pace, signal });
      failuresInARow = 0;
      if (typeof outcome === 'string') result[outcome] += 1;
      else {
        result.moved += 1;
        result.bytes += outcome.bytes;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof StorageError)) throw error;
      // Deleted while it was copied.
      if (!store.isReferenced(ctx, object)) {
        result.deleted += 1;
        return;
      }
      result.failed += 1;
      const reason = describeStorageError(error);
      ctx.log.error({ object: object.key, err: error }, 'an object was not moved');
      if (result.failures.length < MAX_LISTED) result.failures.push({ ...object, reason });
      failuresInARow = error.code === 'unavailable' ? failuresInARow + 1 : 0;
      if (failuresInARow >= MAX_FAILURES_IN_A_ROW) {
        throw new Refusal(
          `${result.moved} objects were moved, then ${MAX_FAILURES_IN_A_ROW} in a row failed (${reason}); run the command again later`,
        );
      }
    }
  }
}

/** Two moves at the same time would delete each other's copies. */
function lockMoves({ config }: Context): () => void {
  const refusal = 'objects are being moved already; wait until that has ended';
  const lock = { lockFile: `${config.database.file}.move-lock`, name: 'the move of objects', refusal };
  try {
    return acquireLocks([lock], addonOf(config));
  } catch (error) {
    throw error instanceof InUseError || error instanceof LockFileError ? new Refusal(error.message) : error;
  }
}

/** Another server's objects could have the same keys, for example if its database was copied. */
async function refuseForeign(ctx: Context, to: ObjectPlace): Promise<void> {
  try {
    if (await ctx.storage.at(to).claim(storageOwner(ctx))) return;
  } catch (error) {
    throw new Refusal(`"${to}" can't be used: ${describeStorageError(error)}`);
  }
  throw new Refusal(`"${to}" belongs to another server: use another bucket, or another prefix in it`);
}

/** Returns the place to move to. Throws Refusal if there is none. */
function findTarget(ctx: Context, { to, organizationId }: MoveOptions): ObjectPlace {
  if (to === 'azure') {
    if (organizationId === undefined)
      throw new Refusal('a container belongs to one organization: add --organization ID');
    refuseUnknown(ctx, organizationId);
    const place = ctx.storage.placeForNew(organizationId);
    if (containerOf(place) !== undefined) return place;
    throw new Refusal('the organization has no container of its own for new builds');
  }
  const { attached } = ctx.storage;
  if (!attached.has(to)) {
    throw new Refusal(
      to === 's3'
        ? 'there is no bucket to move to: set storage.s3.bucket and start the server again'
        : 'the folder for objects is not in use: set storage.backend to "local" and start the server again',
    );
  }
  const isOnly = attached.size === 1 && (organizationId === undefined || !store.hasContainer(ctx, organizationId));
  if (isOnly) throw new Refusal(`all objects are in "${to}": no other backend is configured`);
  for (const [backend, { location }] of attached) {
    if (store.findLocationOfServer(ctx, backend) === location) continue;
    throw new Refusal(`the server doesn't use ${location} yet: start it again with this configuration`);
  }
  return to;
}

function refuseUnknown({ db }: Context, organizationId: string): void {
  const found = db.$client.prepare('SELECT 1 FROM organizations WHERE id = ?').get(organizationId);
  if (found === undefined) throw new Refusal('there is no organization with this ID');
}

function record(ctx: Context, { to, organizationId }: MoveOptions, details: Record<string, unknown>): void {
  const facts = { identifier: to, organizationId: organizationId ?? null };
  ctx.transact((tx) => tx.record('storage.moved', { ...facts, details: { to, ...details } }));
}
