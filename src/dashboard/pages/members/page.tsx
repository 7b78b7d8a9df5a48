// The people of the organization.
import { organizationRoles } from '../../../permissions.ts';
import { PageHead } from '../../parts/page.tsx';
import { PeopleSection } from '../../parts/people.tsx';
import { mayInOrganization, organizationsPath, useOrganization } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';

export function Page() {
  const texts = useTexts();
  const organization = useOrganization();
  const path = `${organizationsPath}/${organization.identifier}`;
  return (
    <>
      <PageHead title={texts.people.title} hint={organization.name} />
      <PeopleSection
        key={organization.identifier}
        path={path}
        touches={[organizationsPath]}
        roles={organizationRoles}
        roleNames={texts.roles.organization}
        roleHints={texts.roles.organizationHints}
        isReadOnly={!mayInOrganization(organization, 'organization.manage_members')}
        // Roles of managers and administrators are for administrators.
        grantable={organization.role === 'admin' ? organizationRoles : ['member']}
      />
    </>
  );
}
