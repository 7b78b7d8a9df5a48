// Moves stored objects to another backend while the server runs. Each object is copied, both sides are compared by SHA-256, and
// one transaction switches its place. Interrupted at any step, the next run continues.
import { createHash } from 'node:crypto';
import type { Context } from '../core/context.ts';
import { type DeleteFailure, type ObjectHead, type Storage, StorageError } from '../core/storage.ts';
import { MINUTE } from '../lib/clock.ts';
import { describeFailure, Refusal } from '../lib/failure.ts';
import { containerOf, type ObjectPlace, type ServerBackend, type StorageBackend } from '../lib/storage-backends.ts';
import { digestObject } from './digest-object.ts';
import * as store from './stored-objects.ts';

/** Kind of the job that deletes the copies that moved objects left. */
export const REMOVE_LEFT_JOB = 'remove-left-copies';

/** Links for downloads work for 15 minutes, and a download may begin at the end. */
const LEFT_LIFETIME_MS = 20 * MINUTE;
const LEFT_PER_RUN = 200;
const STEP_BYTES = 4 * 1024 * 1024;
/** Objects that are moved at the same time. Each takes a few parts of 8 MiB in memory. */
const CONCURRENT = 2;
const MAX_LISTED = 1_000;

interface MoveFailure extends store.StoredObject {
  readonly reason: string;
}

export interface MoveResult {
  moved: number;
  bytes: number;
  /** Objects that were there before. */
  there: number;
  /** Objects whose copy there, from an earlier move, isn't deleted yet. */
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

/** Moves all objects, or those of an organization. Throws Refusal if that isn't possible with the configuration. */
export async function moveObjects(ctx: Context, options: MoveOptions): Promise<MoveResult> {
  const { organizationId, onProgress = () => undefined, signal } = options;
  if (organizationId !== undefined) refuseUnknown(ctx, organizationId);
  const to = findTarget(ctx, options);
  // Only packages are stored in containers.
  const scope = { organizationId, isPackagesOnly: containerOf(to) !== undefined };
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
  const total = store.countStoredObjects(ctx, scope);
  record(ctx, options, { state: 'started', objects: total });
  const objects = store.listStoredObjects(ctx, scope);
  let done = 0;
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (const object of objects) {
        signal?.throwIfAborted();
        await moveOne(object);
        done += 1;
        onProgress(done, total, result.bytes);
      }
    }),
  );
  result.uploads = store.countUploadsElsewhere(ctx, { to, home: ctx.storage.backend, organizationId });
  const { moved, bytes, failed, waiting } = result;
  record(ctx, options, { state: 'finished', moved, bytes, failed, waiting });
  return result;

  async function moveOne(object: store.StoredObject): Promise<void> {
    try {
      const isStaying = organizationId === undefined && containerOf(ctx.storage.placeOf(object.key)) !== undefined;
      const outcome = isStaying ? 'inContainers' : await moveObject(ctx, object, to, signal);
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
      const reason = describeFailure(error);
      ctx.log.error({ object: object.key, err: error }, 'an object was not moved');
      if (result.failures.length < MAX_LISTED) result.failures.push({ ...object, reason });
    }
  }
}

/** Returns the place to move to. Throws Refusal if there is none. */
function findTarget(ctx: Context, { to, organizationId }: MoveOptions): ObjectPlace {
  if (to === 'azure') {
    if (organizationId === undefined)
      throw new Refusal('a container belongs to one organization: add --organization ID');
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
  if (!store.isAttachedByServer(ctx, to)) {
    throw new Refusal(`the server doesn't use "${to}" yet: start it again with this configuration`);
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
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { key } = object;
  // Recorded from here on, so that nothing reads the copy before the switch.
  const from = await ctx.storage.locate(key);
  if (from === to) return 'there';
  if (store.findPlace(ctx, key)?.leftBackend === to) return 'waiting';
  const [source, target] = [ctx.storage.at(from), ctx.storage.at(to)];
  const head = await source.head(key);
  if (head === undefined) throw new StorageError('not_found', 'it is missing');
  if (object.size !== null && object.size !== head.size) {
    throw new StorageError('changed', `it has ${head.size} bytes instead of ${object.size}`);
  }
  if (!(await target.hasRoom())) throw new StorageError('full', 'there is no room left for it');
  // What an interrupted move left, or a copy by another program.
  if ((await target.head(key)) !== undefined) await target.delete(key);
  const sha256 = await copy(source, target, key, head, signal);
  if (object.sha256 !== null && object.sha256 !== sha256) {
    await target.delete(key);
    throw new StorageError('changed', 'its bytes differ from the upload');
  }
  const copied = await verifyCopy(target, key, head.size, sha256, signal);
  if ((await source.head(key))?.etag !== head.etag) {
    await target.delete(key);
    throw new StorageError('changed', 'it was replaced while it was copied');
  }
  const isSwitched = ctx.transact(
    (tx) => {
      // Without a record, it's in the only backend of the server.
      const place = store.findPlace(tx, key)?.backend ?? ctx.storage.backend;
      const isSame = place === from && store.isReferenced(tx, object);
      if (!isSame) return false;
      store.savePlace(tx, key, { to, from, leftModifiedAt: head.modifiedAt });
      if (object.what === 'package') store.savePackageFacts(tx, object.id, sha256, copied.modifiedAt);
      tx.enqueue({ kind: REMOVE_LEFT_JOB, dedupeKey: REMOVE_LEFT_JOB, delayMs: LEFT_LIFETIME_MS });
      return true;
    },
    { bookkeeping: true },
  );
  if (isSwitched) return { bytes: head.size };
  await target.delete(key);
  return 'deleted';
}

/** Copies an object and returns the SHA-256 of the bytes that were read. */
async function copy(
  source: Storage,
  target: Storage,
  key: string,
  head: ObjectHead,
  signal: AbortSignal | undefined,
): Promise<string> {
  const hash = createHash('sha256');
  async function* chunks() {
    for (let position = 0; position < head.size; position += STEP_BYTES) {
      signal?.throwIfAborted();
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

/** Reads the copy and returns its metadata. Deletes it and throws if it differs. */
async function verifyCopy(
  target: Storage,
  key: string,
  size: number,
  sha256: string,
  signal: AbortSignal | undefined,
): Promise<ObjectHead> {
  const copied = await target.head(key);
  const digest = async () =>
    digestObject(target, key, size, signal ? { signal } : {}).catch((error: unknown) => {
      // Fewer bytes than it has according to its metadata.
      if (error instanceof StorageError && error.code === 'changed') return undefined;
      throw error;
    });
  const isSame = copied?.size === size && (await digest()) === sha256;
  if (copied !== undefined && isSame) return copied;
  await target.delete(key);
  throw new StorageError('changed', 'its copy has other bytes');
}

/** The job: deletes copies that no download reads anymore, up to 200 a run. Throws the error of one that can't be deleted. */
export async function runRemoveLeftJob(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  const left = store.listLeft(ctx, now - LEFT_LIFETIME_MS, LEFT_PER_RUN);
  const failures = new Map<string, unknown>();
  for (const backend of new Set(left.map((copy) => copy.backend))) {
    const keys = left.filter((copy) => copy.backend === backend).map(({ key }) => key);
    // Copies in a backend that isn't used anymore are left to its owner.
    if (containerOf(backend) === undefined && !ctx.storage.attached.has(backend as ServerBackend)) continue;
    for (const { key, error } of await deleteAt(ctx, backend, keys)) failures.set(key, error);
  }
  store.clearLeft(
    ctx,
    left.map(({ key }) => key).filter((key) => !failures.has(key)),
  );
  store.postponeLeft(ctx, [...failures.keys()]);
  for (const error of failures.values()) throw error;
  if (!store.hasLeft(ctx)) return;
  const delayMs = left.length === LEFT_PER_RUN ? 0 : MINUTE;
  ctx.transact((tx) => tx.enqueue({ kind: REMOVE_LEFT_JOB, dedupeKey: REMOVE_LEFT_JOB, delayMs }), {
    bookkeeping: true,
  });
}

/** Deletes objects at a place. Returns those that couldn't be deleted, and never throws. */
async function deleteAt(ctx: Context, place: ObjectPlace, keys: readonly string[]): Promise<readonly DeleteFailure[]> {
  try {
    return await ctx.storage.at(place).deleteMany(keys);
  } catch (error) {
    return keys.map((key) => ({ key, error }));
  }
}
