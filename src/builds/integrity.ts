// Detects damaged packages: before a link is signed and before bytes are sent. Reading all bytes confirms or clears the
// problem.

import type { App, Context, Tx } from '../core/context.ts';
import { type ObjectHead, StorageError } from '../core/storage.ts';
import { systemContext } from '../core/transact.ts';
import { DAY, MINUTE } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { digestObject } from '../storage/digest-object.ts';
import type { ReadGuard } from '../storage/read-guard.ts';
import { findLeftTime } from '../storage/stored-objects.ts';
import * as store from './integrity-store.ts';
import { uploadOfPackage } from './objects.ts';
import { type BuildRow, findBuild } from './store.ts';

/** Kind of the job that verifies a package. */
export const VERIFY_PACKAGE_JOB = 'verify-package';

/** A damaged package is read at most once a minute, regardless of the number of requests. */
const MIN_PAUSE_MS = MINUTE;
/** A download also computes the hash if the last verification is older than this. */
const HASH_DOWNLOADS_AFTER_MS = DAY;
/** Background verification uses at most a fifth of one processor and of the disk. */
const REST_FACTOR = 4;

const descriptions: Record<store.PackageProblem, string> = {
  missing: 'is missing',
  size: 'has another size than the upload',
  modified: "was modified after the upload and hasn't been verified yet",
  content: 'differs from the upload',
  unreadable: 'cannot be read',
};

/** Returns the problem as the end of a sentence about a package. */
export function describeProblem(problem: store.PackageProblem): string {
  return descriptions[problem];
}

/**
 * Records the package of a new build, in the transaction that creates it. A package without a hash is verified soon.
 */
export function insertIntegrity(
  tx: Tx,
  buildId: string,
  { sha256, modifiedAt }: { sha256: string | undefined; modifiedAt: Date },
): void {
  const known =
    sha256 === undefined
      ? { sha256: null, modifiedAt: null, verifiedAt: 0 }
      : { sha256, modifiedAt: modifiedAt.getTime(), verifiedAt: tx.now };
  store.saveIntegrity(tx, { buildId, ...known, problem: null, problemAt: null });
  if (sha256 === undefined) enqueueVerification(tx, buildId);
}

/** Returns the problem that the metadata of the stored object shows, without reading it. */
function judgeHead(
  sizeBytes: number,
  integrity: Pick<store.IntegrityRow, 'modifiedAt' | 'problem'> | null | undefined,
  head: Pick<ObjectHead, 'size' | 'modifiedAt'> | undefined,
  leftTime: () => number | undefined = () => undefined,
): store.PackageProblem | undefined {
  if (head === undefined) return 'missing';
  if (head.size !== sizeBytes) return 'size';
  const modifiedAt = integrity?.modifiedAt ?? null;
  const found = head.modifiedAt.getTime();
  // A download that began before the package was moved to another backend reads the copy that is left there.
  const isExpected = modifiedAt === null || isSameTime(modifiedAt, found) || leftTime() === found;
  if (!isExpected) return 'modified';
  const problem = integrity?.problem ?? null;
  return isSticky(problem) ? problem : undefined;
}

/**
 * Returns whether a problem doesn't show in size and time. Only reading the package clears it, and no other problem
 * replaces it.
 */
function isSticky(problem: store.PackageProblem | null): problem is 'content' | 'unreadable' {
  return problem === 'content' || problem === 'unreadable';
}

/**
 * Returns whether an object has the recorded time (both in milliseconds), also if it was restored by a tool that stores
 * whole seconds.
 */
export function isSameTime(recorded: number, found: number): boolean {
  // Setting a time as fractional seconds may lose a millisecond.
  return Math.abs(found - recorded) <= 1 || (found % 1000 === 0 && found === recorded - (recorded % 1000));
}

/**
 * Throws `storage_backend_unavailable` if the stored package differs from the upload. Records the problem for the
 * operator and verifies the package in the background, so that a restored package soon works again.
 */
export function requireIntact(ctx: Context, build: BuildRow, head: ObjectHead | undefined): void {
  const integrity = store.findIntegrity(ctx, build.id);
  const problem = judgeHead(build.sizeBytes, integrity, head, () => findLeftTime(ctx, build.objectKey));
  if (problem === undefined) {
    if (integrity !== undefined && integrity.problem !== null) settle(ctx, integrity, {});
    return;
  }
  noteProblem(ctx, build.id, integrity, problem);
  const message = 'The package of this build is missing or damaged in the storage. Contact the operator of the server.';
  throw new AppError('storage_backend_unavailable', message, {}, { 'retry-after': '5' });
}

function noteProblem(
  ctx: Context,
  buildId: string,
  integrity: store.IntegrityRow | undefined,
  problem: store.PackageProblem,
): void {
  const now = ctx.clock.time();
  const known = integrity?.problem ?? null;
  const isNew = known !== problem && !isSticky(known);
  // If the size is right, only the bytes can show damage. A modified package hasn't been read since the change.
  const mustRead = problem !== 'missing' && problem !== 'size';
  const isDue = isNew || problem === 'modified' || now - (integrity?.verifiedAt ?? 0) >= MIN_PAUSE_MS;
  if (!isNew && !(mustRead && isDue)) return;
  if (isNew) ctx.log.error({ build: buildId, problem }, 'stored package differs from its upload');
  ctx.transact(
    (tx) => {
      if (isNew) store.saveIntegrity(tx, { ...orUnknown(integrity, buildId), problem, problemAt: tx.now });
      if (mustRead) enqueueVerification(tx, buildId);
    },
    { bookkeeping: true },
  );
}

function orUnknown(integrity: store.IntegrityRow | undefined, buildId: string): store.IntegrityRow {
  return integrity ?? { buildId, sha256: null, modifiedAt: null, verifiedAt: 0, problem: null, problemAt: null };
}

/** Records that a package has no problem. */
function settle(ctx: Context, integrity: store.IntegrityRow, changes: Partial<store.IntegrityRow>): void {
  if (integrity.problem !== null) ctx.log.info({ build: integrity.buildId }, 'stored package is intact again');
  const row = { ...integrity, ...changes, problem: null, problemAt: null };
  ctx.transact((tx) => store.saveIntegrity(tx, row), { bookkeeping: true });
}

function enqueueVerification(tx: Tx, buildId: string): void {
  const dedupeKey = `${VERIFY_PACKAGE_JOB} ${buildId}`;
  tx.enqueue({ kind: VERIFY_PACKAGE_JOB, payload: { build_id: buildId }, dedupeKey, maxAttempts: 5 });
}

/** The job: verifies the package of a build. */
export async function runVerifyPackageJob(
  ctx: Context,
  payload: Record<string, unknown>,
  stopping: AbortSignal,
): Promise<void> {
  await verifyPackage(ctx, String(payload.build_id), stopping);
}

/**
 * Reads all bytes of a build's package at a slow pace and compares their hash with the recorded one. If none is
 * recorded, the computed one is. Returns the number of bytes read. Throws StorageError `unavailable` if the whole
 * storage is unavailable.
 */
export async function verifyPackage(ctx: Context, buildId: string, signal?: AbortSignal): Promise<number> {
  const build = findBuild(ctx, buildId);
  if (build === undefined) return 0;
  const place = await ctx.storage.locate(build.objectKey);
  const head = await ctx.storage.head(build.objectKey);
  const outcome = head?.size === build.sizeBytes ? await readPackage(ctx, build, head, signal) : undefined;
  // The server may have stopped, or the build may have been deleted, while the package was read.
  if (!ctx.db.$client.open || findBuild(ctx, buildId) === undefined) return 0;
  // Moving a package reads it too, and records its time in the other backend.
  if (ctx.storage.placeOf(build.objectKey) !== place) return 0;
  const integrity = orUnknown(store.findIntegrity(ctx, buildId), buildId);
  const verifiedAt = ctx.clock.time();
  const sha256 = outcome?.sha256;
  if (head !== undefined && sha256 !== undefined && (integrity.sha256 === null || integrity.sha256 === sha256)) {
    settle(ctx, integrity, { sha256, modifiedAt: head.modifiedAt.getTime(), verifiedAt });
    return head.size;
  }
  const problem = outcome?.problem ?? judgeHead(build.sizeBytes, undefined, head) ?? 'content';
  // The recorded time is that of the bytes read, so that a replacement is verified again.
  const modifiedAt = isSticky(problem) ? (head?.modifiedAt.getTime() ?? null) : integrity.modifiedAt;
  saveProblem(ctx, { ...integrity, modifiedAt, verifiedAt }, problem);
  return head?.size ?? 0;
}

async function readPackage(
  ctx: Context,
  build: BuildRow,
  head: ObjectHead,
  signal: AbortSignal | undefined,
): Promise<{ sha256?: string; problem?: store.PackageProblem }> {
  try {
    const pace = { restFactor: REST_FACTOR, ...(signal === undefined ? {} : { signal }) };
    return { sha256: await digestObject(ctx.storage, build.objectKey, head.size, pace) };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (error.code === 'not_found') return { problem: 'missing' };
    if (error.code === 'changed') return { problem: 'size' };
    // A single unreadable package must not stop the verification of the others. If the whole storage fails, the package
    // isn't to blame.
    if (!(await isWorking(ctx, build.objectKey))) throw error;
    ctx.log.error({ build: build.id, err: error, cause: error.cause }, 'stored package cannot be read');
    return { problem: 'unreadable' };
  }
}

/** Whether the storage of an object works apart from the object. */
async function isWorking({ storage }: Context, key: string): Promise<boolean> {
  try {
    return (await storage.at(storage.placeOf(key)).check()).ok;
  } catch {
    return false;
  }
}

function saveProblem(ctx: Context, integrity: store.IntegrityRow, found: store.PackageProblem): void {
  const problem = isSticky(integrity.problem) && !isSticky(found) ? integrity.problem : found;
  const isNew = integrity.problem !== problem;
  if (isNew) ctx.log.error({ build: integrity.buildId, problem }, 'stored package differs from its upload');
  ctx.transact(
    (tx) => {
      const problemAt = isNew ? tx.now : integrity.problemAt;
      store.saveIntegrity(tx, { ...integrity, problem, problemAt });
    },
    { bookkeeping: true },
  );
}

/**
 * Checks packages before the local storage sends them: rejects damaged ones, and hashes the sent bytes if the last
 * verification is a day old. Only one download at a time is hashed, because hashing costs more than sending.
 */
export function createPackageGuard(app: App): ReadGuard {
  let isHashing = false;

  return (key, head) => {
    const uploadId = key.startsWith('builds/') ? uploadOfPackage(key) : undefined;
    const found = uploadId === undefined ? undefined : store.findPackageOfUpload(app, uploadId);
    if (found === undefined) return undefined;
    const { buildId, sizeBytes, integrity } = found;
    const problem = judgeHead(sizeBytes, integrity, head, () => findLeftTime(app, key));
    if (problem !== undefined) {
      noteProblem(systemContext(app), buildId, integrity ?? undefined, problem);
      return { isIntact: false };
    }
    return { isIntact: true, beginHash: () => beginHash(buildId, integrity, head) };
  };

  function beginHash(buildId: string, integrity: store.IntegrityRow | null, head: ObjectHead) {
    const sha256 = integrity?.sha256;
    const isRecent = app.clock.time() - (integrity?.verifiedAt ?? 0) < HASH_DOWNLOADS_AFTER_MS;
    if (sha256 == null || isRecent || isHashing) return undefined;
    isHashing = true;
    return {
      sha256,
      end(isSame: boolean | undefined): void {
        isHashing = false;
        if (isSame === undefined) return;
        const ctx = systemContext(app);
        const row = store.findIntegrity(ctx, buildId);
        // If the package was moved during the check, these were the bytes and the time of its former copy.
        if (row === undefined || row.modifiedAt !== integrity?.modifiedAt) return;
        const verifiedAt = ctx.clock.time();
        if (isSame) settle(ctx, row, { verifiedAt, modifiedAt: head.modifiedAt.getTime() });
        else saveProblem(ctx, { ...row, verifiedAt }, 'content');
      },
    };
  }
}
