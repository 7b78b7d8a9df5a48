// What every page of the settings has: its name and tabs, for administrators; everybody else learns whom to ask.
import { IconLock } from '@tabler/icons-react';
import { Link, Outlet } from '@tanstack/react-router';
import { Empty, PageHead } from '../../parts/page.tsx';
import { mayInOrganization, useOrganization } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { useAdmins } from './members.ts';

export function SettingsFrame() {
  const t = useTexts().settings;
  const organization = useOrganization();
  if (!mayInOrganization(organization, 'organization.edit')) return <Refused />;
  return (
    <>
      <PageHead title={t.title} hint={organization.name} />
      <nav className="tw-project-bar" aria-label={t.title}>
        <div className="tw-tabs">
          <Link to="/settings" activeOptions={{ exact: true }} className="tw-tab">
            {t.tabs.general}
          </Link>
          <Link to="/settings/security" className="tw-tab">
            {t.tabs.security}
          </Link>
          <Link to="/settings/sso" className="tw-tab">
            {t.tabs.sso}
          </Link>
        </div>
      </nav>
      {/* Another organization is another page: nothing that was typed goes along. */}
      <Outlet key={organization.identifier} />
    </>
  );
}

function Refused() {
  const t = useTexts().settings;
  const { admins } = useAdmins();
  return (
    <Empty
      isAlone
      icon={<IconLock size={40} stroke={1.4} aria-hidden />}
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
