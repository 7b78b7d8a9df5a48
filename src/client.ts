// taxiway/client: calls the API of a server, in browsers and in Node.js. It has no dependency, and the package adds the types of every
// operation (scripts/lib/api-types.ts). Errors of the server are thrown as ApiError.

export interface ClientOptions {
  /** The address of the server, such as `https://builds.example.com`, with its path if it has one. */
  url: string;
  /** An access token, personal access token or project access token, or a function that returns one for each request. */
  token?: string | (() => string | Promise<string>);
  /** Sends requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
}

/** An error response of the server. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The machine code, such as `not_found`; match on this. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** The id under which the server logged the request. */
  readonly requestId: string | null;
  /** Seconds after which the request may be repeated, if the server says so. */
  readonly retryAfter: number | null;

  constructor(response: Response, text: string) {
    const { error, message, details } = parseEnvelope(text);
    super(textAboutRedirect(response) ?? message ?? `The server responded with ${response.status}`);
    this.name = 'ApiError';
    this.status = response.status;
    this.code = error ?? `http_${response.status}`;
    this.details = details ?? {};
    this.requestId = response.headers.get('x-request-id');
    this.retryAfter = readRetryAfter(response.headers.get('retry-after') ?? '');
  }
}

/**
 * Returns what to do about a redirect; undefined if the response isn't about one. fetch sends no token to another origin, such as from http to
 * https, and browsers don't show where a redirect leads that wasn't followed.
 */
function textAboutRedirect({ status, type, redirected, url, headers }: Response): string | undefined {
  const isUnfollowed = type === 'opaqueredirect' || (status >= 300 && status < 400);
  if (!isUnfollowed && !(redirected && status === 401)) return undefined;
  const target = isUnfollowed ? headers.get('location') : new URL(url).origin;
  return `The server redirects${target === null ? '' : ` to ${target}`}; create the client with that address`;
}

/** Returns the seconds until a number of seconds is over or until an HTTP date (RFC 9110 section 10.2.3); null for another text. */
function readRetryAfter(value: string): number | null {
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = value.endsWith(' GMT') ? (Date.parse(value) - Date.now()) / 1000 : Number.NaN;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}

/** Reads the error envelope. Proxies respond with other texts. */
function parseEnvelope(text: string): { error?: string; message?: string; details?: Record<string, unknown> } {
  try {
    const envelope: unknown = JSON.parse(text);
    return typeof envelope === 'object' && envelope !== null ? envelope : {};
  } catch {
    return {};
  }
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths of operations without declared types. */
type AnyPaths = Record<string, Record<Method, AnyOperation>>;
interface AnyOperation {
  parameters: { path?: Record<string, string>; query?: Record<string, string | number | boolean | undefined> };
  requestBody?: { content: { 'application/json': unknown } };
  responses: { 200: { content: { 'application/json': unknown } } };
}

type PathWith<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof Paths];
type OperationAt<Paths, P extends keyof Paths, M extends Method> = M extends keyof Paths[P] ? Paths[P][M] : never;

type Defined<T> = Exclude<T, undefined>;
type ParametersOf<Operation, Place extends string> = Operation extends { parameters: infer All }
  ? Place extends keyof All
    ? Defined<All[Place]>
    : never
  : never;
type ContentOf<Content> = Content extends { 'application/json': infer Json }
  ? Json
  : Content extends { 'multipart/form-data': unknown }
    ? FormData
    : Blob;
type BodyOf<Operation> = Operation extends { requestBody?: infer Body }
  ? Defined<Body> extends { content: infer Content }
    ? ContentOf<Content>
    : never
  : never;
type IsBodyRequired<Operation> = Operation extends { requestBody: { content: unknown } } ? true : false;

/** A part of the options: absent if the operation has none, optional if nothing in it is required. */
type Part<Name extends string, Value> = [Value] extends [never]
  ? { [K in Name]?: undefined }
  : Record<never, never> extends Value
    ? { [K in Name]?: Value }
    : { [K in Name]: Value };
type BodyPart<Operation> = [BodyOf<Operation>] extends [never]
  ? { body?: undefined }
  : IsBodyRequired<Operation> extends true
    ? { body: BodyOf<Operation> }
    : { body?: BodyOf<Operation> };

/** What a request consists of: the parameters in its path and query, and its body. */
export type RequestOptions<Operation> = Part<'path', ParametersOf<Operation, 'path'>> &
  Part<'query', ParametersOf<Operation, 'query'>> &
  BodyPart<Operation> & { signal?: AbortSignal };
type OptionsArguments<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

type ResponseContent<Content> = {
  [Type in keyof Content]: Type extends 'application/json'
    ? Content[Type]
    : Type extends `text/${string}` | `application/${string}xml${string}`
      ? string
      : Type extends '*/*'
        ? unknown
        : Blob;
}[keyof Content];
type Success<Responses> = keyof Responses & (200 | 201 | 202 | 204);
/**
 * What an operation returns: an object, text, a file, or undefined. Unknown if the media type is that of a file with any, or of the
 * address that the operation redirects to.
 */
export type ResultOf<Operation> = Operation extends { responses: infer Responses }
  ? [Success<Responses>] extends [never]
    ? unknown
    : {
        [S in Success<Responses>]: Responses[S] extends { content: infer Content }
          ? ResponseContent<Content>
          : undefined;
      }[Success<Responses>]
  : never;
type ItemOf<Operation> =
  ResultOf<Operation> extends infer Result
    ? Result extends { items: (infer Item)[] }
      ? Item
      : Result extends (infer Item)[]
        ? Item
        : never
    : never;

type Call<Paths, M extends Method> = <P extends PathWith<Paths, M>>(
  path: P,
  ...options: OptionsArguments<RequestOptions<OperationAt<Paths, P, M>>>
) => Promise<ResultOf<OperationAt<Paths, P, M>>>;

/** A client of one server. Each method sends one request, and throws ApiError if the server refuses it. */
export interface Client<Paths = AnyPaths> {
  get: Call<Paths, 'get'>;
  post: Call<Paths, 'post'>;
  put: Call<Paths, 'put'>;
  patch: Call<Paths, 'patch'>;
  delete: Call<Paths, 'delete'>;
  /** Yields the items of a list. Requests its pages as they are needed. */
  each<P extends PathWith<Paths, 'get'>>(
    path: P,
    ...options: OptionsArguments<RequestOptions<OperationAt<Paths, P, 'get'>>>
  ): AsyncGenerator<ItemOf<OperationAt<Paths, P, 'get'>>, void, undefined>;
}

interface ListPage {
  items: unknown[];
  next_cursor?: string | null;
}

interface PlainOptions {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
}

/** Creates a client. Sends nothing yet. */
export function createClient<Paths = AnyPaths>({ url, token, fetch: send = fetch }: ClientOptions): Client<Paths> {
  const server = url.replace(/\/+$/, '');

  async function request(method: Method, path: string, options: PlainOptions = {}): Promise<unknown> {
    const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5' };
    const credential = typeof token === 'function' ? await token() : token;
    if (credential !== undefined) headers.authorization = `Bearer ${credential}`;
    const body = encodeBody(options.body, headers);
    // Called without an object, because a browser's fetch refuses any other.
    const response = await send(server + addressOf(path, options), {
      method: method.toUpperCase(),
      headers,
      // A followed redirect of a write could become a read, whose result would look like that of the write. Downloads are redirects.
      redirect: method === 'get' ? 'follow' : 'manual',
      ...(body === undefined ? {} : { body }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (!response.ok) throw new ApiError(response, await response.text());
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('application/json')) return response.json();
    if (type.startsWith('text/') || type.includes('xml')) return response.text();
    if (type !== '') return response.blob();
    // The id of a new organization is text without a type; other responses without one are empty.
    return (await response.text()) || undefined;
  }

  async function* each(path: string, options: PlainOptions = {}): AsyncGenerator<unknown, void, undefined> {
    let cursor: unknown = options.query?.cursor;
    do {
      const query = { ...options.query, ...(cursor === undefined ? {} : { cursor }) };
      const page = (await request('get', path, { ...options, query })) as ListPage | unknown[];
      // A short list comes without pages.
      if (Array.isArray(page)) return yield* page;
      yield* page.items;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  const call = (method: Method) => (path: string, options?: PlainOptions) => request(method, path, options);
  const client = {
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
    each,
  };
  // The types of the paths say which options each has; at run time, all are the same.
  return client as unknown as Client<Paths>;
}

/** Returns the path with its parameters and query. */
function addressOf(path: string, { path: values = {}, query = {} }: PlainOptions): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // An empty or relative segment would be another path.
    if (value === undefined || value === '' || value === '.' || value === '..') {
      throw new TypeError(`The path ${path} requires ${name}`);
    }
    return encodeURIComponent(String(value));
  });
  const entries = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]): [string, string] => [name, String(value)]);
  return entries.length === 0 ? filled : `${filled}?${new URLSearchParams(entries)}`;
}

function encodeBody(body: unknown, headers: Record<string, string>): string | FormData | Blob | undefined {
  if (body === undefined || body instanceof FormData || body instanceof Blob) return body;
  headers['content-type'] = 'application/json';
  return JSON.stringify(body);
}
