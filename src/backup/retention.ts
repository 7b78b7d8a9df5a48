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
  const remover = createRemover(place);
  const backups = await listBackups(place);
  const complete = backups.filter(({ isComplete }) => isComplete);
  const own: Backup[] = [];
  for (const backup of complete) if (await isOf(place, backup.id, server)) own.push(backup);
  const foreign = complete.length - own.length;
  const old = oldestFirst(own, now.getTime()).slice(0, Math.max(0, own.length - keep));
  const deleted = await deleteBackups(remover, old);
  for (const { id, files, isComplete } of backups) {
    if (!isComplete && startOf(id) < unfinishedBefore.getTime()) await remover.remove(files);
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
  await deleteUnneeded(place, remover, { index, before: unfinishedBefore });
  const problem = remover.problem();
  return { deleted: deleted.length, foreign, ...(problem === undefined ? {} : { problem }) };
}

type Backup = Awaited<ReturnType<typeof listBackups>>[number];
type Remover = ReturnType<typeof createRemover>;

/** Deletes files and remembers the first failure: a file that can't be deleted doesn't stop the deletion of others. */
function createRemover(place: BackupPlace) {
  let failure: DeleteFailure | undefined;
  return {
    /** Returns whether all files were deleted. */
    async remove(files: readonly string[]): Promise<boolean> {
      const [first] = await place.deleteMany(files);
      failure ??= first;
      return first === undefined;
    },
    problem: () => failure && `${failure.key} wasn't deleted: ${describeStorageError(failure.error)}`,
  };
}

/** Returns the backups that were deleted: without its manifest, none is a backup, even if other files remain. */
async function deleteBackups({ remove }: Remover, backups: readonly Backup[]): Promise<Backup[]> {
  const deleted: Backup[] = [];
  for (const backup of backups) {
    const manifest = manifestName(backup.id);
    if (!(await remove([manifest]))) continue;
    deleted.push(backup);
    await remove(backup.files.filter((file) => file !== manifest));
  }
  return deleted;
}

/** Deletes the contents that aren't in the index. Newer ones can be of a backup that is still being made. */
async function deleteUnneeded(
  place: BackupPlace,
  { remove }: Remover,
  { index, before }: { index: FileIndex; before: Date },
): Promise<void> {
  const unneeded: string[] = [];
  for await (const { key, modifiedAt } of listAll(place, CONTENTS)) {
    if (modifiedAt > before || index.findFile(key) !== undefined) continue;
    unneeded.push(key);
    if (unneeded.length >= DELETE_BATCH) await remove(unneeded.splice(0));
  }
  if (unneeded.length > 0) await remove(unneeded);
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
