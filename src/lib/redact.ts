// Removes personal data and anything that could be a credential from log lines and error messages.

import { isIPv6 } from 'node:net';

const REMOVED = '(removed)';
const EMAIL = /[^\s"'<>()[\],;:=@]{1,64}@[^\s"'<>()[\],;:=@]{1,255}/g;
const IPV4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g;
/** Candidates: times of day also have colons. */
const IPV6 = /(?<![\w:.])[0-9a-f:.]{1,44}[0-9a-f:](?![\w:])/gi;
const USER_INFO = /(:\/\/)[^/?#\s"@]{1,500}@/g;
const QUERY = /(\?)[^\s"'<>]+/g;
/** Longer than words and numbers; ids are kept, because they connect lines. */
const LONG = /[\w+=~-]{25,}/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Words joined by separators, such as names of events and migrations. */
const WORDS = /^(?:(?:[a-z]{1,20}[_-])*[a-z]{1,20}|(?:[A-Z]{1,20}[_-])*[A-Z]{1,20})$/;

/** Returns a text with email addresses removed. */
export const withoutEmails = (text: string): string => text.replace(EMAIL, REMOVED);

/** Returns a text with email addresses, network addresses, query strings, user information of URLs and long random texts removed. */
export function redact(text: string): string {
  return withoutEmails(text.replace(USER_INFO, '$1').replace(QUERY, `$1${REMOVED}`))
    .replace(IPV6, (match) => (isIPv6(match) ? REMOVED : match))
    .replace(IPV4, REMOVED)
    .replace(LONG, (match) => (UUID.test(match) || WORDS.test(match) ? match : REMOVED));
}
