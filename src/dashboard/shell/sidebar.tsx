// The sidebar: the selected organization, its pages, and the account.
import { Kbd, UnstyledButton } from '@mantine/core';
import {
  IconApps,
  IconCertificate,
  IconDeviceMobile,
  IconDownload,
  IconHistory,
  IconLogout,
  IconSearch,
  IconServer,
  IconSettings,
  IconTestPipe,
  IconUser,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useApi, useChange } from '../api/hooks.ts';
import { useTexts } from '../texts/locale.ts';
import { mayInOrganization, mePath, useCurrentUser } from './current-user.ts';
import { LanguageSwitch } from './language-switch.tsx';
import { OrganizationMenu } from './lazy-components.tsx';
import { Logo } from './logo.tsx';
import { OrganizationButton } from './organization-button.tsx';
import { openPalette } from './palette.tsx';
import { useServerInfo } from './server-info.ts';

export function Sidebar() {
  const texts = useTexts();
  const t = texts.shell;
  const api = useApi();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { base } = useServerInfo();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { me, organization } = useCurrentUser();
  const keepLanguage = useChange(
    (client, locale: string) => client.send('PATCH', `/developers/${me.identifier}`, { body: { locale } }),
    [mePath],
  );
  async function signOut(): Promise<void> {
    // Pending reads would fail once the session has ended.
    await queries.cancelQueries();
    await api.signOut();
    await navigate({ to: '/sign-in', replace: true });
    // Only inactive queries, so that those of the sign-in page continue.
    queries.removeQueries({ type: 'inactive' });
  }
  return (
    <aside className="tw-sidebar" aria-label={t.sidebar}>
      <Logo />
      <OrganizationSwitch />
      <UnstyledButton className="tw-search" onClick={openPalette}>
        <IconSearch size={16} aria-hidden />
        {t.search}
        <Kbd size="xs">{/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</Kbd>
      </UnstyledButton>
      <nav className="tw-nav" aria-label={t.mainNavigation}>
        {organization !== undefined && (
          <Link
            to="/"
            className="tw-nav-item"
            activeOptions={{ exact: true }}
            {...(path.startsWith('/projects/') ? { 'data-inside': true } : {})}
          >
            <IconApps size={18} aria-hidden />
            {t.nav.projects}
          </Link>
        )}
        {organization !== undefined && mayInOrganization(organization, 'device.read') && (
          <Link to="/devices" className="tw-nav-item">
            <IconDeviceMobile size={18} aria-hidden />
            {texts.devices.title}
          </Link>
        )}
        {organization !== undefined && (
          <Link to="/expiring" className="tw-nav-item">
            <IconCertificate size={18} aria-hidden />
            {texts.expiring.title}
          </Link>
        )}
        {organization !== undefined && mayInOrganization(organization, 'organization_tester.list') && (
          <Link to="/testers" className="tw-nav-item">
            <IconTestPipe size={18} aria-hidden />
            {texts.testers.title}
          </Link>
        )}
        {organization !== undefined && mayInOrganization(organization, 'tester_group.manage') && (
          <Link to="/groups" className="tw-nav-item">
            <IconUsersGroup size={18} aria-hidden />
            {texts.groups.title}
          </Link>
        )}
        {organization !== undefined && mayInOrganization(organization, 'webhook.manage') && (
          <Link to="/webhooks" className="tw-nav-item">
            <IconWebhook size={18} aria-hidden />
            {texts.webhooks.title}
          </Link>
        )}
        {organization !== undefined && (
          <Link to="/members" className="tw-nav-item">
            <IconUsers size={18} aria-hidden />
            {t.nav.members}
          </Link>
        )}
        {organization !== undefined && mayInOrganization(organization, 'audit.read') && (
          <Link to="/audit" className="tw-nav-item">
            <IconHistory size={18} aria-hidden />
            {texts.audit.title}
          </Link>
        )}
        {organization !== undefined && mayInOrganization(organization, 'organization.edit') && (
          <Link to="/settings" className="tw-nav-item">
            <IconSettings size={18} aria-hidden />
            {texts.settings.title}
          </Link>
        )}
        <Link to="/my-apps" className="tw-nav-item">
          <IconDownload size={18} aria-hidden />
          {texts.myApps.title}
        </Link>
        {me.is_operator && (
          <Link to="/system" className="tw-nav-item">
            <IconServer size={18} aria-hidden />
            {texts.system.title}
          </Link>
        )}
      </nav>
      <div className="tw-sidebar-foot">
        <Link to="/me" className="tw-nav-item">
          <IconUser size={18} aria-hidden />
          <span className="tw-grow tw-ellipsis">{me.display_name}</span>
        </Link>
        <UnstyledButton className="tw-nav-item" onClick={() => void signOut()}>
          <IconLogout size={18} aria-hidden />
          {t.signOut}
        </UnstyledButton>
        <div className="tw-sidebar-small">
          <LanguageSwitch onChosen={(language) => me.email_verified && keepLanguage.mutate(language)} />
          <a href={`${base}/api/docs`} className="tw-link">
            {t.apiReference}
          </a>
        </div>
      </div>
    </aside>
  );
}

/** The menu is loaded when it is first opened. */
function OrganizationSwitch() {
  const [isWanted, setWanted] = useState(false);
  const button = <OrganizationButton aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />;
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OrganizationMenu />
    </Suspense>
  );
}
