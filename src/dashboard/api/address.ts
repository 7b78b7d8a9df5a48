// Addresses of the API, formed in one way: what was asked for early is found by them.
export type Query = Record<string, string | number | boolean | undefined>;

/** The address of a path under /api/v1; what is undefined in the query is left out. `base` is '' mostly. */
export function toAddress(base: string, path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${base}/api/v1${path}${search === '' ? '' : `?${search}`}`;
}

/**
 * Whether a path leads where it says. Ids in addresses of pages are whatever somebody wrote into a link: one such as
 * `../developers/me` would ask, or change, something else than the page is about.
 */
export function isPlainPath(path: string): boolean {
  return /^(?:\/(?!(?:\.|%2e){1,2}(?:\/|$))[^/\\?#\s]+)+$/i.test(path);
}
