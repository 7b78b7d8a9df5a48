// The sidebar: the selected organization, its pages in groups, and the account. Windows of medium width show it as a
// rail of icons.
import { Kbd, Skeleton, UnstyledButton } from '@mantine/core';
import {
  type Icon,
  IconBuildingStore,
  IconCalendarTime,
  IconCreditCard,
  IconDeviceMobile,
  IconDots,
  IconDownload,
  IconHistory,
  IconHome,
  IconLayoutSidebarLeftExpand,
  IconSearch,
  IconServer,
  IconSettings,
  IconUserCheck,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import type { ProjectOverview } from '../../overviews/project-schema.ts';
import { platformFacts } from '../../platforms.ts';
import { useReadAll } from '../api/hooks.ts';
import { AppIcon } from '../components/app-icon.tsx';
import { groupApps } from '../components/apps.ts';
import { Initials } from '../components/initials.tsx';
import { listedIcon } from '../components/project-icon.ts';
import { useTexts } from '../texts/locale.ts';
import { mayInOrganization, useCurrentUser, useOrganization } from './current-user.ts';
import { AccountMenu, OrganizationMenu } from './lazy-components.tsx';
import { OrganizationButton } from './organization-button.tsx';
import { openPalette } from './palette.tsx';
import { RailTips } from './rail-tips.tsx';
import { useServerInfo } from './server-info.ts';
import { readAppCount, saveAppCount } from './sidebar-apps.ts';

/** How many apps are listed; the others are on the home page. */
const MAX_APPS = 8;

interface SidebarProps {
  /** Opens the sidebar over the page; undefined where it is over the page already. */
  onExpand?: () => void;
}

export function Sidebar({ onExpand }: SidebarProps) {
  const t = useTexts().shell;
  if (onExpand === undefined) {
    return (
      <div className="tw-sidebar">
        <Content />
      </div>
    );
  }
  return (
    <RailTips className="tw-sidebar" label={t.sidebar}>
      <Content onExpand={onExpand} />
    </RailTips>
  );
}

function Content({ onExpand }: SidebarProps) {
  const texts = useTexts();
  const t = texts.shell;
  const { me, organization } = useCurrentUser();
  const hasBilling = useServerInfo().hasBilling && organization !== undefined;
  const may = (permission: Parameters<typeof mayInOrganization>[1]) =>
    organization !== undefined && mayInOrganization(organization, permission);
  return (
    <>
      <OrganizationSwitch />
      <UnstyledButton className="tw-search" onClick={openPalette} data-tip={t.search}>
        <IconSearch size={16} stroke={1.75} aria-hidden />
        <span className="tw-nav-label">{t.search}</span>
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
            {t.nav.myApps}
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
                {t.nav.testers}
              </NavItem>
            )}
            {may('tester_group.manage') && (
              <NavItem to="/groups" icon={IconUsersGroup}>
                {t.nav.groups}
              </NavItem>
            )}
          </NavGroup>
        )}
        {organization !== undefined && (
          <NavGroup caption={t.nav.devices}>
            {may('device.read') && (
              <NavItem to="/devices" icon={IconDeviceMobile}>
                {t.nav.devices}
              </NavItem>
            )}
            <NavItem to="/expiring" icon={IconCalendarTime}>
              {t.nav.expiring}
            </NavItem>
            {may('store_connection.read') && (
              <NavItem to="/stores" icon={IconBuildingStore}>
                {t.nav.stores}
              </NavItem>
            )}
          </NavGroup>
        )}
        {(hasBilling || may('webhook.manage') || may('audit.read') || may('organization.edit')) && (
          <NavGroup caption={t.organization}>
            {may('webhook.manage') && (
              <NavItem to="/webhooks" icon={IconWebhook}>
                {t.nav.webhooks}
              </NavItem>
            )}
            {hasBilling && (
              <NavItem to="/billing" icon={IconCreditCard}>
                {t.nav.billing}
              </NavItem>
            )}
            {may('audit.read') && (
              <NavItem to="/audit" icon={IconHistory}>
                {t.nav.audit}
              </NavItem>
            )}
            {may('organization.edit') && (
              <NavItem to="/settings" icon={IconSettings}>
                {t.nav.settings}
              </NavItem>
            )}
          </NavGroup>
        )}
        {me.is_operator && (
          <NavGroup caption={t.nav.system} isNamedByItem>
            <NavItem to="/system" icon={IconServer}>
              {t.nav.system}
            </NavItem>
          </NavGroup>
        )}
      </nav>
      <div className="tw-sidebar-foot">
        <Link to="/me" className="tw-nav-item tw-grow" data-tip={me.display_name}>
          <Initials id={me.identifier} name={me.display_name} />
          <span className="tw-nav-label">{me.display_name}</span>
        </Link>
        <AccountSwitch />
        {onExpand !== undefined && (
          <UnstyledButton
            className="tw-nav-item tw-rail-expand"
            aria-label={t.expandSidebar}
            aria-haspopup="dialog"
            data-tip={t.expandSidebar}
            onClick={onExpand}
          >
            <IconLayoutSidebarLeftExpand size={16} stroke={1.75} aria-hidden />
          </UnstyledButton>
        )}
      </div>
    </>
  );
}

type PagePath =
  | '/'
  | '/audit'
  | '/billing'
  | '/devices'
  | '/expiring'
  | '/groups'
  | '/members'
  | '/my-apps'
  | '/settings'
  | '/stores'
  | '/system'
  | '/testers'
  | '/webhooks';

function NavItem(props: { to: PagePath; icon: Icon; isExact?: boolean; children: string }) {
  const { to, icon: PageIcon, isExact = false, children } = props;
  return (
    <Link to={to} className="tw-nav-item" activeOptions={{ exact: isExact }} data-tip={children}>
      <PageIcon size={16} stroke={1.75} aria-hidden />
      <span className="tw-nav-label">{children}</span>
    </Link>
  );
}

interface NavGroupProps {
  caption: string;
  /** Whether its only item has the same name, which isn't shown twice. */
  isNamedByItem?: boolean;
  children: ReactNode;
}

function NavGroup({ caption, isNamedByItem = false, children }: NavGroupProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields of a form
    <div className="tw-nav-group" role="group" aria-label={caption}>
      <p className="tw-nav-caption" aria-hidden>
        {!isNamedByItem && <span>{caption}</span>}
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
  const { projectId } = useParams({ strict: false });
  const apps = groupApps(projects.data ?? [], ({ project }) => project);
  const total = projects.data === undefined ? undefined : apps.length;
  useEffect(() => {
    if (total !== undefined) saveAppCount(organization.identifier, total);
  }, [organization.identifier, total]);
  if (projects.isPending) return <AppsPlaceholder count={readAppCount(organization.identifier)} />;
  if (apps.length === 0) return null;
  return (
    <NavGroup caption={t.apps}>
      {apps.slice(0, MAX_APPS).map((app) => (
        <AppItem key={app[0]?.project.identifier} app={app} currentId={projectId} />
      ))}
      {apps.length > MAX_APPS && (
        <Link to="/" className="tw-nav-item" data-tip={t.allApps(apps.length)}>
          <IconDots size={16} stroke={1.75} aria-hidden />
          <span className="tw-nav-label">{t.allApps(apps.length)}</span>
        </Link>
      )}
    </NavGroup>
  );
}

/** An app with its platforms. It leads to the project that is open, or to the first one. */
function AppItem({ app, currentId }: { app: readonly ProjectOverview[]; currentId: string | undefined }) {
  const shown = app.find(({ project }) => project.identifier === currentId) ?? app[0];
  if (shown === undefined) return null;
  const { project } = shown;
  const names = app.map((one) => platformFacts[one.project.platform].name).join(' \u00b7 ');
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId: project.identifier }}
      className="tw-nav-item"
      data-tip={`${project.name} \u00b7 ${names}`}
    >
      <AppIcon src={listedIcon(shown)} name={project.name} size={18} />
      <span className="tw-nav-label">{project.name}</span>
      <span className="tw-nav-note">{names}</span>
    </Link>
  );
}

/**
 * Takes the place of the apps while they are loading. If their number isn't known from an earlier visit, the groups
 * below stay hidden instead, because they would move.
 */
function AppsPlaceholder({ count }: { count: number | undefined }) {
  if (count === undefined) return <div className="tw-nav-unknown" />;
  if (count === 0) return null;
  const rows = Math.min(count, MAX_APPS) + (count > MAX_APPS ? 1 : 0);
  return (
    <div className="tw-nav-group" aria-hidden>
      <p className="tw-nav-caption">
        <Skeleton component="span" width={32} height={8} />
      </p>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
        <div key={index} className="tw-nav-item">
          <Skeleton width={18} height={18} radius="sm" className="tw-skeleton-icon" />
          <Skeleton width={96} height={8} className="tw-nav-label" />
        </div>
      ))}
    </div>
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
  const [isWanted, setWanted] = useState(false);
  const button = (
    <UnstyledButton
      className="tw-nav-item"
      aria-label={t.account}
      data-tip={t.account}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    >
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
