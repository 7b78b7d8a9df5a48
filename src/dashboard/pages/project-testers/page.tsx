// Who may install everything of one project.
import { Link } from '@tanstack/react-router';
import { PageHead } from '../../parts/page.tsx';
import { TesterGrants } from '../../parts/tester-grants.tsx';
import { mayInOrganization, mayInProject, useVisit } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { useProject } from '../project/project-context.ts';

export function Page() {
  const t = useTexts().testers;
  const project = useProject();
  return (
    <>
      <PageHead title={t.title} hint={t.ofProject(project.name)} />
      <TesterGrants
        path={`/projects/${project.identifier}/testers`}
        mayManage={mayInProject(project, 'project_tester.manage')}
        emptyText={t.emptyProject}
        effect={(email) => t.removeFromProject(email, project.name)}
      />
      <Elsewhere />
    </>
  );
}

/** Where the others are listed, for who may look there. */
function Elsewhere() {
  const texts = useTexts();
  const project = useProject();
  const { organizations, organization: chosen } = useVisit();
  const organization = organizations.find(({ identifier }) => identifier === project.organization_id);
  // Both pages show the organization that is looked at.
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
