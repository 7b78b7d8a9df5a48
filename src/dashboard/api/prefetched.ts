// Responses prefetched before the app was loaded. Each is used once, and none after a change.
import { apiUrl } from './api-url.ts';

export type PrefetchedResponses = Map<string, Promise<Response>>;
type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** The options of GET requests, shared so that prefetched requests equal those of the client. */
export const getRequest = { credentials: 'same-origin', headers: { accept: 'application/json' } } as const;

/** Returns the URLs that the page at a path reads first, as far as they are known in advance. */
export function prefetchUrls(base: string, path: string, organizationId: string | null): string[] {
  const [, projectId] = /^\/projects\/([\w-]+)/.exec(path) ?? [];
  const isHome = path === '/' && organizationId !== null;
  const organization = { organization_id: organizationId ?? undefined };
  const all = { ...organization, limit: 1000 };
  return [
    apiUrl(base, '/developers/me'),
    apiUrl(base, '/organizations'),
    ...(isHome
      ? [
          apiUrl(base, '/projects/overview', all),
          apiUrl(base, '/projects/activity', all),
          apiUrl(base, '/releases/recent', { ...organization, limit: 20 }),
          apiUrl(base, `/organizations/${organizationId}/attention`),
        ]
      : []),
    ...(projectId === undefined ? [] : [apiUrl(base, `/projects/${projectId}`)]),
  ];
}

/** Wraps `fetch` so that prefetched responses are used first. */
export function withPrefetched(answers: PrefetchedResponses, fetchNow: Fetch): Fetch {
  return (address, init) => {
    const early = answers.get(address);
    if (init.method === 'GET') answers.delete(address);
    else answers.clear();
    return init.method === 'GET' && early !== undefined ? early : fetchNow(address, init);
  };
}
