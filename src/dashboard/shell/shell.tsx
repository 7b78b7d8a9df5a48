// The frame of the signed in: sidebar, banner, page. Who is not signed in goes to sign in and comes back.

import { ActionIcon, Alert, Burger, Button } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useState } from 'react';
import type { TesterOrganization } from '../../testers/view/schema.ts';
import { type Page, useApi, useChange, useRead } from '../api/api-context.ts';
import { isSignedOut } from '../api/errors.ts';
import { isSessionEvent } from '../api/session.ts';
import { useMailTexts } from '../parts/mail-texts.ts';
import { Empty, Loading } from '../parts/page.tsx';
import { ProblemPage } from '../parts/problem.tsx';
import { sayDone } from '../parts/toasts.ts';
import { useTexts } from '../texts/languages.ts';
import { UploadProvider, useUploadList } from '../upload/upload-context.tsx';
import { Boundary } from './boundary.tsx';
import { keepChosenOrganization, readChosenOrganization } from './chosen-organization.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { useHeadingFocus } from './heading-focus.ts';
import { MenuDrawer, NewOrganization, SessionEnd, UploadTray } from './lazy-parts.tsx';
import { Logo } from './logo.tsx';
import { useMe, useOrganizations, useVisit, type Visit, VisitContext } from './me.ts';
import { openPalette, Palette } from './palette.tsx';
import { Redirect } from './redirect.tsx';
import { useHasEnded } from './session-watch.ts';
import { Keys } from './shortcuts.tsx';
import { Sidebar } from './sidebar.tsx';
import { useWatches } from './watches.ts';

/** The frame. */
export function Shell() {
  const api = useApi();
  const location = useRouterState({ select: (state) => state.location });
  const [mayBeSignedIn, setMayBeSignedIn] = useState(() => api.mayBeSignedIn());
  const { session } = useWatches();
  const hasEnded = useHasEnded(session);
  const me = useMe(mayBeSignedIn);
  const organizations = useOrganizations(mayBeSignedIn);
  const [chosen, setChosen] = useState(readChosenOrganization);
  useEffect(() => {
    // Another tab signed out or in as somebody else.
    const listen = (event: StorageEvent) => {
      if (isSessionEvent(event) && !api.mayBeSignedIn()) setMayBeSignedIn(false);
    };
    addEventListener('storage', listen);
    return () => removeEventListener('storage', listen);
  }, [api]);
  const visit = useMemo<Visit | undefined>(() => {
    if (me.data === undefined || organizations.data === undefined) return undefined;
    return {
      me: me.data,
      organizations: organizations.data,
      organization:
        organizations.data.find(({ identifier }) => identifier === chosen) ?? organizations.data[0] ?? undefined,
      choose(organizationId) {
        setChosen(organizationId);
      },
    };
  }, [me.data, organizations.data, chosen]);
  const shown = visit?.organization?.identifier;
  useEffect(() => {
    if (shown !== undefined) keepChosenOrganization(shown);
  }, [shown]);

  const isOut = !mayBeSignedIn || (visit === undefined && (isSignedOut(me.error) || hasEnded));
  if (isOut) return <Redirect href={`/sign-in?back=${encodeURIComponent(location.href)}`} />;
  if (visit === undefined) {
    const error = me.error ?? organizations.error;
    return (
      <>
        <ConnectionBanner />
        <main className="tw-main">
          {error === null ? (
            <Loading />
          ) : (
            <ProblemPage error={error} onRetry={() => void Promise.all([me.refetch(), organizations.refetch()])} />
          )}
        </main>
      </>
    );
  }
  return (
    <VisitContext.Provider value={visit}>
      <UploadProvider>
        <Frame />
      </UploadProvider>
    </VisitContext.Provider>
  );
}

/** Pages that need no organization. */
const personalPages: readonly string[] = ['/me', '/my-apps', '/system'];

function Frame() {
  const t = useTexts().shell;
  const { organization } = useVisit();
  // The page that is drawn; the address is ahead of it while the next one loads.
  const path = useRouterState({ select: (state) => (state.resolvedLocation ?? state.location).pathname });
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [wasMenuOpen, setWasMenuOpen] = useState(false);
  const isUploading = useUploadList().length > 0;
  const hasEnded = useHasEnded(useWatches().session);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes with each change of the page
  useEffect(() => setMenuOpen(false), [path]);
  useHeadingFocus(path);
  function openMenu(): void {
    setWasMenuOpen(true);
    setMenuOpen(true);
  }
  return (
    <>
      <a href="#content" className="tw-skip">
        {t.skip}
      </a>
      <ConnectionBanner />
      <section className="tw-topbar" aria-label={t.topbar}>
        <Burger opened={isMenuOpen} onClick={openMenu} size="sm" aria-label={t.menu} />
        <Logo />
        <ActionIcon variant="subtle" color="gray" size={40} aria-label={t.search} onClick={openPalette}>
          <IconSearch size={20} aria-hidden />
        </ActionIcon>
      </section>
      <div className="tw-shell">
        <Sidebar />
        <main className="tw-main" id="content" tabIndex={-1}>
          <div className="tw-content">
            <Unverified />
            <Boundary key={path}>
              {organization === undefined && !personalPages.includes(path) ? <NoOrganization /> : <Outlet />}
            </Boundary>
          </div>
        </main>
      </div>
      <Palette />
      <Keys />
      <Suspense>
        {wasMenuOpen && (
          <MenuDrawer isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
            <Sidebar />
          </MenuDrawer>
        )}
        {isUploading && <UploadTray />}
        {hasEnded && <SessionEnd />}
      </Suspense>
    </>
  );
}

function Unverified() {
  const t = useTexts().shell;
  const say = useMailTexts();
  const { me } = useVisit();
  const resend = useChange(
    (api) => api.send('POST', '/developers/resend_verification', { body: { email: me.email }, isAnonymous: true }),
    [],
  );
  if (me.email_verified) return null;
  return (
    <Alert color="yellow">
      {say(t.unverified)(me.email)}{' '}
      <Button
        size="compact-sm"
        variant="default"
        loading={resend.isPending}
        onClick={() => resend.mutate(undefined, { onSuccess: () => sayDone(say(t.resent)) })}
      >
        {say(t.resend)}
      </Button>
    </Alert>
  );
}

/** Who tests only is led to what there is to test. */
function NoOrganization() {
  const t = useTexts().shell;
  const tested = useRead<Page<TesterOrganization>>('/testers/me/organizations', { query: { limit: 1 } });
  if (tested.isPending) return <Loading />;
  if (tested.data !== undefined && tested.data.items.length > 0) return <Redirect href="/my-apps" />;
  return (
    <Empty
      isAlone
      title={t.noOrganization}
      text={t.noOrganizationText}
      action={
        <Suspense>
          <NewOrganization />
        </Suspense>
      }
    />
  );
}
