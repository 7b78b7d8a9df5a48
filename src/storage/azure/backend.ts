// The storage in the Azure container of an organization. Clients transfer bytes through URLs that the customer's service checks.
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type DeleteFailure,
  isStorageError,
  type ListedObject,
  type MovedObject,
  type ObjectHead,
  type ObjectHeadAndTail,
  type Storage,
  type StorageCheck,
  StorageError,
} from '../../core/storage.ts';
import { formatAttachment, safeMediaType } from '../attachment.ts';
import { assertObjectKey, isKeyPrefix, isObjectKey } from '../object-key.ts';
import {
  abortCopy,
  type BlobHead,
  deleteBlob,
  getBlob,
  hasAzureCode,
  headBlob,
  listBlobs,
  putBlob,
  readBlob,
  startCopy,
} from './blobs.ts';
import type { AzureClient } from './client.ts';
import type { Delegation } from './delegation.ts';
import { AzureRefusal } from './retries.ts';

export type AzureStorageOptions = {
  container: { readonly client: AzureClient; readonly delegation: Delegation };
  /** Beginning of the names of the organization's blobs, with a slash at the end. */
  prefix: string;
  /** The service copies in the background: the longest time to wait, and the longest pause between questions. */
  copy?: { waitMs: number; pauseMs: number };
  blockBytes?: number;
};

/** A request of a client waits for this time; the next one continues. */
const COPY = { waitMs: 50_000, pauseMs: 2_000 };
const FIRST_PAUSE_MS = 50;
const MAX_SMALL_BYTES = 64 * 1024 * 1024;
const ROOM_LIFETIME_MS = 1_000;
/** Metadata of a copy: the ETag of its source. */
const SOURCE = 'taxiwaysource';
const PARALLEL_DELETES = 8;
const LIST_PAGE = 1_000;
const MAX_MARKERS = 100;
/** The customer can fill the container with names that no object has. */
const MAX_PAGES = 20;

/** Opens the storage. Sends no request. */
export function openAzureStorage(options: AzureStorageOptions): Storage {
  const { prefix, copy = COPY, blockBytes } = options;
  const { client, delegation } = options.container;
  const nameOf = (key: string): string => `${prefix}${assertObjectKey(key)}`;
  /** Where a listing continues, by the last name of the page before. The service has no other way to begin after a name. */
  const markers = new Map<string, string>();
  let writtenAt = Number.NEGATIVE_INFINITY;

  async function head(key: string, { tailBytes = 0 } = {}): Promise<ObjectHeadAndTail | undefined> {
    const found = await headBlob(client, nameOf(key));
    if (found === undefined || !isWhole(found)) return undefined;
    if (tailBytes === 0 || found.size === 0) return toHead(found);
    const offset = Math.max(0, found.size - tailBytes);
    const request = { offset, length: found.size - offset, etag: found.etag };
    const { bytes } = await readBlob(client, nameOf(key), request).catch((error: unknown) => {
      // Replaced in between: the bytes are read later, under a condition.
      if (isStorageError(error, 'changed') || isStorageError(error, 'not_found')) return { bytes: undefined };
      throw error;
    });
    if (bytes?.length !== request.length) return toHead(found);
    const sha256 = offset === 0 ? { sha256: createHash('sha256').update(bytes).digest('hex') } : {};
    return { ...toHead(found), tail: bytes, ...sha256 };
  }

  async function read(
    key: string,
    offset: number,
    length: number,
    { etag }: { etag?: string | undefined } = {},
  ): Promise<Buffer> {
    return (await readBlob(client, nameOf(key), { offset, length, etag })).bytes;
  }

  async function move(
    from: string,
    to: string,
    condition: { etag?: string | undefined; size?: number | undefined } = {},
  ): Promise<MovedObject> {
    const source = await headBlob(client, nameOf(from));
    if (source === undefined || !isWhole(source)) return findMoved(to);
    if (condition.etag !== undefined && condition.etag !== source.etag) throw changed();
    try {
      return { ...(await copyBlob(from, to, source)), isSourceLeft: true };
    } catch (error) {
      if (!isStorageError(error, 'not_found')) throw error;
      return findMoved(to);
    }
  }

  async function findMoved(to: string): Promise<MovedObject> {
    const target = await head(to);
    if (target === undefined) throw new StorageError('not_found', "the object doesn't exist");
    return { ...target, isSourceLeft: false };
  }

  /** Copies exactly these bytes. If the process ends before the copy is complete, the next call continues the same copy. */
  async function copyBlob(from: string, to: string, source: BlobHead): Promise<ObjectHead> {
    const [sourceName, targetName] = [nameOf(from), nameOf(to)];
    // Names what was copied, because the copy has another ETag.
    const metadata = { [SOURCE]: source.etag.replaceAll('"', '') };
    await startCopy(client, { from: sourceName, to: targetName, etag: source.etag, metadata });
    const endsAt = performance.now() + copy.waitMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, copy.pauseMs)) {
      const target = await headBlob(client, targetName);
      const status = target?.copy?.status;
      if (target !== undefined && status === 'success') return confirm(targetName, sourceName, source, target);
      if (status !== 'pending') {
        // A copy fails if its source changes before it is complete.
        if ((await headBlob(client, sourceName))?.etag !== source.etag) throw changed();
        const detail = `${status ?? 'missing'}: ${target?.copy?.detail ?? ''}`;
        throw new StorageError(
          'unavailable',
          'the copy failed',
          new AzureRefusal('storage', 409, 'CopyFailed', detail),
        );
      }
      if (performance.now() + pause > endsAt) throw stillCopying();
      await wait(pause);
    }
  }

  /** Another request may have copied the object first, also another version of it. */
  async function confirm(
    targetName: string,
    sourceName: string,
    source: BlobHead,
    target: BlobHead,
  ): Promise<ObjectHead> {
    const isSameSource = target.metadata[SOURCE] === source.etag.replaceAll('"', '');
    const isSameSum = source.md5 === undefined || target.md5 === undefined || source.md5 === target.md5;
    const isSame = isSameSource && isSameSum && target.size === source.size;
    // In case the service ignored the condition of the copy.
    if (!isSame || (await headBlob(client, sourceName))?.etag !== source.etag) throw changed();
    return target.isPlain ? toHead(target) : removeHeaders(targetName, target);
  }

  /** Headers that the uploader chose, such as Content-Encoding, would become those of downloads. */
  async function removeHeaders(name: string, { md5, size }: BlobHead): Promise<ObjectHead> {
    const sum: Record<string, string> = md5 === undefined ? {} : { 'x-ms-blob-content-md5': md5 };
    const headers = { 'x-ms-blob-content-type': 'application/octet-stream', ...sum };
    await client.call({ method: 'PUT', key: name, query: { comp: 'properties' }, headers }, [200]);
    const plain = await headBlob(client, name);
    if (plain?.size !== size) throw changed();
    return toHead(plain);
  }

  async function deleteOne(key: string): Promise<void> {
    const name = nameOf(key);
    try {
      await deleteBlob(client, name);
    } catch (error) {
      if (!hasAzureCode(error, 'PendingCopyOperation')) throw error;
      const running = (await headBlob(client, name))?.copy;
      if (running !== undefined) await abortCopy(client, name, { id: running.id, isDone: false });
      else await deleteBlob(client, name);
    }
  }

  async function list(beginning: string, { after = '', limit }: { after?: string | undefined; limit: number }) {
    if (!isKeyPrefix(beginning)) throw new RangeError('not the beginning of an object key');
    const items: ListedObject[] = [];
    const position = `${beginning} ${after}`;
    let marker = markers.get(position);
    // That of a beginning is for one continuation only: the next list from the beginning starts there.
    if (after === '') markers.delete(position);
    for (let pages = 1; ; pages += 1) {
      const page = await listBlobs(client, {
        prefix: `${prefix}${beginning}`,
        limit: Math.min(limit - items.length, LIST_PAGE),
        ...(marker === undefined ? {} : { marker }),
      });
      for (const { key: name, size, modifiedAt } of page.items) {
        const key = name.slice(prefix.length);
        if (key > after && isObjectKey(key)) items.push({ key, size, modifiedAt });
      }
      marker = page.next;
      if (marker === undefined) return { items, next: undefined };
      if (items.length < limit && pages < MAX_PAGES) continue;
      const next = items.at(-1)?.key ?? after;
      if (markers.size >= MAX_MARKERS) markers.clear();
      markers.set(`${beginning} ${next}`, marker);
      return { items, next };
    }
  }

  async function put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<ObjectHead> {
    return toHead(await putBlob(client, nameOf(key), bytes, blockBytes === undefined ? {} : { blockBytes }));
  }

  async function check(): Promise<StorageCheck> {
    const { account, container } = client.location;
    const place = `the container ${container} of the storage account ${account}`;
    try {
      const key = `check/${randomUUID()}`;
      const sent = Buffer.from(key);
      await put(key, sent);
      const received = await read(key, 0, sent.length + 1);
      await deleteOne(key);
      const ok = received.equals(sent);
      return { ok, freeBytes: undefined, detail: ok ? `objects are stored in ${place}` : 'an object was altered' };
    } catch (error) {
      const cause = error instanceof StorageError && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      const message = error instanceof Error ? error.message : String(error);
      return { ok: false, freeBytes: undefined, detail: `${message}${cause} (${place})` };
    }
  }

  return {
    backend: 'azure',
    location: client.location.urlOf().href,
    head,
    read,
    move,
    list,
    put,
    check,
    deleteMany: (keys) => deleteEach(keys, deleteOne),
    delete: deleteOne,
    get: (key) => getBlob(client, nameOf(key), MAX_SMALL_BYTES),
    async signPut({ key, expiresAt, contentType }) {
      const url = await delegation.sign({ key: nameOf(key), method: 'PUT', expiresAt });
      const type: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
      return { url: url.toString(), requiredHeaders: { 'x-ms-blob-type': 'BlockBlob', ...type } };
    },
    async signGet({ key, expiresAt, fileName = '', contentType = '' }) {
      // The same URL works for GET and HEAD.
      const url = await delegation.sign({
        key: nameOf(key),
        method: 'GET',
        expiresAt,
        disposition: formatAttachment(fileName),
        contentType: safeMediaType(contentType),
      });
      return { url: url.toString() };
    },
    async hasRoom() {
      if (performance.now() - writtenAt <= ROOM_LIFETIME_MS) return true;
      // A block that is never committed shows that writing is allowed, and leaves no blob.
      const query = { comp: 'block', blockid: Buffer.from('room').toString('base64') };
      await client.call({ method: 'PUT', key: nameOf('check/room'), query, body: Buffer.from('.') }, [201]);
      writtenAt = performance.now();
      return true;
    },
    // Names begin with the ID of the organization, and only this server can decrypt its credentials.
    claim: async () => true,
  };
}

/** Deletes objects one by one, a few at a time. Returns those that couldn't be deleted, and never throws. */
export async function deleteEach(
  keys: readonly string[],
  remove: (key: string) => Promise<void>,
): Promise<readonly DeleteFailure[]> {
  const failures: DeleteFailure[] = [];
  const left = keys.values();
  const work = async (): Promise<void> => {
    for (const key of left) await remove(key).catch((error: unknown) => failures.push({ key, error }));
  };
  await Promise.all(Array.from({ length: PARALLEL_DELETES }, work));
  return failures;
}

/** Whether all bytes are there: a running copy shows the blob with its final size. */
function isWhole({ copy }: BlobHead): boolean {
  return copy === undefined || copy.status === 'success';
}

function toHead({ size, etag, modifiedAt }: ObjectHead): ObjectHead {
  return { size, etag, modifiedAt };
}

/** The container works, so this isn't an outage. */
function stillCopying(): StorageError {
  const cause = new AzureRefusal('storage', 409, 'PendingCopyOperation', 'the copy is still running');
  return new StorageError('unavailable', "the customer's container is unavailable", cause);
}

function changed(): StorageError {
  return new StorageError('changed', 'the object was replaced');
}
