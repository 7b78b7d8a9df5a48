// The way of a build into the service: initiate, PUT to the storage, complete (specification part 4, Upload flow rules).

import { subjectOf } from '../builds/downloads.ts';
import { insertFacts } from '../builds/fact-store.ts';
import { insertIntegrity } from '../builds/integrity.ts';
import { iconKey, packageKey, pendingKey, uploadOfPackage } from '../builds/objects.ts';
import type { CompletedBuild, InitiateBuild, PendingUpload } from '../builds/schema.ts';
import { recordBuild, toBuild } from '../builds/service.ts';
import { withStorage } from '../builds/storage-errors.ts';
import * as store from '../builds/store.ts';
import { developerIdOf } from '../core/actor.ts';
import type { App, ProjectContext } from '../core/context.ts';
import { queueObjectDeletion } from '../core/object-deletion.ts';
import { type ObjectHead, StorageError } from '../core/storage.ts';
import type { InspectionOutcome } from '../inspection/inspect.ts';
import { inspectorOf } from '../inspection/run.ts';
import { MINUTE, timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { pinIdentifier } from '../projects/service.ts';
import { listAutomaticReleases, releaseAutomatically } from '../releases/service.ts';

/** How often complete looks again when the bytes are replaced, or moved by another complete, under its eyes. */
const MOST_ATTEMPTS = 4;

type KeptOutcome = Exclude<InspectionOutcome, { status: 'rejected' }>;

/**
 * Claims the identity (project, version name, build number) and answers a signed URL for the bytes. already_exists when a
 * build or a pending upload holds the claim; rate_limit_exceeded when too many uploads wait. Expired uploads hold claim and
 * place until the sweep removes them (completions 10.8).
 */
export async function initiateUpload(ctx: ProjectContext, body: InitiateBuild): Promise<PendingUpload> {
  const { limits } = ctx.config;
  const id = ctx.ids.next();
  const createdAt = ctx.clock.now().getTime();
  const expiresAt = createdAt + limits.pending_upload_lifetime_minutes * MINUTE;
  const row: store.PendingRow = {
    id,
    organizationId: ctx.organization.id,
    projectId: ctx.project.id,
    versionName: body.version_name,
    buildNumber: body.build_number,
    bundleIdentifier: body.bundle_identifier ?? null,
    originalFilename: body.original_filename ?? null,
    releaseNotes: body.release_notes ?? null,
    objectKey: pendingKey(id),
    createdAt,
    expiresAt,
  };
  // Before anything is claimed: a storage that is full or cannot sign leaves no claim behind.
  const { url, requiredHeaders } = await withStorage(ctx, async () => {
    if (!(await ctx.storage.hasRoom())) throw new StorageError('full', 'only the reserve of the disk is left');
    return ctx.storage.signPut({ key: row.objectKey, expiresAt: new Date(expiresAt), subject: subjectOf(ctx) });
  });
  ctx.transact(
    (tx) => {
      refuseClaimed(store.findClaim(tx, row));
      if (store.countPending(tx, row.projectId) >= limits.pending_uploads_per_project) {
        throw new AppError(
          'rate_limit_exceeded',
          `At most ${limits.pending_uploads_per_project} uploads may be in flight in a project; complete some, or wait for the sweep of abandoned ones`,
        );
      }
      store.insertPending(tx, row);
    },
    { bookkeeping: true },
  );
  return {
    pending_upload_id: id,
    upload_url: url,
    expires_at: timestamp(expiresAt),
    required_headers: { ...requiredHeaders },
    max_size_bytes: limits.build_size_bytes,
  };
}

/** The project that an object on its way in belongs to; undefined when no pending upload has this key. */
export function findUploadProject(app: Pick<App, 'db' | 'clock'>, key: string): string | undefined {
  const id = uploadOfPackage(key);
  return id === undefined ? undefined : store.findPendingById(app, id)?.projectId;
}

function refuseClaimed(claim: store.Claim | undefined): void {
  if (claim?.by === 'build') {
    throw new AppError('already_exists', 'A build of this version name and build number exists', {
      claimed_by: 'build',
      build_id: claim.buildId,
    });
  }
  if (claim !== undefined) {
    throw new AppError(
      'already_exists',
      'An upload of this version name and build number was begun; it keeps them until it is completed or swept after its expiry',
      { claimed_by: 'pending_upload' },
    );
  }
}

/**
 * Makes a build of the bytes that were sent: checks their size, inspects them, gives them their final key, and writes the
 * build in one transaction. What comes before the transaction can be done again, so that a crash anywhere leaves an upload
 * that can be completed or a build. Repeated with the same checksum it answers the same build; of any number at once one
 * inspects and the others wait for it.
 */
export async function completeUpload(
  ctx: ProjectContext,
  pendingUploadId: string,
  sha256: string,
): Promise<CompletedBuild> {
  return ctx.locks([`complete ${pendingUploadId}`], () => completeAlone(ctx, pendingUploadId, sha256));
}

async function completeAlone(ctx: ProjectContext, pendingUploadId: string, sha256: string): Promise<CompletedBuild> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const done = findDone(ctx, pendingUploadId, sha256);
    if (done !== undefined) return toCompleted(ctx, done);
    const pending = loadOpenUpload(ctx, pendingUploadId);
    try {
      return await withStorage(ctx, () => completeOnce(ctx, pending, sha256));
    } catch (error) {
      const isOvertaken = error instanceof StorageError && (error.code === 'changed' || error.code === 'not_found');
      if (!isOvertaken) throw error;
    }
  }
  throw new AppError('operation_not_allowed', 'The bytes keep changing; complete after the last PUT has ended');
}

function toCompleted(ctx: ProjectContext, row: store.BuildRow): CompletedBuild {
  return { ...toBuild(ctx, row), released_to: listAutomaticReleases(ctx, row) };
}

/** The build an earlier complete made. Another checksum than its own is refused: it would not be the same upload. */
function findDone(ctx: ProjectContext, pendingUploadId: string, sha256: string): store.BuildRow | undefined {
  const row = store.findBuildOfUpload(ctx, ctx.project.id, pendingUploadId);
  if (row !== undefined && row.sha256.toLowerCase() !== sha256.toLowerCase()) {
    throw new AppError('operation_not_allowed', 'This upload was completed with another checksum');
  }
  return row;
}

function loadOpenUpload(ctx: ProjectContext, pendingUploadId: string): store.PendingRow {
  const pending = store.findPending(ctx, ctx.project.id, pendingUploadId);
  if (pending === undefined) throw notFound();
  if (pending.expiresAt <= ctx.clock.now().getTime()) {
    throw new AppError('operation_not_allowed', 'The upload has expired; initiate again');
  }
  return pending;
}

async function completeOnce(ctx: ProjectContext, pending: store.PendingRow, sha256: string): Promise<CompletedBuild> {
  const finalKey = packageKey(pending.id, ctx.project.platform);
  const { key, head } = await findBytes(ctx, pending, finalKey);
  const { build_size_bytes: most } = ctx.config.limits;
  if (head.size > most) {
    await ctx.storage.delete(key);
    throw new AppError('payload_too_large', `A build may have at most ${most} bytes; these were ${head.size}`);
  }
  const outcome = await inspectBytes(ctx, key, head.size);
  if (key !== finalKey) await ctx.storage.move(key, finalKey, { etag: head.etag });
  const stored = await ctx.storage.head(finalKey);
  if (stored === undefined) throw new StorageError('not_found', 'the object was removed meanwhile');
  // Known of the object that was moved; how the backend moves it may change its time.
  const seal = { sha256: head.sha256, modifiedAt: stored.modifiedAt };
  const icon = outcome.status === 'ok' ? outcome.icon : null;
  if (icon !== null) await ctx.storage.put(iconKey(pending.id), icon.png);

  const found = outcome.status === 'ok' ? outcome.inspection : undefined;
  const row: Omit<store.BuildRow, 'id' | 'uploadedAt'> = {
    organizationId: pending.organizationId,
    projectId: pending.projectId,
    platform: ctx.project.platform,
    versionName: pending.versionName,
    buildNumber: pending.buildNumber,
    packageBuildNumber: found?.build_number ?? null,
    sha256,
    sizeBytes: head.size,
    bundleIdentifier: pending.bundleIdentifier ?? found?.bundle_identifier ?? null,
    originalFilename: pending.originalFilename,
    releaseNotes: pending.releaseNotes,
    minOsVersion: found?.min_os_version ?? null,
    objectKey: finalKey,
    iconKey: icon === null ? null : iconKey(pending.id),
    iconType: icon?.contentType ?? null,
    inspectionStatus: outcome.status,
    revokedAt: null,
    retentionNoticeAt: null,
    uploadedByDeveloperId: developerIdOf(ctx.actor),
    pendingUploadId: pending.id,
  };
  return toCompleted(ctx, writeBuild(ctx, row, outcome, seal));
}

/**
 * The bytes under the key they were sent to, or under the final one when an earlier complete broke off after the move. The
 * final ones come first: what is sent after the move, where a storage lets that happen, changes nothing.
 */
async function findBytes(
  { storage }: ProjectContext,
  pending: store.PendingRow,
  finalKey: string,
): Promise<{ key: string; head: ObjectHead }> {
  // The final key once more at the end: another complete may have moved the bytes between the two looks.
  for (const key of [finalKey, pending.objectKey, finalKey]) {
    const head = await storage.head(key);
    if (head !== undefined) return { key, head };
  }
  throw new AppError('operation_not_allowed', 'No bytes have arrived yet; PUT the package to upload_url first');
}

/** Reads the archive by ranges. One of another kind is refused; its bytes stay, so that the right ones can be sent over them. */
async function inspectBytes(ctx: ProjectContext, key: string, size: number) {
  const { storage, project, organization } = ctx;
  const source = {
    size,
    async read(offset: number, length: number): Promise<Buffer> {
      const bytes = await storage.read(key, offset, length);
      if (bytes.length !== length) throw new StorageError('changed', 'the object became shorter meanwhile');
      return bytes;
    },
  };
  const outcome = await inspectorOf(ctx).inspect(source, project.platform, organization.id);
  if (outcome.status === 'rejected') throw new AppError('invalid_input', outcome.reason);
  return outcome;
}

/** The transaction: the build takes the place of its pending upload. Of any number at once, one writes and all get its build. */
function writeBuild(
  ctx: ProjectContext,
  facts: Omit<store.BuildRow, 'id' | 'uploadedAt'>,
  outcome: KeptOutcome,
  seal: { sha256: string | undefined; modifiedAt: Date },
): store.BuildRow {
  const { pendingUploadId } = facts;
  const written = ctx.transact((tx) => {
    const done = findDone(ctx, pendingUploadId, facts.sha256);
    if (done !== undefined) return done;
    if (store.findPending(tx, facts.projectId, pendingUploadId) === undefined) return undefined;
    const row = { ...facts, id: tx.ids.next(), uploadedAt: tx.now };
    store.insertBuild(tx, row, {
      content: outcome.status === 'ok' ? JSON.stringify(outcome.inspection) : null,
      reason: outcome.status === 'ok' ? null : outcome.reason,
    });
    if (outcome.status === 'ok') insertFacts(tx, row.id, outcome.inspection);
    insertIntegrity(tx, row.id, seal);
    store.deletePending(tx, pendingUploadId);
    recordBuild(tx, 'build.uploaded', row, { size_bytes: row.sizeBytes });
    if (outcome.status === 'ok') pinIdentifier(tx, row.projectId, outcome.inspection.bundle_identifier);
    releaseAutomatically(tx, row);
    return row;
  });
  if (written !== undefined) return written;
  // Swept meanwhile: what was moved here after the sweep looked belongs to nobody.
  ctx.transact((tx) => queueObjectDeletion(tx, [facts.objectKey, facts.iconKey]), { bookkeeping: true });
  throw notFound();
}
