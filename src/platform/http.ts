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

/** The application that answers every operation, and the envelope for everything else. */
export function createHttpApp(parts: HttpParts): Hono<Env> {
  const hono = new Hono<Env>();
  for (const operation of parts.operations) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    hono.on(operation.method.toUpperCase(), path, createHandler(parts, operation));
  }
  hono.notFound((c) => answerUnrouted(parts, hono, c));
  hono.onError((error, c) => {
    const facts = requestFacts(parts, c);
    return answerError(parts.app, facts, 'unrouted', error, {});
  });
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

  async function perform(c: Http, facts: RequestFacts, seen: Seen): Promise<Response> {
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
    const response = answer(operation, await operation.run(ctx, input), facts);
    return operation.method === 'get' ? withoutKnownContent(response, header(c, 'if-none-match')) : response;
  }

  return async (c) => {
    const startedAt = performance.now();
    const facts = requestFacts(parts, c);
    const seen: Seen = {};
    let response: Response;
    try {
      response = await perform(c, facts, seen);
    } catch (error) {
      const page = operation.showRefusal && isSentByForm(facts) ? toAppError(error) : undefined;
      if (page === undefined || page.code === 'internal_error') {
        return answerError(app, facts, operation.path, error, seen, startedAt);
      }
      response = showRefusal(app, operation, page, c, facts, seen);
    }
    logRequest(app, facts, operation.path, response.status, seen.actor, startedAt);
    return sendUntyped(c, response);
  };
}

/** The context of an admitted caller: with organization and project where the operation has a tenant. */
function admit({ access }: Operation, ctx: Context, params: Record<string, unknown>, query: RawQuery): Context {
  if (access.kind === 'anonymous') return ctx;
  checkCredential(access, ctx);
  if (access.kind === 'developer') return ctx;
  return Object.assign(Object.create(ctx), authorize(access, ctx, params, query));
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
  const url = c.req.url;
  const start = url.indexOf('?');
  return start < 0 ? {} : c.req.query();
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
): Response {
  const page = operation.showRefusal?.(app, { error, fields: seen.form ?? {}, path: c.req.path });
  if (page === undefined) throw new TypeError('The operation shows no refusals');
  return replyResponse({ ...page, headers: { ...error.headers, ...page.headers } }, error.status, facts);
}

function unsupported(expected: string): AppError {
  return new AppError('unsupported_media_type', `Send the body as ${expected}`);
}

function answer(operation: Operation, result: unknown, facts: RequestFacts): Response {
  if (isReply(result)) return replyResponse(result, operation.status, facts);
  const { returns } = operation;
  if (!isJsonShape(returns)) {
    return new Response(null, { status: operation.status, headers: { ...baseHeaders, 'x-request-id': facts.id } });
  }
  const shown = returns.safeParse(result);
  if (!shown.success) throw new Error(`${operation.id} answered outside its declaration: ${shown.error.message}`);
  return new Response(JSON.stringify(shown.data), {
    status: operation.status,
    headers: { 'content-type': 'application/json', ...baseHeaders, 'x-request-id': facts.id },
  });
}

function replyResponse(result: Reply, status: number, facts: RequestFacts): Response {
  const headers = new Headers({ ...baseHeaders, 'x-request-id': facts.id, ...result.headers });
  for (const cookie of result.cookies ?? []) headers.append('set-cookie', cookie);
  const body = typeof result.body === 'string' || result.body === null ? result.body : new Uint8Array(result.body);
  const response = new Response(body, { status: result.status ?? status, headers });
  if (!('content-type' in result.headers)) response.headers.delete('content-type');
  return response;
}

/** An answer with an `etag` that the client has already becomes 304 (RFC 9110 section 13.1.2). */
function withoutKnownContent(response: Response, ifNoneMatch: string | undefined): Response {
  const etag = response.headers.get('etag');
  if (etag === null || ifNoneMatch === undefined || response.status !== 200) return response;
  const strip = (tag: string) => tag.trim().replace(/^W\//, '');
  const isKnown = ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strip(tag) === strip(etag));
  if (!isKnown) return response;
  const headers = new Headers(response.headers);
  headers.delete('content-type');
  return new Response(null, { status: 304, headers });
}

/** The adapter gives every body a Content-Type, so an answer that must have none is written past it. */
async function sendUntyped(c: Http, response: Response): Promise<Response> {
  const outgoing = c.env?.outgoing;
  if (outgoing === undefined || response.body === null || response.headers.has('content-type')) return response;
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': body.length });
  outgoing.end(body);
  return RESPONSE_ALREADY_SENT;
}

function answerError(
  app: App,
  facts: RequestFacts,
  route: string,
  thrown: unknown,
  seen: { actor?: Actor },
  startedAt = performance.now(),
): Response {
  const error = toAppError(thrown);
  if (error.code === 'internal_error') app.log.error({ request_id: facts.id, route, err: thrown }, 'internal error');
  logRequest(app, facts, route, error.status, seen.actor, startedAt);
  return new Response(JSON.stringify(envelope(error)), {
    status: error.status,
    headers: { 'content-type': 'application/json', ...baseHeaders, 'x-request-id': facts.id, ...error.headers },
  });
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
function answerUnrouted(parts: HttpParts, hono: Hono<Env>, c: Http): Response {
  const facts = requestFacts(parts, c);
  const allowed = methods.filter((method) => hono.router.match(method, c.req.path)[0].length > 0);
  const error =
    allowed.length === 0
      ? notFound()
      : new AppError('method_not_allowed', undefined, {}, { allow: allowed.join(', ') });
  return answerError(parts.app, facts, 'unrouted', error, {});
}
