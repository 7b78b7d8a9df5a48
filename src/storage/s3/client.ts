// Signed requests to the S3 service, repeated after temporary failures. Everything that fails becomes a StorageError.
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { StorageError, type StorageErrorCode } from '../../core/storage.ts';
import type { CredentialSource, Credentials } from './credentials.ts';
import type { Inflow } from './inflow.ts';
import type { BucketLocation } from './location.ts';
import type { Deadlines, Transport, WireAnswer } from './transport.ts';
import { textOf } from './xml.ts';

/** A response that isn't a success, with the service's own code; '' if it has none, such as every response to HEAD. */
export class S3Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'S3Refusal';
    this.status = status;
    this.code = code;
  }
}

type S3Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Missing for the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
};

export type S3Limits = Deadlines & { readonly maxBytes: number };

/** Enough for everything but bytes of packages. */
export const SMALL: S3Limits = { silenceMs: 5_000, totalMs: 10_000, maxBytes: 4 * 1024 * 1024 };

/** Returns limits for transferring bytes: at least 256 KiB per second. */
export function transferLimits(bytes: number): S3Limits {
  return {
    silenceMs: 10_000,
    totalMs: 10_000 + Math.ceil(bytes / (256 * 1024)) * 1_000,
    maxBytes: bytes + 64 * 1024,
  };
}

export type RetryOptions = {
  attempts: number;
  /** The longest pause before the second attempt; doubled before each further one. */
  pauseMs: number;
  /** No attempt starts after this time. */
  budgetMs: number;
};

const RETRIES: RetryOptions = { attempts: 3, pauseMs: 200, budgetMs: 10_000 };
const MAX_RETRY_AFTER_MS = 2_000;
/** Own requests are sent immediately; the rest is for clocks that differ. */
const REQUEST_LIFETIME_S = 900;
const MAX_LIFETIME_S = 7 * 86_400;
/** Statuses after which the same request may succeed soon. */
export const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const TEMPORARY_CODES = new Set([
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'XMinioServerNotInitialized',
]);
const CREDENTIAL_CODES = new Set(['ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'TokenRefreshRequired']);
const FULL_CODES = new Set([
  'QuotaExceeded',
  'ServiceQuotaExceeded',
  'StorageQuotaExceeded',
  'InsufficientStorage',
  'XMinioAdminBucketQuotaExceeded',
  'XMinioStorageFull',
]);

export type S3Client = {
  readonly location: BucketLocation;
  /**
   * Sends a request, repeatedly after temporary failures. Throws StorageError with an S3Refusal or a system error as its cause:
   * `not_found` for a missing object (but not for a missing bucket), `changed` for a failed condition, `full`, or `unavailable`.
   */
  call(request: S3Request, limits?: S3Limits): Promise<WireAnswer>;
  /**
   * Sends a GET or HEAD, repeatedly after temporary failures, and returns the response, of any status if it isn't temporary. Throws
   * StorageError `unavailable`.
   */
  open(request: S3Request, options: { silenceMs: number; signal?: AbortSignal }): Promise<IncomingMessage>;
  /** Sends a GET, like `open`, and returns a response that can be passed on with little work, or undefined. */
  receive(request: S3Request, options: { silenceMs: number; signal?: AbortSignal }): Promise<Inflow | undefined>;
  /** Returns a presigned URL for clients. Its lifetime is at most a week. Throws StorageError `unavailable` without credentials. */
  presign(
    request: { method: string; key: string; query?: Record<string, string>; headers?: Record<string, string> },
    lifetimeMs: number,
  ): Promise<string>;
  /** How far the clock of the service is ahead, in milliseconds, at the last response; undefined before. */
  clockSkewMs(): number | undefined;
};

export function createS3Client(options: {
  location: BucketLocation;
  region: string;
  credentials: CredentialSource;
  transport: Transport;
  retries?: Partial<RetryOptions> | undefined;
}): S3Client {
  const { location, region, credentials, transport } = options;
  const retries = { ...RETRIES, ...options.retries };
  const signingKeys = new Map<string, ArrayBuffer>();
  let skewMs: number | undefined;

  async function loadCredentials(): Promise<Credentials> {
    try {
      return await credentials.load();
    } catch (error) {
      throw new StorageError('unavailable', 'the credentials of the storage are unavailable', error);
    }
  }

  async function sign(
    given: { method: string; url: URL; headers: Record<string, string> },
    lifetimeS: number,
    { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  ): Promise<URL> {
    given.url.searchParams.set('X-Amz-Expires', String(lifetimeS));
    // Keys of earlier days and credentials.
    if (signingKeys.size > 16) signingKeys.clear();
    const signer = new AwsV4Signer({
      ...given,
      url: given.url.toString(),
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: 's3',
      region,
      cache: signingKeys,
      signQuery: true,
      allHeaders: true,
    });
    const { url } = await signer.sign();
    // Some proxies and phones don't accept a plus for a space.
    url.search = url.search.replaceAll('+', '%20');
    return url;
  }

  async function toWire({ method, key, query, headers = {}, body }: S3Request, used: Credentials) {
    const url = location.urlOf(key);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const kept = { ...headers };
    return { method, url: await sign({ method, url, headers: kept }, REQUEST_LIFETIME_S, used), headers: kept, body };
  }

  async function call(request: S3Request, limits: S3Limits = SMALL): Promise<WireAnswer> {
    // An invalid key is a bug in the caller and no failure of the service.
    location.urlOf(request.key);
    const startedAt = performance.now();
    let hasRenewed = false;
    for (let attempt = 1; ; attempt += 1) {
      const used = await loadCredentials();
      let failure: unknown;
      let retryAfter: string | undefined;
      try {
        const answer = await transport.send(await toWire(request, used), limits);
        noteClock(answer.headers.date);
        const refusal = refusalOf(request.method, answer);
        if (refusal === undefined) return answer;
        failure = refusal;
        retryAfter = answer.headers['retry-after'];
      } catch (error) {
        failure = error;
      }
      if (!hasRenewed && blamesCredentials(failure) && credentials.reject(used)) {
        hasRenewed = true;
        continue;
      }
      const pauseMs = pauseBefore(attempt, retryAfter);
      if (!isTemporary(failure) || isLast(attempt, startedAt, pauseMs)) throw toStorageError(failure);
      await wait(pauseMs);
    }
  }

  /** Whether no attempt follows this one. */
  function isLast(attempt: number, startedAt: number, pauseMs: number): boolean {
    return attempt >= retries.attempts || performance.now() - startedAt + pauseMs > retries.budgetMs;
  }

  /** Repeats a request whose response is passed on. The response to the last attempt is returned, whatever its status. */
  async function begin<Answer extends Opened | undefined>(
    request: S3Request,
    { signal }: { signal?: AbortSignal },
    send: (wire: Awaited<ReturnType<typeof toWire>>) => Promise<Answer>,
  ): Promise<Answer> {
    const startedAt = performance.now();
    let hasRenewed = false;
    for (let attempt = 1; ; attempt += 1) {
      const used = await loadCredentials();
      let answer: Answer | undefined;
      let failure: unknown;
      try {
        answer = await send(await toWire(request, used));
      } catch (error) {
        failure = error;
      }
      const status = statusOf(answer);
      // Why it's forbidden is in the body, which isn't read.
      if (status === 403 && !hasRenewed && credentials.reject(used)) {
        hasRenewed = true;
        discard(answer);
        continue;
      }
      const pauseMs = pauseBefore(attempt, answer?.headers['retry-after']);
      const isOver = signal?.aborted === true || isLast(attempt, startedAt, pauseMs);
      if (failure === undefined && (isOver || !TEMPORARY_STATUSES.has(status))) return answer as Answer;
      if (isOver) throw toStorageError(failure);
      discard(answer);
      await wait(pauseMs);
    }
  }

  function pauseBefore(attempt: number, retryAfter: string | undefined): number {
    const given = /^\d{1,3}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : 0;
    const most = retries.pauseMs * 2 ** (attempt - 1);
    return Math.min(given, MAX_RETRY_AFTER_MS) + most / 2 + (Math.random() * most) / 2;
  }

  function noteClock(date: string | undefined): void {
    const time = Date.parse(date ?? '');
    if (!Number.isNaN(time)) skewMs = time - Date.now();
  }

  return {
    location,
    call,
    open: (request, options) => begin(request, options, (wire) => transport.open(wire, options)),
    receive: (request, options) => begin(request, options, (wire) => transport.receive(wire, options)),
    async presign({ method, key, query = {}, headers = {} }, lifetimeMs) {
      const used = await loadCredentials();
      const url = location.publicUrlOf(key);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      // Rounded up, because it begins with the current second.
      const lifetimeS = Math.min(Math.max(Math.ceil(lifetimeMs / 1000), 1), MAX_LIFETIME_S);
      return (await sign({ method, url, headers }, lifetimeS, used)).toString();
    },
    clockSkewMs: () => skewMs,
  };
}

type Opened = Inflow | IncomingMessage;

/** Returns the status of a response, or 0 without one. */
function statusOf(answer: Opened | undefined): number {
  return (answer !== undefined && 'next' in answer ? answer.status : answer?.statusCode) ?? 0;
}

function discard(answer: Opened | undefined): void {
  if (answer !== undefined && 'next' in answer) answer.close();
  else answer?.resume();
}

/** Returns the failure that a response reports, also with status 200: the service responds to a copy before it's done. */
function refusalOf(method: string, { status, headers, body }: WireAnswer): S3Refusal | undefined {
  const isSuccess = status >= 200 && status < 300;
  // The body of a successful GET can be the content of an object, which may look like an error.
  if (isSuccess && (method === 'GET' || method === 'HEAD' || body.length === 0)) return undefined;
  const isXml = /xml/.test(headers['content-type'] ?? '') || body.subarray(0, 5).toString('latin1') === '<?xml';
  const xml = isXml ? body.subarray(0, 16_384).toString() : '';
  const root = /^(?:\s*<\?xml[^>]*>)?\s*<(\w+)/.exec(xml)?.[1];
  // Only a proxy responds to a write with a page.
  const isPage = /^text\/html\b/i.test(headers['content-type'] ?? '') || root === 'html';
  if (isSuccess && root !== 'Error' && !isPage) return undefined;
  const code = root === 'Error' ? (textOf(xml, 'Code') ?? '') : '';
  const message = textOf(xml, 'Message') ?? '';
  return new S3Refusal(status, code, `${status} ${code}${message === '' ? '' : `: ${message}`}`.slice(0, 500).trim());
}

/** An unreadable XML response or a lost connection is temporary too. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof S3Refusal)) return true;
  return TEMPORARY_STATUSES.has(error.status) || TEMPORARY_CODES.has(error.code);
}

/** A response to HEAD has no code. */
function blamesCredentials(error: unknown): boolean {
  if (!(error instanceof S3Refusal)) return false;
  return CREDENTIAL_CODES.has(error.code) || (error.status === 403 && error.code === '');
}

/** Returns the StorageError for anything thrown by a request. Unknown causes are `unavailable`. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = error instanceof S3Refusal ? codeOf(error) : 'unavailable';
  const texts: Partial<Record<StorageErrorCode, string>> = {
    not_found: "the object doesn't exist",
    changed: 'the object was replaced',
    full: 'the storage is full',
  };
  return new StorageError(code, texts[code] ?? 'the storage is unavailable', error);
}

/** Only the service itself can say that an object is missing. A missing bucket or a page of a proxy says nothing about it. */
function codeOf({ status, code }: S3Refusal): StorageErrorCode {
  if (code === 'NoSuchKey') return 'not_found';
  if (status === 412 || code === 'PreconditionFailed') return 'changed';
  return status === 507 || FULL_CODES.has(code) ? 'full' : 'unavailable';
}
