// Dates in emails, which are in UTC because the reader's time zone is unknown.
import { once } from '../../lib/formats.ts';

const dayIn = once((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }));

/** Returns a date such as "Dec 7, 2016". */
export function formatMailDay(time: number): string {
  return dayIn('en-US').format(time);
}

/** Returns a time such as "Dec 7, 2016 at 22:30 UTC". */
export function formatMailTime(time: number): string {
  return `${formatMailDay(time)} at ${new Date(time).toISOString().slice(11, 16)} UTC`;
}
