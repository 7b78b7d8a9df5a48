// Formats sizes, dates and durations in the reader's language, and limits the length of texts written by users.
import { once } from '../../lib/formats.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

// Creating a format takes many times as long as using it.
const dayIn = once((language) => new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }));
// Numbers instead of "yesterday": the reader's time zone is unknown, and with it where a day begins.
const relativeIn = once((language) => new Intl.RelativeTimeFormat(language, { numeric: 'always' }));

/** Formats the calendar day of a moment, in UTC because the reader's time zone is unknown. */
export function formatDay(moment: Date, language: string): string {
  return dayIn(language).format(moment);
}

/** Formats the age of a moment. Returns null if it is less than a minute ago or in the future. */
export function formatAge(moment: Date, now: Date, language: string): string | null {
  const age = now.getTime() - moment.getTime();
  if (age < minute) return null;
  const format = relativeIn(language);
  if (age < hour) return format.format(-Math.floor(age / minute), 'minute');
  if (age < day) return format.format(-Math.floor(age / hour), 'hour');
  if (age < 14 * day) return format.format(-Math.floor(age / day), 'day');
  if (age < 60 * day) return format.format(-Math.floor(age / (7 * day)), 'week');
  if (age < 730 * day) return format.format(-Math.floor(age / (30.44 * day)), 'month');
  return format.format(-Math.floor(age / (365.25 * day)), 'year');
}

/**
 * Formats the time until a moment in whole minutes, hours or days, rounded down, at least one minute: "in 14 minutes".
 */
export function formatAhead(moment: Date, now: Date, language: string): string {
  const left = moment.getTime() - now.getTime();
  const format = relativeIn(language);
  if (left < hour) return format.format(Math.max(1, Math.floor(left / minute)), 'minute');
  if (left < day) return format.format(Math.floor(left / hour), 'hour');
  return format.format(Math.floor(left / day), 'day');
}

/**
 * Returns a name chosen by a user in one line of at most `longest` characters, without characters that change the text
 * direction.
 */
export function boundName(name: string, longest = 80): string {
  const line = name
    .slice(0, longest * 8)
    .toWellFormed()
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const characters = graphemesOf(line);
  return characters.length <= longest && line.length <= longest * 4
    ? line
    : `${cut(characters, longest, longest * 4)}…`;
}

/** Returns the first letter of a name, for apps without an icon. */
export function firstLetter(name: string): string {
  const letter = /[\p{L}\p{N}]\p{M}*/u.exec(boundName(name))?.[0];
  return letter === undefined ? '•' : letter.slice(0, 8).toLocaleUpperCase('en');
}

function graphemesOf(text: string): string[] {
  // In most names each of these characters is one grapheme, and the segmenter takes as long as the rest of the page.
  if (/^[ -~]*$/.test(text)) return [...text];
  return Array.from(new Intl.Segmenter('en').segment(text), (part) => part.segment);
}

function cut(characters: readonly string[], maxCharacters: number, maxUnits: number): string {
  let kept = '';
  for (const character of characters.slice(0, maxCharacters)) {
    if (kept.length + character.length > maxUnits) break;
    kept += character;
  }
  return kept.trimEnd();
}
