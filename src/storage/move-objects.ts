// Moves stored objects to another backend while the server runs. Each object is copied, both sides are compared by SHA-256, and
// one transaction switches its place. Interrupted at any step, the next run continues.
import { createHash } from 'node:crypto';
import type { Context, Tx } from '../core/context.ts';
import { type DeleteFailure, type ObjectHead, type Storage, StorageError } from '../core/storage.ts';
import { addonOf } from '../data/addon.ts';
import { MINUTE } from '../lib/clock.ts';
import { Refusal } from '../lib/failure.ts';
import { createPace, type Pace } from '../lib/pace.ts';
import {
  backendOf,
  containerOf,
  type ObjectPlace,
  type ServerBackend,
  type StorageBackend,
} from '../lib/storage-backends.ts';
import { acquireLocks, InUseError } from '../runtime/lock.ts';
import { digestObject } from './digest-object.ts';
import * as moves from './move-store.ts';
import { storageOwner } from './owner.ts';
import * as problems from './problem-store.ts';
import * as store from './stored-objects.ts';
import { describeStorageError } from './watch.ts';

/** Kind of the job that deletes the copies that moved objects left. */
export const REMOVE_LEFT_JOB = 'remove-left-copies';

/** Links for downloads work for 15 minutes, and a download may begin at the end. */
const LEFT_LIFETIME_MS = 20 * MINUTE;
const LEFT_PER_RUN = 200;
const CONCURRENT_HEADS = 16;
const STEP_BYTES = 1024 * 1024;
/** Objects that are moved at the same time. Each takes a few parts of 8 MiB in memory. */
const CONCURRENT = 2;
/** Each of them rests for the other half of the time, so that requests to the server and to the backends don't wait for it. */
const SHARE_OF_TIME = 0.5;
const MAX_LISTED = 1_000;
/** After this many failures in a row because a backend is unavailable, the rest would fail too. */
const MAX_FAILURES_IN_A_ROW = 10;
/** How often a copy that takes long is recorded again. */
const RENEW_AFTER_MS = MINUTE;

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
  /** Objects that were deleted meanwhile. */
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

/** Two moves at once would delete each other's copies. */
function lockMoves({ config }: Context): () => void {
  const refusal = 'objects are being moved already; wait until that has ended';
  const lock = { lockFile: `${config.database.file}.move-lock`, name: 'the move of objects', refusal };
  try {
    return acquireLocks([lock], addonOf(config));
  } catch (error) {
    throw error instanceof InUseError ? new Refusal(error.message) : error;
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

type Outcome = 'there' | 'waiting' | 'deleted' | { bytes: number };

/** Moves one object. Throws StorageError; then it's still where it was. */
async function moveObject(
  ctx: Context,
  object: store.StoredObject,
  to: ObjectPlace,
  { pace, signal }: { pace: Pace; signal: AbortSignal | undefined },
): Promise<Outcome> {
  const { key } = object;
  if (store.findPlace(ctx, key)?.backend === to) return 'there';
  // Records where it is.
  const head = await ctx.storage.head(key);
  if (head !== undefined) store.recordPlace(ctx, key, ctx.storage.placeOf(key));
  const place = store.findPlace(ctx, key);
  if (head === undefined || place === undefined) throw new StorageError('not_found', 'it is missing');
  const { backend: from, leftBackend, leftModifiedAt } = place;
  if (from === to) return 'there';
  if (leftBackend !== null && leftModifiedAt !== null) return 'waiting';
  const [source, target] = [ctx.storage.at(from), ctx.storage.at(to)];
  if (object.size !== null && object.size !== head.size) {
    throw new StorageError('changed', `it has ${head.size} bytes instead of ${object.size}`);
  }
  if (!(await target.hasRoom())) throw new StorageError('full', 'there is no room left for it');
  const copying = ctx.transact(
    (tx) => {
      if (!store.isReferenced(tx, object)) return undefined;
      enqueueRemoval(tx);
      return store.beginCopying(tx, { key, from, to });
    },
    { bookkeeping: true },
  );
  if (copying === undefined) return store.isReferenced(ctx, object) ? 'waiting' : 'deleted';
  try {
    const { sha256, modifiedAt } = await copyVerified(ctx, copying, object, { source, target, head, pace, signal });
    const isSwitched = ctx.transact(
      (tx) => {
        if (!store.isReferenced(tx, object) || !store.switchPlace(tx, copying, head.modifiedAt)) return false;
        problems.clearProblem(tx, key);
        if (object.what === 'package') savePackage(tx, object.id, { from, to, sha256, modifiedAt });
        enqueueRemoval(tx);
        return true;
      },
      { bookkeeping: true },
    );
    if (isSwitched) return { bytes: head.size };
    if (store.isReferenced(ctx, object)) throw new StorageError('changed', 'its copy was deleted meanwhile');
    await abandon();
    return 'deleted';
  } catch (error) {
    // If this fails too, the job deletes the copy.
    await abandon().catch(() => undefined);
    throw error;
  }

  /** Deletes the copy, unless the job is deleting it. */
  async function abandon(): Promise<void> {
    const begun = copying !== undefined && store.isCopying(ctx, copying) ? copying : beginCopying();
    if (begun === undefined && store.findPlace(ctx, key) !== undefined) return;
    await target.delete(key);
    if (begun !== undefined) store.endCopying(ctx, begun);
  }

  function beginCopying(): store.Copying | undefined {
    return ctx.transact((tx) => store.beginCopying(tx, { key, from, to }), { bookkeeping: true });
  }
}

function savePackage(
  tx: Tx,
  buildId: string,
  { from, to, sha256, modifiedAt }: { from: ObjectPlace; to: ObjectPlace; sha256: string; modifiedAt: Date },
): void {
  store.savePackageFacts(tx, buildId, sha256, modifiedAt);
  const found = store.findPackage(tx, buildId);
  if (found !== undefined) for (const hook of tx.hooks.packageMoved) hook(tx, { ...found, from, to });
}

function enqueueRemoval(tx: Tx): void {
  tx.enqueue({ kind: REMOVE_LEFT_JOB, dedupeKey: REMOVE_LEFT_JOB, delayMs: LEFT_LIFETIME_MS });
}

interface CopyParts {
  source: Storage;
  target: Storage;
  head: ObjectHead;
  pace: Pace;
  signal: AbortSignal | undefined;
}

/** Copies an object and compares both sides. Returns its hash, and the time of the copy. */
async function copyVerified(
  ctx: Context,
  copying: store.Copying,
  object: store.StoredObject,
  { source, target, head, pace, signal }: CopyParts,
): Promise<{ sha256: string; modifiedAt: Date }> {
  const { key } = object;
  /** Called between the steps of a large object. */
  const goOn = async (): Promise<void> => {
    await pace.rest(signal);
    signal?.throwIfAborted();
    if (ctx.clock.now().getTime() - copying.at < RENEW_AFTER_MS || store.renewCopying(ctx, copying)) return;
    throw new StorageError('changed', 'its copy was deleted meanwhile');
  };
  const attempt = () => copy(source, target, key, head, goOn);
  const sha256 = await attempt().catch(async (error: unknown) => {
    // What an interrupted move left is replaced. A file that was uploaded there long ago can only be deleted.
    if (!(error instanceof StorageError) || error.code !== 'immutable') throw error;
    await target.delete(key);
    return attempt();
  });
  if (object.sha256 !== null && object.sha256 !== sha256) {
    throw new StorageError('changed', 'its bytes differ from the upload');
  }
  // A small copy comes with its metadata, if the backend is remote.
  const copied = await target.head(key, { tailBytes: head.size <= STEP_BYTES ? head.size : 0 });
  const isSame =
    copied?.size === head.size &&
    (copied.tail?.length === head.size
      ? createHash('sha256').update(copied.tail).digest('hex')
      : await digestObject(target, key, head.size, { onStep: goOn })) === sha256;
  if (copied === undefined || !isSame) throw new StorageError('changed', 'its copy has other bytes');
  if ((await source.head(key))?.etag !== head.etag) {
    throw new StorageError('changed', 'it was replaced while it was copied');
  }
  return { sha256, modifiedAt: copied.modifiedAt };
}

/** Copies an object and returns the SHA-256 of the bytes that were read. */
async function copy(
  source: Storage,
  target: Storage,
  key: string,
  head: ObjectHead,
  goOn: () => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  async function* chunks() {
    for (let position = 0; position < head.size; position += STEP_BYTES) {
      await goOn();
      const length = Math.min(STEP_BYTES, head.size - position);
      const bytes = await source.read(key, position, length);
      if (bytes.length !== length) throw new StorageError('changed', 'it has fewer bytes than expected');
      hash.update(bytes);
      yield bytes;
    }
  }
  await target.put(key, chunks());
  return hash.digest('hex');
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
  const left = store.takeLeft(ctx, ctx.clock.now().getTime() - LEFT_LIFETIME_MS, LEFT_PER_RUN);
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
    ctx.log.warn({ object: key, err: failures.get(key) }, "a left copy in an organization's container was not deleted");
  }
  return left.length;
}

/** Deletes objects at a place. Returns those that couldn't be deleted, and never throws. */
async function deleteAt(ctx: Context, place: ObjectPlace, keys: readonly string[]): Promise<readonly DeleteFailure[]> {
  try {
    return await ctx.storage.at(place).deleteMany(keys);
  } catch (error) {
    return keys.map((key) => ({ key, error }));
  }
}
