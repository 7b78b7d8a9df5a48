// The members of the organization. The address can have the text that they are searched for.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { organizationRoles } from '../../../permissions.ts';
import { PageHeader } from '../../components/page.tsx';
import { PeopleSection } from '../../components/people.tsx';
import { mayInOrganization, organizationsPath, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';

export function Page() {
  const texts = useTexts();
  const organization = useOrganization();
  const navigate = useNavigate();
  const { text }: { text?: unknown } = useSearch({ from: '/shell/members' });
  const searchedFor = typeof text === 'string' ? text : '';
  const path = `${organizationsPath}/${organization.identifier}`;
  return (
    <PeopleSection
      key={organization.identifier}
      searchedFor={searchedFor}
      onSearchChange={() => void navigate({ to: '/members', replace: true, resetScroll: false })}
      path={path}
      touches={[organizationsPath]}
      roles={organizationRoles}
      roleNames={texts.roles.organization}
      roleHints={texts.roles.organizationHints}
      isReadOnly={!mayInOrganization(organization, 'organization.manage_members')}
      // Only admins can grant and change the roles of managers and admins.
      grantable={organization.role === 'admin' ? organizationRoles : ['member']}
      organizationId={organization.identifier}
      renderHead={(count, invite) => (
        <PageHeader
          title={texts.people.title}
          beside={count !== undefined && <span className="tw-count">{count}</span>}
          actions={invite}
        />
      )}
    />
  );
}
