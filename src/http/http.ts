// Serves operations over HTTP: the router, the listener of a server, and what is said where no operation answers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context as HonoContext } from 'hono';
import { Hono } from 'hono';
import { AppError, notFound } from '../lib/errors.ts';
import {
  type Answer,
  answerResponse,
  type Env,
  type Exchange,
  plainExchange,
  routedExchange,
  sendAnswer,
} from './exchange.ts';
import { createHandler, type Handler, type HandlerParts, requestFacts } from './handler.ts';
import type { Operation } from './operation.ts';
import { answerError } from './responses.ts';
import { createRouteTree } from './route-tree.ts';

export interface HttpParts extends HandlerParts {
  operations: readonly Operation[];
}

/** The application that answers every operation, and the envelope for everything else. */
export function createHttpApp(parts: HttpParts): Hono<Env> {
  const hono = new Hono<Env>();
  for (const operation of byPrecedence(parts.operations)) {
    const handle = handlerOf(parts, operation);
    hono.on(operation.method.toUpperCase(), routeOf(operation), async (c) => send(c, await handle(routedExchange(c))));
  }
  hono.notFound((c) => send(c, answerUnrouted(parts, hono, routedExchange(c))));
  hono.onError((error, c) => send(c, refuseUnrouted(parts, routedExchange(c), error)));
  return hono;
}

/** The handler of an operation, made at its first request: most are hardly ever asked, and all of them together take long. */
function handlerOf(parts: HttpParts, operation: Operation): Handler {
  let handler: Handler | undefined;
  return (exchange) => {
    handler ??= createHandler(parts, operation);
    return handler(exchange);
  };
}

/** Fixed segments before parameters, as a router takes the first that fits: `/developers/me` is nobody's id. */
function byPrecedence(operations: readonly Operation[]): Operation[] {
  const rank = ({ path }: Operation) => path.replace(/\{\w+\}/g, '\uffff');
  return [...operations].sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
}

/** The path of an operation as the library writes it. */
function routeOf({ path }: Operation): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

const PLAIN_PATH = /^\/[\w./-]*$/;

/**
 * The listener of a server. Reads of plain paths that are found at once skip the library's own request and response, which
 * cost as much as a small answer; everything else goes through it.
 */
export function createHttpListener(parts: HttpParts): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  let loading: ReturnType<typeof loadLibraryListener> | undefined;
  const reads = createRouteTree<Handler>();
  for (const operation of parts.operations) {
    if (operation.method === 'get') reads.add(operation.path, handlerOf(parts, operation));
  }
  return (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const refuse = () => sendAnswer(outgoing, answerUnreadable(parts, incoming));
    if (headers.host === undefined && incoming.httpVersion === '1.1') return refuse();
    if (namesSeveralHosts(incoming)) return refuse();
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    const isPlain = (method === 'GET' || method === 'HEAD') && !hasBody && PLAIN_PATH.test(path);
    const route = isPlain ? reads.find(path) : undefined;
    if (route === undefined) {
      loading ??= loadLibraryListener(parts);
      loading
        .then((listen) => listen(incoming, outgoing))
        .then(() => {
          if (!outgoing.headersSent && !outgoing.destroyed) refuse();
        })
        .catch((error: unknown) => {
          parts.app.log.error({ err: error }, 'a request could not be handed to the library');
          outgoing.destroy();
        });
      return;
    }
    const exchange = plainExchange(incoming, path, route.params);
    const fail = (error: unknown) => {
      const answer = refuseUnrouted(parts, exchange, error);
      if (outgoing.headersSent) outgoing.destroy();
      else sendAnswer(outgoing, answer);
    };
    try {
      const answer = route.target(exchange);
      if (answer instanceof Promise) answer.then((late) => sendAnswer(outgoing, late)).catch(fail);
      else sendAnswer(outgoing, answer);
    } catch (error) {
      fail(error);
    }
  };
}

/** Whether a request has more than one Host line: a proxy may have read another one than Node does (RFC 9112 section 3.2). */
export function namesSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && (name === 'Host' || name === 'host' || name.toLowerCase() === 'host')) hosts += 1;
  }
  return hosts > 1;
}

/** Loaded with the first request that needs it: with Node's own fetch, which it draws in, it is a tenth of the start. */
async function loadLibraryListener(parts: HttpParts) {
  const hono = createHttpApp(parts);
  const [{ getRequestListener, RequestError }, { RESPONSE_ALREADY_SENT: alreadySent }] = await Promise.all([
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ]);
  return getRequestListener((request, env) => hono.fetch(request, { ...env, alreadySent }), {
    overrideGlobalObjects: false,
    // It would close the connection half a second after an early answer, before a slow client has read it; what is never sent
    // to its end is cut off elsewhere (connections.ts).
    autoCleanupIncoming: false,
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

/** A request whose address or Host header makes no sense (RFC 9112 section 3.2). */
function answerUnreadable(parts: HttpParts, incoming: IncomingMessage): Answer {
  const facts = requestFacts(parts, plainExchange(incoming, '', {}));
  const error = new AppError('invalid_input', 'The address or the Host header of the request cannot be read');
  return answerError(parts.app, facts, 'unrouted', error, {});
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** No operation at this method and path: 405 with the methods there are, else 404. */
function answerUnrouted(parts: HttpParts, hono: Hono<Env>, exchange: Exchange): Answer {
  const allowed = methods.filter((method) => hono.router.match(method, exchange.path)[0].length > 0);
  const error =
    allowed.length === 0
      ? notFound()
      : new AppError('method_not_allowed', undefined, {}, { allow: allowed.join(', ') });
  return refuseUnrouted(parts, exchange, error);
}

/** The refusal of a request that no operation took: a page for people, else the envelope. */
function refuseUnrouted(parts: HttpParts, exchange: Exchange, error: unknown): Answer {
  const facts = requestFacts(parts, exchange);
  const show = parts.refusalPageAt?.(exchange.path);
  return answerError(parts.app, facts, 'unrouted', error, {}, undefined, (refusal) => show?.(facts, refusal));
}
