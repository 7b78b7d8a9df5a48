// PUT of one object. The object becomes visible only when all bytes have arrived.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ObjectHead, StorageError } from '../../core/storage.ts';
import { ProviderError } from '../provider-error.ts';
import { type ActiveUpload, type ActiveUploads, superseded } from './active-uploads.ts';
import type { LocalStorage } from './backend.ts';
import { ClientGone, type MinimumRate, readBody } from './body.ts';
import { matchesTag } from './conditions.ts';

export type UploadOptions = {
  storage: LocalStorage;
  key: string;
  /** Expiry of the URL. Uploads that aren't stored by then are rejected. */
  expiresAt: Date;
  /** The group whose uploads share a limit; undefined for none. */
  group: string | undefined;
  /** Whether nothing may be stored under a key anymore, although its object wasn't moved. */
  isOver(key: string): boolean;
  activeUploads: ActiveUploads;
  maxBodyBytes: number;
  idleTimeoutMs: number;
  minimumRate: MinimumRate;
  onBytes: (count: number) => void;
};

/**
 * Stores the request's body under the key and responds with 201. Throws ProviderError, StorageError or ClientGone; then nothing
 * is stored.
 */
export async function receiveObject(req: IncomingMessage, res: ServerResponse, options: UploadOptions): Promise<void> {
  const { storage, key, maxBodyBytes, group } = options;
  const expectedMd5 = checkHeaders(req, maxBodyBytes);
  // Checked again at the end. Checking now avoids transferring a body that will be rejected.
  if (await storage.isSealed(key)) throw new StorageError('immutable', 'the object was moved to its final key');
  refuseOver(options);
  const announced = Number(req.headers['content-length'] ?? 0);
  if (!(await storage.room.has(announced))) throw diskAlmostFull();
  const active = await options.activeUploads.open(key, group, announced);
  try {
    await store(req, res, { ...options, active, expectedMd5 });
  } finally {
    active.close();
  }
}

async function store(
  req: IncomingMessage,
  res: ServerResponse,
  options: UploadOptions & { active: ActiveUpload; expectedMd5: string | undefined },
): Promise<void> {
  const { storage, key, maxBodyBytes, active, expectedMd5 } = options;
  const md5 = expectedMd5 === undefined ? undefined : createHash('md5');
  const sha256 = createHash('sha256');
  const object = await storage.beginObject();
  try {
    let size = 0;
    if (/^100-continue$/i.test(req.headers.expect ?? '')) res.writeContinue();
    for await (const chunk of readBody(req, { ...options, superseded: active.superseded })) {
      size += chunk.byteLength;
      options.onBytes(chunk.byteLength);
      if (size > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
      refuseExpired(options);
      active.grow(chunk.byteLength);
      await storage.room.take(chunk.byteLength);
      md5?.update(chunk);
      sha256.update(chunk);
      await object.write(chunk);
    }
    if (md5 !== undefined && md5.digest('base64') !== expectedMd5) {
      throw new ProviderError(400, 'Md5Mismatch', 'The Content-MD5 header is not the MD5 of the body.');
    }
    const head = await object.publish(key, (existing) => {
      refuseOver(options);
      checkExisting(req, existing);
      if (active.superseded.aborted) throw superseded();
      // Bytes beyond the announced length close the connection immediately.
      if (req.socket.destroyed) throw new ClientGone();
    });
    storage.digests.remember(key, head.etag, sha256.digest('hex'));
    res.writeHead(201, { ETag: head.etag, 'Last-Modified': head.modifiedAt.toUTCString(), 'Content-Length': 0 });
    res.end();
  } finally {
    await object.discard();
  }
}

function refuseOver({ isOver, key }: UploadOptions): void {
  if (isOver(key)) throw new StorageError('immutable', 'the upload has ended');
}

function refuseExpired({ storage, expiresAt }: UploadOptions): void {
  if (storage.clock.now() < expiresAt) return;
  throw new ProviderError(403, 'AuthenticationFailed', 'The URL expired before the upload was complete.');
}

function checkHeaders(req: IncomingMessage, maxBodyBytes: number): string | undefined {
  const { headers } = req;
  const type = headers['x-ms-blob-type'];
  if (type === undefined) {
    throw new ProviderError(400, 'MissingRequiredHeader', 'The header x-ms-blob-type is required.');
  }
  if (type !== 'BlockBlob') {
    throw new ProviderError(400, 'InvalidHeaderValue', 'The header x-ms-blob-type must be BlockBlob.');
  }
  // A part stored as the whole would corrupt the object (RFC 9110, section 14.5).
  if (headers['content-range'] !== undefined) {
    throw new ProviderError(400, 'UnsupportedHeader', 'Content-Range is not supported; send the whole object.');
  }
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    throw new ProviderError(411, 'MissingContentLengthHeader', 'The Content-Length header is required.');
  }
  if (Number(length ?? 0) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  const md5 = headers['content-md5'];
  if (md5 === undefined) return undefined;
  const text = String(md5);
  if (!/^[A-Za-z0-9+/]{22}==$/.test(text)) {
    throw new ProviderError(400, 'InvalidMd5', 'The header Content-MD5 must be the base64 of 16 bytes.');
  }
  return Buffer.from(text, 'base64').toString('base64');
}

function checkExisting(req: IncomingMessage, existing: ObjectHead | undefined): void {
  const ifNoneMatch = req.headers['if-none-match'];
  if (ifNoneMatch !== undefined && existing && matchesTag(ifNoneMatch, existing.etag, { isWeak: true })) {
    throw new ProviderError(409, 'BlobAlreadyExists', 'The object already exists.');
  }
  const ifMatch = req.headers['if-match'];
  if (ifMatch !== undefined && !(existing && matchesTag(ifMatch, existing.etag, { isWeak: false }))) {
    throw new ProviderError(412, 'ConditionNotMet', 'The condition of the request is not met.');
  }
}

function bodyTooLarge(maxBodyBytes: number): ProviderError {
  return new ProviderError(413, 'RequestBodyTooLarge', `The body is larger than ${maxBodyBytes} bytes.`);
}

function diskAlmostFull(): ProviderError {
  const message = 'The disk of the server is almost full, so it accepts no uploads of this size.';
  return new ProviderError(507, 'InsufficientStorage', message, { 'Retry-After': '60' });
}
