// Moves one object: copies it, compares both sides by SHA-256, and switches its place in one transaction.
import { createHash } from 'node:crypto';
import type { Context, Tx } from '../core/context.ts';
import { type ObjectHead, type Storage, StorageError } from '../core/storage.ts';
import { MINUTE } from '../lib/clock.ts';
import type { Pace } from '../lib/pace.ts';
import type { ObjectPlace } from '../lib/storage-backends.ts';
import { digestObject } from './digest-object.ts';
import { enqueueRemoval } from './left-copies.ts';
import * as problems from './problem-store.ts';
import * as store from './stored-objects.ts';

const STEP_BYTES = 1024 * 1024;
/** How often a copy that takes long is recorded again. */
const RENEW_AFTER_MS = MINUTE;

type Outcome = 'there' | 'waiting' | 'deleted' | { bytes: number };

/** Moves one object. Throws StorageError; then it's still where it was. */
export async function moveObject(
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
    if (store.isReferenced(ctx, object)) throw new StorageError('changed', 'its copy was deleted during the move');
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
    if (ctx.clock.time() - copying.at < RENEW_AFTER_MS || store.renewCopying(ctx, copying)) return;
    throw new StorageError('changed', 'its copy was deleted during the move');
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
