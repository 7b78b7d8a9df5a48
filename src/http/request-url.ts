// Parses the URL of a request from its target and Host header (RFC 9112 section 3).
import type { IncomingMessage } from 'node:http';

/** A host name or address, with or without a port. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
/** Targets that URL leaves unchanged: nothing to encode and no segments of dots. */
const PLAIN_TARGET = /^\/[!#$&-;=?-[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?#]|$)/;

/**
 * Returns the URL of a request with a normalized path and an arbitrary origin. Returns undefined for a request to
 * reject: its target isn't a URL, or its Host header is malformed, repeated, or missing in HTTP/1.1.
 */
export function readRequestUrl(incoming: IncomingMessage): string | undefined {
  const { url: target = '', headers, httpVersion } = incoming;
  const { host } = headers;
  if (host === undefined ? httpVersion === '1.1' : host !== '' && !HOST.test(host)) return undefined;
  if (namesSeveralHosts(incoming)) return undefined;
  if (PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target)) return `http://localhost${target}`;
  const isAbsolute = target.startsWith('http://') || target.startsWith('https://');
  if (!isAbsolute && !target.startsWith('/')) return undefined;
  // URL treats a backslash as a slash, but a proxy may not.
  if (/^[^?]*\\/.test(target)) return undefined;
  return URL.parse(isAbsolute ? target : `http://localhost${target}`)?.href;
}

/**
 * Returns a target without the scheme and host that the absolute form begins with (RFC 9112 section 3.2.2). Other targets, and those that
 * aren't URLs, are returned unchanged.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [whole, rest = ''] = /^https?:\/\/[^/?#\\]+([/?#].*)?$/i.exec(target) ?? [];
  if (whole === undefined || URL.parse(whole) === null) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Whether a request has more than one Host header. A proxy may use another one than Node (RFC 9112 section 3.2). */
export function namesSeveralHosts(incoming: IncomingMessage): boolean {
  return isRepeated(incoming, 'host');
}

/** Whether a request has more than one line of a header, whose name is in lower case. */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let lines = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at];
    if (written?.length === name.length && written.toLowerCase() === name) lines += 1;
  }
  return lines > 1;
}
