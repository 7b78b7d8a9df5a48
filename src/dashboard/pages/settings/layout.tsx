// The layout of the organization's settings. Users who aren't admins see whom to ask.
import { Link, Outlet } from '@tanstack/react-router';
import { EmptyState, PageHeader } from '../../components/page.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useAdmins } from './members.ts';

export function SettingsLayout() {
  const t = useTexts().settings;
  const organization = useOrganization();
  if (!mayInOrganization(organization, 'organization.edit')) return <AdminsOnly />;
  return (
    <>
      <PageHeader title={t.title} />
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

function AdminsOnly() {
  const t = useTexts().settings;
  const { admins } = useAdmins();
  return (
    <EmptyState
      isAlone
      drawing="lock"
      title={t.adminsOnlyTitle}
      text={admins === undefined ? '' : t.adminsOnlyText}
      action={
        <ul className="tw-bare-list">
          {admins?.map(({ developer_id: id, display_name: name, email }) => (
            <li key={id}>
              {name} <span className="tw-small">{email}</span>
            </li>
          ))}
        </ul>
      }
    />
  );
}
