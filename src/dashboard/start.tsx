// Creates the objects that exist once, and renders the app.
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { createClient } from './api/client.ts';
import { isReadOnMount, readRolesAfter, retryDelay, shouldRetry } from './api/hooks.ts';
import { seedQueries, withPrefetched } from './api/prefetched.ts';
import { createSessionMemory } from './api/session.ts';
import { createTabLock } from './api/tab-lock.ts';
import { App } from './app.tsx';
import { returnFocusToButtons } from './components/button-focus.ts';
import { listenForEscape } from './components/dialog-keys.ts';
import { listenForSubmitKeys } from './components/submit-keys.tsx';
import { createAppRouter } from './router.tsx';
import { createReachability } from './shell/reachability.ts';
import { readSelectedOrganization } from './shell/selected-organization.ts';
import { readServerInfo } from './shell/server-info.ts';
import { createSessionStatus } from './shell/session-status.ts';
import { loadInitialTexts } from './texts/loading.ts';
import { chooseLanguage } from './texts/stored-language.ts';
import { preventFileNavigation } from './upload/file-drop.ts';

const ASSUMED_LIFETIME_MS = 300_000;

/** How long the first rendering waits for data that was requested before. Until then the frame is visible. */
const SEED_PATIENCE_MS = 200;

/** Renders the app into the document. */
export async function start(): Promise<void> {
  preventFileNavigation();
  listenForSubmitKeys();
  listenForEscape();
  returnFocusToButtons();
  const serverInfo = readServerInfo();
  const session = createSessionMemory(() => localStorage);
  const reachability = createReachability(serverInfo.base);
  const sessionStatus = createSessionStatus();
  // Single sign-on sets cookies that scripts can't read, so the expiry is a guess until the first 401.
  if (serverInfo.hasSession && session.read() === undefined) session.write(Date.now() + ASSUMED_LIFETIME_MS);
  const prefetched = globalThis.taxiwayPrefetched ?? new Map();
  const client = createClient({
    base: serverInfo.base,
    fetch: withPrefetched(prefetched, (address, init) => fetch(address, init)),
    session,
    exclusive: createTabLock(navigator.locks, {
      memory: localStorage,
      now: () => Date.now(),
      pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      name: () => String(Math.random()),
    }),
    now: () => Date.now(),
    onReached: reachability.note,
    onSessionEnd: sessionStatus.markExpired,
  });
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => readRolesAfter(error, queries) }),
    defaultOptions: {
      queries: {
        retry: shouldRetry,
        retryDelay: retryDelay,
        retryOnMount: isReadOnMount,
        staleTime: 10_000,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
  const language = chooseLanguage();
  const router = createAppRouter(serverInfo.base);
  const [texts] = await Promise.all([
    loadInitialTexts(language),
    seedQueries(queries, prefetched, {
      base: serverInfo.base,
      path: location.pathname.slice(serverInfo.base.length) || '/',
      organizationId: Promise.resolve(readSelectedOrganization() ?? globalThis.taxiwayFirstOrganization ?? null),
      patienceMs: SEED_PATIENCE_MS,
    }),
  ]);
  const root = document.getElementById('app');
  if (root === null) throw new Error('The document has no place for the app');
  createRoot(root).render(
    <App
      client={client}
      serverInfo={serverInfo}
      queries={queries}
      reachability={reachability}
      sessionStatus={sessionStatus}
      router={router}
      initialLocale={{ language, texts }}
    />,
  );
}
