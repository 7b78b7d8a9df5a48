// GET and HEAD of one object: headers, conditions, ranges, and the bytes.
import { createHash } from 'node:crypto';
import type { promises } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObjectHead } from '../../core/storage.ts';
import { formatAttachment } from '../attachment.ts';
import { ProviderError } from '../provider-error.ts';
import type { OutgoingHash, ReadGuard } from '../read-guard.ts';
import type { StorageGrant } from '../signature.ts';
import type { LocalStorage } from './backend.ts';
import { evaluateConditions, formatModified, isRangeValid } from './conditions.ts';
import { parseRange } from './ranges.ts';

const CHUNK_BYTES = 256 * 1024;
const SMALL_CHUNK_BYTES = 16 * 1024;
const SLOW_CHUNK_MS = 2_000;
const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]{1,80}\/[A-Za-z0-9!#$&^_.+-]{1,80}(?:; ?charset=[A-Za-z0-9-]{1,20})?$/;

/**
 * Sends the object of a grant. Throws ProviderError 404, 412 and 416, and 503 if the guard reports that the object is damaged.
 * If the hash of the sent bytes doesn't match, the connection is closed before the last chunk.
 */
export async function sendObject(
  req: IncomingMessage,
  res: ServerResponse,
  options: {
    storage: LocalStorage;
    grant: StorageGrant;
    accelRedirect: string;
    idleTimeoutMs: number;
    guard?: ReadGuard | undefined;
    onStart: (head: ObjectHead, first: number) => void;
    onBytes: (count: number) => void;
  },
): Promise<void> {
  const { grant } = options;
  const object = await options.storage.openObject(grant.key);
  if (object === undefined) throw new ProviderError(404, 'BlobNotFound', "The object doesn't exist.");
  const { handle, head } = object;
  try {
    const verdict = options.guard?.(grant.key, head);
    if (verdict?.isIntact === false) throw damaged();
    setObjectHeaders(res, grant);
    if (options.accelRedirect !== '') {
      // The proxy evaluates conditions and ranges itself, with its own tags.
      res.setHeader('X-Accel-Redirect', `${options.accelRedirect.replace(/\/+$/, '')}/${grant.key}`);
      if (req.method === 'GET') options.onStart(head, 0);
      res.writeHead(200);
      res.end();
      return;
    }
    const outcome = evaluateConditions(req.headers, head);
    if (outcome === 'failed')
      throw new ProviderError(412, 'ConditionNotMet', 'The condition of the request is not met.');
    res.setHeader('ETag', head.etag);
    res.setHeader('Last-Modified', formatModified(head));
    res.setHeader('Accept-Ranges', 'bytes');
    if (outcome === 'not_modified') {
      res.writeHead(304);
      res.end();
      return;
    }
    const { first, end } = chooseBytes(req, res, head);
    res.setHeader('Content-Length', end - first);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    options.onStart(head, first);
    const hash = first === 0 && end === head.size ? verdict?.beginHash?.() : undefined;
    await sendBytes(res, handle, { ...options, first, end, hash });
  } catch (error) {
    for (const name of ['Content-Disposition', 'ETag', 'Last-Modified']) if (!res.headersSent) res.removeHeader(name);
    throw error;
  } finally {
    await handle.close();
  }
}

function setObjectHeaders(res: ServerResponse, grant: StorageGrant): void {
  res.setHeader('Content-Type', MEDIA_TYPE.test(grant.contentType) ? grant.contentType : 'application/octet-stream');
  res.setHeader('Content-Disposition', formatAttachment(grant.fileName));
  // Uploaded content must never run as a page of this origin.
  res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  res.setHeader('Cache-Control', 'private, no-cache, no-transform');
}

/** Returns the bytes to send, `end` exclusive, and sets status 200 or 206. HEAD has no ranges (RFC 9110, section 14.2). */
function chooseBytes(req: IncomingMessage, res: ServerResponse, head: ObjectHead): { first: number; end: number } {
  const isPartial = req.method === 'GET' && isRangeValid(headerText(req.headers['if-range']), head);
  const range = parseRange(isPartial ? req.headers.range : undefined, head.size);
  if (range.kind === 'unsatisfiable') {
    throw new ProviderError(416, 'InvalidRange', 'The range is outside the object.', {
      'Content-Range': `bytes */${head.size}`,
    });
  }
  if (range.kind === 'whole') return { first: 0, end: head.size };
  res.statusCode = 206;
  res.setHeader('Content-Range', `bytes ${range.first}-${range.last}/${head.size}`);
  return { first: range.first, end: range.last + 1 };
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Sends bytes of the file at the client's pace with two alternating buffers: one is read into while the other is sent.
 * Allocating a buffer per chunk, like a stream does, costs more than the reading. Ends when the client disconnects or accepts no
 * chunk within the idle timeout. The socket's own timeout isn't used, because it restarts whenever the kernel accepts a part of
 * a write.
 */
async function sendBytes(
  res: ServerResponse,
  handle: promises.FileHandle,
  options: {
    first: number;
    end: number;
    idleTimeoutMs: number;
    hash: OutgoingHash | undefined;
    onBytes: (count: number) => void;
  },
): Promise<void> {
  const { first, end, hash } = options;
  const digest = hash && createHash('sha256');
  let isSame: boolean | undefined;
  let written: PromiseWithResolvers<boolean> | undefined;
  res.once('close', () => written?.resolve(false));
  const idle = setTimeout(() => res.destroy(), options.idleTimeoutMs);
  const pace = createPace();
  const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - first)));
  let sending: Promise<boolean> = Promise.resolve(true);
  let position = first;
  try {
    for (let turn = 0; position < end; turn += 1) {
      const buffer = buffers[turn % 2] ?? Buffer.alloc(0);
      const length = Math.min(buffer.length, pace.chunkBytes(), end - position);
      const { bytesRead } = await handle.read(buffer, 0, length, position);
      const isTaken = await sending;
      // If the file ends early, the response can't be completed, because its length was already sent.
      if (!isTaken || bytesRead === 0 || res.destroyed) {
        res.destroy();
        return;
      }
      idle.refresh();
      pace.mark();
      position += bytesRead;
      digest?.update(buffer.subarray(0, bytesRead));
      if (digest && position === end) isSame = digest.digest('hex') === hash?.sha256;
      if (isSame === false) {
        res.destroy();
        return;
      }
      const taken = Promise.withResolvers<boolean>();
      written = taken;
      sending = taken.promise;
      res.write(buffer.subarray(0, bytesRead), (error) => taken.resolve(!error));
      options.onBytes(bytesRead);
    }
    if (await sending) res.end();
  } finally {
    clearTimeout(idle);
    hash?.end(isSame);
  }
}

function damaged(): ProviderError {
  const message = 'The stored object is damaged.';
  return new ProviderError(503, 'BlobDamaged', message, { 'Retry-After': '60' });
}

/**
 * Determines the size of the next chunk: small for a slow client, so that it isn't mistaken for a stalled one, and doubled up to
 * CHUNK_BYTES while chunks are accepted quickly.
 */
function createPace(): { chunkBytes(): number; mark(): void } {
  let size = SMALL_CHUNK_BYTES;
  let markedAt = performance.now();
  return {
    chunkBytes: () => size,
    mark() {
      const now = performance.now();
      size = now - markedAt > SLOW_CHUNK_MS ? SMALL_CHUNK_BYTES : Math.min(size * 2, CHUNK_BYTES);
      markedAt = now;
    },
  };
}
