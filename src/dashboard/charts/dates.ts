// Days of UTC as people write them.

/** A date such as 2026-01-31: short as 31 Jan, long with its year. */
export function formatDate(day: string, language: string, length: 'short' | 'long'): string {
  const moment = Date.parse(day);
  if (Number.isNaN(moment)) return day;
  return new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    ...(length === 'long' ? { year: 'numeric' } : {}),
  }).format(moment);
}
