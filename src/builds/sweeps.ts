// Clean-ups of the storage: uploads that were never completed, and objects that no row refers to.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { hasArchive } from '../accounts/exports/store.ts';
import type { Context, Sweep } from '../core/context.ts';
import { doomObjects, removeDoomedObjects } from '../core/object-removal.ts';
import { findImagesInUse } from '../images/service.ts';
import { DAY, MINUTE } from '../lib/clock.ts';
import { iconKey, packageKey } from './objects.ts';
import { deletePending, isCompleted, isPending, listExpired } from './store.ts';
import { findWalkPosition, keepWalkPosition } from './walk-store.ts';

const UPLOADS_PER_BATCH = 50;
const BATCHES_PER_RUN = 20;
const OBJECTS_PER_WALK = 2_000;
/**
 * Under the first two every object belongs to an upload, whose id is the next part of the key; then come pictures, and archives
 * of personal data.
 */
const WALKED_PREFIXES = ['pending/', 'builds/', 'icons/', 'exports/'];
const KEY_OF_ARCHIVE = /^exports\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.zip$/;
const KEY_OF_ICON = /^icons\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KEY_OF_UPLOAD = /^(pending|builds)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|$)/;

/** Removes expired pending uploads, which frees their identities, and their objects. */
const pendingUploadsSweep: Sweep = {
  name: 'pending-uploads',
  schedule: '*/5 * * * *',
  async run(ctx) {
    let removed = 0;
    for (let batch = 0; batch < BATCHES_PER_RUN; batch += 1) {
      const count = removeExpired(ctx);
      removed += count;
      if (count < UPLOADS_PER_BATCH) break;
      await yieldToOthers();
    }
    // After the rows: a storage that fails holds up no identity.
    if (removed > 0) await removeDoomedObjects(ctx);
    return removed;
  },
};

function removeExpired(ctx: Context): number {
  return ctx.transact(
    (tx) => {
      const rows = listExpired(tx, tx.now, UPLOADS_PER_BATCH);
      for (const { id, objectKey } of rows) {
        deletePending(tx, id);
        // A complete that broke off may have moved the bytes already.
        doomObjects(tx, [objectKey, packageKey(id, 'ios'), packageKey(id, 'android'), iconKey(id)]);
      }
      return rows.length;
    },
    { bookkeeping: true },
  );
}

/** Removes what is doomed, and objects that a crash or a foreign hand left without a row. */
const orphanedObjectsSweep: Sweep = {
  name: 'orphaned-objects',
  deletesByAge: true,
  schedule: '17 * * * *',
  async run(ctx) {
    let removed = await removeDoomedObjects(ctx);
    for (const prefix of WALKED_PREFIXES) removed += await walkObjects(ctx, prefix);
    return removed;
  },
};

/** Looks at the next objects under a prefix, and starts over at the end. What is young may still get its row. */
async function walkObjects(ctx: Context, prefix: string): Promise<number> {
  const { storage, config } = ctx;
  const safeAge = DAY + config.limits.pending_upload_lifetime_minutes * MINUTE;
  const youngest = ctx.clock.now().getTime() - safeAge;
  const page = await storage.list(prefix, { after: findWalkPosition(ctx, prefix), limit: OBJECTS_PER_WALK });
  let removed = 0;
  const old = page.items.filter(({ modifiedAt }) => modifiedAt.getTime() <= youngest).map(({ key }) => key);
  // One look for all icons of the page: no index leads from a key to its row.
  const icons = old.filter((key) => KEY_OF_ICON.test(key));
  const iconsInUse = findImagesInUse(ctx, icons);
  const orphans = [...icons.filter((key) => !iconsInUse.has(key)), ...old.filter((key) => isOrphan(ctx, key))];
  for (const key of orphans) {
    ctx.log.warn({ object: key }, 'an object without a row is removed');
    await storage.delete(key);
    removed += 1;
  }
  keepWalkPosition(ctx, prefix, page.next);
  return removed;
}

/** Whether the object belongs to an upload or an export that no row knows. Keys of another form are somebody else's. */
function isOrphan(ctx: Context, key: string): boolean {
  const [, exportId] = KEY_OF_ARCHIVE.exec(key) ?? [];
  if (exportId !== undefined) return !hasArchive(ctx, exportId);
  const [, prefix, uploadId] = KEY_OF_UPLOAD.exec(key) ?? [];
  if (uploadId === undefined || isPending(ctx, uploadId)) return false;
  return prefix === 'pending' || !isCompleted(ctx, uploadId);
}

export const buildSweeps: readonly Sweep[] = [pendingUploadsSweep, orphanedObjectsSweep];
