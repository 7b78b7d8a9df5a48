// Dates in emails, which are in UTC because the reader's time zone is unknown.

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/** Returns a date such as "Dec 7, 2016". */
export function formatMailDay(time: number): string {
  return day.format(time);
}

/** Returns a time such as "Dec 7, 2016 at 22:30 UTC". */
export function formatMailTime(time: number): string {
  return `${day.format(time)} at ${new Date(time).toISOString().slice(11, 16)} UTC`;
}
