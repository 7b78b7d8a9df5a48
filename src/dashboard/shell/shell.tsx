// The layout of signed-in pages: sidebar, banner and page. Redirects to sign-in and back if nobody is signed in.

import { ActionIcon, Alert, Button } from '@mantine/core';
import { IconLock, IconMenu2, IconSearch } from '@tabler/icons-react';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { Developer } from '../../accounts/schema.ts';
import type { Service } from '../../service/schema.ts';
import type { TesterOrganization } from '../../testers/view/schema.ts';
import { isSignedOut } from '../api/errors.ts';
import { type Page, useApi, useChange, useFailedReads, useRead } from '../api/hooks.ts';
import { isExpiryEvent, isSessionEvent } from '../api/session.ts';
import { useEmailText } from '../components/email-texts.ts';
import { ErrorAlert, ErrorPage } from '../components/errors.tsx';
import { EmptyState, Loading } from '../components/page.tsx';
import { showSuccess } from '../components/toasts.ts';
import { useTexts } from '../texts/locale.ts';
import { UploadProvider, useUploadList } from '../upload/upload-context.tsx';
import { useAppStatus } from './app-status.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import {
  type CurrentUser,
  CurrentUserContext,
  isUnverified,
  mayInOrganization,
  useCurrentUser,
  useMe,
  useOrganizations,
} from './current-user.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { useHeadingFocus } from './heading-focus.ts';
import {
  MenuDrawer,
  NewOrganization,
  PendingInvitations,
  SessionEnd,
  UnsavedInput,
  UploadTray,
  useIsIdle,
} from './lazy-components.tsx';
import { Logo } from './logo.tsx';
import { openPalette, Palette } from './palette.tsx';
import { Redirect } from './redirect.tsx';
import {
  clearSelectedOrganization,
  readSelectedOrganization,
  saveSelectedOrganization,
} from './selected-organization.ts';
import { useServerInfo } from './server-info.ts';
import { useIsSessionExpired } from './session-status.ts';
import { Shortcuts } from './shortcuts.tsx';
import { Sidebar } from './sidebar.tsx';

export function Shell() {
  const t = useTexts().common;
  const api = useApi();
  const location = useRouterState({ select: (state) => state.location });
  const [mayBeSignedIn, setMayBeSignedIn] = useState(() => api.mayBeSignedIn());
  const { session } = useAppStatus();
  const isExpired = useIsSessionExpired(session);
  const me = useMe(mayBeSignedIn);
  const organizations = useOrganizations(mayBeSignedIn);
  const [selected, setSelected] = useState(readSelectedOrganization);
  const isOther = useIsOther(me.data);
  const { refetch } = me;
  useEffect(() => {
    // Another tab signed out, renewed the session, found that it has expired, or signed in with another account.
    const listen = (event: StorageEvent) => {
      if (!isSessionEvent(event)) return;
      if (api.mayBeSignedIn()) void refetch();
      else if (isExpiryEvent(event)) session.markExpired();
      else setMayBeSignedIn(false);
    };
    addEventListener('storage', listen);
    return () => removeEventListener('storage', listen);
  }, [api, refetch, session]);
  const currentUser = useMemo<CurrentUser | undefined>(() => {
    if (isOther || me.data === undefined || organizations.data === undefined) return undefined;
    return {
      me: me.data,
      organizations: organizations.data,
      organization:
        organizations.data.find(({ identifier }) => identifier === selected) ?? organizations.data[0] ?? undefined,
      switchOrganization(organizationId) {
        setSelected(organizationId);
      },
    };
  }, [isOther, me.data, organizations.data, selected]);
  const selectedId = currentUser?.organization?.identifier;
  useEffect(() => {
    if (selectedId === undefined) return;
    const save = () => saveSelectedOrganization(selectedId);
    save();
    // Another tab may have saved another one, which a reload or a link that is opened in a new tab would select.
    addEventListener('focus', save);
    return () => removeEventListener('focus', save);
  }, [selectedId]);

  const isUnknown = currentUser === undefined && !isOther;
  const isSignedOutNow = !mayBeSignedIn || (isUnknown && (isSignedOut(me.error) || isExpired));
  if (isSignedOutNow) return <Redirect href={`/sign-in?back=${encodeURIComponent(location.href)}`} />;
  if (currentUser === undefined) {
    const error = me.error ?? organizations.error;
    return (
      <>
        <ConnectionBanner />
        {error === null ? (
          // The document's own frame stays visible: see `.tw-before`.
          <div className="tw-waiting" role="status">
            <span className="tw-offscreen">{t.loading}</span>
          </div>
        ) : (
          <main className="tw-main">
            <ErrorPage error={error} onRetry={() => void Promise.all([me.refetch(), organizations.refetch()])} />
          </main>
        )}
      </>
    );
  }
  return (
    <CurrentUserContext.Provider value={currentUser}>
      <UploadProvider>
        <Frame />
      </UploadProvider>
    </CurrentUserContext.Provider>
  );
}

/**
 * Returns whether the session is another person's than the one whose data is shown, because another tab signed in. The app is
 * then loaded again, so that nobody sees the other's data or acts on it.
 */
function useIsOther(me: Developer | undefined): boolean {
  const { base } = useServerInfo();
  const [shown, setShown] = useState(me?.identifier);
  if (shown === undefined && me !== undefined) setShown(me.identifier);
  const isOther = shown !== undefined && me !== undefined && me.identifier !== shown;
  useEffect(() => {
    if (!isOther) return;
    clearSelectedOrganization();
    location.assign(`${base}/`);
  }, [isOther, base]);
  return isOther;
}

/** Pages that work without an organization. */
const personalPages: readonly string[] = ['/me', '/me/passkey', '/my-apps', '/system'];

/** The first page of members, and that of testers. */
const firstPages: readonly string[] = ['/', '/my-apps'];

function Frame() {
  const t = useTexts().shell;
  const { organization } = useCurrentUser();
  // The path of the rendered page. The location changes earlier, while the next page is still loading.
  const path = useRouterState({ select: (state) => (state.resolvedLocation ?? state.location).pathname });
  const isStranger = organization === undefined && !personalPages.includes(path);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [wasMenuOpen, setWasMenuOpen] = useState(false);
  const isUploading = useUploadList().length > 0;
  const isIdle = useIsIdle();
  const isExpired = useIsSessionExpired(useAppStatus().session);
  const [wasExpired, setWasExpired] = useState(false);
  if (isExpired && !wasExpired) setWasExpired(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes
  useEffect(() => setMenuOpen(false), [path]);
  useHeadingFocus(path);
  useFailedReads(path);
  const opener = useRef<Element>(null);
  function openMenu(): void {
    opener.current = document.activeElement;
    setWasMenuOpen(true);
    setMenuOpen(true);
  }
  useEffect(() => {
    // Not by the drawer, because the button is in the inert part of the page while it is open.
    if (!isMenuOpen && opener.current instanceof HTMLElement) opener.current.focus();
  }, [isMenuOpen]);
  return (
    <>
      <a href="#content" className="tw-skip">
        {t.skip}
      </a>
      <ConnectionBanner />
      <section className="tw-topbar" aria-label={t.topbar}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={44}
          aria-label={t.menu}
          aria-expanded={isMenuOpen}
          aria-haspopup="dialog"
          onClick={openMenu}
        >
          <IconMenu2 size={20} stroke={1.75} aria-hidden />
        </ActionIcon>
        <Logo />
        <ActionIcon variant="subtle" color="gray" size={44} aria-label={t.search} onClick={openPalette}>
          <IconSearch size={20} stroke={1.75} aria-hidden />
        </ActionIcon>
      </section>
      <div className="tw-shell" inert={isMenuOpen}>
        <Sidebar onExpand={openMenu} />
        <main className="tw-main" id="content" tabIndex={-1}>
          <div className="tw-content">
            {!isStranger && <Unverified />}
            <Locked />
            {firstPages.includes(path) && (
              <Suspense>
                <PendingInvitations />
              </Suspense>
            )}
            <ErrorBoundary key={path}>{isStranger ? <NoOrganization /> : <Outlet />}</ErrorBoundary>
          </div>
        </main>
      </div>
      <Palette />
      <Shortcuts />
      <Suspense>{isIdle && <UnsavedInput />}</Suspense>
      <Suspense>
        {wasMenuOpen && (
          <MenuDrawer isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
            <Sidebar />
          </MenuDrawer>
        )}
        {isUploading && <UploadTray />}
        {wasExpired && <SessionEnd />}
      </Suspense>
    </>
  );
}

/** A notice above every page. */
function Unverified() {
  const t = useTexts().shell;
  const emailText = useEmailText();
  const { me } = useCurrentUser();
  const resend = useResendVerification();
  if (!isUnverified(me)) return null;
  return (
    <>
      <Alert color="yellow">
        {emailText(t.unverified)(me.email)} <ResendButton resend={resend} size="compact-sm" />
      </Alert>
      {resend.error !== null && <ErrorAlert error={resend.error} />}
    </>
  );
}

function useResendVerification() {
  const { me } = useCurrentUser();
  return useChange(
    (api, _: undefined) =>
      api.send('POST', '/developers/resend_verification', { body: { email: me.email }, isAnonymous: true }),
    [],
  );
}

function ResendButton({ resend, ...props }: { resend: ReturnType<typeof useResendVerification>; size?: string }) {
  const t = useTexts().shell;
  const emailText = useEmailText();
  return (
    <Button
      variant="default"
      {...props}
      loading={resend.isPending}
      onClick={() => resend.mutate(undefined, { onSuccess: () => showSuccess(emailText(t.resent)) })}
    >
      {emailText(t.resend)}
    </Button>
  );
}

/** What a locked organization rejects, and the way out. */
function Locked() {
  const t = useTexts().shell.locked;
  const { me, organization } = useCurrentUser();
  const { hasOnlinePayments, program } = useServerInfo();
  if (organization === undefined || organization.lock_reason === null) return null;
  if (!hasOnlinePayments) {
    return (
      <Alert color="red" icon={<IconLock size={18} />} title={t.offline[organization.lock_reason].title}>
        {t.offline[organization.lock_reason].text}
        {me.is_operator && (
          <>
            {' '}
            {t.unlock} <code>{`${program} organization unlock ${organization.identifier}`}</code>
          </>
        )}
      </Alert>
    );
  }
  const { title, text, action } = t.reasons[organization.lock_reason];
  return (
    <Alert color="red" icon={<IconLock size={18} />} title={title}>
      {text}{' '}
      {mayInOrganization(organization, 'billing.manage') ? (
        <Link to="/billing" className="tw-link">
          {action}
        </Link>
      ) : (
        t.askAdmin
      )}
    </Alert>
  );
}

/** Redirects testers without an organization to their apps. Access waits for people who haven't verified their address. */
function NoOrganization() {
  const t = useTexts().shell;
  const emailText = useEmailText();
  const { me } = useCurrentUser();
  const resend = useResendVerification();
  const tested = useRead<Page<TesterOrganization>>('/testers/me/organizations', { query: { limit: 1 } });
  const service = useRead<Service>('/service', { isAnonymous: true });
  if (tested.isPending || service.isPending) return <Loading />;
  if (tested.data === undefined) return <ErrorPage error={tested.error} onRetry={() => void tested.refetch()} />;
  if (tested.data.items.length > 0) return <Redirect href="/my-apps" />;
  if (isUnverified(me)) {
    return (
      <EmptyState
        isAlone
        title={t.verifyTitle}
        text={emailText(t.verifyText)(me.email)}
        action={
          <>
            <ResendButton resend={resend} />
            {resend.error !== null && <ErrorAlert error={resend.error} />}
          </>
        }
      />
    );
  }
  if (service.data?.features.new_organizations === false) {
    return <EmptyState isAlone title={t.noOrganization} text={t.noOrganizationInvited} />;
  }
  return (
    <EmptyState
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
