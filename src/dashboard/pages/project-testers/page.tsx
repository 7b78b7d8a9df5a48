// The testers of a project.
import { Link } from '@tanstack/react-router';
import { PageHeader } from '../../components/page.tsx';
import { RoleErrorPage } from '../../components/role-error.tsx';
import { TesterGrants } from '../../components/tester-grants.tsx';
import { mayInOrganization, mayInProject, useCurrentUser } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';

export function Page() {
  const project = useProject();
  if (mayInProject(project, 'project_tester.list')) return <TestersPage />;
  return <RoleErrorPage organizationId={project.organization_id} />;
}

function TestersPage() {
  const t = useTexts().testers;
  const project = useProject();
  return (
    <>
      <PageHeader title={t.title} hint={t.ofProject(project.name)} />
      <TesterGrants
        path={`/projects/${project.identifier}/testers`}
        mayManage={mayInProject(project, 'project_tester.manage')}
        emptyText={t.emptyProject}
        effect={(email) => t.removeFromProject(email, project.name)}
      />
      <InheritedHint />
    </>
  );
}

/** Links to the lists of inherited testers, if the user may open them. */
function InheritedHint() {
  const texts = useTexts();
  const project = useProject();
  const { organizations, organization: chosen } = useCurrentUser();
  const organization = organizations.find(({ identifier }) => identifier === project.organization_id);
  // Both pages show the selected organization.
  if (organization === undefined || organization !== chosen) return null;
  if (!mayInOrganization(organization, 'organization_tester.list')) return null;
  return (
    <p className="tw-small tw-bare">
      {texts.testers.inherited}{' '}
      <Link to="/testers" className="tw-link">
        {texts.testers.title}
      </Link>
      {' · '}
      <Link to="/groups" className="tw-link">
        {texts.groups.title}
      </Link>
    </p>
  );
}
