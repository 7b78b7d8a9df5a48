// Everything that surrounds the pages: theme, texts, the API, the router.
import { Drawer, MantineProvider, Modal, mergeThemeOverrides, Notification } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { ApiProvider } from './api/api-context.ts';
import type { Client } from './api/client.ts';
import type { AppRouter } from './router.tsx';
import { Boundary } from './shell/boundary.tsx';
import { type Facts, FactsProvider } from './shell/facts.ts';
import type { Reachability } from './shell/reachability.ts';
import type { SessionWatch } from './shell/session-watch.ts';
import { Watches } from './shell/watches.ts';
import { keepLanguage, loadTexts, type Speech, SpeechProvider } from './texts/languages.ts';
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
        Modal: Modal.extend({ defaultProps: { closeButtonProps } }),
        Drawer: Drawer.extend({ defaultProps: { closeButtonProps } }),
        Notification: Notification.extend({ defaultProps: { closeButtonProps } }),
      },
    });
  }, [speech.texts]);
  const watches = useMemo(() => ({ reachability, session: watch }), [reachability, watch]);
  return (
    <MantineProvider theme={spoken} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <SpeechProvider value={whole}>
        <Boundary>
          <FactsProvider value={facts}>
            <ApiProvider value={client}>
              <QueryClientProvider client={queries}>
                <Watches.Provider value={watches}>
                  <Notifications position="bottom-right" limit={4} />
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
