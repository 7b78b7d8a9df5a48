// Serves operations over HTTP: the listener of a server, and the errors of requests that match no operation.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context as HonoContext } from 'hono';
import { Hono } from 'hono';
import type { Router } from 'hono/router';
import { AppError, notFound } from '../lib/errors.ts';
import { type Answer, type Env, type Exchange, routedExchange, sendAnswer, unreadableExchange } from './exchange.ts';
import { createHandler, type Handler, type HandlerParts, requestFacts } from './handler.ts';
import type { Operation } from './operation.ts';
import { redirectTo } from './reply.ts';
import { readRequestUrl } from './request-url.ts';
import { type AnsweredRequest, answerError, logRequest, replyAnswer } from './responses.ts';
import { createRouteTree } from './route-tree.ts';

type HttpListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export interface HttpParts extends HandlerParts {
  operations: readonly Operation[];
}

/**
 * Creates the listener of a server. Every request passes through Hono, which decodes the path, queries the route tree,
 * dispatches, and handles thrown errors. No Request or Response objects are created, because they would add a third to
 * the cost of a small read.
 */
export function createHttpListener(parts: HttpParts): HttpListener {
  const hono = createHono(parts);
  return (incoming, outgoing) => {
    const url = readRequestUrl(incoming);
    if (url === undefined) return sendAnswer(outgoing, answerUnreadable(parts, incoming));
    // Node omits the body of responses to HEAD.
    const method = incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? '');
    try {
      // Hono only reads the method and URL; exchange.ts reads the rest from the socket.
      const answered = hono.fetch({ method, url } as Request, { incoming, outgoing });
      if (answered instanceof Promise) answered.catch((error: unknown) => abandon(parts, outgoing, error));
    } catch (error) {
      abandon(parts, outgoing, error);
    }
  };
}

/** Closes a connection whose response failed while it was being sent, and on which no error response can be sent either. */
function abandon({ app }: HttpParts, outgoing: ServerResponse, error: unknown): void {
  app.log.error({ err: error }, 'answer could not be sent');
  outgoing.destroy();
}

/** Creates Hono with a route for each operation, and the error envelope for everything else. */
function createHono(parts: HttpParts): Hono<Env> {
  const hono = new Hono<Env>({ router: createRouteTree() });
  const pages = createRouteTree<true>();
  for (const operation of parts.operations) {
    const { method, path, returns } = operation;
    if (method === 'get' && parts.refusalPageAt?.(path, returns) !== undefined) pages.add('GET', path, true);
    const handle = handlerOf(parts, operation);
    const serve = (c: HonoContext<Env>) => {
      const answer = handle(routedExchange(c));
      return answer instanceof Promise ? answer.then((late) => send(c, late)) : send(c, answer);
    };
    hono.on(method, path, serve);
  }
  hono.notFound((c) => {
    const exchange = routedExchange(c);
    const location = addressWithoutSlash(parts, pages, exchange);
    return send(
      c,
      location === undefined ? answerUnrouted(parts, hono, exchange) : answerMoved(parts, exchange, location),
    );
  });
  hono.onError((error, c) => send(c, rejectUnrouted(parts, routedExchange(c), error)));
  return hono;
}

/** A placeholder for the Response that Hono expects from a handler. The response is already on the socket. */
const ANSWERED = {} as Response;

function send(c: HonoContext<Env>, answer: Answer): Response {
  sendAnswer(c.env.outgoing, answer);
  return ANSWERED;
}

/**
 * Creates the handler of an operation on its first request. Most operations are rarely called, and creating all
 * handlers takes long.
 */
function handlerOf(parts: HttpParts, operation: Operation): Handler {
  let handler: Handler | undefined;
  return (exchange) => {
    handler ??= createHandler(parts, operation);
    return handler(exchange);
  };
}

/** Answers a request with an invalid target or Host header (RFC 9112 section 3.2). */
function answerUnreadable(parts: HttpParts, incoming: IncomingMessage): Answer {
  const request = unroutedRequest(parts, unreadableExchange(incoming));
  const error = new AppError('invalid_input', 'The address or the Host header of the request cannot be read');
  return answerError(parts.app, request, error);
}

/** The methods of a 405 in the order in which it lists them, and those whose operations they have. */
const methods = { GET: 'GET', HEAD: 'GET', POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE' };

/** Answers a request that matches no operation: 405 with the allowed methods if the path exists, otherwise 404. */
function answerUnrouted(parts: HttpParts, hono: Hono<Env>, exchange: Exchange): Answer {
  const isRouted = ([, method]: [string, string]) => hono.router.match(method, exchange.path)[0].length > 0;
  const allowed = Object.entries(methods)
    .filter(isRouted)
    .map(([method]) => method);
  const error =
    allowed.length === 0
      ? notFound()
      : new AppError('method_not_allowed', undefined, {}, { allow: allowed.join(', ') });
  return rejectUnrouted(parts, exchange, error);
}

/** Returns the address without the slash at its end if people open it in a browser, because they also type it. */
function addressWithoutSlash({ app }: HttpParts, pages: Router<true>, exchange: Exchange): string | undefined {
  const { method, path, url } = exchange;
  if (!path.endsWith('/') || (method !== 'GET' && method !== 'HEAD')) return undefined;
  if (pages.match('GET', path.slice(0, -1))[0].length === 0) return undefined;
  const { pathname, search } = new URL(url);
  return `${app.config.server.base_url}${pathname.slice(0, -1)}${search}`;
}

function answerMoved(parts: HttpParts, exchange: Exchange, location: string): Answer {
  const request = unroutedRequest(parts, exchange);
  logRequest(parts.app, request, 308);
  return replyAnswer(parts.app, redirectTo(location), 308, request.facts);
}

/** Sends the error of a request that matched no operation: a page for people, otherwise the envelope. */
function rejectUnrouted(parts: HttpParts, exchange: Exchange, error: unknown): Answer {
  const request = unroutedRequest(parts, exchange);
  const show = parts.refusalPageAt?.(exchange.path);
  return answerError(parts.app, request, error, (refusal) => show?.(request.facts, refusal));
}

function unroutedRequest(parts: HttpParts, exchange: Exchange): AnsweredRequest {
  return { facts: requestFacts(parts, exchange), route: 'unrouted', startedAt: performance.now() };
}
