// Answers PUT, GET and HEAD under /storage/v1/ on the raw connection: the local backend's side of signed URLs.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { StorageError } from '../../core/storage.ts';
import { decodeObjectKey } from '../object-key.ts';
import type { ReadGuard } from '../read-guard.ts';
import { type StorageGrant, verifyStorageQuery } from '../signature.ts';
import { createActiveUploads } from './active-uploads.ts';
import { type LocalStorage, STORAGE_PATH } from './backend.ts';
import { ClientGone, MINIMUM_RATE, type MinimumRate } from './body.ts';
import { sendObject } from './download.ts';
import { errorCode, toStorageError } from './files.ts';
import { answerRefusal, ProviderError } from './provider-error.ts';
import { receiveObject } from './upload.ts';

/** What metrics may hear. `subject` is whom the URL was signed for. */
export type StorageEvents = {
  onDownloadStarted?(event: { key: string; subject: string; size: number; first: number }): void;
  /** `bytes` of the object taken in or given out; `isComplete` is false when the client went away before the end. */
  onFinished?(event: {
    requestId: string;
    method: string;
    key: string;
    status: number;
    bytes: number;
    isComplete: boolean;
  }): void;
};

export type StorageHandlerOptions = {
  storage: LocalStorage;
  /** Names each answer in X-Request-Id and in the log. */
  ids: { next(): string };
  /** A larger body is refused: twice the largest build. */
  maxBodyBytes: number;
  /** The internal location of nginx that serves the folder objects/, '' for none. */
  accelRedirect?: string;
  /** How long a connection may stand still before it is given up. */
  idleTimeoutMs?: number;
  /** The least that an upload must send; 4 KiB a second over each minute unless said. */
  minimumRate?: MinimumRate;
  /** Whose uploads in progress are bounded together, such as a project; undefined for nobody's. */
  groupOf?(key: string): string | undefined;
  /** Bytes that uploads of one group may announce or have sent at a time. */
  bytesPerGroup?: number;
  /** Takes a handle for the file of a transfer; undefined when the server has none left for transfers. */
  takeFile?(): (() => void) | undefined;
  /** Judges objects before their bytes are given out. */
  guard?: ReadGuard;
  log?: { error(fields: object, message: string): void };
  events?: StorageEvents;
  /** A refusal as a page for who opened the address in a browser; undefined for programs, which get the provider's XML. */
  showRefusal?(request: IncomingMessage, refusal: ShownRefusal): RefusalPage | undefined;
};

export type ShownRefusal = { status: number; requestId: string; retryAfter: string | undefined };
export type RefusalPage = { headers: OutgoingHttpHeaders; body: string | Uint8Array | null };

/** Whether a request's URL is for the storage handler. */
export function isStorageUrl(url: string | undefined): boolean {
  return url?.startsWith(STORAGE_PATH) ?? false;
}

/**
 * The handler for requests under /storage/v1/ (completions 3). The promise never rejects. The server's `requestTimeout`
 * must be 0, or slow uploads are cut by it. The handler itself answers `Expect: 100-continue`, once the body is wanted.
 */
export function createStorageHandler(
  options: StorageHandlerOptions,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const { storage, ids, maxBodyBytes, accelRedirect = '', idleTimeoutMs = 60_000, log, events, showRefusal } = options;
  const {
    minimumRate = MINIMUM_RATE,
    takeFile = () => () => undefined,
    guard,
    groupOf,
    bytesPerGroup = Number.POSITIVE_INFINITY,
  } = options;
  const activeUploads = createActiveUploads({ bytesPerGroup });

  return async function handleStorageRequest(req, res) {
    const requestId = ids.next();
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('x-ms-request-id', requestId);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    // The address is a credential while it lives.
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.on('error', () => undefined);
    req.on('error', () => undefined);
    let key = '';
    let bytes = 0;
    const onBytes = (count: number): void => {
      bytes += count;
    };
    let release: (() => void) | undefined;
    try {
      const grant = judgeRequest(req);
      key = grant.key;
      release = takeFile();
      if (release === undefined) throw tooManyOpen();
      if (grant.method === 'PUT') {
        const expiresAt = new Date(Number(grant.expires) * 1000);
        const bounds = { maxBodyBytes, idleTimeoutMs, minimumRate, activeUploads, group: groupOf?.(key), expiresAt };
        await receiveObject(req, res, { storage, key, onBytes, ...bounds });
      } else {
        const { subject } = grant;
        const onStart = ({ size }: { size: number }, first: number): void => {
          events?.onDownloadStarted?.({ key, subject, size, first });
        };
        await sendObject(req, res, { storage, grant, accelRedirect, idleTimeoutMs, guard, onStart, onBytes });
      }
    } catch (error) {
      answerFailure(req, res, { error, requestId, key });
    } finally {
      release?.();
    }
    const isComplete = res.writableFinished || (res.writableEnded && !res.destroyed);
    events?.onFinished?.({ requestId, method: req.method ?? '', key, status: res.statusCode, bytes, isComplete });
  };

  function judgeRequest(req: IncomingMessage): StorageGrant {
    const { method = '', url = '' } = req;
    if (!['PUT', 'GET', 'HEAD'].includes(method)) {
      throw new ProviderError(405, 'UnsupportedHttpVerb', 'The resource does not support this HTTP verb.', {
        Allow: 'GET, HEAD, PUT',
      });
    }
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const key = isStorageUrl(path) ? decodeObjectKey(path.slice(STORAGE_PATH.length)) : undefined;
    if (key === undefined) throw new ProviderError(400, 'InvalidUri', 'The path is not one of an object.');
    const query = mark === -1 ? '' : url.slice(mark + 1);
    const grant = verifyStorageQuery(storage.keyring, { method, key, query, now: storage.clock.now() });
    if (grant === 'unknown_operation') {
      throw new ProviderError(400, 'InvalidQueryParameterValue', 'The value of the query parameter op is not known.');
    }
    if (grant === 'refused') {
      throw new ProviderError(
        403,
        'AuthenticationFailed',
        'The signature is missing, altered, expired or for another use.',
      );
    }
    return grant;
  }

  function answerFailure(
    req: IncomingMessage,
    res: ServerResponse,
    { error, requestId, key }: { error: unknown; requestId: string; key: string },
  ): void {
    if (error instanceof ClientGone) {
      res.destroy();
      return;
    }
    const refusal = error instanceof ProviderError ? error : describeTrouble(error);
    // The URL is a credential while it lives: the log names the object only.
    const isTrouble = refusal.status >= 500 && refusal !== error;
    if (isTrouble) log?.error({ request_id: requestId, method: req.method, key, err: error }, 'storage failed');
    const { status, headers } = refusal;
    const page =
      req.method === 'GET' ? showRefusal?.(req, { status, requestId, retryAfter: headers['Retry-After'] }) : undefined;
    if (res.headersSent) res.destroy();
    else if (page === undefined) answerRefusal(req, res, refusal);
    else res.writeHead(status, { ...headers, ...page.headers }).end(page.body);
  }
}

/** Closes the connection too, which is one of the handles that are missing. */
function tooManyOpen(): ProviderError {
  const message = 'The server has too many transfers in progress. Try again in a moment.';
  return new ProviderError(503, 'ServerBusy', message, { 'Retry-After': '5', Connection: 'close' });
}

function describeTrouble(error: unknown): ProviderError {
  // Whatever the file system says, such as that no file can be opened, passes: the client tries again.
  const trouble = errorCode(error) === '' ? error : toStorageError(error);
  const code = trouble instanceof StorageError ? trouble.code : 'unavailable';
  if (code === 'immutable') {
    return new ProviderError(409, 'BlobImmutable', 'The object is complete and can no longer be changed.');
  }
  if (code === 'full') {
    return new ProviderError(507, 'InsufficientStorage', 'The storage has no room left.', { 'Retry-After': '60' });
  }
  if (!(trouble instanceof StorageError)) return new ProviderError(500, 'InternalError', 'The storage met an error.');
  return new ProviderError(503, 'ServerBusy', 'The storage does not work at the moment.', { 'Retry-After': '5' });
}
