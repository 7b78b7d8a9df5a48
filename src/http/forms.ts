// Form submissions of pages that work without scripts.
import type { RequestFacts } from '../core/actor.ts';
import { AppError } from '../lib/errors.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';
const MAX_FIELDS = 100;

/** Returns the media type of a Content-Type header without its parameters. */
export function mediaTypeOf(contentType: string | undefined): string {
  return contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Returns the charsets in a Content-Type header, in lower case; normally none or one. */
export function charsetsOf(contentType: string): string[] {
  return [...contentType.matchAll(/;\s*charset\s*=\s*"?([^\s";,]*)/gi)].map(([, charset = '']) =>
    charset.toLowerCase(),
  );
}

/** Parses form fields; the last value of a name counts. Throws `invalid_input` for too many fields. */
export function parseForm(text: string): Record<string, string> {
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) fields += 1;
  if (fields > MAX_FIELDS) throw new AppError('invalid_input', `The form can have at most ${MAX_FIELDS} fields`);
  return Object.fromEntries(new URLSearchParams(text));
}

/** Whether a request was sent by a form, so that a person reads the response. */
export function isSentByForm({ header }: Pick<RequestFacts, 'header'>): boolean {
  return mediaTypeOf(header('content-type')) === FORM_TYPE;
}
