// PUT of one object: takes the bytes in, and lets them become visible only when all of them came.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ObjectHead, StorageError } from '../storage.ts';
import type { LocalStorage } from './backend.ts';
import { matchesTag } from './conditions.ts';
import { ProviderError } from './provider-error.ts';

/** Bytes of one upload that wait for the disk before the client is told to wait. */
const MOST_WAITING_BYTES = 128 * 1024;

/** The client went away, so nobody is left to answer. */
export class ClientGone extends Error {}

/** Stores the request's body under the key and answers 201. Throws ProviderError, StorageError or ClientGone, then nothing is left. */
export async function receiveObject(
  req: IncomingMessage,
  res: ServerResponse,
  options: {
    storage: LocalStorage;
    key: string;
    maxBodyBytes: number;
    idleTimeoutMs: number;
    onBytes: (count: number) => void;
  },
): Promise<void> {
  const { storage, key, maxBodyBytes } = options;
  const expectedMd5 = judgeHeaders(req, maxBodyBytes);
  // Asked again at the end; asked now so that a lost cause does not travel first.
  if (await storage.isSealed(key)) throw new StorageError('immutable', 'the object was moved to its final key');
  const md5 = expectedMd5 === undefined ? undefined : createHash('md5');
  const object = await storage.beginObject();
  try {
    let size = 0;
    for await (const chunk of readBody(req, options.idleTimeoutMs)) {
      size += chunk.byteLength;
      options.onBytes(chunk.byteLength);
      if (size > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
      md5?.update(chunk);
      await object.write(chunk);
    }
    if (md5 !== undefined && md5.digest('base64') !== expectedMd5) {
      throw new ProviderError(400, 'Md5Mismatch', 'The Content-MD5 header is not the MD5 of the body.');
    }
    const head = await object.publish(key, (existing) => {
      judgeExisting(req, existing);
      // Bytes beyond the announced length end the connection as soon as they are seen.
      if (req.socket.destroyed) throw new ClientGone();
    });
    res.writeHead(201, { ETag: head.etag, 'Last-Modified': head.modifiedAt.toUTCString(), 'Content-Length': 0 });
    res.end();
  } finally {
    await object.discard();
  }
}

function judgeHeaders(req: IncomingMessage, maxBodyBytes: number): string | undefined {
  const { headers } = req;
  const type = headers['x-ms-blob-type'];
  if (type === undefined) {
    throw new ProviderError(400, 'MissingRequiredHeader', 'The header x-ms-blob-type is required.');
  }
  if (type !== 'BlockBlob') {
    throw new ProviderError(400, 'InvalidHeaderValue', 'The header x-ms-blob-type must be BlockBlob.');
  }
  // A part taken for the whole would be a corrupt object (RFC 9110, section 14.5).
  if (headers['content-range'] !== undefined) {
    throw new ProviderError(400, 'UnsupportedHeader', 'An object is sent whole: Content-Range is not supported.');
  }
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    throw new ProviderError(411, 'MissingContentLengthHeader', 'The length of the body is not known.');
  }
  if (Number(length ?? 0) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  const md5 = headers['content-md5'];
  if (md5 === undefined) return undefined;
  const text = String(md5);
  if (!/^[A-Za-z0-9+/]{22}==$/.test(text)) {
    throw new ProviderError(400, 'InvalidMd5', 'The header Content-MD5 is not the base64 of 16 bytes.');
  }
  return Buffer.from(text, 'base64').toString('base64');
}

function judgeExisting(req: IncomingMessage, existing: ObjectHead | undefined): void {
  const ifNoneMatch = req.headers['if-none-match'];
  if (ifNoneMatch !== undefined && existing && matchesTag(ifNoneMatch, existing.etag, { isWeak: true })) {
    throw new ProviderError(409, 'BlobAlreadyExists', 'There is already such an object.');
  }
  const ifMatch = req.headers['if-match'];
  if (ifMatch !== undefined && !(existing && matchesTag(ifMatch, existing.etag, { isWeak: false }))) {
    throw new ProviderError(412, 'ConditionNotMet', 'The condition of the request is not met.');
  }
}

function bodyTooLarge(maxBodyBytes: number): ProviderError {
  return new ProviderError(413, 'RequestBodyTooLarge', `The body is larger than ${maxBodyBytes} bytes.`);
}

/**
 * The body's bytes as they come; a chunk is gone when the next one is asked for. Throws ClientGone when it breaks off, 408
 * when no byte comes for the idle time.
 */
async function* readBody(req: IncomingMessage, idleTimeoutMs: number): AsyncGenerator<Uint8Array, void> {
  const arrived: Buffer[] = [];
  let arrivedBytes = 0;
  let waiting: PromiseWithResolvers<void> | undefined;
  const wake = (): void => waiting?.resolve();
  const take = (chunk: Buffer): void => {
    arrived.push(chunk);
    arrivedBytes += chunk.length;
    if (arrivedBytes >= MOST_WAITING_BYTES) req.pause();
    wake();
  };
  // Only waiting for the client counts, not the time our own disk takes.
  const timer = setTimeout(() => waiting?.reject(bodyStoodStill()), idleTimeoutMs);
  const events = ['end', 'error', 'close'];
  for (const event of events) req.on(event, wake);
  req.on('data', take);
  try {
    for (;;) {
      const chunk = arrived.shift();
      if (chunk !== undefined) {
        arrivedBytes -= chunk.length;
        yield chunk;
        giveBack(chunk);
        if (req.isPaused()) req.resume();
        continue;
      }
      if (req.readableEnded) break;
      if (req.destroyed) throw new ClientGone();
      waiting = Promise.withResolvers();
      timer.refresh();
      await waiting.promise;
      waiting = undefined;
    }
    if (!req.complete) throw new ClientGone();
  } finally {
    clearTimeout(timer);
    // The request outlives the loop: a refusal is answered on its connection, which still has to be emptied.
    for (const event of events) req.off(event, wake);
    req.off('data', take);
    req.pause();
  }
}

/** Frees a chunk at once: many uploads fill memory with such garbage faster than the collector looks for it. */
function giveBack({ buffer, byteLength }: Buffer): void {
  // A slice shares its memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function bodyStoodStill(): ProviderError {
  return new ProviderError(408, 'OperationTimedOut', 'The body did not go on in time.');
}
