// HTTP client of the client commands: JSON requests and responses, error envelopes, retries.
import { describeFailure, Refusal } from '../../lib/failure.ts';
import type * as z from '../../lib/zod.ts';
import { type CommandHost, plainText } from '../host.ts';
import { useProxies } from './proxy.ts';
import { type Attempt, readRetryAfter, tryRepeatedly } from './retry.ts';
import { compareVersions } from './server-version.ts';

const TIMEOUT_MS = 60_000;
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024;
/** Error codes of OpenSSL and Node.js for untrusted certificates. Retrying doesn't help. */
const DISTRUST =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/;
/** The ones that mean an unknown certificate authority. */
const UNKNOWN_AUTHORITY = /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_UNTRUSTED)$/;
const HINT_AT_PROXY =
  'this version of Node.js ignores the proxy of HTTPS_PROXY or HTTP_PROXY. Use Node.js 24.14 or newer, or the shell uploader.';
/** OpenSSL's codes for bytes that aren't TLS, such as the response of a server without https. Retrying doesn't help. */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/;
/** The server closed the connection instead of responding, as servers with https do for a request without it. */
const CLOSED = /^(UND_ERR_SOCKET|ECONNRESET)$/;
/** Requests that every server knows, whoever sends them. */
const ALWAYS_THERE = /^\/(login|organizations)$/;
/** The text of fetch for ports of other protocols, which browsers refuse too. */
const BLOCKED_PORT = 'bad port';
/** The text of fetch for the status of a proxy that opens no connection to the server. */
const REFUSED_BY_PROXY = /^Proxy response \((\d{3})\)/;
const NOTHING_WAS_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

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
      const { code, text } = describeNetworkError(error);
      const proxyStatus = REFUSED_BY_PROXY.exec(text)?.[1];
      const trouble = `cannot reach ${url}: ${proxyStatus === undefined ? text : `the proxy returned ${proxyStatus} instead of a connection`}`;
      if (proxyStatus?.startsWith('4')) throw new Refusal(`${trouble}\n${hintAtRefusalByProxy(url, proxyStatus)}`);
      if (text === BLOCKED_PORT)
        throw new Refusal(
          `cannot reach ${url}: browsers and this client don't connect to port ${new URL(url).port}, which belongs to another protocol`,
        );
      if (isProxyMissed) host.say(`Note: ${HINT_AT_PROXY}\n`);
      isProxyMissed = false;
      if (DISTRUST.test(code))
        throw new Refusal(UNKNOWN_AUTHORITY.test(code) ? `${trouble}\n${hintAtAuthority(url)}` : trouble);
      if (NOT_TLS.test(code))
        throw new Refusal(
          `cannot reach ${url}: the response isn't TLS\nIf the server doesn't use https, use ${url.replace('https:', 'http:')}`,
        );
      hint =
        CLOSED.test(code) && url.startsWith('http:')
          ? `\nIf the server uses https, use ${url.replace('http:', 'https:')}`
          : '';
      const wasSent = proxyStatus === undefined && !NOTHING_WAS_SENT.has(code);
      if (!isRepeatable && wasSent) throw new Refusal(trouble + hint);
      return { trouble };
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

/** Explains how to trust the certificate authority of a server, which is usually its own. */
function hintAtAuthority(url: string): string {
  return (
    `If the server uses its own certificate authority, save ${url}/trust/taxiway.pem, compare its SHA-256 fingerprint with ` +
    'the output of "taxiway check" on the server, and set NODE_EXTRA_CA_CERTS to the file.'
  );
}

/** A proxy may want a password, or only pass on requests without https, which this client doesn't use. */
function hintAtRefusalByProxy(url: string, status: string): string {
  return status === '407'
    ? 'Add user name and password to the address of the proxy: http://USER:PASSWORD@proxy.example.com:3128'
    : `If the server can be reached without the proxy, add ${new URL(url).hostname} to NO_PROXY. The shell uploader also works with proxies that don't allow CONNECT.`;
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

/** Returns the system's error code and a description for a failed request. fetch hides both in the error's innermost cause. */
function describeNetworkError(error: unknown): { code: string; text: string } {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return { code, text: isTimeout ? `no response within ${TIMEOUT_MS / 1000} s` : describeFailure(inner).trim() };
}
