// Removes personal data and anything that could be a credential from log lines and error messages.

import { isIPv6 } from 'node:net';
import { UUID_PATTERN } from './uuid.ts';

const REMOVED = '(removed)';
const EMAIL = /[^\s"'<>()[\],;:=@]{1,64}(?:@|%40)[^\s"'<>()[\],;:=@]{1,255}/gi;
const IPV4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\d|\.\d)/g;
/** Candidates: times of day also have colons. */
const IPV6 = /(?<![\w:.])[0-9a-f:.]{1,44}[0-9a-f:](?![\w:])/gi;
const USER_INFO = /(:\/\/)[^/?#\s"@]{1,500}@/g;
const QUERY = /([?#])[^\s"'<>]+/g;
const AUTHORIZATION = /\b(bearer|basic)\s+[^\s"',;]+/gi;
const NAMED_SECRET = /([\w-]{0,40}(?:password|secret|token|api_?key)[\w-]{0,40}["']?\s?[:=]\s?["']?)[^\s"',;&]+/gi;
/** Longer than words and numbers; ids are kept, because they connect lines. */
const LONG = /[\w+=~-]{25,}/g;
/** Keys in base64 have slashes, too. Paths rarely have all of capital letters, small letters and digits. */
const LONG_WITH_SLASHES = /[\w+/=~-]{30,}/g;
const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i');
/** A server prints its setup link as a QR code, too. */
const QR_CODE = /[\u2580\u2584\u2588][ \u2580\u2584\u2588]*/g;
/** Words joined by separators, such as names of events and migrations. */
const WORDS = /^(?:(?:[a-z]{1,20}[_-])*[a-z]{1,20}|(?:[A-Z]{1,20}[_-])*[A-Z]{1,20})$/;

const isMixed = (text: string): boolean => /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);

/** Returns a text with email addresses removed. */
export const withoutEmails = (text: string): string => text.replace(EMAIL, REMOVED);

/** Returns a URL without user information, query and fragment, and without long random segments. */
export function redactUrl(url: string): string {
  return withoutRandom(url.replace(USER_INFO, '$1').replace(QUERY, `$1${REMOVED}`));
}

/** Returns a text with email addresses, network addresses, query strings, user information of URLs, QR codes and long random texts removed. */
export function redact(text: string): string {
  const plain = text
    .replace(USER_INFO, '$1')
    .replace(QUERY, `$1${REMOVED}`)
    .replace(AUTHORIZATION, `$1 ${REMOVED}`)
    .replace(NAMED_SECRET, `$1${REMOVED}`)
    .replace(QR_CODE, REMOVED);
  return withoutRandom(
    withoutEmails(plain)
      .replace(IPV6, (match) => (isIPv6(match) ? REMOVED : match))
      .replace(IPV4, REMOVED),
  );
}

function withoutRandom(text: string): string {
  return text
    .replace(LONG_WITH_SLASHES, (match) => (isMixed(match) ? REMOVED : match))
    .replace(LONG, (match) => (UUID.test(match) || WORDS.test(match) ? match : REMOVED));
}
