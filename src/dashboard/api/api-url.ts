// URLs of the API. Prefetched responses are found by URL, so all code must build them in the same way.
export type Query = Record<string, string | number | boolean | undefined>;

/** Returns the URL of a path under /api/v1. Undefined query values are left out. `base` is usually ''. */
export function apiUrl(base: string, path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${base}/api/v1${path}${search === '' ? '' : `?${search}`}`;
}

/**
 * Returns whether a path has no dot segments, empty segments or separators. Ids come from page addresses and thus from
 * links that anyone can write: an id such as `../developers/me` would read or change another resource.
 */
export function isSafePath(path: string): boolean {
  return /^(?:\/(?!(?:\.|%2e){1,2}(?:\/|$))[^/\\?#\s]+)+$/i.test(path);
}
