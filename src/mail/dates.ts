// Dates in emails, which are in UTC because the reader's time zone is unknown.
import { once } from '../lib/formats.ts';

const dayIn = once((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }));

/** Returns the time of day in UTC, such as "22:30". */
export function formatMailClock(time: number): string {
  return new Date(time).toISOString().slice(11, 16);
}

/** Returns a date such as "Dec 7, 2016". */
export function formatMailDay(time: number): string {
  return dayIn('en-US').format(time);
}

/** Returns a time such as "Dec 7, 2016 at 22:30 UTC". */
export function formatMailTime(time: number): string {
  return `${formatMailDay(time)} at ${formatMailClock(time)} UTC`;
}

/** Returns a German date such as "07.12.2016". */
export function germanDay(time: number): string {
  return dayIn('de').format(time);
}

/** Returns a German time such as "07.12.2016 um 22:30 Uhr (UTC)". */
export function germanTime(time: number): string {
  return `${germanDay(time)} um ${formatMailClock(time)} Uhr (UTC)`;
}
