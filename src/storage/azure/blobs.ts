// The operations on the blobs of a container. All can be repeated.
import { createHash, randomBytes } from 'node:crypto';
import { isStorageError, type ListedObject, type ObjectHead, StorageError } from '../../core/storage.ts';
import { type S3Limits, SMALL, transferLimits } from '../s3/client.ts';
import { checkRange } from '../s3/object-head.ts';
import type { WireAnswer } from '../s3/transport.ts';
import { elementsOf, textOf } from '../s3/xml.ts';
import type { AzureClient } from './client.ts';
import { AzureRefusal } from './retries.ts';

const BLOCK_BYTES = 8 * 1024 * 1024;
/** The service allows more blocks than any package needs. */
const MAX_BLOCKS = 50_000;
/** The service's limit; its lists name each blob in about 1 KB. */
const MAX_PAGE = 5_000;
const LIST: S3Limits = { ...SMALL, maxBytes: 16 * 1024 * 1024 };

export type BlobHead = ObjectHead & {
  /** The last copy to this blob. */
  readonly copy?: { readonly id: string; readonly status: string; readonly source: string; readonly detail: string };
  /** By names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  /** In Base64, if the service computed one. */
  readonly md5: string | undefined;
  /** Whether no header of the uploader changes how downloads are read. */
  readonly isPlain: boolean;
};

/** Whether an error has this code of the service as its cause. */
export function hasAzureCode(error: unknown, ...codes: readonly string[]): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  return cause instanceof AzureRefusal && cause.service === 'storage' && codes.includes(cause.code);
}

const isNotFound = (error: unknown): boolean => isStorageError(error, 'not_found');

/** Returns the metadata of a blob, or undefined if it doesn't exist. */
export async function headBlob(client: AzureClient, key: string): Promise<BlobHead | undefined> {
  try {
    return describe(await client.call({ method: 'HEAD', key }, [200]));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function describe({ headers }: WireAnswer): BlobHead {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const range = /^bytes \d+-\d+\/(\d+)$/.exec(header('content-range') ?? '');
  const size = Number(range?.[1] ?? header('content-length'));
  const etag = header('etag') ?? '';
  const modifiedAt = new Date(header('last-modified') ?? '');
  if (!Number.isSafeInteger(size) || size < 0 || etag === '' || Number.isNaN(modifiedAt.getTime())) {
    throw new StorageError('unavailable', 'the response describes no object');
  }
  const copyHeader = (name: string): string => header(`x-ms-copy-${name}`) ?? '';
  const [id, status] = [copyHeader('id'), copyHeader('status')];
  const copy = { id, status, source: copyHeader('source'), detail: copyHeader('status-description').slice(0, 300) };
  const metadata = Object.keys(headers).flatMap((name): [string, string][] =>
    name.startsWith('x-ms-meta-') ? [[name.slice('x-ms-meta-'.length), header(name) ?? '']] : [],
  );
  return {
    size,
    etag: etag.startsWith('"') ? etag : `"${etag}"`,
    modifiedAt,
    ...(id === '' || status === '' ? {} : { copy }),
    metadata: Object.fromEntries(metadata),
    // That of a response with a part is of the part.
    md5: range === null ? header('content-md5') : undefined,
    isPlain: ['content-encoding', 'content-language', 'content-disposition', 'cache-control'].every(
      (name) => header(name) === undefined,
    ),
  };
}

/**
 * Returns `length` bytes from `offset`, fewer at the end of the blob, and its metadata from the same response. Throws StorageError
 * `changed` if the blob no longer has the given ETag.
 */
export async function readBlob(
  client: AzureClient,
  key: string,
  { offset, length, etag }: { offset: number; length: number; etag?: string | undefined },
): Promise<{ head: BlobHead; bytes: Buffer }> {
  const condition = etag === undefined ? {} : { 'if-match': etag };
  const range = `bytes=${offset}-${offset + Math.max(length, 1) - 1}`;
  const headers = { 'x-ms-range': range, ...condition };
  try {
    const answer = await client.call({ method: 'GET', key, headers }, [200, 206], transferLimits(length));
    checkRange(answer, range);
    const start = answer.status === 206 ? 0 : offset;
    return { head: describe(answer), bytes: answer.body.subarray(start, start + length) };
  } catch (error) {
    // No range is within an empty blob or after its end.
    if (!hasAzureCode(error, 'InvalidRange')) throw error;
    return {
      head: describe(await client.call({ method: 'HEAD', key, headers: condition }, [200])),
      bytes: Buffer.alloc(0),
    };
  }
}

/** Returns a small blob completely, or undefined if it doesn't exist. */
export async function getBlob(client: AzureClient, key: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const answer = await client.call({ method: 'GET', key }, [200], transferLimits(maxBytes));
    // A page of a proxy isn't a blob.
    describe(answer);
    return answer.body;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Stores a blob, in blocks if it's large. Nothing is visible until all bytes are stored. If a chunk fails, its error is thrown.
 * With `isNew`, throws StorageError `exists` if the blob exists.
 */
export async function putBlob(
  client: AzureClient,
  key: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { isNew = false, blockBytes = BLOCK_BYTES }: { isNew?: boolean; blockBytes?: number } = {},
): Promise<BlobHead> {
  const condition: Record<string, string> = isNew ? { 'if-none-match': '*' } : {};
  if (bytes instanceof Uint8Array) return putWhole(bytes);
  // Blocks of another upload to the same key have other ids, which all must have the same length.
  const upload = randomBytes(6).toString('hex');
  const blocks: string[] = [];
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let size = 0;
  for await (const chunk of bytes) {
    // The producer may reuse its buffer.
    waiting.push(Buffer.from(chunk));
    waitingBytes += chunk.byteLength;
    if (waitingBytes >= blockBytes) await sendBlock();
  }
  if (blocks.length === 0) return putWhole(Buffer.concat(waiting));
  if (waitingBytes > 0) await sendBlock();
  const list = blocks.map((id) => `<Latest>${id}</Latest>`).join('');
  const body = Buffer.from(`<?xml version="1.0" encoding="utf-8"?><BlockList>${list}</BlockList>`);
  const headers = { ...condition, 'content-type': 'application/xml', 'x-ms-blob-content-type': OCTETS };
  const answer = await client.call({ method: 'PUT', key, query: { comp: 'blocklist' }, headers, body }, [201]);
  return stored(answer, size);

  async function sendBlock(): Promise<void> {
    if (blocks.length >= MAX_BLOCKS) throw new RangeError('too many blocks');
    const body = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    const id = Buffer.from(`${upload}${String(blocks.length).padStart(6, '0')}`).toString('base64');
    const query = { comp: 'block', blockid: id };
    await client.call({ method: 'PUT', key, query, headers: sums(body), body }, [201], transferLimits(body.length));
    blocks.push(id);
    size += body.length;
  }

  async function putWhole(body: Uint8Array): Promise<BlobHead> {
    const headers = { ...sums(body), ...condition, 'content-type': OCTETS, 'x-ms-blob-type': 'BlockBlob' };
    const answer = await client.call({ method: 'PUT', key, headers, body }, [201], transferLimits(body.byteLength));
    return stored(answer, body.byteLength);
  }
}

const OCTETS = 'application/octet-stream';

/** The service compares the MD5 with what it received. */
function sums(body: Uint8Array): Record<string, string> {
  return { 'content-md5': createHash('md5').update(body).digest('base64') };
}

function stored(answer: WireAnswer, size: number): BlobHead {
  return describe({ ...answer, headers: { ...answer.headers, 'content-length': String(size) } });
}

/**
 * Deletes a blob with its snapshots, also if it's leased: everyone with its upload URL can take snapshots and leases. Returns false if
 * it doesn't exist.
 */
export async function deleteBlob(client: AzureClient, key: string): Promise<boolean> {
  const headers = { 'x-ms-delete-snapshots': 'include' };
  const attempt = () => client.call({ method: 'DELETE', key, headers }, [202]);
  try {
    await attempt().catch(async (error: unknown) => {
      if (!hasAzureCode(error, 'LeaseIdMissing')) throw error;
      await breakLease(client, key);
      return attempt();
    });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function breakLease(client: AzureClient, key: string): Promise<void> {
  const headers = { 'x-ms-lease-action': 'break', 'x-ms-lease-break-period': '0' };
  try {
    await client.call({ method: 'PUT', key, query: { comp: 'lease' }, headers }, [202]);
  } catch (error) {
    // It has ended since.
    if (!hasAzureCode(error, 'LeaseNotPresentWithLeaseOperation')) throw error;
  }
}

export type BlobPage = {
  readonly items: readonly (ListedObject & { readonly isDeleted: boolean; readonly isCurrent: boolean })[];
  /** The `marker` of the next page; undefined at the end. */
  readonly next: string | undefined;
};

/** Lists blobs whose key starts with `prefix`, in byte order. `include` adds deleted ones and earlier versions. */
export async function listBlobs(
  client: AzureClient,
  {
    prefix,
    marker,
    limit,
    include = [],
  }: { prefix: string; marker?: string; limit: number; include?: readonly ('deleted' | 'versions')[] },
): Promise<BlobPage> {
  const query: Record<string, string> = {
    restype: 'container',
    comp: 'list',
    prefix,
    maxresults: String(Math.min(limit, MAX_PAGE)),
    ...(marker === undefined ? {} : { marker }),
    ...(include.length > 0 ? { include: include.join(',') } : {}),
  };
  const answer = await client.call({ method: 'GET', query }, [200], LIST);
  const xml = answer.body.toString();
  if (!xml.includes('<EnumerationResults'))
    throw new StorageError('unavailable', "the response to a list request isn't a list");
  const items = elementsOf(xml, 'Blob').map((entry) => ({
    key: textOf(entry, 'Name') ?? '',
    size: Number(textOf(entry, 'Content-Length') ?? 0),
    modifiedAt: new Date(textOf(entry, 'Last-Modified') ?? ''),
    isDeleted: textOf(entry, 'Deleted') === 'true',
    isCurrent: textOf(entry, 'VersionId') === undefined || textOf(entry, 'IsCurrentVersion') === 'true',
  }));
  const next = textOf(xml, 'NextMarker') ?? '';
  return { items, next: next === '' ? undefined : next };
}

/** Throws StorageError `unavailable` if the container doesn't exist or can't be read, with the service's code as its cause. */
export async function checkContainer(client: AzureClient): Promise<void> {
  await client.call({ method: 'GET', query: { restype: 'container' } }, [200]);
}

export type Copy = { readonly id: string; readonly isDone: boolean };

/**
 * Starts to copy a blob within the container, on the condition that it still has this ETag, and returns without waiting for the
 * end. Throws StorageError `not_found` or `changed`. If the same copy is running already, returns that one.
 */
export async function startCopy(
  client: AzureClient,
  {
    from,
    to,
    etag,
    metadata = {},
  }: { from: string; to: string; etag?: string | undefined; metadata?: Readonly<Record<string, string>> },
): Promise<Copy> {
  const source = client.location.urlOf(from).toString();
  const headers = {
    'x-ms-copy-source': source,
    ...(etag === undefined ? {} : { 'x-ms-source-if-match': etag }),
    // Without any, the copy has those of the source.
    ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`x-ms-meta-${name}`, value])),
  };
  try {
    const { headers: answer } = await client.call({ method: 'PUT', key: to, headers }, [202]);
    const [id, status] = [answer['x-ms-copy-id'], answer['x-ms-copy-status']];
    if (typeof id === 'string' && id !== '') return { id, isDone: status === 'success' };
    throw new StorageError('unavailable', 'the response to a copy has no id');
  } catch (error) {
    // The response to an earlier attempt may have been lost.
    if (!hasAzureCode(error, 'PendingCopyOperation')) throw error;
    const running = (await headBlob(client, to))?.copy;
    if (running === undefined || running.source.split('?')[0] !== source) throw error;
    return { id: running.id, isDone: running.status === 'success' };
  }
}

/** Returns the copied blob if this copy has ended, or undefined while it's running. Throws StorageError if it failed. */
export async function pollCopy(client: AzureClient, to: string, { id }: Copy): Promise<BlobHead | undefined> {
  const found = await headBlob(client, to);
  if (found?.copy?.id !== id) throw new StorageError('changed', 'the object was replaced');
  if (found.copy.status === 'pending') return undefined;
  if (found.copy.status === 'success') return found;
  const { status, detail } = found.copy;
  throw new StorageError('unavailable', `the copy ended with the status ${status.slice(0, 20)}`, new Error(detail));
}

/** Ends a running copy, which leaves an empty blob, and deletes that blob. Succeeds if the copy has ended. */
export async function abortCopy(client: AzureClient, to: string, { id }: Copy): Promise<void> {
  const query = { comp: 'copy', copyid: id };
  try {
    await client.call({ method: 'PUT', key: to, query, headers: { 'x-ms-copy-action': 'abort' } }, [204]);
  } catch (error) {
    if (hasAzureCode(error, 'NoPendingCopyOperation') || isNotFound(error)) return;
    throw error;
  }
  await deleteBlob(client, to);
}
