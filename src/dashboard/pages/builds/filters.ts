// The filters of the list of builds, which are part of its address.
import type { Query } from '../../api/api-url.ts';

export const buildStatuses = ['active', 'revoked', 'all'] as const;
export type BuildStatusFilter = (typeof buildStatuses)[number];

/** The filters that have a text. Days are `YYYY-MM-DD` of the viewer's time zone. */
const textFilters = ['text', 'branch', 'commit', 'pr', 'label', 'bundle', 'uploader', 'from', 'until'] as const;
export type TextFilter = (typeof textFilters)[number];

export type BuildFilters = Partial<Record<TextFilter, string>> & {
  /** Left out for active builds. */
  status?: Exclude<BuildStatusFilter, 'active'>;
  installable?: 'yes' | 'no';
  /** Left out for the newest first. */
  sort?: 'version';
};

/** The forms that the API accepts; a filter with another one is ignored. */
const forms: Record<TextFilter, RegExp> = {
  text: /^.{1,100}$/,
  branch: /^.{1,255}$/,
  commit: /^[0-9a-f]{4,64}$/i,
  pr: /^[1-9]\d{0,14}$/,
  label: /^.{1,50}$/,
  bundle: /^.{1,255}$/,
  uploader: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  from: /^\d{4}-\d\d-\d\d$/,
  until: /^\d{4}-\d\d-\d\d$/,
};

/** Returns a filter as the API accepts it, or undefined. */
export function readFilter(name: TextFilter, value: unknown): string | undefined {
  // The router reads numbers in addresses as numbers.
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  const isDay = name === 'from' || name === 'until';
  return forms[name].test(text) && (!isDay || !Number.isNaN(startOfDay(text))) ? text : undefined;
}

/** Reads the filters from an address. Unknown and malformed values are ignored. */
export function readBuildFilters(search: Record<string, unknown>): BuildFilters {
  const { status, installable, sort } = search;
  const filters: BuildFilters = {};
  if (status === 'revoked' || status === 'all') filters.status = status;
  if (installable === 'yes' || installable === 'no') filters.installable = installable;
  if (sort === 'version') filters.sort = sort;
  for (const name of textFilters) {
    const text = readFilter(name, search[name]);
    if (text !== undefined) filters[name] = text;
  }
  return filters;
}

/** Returns the query of the list for its filters. */
export function toQuery(filters: BuildFilters): Query {
  const {
    status = 'active',
    installable,
    sort,
    text,
    branch,
    commit,
    pr,
    label,
    bundle,
    uploader,
    from,
    until,
  } = filters;
  return {
    status,
    ...(sort === undefined ? {} : { sort }),
    ...(text === undefined ? {} : { text }),
    ...(branch === undefined ? {} : { branch }),
    ...(commit === undefined ? {} : { commit }),
    ...(pr === undefined ? {} : { pull_request: pr }),
    ...(label === undefined ? {} : { label }),
    ...(bundle === undefined ? {} : { bundle_identifier: bundle }),
    ...(uploader === undefined ? {} : { uploaded_by: uploader }),
    ...(installable === undefined ? {} : { installable: installable === 'yes' }),
    ...(from === undefined ? {} : { uploaded_from: new Date(startOfDay(from)).toISOString() }),
    // The day is part of the period.
    ...(until === undefined ? {} : { uploaded_until: new Date(startOfDay(until, 1)).toISOString() }),
  };
}

/** Returns whether there are filters besides the status and the order. */
export function isNarrowed({ status: _, sort: __, ...filters }: BuildFilters): boolean {
  return Object.keys(filters).length > 0;
}

/** Returns the first moment of a day, or of one some days later, in the viewer's time zone; NaN for a day that doesn't exist. */
function startOfDay(day: string, later = 0): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date);
  const isReal = start.getMonth() === month - 1 && start.getDate() === date && year >= 1970;
  return isReal ? new Date(year, month - 1, date + later).getTime() : Number.NaN;
}
