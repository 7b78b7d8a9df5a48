// The period of the page, which is part of its address.

export const expiringRanges = [30, 60, 90, 366] as const;
const DEFAULT = 60;
export type ExpiringRange = (typeof expiringRanges)[number];

export interface ExpiringSearch {
  /** Left out for the default. */
  days?: ExpiringRange;
}

/** Reads the period from an address. Another number of days is ignored. */
export function readExpiringSearch(search: Record<string, unknown>): ExpiringSearch {
  const days = expiringRanges.find((range) => String(range) === String(search.days));
  return days === undefined || days === DEFAULT ? {} : { days };
}

/** Returns the number of days. */
export function readRange(search: Record<string, unknown>): ExpiringRange {
  return readExpiringSearch(search).days ?? DEFAULT;
}
