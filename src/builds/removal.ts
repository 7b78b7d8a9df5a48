// Deletes builds with their releases and their bytes.
import { forgetStoredBytes } from '../billing/gates.ts';
import type { ProjectContext, RawRow, Tx } from '../core/context.ts';
import { queueObjectDeletion } from '../core/object-deletion.ts';
import { removeRow } from '../core/removal.ts';
import type { Author } from '../events.ts';
import { recordBuild } from './service.ts';
import * as store from './store.ts';
import { announceWithdrawal } from './withdrawal.ts';

/**
 * Deletes a build in any state. Its releases are deleted and recorded too, so
 * that channels return to the previous release. Recorded downloads still count. Version name and build number become
 * available again.
 */
export function deleteBuild(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => removeBuild(tx, store.loadBuild(tx, ctx.project.id, id), 'build.deleted', {}), {
    removes: true,
  });
}

/** Deletes a build and records the given event, in a transaction that `removes`. */
export function removeBuild(
  tx: Tx,
  row: store.BuildRow,
  event: 'build.deleted' | 'build.retention_expired',
  details: Record<string, unknown>,
): void {
  announceWithdrawal(tx, row.projectId);
  forgetStoredBytes(tx, { organizationId: row.organizationId, bytes: row.sizeBytes, key: row.objectKey });
  removeRow(tx, 'builds', row.id);
  queueObjectDeletion(tx, [row.objectKey, row.iconKey]);
  recordBuild(tx, event, row, details);
}

/** Records the deletion of a build that is deleted with its project, and queues its objects for deletion. */
export function recordRemovedBuild(tx: Tx, row: RawRow, author: Author): void {
  const build = {
    id: String(row.id),
    organizationId: String(row.organization_id),
    projectId: String(row.project_id),
    platform: row.platform as store.BuildRow['platform'],
    versionName: String(row.version_name),
    buildNumber: Number(row.build_number),
    packageBuildNumber: row.package_build_number === null ? null : String(row.package_build_number),
  };
  const { organizationId } = build;
  forgetStoredBytes(tx, { organizationId, bytes: Number(row.size_bytes), key: String(row.object_key) });
  queueObjectDeletion(tx, [String(row.object_key), row.icon_key === null ? null : String(row.icon_key)]);
  recordBuild(tx, 'build.deleted', build, {}, { author });
}
