// Restores a backup into an empty data folder, after reading it completely.
import { randomUUID } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { headFileOf } from '../audit/chain-heads.ts';
import type { Config } from '../config.ts';
import { findDamage } from '../data/integrity.ts';
import { endRestore, hasFile, restoreMarkOf } from '../data/missing-database.ts';
import { systemClock } from '../lib/clock.ts';
import { writeOnce } from '../lib/durable-file.ts';
import { Refusal } from '../lib/failure.ts';
import * as z from '../lib/zod.ts';
import { createRestoreFolder, removeLeftRestores } from '../runtime/left-behind.ts';
import { acquireLocks } from '../runtime/lock.ts';
import { createSecrets } from '../runtime/secrets.ts';
import { openLocalStorage } from '../storage/local/backend.ts';
import { reservedBytes } from '../storage/local/free-space.ts';
import { localStorageLock, lockFiles } from '../storage/local/lock.ts';
import type { Unseal } from './encryption.ts';
import { deleteIndexes, type FileIndex, withFileIndex } from './file-index.ts';
import { BackupDamaged, type Manifest, type PackedFile } from './format.ts';
import { lockForRestore } from './lock.ts';
import { unpack } from './packing.ts';
import type { BackupPlace } from './place.ts';
import { verifyBackup } from './verify.ts';

export type RestoreJob = {
  /** The installation to create: its folders must be empty or missing. */
  config: Config;
  place: BackupPlace;
  id: string | undefined;
  unseal: Unseal | undefined;
  nativeBinding: string | undefined;
  /** Whether a server uses the disks, so that their reserve stays free. */
  isBesideServer?: boolean;
  onProgress?: (step: 'verify' | 'restore', files: number, bytes: number) => void;
};

export type RestoreResult = { manifest: Manifest; objects: number; bytes: number };

/** What a restore writes and the next one may delete. Its mark has it, because the next one may have another configuration. */
const begunShape = z.object({
  database: z.string(),
  objects: z.string(),
  hasKey: z.boolean(),
  /** Also in the packages' folder while they are those of this restore. */
  token: z.string(),
});
type Begun = z.output<typeof begunShape>;

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
  const { manifest, problems } = await verifyBackup(place, {
    id,
    unseal,
    index,
    onProgress: (files, bytes) => onProgress?.('verify', files, bytes),
  });
  if (manifest.recipients.length > 0 && unseal === undefined) {
    throw new Refusal('the backup is encrypted: name the file of the secret key with --identity');
  }
  if (problems.length > 0) throw new BackupDamaged(`nothing was restored: ${problems[0]}`);
  checkKey(config, manifest);
  checkRoom(config, manifest, job.isBesideServer === true);
  const release = acquireLocks([localStorageLock(config)], job.nativeBinding);
  try {
    // Reading the backup may have taken hours, in which something may have been stored there.
    refuseExisting(config);
    return { manifest, ...(await write(job, index, manifest)) };
  } finally {
    release();
  }
}

/** Writes everything, and the database last. After a failure, deletes what it has written. */
async function write(
  job: RestoreJob,
  index: FileIndex,
  manifest: Manifest,
): Promise<{ objects: number; bytes: number }> {
  const { config, place, unseal } = job;
  const mark = restoreMarkOf(config.server.data_dir);
  const { file } = config.database;
  const begun: Begun = {
    database: file,
    objects: config.storage.local.directory,
    hasKey: manifest.secret_key !== null,
    token: randomUUID(),
  };
  const tokenFile = join(begun.objects, TOKEN_FILE);
  // Beside its place, which may be on another disk than the data folder.
  const folder = createRestoreFolder(file);
  let isInPlace = false;
  try {
    writeOnce(mark, JSON.stringify(begun), 0o600);
    rmSync(tokenFile, { force: true });
    writeOnce(tokenFile, begun.token, 0o600);
    const database = join(folder, 'database');
    await writeDatabase(database, unpack(place, manifest.database, { unseal, isCompressed: true }));
    const counts = await restoreObjects(job, index, database);
    await restoreText(job, manifest.secret_key, join(config.server.data_dir, 'secret.key'));
    await restoreText(job, manifest.audit_heads, headFileOf(file));
    await flush(database);
    renameSync(database, file);
    isInPlace = true;
    await flush(dirname(file));
    rmSync(tokenFile, { force: true });
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
  index: FileIndex,
  database: string,
): Promise<{ objects: number; bytes: number }> {
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
    const counts = { objects: 0, bytes: 0 };
    for (const object of index.listObjects()) {
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

/**
 * Throws Refusal if a folder has an installation, or something that could be part of one. Packages are a part, unless
 * `allowsPackages`.
 */
export function refuseExisting(
  { server, database, storage, backup, replication }: Config,
  { allowsPackages = false }: { allowsPackages?: boolean } = {},
): void {
  const locks = [join(server.data_dir, 'backup.lock'), `${database.file}.lock`];
  const own = [
    ...locks.flatMap((lock) => [lock, `${lock}-journal`]),
    ...['config.toml', 'secret.key'].map((name) => join(server.data_dir, name)),
    ...[server.data_dir, dirname(database.file)].map((folder) => join(folder, LOST_FILES)),
    // Checked below.
    storage.local.directory,
    ...[backup.directory, replication.target].filter((folder) => isAbsolute(folder)),
  ];
  const found = [
    ...findOthers(server.data_dir, own),
    // SQLite would add the write-ahead log of another database to the restored one, and its heads would be taken for the restored one's.
    ...[database.file, `${database.file}-wal`, headFileOf(database.file)].filter((file) => existsSync(file)),
    ...(!allowsPackages && listContent(storage.local.directory).some(isFileOrHasOne) ? [storage.local.directory] : []),
  ];
  if (found.length === 0) return;
  throw new Refusal(
    `the data folder must be empty, but it contains ${found[0]}: move it away, or set another server.data_dir`,
  );
}

/** The file in the packages' folder with the token of the restore that writes them. */
const TOKEN_FILE = '.restoring';
/** In the root of a file system. */
const LOST_FILES = 'lost+found';

/** Returns the paths in a folder of packages that an empty one doesn't have. */
function listContent(folder: string): string[] {
  const empty = [LOST_FILES, TOKEN_FILE, ...lockFiles];
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => !empty.includes(name)).map((name) => join(folder, name));
}

/** A server or a check without a package leaves empty folders. */
function isFileOrHasOne(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? hasFile(path) : true;
}

/** Returns the paths below a folder except for `own` ones, the folders around them, and hidden files. */
function findOthers(folder: string, own: readonly string[]): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(folder, name))
    .flatMap((path) => {
      // `relative` compares as the file system does: on Windows, without regard to case.
      const places = own.map((one) => relative(path, one));
      if (places.includes('')) return [];
      const isAround = places.some((place) => !place.startsWith('..') && !isAbsolute(place));
      const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
      return isAround && isFolder ? findOthers(path, own) : [path];
    });
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

/**
 * Returns what an interrupted or failed restore has written, or undefined if there was none. Throws Refusal if it wrote elsewhere: what is in
 * the folders of this configuration may be anyone's.
 */
function findBegun({ server, storage, database }: Config): Begun | undefined {
  const mark = restoreMarkOf(server.data_dir);
  // A command that created a database meanwhile has removed it, and what is there is an installation.
  if (!existsSync(mark)) return undefined;
  const begun = readMark(mark);
  if (begun?.database === database.file && begun.objects === storage.local.directory) return begun;
  const places = begun === undefined ? 'other folders' : `${begun.database} and ${begun.objects}`;
  throw new Refusal(
    `an interrupted restore wrote to ${places}: set database.file and storage.local.directory as they were, or delete what it wrote and ${mark}`,
  );
}

/** Deletes what an interrupted or failed restore has written. Throws Refusal as `findBegun` does. */
function emptyFolders(config: Config): void {
  const begun = findBegun(config);
  if (begun === undefined) return;
  const { server, storage, database } = config;
  const { directory } = storage.local;
  const tokenFile = join(directory, TOKEN_FILE);
  deleteAsides(tokenFile);
  // Without the token, the packages are those of another installation that was put there since.
  if (existsSync(tokenFile) && readFileSync(tokenFile, 'utf8') === begun.token) {
    // The folder itself may be a link or the root of a file system.
    for (const path of listContent(directory)) rmSync(path, { recursive: true, force: true });
    rmSync(tokenFile);
  }
  for (const file of [headFileOf(database.file), ...(begun.hasKey ? [join(server.data_dir, 'secret.key')] : [])]) {
    rmSync(file, { force: true });
    deleteAsides(file);
  }
  rmSync(restoreMarkOf(server.data_dir));
}

/** Returns undefined for a mark that doesn't say what was written. */
function readMark(mark: string): Begun | undefined {
  try {
    return begunShape.safeParse(JSON.parse(readFileSync(mark, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Deletes the files that were to become another one. */
function deleteAsides(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(file)}.`) && name.endsWith('.part')) rmSync(join(folder, name), { force: true });
  }
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
