// Entry point of a small script that runs before the app: prefetches the data and code of the first page, and sets the
// theme.

import { apiUrl } from './api/api-url.ts';
import { getRequest, type PrefetchedResponses, prefetchUrls } from './api/prefetched.ts';
import { createSessionMemory, RENEW_BEFORE_MS } from './api/session.ts';
import { readSelectedOrganization } from './shell/selected-organization.ts';
import { textLoaders } from './texts/loaders.ts';
import { chooseLanguage } from './texts/stored-language.ts';

declare global {
  var taxiwayPrefetched: PrefetchedResponses | undefined;
  /** The id of the first organization, if no organization is selected yet; null if there is none. */
  var taxiwayFirstOrganization: Promise<string | null> | undefined;
}

const pages: readonly [RegExp, () => Promise<unknown>][] = [
  [/^\/projects\/[^/]+/, () => import('./pages/project/layout.tsx')],
  [/^\/projects\/[^/]+\/?$/, () => import('./pages/project/page.tsx')],
];

/** On a first visit no organization is selected yet, so the home page of the first one is prefetched. */
async function prefetchFirstOrganization(base: string, prefetched: PrefetchedResponses): Promise<string | null> {
  const answer = (await prefetched.get(apiUrl(base, '/organizations')))?.clone();
  const organizations: unknown = answer?.ok ? await answer.json() : [];
  const first: unknown = Array.isArray(organizations) ? organizations[0]?.identifier : undefined;
  if (typeof first !== 'string') return null;
  for (const address of prefetchUrls(base, '/', first)) {
    if (!prefetched.has(address)) prefetch(prefetched, address);
  }
  return first;
}

function prefetch(prefetched: PrefetchedResponses, address: string): void {
  const answer = fetch(address, getRequest);
  prefetched.set(address, answer);
  // The app handles the failure when it awaits the response; this only prevents an unhandled rejection.
  answer.catch(() => undefined);
}

/** Sets the theme before anything is painted. The component library stores the choice under this key. */
function applyTheme(): void {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Without storage, the theme is that of the system.
  }
  const isDark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
}

/**
 * Shows the message of the document that the app can't start: a script doesn't load, or is too new for the browser. The frame that waits
 * for the app would stay otherwise. The app replaces the message if it starts nevertheless.
 */
function reportFailedStart(): void {
  const show = ({ target }: Event): void => {
    const app = document.getElementById('app');
    // Images and fonts may be missing.
    const isScript = target === globalThis || target instanceof HTMLScriptElement;
    if (!isScript || app === null || app.hasChildNodes()) return;
    const message = document.querySelector<HTMLTemplateElement>(`template[lang=${chooseLanguage()}]`);
    if (message !== null) app.append(message.content);
  };
  addEventListener('error', show, true);
  addEventListener('unhandledrejection', show);
}

function start(): void {
  applyTheme();
  reportFailedStart();
  const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="taxiway-${name}"]`)?.content ?? '';
  const base = read('base');
  const path = location.pathname.slice(base.length) || '/';
  const modules = pages.filter(([pattern]) => pattern.test(path)).map(([, load]) => load);
  const expiresAt = createSessionMemory(() => localStorage).read();
  const isExpired = expiresAt !== undefined && expiresAt - Date.now() < RENEW_BEFORE_MS;
  if (read('session') === 'yes' && (path === '/' || modules.length > 0) && !isExpired) {
    const organizationId = readSelectedOrganization();
    const prefetched: PrefetchedResponses = new Map();
    globalThis.taxiwayPrefetched = prefetched;
    for (const address of prefetchUrls(base, path, organizationId)) prefetch(prefetched, address);
    if (path === '/' && organizationId === null) {
      globalThis.taxiwayFirstOrganization = prefetchFirstOrganization(base, prefetched).catch(() => null);
    }
  }
  // The app imports a module again if prefetching it failed.
  const texts = textLoaders[chooseLanguage()];
  const parts = modules.length === 0 ? [texts.initial] : [texts.initial, texts.lazy, ...modules];
  for (const load of parts) load().catch(() => undefined);
}

start();
