// HTTP client of the client commands: JSON requests and responses, error envelopes, retries.
import { Refusal } from '../../lib/failure.ts';
import type * as z from '../../lib/zod.ts';
import { type CommandHost, plainText } from '../host.ts';
import { explainConnectionFailure } from './connection-failures.ts';
import { useProxies } from './proxy.ts';
import { type Attempt, readRetryAfter, tryRepeatedly } from './retry.ts';
import { compareVersions } from './server-version.ts';

const TIMEOUT_MS = 60_000;
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024;
const HINT_AT_PROXY =
  'this version of Node.js ignores the proxy of HTTPS_PROXY or HTTP_PROXY. Use Node.js 24.14 or newer, or the shell uploader.';
/** Requests that every server knows, whoever sends them. */
const ALWAYS_THERE = /^\/(login|organizations)$/;

interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From /api/v1 on, such as `/builds`. */
  path: string;
  query?: Record<string, string | undefined>;
  body?: unknown;
  /** Whether the request is idempotent, so that it's also retried after a lost connection. */
  isRepeatable?: boolean;
}

/** The server rejected a request. Has its message, code and request id. */
export class ApiRefusal extends Refusal {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;

  constructor(status: number, code: string, message: string, details?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export interface Api {
  readonly url: string;
  send<Schema extends z.ZodType>(request: ApiRequest, returns: Schema): Promise<z.output<Schema>>;
}

/** The source of access tokens: the current one, and a new one after a 401 if possible. */
export interface Bearer {
  current(): Promise<string | undefined>;
  renew(): Promise<string | undefined>;
}

const NOBODY: Bearer = { current: async () => undefined, renew: async () => undefined };

/**
 * Creates a client of the server at `url`. `send` throws ApiRefusal for an error response, and Refusal if there is no
 * response.
 */
export function createApi(host: CommandHost, url: string, bearer: Bearer = NOBODY): Api {
  let compared: Promise<void> | undefined;
  let isProxyMissed = !useProxies(host, url);
  /** What to do about the last failure, as a line of its own. */
  let hint = '';

  async function exchange(request: ApiRequest): Promise<Response> {
    const answer = await fetchOnce(url, request, await bearer.current());
    if (answer.status !== 401) return answer;
    const renewed = await bearer.renew();
    return renewed === undefined ? answer : fetchOnce(url, request, renewed);
  }

  async function attempt(request: ApiRequest): Promise<Attempt<Response>> {
    const isRepeatable = request.method === 'GET' || request.isRepeatable === true;
    hint = '';
    try {
      const answer = await exchange(request);
      const isPassing =
        [429, 503].includes(answer.status) || (isRepeatable && answer.status >= 500 && answer.status !== 501);
      if (!isPassing) return { done: answer };
      const refusal = await readRefusal(answer, request, url);
      return { trouble: refusal.message, retryAfterMs: readRetryAfter(answer.headers.get('retry-after'), host.now()) };
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const failure = explainConnectionFailure(error, url, TIMEOUT_MS);
      if (isProxyMissed && failure.wasTried) {
        host.say(`Note: ${HINT_AT_PROXY}\n`);
        isProxyMissed = false;
      }
      hint = failure.hint === undefined ? '' : `\n${failure.hint}`;
      if (failure.isFinal || (!isRepeatable && failure.wasSent)) throw new Refusal(failure.message + hint);
      return { trouble: failure.message };
    }
  }

  return {
    url,
    async send(request, returns) {
      compared ??= compareVersions(host, url);
      await compared;
      const outcome = await tryRepeatedly(host, () => attempt(request));
      if ('trouble' in outcome) throw new Refusal(outcome.trouble + hint);
      const answer = outcome.done;
      if (!answer.ok) throw await readRefusal(answer, request, url);
      const parsed = returns.safeParse(parseJson(await readText(answer)));
      if (parsed.success) return parsed.data;
      throw new Refusal(`${url}/api/v1${request.path} returned an unexpected response. Is it a Taxiway server?`);
    },
  };
}

function fetchOnce(url: string, request: ApiRequest, token: string | undefined): Promise<Response> {
  const target = new URL(`${url}/api/v1${request.path}`);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) target.searchParams.set(name, value);
  }
  return fetch(target, {
    method: request.method,
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    // A redirect could send the token or the body to another server.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

async function readRefusal(answer: Response, { path }: ApiRequest, url: string): Promise<ApiRefusal> {
  const body = parseJson(await readText(answer).catch(() => ''));
  const envelope = typeof body === 'object' && body !== null ? body : {};
  const code = 'error' in envelope && typeof envelope.error === 'string' ? plainText(envelope.error) : '';
  const message = 'message' in envelope && typeof envelope.message === 'string' ? plainText(envelope.message) : '';
  const id = answer.headers.get('x-request-id');
  const marks = [
    `${answer.status}${code === '' ? '' : ` ${code}`}`,
    ...(id === null ? [] : [`request ${plainText(id)}`]),
  ];
  const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
  // Without the path of the request, which isn't part of the address of a server.
  const target = location?.split(`/api/v1${path}`)[0] || location;
  const said = target == null ? message : `the server redirects to ${plainText(target)}; use that address`;
  const lines = [`${said === '' ? 'the server rejected the request' : said} (${marks.join(', ')})`];
  const details = 'details' in envelope ? envelope.details : undefined;
  if (code === 'validation_error') lines.push(...listFailingFields(details));
  if (answer.status === 401) lines.push(hintAt401(path));
  if ([404, 405, 501].includes(answer.status) && (code === '' || ALWAYS_THERE.test(path)))
    lines.push(`No Taxiway server responds at ${url}. Check the address.`);
  return new ApiRefusal(answer.status, code, lines.join('\n'), details);
}

/** Explains a rejected credential. Returns nothing for a sign-in, where the credential was just typed. */
function hintAt401(path: string): string {
  if (path === '/login/mfa') return 'Check the code and the clock of the device that shows it, then sign in again.';
  if (path === '/login')
    return 'Check the email address and password. You can reset a forgotten password on the sign-in page.';
  return 'Sign in with "taxiway login", or set TAXIWAY_TOKEN to a valid token.';
}

function listFailingFields(details: unknown): string[] {
  if (typeof details !== 'object' || details === null || !('errors' in details)) return [];
  const errors = Array.isArray(details.errors) ? details.errors.slice(0, 20) : [];
  return errors.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return '';
    const loc = 'loc' in entry && Array.isArray(entry.loc) ? entry.loc.map(String).join('.') : '';
    return `  ${plainText(loc)}: ${plainText('msg' in entry ? String(entry.msg) : '')}`;
  });
}

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST_ANSWER_BYTES) throw new Refusal('the response is too large for a Taxiway server');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
