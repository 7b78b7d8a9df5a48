// Handles PUT, GET and HEAD under /storage/v1/ on the raw connection: the signed URLs of the local backend.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { StorageError } from '../../core/storage.ts';
import { codeOf } from '../../lib/error-code.ts';
import { readGrant } from '../link-request.ts';
import { answerRefusal, ProviderError } from '../provider-error.ts';
import type { ReadGuard } from '../read-guard.ts';
import { createActiveUploads } from './active-uploads.ts';
import type { LocalStorage } from './backend.ts';
import { ClientGone, MINIMUM_RATE, type MinimumRate } from './body.ts';
import { sendObject } from './download.ts';
import { errorCode, toStorageError } from './files.ts';
import { receiveObject } from './upload.ts';

/** Events for metrics. `subject` is the identity that the URL was signed for. */
type StorageEvents = {
  onDownloadStarted?(event: { key: string; subject: string; size: number; first: number }): void;
  onFinished?(event: FinishedTransfer): void;
  /** Called for each part of a download that was sent. */
  onSent?(event: { subject: string; count: number }): void;
};

/** `bytes` is the number of bytes transferred; `isComplete` is false if the client disconnected early. */
export type FinishedTransfer = {
  requestId: string;
  method: string;
  key: string;
  status: number;
  bytes: number;
  isComplete: boolean;
};

export type StorageHandlerOptions = {
  storage: LocalStorage;
  /** Generates the id of each response, for X-Request-Id and the log. */
  ids: { next(): string };
  /** Maximum size of a body: twice the largest build. */
  maxBodyBytes: number;
  /** The internal location of nginx for the folder objects/, '' for none. */
  accelRedirect?: string;
  /** Connections are closed after this time without progress. */
  idleTimeoutMs?: number;
  /** Minimum upload rate; by default 4 KiB per second over each minute. */
  minimumRate?: MinimumRate;
  /** Returns the group of keys whose uploads share a limit, such as a project; undefined for none. */
  groupOf?(key: string): string | undefined;
  /** Whether a PUT of the key is rejected as immutable although its object wasn't moved. */
  isOver?(key: string): boolean;
  /** Maximum number of announced or received bytes of one group's uploads. */
  bytesPerGroup?: number;
  /** Reserves a file handle for a transfer. Returns undefined if the server has none left for transfers. */
  takeFile?(): (() => void) | undefined;
  /** Checks objects before their bytes are delivered. */
  guard?: ReadGuard;
  log?: { error(fields: object, message: string): void };
  events?: StorageEvents;
  /** Renders an error page for people who opened the URL in a browser; undefined for programs, which get the provider's XML. */
  showRefusal?(request: IncomingMessage, refusal: ShownRefusal): RefusalPage | undefined;
};

export type ShownRefusal = { status: number; requestId: string; retryAfter: string | undefined };
export type RefusalPage = { headers: OutgoingHttpHeaders; body: string | Uint8Array | null };

/**
 * Creates the handler for requests under /storage/v1/. The returned promise never rejects. The server's
 * `requestTimeout` must be 0, because it would abort slow uploads. The handler itself sends `100 Continue` when it's ready for
 * the body.
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
    isOver = () => false,
    bytesPerGroup = Number.POSITIVE_INFINITY,
  } = options;
  const activeUploads = createActiveUploads({ bytesPerGroup });

  return async function handleStorageRequest(req, res) {
    const requestId = ids.next();
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('x-ms-request-id', requestId);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    // The URL is a credential until it expires.
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.on('error', () => undefined);
    req.on('error', () => undefined);
    let key = '';
    let bytes = 0;
    let subject: string | undefined;
    const onBytes = (count: number): void => {
      bytes += count;
      if (subject !== undefined) events?.onSent?.({ subject, count });
    };
    let release: (() => void) | undefined;
    try {
      const grant = readGrant(req, storage, ['GET', 'HEAD', 'PUT']);
      key = grant.key;
      release = takeFile();
      if (release === undefined) throw tooManyOpen();
      if (grant.method === 'PUT') {
        const expiresAt = new Date(Number(grant.expires) * 1000);
        const bounds = { maxBodyBytes, idleTimeoutMs, minimumRate, activeUploads, group: groupOf?.(key), expiresAt };
        await receiveObject(req, res, { storage, key, isOver, onBytes, ...bounds });
      } else {
        const receiver = grant.subject;
        subject = receiver;
        const onStart = ({ size }: { size: number }, first: number): void => {
          events?.onDownloadStarted?.({ key, subject: receiver, size, first });
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
    // The URL is a credential until it expires, so only the object is logged.
    const isTrouble = refusal.status >= 500 && refusal !== error;
    if (isTrouble) log?.error({ request_id: requestId, method: req.method, key, err: error }, 'storage request failed');
    const { status, headers } = refusal;
    const page =
      req.method === 'GET' ? showRefusal?.(req, { status, requestId, retryAfter: headers['Retry-After'] }) : undefined;
    if (res.headersSent) res.destroy();
    else if (page === undefined) answerRefusal(req, res, refusal);
    else res.writeHead(status, { ...headers, ...page.headers }).end(page.body);
  }
}

/** Also closes the connection, because it uses one of the scarce handles. */
function tooManyOpen(): ProviderError {
  const message = 'The server has too many transfers in progress. Try again in a moment.';
  return new ProviderError(503, 'ServerBusy', message, { 'Retry-After': '5', Connection: 'close' });
}

function describeTrouble(error: unknown): ProviderError {
  // File system errors, such as too many open files, are temporary, so the client should retry.
  const trouble = errorCode(error) === '' ? error : toStorageError(error);
  const code = trouble instanceof StorageError ? trouble.code : 'unavailable';
  if (code === 'immutable') {
    return new ProviderError(409, 'BlobImmutable', 'The object is complete and can no longer be changed.');
  }
  if (code === 'full') {
    return new ProviderError(507, 'InsufficientStorage', 'The storage is full.', { 'Retry-After': '60' });
  }
  // A database that can't be read is unavailable too.
  const isKnown = trouble instanceof StorageError || codeOf(trouble).startsWith('SQLITE_');
  if (!isKnown) return new ProviderError(500, 'InternalError', 'An internal error occurred.');
  return new ProviderError(503, 'ServerBusy', 'The storage is temporarily unavailable.', { 'Retry-After': '5' });
}
