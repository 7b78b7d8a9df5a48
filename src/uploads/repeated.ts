// Uploads of a package that already is a build, such as those of a CI job that is repeated (docs/specification/builds.md#upload).

import { releaseUpload } from '../billing/gates.ts';
import { iconKey, packageKey } from '../builds/objects.ts';
import * as store from '../builds/store.ts';
import type { App, ProjectContext } from '../core/context.ts';
import { queueMovedSource, queueObjectDeletion } from '../core/object-deletion.ts';
import { refuseClaimed } from './identity.ts';

/**
 * Ends an upload whose package already is an active build, and returns that build; undefined if there is none. Throws
 * `already_exists` as `findSamePackage`.
 */
export function settleRepeated(
  ctx: ProjectContext,
  { id, objectKey, expiresAt }: store.PendingRow,
  identity: store.Identity,
  facts: Pick<store.BuildRow, 'sha256' | 'sizeBytes'>,
): store.BuildRow | undefined {
  return ctx.transact(
    (tx) => {
      const same = findSamePackage(tx, identity, facts);
      if (same === undefined) return undefined;
      tx.confirmAccess();
      store.deletePending(tx, id);
      releaseUpload(tx, id);
      store.insertRepeated(tx, { pendingUploadId: id, buildId: same.id, expiresAt });
      // An interrupted complete call may already have moved the bytes.
      queueObjectDeletion(tx, [packageKey(id, same.platform), iconKey(id)]);
      queueMovedSource(tx, objectKey, expiresAt);
      return same;
    },
    { bookkeeping: true },
  );
}

/**
 * Returns the active build that already has this package, so that an upload without an identity can be repeated. Throws
 * `already_exists` if another build or a pending upload has the identity.
 */
function findSamePackage(
  app: Pick<App, 'db' | 'clock'>,
  identity: store.Identity,
  { sha256, sizeBytes }: Pick<store.BuildRow, 'sha256' | 'sizeBytes'>,
): store.BuildRow | undefined {
  const claim = store.findClaim(app, identity);
  const holder = claim?.by === 'build' ? store.findBuild(app, claim.buildId) : undefined;
  const isSame =
    holder?.revokedAt === null &&
    holder.sha256.toLowerCase() === sha256.toLowerCase() &&
    holder.sizeBytes === sizeBytes;
  if (isSame) return holder;
  refuseClaimed(claim);
  return undefined;
}
