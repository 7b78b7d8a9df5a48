// One request and the way its answer goes out, whether it came over a socket or as a Request object.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import { getQueryParam } from 'hono/utils/url';

/** Where a request came from, and what tells the library that its answer is on the socket already. */
export type Env = { Bindings: Partial<HttpBindings> & { alreadySent?: Response } };

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
  body(): Readable | null;
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

/** The exchange of a request that the HTTP library routed. */
export function routedExchange(c: HonoContext<Env>): Exchange {
  const incoming = c.env?.incoming;
  const rawQuery = rawQueryOf(c.req.url);
  return {
    method: c.req.method,
    path: c.req.path,
    params: c.req.param(),
    query: parseQuery(rawQuery),
    rawQuery,
    peer: incoming?.socket.remoteAddress,
    header: (name) => (incoming === undefined ? c.req.header(name) : headerOf(incoming, name)),
    body: () => incoming ?? webBody(c),
  };
}

/** The exchange of a request without a body, straight from the socket. */
export function plainExchange(incoming: IncomingMessage, path: string, params: Record<string, string>): Exchange {
  const rawQuery = rawQueryOf(incoming.url ?? '');
  return {
    method: incoming.method ?? '',
    path,
    params,
    query: parseQuery(rawQuery),
    rawQuery,
    peer: incoming.socket.remoteAddress,
    header: (name) => headerOf(incoming, name),
    body: () => null,
  };
}

function webBody(c: HonoContext<Env>): Readable | null {
  const { body } = c.req.raw;
  return body === null ? null : Readable.fromWeb(body as ReadableStream);
}

/**
 * Writes an answer onto the socket. A Response would pass the body through a stream, which costs more than the rest of a
 * small request, and would give every body a Content-Type.
 */
export function sendAnswer(
  outgoing: HttpBindings['outgoing'] | ServerResponse,
  { status, headers, body }: Answer,
): void {
  const bytes = body === null ? 0 : Buffer.byteLength(body);
  if (status !== 204 && status !== 304) headers['content-length'] = String(bytes);
  outgoing.writeHead(status, headers);
  if (body === null) outgoing.end();
  // As many bytes as characters: all of it is ASCII, which can be copied instead of encoded.
  else if (typeof body === 'string' && bytes === body.length) outgoing.end(body, 'latin1');
  else outgoing.end(body);
}

/** An answer as a Response, for a request that came without a socket. */
export function answerResponse({ status, headers, body }: Answer): Response {
  const response = new Response(typeof body === 'string' || body === null ? body : new Uint8Array(body), { status });
  response.headers.delete('content-type');
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) response.headers.append(name, one);
  }
  return response;
}
