// The ACME protocol (RFC 8555): signed requests, nonces and error messages.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { version } from '../lib/version.ts';
import * as z from '../lib/zod.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;
/** A nonce may be rejected at any time (RFC 8555 section 6.5). */
const NONCE_ATTEMPTS = 10;
const MAX_WAIT_MS = 15_000;
const POLLING_TIMEOUT_MS = 120_000;
/** For all requests of a session. Slow responses aren't included in the polling timeout. */
const SESSION_TIMEOUT_MS = 30 * 60_000;

const address = z.url({ protocol: /^https?$/ }).max(2048);
const directoryShape = z.object({
  newNonce: address,
  newAccount: address,
  newOrder: address,
  meta: z.object({ termsOfService: z.string().optional() }).optional(),
});
const problemShape = z.object({
  type: z.string().default('about:blank'),
  detail: z.string().default(''),
  subproblems: z.array(z.object({ detail: z.string().default('') })).optional(),
});
const challengeShape = z.object({
  type: z.string(),
  url: address,
  token: z
    .string()
    .regex(/^[\w-]{1,256}$/)
    .optional(),
  error: problemShape.optional(),
});
const authorizationShape = z.object({
  identifier: z.object({ value: z.string() }),
  status: z.string(),
  challenges: z.array(challengeShape).max(20),
});
const orderShape = z.object({
  status: z.string(),
  authorizations: z.array(address).max(100),
  finalize: address,
  certificate: address.optional(),
  error: problemShape.optional(),
});

export type Challenge = z.infer<typeof challengeShape>;
export type Order = z.infer<typeof orderShape>;

/** An authority rejected a request or violated the protocol. The message is one line without control characters, at most 500 characters. */
export class AcmeError extends Error {
  readonly type: string;
  /** Milliseconds until the next request is allowed, if the authority specifies it. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, type = '', retryAfterMs?: number) {
    super(message.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 500));
    this.type = type;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface AcmeParts {
  directory: string;
  /** The account's key, ECDSA P-256. */
  key: KeyObject;
  fetch: typeof fetch;
  signal: AbortSignal;
  timeoutMs?: number;
}

interface Answer {
  body: string;
  headers: Headers;
}

/** Opens a session with one authority for one account. */
export async function openAcme({ directory, key, fetch, signal, timeoutMs = SESSION_TIMEOUT_MS }: AcmeParts) {
  const ending = AbortSignal.timeout(timeoutMs);
  const jose = await import('jose');
  const jwk = await jose.exportJWK(createPublicKey(key));
  const thumbprint = await jose.calculateJwkThumbprint(jwk);
  let nonce: string | undefined;
  let accountUrl: string | undefined;
  const places = parse(directoryShape, (await send(directory, { method: 'GET' })).body);

  async function send(url: string, init: RequestInit): Promise<Answer> {
    const headers = { 'user-agent': `taxiway/${version.version}`, ...init.headers };
    const limits = AbortSignal.any([signal, ending, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    let response: Response;
    let body: string;
    try {
      response = await fetch(url, { ...init, headers, redirect: 'error', signal: limits });
      body = await readBounded(response);
    } catch (error) {
      if (signal.aborted || error instanceof AcmeError) throw error;
      if (ending.aborted) throw new AcmeError('The authority took too long');
      throw new AcmeError(`${new URL(url).host} can't be reached: ${describeCause(error)}`);
    }
    nonce = response.headers.get('replay-nonce') ?? nonce;
    if (!response.ok) throw refusalOf(response, body);
    return { body, headers: response.headers };
  }

  /** Sends a signed POST; without a payload, it reads (section 6.3). */
  async function post(url: string, payload?: unknown, isByKey = false): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      if (nonce === undefined) await send(places.newNonce, { method: 'HEAD' });
      const used = nonce;
      nonce = undefined;
      if (used === undefined) throw new AcmeError('The authority sent no nonce');
      const bytes = new TextEncoder().encode(payload === undefined ? '' : JSON.stringify(payload));
      const name = isByKey || accountUrl === undefined ? { jwk } : { kid: accountUrl };
      const jws = await new jose.FlattenedSign(bytes)
        .setProtectedHeader({ alg: 'ES256', nonce: used, url, ...name })
        .sign(key);
      try {
        const headers = { 'content-type': 'application/jose+json' };
        return await send(url, { method: 'POST', headers, body: JSON.stringify(jws) });
      } catch (error) {
        if (!(error instanceof AcmeError) || !error.type.endsWith(':badNonce') || attempt >= NONCE_ATTEMPTS)
          throw error;
      }
    }
  }

  /** Polls a resource until it's done. The delay increases unless the authority specifies it. */
  async function readUntil<T>(url: string, shape: z.ZodType<T>, isDone: (value: T) => boolean): Promise<T> {
    let waited = 0;
    for (let pause = 250; ; pause = Math.min(pause * 2, MAX_WAIT_MS)) {
      const { body, headers } = await post(url);
      const value = parse(shape, body);
      if (isDone(value)) return value;
      if (waited > POLLING_TIMEOUT_MS) throw new AcmeError('The authority took too long');
      const asked = readRetryAfter(headers);
      const wait = asked === undefined ? pause : Math.min(Math.max(asked, 250), MAX_WAIT_MS);
      await sleep(wait, undefined, { signal });
      waited += wait;
    }
  }

  return {
    termsOfService: places.meta?.termsOfService,
    /** Returns the key authorization of a challenge (section 8.1). */
    keyAuthorization: (token: string) => `${token}.${thumbprint}`,
    /** Uses an existing account. */
    actAs(url: string) {
      accountUrl = url;
    },
    /** Creates the account, or finds the one of the key. Returns its URL. */
    async register(email: string): Promise<string> {
      const contact = email === '' ? {} : { contact: [`mailto:${email}`] };
      const { headers } = await post(places.newAccount, { termsOfServiceAgreed: true, ...contact }, true);
      const location = headers.get('location');
      if (location === null || !address.safeParse(location).success)
        throw new AcmeError('The authority returned no account URL');
      accountUrl = location;
      return location;
    },
    async createOrder(names: readonly string[]): Promise<Order & { url: string }> {
      const identifiers = names.map((value) => ({ type: 'dns', value }));
      const { body, headers } = await post(places.newOrder, { identifiers });
      return { ...parse(orderShape, body), url: address.parse(headers.get('location')) };
    },
    readAuthorization: async (url: string) => parse(authorizationShape, (await post(url)).body),
    /** Asks the authority to validate a challenge. */
    async tryChallenge(url: string): Promise<void> {
      await post(url, {});
    },
    waitForAuthorization: (url: string) => readUntil(url, authorizationShape, ({ status }) => status !== 'pending'),
    waitForOrder: (url: string, waitFor: readonly string[]) =>
      readUntil(url, orderShape, ({ status }) => status === 'invalid' || waitFor.includes(status)),
    async finalize(url: string, request: Buffer): Promise<void> {
      await post(url, { csr: request.toString('base64url') });
    },
    /** Downloads the certificate and its intermediate certificates in PEM. */
    download: async (url: string) => (await post(url)).body,
  };
}

export type Acme = Awaited<ReturnType<typeof openAcme>>;

function parse<T>(shape: z.ZodType<T>, body: string): T {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new AcmeError("The authority's response isn't JSON");
  }
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  throw new AcmeError(`The authority's response has no valid ${result.error.issues[0]?.path.join('.') ?? 'object'}`);
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new AcmeError("The authority's response is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Converts an error response with the authority's own message (RFC 7807). */
function refusalOf(response: Response, body: string): AcmeError {
  const retryAfterMs = readRetryAfter(response.headers);
  try {
    const problem = problemShape.parse(JSON.parse(body));
    return new AcmeError(describeProblem(problem), problem.type, retryAfterMs);
  } catch {
    return new AcmeError(`The authority responded with ${response.status}`, '', retryAfterMs);
  }
}

/** Formats a problem for an AcmeError. */
export function describeProblem({ type, detail, subproblems = [] }: z.infer<typeof problemShape>): string {
  const words = [detail, ...subproblems.map((sub) => sub.detail)].filter((text) => text !== '').join('; ');
  const kind = type.replace(/^urn:ietf:params:acme:error:/, '');
  return `${words === '' ? 'no reason given' : words} (${kind})`;
}

/** Reads Retry-After in seconds or as a date (RFC 9110 section 10.2.3). */
function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const moment = Date.parse(value);
  // The date follows the authority's clock, which is in its Date header.
  const now = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(moment) || Number.isNaN(now) ? undefined : Math.max(0, moment - now);
}

function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message.slice(0, 200) : 'no reason given';
}
