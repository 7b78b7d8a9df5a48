// The one way to the API: JSON there and back, refusals as ApiError, and a session that is renewed before it ends.
import { isPlainPath, type Query, toAddress } from './address.ts';
import { reading } from './early-answers.ts';
import { ApiError, LostConnection } from './errors.ts';
import type { Exclusive } from './exclusive.ts';
import { RENEWED_BEFORE_MS, type SessionMemory } from './session.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export interface Request {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Needs nobody signed in: a 401 is about what was sent. */
  isAnonymous?: boolean;
}

export interface ClientParts {
  /** Path before /api/v1, '' mostly. */
  base: string;
  fetch(address: string, init: RequestInit): Promise<Response>;
  session: SessionMemory;
  exclusive: Exclusive;
  now(): number;
  /** Told after each request whether the server was reached. */
  onReached(isReached: boolean): void;
  /** Told when a session ended that was there. */
  onSessionEnd(): void;
}

export interface Client {
  send<Answer>(method: Method, path: string, request?: Request): Promise<Answer>;
  /** The same where the answer says something in its headers as well. */
  sendForHeaders<Answer>(method: Method, path: string, request?: Request): Promise<{ body: Answer; headers: Headers }>;
  /** Takes note of a session that begins or was renewed. */
  noteTokens(answer: { expires_in: number }): void;
  /** Ends the session here and, where the server is reached, there. */
  signOut(): Promise<void>;
  /** The server has ended the session with what was just done. */
  clearSession(): void;
  /** Whether a session is known; it may have ended since. */
  mayBeSignedIn(): boolean;
}

/** A client. `send` throws ApiError for a refusal and LostConnection where nothing answers. */
export function createClient(parts: ClientParts): Client {
  const { base, session, exclusive, now, onReached, onSessionEnd } = parts;

  async function exchange(method: Method, path: string, { query = {}, body, signal }: Request): Promise<Response> {
    const address = toAddress(base, path, query);
    const isForm = body instanceof FormData;
    try {
      const response = await parts.fetch(address, {
        ...reading,
        method,
        headers: {
          ...reading.headers,
          ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      // A proxy in front answers these for a server that is away.
      onReached(response.status !== 502 && response.status !== 504);
      return response;
    } catch (error) {
      if (signal?.aborted) throw error;
      onReached(false);
      throw new LostConnection('The server does not answer', { cause: error });
    }
  }

  /** Renews the session unless another tab did since `seen` was read; false when it is over. */
  function renew(seen: number | undefined): Promise<boolean> {
    return exclusive(async () => {
      const current = session.read();
      if (current === undefined) return false;
      if (current !== seen) return true;
      const response = await exchange('POST', '/login/refresh', { body: {} });
      if (response.ok) {
        noteTokens(await response.json());
        return true;
      }
      const error = await toError(response);
      if (error.status !== 401 && error.status !== 403) throw error;
      session.clear();
      onSessionEnd();
      return false;
    });
  }

  function noteTokens({ expires_in: seconds }: { expires_in: number }): void {
    session.write(now() + seconds * 1000);
  }

  async function sendForHeaders<Answer>(method: Method, path: string, request: Request = {}) {
    if (!isPlainPath(path)) throw new ApiError(404, { error: 'not_found', message: 'Not found' }, new Headers());
    let seen = session.read();
    const isOurs = request.isAnonymous !== true;
    if (isOurs && seen !== undefined && seen - now() < RENEWED_BEFORE_MS) {
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
    noteTokens,
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
