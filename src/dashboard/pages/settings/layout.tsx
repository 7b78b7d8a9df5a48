// The layout of the organization's settings. Users who aren't admins see whom to ask.
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { PageHeader } from '../../components/page.tsx';
import { RoleErrorPage } from '../../components/role-error.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import type { Texts } from '../../texts/en.ts';
import { useTexts } from '../../texts/locale.ts';

/** Returns the tab of an address, such as `/settings/sso`. */
function tabOf(path: string): keyof Texts['settings']['tabs'] {
  return (['security', 'sso', 'storage'] as const).find((name) => path.endsWith(`/settings/${name}`)) ?? 'general';
}

export function SettingsLayout() {
  const t = useTexts().settings;
  const organization = useOrganization();
  const tab = useRouterState({ select: ({ location }) => tabOf(location.pathname) });
  if (!mayInOrganization(organization, 'organization.edit')) {
    return <RoleErrorPage title={t.adminsOnlyTitle} text={t.adminsOnlyText} />;
  }
  return (
    <>
      <PageHeader title={`${t.tabs[tab]} · ${t.title}`} heading={t.title} />
      <nav className="tw-project-bar" aria-label={t.title}>
        <Tabs>
          <Link to="/settings" activeOptions={{ exact: true }} className="tw-tab">
            {t.tabs.general}
          </Link>
          <Link to="/settings/security" className="tw-tab">
            {t.tabs.security}
          </Link>
          <Link to="/settings/sso" className="tw-tab">
            {t.tabs.sso}
          </Link>
          <Link to="/settings/storage" className="tw-tab">
            {t.tabs.storage}
          </Link>
        </Tabs>
      </nav>
      {/* The key discards input when another organization is selected. */}
      <div className="tw-settings">
        <div>
          <Outlet key={organization.identifier} />
        </div>
      </div>
    </>
  );
}
