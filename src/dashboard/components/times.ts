// Formats times and durations.

import { once } from '../../lib/formats.ts';

const relativeIn = once((language) => new Intl.RelativeTimeFormat(language));
/** Has words for days, such as "yesterday". */
const relativeDayIn = once((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));
const exactIn = once((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' }));
const dayIn = once((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }));

const shortDayIn = once((language) => new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' }));

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

/** The units, their seconds, and the seconds from which on a time ahead is in them if these are more. */
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number, number?][] = [
  ['year', 31_556_952, 63_113_904],
  ['month', 2_629_746, 5_184_000],
  ['week', 604_800, Infinity],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Returns the start of the day in the user's time zone. */
export function startOfDay(moment: number): number {
  return new Date(moment).setHours(0, 0, 0, 0);
}

/**
 * Returns the days of the calendar between two times in the user's time zone; rounded, because days with a clock change have
 * 23 or 25 hours.
 */
export function daysBetween(from: number, to: number): number {
  return Math.round((startOfDay(to) - startOfDay(from)) / dayMs);
}

/**
 * Formats a time relative to now, such as "3 hours ago". Days are those of the calendar. Far times ahead are in days up to two months, in
 * months up to two years, and rounded: a link that was just created for 14 days would expire "in 1 week" otherwise.
 */
export function formatRelative(moment: number, now: number, language: string): string {
  const seconds = (moment - now) / 1000;
  for (const [unit, size, ahead] of STEPS) {
    const isRounded = seconds > 0 && ahead !== undefined;
    if (Math.abs(seconds) < (isRounded ? ahead : size)) continue;
    if (unit === 'day') return relativeDayIn(language).format(daysBetween(now, moment), unit);
    return relativeIn(language).format((isRounded ? Math.round : Math.trunc)(seconds / size), unit);
  }
  return relativeDayIn(language).format(0, 'second');
}

/** Formats a date and time in the user's time zone. */
export function formatExact(moment: number, language: string): string {
  return exactIn(language).format(moment);
}

/** Formats a date in the user's time zone. */
export function formatDay(moment: number, language: string): string {
  return dayIn(language).format(moment);
}

/** Formats a date in the user's time zone without the year, if it is the current one, such as "Nov 9". */
export function formatShortDay(moment: number, now: number, language: string): string {
  const isThisYear = new Date(moment).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? shortDayIn : dayIn)(language).format(moment);
}

/** Returns the UTC day of a time in milliseconds, such as 2026-01-31. */
export function utcDay(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

/** Formats a duration in its largest unit, up to days. */
export function formatDuration(seconds: number, language: string): string {
  const [unit, value] =
    seconds >= 2 * 86_400
      ? (['day', Math.floor(seconds / 86_400)] as const)
      : seconds >= 3600
        ? (['hour', seconds / 3600] as const)
        : seconds >= 60
          ? (['minute', seconds / 60] as const)
          : (['second', seconds] as const);
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'day' ? 'long' : 'short',
    maximumFractionDigits: 0,
  }).format(Math.max(1, Math.round(value)));
}
