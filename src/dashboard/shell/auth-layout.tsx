// The layout of pages that don't require signing in.
import { Alert, Anchor } from '@mantine/core';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useTexts } from '../texts/locale.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { LanguageSwitch } from './language-switch.tsx';
import { Logo } from './logo.tsx';
import { useServerInfo } from './server-info.ts';

/** Renders the page in a card at the center. */
export function AuthLayout() {
  const t = useTexts().shell;
  const { base, origin } = useServerInfo();
  // The path of the rendered page. The location changes earlier, while the next page is still loading.
  const path = useRouterState({ select: (state) => (state.resolvedLocation ?? state.location).pathname });
  return (
    <>
      <ConnectionBanner />
      <main className="tw-alone">
        <Logo />
        <div className="tw-alone-card">
          {origin !== '' && origin !== location.origin && (
            <Alert color="yellow" role="alert">
              {t.wrongAddress(origin)}{' '}
              <Anchor href={origin + location.pathname + location.search + location.hash}>{origin}</Anchor>
            </Alert>
          )}
          <ErrorBoundary key={path}>
            <Outlet />
          </ErrorBoundary>
        </div>
        <div className="tw-row">
          <LanguageSwitch />
          <Anchor href={`${base}/api/docs`} size="sm" className="tw-link">
            {t.apiReference}
          </Anchor>
        </div>
      </main>
    </>
  );
}
