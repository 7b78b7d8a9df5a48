// A request on its socket, and how its response is sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context as HonoContext } from 'hono';
import { isRepeated } from './request-url.ts';

/** What Hono passes to a handler besides the request: Node's request and response. */
export type Env = { Bindings: { incoming: IncomingMessage; outgoing: ServerResponse } };

/** The parts of a request that the HTTP layer reads. */
export interface Exchange {
  method: string;
  /** With a normalized path and an arbitrary origin. */
  url: string;
  path: string;
  /** Decoded path parameters. */
  params: Record<string, string>;
  /** Parses the query string. Returns its parameters with their first value; repeated ones don't become lists. */
  query(): Record<string, string | undefined>;
  /** The query string as it was sent, without the question mark. */
  rawQuery: string;
  /** The address of the peer. */
  peer: string | undefined;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  body(): Readable;
}

/** A response: status, headers and body. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | null;
}

function headerOf(incoming: IncomingMessage, name: string): string | undefined {
  if (name === 'authorization') return authorizationOf(incoming);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Node drops all lines but the first. Joined, two lines are never a valid credential. */
function authorizationOf(incoming: IncomingMessage): string | undefined {
  const { authorization } = incoming.headers;
  return authorization === undefined || !isRepeated(incoming, 'authorization')
    ? authorization
    : `${authorization}, ${authorization}`;
}

function rawQueryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** Returns the exchange of a request that Hono has routed. */
export function routedExchange({ req, env }: HonoContext<Env>): Exchange {
  const { path, url } = req;
  return createExchange(env.incoming, {
    url,
    path,
    params: req.param(),
    query: () => req.query(),
    rawQuery: rawQueryOf(url),
  });
}

/** Returns the exchange of a request whose URL can't be parsed. */
export function unreadableExchange(incoming: IncomingMessage): Exchange {
  return createExchange(incoming, { url: '', path: '', params: {}, query: () => ({}), rawQuery: '' });
}

type Address = Pick<Exchange, 'url' | 'path' | 'params' | 'query' | 'rawQuery'>;

function createExchange(incoming: IncomingMessage, { url, path, params, query, rawQuery }: Address): Exchange {
  return {
    method: incoming.method ?? '',
    url,
    path,
    params,
    query,
    rawQuery,
    peer: incoming.socket.remoteAddress,
    header: (name) => headerOf(incoming, name),
    body: () => incoming,
  };
}

/**
 * Writes a response to the socket. A Response object would pass the body through a stream, which costs more than the
 * rest of a small request, and would add a Content-Type to every body.
 */
export function sendAnswer(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  const bytes = body === null ? 0 : Buffer.byteLength(body);
  // A response to HEAD may announce the length of a body that isn't read for it.
  const isAnnounced = body === null && headers['content-length'] !== undefined;
  if (status !== 204 && status !== 304 && !isAnnounced) headers['content-length'] = String(bytes);
  outgoing.writeHead(status, headers);
  if (body === null) outgoing.end();
  // The number of bytes equals the number of characters, so the text is ASCII and can be copied instead of encoded.
  else if (typeof body === 'string' && bytes === body.length) outgoing.end(body, 'latin1');
  else outgoing.end(body);
}
