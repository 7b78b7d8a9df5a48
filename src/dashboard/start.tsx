// Everything that is made once, and the first rendering.
import { QueryClient } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { retryPause, shouldRetry } from './api/api-context.ts';
import { createClient } from './api/client.ts';
import { withEarlyAnswers } from './api/early-answers.ts';
import { createExclusive } from './api/exclusive.ts';
import { createSessionMemory } from './api/session.ts';
import { App } from './app.tsx';
import { createAppRouter } from './router.tsx';
import { readFacts } from './shell/facts.ts';
import { createReachability } from './shell/reachability.ts';
import { createSessionWatch } from './shell/session-watch.ts';
import { chooseLanguage } from './texts/chosen-language.ts';
import { loadTexts } from './texts/languages.ts';
import { keepDroppedFilesOut } from './upload/file-drop.ts';

const ASSUMED_MS = 300_000;

/** Starts the app in its document. */
export async function start(): Promise<void> {
  keepDroppedFilesOut();
  const facts = readFacts();
  const session = createSessionMemory(() => localStorage);
  const reachability = createReachability(facts.base);
  const watch = createSessionWatch();
  // Single sign-on sets cookies that no script sees; how long they last shows at the first refusal.
  if (facts.hasSession && session.read() === undefined) session.write(Date.now() + ASSUMED_MS);
  const client = createClient({
    base: facts.base,
    fetch: withEarlyAnswers(globalThis.taxiwayEarly ?? new Map(), (address, init) => fetch(address, init)),
    session,
    exclusive: createExclusive(navigator.locks, {
      memory: localStorage,
      now: () => Date.now(),
      pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      name: () => String(Math.random()),
    }),
    now: () => Date.now(),
    onReached: reachability.note,
    onSessionEnd: watch.end,
  });
  const queries = new QueryClient({
    defaultOptions: {
      queries: { retry: shouldRetry, retryDelay: retryPause, staleTime: 10_000, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
  const language = chooseLanguage();
  const texts = await loadTexts(language);
  const root = document.getElementById('app');
  if (root === null) throw new Error('The document has no place for the app');
  createRoot(root).render(
    <App
      client={client}
      facts={facts}
      queries={queries}
      reachability={reachability}
      watch={watch}
      router={createAppRouter(facts.base)}
      speech={{ language, texts }}
    />,
  );
}
