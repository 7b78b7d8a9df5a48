// Initiates uploads of packages: reserves the identity and signs a link for the bytes (docs/specification/builds.md#upload).

import { reserveUpload } from '../billing/gates.ts';
import { subjectOf } from '../builds/downloads.ts';
import { pendingKey, uploadOfPackage } from '../builds/objects.ts';
import { pendingColumns } from '../builds/origin.ts';
import type { InitiateBuild, PendingUpload } from '../builds/schema.ts';
import { withStorage } from '../builds/storage-errors.ts';
import * as store from '../builds/store.ts';
import type { App, ProjectContext } from '../core/context.ts';
import { StorageError } from '../core/storage.ts';
import { MINUTE, timestamp, wholeSecond } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { forgetPlace } from '../storage/stored-objects.ts';
import { isWhole, refuseReserved } from './identity.ts';

/**
 * Reserves the identity (project, version name, build number) and returns a signed URL for the bytes. What of the identity isn't sent
 * is read from the package at complete, which then reserves it. Throws
 * `already_exists` if a build or a pending upload has the identity, and `rate_limit_exceeded` if too many uploads are
 * pending. Expired uploads count until the cleanup job deletes them (docs/specification/builds.md#upload).
 */
export async function initiateUpload(ctx: ProjectContext, body: InitiateBuild): Promise<PendingUpload> {
  const { limits } = ctx.config;
  const { build_size_bytes: maxBytes } = limits;
  if (body.size_bytes !== undefined && body.size_bytes > maxBytes) {
    throw new AppError('payload_too_large', `A build can have at most ${maxBytes} bytes`);
  }
  const id = ctx.ids.next();
  const createdAt = ctx.clock.time();
  const expiresAt = wholeSecond(createdAt + limits.pending_upload_lifetime_minutes * MINUTE);
  const row: store.PendingRow = {
    id,
    organizationId: ctx.organization.id,
    projectId: ctx.project.id,
    versionName: body.version_name ?? null,
    buildNumber: body.build_number ?? null,
    bundleIdentifier: body.bundle_identifier ?? null,
    ...pendingColumns(body),
    objectKey: pendingKey(id),
    createdAt,
    expiresAt,
  };
  // Checked before reserving anything, so that a full or failing storage leaves no reservation.
  const { url, requiredHeaders } = await withStorage(ctx, async () => {
    if (!(await ctx.storage.hasRoom(row.organizationId)))
      throw new StorageError('full', 'only the reserve of the disk is left');
    return ctx.storage.signPut({
      key: row.objectKey,
      expiresAt: new Date(expiresAt),
      subject: subjectOf(ctx),
      size: body.size_bytes,
      contentType: body.content_type,
      organizationId: row.organizationId,
    });
  });
  try {
    reserve(ctx, row);
  } catch (error) {
    // Signing the link has recorded it, and nobody has the link.
    forgetPlace(ctx, row.objectKey);
    throw error;
  }
  return {
    pending_upload_id: id,
    upload_url: url,
    expires_at: timestamp(expiresAt),
    required_headers: { ...requiredHeaders },
    max_size_bytes: limits.build_size_bytes,
  };
}

/** Saves a pending upload. Throws as `initiateUpload`. */
function reserve(ctx: ProjectContext, row: store.PendingRow): void {
  const { pending_uploads_per_project: max } = ctx.config.limits;
  ctx.transact(
    (tx) => {
      tx.confirmAccess();
      if (isWhole(row)) refuseReserved(tx, row);
      if (store.countPending(tx, row.projectId) >= max) {
        throw new AppError(
          'rate_limit_exceeded',
          `At most ${max} uploads can be pending in a project. Complete some, or wait until expired ones are cleaned up`,
        );
      }
      reserveUpload(tx, row);
      store.insertPending(tx, row);
    },
    { bookkeeping: true },
  );
}

/** Returns the project of an object being uploaded, or undefined if no pending upload has this key. */
export function findUploadProject(app: Pick<App, 'db' | 'clock'>, key: string): string | undefined {
  const id = uploadOfPackage(key);
  return id === undefined ? undefined : store.findPendingById(app, id)?.projectId;
}

/** Whether a key is that of an upload that is no longer pending, so that nothing may be stored there. */
export function isUploadOver(app: Pick<App, 'db' | 'clock'>, key: string): boolean {
  const id = uploadOfPackage(key);
  return id !== undefined && key === pendingKey(id) && !store.isPending(app, id);
}
