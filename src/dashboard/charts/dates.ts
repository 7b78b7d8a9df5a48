// Formats UTC dates.

/** Formats a date such as 2026-01-31: short as "Jan 31", long with the year. */
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
