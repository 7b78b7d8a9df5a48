// Completes uploads: reads the package, moves it to its final key and saves the build (docs/specification/builds.md#upload).

import { admitBuild, checkBuildFunds } from '../billing/gates.ts';
import { versionDetails } from '../builds/build-number.ts';
import { insertFacts } from '../builds/fact-store.ts';
import { insertIntegrity } from '../builds/integrity.ts';
import { iconKey, packageKey } from '../builds/objects.ts';
import { takenOver } from '../builds/origin.ts';
import type { CompletedBuild } from '../builds/schema.ts';
import { recordBuild, toBuild } from '../builds/service.ts';
import { withStorage } from '../builds/storage-errors.ts';
import * as store from '../builds/store.ts';
import { developerIdOf } from '../core/actor.ts';
import type { ProjectContext } from '../core/context.ts';
import { queueMovedSource, queueObjectDeletion } from '../core/object-deletion.ts';
import { type MovedObject, type ObjectHead, type ObjectHeadAndTail, StorageError } from '../core/storage.ts';
import { readIconColor, storedColor } from '../images/icon-color.ts';
import { inspectorOf } from '../inspection/run.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { versionKey } from '../lib/version-key.ts';
import { adoptFirstBuild } from '../projects/service.ts';
import { loadProject } from '../projects/store.ts';
import { listAutomaticReleases, releaseAutomatically } from '../releases/service.ts';
import { claimNumber, identityLock, type KeptOutcome, type OwnIdentity, readIdentity } from './identity.ts';
import { createPackageSource, holdTail } from './package-source.ts';
import { settleRepeated } from './repeated.ts';

/** How often complete retries when the bytes are replaced, or moved by another complete, while it reads them. */
const MAX_ATTEMPTS = 4;

/**
 * Creates a build from the uploaded bytes: checks their size, inspects them, moves them to their final key, and saves
 * the build in one transaction. Everything before the transaction can be repeated, so a crash leaves either an upload
 * that can be completed or a build. Repeating it with the same checksum returns the same build. Of concurrent calls,
 * one inspects and the others wait.
 */
export async function completeUpload(
  ctx: ProjectContext,
  pendingUploadId: string,
  sha256: string,
): Promise<CompletedBuild> {
  return ctx.locks([`complete ${pendingUploadId}`], () => completeAlone(ctx, pendingUploadId, sha256));
}

async function completeAlone(ctx: ProjectContext, pendingUploadId: string, sha256: string): Promise<CompletedBuild> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const done = findDone(ctx, pendingUploadId, sha256);
    if (done !== undefined) return toCompleted(ctx, done);
    if (attempt > 0 && !store.isPending(ctx, pendingUploadId)) discardStored(ctx, pendingUploadId);
    const pending = loadOpenUpload(ctx, pendingUploadId);
    try {
      return await withStorage(ctx, () => completeOnce(ctx, pending, sha256));
    } catch (error) {
      const isOvertaken = error instanceof StorageError && (error.code === 'changed' || error.code === 'not_found');
      if (!isOvertaken) throw error;
    }
  }
  throw new AppError(
    'operation_not_allowed',
    'The uploaded bytes keep changing. Complete the upload after the last PUT has finished',
  );
}

function toCompleted(ctx: ProjectContext, row: store.BuildRow): CompletedBuild {
  const { sizeBudgetBytes: budget } = loadProject(ctx, row.projectId);
  const over = budget === null ? 0 : row.sizeBytes - budget;
  return {
    ...toBuild(ctx, row),
    released_to: listAutomaticReleases(ctx, row),
    over_budget_bytes: over > 0 ? over : null,
  };
}

/** Returns the build created by an earlier call. Throws for another checksum, because it would be another upload. */
function findDone(ctx: ProjectContext, pendingUploadId: string, sha256: string): store.BuildRow | undefined {
  const row = store.findBuildOfUpload(ctx, ctx.project.id, pendingUploadId);
  if (row !== undefined && row.sha256.toLowerCase() !== sha256.toLowerCase()) {
    throw new AppError('operation_not_allowed', 'This upload was already completed with another checksum');
  }
  return row;
}

function loadOpenUpload(ctx: ProjectContext, pendingUploadId: string): store.PendingRow {
  const pending = store.findPending(ctx, ctx.project.id, pendingUploadId);
  if (pending === undefined) throw notFound();
  if (pending.expiresAt <= ctx.clock.time()) {
    throw new AppError('operation_not_allowed', 'The upload has expired. Start a new one');
  }
  return pending;
}

async function completeOnce(ctx: ProjectContext, pending: store.PendingRow, sha256: string): Promise<CompletedBuild> {
  const finalKey = packageKey(pending.id, ctx.project.platform);
  const { key, head, outcome } = await holdTail(ctx, pending.organizationId, async (tailBytes) => {
    const { key, head } = await findBytes(ctx, pending, { finalKey, tailBytes });
    await refuseTooLarge(ctx, key, head);
    const outcome = await inspectBytes(ctx, key, head);
    const { tail: _read, ...rest } = head;
    return { key, head: rest, outcome };
  });
  const own = readIdentity(pending, outcome);
  const uploaded = { pending, sha256, key, finalKey, head, outcome, own };
  const { isReserved, versionName, buildNumber } = own;
  if (isReserved || buildNumber === undefined) return saveBuild(ctx, uploaded);
  const identity = { projectId: pending.projectId, versionName, buildNumber };
  // Of uploads of one identity that are completed at the same time, all but the first are refused before their package is moved,
  // which closes upload_url. Initiate respects the lock too.
  return ctx.locks([identityLock(identity)], async () => {
    const same = settleRepeated(ctx, pending, identity, { sha256, sizeBytes: head.size });
    return same === undefined ? saveBuild(ctx, uploaded) : toCompleted(ctx, same);
  });
}

/** Deletes a package that is larger than allowed, and throws `payload_too_large`. */
async function refuseTooLarge({ config, storage }: ProjectContext, key: string, { size }: ObjectHead): Promise<void> {
  const { build_size_bytes: max } = config.limits;
  if (size <= max) return;
  await storage.delete(key);
  throw new AppError('payload_too_large', `A build can have at most ${max} bytes, but this one has ${size}`);
}

interface Uploaded {
  pending: store.PendingRow;
  sha256: string;
  /** Where the bytes are, and where those of a build belong. */
  key: string;
  finalKey: string;
  head: ObjectHead;
  outcome: KeptOutcome;
  own: OwnIdentity;
}

/** Moves the package to its final key, and saves the build. */
async function saveBuild(ctx: ProjectContext, uploaded: Uploaded): Promise<CompletedBuild> {
  const { pending, sha256, key, finalKey, head, outcome, own } = uploaded;
  // Before the package is moved too, so that it can be replaced if it can't be paid.
  checkBuildFunds(ctx, { organizationId: pending.organizationId, uploadId: pending.id, bytes: head.size, key });
  const icon = outcome.status === 'ok' ? outcome.icon : null;
  const stored = await storeBuild(ctx, {
    key,
    finalKey,
    head,
    icon: icon && { key: iconKey(pending.id), png: icon.png },
  });
  // Taken from the uploaded object, because moving it may change its time in some backends.
  const seal = { sha256: head.sha256, modifiedAt: stored.modifiedAt };
  const leftKey = stored.isSourceLeft ? pending.objectKey : null;

  const found = outcome.status === 'ok' ? outcome.inspection : undefined;
  const { columns, labels } = takenOver(pending);
  const facts: UploadedFacts = {
    organizationId: pending.organizationId,
    projectId: pending.projectId,
    platform: ctx.project.platform,
    versionName: own.versionName,
    packageBuildNumber: found?.build_number ?? null,
    sha256,
    sizeBytes: head.size,
    bundleIdentifier: pending.bundleIdentifier ?? found?.bundle_identifier ?? null,
    minOsVersion: found?.min_os_version ?? null,
    objectKey: finalKey,
    iconKey: icon === null ? null : iconKey(pending.id),
    iconType: icon?.contentType ?? null,
    iconColor: icon === null ? null : storedColor(await readIconColor(icon.png)),
    inspectionStatus: outcome.status,
    revokedAt: null,
    retentionNoticeAt: null,
    pinnedAt: null,
    uploadedByDeveloperId: developerIdOf(ctx.actor),
    pendingUploadId: pending.id,
    uploadedByToken: ctx.actor.kind === 'project_access_token' ? ctx.actor.name : null,
    ...columns,
  };
  const uploadUntil = pending.expiresAt;
  return toCompleted(ctx, writeBuild(ctx, { facts, own, labels, outcome, seal, leftKey, uploadUntil }));
}

/** What is known of a build before the transaction, which gives it its number. */
type UploadedFacts = Omit<store.BuildRow, 'id' | 'uploadedAt' | 'buildNumber' | 'versionKey'>;

/**
 * Returns the bytes under the upload key, or under the final key if an earlier complete call was interrupted after the
 * move. A folder is asked for the final key first, so that uploads after the move have no effect. A remote storage is asked for
 * the upload key first, which is one request: until the build exists, the newest bytes count.
 */
async function findBytes(
  { storage }: ProjectContext,
  pending: store.PendingRow,
  { finalKey, tailBytes }: { finalKey: string; tailBytes: number },
): Promise<{ key: string; head: ObjectHeadAndTail }> {
  // The final key is checked again at the end, because another complete call may have moved the bytes in between.
  const isFolder = storage.placeOf(pending.objectKey) === 'local';
  const keys = isFolder ? [finalKey, pending.objectKey, finalKey] : [pending.objectKey, finalKey];
  // Without `near`, a package that isn't at its final key yet would be searched in the other backends.
  const options = { tailBytes, near: pending.objectKey };
  for (const key of keys) {
    const head = await storage.head(key, options);
    if (head !== undefined) return { key, head };
  }
  throw new AppError('operation_not_allowed', 'No bytes have arrived yet. PUT the package to upload_url first');
}

/** Moves the package to its final key and stores its icon. Both are complete or failed when this returns or throws. */
async function storeBuild(
  { storage }: ProjectContext,
  bytes: { key: string; finalKey: string; head: ObjectHead; icon: { key: string; png: Buffer } | null },
): Promise<MovedObject> {
  const { key, finalKey, head, icon } = bytes;
  const [moved, kept] = await Promise.allSettled([
    key === finalKey
      ? { ...head, isSourceLeft: storage.placeOf(finalKey) !== 'local' }
      : storage.move(key, finalKey, head),
    icon && storage.put(icon.key, icon.png),
  ]);
  if (moved.status === 'rejected') throw moved.reason;
  if (kept.status === 'rejected') throw kept.reason;
  return moved.value;
}

/**
 * Reads parts of the archive. Rejects unsupported kinds but keeps their bytes, so that the right ones can be uploaded
 * over them.
 */
async function inspectBytes(ctx: ProjectContext, key: string, head: ObjectHeadAndTail) {
  const { storage, project, organization } = ctx;
  const source = createPackageSource(storage, key, head);
  const outcome = await inspectorOf(ctx).inspect(source, project.platform, organization.id);
  if (outcome.status === 'rejected') throw new AppError('invalid_input', outcome.reason);
  // A project that is created from a package gets its name from it.
  if (outcome.status === 'unreadable' && loadProject(ctx, project.id).isDraft) {
    throw new AppError('invalid_input', `The package can't be read: ${outcome.reason}`);
  }
  return outcome;
}

/** The transaction: the build replaces its pending upload. Of concurrent calls, one saves and all return its build. */
function writeBuild(
  ctx: ProjectContext,
  build: {
    facts: UploadedFacts;
    own: OwnIdentity;
    labels: readonly string[];
    outcome: KeptOutcome;
    seal: { sha256: string | undefined; modifiedAt: Date };
    /** The uploaded object, if it was copied; others may write to it until `uploadUntil`. */
    leftKey: string | null;
    uploadUntil: number;
  },
): store.BuildRow {
  const { facts, own, labels, outcome, seal, leftKey, uploadUntil } = build;
  const { pendingUploadId } = facts;
  const written = ctx.transact((tx) => {
    const done = findDone(ctx, pendingUploadId, facts.sha256);
    if (done !== undefined) return done;
    if (store.findPending(tx, facts.projectId, pendingUploadId) === undefined) return undefined;
    // Reading and moving a large package takes a while.
    tx.confirmAccess();
    const buildNumber = claimNumber(tx, facts.projectId, own);
    const { organizationId, sizeBytes: bytes } = facts;
    admitBuild(tx, { organizationId, uploadId: pendingUploadId, bytes, key: facts.objectKey });
    const row: store.BuildRow = {
      ...facts,
      id: tx.ids.next(),
      buildNumber,
      versionKey: versionKey(facts.versionName, buildNumber),
      uploadedAt: tx.now,
    };
    store.insertBuild(tx, row, {
      content: outcome.status === 'ok' ? JSON.stringify(outcome.inspection) : null,
      reason: outcome.status === 'ok' ? null : outcome.reason,
    });
    store.insertLabels(tx, row, labels);
    if (outcome.status === 'ok') insertFacts(tx, row.id, outcome.inspection);
    insertIntegrity(tx, row.id, seal);
    store.deletePending(tx, pendingUploadId);
    if (leftKey !== null) queueMovedSource(tx, leftKey, uploadUntil);
    // The archive was read before the build exists, so this transaction records both events.
    const inspected = {
      data: { build_id: row.id, inspection_status: row.inspectionStatus },
      details: { ...versionDetails(row), status: row.inspectionStatus },
    };
    recordBuild(tx, 'build.uploaded', row, { size_bytes: row.sizeBytes }, { also: inspected });
    if (outcome.status === 'ok') adoptFirstBuild(tx, row.projectId, outcome.inspection);
    releaseAutomatically(tx, row);
    return row;
  });
  if (written !== undefined) return written;
  discardStored(ctx, pendingUploadId);
  throw notFound();
}

/** Deletes what was stored for an upload after it was deleted: it doesn't belong to any upload, so nothing else would. */
function discardStored(ctx: ProjectContext, uploadId: string): void {
  const keys = [packageKey(uploadId, ctx.project.platform), iconKey(uploadId)];
  ctx.transact((tx) => queueObjectDeletion(tx, keys), { bookkeeping: true });
}
