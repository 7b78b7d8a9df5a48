// Serves operations over HTTP; the only file that knows the HTTP library. It does in one pass what a stack of generic
// middleware would: credential, validation, authorization, body, answer, errors and one log line.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context as HonoContext } from 'hono';
import { Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { authorize, checkCredential, type RawQuery } from './access.ts';
import { decodeText, MOST_JSON_BYTES, parseFile, parseJson, readBody } from './body.ts';
import type { ClientAddress } from './client-address.ts';
import type { Actor, App, Context, RequestFacts } from './context.ts';
import { authenticate, presentedCredential, unauthorized } from './credentials.ts';
import { AppError, envelope, notFound, toAppError } from './errors.ts';
import {
  type Answer,
  answerResponse,
  type Env,
  type Exchange,
  plainExchange,
  routedExchange,
  sendAnswer,
} from './exchange.ts';
import { FORM_TYPE, isSentByForm, mediaTypeOf } from './forms.ts';
import { createInputReader } from './input.ts';
import { isFileBody, isJsonShape, type Operation } from './operation.ts';
import { isReply, type Reply } from './reply.ts';
import { checkSameOrigin } from './same-origin.ts';
import { createContext } from './transact.ts';
import { entriesOf, type ValidationEntry, validationError } from './validation.ts';

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
  for (const operation of byPrecedence(parts.operations)) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    const handle = createHandler(parts, operation);
    hono.on(operation.method.toUpperCase(), path, async (c) => send(c, await handle(routedExchange(c))));
  }
  hono.notFound((c) => send(c, answerUnrouted(parts, hono, routedExchange(c))));
  hono.onError((error, c) =>
    send(c, answerError(parts.app, requestFacts(parts, routedExchange(c)), 'unrouted', error, {})),
  );
  return hono;
}

/** Fixed segments before parameters, as a router takes the first that fits: `/developers/me` is nobody's id. */
function byPrecedence(operations: readonly Operation[]): Operation[] {
  const rank = ({ path }: Operation) => path.replace(/\{\w+\}/g, '\uffff');
  return [...operations].sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
}

const PLAIN_PATH = /^\/[\w./-]*$/;

/**
 * The listener of a server. Reads of plain paths that are found at once skip the library's own request and response, which
 * cost as much as a small answer; everything else goes through it.
 */
export function createHttpListener(parts: HttpParts): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const hono = createHttpApp(parts);
  let loading: ReturnType<typeof loadLibraryListener> | undefined;
  const reads = new TrieRouter<Handler>();
  for (const operation of byPrecedence(parts.operations)) {
    if (operation.method !== 'get') continue;
    reads.add('GET', operation.path.replace(/\{(\w+)\}/g, ':$1'), createHandler(parts, operation));
  }
  return (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const refuse = () => sendAnswer(outgoing, answerUnreadable(parts, incoming));
    if (headers.host === undefined && incoming.httpVersion === '1.1') return refuse();
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    const isPlain = (method === 'GET' || method === 'HEAD') && !hasBody && PLAIN_PATH.test(path);
    const [handle, params] = (isPlain ? reads.match('GET', path)[0][0] : undefined) ?? [];
    if (handle === undefined) {
      loading ??= loadLibraryListener(hono);
      loading
        .then((listen) => listen(incoming, outgoing))
        .then(() => {
          if (!outgoing.headersSent && !outgoing.destroyed) refuse();
        });
      return;
    }
    const exchange = plainExchange(incoming, path, params as Record<string, string>);
    handle(exchange)
      .then((answer) => sendAnswer(outgoing, answer))
      .catch((error: unknown) => {
        const answer = answerError(parts.app, requestFacts(parts, exchange), 'unrouted', error, {});
        if (outgoing.headersSent) outgoing.destroy();
        else sendAnswer(outgoing, answer);
      });
  };
}

/** Loaded with the first request that needs it: with Node's own fetch, which it draws in, it is a tenth of the start. */
async function loadLibraryListener(hono: Hono<Env>) {
  const [{ getRequestListener, RequestError }, { RESPONSE_ALREADY_SENT: alreadySent }] = await Promise.all([
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ]);
  return getRequestListener((request, env) => hono.fetch(request, { ...env, alreadySent }), {
    overrideGlobalObjects: false,
    // Requests of HTTP/1.0 need name no host.
    hostname: 'localhost',
    // Of what it cannot read it makes no request: the listener answers that.
    errorHandler: (error) => (error instanceof RequestError ? undefined : new Response(null, { status: 500 })),
  });
}

function send(c: HonoContext<Env>, answer: Answer): Response {
  const { outgoing, alreadySent } = c.env ?? {};
  if (outgoing === undefined || alreadySent === undefined) return answerResponse(answer);
  sendAnswer(outgoing, answer);
  return alreadySent;
}

function requestFacts({ app, clientAddress }: HttpParts, exchange: Exchange): RequestFacts {
  return {
    id: app.ids.next(),
    method: exchange.method,
    ipAddress: clientAddress(exchange.peer, exchange.header('x-forwarded-for')),
    userAgent: exchange.header('user-agent')?.slice(0, 512) ?? null,
    acceptLanguage: exchange.header('accept-language')?.slice(0, 256) ?? null,
    header: exchange.header,
    rawQuery: exchange.rawQuery,
  };
}

type Handler = (exchange: Exchange) => Promise<Answer>;

function createHandler(parts: HttpParts, operation: Operation): Handler {
  const { app } = parts;
  const { access } = operation;
  const params = createInputReader('path', operation.params);
  const query = createInputReader('query', operation.query);

  async function perform(exchange: Exchange, facts: RequestFacts, seen: Seen): Promise<Answer> {
    const identified = identify(parts, operation, exchange);
    const actor = identified instanceof Promise ? await identified : identified;
    seen.actor = actor;
    let ctx: Context = createContext(app, actor, facts);
    if (access.kind !== 'anonymous') checkCredential(access, ctx);

    const entries: ValidationEntry[] = [];
    const rawQuery = exchange.query;
    const input = {
      params: params.read(exchange.params, entries),
      query: query.read(rawQuery, entries),
      body: undefined as unknown,
    };
    if (entries.length > 0) throw validationError(entries);
    ctx = admit(operation, ctx, input.params, rawQuery);
    if (operation.body !== undefined) {
      input.body = await parseBody(app, operation, exchange, seen);
      // A body may take half a minute to come; whoever lost the right meanwhile has lost it.
      ctx = createContext(app, await identify(parts, operation, exchange), facts);
      ctx = admit(operation, ctx, input.params, rawQuery);
    }
    const running = operation.run(ctx, input);
    const answer = toAnswer(operation, running instanceof Promise ? await running : running, facts);
    return operation.method === 'get' ? withoutKnownContent(answer, exchange.header('if-none-match')) : answer;
  }

  return async (exchange) => {
    const startedAt = performance.now();
    const facts = requestFacts(parts, exchange);
    const seen: Seen = {};
    let answer: Answer;
    try {
      answer = await perform(exchange, facts, seen);
    } catch (error) {
      const page = operation.showRefusal && isSentByForm(facts) ? toAppError(error) : undefined;
      if (page === undefined || page.code === 'internal_error') {
        return answerError(app, facts, operation.path, error, seen, startedAt);
      }
      answer = showRefusal(app, operation, page, exchange, facts, seen);
    }
    logRequest(app, facts, operation.path, answer.status, seen.actor, startedAt);
    return answer;
  };
}

/** The context of an admitted caller: with organization and project where the operation has a tenant. */
function admit({ access }: Operation, ctx: Context, params: Record<string, unknown>, query: RawQuery): Context {
  if (access.kind === 'anonymous') return ctx;
  checkCredential(access, ctx);
  if (access.kind === 'developer') return ctx;
  return { ...ctx, ...authorize(access, ctx, params, query) };
}

/** Who is calling. At once where it can be, because every promise on the way costs part of a small request. */
function identify({ app }: HttpParts, operation: Operation, exchange: Exchange): Actor | Promise<Actor> {
  if (operation.access.kind === 'anonymous') return { kind: 'anonymous' };
  const credential = presentedCredential(exchange.header('authorization'), exchange.header('cookie'));
  if (credential === undefined) throw unauthorized();
  const admitOrigin = (actor: Actor): Actor => {
    if (credential.isFromCookie && operation.method !== 'get') checkSameOrigin(app, exchange.header);
    return actor;
  };
  const actor = authenticate(app, credential.token);
  return actor instanceof Promise ? actor.then(admitOrigin) : admitOrigin(actor);
}

async function parseBody(app: App, operation: Operation, exchange: Exchange, seen: Seen): Promise<unknown> {
  const { body: declared } = operation;
  if (declared === undefined) return undefined;
  const contentType = exchange.header('content-type') ?? '';
  const mediaType = mediaTypeOf(contentType);
  const stream = exchange.body();
  const length = exchange.header('content-length');
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

/** A refusal as the operation's own page, for a person whose browser sent a form. */
function showRefusal(
  app: App,
  operation: Operation,
  error: AppError,
  exchange: Exchange,
  facts: RequestFacts,
  seen: Seen,
): Answer {
  const page = operation.showRefusal?.(app, { error, fields: seen.form ?? {}, path: exchange.path });
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
  const milliseconds = performance.now() - startedAt;
  app.metrics?.observeRequest(facts.method, route, status, milliseconds);
  app.log.info(
    {
      request_id: facts.id,
      method: facts.method,
      route,
      status,
      ms: Math.round(milliseconds * 100) / 100,
      actor: actor !== undefined && 'id' in actor ? actor.id : actor?.kind,
      ip: facts.ipAddress,
    },
    'request',
  );
}

/** A request whose address or Host header makes no sense (RFC 9112 section 3.2). */
function answerUnreadable(parts: HttpParts, incoming: IncomingMessage): Answer {
  const facts = requestFacts(parts, plainExchange(incoming, '', {}));
  const error = new AppError('invalid_input', 'The address or the Host header of the request cannot be read');
  return answerError(parts.app, facts, 'unrouted', error, {});
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** No operation at this method and path: 405 with the methods there are, else 404. */
function answerUnrouted(parts: HttpParts, hono: Hono<Env>, exchange: Exchange): Answer {
  const facts = requestFacts(parts, exchange);
  const allowed = methods.filter((method) => hono.router.match(method, exchange.path)[0].length > 0);
  const error =
    allowed.length === 0
      ? notFound()
      : new AppError('method_not_allowed', undefined, {}, { allow: allowed.join(', ') });
  return answerError(parts.app, facts, 'unrouted', error, {});
}
