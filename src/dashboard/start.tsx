// Creates the objects that exist once, and renders the app.
import { QueryClient } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { createClient } from './api/client.ts';
import { retryDelay, shouldRetry } from './api/hooks.ts';
import { withPrefetched } from './api/prefetched.ts';
import { createSessionMemory } from './api/session.ts';
import { createTabLock } from './api/tab-lock.ts';
import { App } from './app.tsx';
import { createAppRouter } from './router.tsx';
import { createReachability } from './shell/reachability.ts';
import { readServerInfo } from './shell/server-info.ts';
import { createSessionStatus } from './shell/session-status.ts';
import { textLoaders } from './texts/loaders.ts';
import { chooseLanguage } from './texts/stored-language.ts';
import { preventFileNavigation } from './upload/file-drop.ts';

const ASSUMED_LIFETIME_MS = 300_000;

/** Renders the app into the document. */
export async function start(): Promise<void> {
  preventFileNavigation();
  const serverInfo = readServerInfo();
  const session = createSessionMemory(() => localStorage);
  const reachability = createReachability(serverInfo.base);
  const sessionStatus = createSessionStatus();
  // Single sign-on sets cookies that scripts can't read, so the expiry is a guess until the first 401.
  if (serverInfo.hasSession && session.read() === undefined) session.write(Date.now() + ASSUMED_LIFETIME_MS);
  const client = createClient({
    base: serverInfo.base,
    fetch: withPrefetched(globalThis.taxiwayPrefetched ?? new Map(), (address, init) => fetch(address, init)),
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
  const queries = new QueryClient({
    defaultOptions: {
      queries: { retry: shouldRetry, retryDelay: retryDelay, staleTime: 10_000, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
  const language = chooseLanguage();
  const texts = await textLoaders[language]();
  const root = document.getElementById('app');
  if (root === null) throw new Error('The document has no place for the app');
  createRoot(root).render(
    <App
      client={client}
      serverInfo={serverInfo}
      queries={queries}
      reachability={reachability}
      sessionStatus={sessionStatus}
      router={createAppRouter(serverInfo.base)}
      initialLocale={{ language, texts }}
    />,
  );
}
