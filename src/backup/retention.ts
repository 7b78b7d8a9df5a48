// Deletes old backups, and the contents that no backup needs anymore.
import { listAll, listBackups, loadManifest, oldestFirst, readFileList, startOf } from './catalog.ts';
import type { FileIndex } from './file-index.ts';
import { BackupDamaged, CONTENTS, manifestName } from './format.ts';
import type { BackupPlace } from './place.ts';

const DAY_MS = 86_400_000;
/** What a backup that is still being made writes has no manifest yet. */
const UNFINISHED_LIFETIME_MS = 2 * DAY_MS;
const DELETE_BATCH = 500;

/**
 * Keeps the newest `keep` complete backups of a server, and all of other servers. Returns how many backups were deleted, how many are of
 * other servers, and a problem that prevented the deletion of contents: without the list of a backup, nothing tells which contents
 * it needs.
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
  const foreign = complete.length - own.length;
  for (const { id, files } of old) {
    // Without this file it isn't a backup, even if other files remain.
    const [failure] = await place.deleteMany([manifestName(id)]);
    if (failure !== undefined) throw failure.error;
    await place.deleteMany(files.filter((file) => file !== manifestName(id)));
  }
  for (const { id, files, isComplete } of backups) {
    if (!isComplete && startOf(id) < unfinishedBefore.getTime()) await place.deleteMany(files);
  }
  await place.deleteParts?.(unfinishedBefore);
  try {
    for (const { id } of complete.filter((backup) => !old.includes(backup))) {
      for await (const file of readFileList(place, await loadManifest(place, id))) index.addFile(file);
    }
  } catch (error) {
    if (!(error instanceof BackupDamaged)) throw error;
    return { deleted: old.length, foreign, problem: `contents weren't cleaned up: ${error.message}` };
  }
  const unneeded: string[] = [];
  const flush = async () => void (await place.deleteMany(unneeded.splice(0)));
  for await (const { key, modifiedAt } of listAll(place, CONTENTS)) {
    if (modifiedAt > unfinishedBefore || index.findFile(key) !== undefined) continue;
    unneeded.push(key);
    if (unneeded.length >= DELETE_BATCH) await flush();
  }
  if (unneeded.length > 0) await flush();
  return { deleted: old.length, foreign };
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
