// Serves operations over HTTP; the only file that knows the HTTP library. It does in one pass what a stack of generic
// middleware would: credential, validation, authorization, body, answer, errors and one log line.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context as HonoContext } from 'hono';
import { Hono } from 'hono';
import { authorize, checkCredential, type RawQuery } from './access.ts';
import { decodeText, MOST_JSON_BYTES, parseFile, parseJson, readBody } from './body.ts';
import type { ClientAddress } from './client-address.ts';
import type { Actor, App, Context, RequestFacts } from './context.ts';
import { authenticate, presentedCredential, unauthorized } from './credentials.ts';
import { AppError, envelope, notFound, toAppError } from './errors.ts';
import { FORM_TYPE, isSentByForm, mediaTypeOf } from './forms.ts';
import { createInputReader } from './input.ts';
import { isFileBody, isJsonShape, type Operation } from './operation.ts';
import { isReply, type Reply } from './reply.ts';
import { checkSameOrigin } from './same-origin.ts';
import { createContext } from './transact.ts';
import { entriesOf, type ValidationEntry, validationError } from './validation.ts';

type Env = { Bindings: Partial<HttpBindings> };
type Http = HonoContext<Env>;

export interface HttpParts {
  app: App;
  clientAddress: ClientAddress;
  operations: readonly Operation[];
}

/** What is learnt about a request on the way, for its answer and its log line. */
interface Seen {
  actor?: Actor;
  form?: Record<string, string>;
}

const MULTIPART_OVERHEAD_BYTES = 16 * 1024;
const baseHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** What goes out, before it is known how: onto the socket, or as a Response where there is none. */
interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | null;
}

/** The application that answers every operation, and the envelope for everything else. */
export function createHttpApp(parts: HttpParts): Hono<Env> {
  const hono = new Hono<Env>();
  for (const operation of parts.operations) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    hono.on(operation.method.toUpperCase(), path, createHandler(parts, operation));
  }
  hono.notFound((c) => send(c, answerUnrouted(parts, hono, c)));
  hono.onError((error, c) => send(c, answerError(parts.app, requestFacts(parts, c), 'unrouted', error, {})));
  return hono;
}

function header(c: Http, name: string): string | undefined {
  const incoming = c.env?.incoming;
  if (incoming === undefined) return c.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function requestFacts({ app, clientAddress }: HttpParts, c: Http): RequestFacts {
  return {
    id: app.ids.next(),
    method: c.req.method,
    ipAddress: clientAddress(c.env?.incoming?.socket.remoteAddress, header(c, 'x-forwarded-for')),
    userAgent: header(c, 'user-agent')?.slice(0, 512) ?? null,
    acceptLanguage: header(c, 'accept-language')?.slice(0, 256) ?? null,
    header: (name) => header(c, name),
  };
}

function createHandler(parts: HttpParts, operation: Operation): (c: Http) => Promise<Response> {
  const { app } = parts;
  const { access } = operation;
  const params = createInputReader('path', operation.params);
  const query = createInputReader('query', operation.query);

  async function perform(c: Http, facts: RequestFacts, seen: Seen): Promise<Answer> {
    const actor = await identify(parts, operation, c);
    seen.actor = actor;
    let ctx: Context = createContext(app, actor, facts);
    if (access.kind !== 'anonymous') checkCredential(access, ctx);

    const entries: ValidationEntry[] = [];
    const rawQuery = firstValues(c);
    const input = {
      params: params.read(c.req.param(), entries),
      query: query.read(rawQuery, entries),
      body: undefined as unknown,
    };
    if (entries.length > 0) throw validationError(entries);
    ctx = admit(operation, ctx, input.params, rawQuery);
    if (operation.body !== undefined) {
      input.body = await parseBody(app, operation, c, seen);
      // A body may take half a minute to come; whoever lost the right meanwhile has lost it.
      ctx = createContext(app, await identify(parts, operation, c), facts);
      ctx = admit(operation, ctx, input.params, rawQuery);
    }
    const answer = toAnswer(operation, await operation.run(ctx, input), facts);
    return operation.method === 'get' ? withoutKnownContent(answer, header(c, 'if-none-match')) : answer;
  }

  return async (c) => {
    const startedAt = performance.now();
    const facts = requestFacts(parts, c);
    const seen: Seen = {};
    let answer: Answer;
    try {
      answer = await perform(c, facts, seen);
    } catch (error) {
      const page = operation.showRefusal && isSentByForm(facts) ? toAppError(error) : undefined;
      if (page === undefined || page.code === 'internal_error') {
        return send(c, answerError(app, facts, operation.path, error, seen, startedAt));
      }
      answer = showRefusal(app, operation, page, c, facts, seen);
    }
    logRequest(app, facts, operation.path, answer.status, seen.actor, startedAt);
    return send(c, answer);
  };
}

/** The context of an admitted caller: with organization and project where the operation has a tenant. */
function admit({ access }: Operation, ctx: Context, params: Record<string, unknown>, query: RawQuery): Context {
  if (access.kind === 'anonymous') return ctx;
  checkCredential(access, ctx);
  if (access.kind === 'developer') return ctx;
  return { ...ctx, ...authorize(access, ctx, params, query) };
}

async function identify({ app }: HttpParts, operation: Operation, c: Http): Promise<Actor> {
  if (operation.access.kind === 'anonymous') return { kind: 'anonymous' };
  const credential = presentedCredential(header(c, 'authorization'), header(c, 'cookie'));
  if (credential === undefined) throw unauthorized();
  const actor = await authenticate(app, credential.token);
  if (credential.isFromCookie && operation.method !== 'get') checkSameOrigin(app, (name) => header(c, name));
  return actor;
}

/** Query parameters with their first value; a repeated parameter does not become a list. */
function firstValues(c: Http): RawQuery {
  const url = c.env?.incoming?.url ?? c.req.url;
  return url.includes('?') ? c.req.query() : {};
}

async function parseBody(app: App, operation: Operation, c: Http, seen: Seen): Promise<unknown> {
  const { body: declared } = operation;
  if (declared === undefined) return undefined;
  const contentType = header(c, 'content-type') ?? '';
  const mediaType = mediaTypeOf(contentType);
  const stream = c.env?.incoming ?? webBody(c);
  const length = header(c, 'content-length');
  if (isFileBody(declared)) {
    if (mediaType !== 'multipart/form-data') throw unsupported('multipart/form-data');
    const most = declared.maximumBytes(app);
    const file = await parseFile(
      await readBody(stream, length, most + MULTIPART_OVERHEAD_BYTES),
      contentType,
      declared.field,
    );
    if (file.length > most) throw new AppError('payload_too_large', `The file may have at most ${most} bytes`);
    return file;
  }
  const takesForm = operation.acceptsForm === true && mediaType === FORM_TYPE;
  const hasNoType = mediaType === '';
  if (!takesForm && !hasNoType && mediaType !== 'application/json' && !mediaType.endsWith('+json')) {
    throw unsupported('application/json');
  }
  const text = decodeText(await readBody(stream, length, MOST_JSON_BYTES));
  if (text === '' && operation.isBodyOptional === true) return declared.parse({});
  if (text !== '' && hasNoType) throw unsupported('application/json');
  if (takesForm) seen.form = Object.fromEntries(new URLSearchParams(text));
  const value = seen.form ?? (text === '' ? undefined : parseJson(text));
  const result = declared.safeParse(value);
  if (!result.success) throw validationError(entriesOf('body', result.error, value));
  return result.data;
}

/** The body of a request that came without a socket. */
function webBody(c: Http): Readable | null {
  const { body } = c.req.raw;
  return body === null ? null : Readable.fromWeb(body as ReadableStream);
}

/** A refusal as the operation's own page, for a person whose browser sent a form. */
function showRefusal(
  app: App,
  operation: Operation,
  error: AppError,
  c: Http,
  facts: RequestFacts,
  seen: Seen,
): Answer {
  const page = operation.showRefusal?.(app, { error, fields: seen.form ?? {}, path: c.req.path });
  if (page === undefined) throw new TypeError('The operation shows no refusals');
  return replyAnswer({ ...page, headers: { ...error.headers, ...page.headers } }, error.status, facts);
}

function unsupported(expected: string): AppError {
  return new AppError('unsupported_media_type', `Send the body as ${expected}`);
}

function toAnswer(operation: Operation, result: unknown, facts: RequestFacts): Answer {
  if (isReply(result)) return replyAnswer(result, operation.status, facts);
  const { returns, status } = operation;
  if (!isJsonShape(returns)) return { status, headers: { ...baseHeaders, 'x-request-id': facts.id }, body: null };
  const shown = returns.safeParse(result);
  if (!shown.success) throw new Error(`${operation.id} answered outside its declaration: ${shown.error.message}`);
  return jsonAnswer(status, shown.data, facts);
}

function jsonAnswer(status: number, value: unknown, facts: RequestFacts): Answer {
  const headers = { 'content-type': 'application/json', ...baseHeaders, 'x-request-id': facts.id };
  return { status, headers, body: JSON.stringify(value) };
}

function replyAnswer(result: Reply, status: number, facts: RequestFacts): Answer {
  const headers: Answer['headers'] = { ...baseHeaders, 'x-request-id': facts.id, ...result.headers };
  if (result.cookies !== undefined && result.cookies.length > 0) headers['set-cookie'] = result.cookies;
  return { status: result.status ?? status, headers, body: result.body };
}

/** An answer with an `etag` that the client has already becomes 304 (RFC 9110 section 13.1.2). */
function withoutKnownContent(answer: Answer, ifNoneMatch: string | undefined): Answer {
  const { etag } = answer.headers;
  if (typeof etag !== 'string' || ifNoneMatch === undefined || answer.status !== 200) return answer;
  const strip = (tag: string) => tag.trim().replace(/^W\//, '');
  const isKnown = ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strip(tag) === strip(etag));
  if (!isKnown) return answer;
  const { 'content-type': _, ...headers } = answer.headers;
  return { status: 304, headers, body: null };
}

/**
 * Writes onto the socket: a Response would pass the body through a stream, which costs more than the rest of a small
 * request, and would give every body a Content-Type.
 */
function send(c: Http, { status, headers, body }: Answer): Response {
  const outgoing = c.env?.outgoing;
  if (outgoing === undefined) return toResponse({ status, headers, body });
  if (status !== 204 && status !== 304) {
    headers['content-length'] = String(body === null ? 0 : Buffer.byteLength(body));
  }
  outgoing.writeHead(status, headers);
  if (body === null) outgoing.end();
  else outgoing.end(body);
  return RESPONSE_ALREADY_SENT;
}

function toResponse({ status, headers, body }: Answer): Response {
  const response = new Response(typeof body === 'string' || body === null ? body : new Uint8Array(body), { status });
  response.headers.delete('content-type');
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) response.headers.append(name, one);
  }
  return response;
}

function answerError(
  app: App,
  facts: RequestFacts,
  route: string,
  thrown: unknown,
  seen: { actor?: Actor },
  startedAt = performance.now(),
): Answer {
  const error = toAppError(thrown);
  if (error.code === 'internal_error') app.log.error({ request_id: facts.id, route, err: thrown }, 'internal error');
  else if (error.status >= 500 && error !== thrown) {
    app.log.error({ request_id: facts.id, route, err: thrown }, 'a part that is needed does not work');
  }
  logRequest(app, facts, route, error.status, seen.actor, startedAt);
  const answer = jsonAnswer(error.status, envelope(error), facts);
  return { ...answer, headers: { ...answer.headers, ...error.headers } };
}

function logRequest(
  app: App,
  facts: RequestFacts,
  route: string,
  status: number,
  actor: Actor | undefined,
  startedAt: number,
): void {
  app.log.info(
    {
      request_id: facts.id,
      method: facts.method,
      route,
      status,
      ms: Math.round((performance.now() - startedAt) * 100) / 100,
      actor: actor !== undefined && 'id' in actor ? actor.id : actor?.kind,
      ip: facts.ipAddress,
    },
    'request',
  );
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** No operation at this method and path: 405 with the methods there are, else 404. */
function answerUnrouted(parts: HttpParts, hono: Hono<Env>, c: Http): Answer {
  const facts = requestFacts(parts, c);
  const allowed = methods.filter((method) => hono.router.match(method, c.req.path)[0].length > 0);
  const error =
    allowed.length === 0
      ? notFound()
      : new AppError('method_not_allowed', undefined, {}, { allow: allowed.join(', ') });
  return answerError(parts.app, facts, 'unrouted', error, {});
}
