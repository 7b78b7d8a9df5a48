// Everything that surrounds the pages: theme, texts, the API, the router.
import { MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { ApiProvider } from './api/api-context.ts';
import type { Client } from './api/client.ts';
import type { AppRouter } from './router.tsx';
import { Boundary } from './shell/boundary.tsx';
import { type Facts, FactsProvider } from './shell/facts.ts';
import { loadTheRest, Toasts, useIsRested } from './shell/lazy-parts.tsx';
import type { Reachability } from './shell/reachability.ts';
import type { SessionWatch } from './shell/session-watch.ts';
import { Watches } from './shell/watches.ts';
import { keepLanguage } from './texts/chosen-language.ts';
import { loadTexts, type Speech, SpeechProvider } from './texts/languages.ts';
import { theme } from './theme.ts';

interface AppProps {
  client: Client;
  facts: Facts;
  queries: QueryClient;
  reachability: Reachability;
  watch: SessionWatch;
  router: AppRouter;
  speech: Pick<Speech, 'language' | 'texts'>;
}

/** The whole app. */
export function App({ client, facts, queries, reachability, watch, router, speech: first }: AppProps) {
  const [speech, setSpeech] = useState(first);
  const whole = useMemo<Speech>(
    () => ({
      ...speech,
      setLanguage(language) {
        keepLanguage(language);
        void loadTexts(language).then((texts) => setSpeech({ language, texts }));
      },
    }),
    [speech],
  );
  useEffect(() => {
    document.documentElement.lang = speech.language;
  }, [speech.language]);
  const spoken = useMemo(() => {
    const closeButtonProps = { 'aria-label': speech.texts.common.close };
    return mergeThemeOverrides(theme, {
      components: {
        // By their names alone, so that they need not be there yet.
        Modal: { defaultProps: { closeButtonProps } },
        Drawer: { defaultProps: { closeButtonProps } },
        Notification: { defaultProps: { closeButtonProps } },
      },
    });
  }, [speech.texts]);
  const isRested = useIsRested();
  useEffect(() => void loadTheRest(), []);
  const watches = useMemo(() => ({ reachability, session: watch }), [reachability, watch]);
  return (
    <MantineProvider theme={spoken} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <SpeechProvider value={whole}>
        <Boundary>
          <FactsProvider value={facts}>
            <ApiProvider value={client}>
              <QueryClientProvider client={queries}>
                <Watches.Provider value={watches}>
                  {isRested && (
                    <Suspense>
                      <Toasts />
                    </Suspense>
                  )}
                  <RouterProvider router={router} />
                </Watches.Provider>
              </QueryClientProvider>
            </ApiProvider>
          </FactsProvider>
        </Boundary>
      </SpeechProvider>
    </MantineProvider>
  );
}
