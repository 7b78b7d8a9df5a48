// The address of a request, read from its target and its Host header (RFC 9112 section 3).
import type { IncomingMessage } from 'node:http';

/** A name or an address, with a port or without one. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
/** What URL would leave as it is: nothing to encode, no segment that only consists of dots. */
const PLAIN_TARGET = /^\/[!#$&-;=?-[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?#]|$)/;

/**
 * Returns the URL of a request with a normalized path; its origin means nothing. Undefined for a request that must be refused: its
 * target is no address, or its Host header is malformed, repeated, or missing in HTTP/1.1.
 */
export function readRequestUrl(incoming: IncomingMessage): string | undefined {
  const { url: target = '', headers, httpVersion } = incoming;
  const { host } = headers;
  if (host === undefined ? httpVersion === '1.1' : host !== '' && !HOST.test(host)) return undefined;
  if (namesSeveralHosts(incoming)) return undefined;
  if (PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target)) return `http://localhost${target}`;
  const isAbsolute = target.startsWith('http://') || target.startsWith('https://');
  if (!isAbsolute && !target.startsWith('/')) return undefined;
  // URL reads a backslash as a slash, a proxy in front may not.
  if (/^[^?]*\\/.test(target)) return undefined;
  return URL.parse(isAbsolute ? target : `http://localhost${target}`)?.href;
}

/** Whether a request has more than one Host line: a proxy may have read another one than Node does (RFC 9112 section 3.2). */
export function namesSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
