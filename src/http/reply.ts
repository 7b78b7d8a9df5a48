// An answer that is not a plain JSON body: other status, headers or media type.
import { Html } from '../lib/html.ts';

export interface Reply {
  isReply: true;
  status?: number;
  headers: Record<string, string>;
  /** Cookies to set, each a whole Set-Cookie value. */
  cookies?: string[];
  /** Markup gets the path of base_url as it goes out. */
  body: string | Uint8Array | Html | null;
}

/** Text, bytes or markup of a media type. */
export function reply(type: string, body: string | Uint8Array | Html, headers: Record<string, string> = {}): Reply {
  return { isReply: true, headers: { 'content-type': type, ...headers }, body };
}

/** Text that travels without a Content-Type header (docs/specification/conventions.md#addresses). */
export function bareText(text: string): Reply {
  return { isReply: true, headers: {}, body: text };
}

/** The body as it goes out from a server that lies under a path, '' for none. */
export function writeBody({ body }: Reply, base: string): string | Uint8Array | null {
  return body instanceof Html ? body.under(base) : body;
}

/** A redirect that no cache keeps. */
export function redirectTo(location: string): Reply {
  return { isReply: true, headers: { location, 'cache-control': 'no-store' }, body: null };
}

/** Whether a handler's answer is a Reply. */
export function isReply(answer: unknown): answer is Reply {
  return typeof answer === 'object' && answer !== null && 'isReply' in answer && answer.isReply === true;
}
