// Responses prefetched before the app was loaded. Each is used once, and none after a change.
import type { QueryClient } from '@tanstack/react-query';
import { apiUrl, type Query } from './api-url.ts';

export type PrefetchedResponses = Map<string, Promise<Response>>;
type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** The options of GET requests, shared so that prefetched requests equal those of the client. */
export const getRequest = { credentials: 'same-origin', headers: { accept: 'application/json' } } as const;

interface PrefetchedRead {
  path: string;
  query: Query;
  /** A short list, read as one page; see `useReadAll`. */
  isList?: boolean;
}

/** Returns what the page at a path reads first, as far as it is known in advance. */
function prefetchReads(path: string, organizationId: string | null): PrefetchedRead[] {
  const [, projectId] = /^\/projects\/([\w-]+)/.exec(path) ?? [];
  const organization = { organization_id: organizationId ?? undefined };
  const isHome = path === '/' && organizationId !== null;
  return [
    { path: '/developers/me', query: {} },
    { path: '/organizations', query: {} },
    ...(isHome
      ? [
          { path: '/projects/overview', query: organization, isList: true },
          { path: '/projects/activity', query: organization, isList: true },
          { path: '/releases/recent', query: { ...organization, limit: 20 } },
          { path: `/organizations/${organizationId}/attention`, query: {} },
        ]
      : []),
    ...(projectId === undefined ? [] : [{ path: `/projects/${projectId}`, query: {} }]),
  ];
}

const toUrl = (base: string, { path, query, isList = false }: PrefetchedRead) =>
  apiUrl(base, path, isList ? { ...query, limit: 1000 } : query);

/** Returns the URLs of `prefetchReads`. */
export function prefetchUrls(base: string, path: string, organizationId: string | null): string[] {
  return prefetchReads(path, organizationId).map((read) => toUrl(base, read));
}

/**
 * Puts prefetched responses into the cache of queries, so that the first rendering is complete. Resolves after
 * `patienceMs` at the latest; `withPrefetched` uses the responses that arrive later, and those that are errors.
 */
export async function seedQueries(
  queries: QueryClient,
  answers: PrefetchedResponses,
  { base, path, organizationId, patienceMs }: SeedOptions,
): Promise<void> {
  let isLate = false;
  const seed = async (read: PrefetchedRead): Promise<void> => {
    const address = toUrl(base, read);
    const answer = (await answers.get(address))?.clone();
    if (answer === undefined || !answer.ok) return;
    const data = await answer.json();
    const isWhole = read.isList !== true || data.next_cursor === null;
    if (isLate || !isWhole || !answers.delete(address)) return;
    if (read.isList === true) queries.setQueryData([read.path, read.query, 'all'], data.items);
    else queries.setQueryData([read.path, read.query], data);
  };
  const seedAll = async () => Promise.allSettled(prefetchReads(path, await organizationId).map(seed));
  await Promise.race([seedAll(), new Promise((resolve) => setTimeout(resolve, patienceMs))]);
  isLate = true;
}

interface SeedOptions {
  base: string;
  path: string;
  organizationId: Promise<string | null>;
  patienceMs: number;
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
