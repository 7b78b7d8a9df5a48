// Creates a backup while the server runs: the database as it is at one moment, and every object that it refers to.
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { headFileOf } from '../audit/chain-heads.ts';
import type { Config } from '../config.ts';
import { type RoutedStorage, StorageError } from '../core/storage.ts';
import { findDamage } from '../data/damage.ts';
import { withTemporaryFiles, wrap } from '../data/database.ts';
import { databaseBytes } from '../data/database-size.ts';
import { Refusal } from '../lib/failure.ts';
import type { ObjectPlace } from '../lib/storage-backends.ts';
import { version } from '../lib/version.ts';
import { checkRotationEnded } from '../runtime/secrets.ts';
import { findPlace, isReferenced, listStoredObjects, type StoredObject } from '../storage/stored-objects.ts';
import { findNewest, listAll, loadManifest, readFileList, toFileLine, toObjectLine } from './catalog.ts';
import type { Seal } from './encryption.ts';
import { deleteIndexes, type FileIndex, withFileIndex } from './file-index.ts';
import {
  BACKUPS,
  BackupDamaged,
  backupBytes,
  backupId,
  CONTENTS,
  contentName,
  type Manifest,
  manifestName,
  writeManifest,
} from './format.ts';
import { pack } from './packing.ts';
import type { BackupPlace } from './place.ts';
import { serverMarkOf } from './server-mark.ts';
import { type Bytes, drain, measure, readObject } from './streams.ts';

export type BackupJob = {
  config: Config;
  /** A read-only connection to the database of the server. */
  client: Sqlite.Database;
  storage: RoutedStorage;
  place: BackupPlace;
  seal: Seal;
  now: Date;
  nativeBinding: string | undefined;
  onProgress?: (progress: BackupProgress) => void;
};

export type BackupProgress = { objects: number; addedBytes: number };

export type BackupResult = {
  manifest: Manifest;
  /** Bytes written by this backup, and those that it needs in total. */
  addedBytes: number;
  totalBytes: number;
  /** Problems that don't make the backup unusable. */
  warnings: string[];
};

/** Objects copied at the same time, because a remote place takes a while for each. */
const CONCURRENT_COPIES = 4;
const MAX_WARNINGS = 20;

/** Creates a backup. Throws Refusal, StorageError, or the file system's error; then the place has no new backup. */
export async function createBackup(job: BackupJob): Promise<BackupResult> {
  const { data_dir: dataDir } = job.config.server;
  // Only one backup runs at a time.
  deleteIndexes(dataDir);
  return withFileIndex(dataDir, job.nativeBinding, (index, folder) => create(job, folder, index));
}

async function create(job: BackupJob, folder: string, index: FileIndex): Promise<BackupResult> {
  const { config, client, place, seal, now } = job;
  const id = backupId(now, randomBytes(4).toString('hex'));
  const copier = createCopier(job, index);
  checkRoom(folder, client);
  await findKnownFiles(place, index, copier.warn);
  // Most objects are copied before the database, so that few can be deleted between its copy and theirs.
  await copier.copyAll(client, { isFinal: false });
  // Read before the database: rows that are added in between only make the chains longer.
  const heads = readIfThere(headFileOf(config.database.file));
  const copy = copyDatabase(client, join(folder, 'database'), job.nativeBinding);
  try {
    await copier.copyAll(copy, { isFinal: true });
    forgetUnreferenced(index, copy);
  } finally {
    copy.close();
  }
  for (const { file } of index.listObjects()) index.markNeeded(file);
  const inFolder = (name: string) => `${BACKUPS}${id}/${name}`;
  const database = await pack(place, inFolder('database'), createReadStream(join(folder, 'database')), {
    seal,
    isCompressed: true,
  });
  const objects = await pack(place, inFolder('objects'), lines(index.listObjects(), toObjectLine), {
    seal,
    isCompressed: true,
  });
  const files = await pack(place, inFolder('files'), lines(index.listNeededFiles(), toFileLine), {
    isCompressed: true,
  });
  const key = readSecretKey(config);
  const secretKey =
    key === undefined ? null : await pack(place, inFolder('secret-key'), lines([key], String), { seal });
  const auditHeads =
    heads === undefined ? null : await pack(place, inFolder('audit-heads'), lines([heads], String), { seal });
  const totals = index.totals();
  const manifest: Manifest = {
    format: 1,
    id,
    created_at: now.toISOString(),
    taxiway: version.version,
    server: serverMarkOf(client),
    recipients: [...config.backup.recipients],
    database,
    objects: { ...objects, count: totals.objects, bytes: totals.bytes },
    files: { ...files, count: totals.files, bytes: totals.fileBytes },
    secret_key: secretKey,
    audit_heads: auditHeads,
    elsewhere: copier.counts.elsewhere,
    missing: copier.counts.missing,
    deleted: copier.counts.deleted,
  };
  await place.put(manifestName(id), writeManifest(manifest));
  const totalBytes = backupBytes(manifest);
  return {
    manifest,
    addedBytes: copier.counts.addedBytes + totalBytes - totals.fileBytes,
    totalBytes,
    warnings: copier.warnings,
  };
}

/** The key of the data folder; undefined if the backup leaves it out, or if it's in the configuration. */
function readSecretKey({ backup, server }: Config): string | undefined {
  const file = join(server.data_dir, 'secret.key');
  if (!backup.include_secret_key || server.secret_key !== '') return undefined;
  checkRotationEnded(file);
  return readIfThere(file);
}

function readIfThere(file: string): string | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text === '' ? undefined : text;
}

/** The copy of the database, with what is in its log, is in the data folder until it's stored. Throws Refusal. */
function checkRoom(folder: string, client: Sqlite.Database): void {
  const disk = statfsSync(folder);
  const size = databaseBytes(client) * 1.1;
  if (disk.bavail * disk.bsize > size) return;
  throw new Refusal(`a backup needs ${Math.ceil(size / 1e6)} MB of free space in ${dirname(folder)}`);
}

/** Copies the database at one moment. Neither blocks readers nor writers of the server. */
function copyDatabase(client: Sqlite.Database, file: string, nativeBinding: string | undefined): Sqlite.Database {
  withTemporaryFiles(client, () => client.prepare('VACUUM INTO ?').run(file));
  const copy = new Sqlite(file, { readonly: true, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
  const [problem] = findDamage(copy, 'quick_check');
  if (problem === undefined) return copy;
  copy.close();
  throw new Refusal(`the database is damaged (${problem}), so it wasn't backed up`);
}

/** Lists the contents that the newest backup has and that are still there. Damage only means that more is copied. */
async function findKnownFiles(place: BackupPlace, index: FileIndex, warn: (text: string) => void): Promise<void> {
  const newest = await findNewest(place);
  if (newest === undefined) return;
  try {
    for await (const file of readFileList(place, await loadManifest(place, newest.id))) index.addFile(file);
  } catch (error) {
    if (!(error instanceof BackupDamaged)) throw error;
    warn(`the previous backup is damaged: ${error.message}`);
  }
  for await (const { key, size } of listAll(place, CONTENTS)) index.markThere(key, size);
}

/** Objects that were copied before the database, and aren't in it, were deleted in between. */
function forgetUnreferenced(index: FileIndex, copy: Sqlite.Database): void {
  for (const { key } of listStoredObjects({ db: wrap(copy) })) index.keepObject(key);
  index.deleteOtherObjects();
}

type Named = Pick<StoredObject, 'what' | 'key'>;

function createCopier({ client, storage, place, seal, onProgress = () => undefined }: BackupJob, index: FileIndex) {
  const live = { db: wrap(client) };
  const counts = { objects: 0, addedBytes: 0, elsewhere: 0, missing: 0, deleted: 0 };
  const warnings: string[] = [];
  const warn = (text: string): void => {
    if (warnings.length < MAX_WARNINGS) warnings.push(text);
  };

  /** Copies every object that a database refers to. Only the last pass counts what is missing. */
  async function copyAll(source: Sqlite.Database, { isFinal }: { isFinal: boolean }): Promise<void> {
    counts.elsewhere = 0;
    const queue = listStoredObjects({ db: wrap(source) });
    const work = async (): Promise<void> => {
      for (const object of queue) await copyOne(object, isFinal);
    };
    await Promise.all(Array.from({ length: CONCURRENT_COPIES }, work));
  }

  async function copyOne(object: StoredObject, isFinal: boolean): Promise<void> {
    const { key } = object;
    if (index.hasObject(key)) return;
    if ((await placeOf(key)) !== 'local') {
      counts.elsewhere += 1;
      return;
    }
    try {
      await copyObject(object);
      counts.objects += 1;
      onProgress({ objects: counts.objects, addedBytes: counts.addedBytes });
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'not_found') throw error;
      if (!isFinal) return;
      // The copy of the database still refers to it.
      if (!isReferenced(live, object)) {
        counts.deleted += 1;
        return;
      }
      counts.missing += 1;
      warn(`${object.what} ${key} is missing on the server`);
    }
  }

  /** Returns the place of an object. Those from before a bucket was configured have no record, and are in the folder. */
  async function placeOf(key: string): Promise<ObjectPlace> {
    const recorded = findPlace(live, key)?.backend;
    if (recorded !== undefined) return recorded;
    return (await storage.attached.get('local')?.head(key)) === undefined ? storage.backend : 'local';
  }

  async function copyObject(object: StoredObject): Promise<void> {
    const { key, size: recordedSize, sha256: recorded } = object;
    const local = storage.at('local');
    const { size } = (await local.head(key)) ?? missing();
    const expected = recorded !== null && recordedSize === size ? recorded : await digest(readObject(local, key, size));
    const sha256 = await storeOnce(object, size, expected);
    index.addObject({ key, size, sha256, file: nameOf(sha256) });
  }

  /** Objects with the same content, such as the icons of an app, are copied at the same time. */
  const storing = new Map<string, Promise<string>>();

  async function storeOnce(object: Named, size: number, expected: string): Promise<string> {
    if (isStored(expected)) return expected;
    const other = storing.get(expected);
    if (other !== undefined) {
      // If the other one was damaged, this one may be whole.
      await other.catch(() => undefined);
      return storeOnce(object, size, expected);
    }
    const stored = store(object, size, expected).finally(() => storing.delete(expected));
    storing.set(expected, stored);
    return stored;
  }

  /** Stores the content of an object. Returns its checksum, which differs from the expected one if the object is damaged. */
  async function store({ what, key }: Named, size: number, expected: string): Promise<string> {
    const file = nameOf(expected);
    const packed = await pack(place, file, readObject(storage.at('local'), key, size), { seal });
    if (packed.plain_sha256 !== expected) {
      await place.deleteMany([file]);
      warn(`${what} ${key} is damaged on the server; the backup has it as it is`);
      return storeOnce({ what, key }, size, packed.plain_sha256);
    }
    counts.addedBytes += packed.size;
    index.addFile(packed);
    index.markThere(file, packed.size);
    return expected;
  }

  const nameOf = (sha256: string): string => contentName(sha256, seal.fingerprint);
  const isStored = (sha256: string): boolean => index.findFile(nameOf(sha256))?.is_there === 1;
  return { copyAll, counts, warnings, warn };
}

function missing(): never {
  throw new StorageError('not_found', "the object doesn't exist");
}

async function digest(bytes: Bytes): Promise<string> {
  const { bytes: measured, result } = measure(bytes);
  await drain(measured);
  return result().sha256;
}

/** The lines of a list, in pieces that aren't too small. */
async function* lines<Item>(items: Iterable<Item>, toLine: (item: Item) => string): Bytes {
  let text = '';
  for (const item of items) {
    text += toLine(item);
    if (text.length < 64 * 1024) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
