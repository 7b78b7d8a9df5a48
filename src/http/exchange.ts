// One request on its socket, and how its answer is sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context as HonoContext } from 'hono';
import { getQueryParam } from 'hono/utils/url';

/** What Hono hands to a handler besides the request: both ends of it on the socket. */
export type Env = { Bindings: { incoming: IncomingMessage; outgoing: ServerResponse } };

/** What the kernel asks of a request. */
export interface Exchange {
  method: string;
  path: string;
  /** Parameters of the path, decoded. */
  params: Record<string, string>;
  /** Query parameters with their first value; a repeated parameter does not become a list. */
  query: Record<string, string | undefined>;
  /** What follows the question mark, as it was sent. */
  rawQuery: string;
  /** The address of the other end of the connection. */
  peer: string | undefined;
  /** A header named in lower case. */
  header(name: string): string | undefined;
  body(): Readable;
}

/** What goes out. */
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

/** Node drops all but the first of these lines. Joined, two of them are no credential of any kind. */
function authorizationOf({ rawHeaders, headers }: IncomingMessage): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const isName = (_: string, index: number) =>
    index % 2 === 0 && rawHeaders[index]?.length === 13 && rawHeaders[index]?.toLowerCase() === 'authorization';
  return rawHeaders.filter(isName).length === 1 ? authorization : `${authorization}, ${authorization}`;
}

function rawQueryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function parseQuery(rawQuery: string): Record<string, string | undefined> {
  if (rawQuery === '') return {};
  const query = getQueryParam(`http://localhost/?${rawQuery}`);
  return typeof query === 'object' ? query : {};
}

/** The exchange of a request that Hono has routed. */
export function routedExchange({ req, env }: HonoContext<Env>): Exchange {
  return createExchange(env.incoming, { path: req.path, params: req.param(), rawQuery: rawQueryOf(req.url) });
}

/** The exchange of a request whose address cannot be read. */
export function unreadableExchange(incoming: IncomingMessage): Exchange {
  return createExchange(incoming, { path: '', params: {}, rawQuery: '' });
}

function createExchange(incoming: IncomingMessage, address: Pick<Exchange, 'path' | 'params' | 'rawQuery'>): Exchange {
  return {
    method: incoming.method ?? '',
    path: address.path,
    params: address.params,
    query: parseQuery(address.rawQuery),
    rawQuery: address.rawQuery,
    peer: incoming.socket.remoteAddress,
    header: (name) => headerOf(incoming, name),
    body: () => incoming,
  };
}

/**
 * Writes an answer onto the socket. A Response would pass the body through a stream, which costs more than the rest of a
 * small request, and would give every body a Content-Type.
 */
export function sendAnswer(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  const bytes = body === null ? 0 : Buffer.byteLength(body);
  if (status !== 204 && status !== 304) headers['content-length'] = String(bytes);
  outgoing.writeHead(status, headers);
  if (body === null) outgoing.end();
  // As many bytes as characters: all of it is ASCII, which can be copied instead of encoded.
  else if (typeof body === 'string' && bytes === body.length) outgoing.end(body, 'latin1');
  else outgoing.end(body);
}
