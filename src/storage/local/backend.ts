// The local backend: objects are files in one folder.
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type DeleteFailure,
  isStorageError,
  type MovedObject,
  type ObjectHead,
  type Storage,
  type StorageCheck,
  StorageError,
} from '../../core/storage.ts';
import { flushFolders, makeFolderNow } from '../../lib/durable-file.ts';
import { createKeyLocks } from '../../lib/key-locks.ts';
import type { Keyring } from '../../runtime/signing.ts';
import { assertObjectKey, isKeyPrefix } from '../object-key.ts';
import { STORAGE_PATH, signStorageQuery } from '../signature.ts';
import { createClosedKeys } from './closed-keys.ts';
import { createDigests, type Digests } from './digests.ts';
import {
  type FileOperations,
  findOnDisk,
  isPlainPath,
  nodeFiles,
  pruneDurably,
  saysMissing,
  syncFolder,
  toStorageError,
} from './files.ts';
import { createRoom, type Reserve, type Room } from './free-space.ts';
import { createIncoming, type IncomingObject, renameInto } from './incoming.ts';
import { listObjects } from './listing.ts';
import { createReading, type OpenObject } from './reading.ts';

const CHECK_FOLDER = 'check';

export type LocalStorageOptions = {
  /** Created if missing. Contains objects/ (visible objects), incoming/ and seals/. */
  directory: string;
  /** URL of the service for clients, without a trailing slash; a function if it's known only after listening. */
  baseUrl: string | (() => string);
  keyring: Keyring;
  clock: { now(): Date };
  /** Maximum lifetime of a signed PUT; one hour by default. */
  putLifetimeMs?: number;
  /** Free space that uploads and other large objects must leave; none by default. */
  reserve?: Reserve;
  files?: FileOperations;
  /**
   * Whether missing folders are created; true by default. Not for a copy without empty folders on a read-only disk, and not while the disk isn't
   * mounted. Nothing can be stored without them.
   */
  createsFolders?: boolean;
};

/** What the handler and the operator's commands need beyond the storage interface. */
export type LocalStorage = Storage & {
  readonly keyring: Keyring;
  readonly clock: { now(): Date };
  readonly room: Room;
  readonly digests: Digests;
  /** Opens an object for reading; the caller must close it. Returns undefined if it doesn't exist. */
  openObject(key: string): Promise<OpenObject | undefined>;
  beginObject(): Promise<IncomingObject>;
  /** Whether a PUT of the key is rejected as immutable because its object was moved. */
  isSealed(key: string): Promise<boolean>;
  /**
   * Deletes files left behind by a killed process. Only the serving process may call it without `before`, the time since which files are
   * kept. Returns the number deleted.
   */
  sweepTemporary(before?: Date): Promise<number>;
};

/** Returns the path of a folder without links. It needn't exist. */
export function realPathOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (parent === folder || !saysMissing(error)) throw error;
    return join(realPathOf(parent), basename(folder));
  }
}

/** Opens the storage and creates its folders. Throws the file system's error if the folder can't be used. */
export function openLocalStorage(options: LocalStorageOptions): LocalStorage {
  const { baseUrl, keyring, clock, putLifetimeMs = 3_600_000, files = nodeFiles } = options;
  const { reserve = { bytes: 0, percent: 0 }, createsFolders = true } = options;
  if (createsFolders) makeFolderNow(options.directory);
  const directory = realPathOf(options.directory);
  const objects = join(directory, 'objects');
  const incomingFolder = join(directory, 'incoming');
  const sealFolder = join(directory, 'seals');
  if (createsFolders) createFolders();

  const withKeys = createKeyLocks();
  const seals = createClosedKeys({ files, folder: sealFolder, clock, lifetimeMs: putLifetimeMs });
  const incoming = createIncoming({ files, folder: incomingFolder, objects, clock, withKeys, seals });
  const digests = createDigests();
  const room = createRoom({ files, folder: objects, reserve });
  const { head: readHead, read, openObject } = createReading({ files, objects });
  const pathOf = (key: string): string => join(objects, assertObjectKey(key));
  let checks = 0;

  function createFolders(): void {
    // The seals come last: without their folder, a start may have been killed before it flushed the others.
    if (!existsSync(sealFolder)) {
      for (const folder of [objects, incomingFolder]) mkdirSync(folder, { recursive: true });
      flushFolders(objects);
    }
    for (const folder of [objects, incomingFolder, sealFolder]) makeFolderNow(folder);
  }

  function urlOf(key: string, query: string): string {
    const base = typeof baseUrl === 'string' ? baseUrl : baseUrl();
    return `${base.replace(/\/+$/, '')}${STORAGE_PATH}${key}?${query}`;
  }

  function expiryOf(expiresAt: Date): string {
    return String(Math.floor(expiresAt.getTime() / 1000));
  }

  async function head(key: string): Promise<ObjectHead | undefined> {
    const found = await readHead(key);
    if (found === undefined) return undefined;
    const sha256 = digests.find(key, found.etag);
    return sha256 === undefined ? found : { ...found, sha256 };
  }

  async function move(from: string, to: string, condition: { etag?: string | undefined } = {}): Promise<MovedObject> {
    const [source, target] = [pathOf(from), pathOf(to)];
    await withKeys([from, to], async () => {
      const current = await head(from);
      if ((await head(to)) !== undefined) {
        if (current !== undefined) await removeFile(source);
        // An earlier move may have ended between its rename and its flush.
        await syncFolder(files, dirname(target));
        return;
      }
      if (current === undefined) throw new StorageError('not_found', 'there is no such object');
      if (condition.etag !== undefined && condition.etag !== current.etag) {
        throw new StorageError('changed', 'the object was replaced');
      }
      try {
        // Sealed first, so that no PUT can make the old key visible again.
        await seals.seal(from);
        await files.chmod(source, 0o444);
        await renameInto(files, { from: source, to: target, root: objects });
      } catch (error) {
        await files.chmod(source, 0o644).catch(() => undefined);
        await seals.unseal(from).catch(() => undefined);
        throw toStorageError(error);
      }
      digests.rename(from, to);
      await syncFolder(files, dirname(target));
      await pruneDurably(files, dirname(source), objects);
    }).catch((error: unknown) => {
      throw toStorageError(error);
    });
    const moved = await head(to);
    if (moved === undefined) throw new StorageError('not_found', 'the object was deleted right after its move');
    return { ...moved, isSourceLeft: false };
  }

  async function get(key: string): Promise<Buffer | undefined> {
    try {
      const found = await readHead(key);
      return found && (await read(key, 0, found.size));
    } catch (error) {
      if (isStorageError(error, 'not_found')) return undefined;
      throw error;
    }
  }

  async function deleteOne(key: string): Promise<void> {
    const path = pathOf(key);
    digests.forget(key);
    await withKeys([key], () => removeFile(path));
  }

  async function removeFile(path: string): Promise<void> {
    await findOnDisk(async () => {
      if (!(await isPlainPath(files, path))) return;
      await files.unlink(path);
    });
    await findOnDisk(() => pruneDurably(files, dirname(path), objects));
  }

  async function put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<ObjectHead> {
    pathOf(key);
    const object = await incoming.begin();
    try {
      if (bytes instanceof Uint8Array) await object.write(bytes);
      else for await (const chunk of bytes) await writeLarge(object, chunk);
      return await object.publish(key);
    } finally {
      await object.discard();
    }
  }

  /** Only small objects may use the reserve. */
  async function writeLarge(object: IncomingObject, chunk: Uint8Array): Promise<void> {
    if (reserve.bytes > 0) await room.take(chunk.byteLength);
    await object.write(chunk);
  }

  async function check(): Promise<StorageCheck> {
    let freeBytes: number | undefined;
    try {
      const space = await files.statfs(objects);
      freeBytes = space.bavail * space.bsize;
      checks += 1;
      const key = `${CHECK_FOLDER}/${process.pid}-${checks}`;
      const sent = Buffer.from(clock.now().toISOString());
      await put(key, sent);
      const received = await read(key, 0, sent.length + 1);
      await removeFile(pathOf(key));
      const ok = received.equals(sent);
      return { ok, freeBytes, detail: ok ? `objects are stored in ${directory}` : 'an object was altered' };
    } catch (error) {
      const failure = toStorageError(error);
      const cause = failure.cause instanceof Error ? `: ${failure.cause.message}` : '';
      return { ok: false, freeBytes, detail: `${failure.message}${cause}` };
    }
  }

  return {
    keyring,
    clock,
    room,
    digests,
    hasRoom: () => room.has(0),
    async signPut({ key, expiresAt, subject }) {
      if (expiresAt.getTime() > clock.now().getTime() + putLifetimeMs) {
        // A seal is kept for one lifetime; a URL with a longer lifetime would outlive it.
        throw new RangeError('the lifetime of a signed PUT exceeds the maximum');
      }
      const query = signStorageQuery(keyring, {
        method: 'PUT',
        key: assertObjectKey(key),
        expires: expiryOf(expiresAt),
        subject,
        fileName: '',
        contentType: '',
      });
      return { url: urlOf(key, query), requiredHeaders: { 'x-ms-blob-type': 'BlockBlob' } };
    },
    async signGet({ key, expiresAt, subject, fileName = '', contentType = '' }) {
      const expires = expiryOf(expiresAt);
      const grant = { method: 'GET', key: assertObjectKey(key), expires, subject, fileName, contentType } as const;
      return { url: urlOf(key, signStorageQuery(keyring, grant)) };
    },
    head: (key) => head(key),
    get,
    backend: 'local',
    location: directory,
    read: (key, offset, length) => read(key, offset, length),
    move,
    put,
    check,
    openObject,
    delete: deleteOne,
    async deleteMany(keys) {
      const failures: DeleteFailure[] = [];
      for (const key of keys) await deleteOne(key).catch((error: unknown) => failures.push({ key, error }));
      return failures;
    },
    // The lock of the folder keeps other servers out.
    claim: async () => true,
    async list(prefix, { after = '', limit }) {
      if (!isKeyPrefix(prefix)) throw new RangeError('not the beginning of an object key');
      const objectsFound = await findOnDisk(() => listObjects(files, objects, { prefix, after, limit: limit + 1 }));
      const items = (objectsFound ?? []).slice(0, limit);
      const hasMore = (objectsFound ?? []).length > limit;
      return { items, next: hasMore ? items.at(-1)?.key : undefined };
    },
    beginObject: () => incoming.begin(),
    isSealed: (key) => seals.isSealed(key),
    async sweepTemporary(before) {
      await seals.prune();
      await files.rm(join(objects, CHECK_FOLDER), { recursive: true, force: true });
      return incoming.sweep(before);
    },
  };
}
