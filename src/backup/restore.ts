// Restores a backup into an empty data folder, after reading it completely.
import { createWriteStream, existsSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { headFileOf } from '../audit/chain-heads.ts';
import type { Config } from '../config.ts';
import { findDamage } from '../data/damage.ts';
import { endRestore, restoreMarkOf } from '../data/missing-database.ts';
import { systemClock } from '../lib/clock.ts';
import { writeOnce } from '../lib/durable-file.ts';
import { Refusal } from '../lib/failure.ts';
import { createRestoreFolder, removeLeftRestores } from '../runtime/left-behind.ts';
import { acquireLocks } from '../runtime/lock.ts';
import { createSecrets } from '../runtime/secrets.ts';
import { openLocalStorage } from '../storage/local/backend.ts';
import { reservedBytes } from '../storage/local/free-space.ts';
import { localStorageLock } from '../storage/local/lock.ts';
import type { Unseal } from './encryption.ts';
import { deleteIndexes, type FileIndex, withFileIndex } from './file-index.ts';
import { BackupDamaged, type Manifest, type PackedFile } from './format.ts';
import { lockForRestore } from './lock.ts';
import { unpack } from './packing.ts';
import type { BackupPlace } from './place.ts';
import { deleteAsides, emptyFolders, findBegun, markBegun, refuseExisting, removeToken } from './restore-folders.ts';
import { type BackupVerdict, verifyBackup } from './verify.ts';

export type RestoreJob = {
  /** The installation to create: its folders must be empty or missing. */
  config: Config;
  place: BackupPlace;
  id: string | undefined;
  unseal: Unseal | undefined;
  nativeBinding: string | undefined;
  /** Whether a server uses the disks, so that their reserve stays free. */
  isBesideServer?: boolean;
  /** Whether to restore everything else if contents of packages and images are damaged. */
  leavesOutDamaged?: boolean;
  onProgress?: (step: 'verify' | 'restore', files: number, bytes: number) => void;
};

type Counts = { objects: number; bytes: number; leftOut: number };
export type RestoreResult = Counts & { manifest: Manifest };

/**
 * Restores a backup. Reads all of it before anything is written, and writes the database last, so that an interrupted restore
 * isn't mistaken for an installation. Throws InUseError, LockFileError, Refusal, BackupDamaged, StorageError, or the file system's error.
 */
export async function restoreBackup(job: RestoreJob): Promise<RestoreResult> {
  const { config, nativeBinding } = job;
  const { data_dir: dataDir } = config.server;
  const { file } = config.database;
  // With a database, the restore was complete.
  const isInterrupted = () => existsSync(restoreMarkOf(dataDir)) && !existsSync(file);
  const refuse = () => {
    if (!isInterrupted()) refuseExisting(config);
  };
  const release = lockForRestore(config, refuse, nativeBinding);
  try {
    // Of a restore that was killed before it began to write.
    deleteAsides(restoreMarkOf(dataDir));
    if (isInterrupted()) startOver(config, nativeBinding);
    refuseExisting(config);
    deleteIndexes(dataDir);
    removeLeftRestores(file);
    return await withFileIndex(dataDir, nativeBinding, (index) => restore(job, index));
  } finally {
    release();
  }
}

/** Deletes what an interrupted restore has written. Throws Refusal, or InUseError if a server uses the packages' folder. */
function startOver(config: Config, nativeBinding: string | undefined): void {
  // Before the lock, which would create the folder of another configuration.
  findBegun(config);
  const release = acquireLocks([localStorageLock(config)], nativeBinding);
  try {
    emptyFolders(config);
  } finally {
    release();
  }
}

async function restore(job: RestoreJob, index: FileIndex): Promise<RestoreResult> {
  const { config, place, id, unseal, onProgress } = job;
  const verdict = await verifyBackup(place, {
    id,
    unseal,
    index,
    onProgress: (files, bytes) => onProgress?.('verify', files, bytes),
  });
  const { manifest } = verdict;
  if (manifest.recipients.length > 0 && unseal === undefined) {
    throw new Refusal('the backup is encrypted: name the file of the secret key with --identity');
  }
  const leftOut = chooseLeftOut(verdict, job.leavesOutDamaged === true);
  checkKey(config, manifest);
  checkRoom(config, manifest, job.isBesideServer === true);
  const release = acquireLocks([localStorageLock(config)], job.nativeBinding);
  try {
    // Reading the backup may have taken hours, in which something may have been stored there.
    refuseExisting(config);
    return { manifest, ...(await write(job, { index, leftOut }, manifest)) };
  } finally {
    release();
  }
}

/** Returns the files of contents to leave out. Throws BackupDamaged if the restore can't work without what is damaged, or mustn't. */
function chooseLeftOut({ problems, unlisted, damaged }: BackupVerdict, leavesOutDamaged: boolean): ReadonlySet<string> {
  const [problem] = problems;
  const isComplete = problems.length + unlisted === damaged.length;
  if (problem !== undefined && !(leavesOutDamaged && isComplete)) {
    const hint = isComplete ? '; "taxiway restore --leave-out-damaged" restores everything else' : '';
    throw new BackupDamaged(`nothing was restored: ${problem}${hint}`);
  }
  return new Set(damaged.map(({ file }) => file));
}

type Contents = { index: FileIndex; leftOut: ReadonlySet<string> };

/** Writes everything, and the database last. After a failure, deletes what it has written. */
async function write(job: RestoreJob, contents: Contents, manifest: Manifest): Promise<Counts> {
  const { config, place, unseal } = job;
  const { file } = config.database;
  // Beside its place, which may be on another disk than the data folder.
  const folder = createRestoreFolder(file);
  let isInPlace = false;
  try {
    markBegun(config, manifest.secret_key !== null);
    const database = join(folder, 'database');
    await writeDatabase(database, unpack(place, manifest.database, { unseal, isCompressed: true }));
    const counts = await restoreObjects(job, contents, database);
    await restoreText(job, manifest.secret_key, join(config.server.data_dir, 'secret.key'));
    await restoreText(job, manifest.audit_heads, headFileOf(file));
    await flush(database);
    renameSync(database, file);
    isInPlace = true;
    await flush(dirname(file));
    removeToken(config.storage.local.directory);
    // A command that found the database may have removed the mark already.
    endRestore(config.server.data_dir);
    return counts;
  } catch (error) {
    // With its database, it's an installation.
    if (!isInPlace) emptyFolders(config);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stores all objects, and records their new times in the database, which tell whether a package was modified. */
async function restoreObjects(
  { config, place, unseal, nativeBinding, isBesideServer = false, onProgress }: RestoreJob,
  { index, leftOut }: Contents,
  database: string,
): Promise<Counts> {
  const { directory } = config.storage.local;
  const storage = openLocalStorage({
    directory,
    baseUrl: '',
    clock: systemClock,
    keyring: createSecrets(Buffer.alloc(32)).keyring,
    ...(isBesideServer ? { reserve: reserveOf(config) } : {}),
  });
  const client = openCopy(database, nativeBinding);
  try {
    const setTime = client.prepare<[number, string, string]>(
      `UPDATE package_integrity SET modified_at = ? WHERE sha256 = ?
        AND build_id IN (SELECT id FROM builds WHERE object_key = ?)`,
    );
    const counts = { objects: 0, bytes: 0, leftOut: 0 };
    for (const object of index.listObjects()) {
      if (leftOut.has(object.file)) {
        counts.leftOut += 1;
        continue;
      }
      const stored = index.findFile(object.file);
      if (stored === undefined) throw new BackupDamaged(`the content of ${object.key} is not listed`);
      const { file, size, sha256 } = stored;
      const packed = { file, size, sha256, plain_size: object.size, plain_sha256: object.sha256 };
      const { modifiedAt } = await storage.put(object.key, unpack(place, packed, { unseal }));
      setTime.run(modifiedAt.getTime(), object.sha256, object.key);
      counts.objects += 1;
      counts.bytes += object.size;
      onProgress?.('restore', counts.objects, counts.bytes);
    }
    return counts;
  } finally {
    client.close();
  }
}

/** Without the key, encrypted values of the database can't be read. Throws Refusal. */
function checkKey({ server }: Config, manifest: Manifest): void {
  const file = join(server.data_dir, 'secret.key');
  if (manifest.secret_key !== null && existsSync(file)) {
    throw new Refusal(`the backup has the secret key, and there is ${file}: move it away`);
  }
  if (manifest.secret_key === null && server.secret_key === '' && !existsSync(file)) {
    throw new Refusal(`the backup has no secret key: copy the server's to ${file}, or set server.secret_key`);
  }
}

/** Throws Refusal if there isn't enough space for the packages or the database, each on its disk. */
function checkRoom(config: Config, { database, objects }: Manifest, keepsReserve: boolean): void {
  const {
    storage,
    database: { file },
  } = config;
  const needs = [
    { folder: existingFolder(storage.local.directory), bytes: objects.bytes },
    { folder: existingFolder(dirname(file)), bytes: database.plain_size },
  ].map((need) => ({ ...need, disk: statSync(need.folder).dev }));
  for (const { folder, disk } of needs) {
    const { bavail, bsize, blocks } = statfsSync(folder);
    const kept = keepsReserve ? reservedBytes(reserveOf(config), { blocks, bsize }) : 0;
    const needed = needs.filter((need) => need.disk === disk).reduce((sum, need) => sum + need.bytes, kept);
    if (bavail * bsize > needed) continue;
    throw new Refusal(`the backup needs ${Math.ceil(needed / 1e6)} MB of free space in ${folder}`);
  }
}

const reserveOf = ({ storage: { local } }: Config) => ({ bytes: local.reserve_bytes, percent: local.reserve_percent });

/** Returns a folder, or the nearest one around it that exists. On Windows, a whole drive may not. */
function existingFolder(folder: string): string {
  const around = dirname(folder);
  return existsSync(folder) || around === folder ? folder : existingFolder(around);
}

async function writeDatabase(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(Readable.from(content, { objectMode: false }), createWriteStream(file, { mode: 0o600 }));
}

/** Opens the restored database. Throws BackupDamaged. */
function openCopy(file: string, nativeBinding: string | undefined): Sqlite.Database {
  const client = new Sqlite(file, nativeBinding === undefined ? {} : { nativeBinding });
  // The file may be anyone's.
  client.pragma('trusted_schema = OFF');
  const [problem] = findDamage(client, 'quick_check');
  if (problem === undefined) return client;
  client.close();
  throw new BackupDamaged(`nothing was restored: the database of the backup is damaged (${problem})`);
}

/** Restores a small text file, readable by its owner only. */
async function restoreText({ place, unseal }: RestoreJob, packed: PackedFile | null, file: string): Promise<void> {
  if (packed === null) return;
  const chunks: Uint8Array[] = [];
  for await (const chunk of unpack(place, packed, { unseal })) chunks.push(chunk);
  writeOnce(file, Buffer.concat(chunks).toString('utf8'), 0o600);
}

/** Writes a file or folder to the disk. */
export async function flush(path: string): Promise<void> {
  // Windows can't flush a folder.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return;
  const handle = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
