// Deleting a build for good, with its releases and its bytes.
import type { ProjectContext, Tx } from '../platform/context.ts';
import { doomObjects } from '../platform/doomed-objects.ts';
import { deleteReleasesOfBuild } from '../releases/service.ts';
import { recordBuild } from './service.ts';
import * as store from './store.ts';

/**
 * Deletes a build in any state (specification part 3: active or revoked). Its releases go with it, each recorded, so that a
 * channel falls back to the release before; stamped downloads stay counted. Its identity is free again.
 */
export function deleteBuild(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => removeBuild(tx, store.loadBuild(tx, ctx.project.id, id), 'build.deleted', {}));
}

/** Removes a build under the event that ends it. */
export function removeBuild(
  tx: Tx,
  row: store.BuildRow,
  event: 'build.deleted' | 'build.retention_expired',
  details: Record<string, unknown>,
): void {
  deleteReleasesOfBuild(tx, row.id);
  store.deleteBuild(tx, row.id);
  doomObjects(tx, [row.objectKey, row.iconKey]);
  recordBuild(tx, event, row, details);
}
