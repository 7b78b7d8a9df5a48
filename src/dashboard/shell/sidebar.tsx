// The sidebar: the selected organization, its pages in groups, and the account.
import { Kbd, UnstyledButton } from '@mantine/core';
import {
  type Icon,
  IconCalendarTime,
  IconDeviceMobile,
  IconDots,
  IconDownload,
  IconHistory,
  IconHome,
  IconSearch,
  IconServer,
  IconSettings,
  IconUserCheck,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense, useState } from 'react';
import type { ProjectOverview } from '../../overviews/project-schema.ts';
import { platformFacts } from '../../platforms.ts';
import { useReadAll } from '../api/hooks.ts';
import { AppIcon } from '../components/app-icon.tsx';
import { Initials } from '../components/initials.tsx';
import { useTexts } from '../texts/locale.ts';
import { mayInOrganization, useCurrentUser, useOrganization } from './current-user.ts';
import { AccountMenu, OrganizationMenu } from './lazy-components.tsx';
import { OrganizationButton } from './organization-button.tsx';
import { openPalette } from './palette.tsx';

/** How many apps are listed; the others are on the home page. */
const MAX_APPS = 8;

export function Sidebar() {
  const texts = useTexts();
  const t = texts.shell;
  const { me, organization } = useCurrentUser();
  const may = (permission: Parameters<typeof mayInOrganization>[1]) =>
    organization !== undefined && mayInOrganization(organization, permission);
  return (
    <aside className="tw-sidebar" aria-label={t.sidebar}>
      <OrganizationSwitch />
      <UnstyledButton className="tw-search" onClick={openPalette}>
        <IconSearch size={16} stroke={1.75} aria-hidden />
        {t.search}
        <Kbd size="xs">{/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</Kbd>
      </UnstyledButton>
      <nav className="tw-nav" aria-label={t.mainNavigation}>
        <div className="tw-nav-group">
          {organization !== undefined && (
            <NavItem to="/" icon={IconHome} isExact>
              {t.nav.home}
            </NavItem>
          )}
          <NavItem to="/my-apps" icon={IconDownload}>
            {texts.myApps.title}
          </NavItem>
        </div>
        {organization !== undefined && <Apps />}
        {organization !== undefined && (
          <NavGroup caption={t.nav.people}>
            <NavItem to="/members" icon={IconUsers}>
              {t.nav.members}
            </NavItem>
            {may('organization_tester.list') && (
              <NavItem to="/testers" icon={IconUserCheck}>
                {texts.testers.title}
              </NavItem>
            )}
            {may('tester_group.manage') && (
              <NavItem to="/groups" icon={IconUsersGroup}>
                {texts.groups.title}
              </NavItem>
            )}
          </NavGroup>
        )}
        {organization !== undefined && (
          <NavGroup caption={texts.devices.title}>
            {may('device.read') && (
              <NavItem to="/devices" icon={IconDeviceMobile}>
                {texts.devices.title}
              </NavItem>
            )}
            <NavItem to="/expiring" icon={IconCalendarTime}>
              {texts.expiring.title}
            </NavItem>
          </NavGroup>
        )}
        {(may('webhook.manage') || may('audit.read') || may('organization.edit')) && (
          <NavGroup caption={t.organization}>
            {may('webhook.manage') && (
              <NavItem to="/webhooks" icon={IconWebhook}>
                {texts.webhooks.title}
              </NavItem>
            )}
            {may('audit.read') && (
              <NavItem to="/audit" icon={IconHistory}>
                {texts.audit.title}
              </NavItem>
            )}
            {may('organization.edit') && (
              <NavItem to="/settings" icon={IconSettings}>
                {texts.settings.title}
              </NavItem>
            )}
          </NavGroup>
        )}
        {me.is_operator && (
          <NavGroup caption={texts.system.title}>
            <NavItem to="/system" icon={IconServer}>
              {t.nav.server}
            </NavItem>
          </NavGroup>
        )}
      </nav>
      <div className="tw-sidebar-foot">
        <AccountSwitch />
      </div>
    </aside>
  );
}

type PagePath =
  | '/'
  | '/audit'
  | '/devices'
  | '/expiring'
  | '/groups'
  | '/members'
  | '/my-apps'
  | '/settings'
  | '/system'
  | '/testers'
  | '/webhooks';

function NavItem(props: { to: PagePath; icon: Icon; isExact?: boolean; children: ReactNode }) {
  const { to, icon: PageIcon, isExact = false, children } = props;
  return (
    <Link to={to} className="tw-nav-item" activeOptions={{ exact: isExact }}>
      <PageIcon size={16} stroke={1.75} aria-hidden />
      {children}
    </Link>
  );
}

function NavGroup({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields of a form
    <div className="tw-nav-group" role="group" aria-label={caption}>
      <p className="tw-nav-caption" aria-hidden>
        {caption}
      </p>
      {children}
    </div>
  );
}

/** The apps of the organization that were created last; the home page reads the same list. */
function Apps() {
  const t = useTexts().shell.nav;
  const organization = useOrganization();
  const projects = useReadAll<ProjectOverview>('/projects/overview', {
    query: { organization_id: organization.identifier },
  });
  const overviews = projects.data ?? [];
  if (overviews.length === 0) return null;
  return (
    <NavGroup caption={t.apps}>
      {overviews.slice(0, MAX_APPS).map(({ project, app_icon_url: appIcon }) => (
        <Link
          key={project.identifier}
          to="/projects/$projectId"
          params={{ projectId: project.identifier }}
          className="tw-nav-item"
        >
          <AppIcon src={project.icon_url ?? appIcon} name={project.name} size={18} />
          <span className="tw-ellipsis">{project.name}</span>
          <span className="tw-nav-note">{platformFacts[project.platform].name}</span>
        </Link>
      ))}
      {overviews.length > MAX_APPS && (
        <Link to="/" className="tw-nav-item">
          {t.allApps(overviews.length)}
        </Link>
      )}
    </NavGroup>
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

/** The menu is loaded when it is first opened. */
function AccountSwitch() {
  const t = useTexts().shell;
  const { me } = useCurrentUser();
  const [isWanted, setWanted] = useState(false);
  const button = (
    <UnstyledButton
      className="tw-nav-item tw-account"
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    >
      <span className="tw-offscreen">{t.account}: </span>
      <Initials id={me.identifier} name={me.display_name} />
      <span className="tw-grow tw-ellipsis">{me.display_name}</span>
      <IconDots size={16} stroke={1.75} aria-hidden />
    </UnstyledButton>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  );
}
