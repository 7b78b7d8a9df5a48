// The API client: sends and receives JSON, throws errors as ApiError, and renews the session before it expires.
import { apiUrl, isSafePath, type Query } from './api-url.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { getRequest } from './prefetched.ts';
import { RENEW_BEFORE_MS, type SessionMemory } from './session.ts';
import type { TabLock } from './tab-lock.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
interface Request {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Requires no session: a 401 is about the request itself and doesn't renew the session. */
  isAnonymous?: boolean;
}

export interface ClientOptions {
  /** The path before /api/v1, usually ''. */
  base: string;
  fetch(address: string, init: RequestInit): Promise<Response>;
  session: SessionMemory;
  exclusive: TabLock;
  now(): number;
  /** Called after each request. */
  onReached(isReached: boolean): void;
  /** Called when a session can't be renewed. */
  onSessionEnd(): void;
}

export interface Client {
  send<Answer>(method: Method, path: string, request?: Request): Promise<Answer>;
  /** Like `send`, but also returns the response headers. */
  sendForHeaders<Answer>(method: Method, path: string, request?: Request): Promise<{ body: Answer; headers: Headers }>;
  /** Stores the expiry of a new or renewed session. */
  noteTokens(answer: { expires_in: number }): void;
  /** Signs out on the server and in this browser. */
  signOut(): Promise<void>;
  /** Forgets the session after the server has ended it. */
  clearSession(): void;
  /** Returns whether a session is known. It may have expired since. */
  mayBeSignedIn(): boolean;
}

/** Creates the client. `send` throws ApiError for error responses and ConnectionError if the server doesn't respond. */
export function createClient(parts: ClientOptions): Client {
  const { base, session, exclusive, now, onReached, onSessionEnd } = parts;

  async function exchange(method: Method, path: string, { query = {}, body, signal }: Request): Promise<Response> {
    const address = apiUrl(base, path, query);
    const isForm = body instanceof FormData;
    try {
      const response = await parts.fetch(address, {
        ...getRequest,
        method,
        headers: {
          ...getRequest.headers,
          ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      // Proxies return 502 and 504 while the server is down.
      onReached(response.status !== 502 && response.status !== 504);
      return response;
    } catch (error) {
      if (signal?.aborted) throw error;
      onReached(false);
      throw new ConnectionError('The server does not answer', { cause: error });
    }
  }

  /** Renews the session, unless another tab has renewed it since `seen` was read. Returns false if it has expired. */
  function renew(seen: number | undefined): Promise<boolean> {
    return exclusive(async () => {
      const current = session.read();
      if (current === undefined) return false;
      if (current !== seen) return true;
      const response = await exchange('POST', '/login/refresh', { body: {} });
      if (response.ok) {
        recordTokens(await response.json());
        return true;
      }
      const error = await toError(response);
      if (error.status !== 401 && error.status !== 403) throw error;
      session.expire();
      onSessionEnd();
      return false;
    });
  }

  function recordTokens({ expires_in: seconds }: { expires_in: number }): void {
    session.write(now() + seconds * 1000);
  }

  async function sendForHeaders<Answer>(method: Method, path: string, request: Request = {}) {
    if (!isSafePath(path)) throw new ApiError(404, { error: 'not_found', message: 'Not found' }, new Headers());
    let seen = session.read();
    const isOurs = request.isAnonymous !== true;
    if (isOurs && seen !== undefined && seen - now() < RENEW_BEFORE_MS) {
      await renew(seen);
      seen = session.read();
    }
    let response = await exchange(method, path, request);
    if (response.status === 401 && isOurs && seen !== undefined && (await renew(seen))) {
      response = await exchange(method, path, request);
    }
    if (!response.ok) throw await toError(response);
    return { body: (await readBody(response)) as Answer, headers: response.headers };
  }

  async function send<Answer>(method: Method, path: string, request?: Request): Promise<Answer> {
    return (await sendForHeaders<Answer>(method, path, request)).body;
  }

  async function toError(response: Response): Promise<ApiError> {
    const body = await readBody(response).catch(() => undefined);
    return new ApiError(response.status, body, response.headers, now());
  }

  return {
    send,
    sendForHeaders,
    noteTokens: recordTokens,
    clearSession: session.clear,
    mayBeSignedIn: () => session.read() !== undefined,
    async signOut() {
      try {
        await send('POST', '/login/logout');
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      }
      session.clear();
    },
  };
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  return (response.headers.get('content-type') ?? '').includes('json') && text !== '' ? JSON.parse(text) : text;
}
