// How emails quote names and versions chosen by users.
import { plainName } from './letter.ts';

/** Quotes a name chosen by a user for use in an English sentence. */
export function quoteName(name: string): string {
  return `“${plainName(name)}”`;
}

/** Quotes a name chosen by a user for use in a German sentence. */
export function germanQuote(name: string): string {
  return `„${plainName(name)}“`;
}

/** Quotes a version for use in a sentence, with or without a build number. Versions of digits and dots stay unquoted. */
export function quoteVersion(name: string, quote = quoteName): string {
  return /^\d{1,9}(\.\d{1,9}){0,3}( \(\d{1,9}\))?$/.test(name) ? name : quote(name);
}
