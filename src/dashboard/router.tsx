// The routes, one line for each page. Pages are loaded when they are first opened.
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { ApiError } from './api/errors.ts';
import { ErrorPage } from './components/errors.tsx';
import { readAuditSearch } from './pages/audit/search.ts';
import { readComparison } from './pages/build-comparison/search.ts';
import { readBuildFilters } from './pages/builds/filters.ts';
import { readExpiringSearch } from './pages/expiring/search.ts';
import { readFeedbackFilters } from './pages/feedback/filters.ts';
import { Page as HomePage } from './pages/home/page.tsx';
import { AuthLayout } from './shell/auth-layout.tsx';
import { Shell } from './shell/shell.tsx';
import { withTexts } from './texts/loading.ts';

type Load = () => Promise<{ Page: ComponentType }>;

const root = createRootRoute({ component: Outlet });
const entry = createRoute({ getParentRoute: () => root, id: 'entry', component: AuthLayout });
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

/** Returns what creates the pages below a route. `readSearch` reads the filters of a page from the address. */
function pagesOf<Parent extends AnyRoute>(parent: Parent) {
  return <const Path extends string, Search extends object = object>(
    path: Path,
    load: Load,
    readSearch: (search: Record<string, unknown>) => Search = (search) => search as Search,
  ) => {
    const component = lazyRouteComponent(withTexts(load), 'Page');
    return createRoute({ getParentRoute: () => parent, path, validateSearch: readSearch, component });
  };
}

const project = createRoute({
  getParentRoute: () => shell,
  path: '/projects/$projectId',
  component: lazyRouteComponent(
    withTexts(() => import('./pages/project/layout.tsx')),
    'ProjectLayout',
  ),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(
    withTexts(() => import('./pages/settings/layout.tsx')),
    'SettingsLayout',
  ),
});

/** Doesn't require signing in; all others do. */
const entryPage = pagesOf(entry);
const page = pagesOf(shell);
const projectPage = pagesOf(project);
const settingsPage = pagesOf(settings);

const routes = root.addChildren([
  entry.addChildren([
    entryPage('/setup/$token', () => import('./pages/setup/page.tsx')),
    entryPage('/sign-in', () => import('./pages/sign-in/page.tsx')),
    entryPage('/sign-in/email', () => import('./pages/sign-in-email/page.tsx')),
    entryPage('/sign-up', () => import('./pages/sign-up/page.tsx')),
    entryPage('/verify', () => import('./pages/verify/page.tsx')),
    entryPage('/reset', () => import('./pages/reset/page.tsx')),
    entryPage('/invite/$kind/$token', () => import('./pages/invitation/page.tsx')),
    entryPage('/testers/invites/$token', () => import('./pages/tester-invitation/page.tsx')),
  ]),
  shell.addChildren([
    // Bundled with the app, because most visits start here.
    createRoute({ getParentRoute: () => shell, path: '/', component: HomePage }),
    createRoute({
      getParentRoute: () => shell,
      path: '/projects',
      beforeLoad: () => redirect({ to: '/', throw: true }),
    }),
    page('/devices', () => import('./pages/devices/page.tsx')),
    page('/testers', () => import('./pages/testers/page.tsx')),
    page('/groups', () => import('./pages/groups/page.tsx')),
    page('/stores', () => import('./pages/stores/page.tsx')),
    page('/webhooks', () => import('./pages/webhooks/page.tsx')),
    page('/webhooks/$webhookId', () => import('./pages/webhook/page.tsx')),
    page('/audit', () => import('./pages/audit/page.tsx'), readAuditSearch),
    page('/expiring', () => import('./pages/expiring/page.tsx'), readExpiringSearch),
    page('/billing', () => import('./pages/billing/page.tsx')),
    page('/members', () => import('./pages/members/page.tsx')),
    page('/system', () => import('./pages/system/page.tsx')),
    page('/me', () => import('./pages/me/page.tsx')),
    page('/me/passkey', () => import('./pages/me-passkey/page.tsx')),
    page('/my-apps', () => import('./pages/my-apps/page.tsx')),
    settings.addChildren([
      settingsPage('/', () => import('./pages/settings/page.tsx')),
      settingsPage('/security', () => import('./pages/settings-security/page.tsx')),
      settingsPage('/storage', () => import('./pages/settings-storage/page.tsx')),
      settingsPage('/sso', () => import('./pages/settings-sso/page.tsx')),
    ]),
    project.addChildren([
      projectPage('/', () => import('./pages/project/page.tsx')),
      projectPage('/builds', () => import('./pages/builds/page.tsx'), readBuildFilters),
      projectPage('/builds/$buildId', () => import('./pages/build/page.tsx')),
      projectPage('/builds/$buildId/compare', () => import('./pages/build-comparison/page.tsx'), readComparison),
      projectPage('/channels/$channelId', () => import('./pages/channel/page.tsx')),
      projectPage('/channels/$channelId/testers', () => import('./pages/channel-testers/page.tsx')),
      projectPage('/feedback', () => import('./pages/feedback/page.tsx'), readFeedbackFilters),
      projectPage('/testers', () => import('./pages/project-testers/page.tsx')),
      projectPage('/sdk', () => import('./pages/sdk/page.tsx')),
      projectPage('/sdk/$sdkAppId', () => import('./pages/sdk-app/page.tsx')),
      projectPage('/tokens', () => import('./pages/tokens/page.tsx')),
      projectPage('/settings', () => import('./pages/project-settings/page.tsx')),
    ]),
    // All other addresses, so that the sidebar leads on.
    createRoute({ getParentRoute: () => shell, path: '$', component: NotFound }),
  ]),
]);

function NotFound() {
  return <ErrorPage error={new ApiError(404, undefined, new Headers())} />;
}

/**
 * Adds the base path if the server was reached without its proxy: the server accepts paths with and without it. Encodes
 * the percent signs of a path that can't be decoded, for which the router has no page at all.
 */
function enterAddress(base: string): void {
  const { pathname, search, hash } = location;
  const isInBase = pathname === base || pathname.startsWith(`${base}/`);
  const path = `${isInBase ? '' : base}${isDecodable(pathname) ? pathname : pathname.replaceAll('%', '%25')}`;
  if (path !== pathname) history.replaceState(null, '', `${path}${search}${hash}`);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Creates the router. `base` is the path that the server is under. */
export function createAppRouter(base: string) {
  enterAddress(base);
  return createRouter({
    routeTree: routes,
    basepath: base === '' ? '/' : base,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: ({ error }) => <ErrorPage error={error} onRetry={() => location.reload()} />,
  });
}

export type AppRouter = ReturnType<typeof createAppRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}
