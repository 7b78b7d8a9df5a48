// The frame of pages before anybody is signed in.
import { Alert, Anchor } from '@mantine/core';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useTexts } from '../texts/languages.ts';
import { Boundary } from './boundary.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { useFacts } from './facts.ts';
import { LanguageSwitch } from './language-switch.tsx';
import { Logo } from './logo.tsx';

/** One card in the middle. */
export function EntryFrame() {
  const t = useTexts().shell;
  const { base, origin } = useFacts();
  // The page that is drawn; the address is ahead of it while the next one loads.
  const path = useRouterState({ select: (state) => (state.resolvedLocation ?? state.location).pathname });
  return (
    <>
      <ConnectionBanner />
      <main className="tw-alone">
        <Logo />
        <div className="tw-alone-card">
          {origin !== '' && origin !== location.origin && (
            <Alert color="yellow" role="alert">
              {t.wrongAddress(origin)} <Anchor href={origin + location.pathname}>{origin}</Anchor>
            </Alert>
          )}
          <Boundary key={path}>
            <Outlet />
          </Boundary>
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
