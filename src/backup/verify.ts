// Reads a backup completely and compares all checksums.

import { loadManifest, readFileList, readObjectList } from './catalog.ts';
import type { Unseal } from './encryption.ts';
import type { FileIndex } from './file-index.ts';
import { BackupDamaged, type Manifest, type PackedFile, type StoredFile } from './format.ts';
import { unpack } from './packing.ts';
import type { BackupPlace } from './place.ts';
import { drain, readStored } from './streams.ts';

export type BackupVerdict = {
  manifest: Manifest;
  files: number;
  bytes: number;
  problems: string[];
  /** Problems beyond those listed. */
  unlisted: number;
  /** Contents with a problem, as the list of the backup has them. At most 1,000. */
  damaged: StoredFile[];
  /** Whether encrypted files were decrypted too. */
  isDecrypted: boolean;
};

const MAX_LISTED = 100;
const MAX_DAMAGED = 1_000;

/**
 * Reads every file of a backup. Fills the index with its objects and files if the lists could be read. Without keys, encrypted
 * files are compared as they're stored. Throws BackupDamaged if the manifest can't be read.
 */
export async function verifyBackup(
  place: BackupPlace,
  { id, unseal, index, onProgress = () => undefined }: VerifyOptions,
): Promise<BackupVerdict> {
  const manifest = await loadManifest(place, id);
  const isEncrypted = manifest.recipients.length > 0;
  const canRead = !isEncrypted || unseal !== undefined;
  const verdict: BackupVerdict = {
    manifest,
    files: 0,
    bytes: 0,
    problems: [],
    unlisted: 0,
    damaged: [],
    isDecrypted: isEncrypted && canRead,
  };

  async function attempt(bytes: number, work: () => Promise<void>, content?: StoredFile): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof BackupDamaged)) throw error;
      if (content !== undefined && verdict.damaged.length < MAX_DAMAGED) verdict.damaged.push(content);
      if (verdict.problems.length < MAX_LISTED) verdict.problems.push(error.message);
      else verdict.unlisted += 1;
    }
    verdict.files += 1;
    verdict.bytes += bytes;
    onProgress(verdict.files, verdict.bytes);
  }

  const readOwn = (packed: PackedFile, isCompressed: boolean) =>
    attempt(packed.size, () =>
      drain(canRead ? unpack(place, packed, { unseal, isCompressed }) : readStored(place, packed)),
    );
  await readOwn(manifest.database, true);
  for (const packed of [manifest.secret_key, manifest.audit_heads]) if (packed !== null) await readOwn(packed, false);
  await attempt(manifest.files.size, async () => {
    for await (const file of readFileList(place, manifest)) index.addFile(file);
  });
  if (canRead) {
    await attempt(manifest.objects.size, async () => {
      for await (const object of readObjectList(place, manifest, unseal)) {
        if (index.findFile(object.file) === undefined)
          throw new BackupDamaged(`the content of ${object.key} is not listed`);
        index.addObject(object);
        index.markContent(object);
      }
      checkTotals(index, manifest);
    });
  } else {
    await readOwn(manifest.objects, true);
  }
  for (const { plain_size: size, plain_sha256: sha256, ...stored } of index.listContents()) {
    const read = () => {
      const isKnown = canRead && size !== null && sha256 !== null;
      const bytes = isKnown
        ? unpack(place, { ...stored, plain_size: size, plain_sha256: sha256 }, { unseal })
        : readStored(place, stored);
      return drain(bytes);
    };
    await attempt(stored.size, read, stored);
  }
  return verdict;
}

/**
 * Deletes damaged contents of the newest backup, so that the next one stores them again: it only compares sizes. Those that only can't be
 * decrypted, such as with another key, stay. Returns how many were deleted. Throws StorageError if one can't be.
 */
export async function deleteDamaged(place: BackupPlace, contents: readonly StoredFile[]): Promise<number> {
  const files: string[] = [];
  for (const content of contents) {
    try {
      await drain(readStored(place, content));
    } catch (error) {
      if (!(error instanceof BackupDamaged)) throw error;
      if ((await place.head(content.file)) !== undefined) files.push(content.file);
    }
  }
  const [failure] = await place.deleteMany(files);
  if (failure !== undefined) throw failure.error;
  return files.length;
}

export type VerifyOptions = {
  id?: string | undefined;
  unseal?: Unseal | undefined;
  index: FileIndex;
  onProgress?: (files: number, bytes: number) => void;
};

function checkTotals(index: FileIndex, { objects }: Manifest): void {
  if (index.totals().objects !== objects.count) throw new BackupDamaged('the list of objects is incomplete');
}
