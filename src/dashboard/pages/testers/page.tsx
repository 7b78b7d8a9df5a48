// The testers of the organization.
import { PageHeader } from '../../components/page.tsx';
import { RoleErrorPage } from '../../components/role-error.tsx';
import { TesterGrants } from '../../components/tester-grants.tsx';
import { mayInOrganization, organizationsPath, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';

export function Page() {
  const t = useTexts().testers;
  const organization = useOrganization();
  const { identifier, name } = organization;
  if (!mayInOrganization(organization, 'organization_tester.list')) return <RoleErrorPage />;
  return (
    <>
      <PageHeader title={t.title} hint={t.ofOrganization(name)} />
      <TesterGrants
        key={identifier}
        path={`${organizationsPath}/${identifier}/testers`}
        mayManage={mayInOrganization(organization, 'organization_tester.manage')}
        emptyText={t.emptyOrganization}
        effect={(email) => t.removeFromOrganization(email, name)}
      />
    </>
  );
}
