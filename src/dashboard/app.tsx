// The root component: providers for the theme, texts, API and router.

import { MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useState } from 'react';
import type { Client } from './api/client.ts';
import { ApiProvider } from './api/hooks.ts';
import type { AppRouter } from './router.tsx';
import { AppStatusContext } from './shell/app-status.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { preloadLazyParts, Toasts, useIsIdle } from './shell/lazy-components.tsx';
import type { Reachability } from './shell/reachability.ts';
import { type ServerInfo, ServerInfoProvider } from './shell/server-info.ts';
import type { SessionStatus } from './shell/session-status.ts';
import { loadAllTexts } from './texts/loading.ts';
import { type Locale, LocaleProvider } from './texts/locale.ts';
import { saveLanguage } from './texts/stored-language.ts';
import { theme } from './theme.ts';

type InitialLocale = Pick<Locale, 'language' | 'texts'>;

interface AppProps {
  client: Client;
  serverInfo: ServerInfo;
  queries: QueryClient;
  reachability: Reachability;
  sessionStatus: SessionStatus;
  router: AppRouter;
  /** The locale at the start; users can change it. */
  initialLocale: InitialLocale;
}

export function App({ client, serverInfo, queries, reachability, sessionStatus, router, initialLocale }: AppProps) {
  const [current, setCurrent] = useState(initialLocale);
  const locale = useMemo<Locale>(
    () => ({
      ...current,
      setLanguage(language) {
        saveLanguage(language);
        void loadAllTexts(language).then((texts) => setCurrent({ language, texts }));
      },
    }),
    [current],
  );
  useEffect(() => {
    document.documentElement.lang = locale.language;
  }, [locale.language]);
  const localizedTheme = useMemo(() => {
    const closeButtonProps = { 'aria-label': locale.texts.common.close };
    const visibilityToggleButtonProps = { 'aria-label': locale.texts.common.showPassword };
    return mergeThemeOverrides(theme, {
      components: {
        // Set by component name, so that these components can load later.
        Modal: { defaultProps: { closeButtonProps } },
        Drawer: { defaultProps: { closeButtonProps } },
        PasswordInput: { defaultProps: { visibilityToggleButtonProps } },
      },
    });
  }, [locale.texts]);
  const isIdle = useIsIdle();
  useEffect(() => void preloadLazyParts(), []);
  const appStatus = useMemo(() => ({ reachability, session: sessionStatus }), [reachability, sessionStatus]);
  return (
    <MantineProvider
      theme={localizedTheme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <LocaleProvider value={locale}>
        <ErrorBoundary>
          <ServerInfoProvider value={serverInfo}>
            <ApiProvider value={client}>
              <QueryClientProvider client={queries}>
                <AppStatusContext.Provider value={appStatus}>
                  <RouterProvider router={router} />
                  {isIdle && (
                    <Suspense>
                      <Toasts />
                    </Suspense>
                  )}
                </AppStatusContext.Provider>
              </QueryClientProvider>
            </ApiProvider>
          </ServerInfoProvider>
        </ErrorBoundary>
      </LocaleProvider>
    </MantineProvider>
  );
}
