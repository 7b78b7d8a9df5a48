// The address of the page, which has its period and filters. The router reads it, so it's part of the first load.
import { utcDay } from '../../components/times.ts';

const names = ['day', 'from', 'to', 'event', 'type', 'actor', 'search'] as const;
export type AuditSearch = Partial<Record<(typeof names)[number], string>>;

/** Longer texts would match nothing. */
const LONGEST = 255;

/** Reads period and filters from an address. Unknown and malformed values are ignored. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const read: AuditSearch = {};
  for (const name of names) {
    const value = search[name];
    // The router reads numbers in addresses as numbers.
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    const isDay = name === 'day' || name === 'from' || name === 'to';
    if (text !== '' && text.length <= LONGEST && (!isDay || isRealDay(text))) read[name] = text;
  }
  return read;
}

function isRealDay(text: string): boolean {
  const moment = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // Some browsers read February 30 as March 2.
  return !Number.isNaN(moment) && utcDay(moment) === text;
}
