// Requests to a customer's container with its application's token, repeated after temporary failures. Everything that fails
// becomes a StorageError. Redirects aren't followed.
import type { IncomingMessage } from 'node:http';
import { StorageError, type StorageErrorCode } from '../../core/storage.ts';
import type { Clock } from '../../lib/clock.ts';
import { type RetryOptions, type S3Limits, SMALL } from '../s3/client.ts';
import type { Transport, WireAnswer } from '../s3/transport.ts';
import { textOf } from '../s3/xml.ts';
import type { ContainerLocation } from './location.ts';
import { AzureRefusal, repeat, tidy } from './retries.ts';
import type { TokenSource } from './tokens.ts';

/** The version of the service's interface, which also decides what a signature covers. */
export const SERVICE_VERSION = '2025-11-05';

type AzureRequest = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Missing for the container itself. */
  readonly key?: string;
  /** The request is for the storage account. */
  readonly isForAccount?: true;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
};

export type AzureClient = {
  readonly location: ContainerLocation;
  readonly clock: Pick<Clock, 'now'>;
  /**
   * Sends a request, repeatedly after temporary failures, and returns the response if it has an expected status. Throws
   * StorageError with an AzureRefusal or a system error as its cause: `not_found` for a missing blob (but not for a missing
   * container), `changed` for a failed condition, `exists`, or `unavailable`.
   */
  call(request: AzureRequest, expected: readonly number[], limits?: S3Limits): Promise<WireAnswer>;
  /** Sends a HEAD request with a signed URL instead of a token, once. Returns the status. Throws StorageError `unavailable`. */
  headSigned(url: URL): Promise<number>;
  /** Sends a GET or HEAD once and returns the response of any status. Throws StorageError `unavailable`. */
  open(request: AzureRequest, options: { silenceMs: number; signal?: AbortSignal }): Promise<IncomingMessage>;
};

export function createAzureClient(options: {
  location: ContainerLocation;
  tokens: TokenSource;
  transport: Pick<Transport, 'send' | 'open'>;
  clock: Pick<Clock, 'now'>;
  retries?: Partial<RetryOptions> | undefined;
}): AzureClient {
  const { location, tokens, transport, clock } = options;

  function toWire({ method, key, isForAccount, query, headers, body }: AzureRequest, token: string) {
    const url = isForAccount ? location.accountUrl() : location.urlOf(key);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    // The service doesn't read a plus as a space everywhere.
    url.search = url.search.replaceAll('+', '%20');
    return {
      method,
      url,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        'x-ms-version': SERVICE_VERSION,
        'x-ms-date': clock.now().toUTCString(),
      },
      // Without it, the service refuses a PUT or POST without a body.
      body: body ?? (method === 'PUT' || method === 'POST' ? Buffer.alloc(0) : undefined),
    };
  }

  async function call(
    request: AzureRequest,
    expected: readonly number[],
    limits: S3Limits = SMALL,
  ): Promise<WireAnswer> {
    // An invalid key is a bug in the caller and no failure of the service.
    location.urlOf(request.key);
    let hasRenewed = false;
    const attempt = async (note: (answer: WireAnswer) => void): Promise<WireAnswer> => {
      const token = await tokens.load();
      const answer = await transport.send(toWire(request, token), limits);
      note(answer);
      if (expected.includes(answer.status)) return answer;
      if (answer.status === 401 && !hasRenewed) {
        hasRenewed = true;
        tokens.reject(token);
        return attempt(note);
      }
      throw refusalOf(answer, token);
    };
    try {
      return await repeat(attempt, options.retries);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  return {
    location,
    clock,
    call,
    async headSigned(url) {
      try {
        return (await transport.send({ method: 'HEAD', url, headers: {} }, SMALL)).status;
      } catch (error) {
        throw toStorageError(error);
      }
    },
    async open(request, given) {
      try {
        return await transport.open(toWire(request, await tokens.load()), given);
      } catch (error) {
        throw toStorageError(error);
      }
    },
  };
}

/** Returns the failure with the service's own code, such as `BlobNotFound`. No response should repeat the token or a signature. */
function refusalOf({ status, headers, body }: WireAnswer, token: string): AzureRefusal {
  const xml = /xml/.test(headers['content-type'] ?? '') ? body.subarray(0, 16_384).toString() : '';
  const header = headers['x-ms-error-code'];
  const code = typeof header === 'string' ? header : (textOf(xml, 'Code') ?? '');
  // Its further lines are ids and the time.
  const [message = ''] = (textOf(xml, 'Message') ?? '').split('\n');
  const safe = (text: string): string => text.replaceAll(token, '\u2026').replace(/\bsig=[^&\s]+/g, 'sig=\u2026');
  return new AzureRefusal('storage', status, tidy(safe(code), 60), tidy(safe(message)));
}

function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = error instanceof AzureRefusal ? codeOf(error) : 'unavailable';
  const texts: Partial<Record<StorageErrorCode, string>> = {
    not_found: "the object doesn't exist",
    changed: 'the object was replaced',
    exists: 'the object exists',
  };
  return new StorageError(code, texts[code] ?? "the customer's container is unavailable", error);
}

/** Only the service itself can say that a blob is missing. A missing container or a page of a proxy says nothing about it. */
function codeOf({ service, code }: AzureRefusal): StorageErrorCode {
  if (service === 'entra') return 'unavailable';
  if (code === 'BlobNotFound') return 'not_found';
  if (code === 'BlobAlreadyExists') return 'exists';
  return code === 'ConditionNotMet' || code === 'TargetConditionNotMet' || code === 'SourceConditionNotMet'
    ? 'changed'
    : 'unavailable';
}
