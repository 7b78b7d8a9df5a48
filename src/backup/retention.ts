// Deletes old backups, and the contents that no backup needs anymore.

import type { DeleteFailure } from '../core/storage.ts';
import { DAY } from '../lib/clock.ts';
import { describeStorageError } from '../storage/watch.ts';
import { listAll, listBackups, loadManifest, oldestFirst, readFileList, startOf } from './catalog.ts';
import type { FileIndex } from './file-index.ts';
import { BackupDamaged, CONTENTS, manifestName } from './format.ts';
import type { BackupPlace } from './place.ts';

/** What a backup that is still being made writes has no manifest yet. */
const UNFINISHED_LIFETIME_MS = 2 * DAY;
const DELETE_BATCH = 500;

/**
 * Keeps the newest `keep` complete backups of a server, and all of other servers. Returns how many backups were deleted, how many are of
 * other servers, and a problem: that something couldn't be deleted, or no contents, because without the list of a backup, it isn't known
 * which contents it needs.
 */
export async function deleteOldBackups(
  place: BackupPlace,
  { keep, now, index, server }: { keep: number; now: Date; index: FileIndex; server: string },
): Promise<{ deleted: number; foreign: number; problem?: string }> {
  const unfinishedBefore = new Date(now.getTime() - UNFINISHED_LIFETIME_MS);
  const backups = await listBackups(place);
  const complete = backups.filter(({ isComplete }) => isComplete);
  const own: typeof complete = [];
  for (const backup of complete) if (await isOf(place, backup.id, server)) own.push(backup);
  const old = oldestFirst(own, now.getTime()).slice(0, Math.max(0, own.length - keep));
  const deleted: typeof old = [];
  const foreign = complete.length - own.length;
  let failure: DeleteFailure | undefined;
  /** A file that can't be deleted doesn't stop the deletion of others. */
  const remove = async (files: readonly string[]): Promise<boolean> => {
    const [first] = await place.deleteMany(files);
    failure ??= first;
    return first === undefined;
  };
  for (const backup of old) {
    // Without this file it isn't a backup, even if other files remain.
    const manifest = manifestName(backup.id);
    if (!(await remove([manifest]))) continue;
    deleted.push(backup);
    await remove(backup.files.filter((file) => file !== manifest));
  }
  for (const { id, files, isComplete } of backups) {
    if (!isComplete && startOf(id) < unfinishedBefore.getTime()) await remove(files);
  }
  await place.deleteParts?.(unfinishedBefore);
  try {
    for (const { id } of complete.filter((backup) => !deleted.includes(backup))) {
      for await (const file of readFileList(place, await loadManifest(place, id))) index.addFile(file);
    }
  } catch (error) {
    if (!(error instanceof BackupDamaged)) throw error;
    return { deleted: deleted.length, foreign, problem: `contents weren't cleaned up: ${error.message}` };
  }
  const unneeded: string[] = [];
  const flush = async () => void (await remove(unneeded.splice(0)));
  for await (const { key, modifiedAt } of listAll(place, CONTENTS)) {
    if (modifiedAt > unfinishedBefore || index.findFile(key) !== undefined) continue;
    unneeded.push(key);
    if (unneeded.length >= DELETE_BATCH) await flush();
  }
  if (unneeded.length > 0) await flush();
  const problem = failure && `${failure.key} wasn't deleted: ${describeStorageError(failure.error)}`;
  return { deleted: deleted.length, foreign, ...(problem === undefined ? {} : { problem }) };
}

/** Whether a backup is of a server. Earlier versions didn't say, and a damaged manifest doesn't. */
async function isOf(place: BackupPlace, id: string, server: string): Promise<boolean> {
  try {
    const { server: owner = server } = await loadManifest(place, id);
    return owner === server;
  } catch (error) {
    if (error instanceof BackupDamaged) return true;
    throw error;
  }
}
