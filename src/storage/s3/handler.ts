// Handles GET and HEAD of this server's storage links if the objects are in a bucket: leads to a presigned URL, or passes the
// bytes through.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { StorageError } from '../../core/storage.ts';
import { readGrant } from '../link-request.ts';
import type { FinishedTransfer, RefusalPage, ShownRefusal } from '../local/handler.ts';
import { answerRefusal, damagedObject, ProviderError } from '../provider-error.ts';
import type { ReadGuard } from '../read-guard.ts';
import { sendChunks } from '../send-chunks.ts';
import type { StorageGrant } from '../signature.ts';
import { deliveryHeaders, type S3Storage } from './backend.ts';
import type { Inflow } from './inflow.ts';
import { describeObject } from './object-head.ts';

export type LinkHandlerOptions = {
  storage: S3Storage;
  /** Generates the id of each response, for X-Request-Id and the log. */
  ids: { next(): string };
  /** Connections are closed after this time without progress. */
  idleTimeoutMs?: number;
  /** Reserves connections for a transfer. Returns undefined if the server has none left for transfers. */
  takeFile?(): (() => void) | undefined;
  /** Decides whether an object that passes through this server may be delivered. */
  guard?: ReadGuard;
  log?: { error(fields: object, message: string): void };
  events?: {
    onFinished?(event: FinishedTransfer): void;
    /** Called for each part of a download that was sent. */
    onSent?(event: { subject: string; count: number }): void;
    /** Called when a download was sent to the storage service. */
    onRedirected?(event: { subject: string }): void;
  };
  /** Renders an error page for people who opened the URL in a browser; undefined for programs. */
  showRefusal?(request: IncomingMessage, refusal: ShownRefusal): RefusalPage | undefined;
};

/** Headers of the client that the service evaluates, and headers of its response that the client gets. */
const PASSED_TAGS = ['if-match', 'if-none-match'];
const PASSED_DATES = ['if-modified-since', 'if-unmodified-since'];
/** Of one part, in the form that every service understands. */
const RANGE = /^bytes=(?:\d{1,15}-(?:\d{1,15})?|-\d{1,15})$/;
const PASSED_RESPONSE = ['content-length', 'content-range', 'etag', 'last-modified', 'accept-ranges'];

/** Creates the handler for requests under /storage/v1/. The returned promise never rejects. */
export function createLinkHandler(
  options: LinkHandlerOptions,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const {
    storage,
    ids,
    idleTimeoutMs = 60_000,
    takeFile = () => () => undefined,
    guard,
    log,
    events,
    showRefusal,
  } = options;

  return async function handleLink(req, res) {
    const requestId = ids.next();
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    // The URL is a credential until it expires.
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.on('error', () => undefined);
    req.on('error', () => undefined);
    let key = '';
    let release: (() => void) | undefined;
    const before = req.socket.bytesWritten;
    try {
      const grant = readGrant(req, storage, ['GET', 'HEAD']);
      key = grant.key;
      if (storage.proxiesDownloads) {
        release = takeFile();
        if (release === undefined) throw busy('The server has too many transfers in progress. Try again in a moment.');
        await passThrough(req, res, grant);
      } else {
        await redirect(req, res, grant);
      }
    } catch (error) {
      answerFailure(req, res, { error, requestId, key });
    } finally {
      release?.();
    }
    const isComplete = res.writableFinished || (res.writableEnded && !res.destroyed);
    const bytes = storage.proxiesDownloads ? Math.max(0, req.socket.bytesWritten - before) : 0;
    events?.onFinished?.({ requestId, method: req.method ?? '', key, status: res.statusCode, bytes, isComplete });
  };

  async function redirect(req: IncomingMessage, res: ServerResponse, grant: StorageGrant): Promise<void> {
    const url = await storage.presignGet({
      key: grant.key,
      method: req.method === 'HEAD' ? 'HEAD' : 'GET',
      expiresAt: new Date(Number(grant.expires) * 1000),
      fileName: grant.fileName,
      contentType: grant.contentType,
    });
    if (req.method === 'GET') events?.onRedirected?.({ subject: grant.subject });
    res.writeHead(302, { Location: url, 'Cache-Control': 'no-store', 'Content-Length': 0 });
    res.end();
  }

  async function passThrough(req: IncomingMessage, res: ServerResponse, grant: StorageGrant): Promise<void> {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const ask = async (headers: Record<string, string>): Promise<Inflow | IncomingMessage> => {
      const options = { silenceMs: idleTimeoutMs, signal: gone.signal };
      const request = { key: grant.key, headers };
      const isGet = req.method !== 'HEAD';
      const inflow = isGet ? await storage.client.receive({ ...request, method: 'GET' }, options) : undefined;
      return inflow ?? storage.client.open({ ...request, method: isGet ? 'GET' : 'HEAD' }, options);
    };
    const headers = passedHeaders(req);
    let answer = await ask({ ...headers, ...conditionOfRange(req) });
    if (statusOf(answer) === 412 && req.headers['if-range'] !== undefined) {
      discard(answer);
      delete headers.range;
      answer = await ask(headers);
    }
    const status = statusOf(answer);
    if (![200, 206, 304].includes(status)) {
      discard(answer);
      throw refusalOf(status, answer.headers['content-range']);
    }
    if (status !== 304 && answer.headers.etag === undefined) {
      discard(answer);
      throw new StorageError('unavailable', 'the response is not that of an object storage');
    }
    const isDescribed = status !== 304 && answer.headers['content-length'] !== undefined;
    const head = isDescribed ? describeObject(answer) : undefined;
    const verdict = head && guard?.(grant.key, head);
    if (verdict?.isIntact === false) {
      discard(answer);
      throw damagedObject();
    }
    for (const name of PASSED_RESPONSE) {
      const value = answer.headers[name];
      if (typeof value === 'string') res.setHeader(name, value);
    }
    const { disposition, contentType } = deliveryHeaders(grant.fileName, grant.contentType);
    res.setHeader('Content-Type', contentType);
    res.setHeader('Content-Disposition', disposition);
    // Uploaded content must never run as a page of this origin.
    res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
    res.setHeader('Cache-Control', 'private, no-cache, no-transform');
    res.writeHead(status);
    const onBytes = (count: number): void => events?.onSent?.({ subject: grant.subject, count });
    if ('next' in answer) {
      const isWhole = status === 200 && answer.length === head?.size;
      const hash = isWhole ? verdict?.beginHash?.() : undefined;
      await sendChunks(res, answer, { length: answer.length, idleTimeoutMs, hash, onBytes });
      return;
    }
    // Ends both sides if either fails: the length was already sent, so that the client notices.
    res.setTimeout(idleTimeoutMs, () => res.destroy());
    if (req.method === 'GET') answer.on('data', (chunk: Buffer) => onBytes(chunk.length));
    await pipeline(answer, res).catch(() => undefined);
  }

  function answerFailure(
    req: IncomingMessage,
    res: ServerResponse,
    { error, requestId, key }: { error: unknown; requestId: string; key: string },
  ): void {
    const refusal = error instanceof ProviderError ? error : describeFailure(error);
    if (refusal !== error && !req.socket.destroyed) {
      log?.error({ request_id: requestId, method: req.method, key, err: error }, 'storage request failed');
    }
    const { status, headers } = refusal;
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const page =
      req.method === 'GET' ? showRefusal?.(req, { status, requestId, retryAfter: headers['Retry-After'] }) : undefined;
    if (page === undefined) answerRefusal(req, res, refusal);
    else res.writeHead(status, { ...headers, ...page.headers }).end(page.body);
  }
}

function statusOf(answer: Inflow | IncomingMessage): number {
  return ('next' in answer ? answer.status : answer.statusCode) ?? 502;
}

function discard(answer: Inflow | IncomingMessage): void {
  if ('next' in answer) answer.close();
  else answer.resume();
}

/** Conditions and ranges without a meaning are ignored, as HTTP requires; the service would refuse the request. */
function passedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED_TAGS) {
    const value = headers[name];
    if (typeof value === 'string') passed[name] = value;
  }
  for (const name of PASSED_DATES) {
    const date = httpDateOf(headers[name]);
    if (date !== undefined) passed[name] = date;
  }
  const { range, 'if-range': validator } = headers;
  if (range !== undefined && RANGE.test(range) && (validator === undefined || conditionOf(validator) !== undefined)) {
    passed.range = range;
  }
  return passed;
}

/** Some services ignore If-Range, so it's sent as a condition whose failure means that the whole object is needed. */
function conditionOfRange({ headers }: IncomingMessage): Record<string, string> {
  const { range, 'if-range': validator } = headers;
  return range === undefined || validator === undefined ? {} : (conditionOf(validator) ?? {});
}

/** Returns undefined for a weak tag and what isn't a date, which identify no bytes. */
function conditionOf(validator: string | string[]): Record<string, string> | undefined {
  const text = String(validator).trim();
  if (text.startsWith('"')) return { 'if-match': text };
  const date = text.startsWith('W/') ? undefined : httpDateOf(text);
  return date === undefined ? undefined : { 'if-unmodified-since': date };
}

function httpDateOf(text: string | string[] | undefined): string | undefined {
  const time = Date.parse(String(text));
  return Number.isNaN(time) ? undefined : new Date(time).toUTCString();
}

function busy(message: string): ProviderError {
  return new ProviderError(503, 'ServerBusy', message, { 'Retry-After': '5' });
}

/** The service's own refusals, in the words of the local backend. */
function refusalOf(status: number, contentRange: string | undefined): ProviderError {
  if (status === 404) return new ProviderError(404, 'BlobNotFound', "The object doesn't exist.");
  if (status === 412) return new ProviderError(412, 'ConditionNotMet', 'The condition of the request is not met.');
  if (status === 416) {
    const headers: Record<string, string> = contentRange === undefined ? {} : { 'Content-Range': contentRange };
    return new ProviderError(416, 'InvalidRange', 'The range is outside the object.', headers);
  }
  return busy('The storage is temporarily unavailable.');
}

function describeFailure(error: unknown): ProviderError {
  if (error instanceof StorageError) return busy('The storage is temporarily unavailable.');
  return new ProviderError(500, 'InternalError', 'An internal error occurred.');
}
