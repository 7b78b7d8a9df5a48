// Stores objects created by the service: in one request, or in parts if they're large.
import { createHash } from 'node:crypto';
import { type ObjectHead, StorageError } from '../../core/storage.ts';
import { type S3Client, type S3Limits, S3Refusal, SMALL } from './client.ts';
import { partsBody, textOf } from './xml.ts';

export type PartOptions = {
  /** S3 requires at least 5 MiB for all but the last part, and at most 10,000 parts. */
  partBytes: number;
};

const PART_BYTES = 8 * 1024 * 1024;
/** The parts of a large object are assembled before the response, during which the service sends spaces. */
const ASSEMBLE: S3Limits = { silenceMs: 60_000, totalMs: 180_000, maxBytes: 1024 * 1024 };

/** Stores the object. Nothing is visible until all bytes are stored. If a chunk fails, its error is thrown. */
export async function putInParts(
  client: S3Client,
  key: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { partBytes = PART_BYTES }: Partial<PartOptions> = {},
): Promise<ObjectHead> {
  if (bytes instanceof Uint8Array) return putWhole(client, key, bytes);
  let upload: { id: string; etags: string[]; size: number } | undefined;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  try {
    for await (const chunk of bytes) {
      // The producer may reuse its buffer.
      waiting.push(Buffer.from(chunk));
      waitingBytes += chunk.byteLength;
      if (waitingBytes < partBytes) continue;
      upload ??= { id: await beginUpload(client, key), etags: [], size: 0 };
      await sendPart(upload);
    }
    if (upload === undefined) return await putWhole(client, key, Buffer.concat(waiting));
    if (waitingBytes > 0) await sendPart(upload);
    return await completeUpload(client, key, upload);
  } catch (error) {
    if (upload !== undefined) await abortUpload(client, key, upload.id);
    throw error;
  }

  async function sendPart(current: { id: string; etags: string[]; size: number }): Promise<void> {
    const body = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    const query = { partNumber: String(current.etags.length + 1), uploadId: current.id };
    const answer = await client.call({ method: 'PUT', key, query, headers: bodyHeaders(body), body }, sendLimits(body));
    current.etags.push(answer.headers.etag ?? '');
    current.size += body.length;
  }
}

async function putWhole(client: S3Client, key: string, body: Uint8Array): Promise<ObjectHead> {
  const { headers } = await client.call({ method: 'PUT', key, headers: bodyHeaders(body), body }, sendLimits(body));
  return { size: body.byteLength, etag: headers.etag ?? '', modifiedAt: new Date(headers.date ?? Date.now()) };
}

/** The service compares the MD5 with what it received. */
function bodyHeaders(body: Uint8Array): Record<string, string> {
  return {
    'content-md5': createHash('md5').update(body).digest('base64'),
    'content-type': 'application/octet-stream',
  };
}

function sendLimits({ byteLength }: Uint8Array): S3Limits {
  const seconds = Math.ceil(byteLength / (256 * 1024));
  return { ...SMALL, silenceMs: 10_000, totalMs: 10_000 + seconds * 1_000 };
}

/** Begins an upload in parts and returns its id. */
export async function beginUpload(client: S3Client, key: string): Promise<string> {
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await client.call({ method: 'POST', key, query: { uploads: '' }, headers });
  const id = textOf(answer.body.toString(), 'UploadId');
  if (id === undefined || id === '') throw new StorageError('unavailable', 'the response has no upload id');
  return id;
}

/** Makes the parts one object of `size` bytes. */
export async function completeUpload(
  client: S3Client,
  key: string,
  { id, etags, size }: { id: string; etags: readonly string[]; size: number },
): Promise<ObjectHead> {
  const headers = { 'content-type': 'application/xml' };
  const request = { method: 'POST', key, query: { uploadId: id }, headers, body: partsBody(etags) } as const;
  try {
    const answer = await client.call(request, ASSEMBLE);
    const etag = textOf(answer.body.toString(), 'ETag') ?? '';
    const modifiedAt = new Date(answer.headers.date ?? Date.now());
    return { size, etag: etag.startsWith('"') ? etag : `"${etag}"`, modifiedAt };
  } catch (error) {
    // The response to an earlier attempt may have been lost.
    const isGone =
      error instanceof StorageError && error.cause instanceof S3Refusal && error.cause.code === 'NoSuchUpload';
    const { headers: stored } = isGone ? await client.call({ method: 'HEAD', key }) : { headers: undefined };
    if (stored === undefined || Number(stored['content-length']) !== size) throw error;
    return { size, etag: stored.etag ?? '', modifiedAt: new Date(stored['last-modified'] ?? Date.now()) };
  }
}

/** Deletes the parts. A failure is ignored, because the bucket's lifecycle rule deletes them too. */
export async function abortUpload(client: S3Client, key: string, uploadId: string): Promise<void> {
  await client.call({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined);
}
