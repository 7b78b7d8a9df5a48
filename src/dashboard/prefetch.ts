// Entry point of a small script that runs before the app: prefetches the data and code of the first page.

import { apiUrl } from './api/api-url.ts';
import { getRequest, type PrefetchedResponses, prefetchUrls } from './api/prefetched.ts';
import { createSessionMemory, RENEW_BEFORE_MS } from './api/session.ts';
import { readSelectedOrganization } from './shell/selected-organization.ts';
import { textLoaders } from './texts/loaders.ts';
import { chooseLanguage } from './texts/stored-language.ts';

declare global {
  var taxiwayPrefetched: PrefetchedResponses | undefined;
}

const pages: readonly [RegExp, () => Promise<unknown>][] = [
  [/^\/projects\/[^/]+/, () => import('./pages/project/layout.tsx')],
  [/^\/projects\/[^/]+\/?$/, () => import('./pages/project/page.tsx')],
];

/** On a first visit no organization is selected yet, so the home page of the first one is prefetched. */
async function prefetchFirstOrganization(base: string, prefetched: PrefetchedResponses): Promise<void> {
  const answer = (await prefetched.get(apiUrl(base, '/organizations')))?.clone();
  const organizations: unknown = answer?.ok ? await answer.json() : [];
  const first: unknown = Array.isArray(organizations) ? organizations[0]?.identifier : undefined;
  const addresses = prefetchUrls(base, '/', typeof first === 'string' ? first : null);
  const reads = addresses
    .filter((address) => !prefetched.has(address))
    .map((address) => [address, fetch(address, getRequest)] as const);
  for (const [address, read] of reads) prefetched.set(address, read);
  await Promise.all(reads.map(([, read]) => read));
}

function start(): void {
  const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="taxiway-${name}"]`)?.content ?? '';
  const base = read('base');
  const path = location.pathname.slice(base.length) || '/';
  const modules = pages.filter(([pattern]) => pattern.test(path)).map(([, load]) => load);
  const expiresAt = createSessionMemory(() => localStorage).read();
  const isExpired = expiresAt !== undefined && expiresAt - Date.now() < RENEW_BEFORE_MS;
  if (read('session') === 'yes' && (path === '/' || modules.length > 0) && !isExpired) {
    const organizationId = readSelectedOrganization();
    const addresses = prefetchUrls(base, path, organizationId);
    globalThis.taxiwayPrefetched = new Map(addresses.map((address) => [address, fetch(address, getRequest)]));
    if (path === '/' && organizationId === null)
      prefetchFirstOrganization(base, globalThis.taxiwayPrefetched).catch(() => undefined);
    // The app handles the failure when it awaits the response; this only prevents an unhandled rejection.
    for (const answer of globalThis.taxiwayPrefetched.values()) answer.catch(() => undefined);
  }
  // The app imports a module again if prefetching it failed.
  for (const load of [textLoaders[chooseLanguage()], ...modules]) load().catch(() => undefined);
}

start();
