// Forms sent by pages that work without scripts.
import type { RequestFacts } from './context.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The media type of a Content-Type header, without its parameters. */
export function mediaTypeOf(contentType: string | undefined): string {
  return contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Whether a request was sent by a form, so that a person reads the answer. */
export function isSentByForm({ header }: Pick<RequestFacts, 'header'>): boolean {
  return mediaTypeOf(header('content-type')) === FORM_TYPE;
}
