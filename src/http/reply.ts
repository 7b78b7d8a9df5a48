// A response that isn't a plain JSON body: with another status, headers or media type.
import { Html } from '../lib/html.ts';
import * as z from '../lib/zod.ts';

export interface Reply {
  isReply: true;
  status?: number;
  headers: Record<string, string>;
  /** Cookies to set, each a complete Set-Cookie value. */
  cookies?: string[];
  /** Markup gets the path of base_url when it's sent. */
  body: string | Uint8Array | Html | null;
}

/** Cache-Control of what is named by a hash of its content: browsers keep it for a year. */
export const NEVER_CHANGES = 'public, max-age=31536000, immutable';

/** Creates a reply with text, bytes or markup. */
export function reply(type: string, body: string | Uint8Array | Html, headers: Record<string, string> = {}): Reply {
  return { isReply: true, headers: { 'content-type': type, ...headers }, body };
}

/** Creates a reply with text and no Content-Type header (docs/specification/conventions.md#addresses). */
export function bareText(text: string): Reply {
  return { isReply: true, headers: {}, body: text };
}

/** The body of `bareNotFound`. */
export const bareError = z
  .object({ error: z.string().meta({ description: 'Machine code; match on this' }) })
  .meta({ id: 'BareError', description: 'The error for a setting that an organization does not have' });

/** Creates a 404 whose body has the error code only, for settings that an organization doesn't have. */
export function bareNotFound(): Reply {
  return { ...reply('application/json', JSON.stringify({ error: 'not_found' })), status: 404 };
}

/** Returns the body to send. `base` is the path of base_url, '' for none. */
export function writeBody({ body }: Reply, base: string): string | Uint8Array | null {
  return body instanceof Html ? body.withBasePath(base) : body;
}

/** Creates a redirect that must not be cached. */
export function redirectTo(location: string): Reply {
  return { isReply: true, headers: { location, 'cache-control': 'no-store' }, body: null };
}

/** Whether a handler's result is a Reply. */
export function isReply(answer: unknown): answer is Reply {
  return typeof answer === 'object' && answer !== null && 'isReply' in answer && answer.isReply === true;
}
