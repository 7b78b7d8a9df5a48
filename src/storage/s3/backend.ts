// The S3 backend: objects are in a bucket. Clients transfer bytes through presigned URLs, or through links of this server that
// lead there.
import { createHash } from 'node:crypto';
import {
  type DeleteFailure,
  isStorageError,
  type ListedObject,
  type MovedObject,
  type ObjectHead,
  type ObjectHeadAndTail,
  type Storage,
  StorageError,
} from '../../core/storage.ts';
import type { Keyring } from '../../runtime/signing.ts';
import { formatAttachment, safeMediaType } from '../attachment.ts';
import { isKeyPrefix, isObjectKey } from '../object-key.ts';
import { STORAGE_PATH, signStorageQuery } from '../signature.ts';
import { CHECK_KEY, createCheck } from './check.ts';
import { type S3Client, type S3Limits, S3Refusal, SMALL, toStorageError, transferLimits } from './client.ts';
import { copyInParts } from './copy.ts';
import { createObjectCache } from './object-cache.ts';
import { checkRange, describeObject, quoted } from './object-head.ts';
import { type PartOptions, putInParts } from './parts.ts';
import { deleteBody, elementsOf, textOf } from './xml.ts';

export type S3StorageOptions = {
  client: S3Client;
  /** URL of the service for clients, without a trailing slash. */
  baseUrl: string;
  keyring: Keyring;
  clock: { now(): Date };
  /** Objects of more bytes are copied in parts; the service's limit by default. */
  maxCopyBytes?: number;
  /** Size of the parts of large objects. */
  parts?: Partial<PartOptions>;
  /** Downloads pass through this server. */
  proxyDownloads?: boolean;
  /** How long a successful check is remembered, because every request to the service may cost money. */
  checkLifetimeMs?: number;
};

/** What the handler of links and the checks need beyond the storage interface. */
export type S3Storage = Storage & {
  readonly client: S3Client;
  readonly keyring: Keyring;
  readonly clock: { now(): Date };
  readonly proxiesDownloads: boolean;
  /** Returns a presigned URL for one method, with the headers of the response. It expires within five minutes. */
  presignGet(request: {
    key: string;
    method: 'GET' | 'HEAD';
    expiresAt: Date;
    fileName: string;
    contentType: string;
  }): Promise<string>;
};

/** Headers of a response that carries an object to a client. */
export type DeliveryHeaders = { readonly disposition: string; readonly contentType: string };

/** Limit of S3 for one copy. */
const MAX_COPY_BYTES = 5 * 1024 ** 3;
const DELETE_BATCH = 1_000;
const LIST_PAGE = 1_000;
/** A redirect is followed immediately, and a download that is resumed begins at the link of this server. */
const REDIRECT_LIFETIME_MS = 5 * 60_000;
const ROOM_LIFETIME_MS = 1_000;
/** Small objects of the service, such as icons, which are shown again and again. */
const CACHE = { maxObjectBytes: 2 * 1024 * 1024, maxBytes: 32 * 1024 * 1024 };
const OWNER_KEY = 'taxiway-server';
/** A copy of several gigabytes takes a while; the service sends spaces in between. */
const COPY: S3Limits = { silenceMs: 60_000, totalMs: 180_000, maxBytes: 1024 * 1024 };

/** Returns the headers that a download must have, in the same form as those of the local backend. */
export function deliveryHeaders(fileName: string, contentType: string): DeliveryHeaders {
  return {
    disposition: formatAttachment(fileName),
    contentType: safeMediaType(contentType),
  };
}

/** Opens the storage. Sends no request. */
export function openS3Storage(options: S3StorageOptions): S3Storage {
  const { client, baseUrl, keyring, clock, maxCopyBytes = MAX_COPY_BYTES, proxyDownloads = false } = options;
  const { location } = client;
  const cache = createObjectCache(CACHE);
  let reachedAt = Number.NEGATIVE_INFINITY;
  let isOwner = false;
  const storageCheck = createCheck({ put, read, delete: deleteOne }, location, options.checkLifetimeMs);

  /** Sends requests and remembers when they succeeded. A failure ends the validity of earlier checks. */
  async function watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      reachedAt = performance.now();
      return result;
    } catch (error) {
      if (isStorageError(error, 'unavailable')) {
        reachedAt = Number.NEGATIVE_INFINITY;
        storageCheck.forget();
      }
      throw error;
    }
  }

  async function head(key: string, { tailBytes = 0 } = {}): Promise<ObjectHeadAndTail | undefined> {
    return watched(async () => {
      try {
        return tailBytes === 0 ? await plainHead(key) : await headWithTail(key, tailBytes);
      } catch (error) {
        if (isStorageError(error, 'not_found')) return undefined;
        throw error;
      }
    });
  }

  /** A response to HEAD doesn't say whether the object or the whole bucket is missing, so another request asks. */
  async function plainHead(key: string): Promise<ObjectHead> {
    try {
      return describeObject(await client.call({ method: 'HEAD', key }));
    } catch (error) {
      const isMissing = hasStatus(error, 404);
      if (!isMissing) throw error;
      return (await readPart(key, 'bytes=0-0', SMALL)).head;
    }
  }

  async function headWithTail(key: string, tailBytes: number): Promise<ObjectHeadAndTail> {
    const { head: found, bytes } = await readPart(key, `bytes=-${tailBytes}`, transferLimits(tailBytes));
    if (bytes.length !== Math.min(tailBytes, found.size)) return found;
    const isWhole = bytes.length === found.size;
    return { ...found, tail: bytes, ...(isWhole ? { sha256: createHash('sha256').update(bytes).digest('hex') } : {}) };
  }

  /** Returns a part of the object, or all of it if the service ignores the range, and its metadata from the same response. */
  async function readPart(
    key: string,
    range: string,
    limits: S3Limits,
    etag?: string,
  ): Promise<{ head: ObjectHead; bytes: Buffer; isWhole: boolean }> {
    const headers = { range, ...(etag === undefined ? {} : { 'if-match': etag }) };
    try {
      const answer = await client.call({ method: 'GET', key, headers }, limits);
      checkRange(answer, range);
      return { head: describeObject(answer), bytes: answer.body, isWhole: answer.status !== 206 };
    } catch (error) {
      // No range is within an empty object or after its end.
      const isOutside = hasStatus(error, 416);
      if (!isOutside) throw error;
      const found = describeObject(await client.call({ method: 'HEAD', key }));
      return { head: found, bytes: Buffer.alloc(0), isWhole: false };
    }
  }

  async function read(
    key: string,
    offset: number,
    length: number,
    { etag }: { etag?: string | undefined } = {},
  ): Promise<Buffer> {
    return watched(async () => {
      const range = `bytes=${offset}-${offset + Math.max(length, 1) - 1}`;
      const { head: found, bytes, isWhole } = await readPart(key, range, transferLimits(length), etag);
      if (etag !== undefined && found.etag !== etag) throw new StorageError('changed', 'the object was replaced');
      const start = isWhole ? offset : 0;
      return bytes.subarray(start, start + length);
    });
  }

  async function get(key: string): Promise<Buffer | undefined> {
    const known = cache.find(key);
    if (known !== undefined) return known;
    const stamp = cache.stamp();
    const bytes = await watched(async () => {
      try {
        const answer = await client.call({ method: 'GET', key }, transferLimits(64 * 1024 * 1024));
        // A page of a proxy isn't an object.
        describeObject(answer);
        return answer.body;
      } catch (error) {
        if (isStorageError(error, 'not_found')) return undefined;
        throw error;
      }
    });
    if (bytes !== undefined) cache.remember(key, bytes, stamp);
    return bytes;
  }

  async function move(
    from: string,
    to: string,
    condition: { etag?: string | undefined; size?: number | undefined } = {},
  ): Promise<MovedObject> {
    cache.forget([from, to]);
    return watched(async () => {
      const isKnown = condition.etag !== undefined && condition.size !== undefined;
      const source = isKnown ? { etag: condition.etag ?? '', size: condition.size ?? 0 } : await head(from);
      if (source === undefined) return findMoved(to);
      if (condition.etag !== undefined && condition.etag !== source.etag) {
        throw new StorageError('changed', 'the object was replaced');
      }
      try {
        return { ...(await copy(from, to, source)), isSourceLeft: true };
      } catch (error) {
        if (!isStorageError(error, 'not_found')) throw error;
        return findMoved(to);
      }
    });
  }

  async function findMoved(to: string): Promise<MovedObject> {
    const target = await head(to);
    if (target === undefined) throw new StorageError('not_found', "the object doesn't exist");
    return { ...target, isSourceLeft: false };
  }

  /** Copies exactly these bytes. Throws StorageError `changed` if the source is replaced before that. */
  async function copy(from: string, to: string, source: { etag: string; size: number }): Promise<ObjectHead> {
    if (source.size > maxCopyBytes) {
      await copyInParts(client, { from, to, source, partBytes: maxCopyBytes, limits: COPY });
      return confirmCopy(from, to, source);
    }
    const headers = {
      'x-amz-copy-source': `/${location.bucket}/${location.nameOf(from)}`,
      'x-amz-copy-source-if-match': source.etag,
      // Headers that the uploader chose, such as Content-Encoding, would become those of downloads.
      'x-amz-metadata-directive': 'REPLACE',
      'content-type': 'application/octet-stream',
    };
    const answer = await client.call({ method: 'PUT', key: to, headers }, COPY);
    const xml = answer.body.toString();
    const etag = quoted(textOf(xml, 'ETag') ?? '');
    const modifiedAt = new Date(textOf(xml, 'LastModified') ?? '');
    // Some services ignore the condition, so the ETag shows what was copied. That of an encrypted object differs.
    if (etag !== source.etag || Number.isNaN(modifiedAt.getTime())) return confirmCopy(from, to, source);
    return { size: source.size, etag, modifiedAt };
  }

  async function confirmCopy(from: string, to: string, source: { etag: string; size: number }): Promise<ObjectHead> {
    const [still, target] = await Promise.all([head(from), head(to)]);
    if (target !== undefined && still?.etag === source.etag && target.size === source.size) return target;
    throw new StorageError('changed', 'the object was replaced');
  }

  async function deleteMany(keys: readonly string[]): Promise<readonly DeleteFailure[]> {
    cache.forget(keys);
    const failures: DeleteFailure[] = [];
    for (let start = 0; start < keys.length; start += DELETE_BATCH) {
      const batch = keys.slice(start, start + DELETE_BATCH);
      try {
        failures.push(...(await watched(() => deleteBatch(batch))));
      } catch (error) {
        failures.push(...batch.map((key) => ({ key, error })));
      }
    }
    return failures;
  }

  async function deleteBatch(keys: readonly string[]): Promise<DeleteFailure[]> {
    const body = deleteBody(keys.map((key) => location.nameOf(key)));
    const headers = {
      'content-type': 'application/xml',
      'content-md5': createHash('md5').update(body).digest('base64'),
    };
    const answer = await client.call({ method: 'POST', query: { delete: '' }, headers, body });
    return elementsOf(answer.body.toString(), 'Error').flatMap((entry) => {
      const code = textOf(entry, 'Code') ?? '';
      const key = location.keyOf(textOf(entry, 'Key') ?? '');
      if (key === undefined || code === 'NoSuchKey') return [];
      return [{ key, error: toStorageError(new S3Refusal(200, code, textOf(entry, 'Message') ?? code)) }];
    });
  }

  async function deleteOne(key: string): Promise<void> {
    cache.forget([key]);
    await watched(async () => {
      try {
        await client.call({ method: 'DELETE', key });
      } catch (error) {
        if (!isStorageError(error, 'not_found')) throw error;
      }
    });
  }

  async function listPage(
    prefix: string,
    { after, token }: { after: string; token: string | undefined },
    limit: number,
  ) {
    const query: Record<string, string> = {
      'list-type': '2',
      'max-keys': String(Math.min(limit, LIST_PAGE)),
      prefix: location.prefix + prefix,
    };
    if (token !== undefined) query['continuation-token'] = token;
    else if (after !== '') query['start-after'] = location.prefix + after;
    const answer = await client.call({ method: 'GET', query });
    const xml = answer.body.toString();
    if (!xml.includes('<ListBucketResult'))
      throw new StorageError('unavailable', "the response to a list request isn't a list");
    const names = elementsOf(xml, 'Contents').map((entry) => ({
      key: location.keyOf(textOf(entry, 'Key') ?? '') ?? '',
      size: Number(textOf(entry, 'Size')),
      modifiedAt: new Date(textOf(entry, 'LastModified') ?? ''),
    }));
    const isTruncated = textOf(xml, 'IsTruncated') === 'true';
    return { found: names, isTruncated, next: textOf(xml, 'NextContinuationToken') };
  }

  async function list(prefix: string, { after = '', limit }: { after?: string | undefined; limit: number }) {
    if (!isKeyPrefix(prefix)) throw new RangeError('not the beginning of an object key');
    return watched(async () => {
      const items: ListedObject[] = [];
      let last = after;
      let count = 0;
      // Only after an empty page, which deleted objects can leave in the middle of a list: no key shows where it ends.
      let token: string | undefined;
      for (;;) {
        const { found, isTruncated, next } = await listPage(prefix, { after: last, token }, limit - count);
        count += found.length;
        // Objects of other programs are none of ours.
        items.push(...found.filter(({ key }) => isObjectKey(key)));
        if (!isTruncated) return { items, next: undefined };
        const end = found.at(-1)?.key;
        // What isn't listed would be taken for deleted.
        if (end === undefined ? next === undefined || next === token : end === last) {
          throw new StorageError('unavailable', "the list of objects doesn't continue");
        }
        last = end ?? last;
        token = end === undefined ? next : undefined;
        if (count >= limit) return { items, next: last };
      }
    });
  }

  async function put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<ObjectHead> {
    cache.forget([key]);
    const stored = await watched(() => putInParts(client, key, bytes, options.parts));
    if (bytes instanceof Uint8Array) cache.remember(key, Buffer.from(bytes), cache.stamp());
    return stored;
  }

  async function claim(owner: string, previous?: string): Promise<boolean> {
    if (isOwner) return true;
    const mark = Buffer.from(owner);
    const write = (headers: Record<string, string>) =>
      watched(() => client.call({ method: 'PUT', key: OWNER_KEY, headers, body: mark }));
    let known = await readOwner();
    if (known !== undefined && known === previous) {
      await write({});
      known = await readOwner();
    } else if (known === undefined) {
      // Of two servers that start at the same time, the service accepts one, and the other reads its mark.
      await write({ 'if-none-match': '*' }).catch((error: unknown) => {
        // Backblaze B2 supports no conditional writes. There, the mark of the server that writes last stays.
        if (hasStatus(error, 501)) return write({});
        if (!isStorageError(error, 'changed')) throw error;
      });
      known = await readOwner();
    }
    isOwner = known === owner;
    return isOwner;
  }

  async function readOwner(): Promise<string | undefined> {
    const found = await head(OWNER_KEY);
    return found && String(await read(OWNER_KEY, 0, 256));
  }

  return {
    backend: 's3',
    location: new URL(location.prefix, `${location.urlOf().href.replace(/\/$/, '')}/`).href,
    client,
    keyring,
    clock,
    proxiesDownloads: proxyDownloads,
    head,
    get,
    read,
    move,
    put,
    list,
    claim,
    check: storageCheck.run,
    deleteMany,
    delete: deleteOne,
    async signPut({ key, expiresAt, size, contentType }) {
      const headers: Record<string, string> = {
        ...(size === undefined ? {} : { 'content-length': String(size) }),
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      };
      const lifetimeMs = expiresAt.getTime() - clock.now().getTime();
      const url = await client.presign({ method: 'PUT', key, headers }, lifetimeMs);
      return { url, requiredHeaders: contentType === undefined ? {} : { 'content-type': contentType } };
    },
    async signGet({ key, expiresAt, subject, fileName = '', contentType = '', method }) {
      if (method !== undefined && !proxyDownloads) {
        return { url: await presignGet({ key, method, expiresAt, fileName, contentType }) };
      }
      // A presigned URL works for one method only, so this server answers and leads there.
      const expires = String(Math.floor(expiresAt.getTime() / 1000));
      const grant = { method: 'GET', key, expires, subject, fileName, contentType } as const;
      return { url: `${baseUrl.replace(/\/+$/, '')}${STORAGE_PATH}${key}?${signStorageQuery(keyring, grant)}` };
    },
    presignGet,
    async hasRoom() {
      if (performance.now() - reachedAt <= ROOM_LIFETIME_MS) return true;
      await watched(() => listPage(CHECK_KEY, { after: '', token: undefined }, 1));
      return true;
    },
  };

  async function presignGet(request: {
    key: string;
    method: 'GET' | 'HEAD';
    expiresAt: Date;
    fileName: string;
    contentType: string;
  }): Promise<string> {
    const { key, method, expiresAt } = request;
    const lifetimeMs = Math.min(expiresAt.getTime() - clock.now().getTime(), REDIRECT_LIFETIME_MS);
    const { disposition, contentType } = deliveryHeaders(request.fileName, request.contentType);
    const query = {
      'response-content-disposition': disposition,
      'response-content-type': contentType,
      'response-cache-control': 'private, no-cache, no-transform',
    };
    return client.presign({ method, key, query }, lifetimeMs);
  }
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof StorageError && error.cause instanceof S3Refusal && error.cause.status === status;
}
