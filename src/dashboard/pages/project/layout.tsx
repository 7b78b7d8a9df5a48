// The layout of project pages: name, tabs and drop zone.

import { Link, Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { platformFacts } from '../../../platforms.ts';
import type { Project } from '../../../projects/schema.ts';
import { useRead } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { QueryContent } from '../../components/page.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { InOrganization } from '../../shell/in-organization.tsx';
import { useTexts } from '../../texts/locale.ts';
import { DropZone } from '../../upload/drop-zone.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { PlatformSwitch } from './platform-switch.tsx';
import { ProjectContext } from './project-context.ts';
import { useShownIcon } from './shown-icon.ts';

export function ProjectLayout() {
  const { projectId } = useParams({ from: '/shell/projects/$projectId' });
  const project = useRead<Project>(`/projects/${projectId}`);
  return (
    <QueryContent read={project}>
      {(data) => (
        <InOrganization id={data.organization_id}>
          <ProjectContext.Provider value={data}>
            <Breadcrumbs project={data} />
            <ProjectBar project={data} />
            <Outlet />
            <DropZone project={data} />
          </ProjectContext.Provider>
        </InOrganization>
      )}
    </QueryContent>
  );
}

function ProjectBar({ project }: { project: Project }) {
  const texts = useTexts();
  const t = texts.projects.tabs;
  const params = { projectId: project.identifier };
  const isChannel = useRouterState({ select: ({ location }) => location.pathname.includes('/channels/') });
  return (
    <nav className="tw-project-bar" aria-label={project.name}>
      <div className="tw-row tw-project-name">
        <AppIcon src={useShownIcon(project)} name={project.name} size={40} />
        <p>
          <strong>{project.name}</strong>
          <span>
            {platformFacts[project.platform].name}
            {project.bundle_identifier !== null && ` · ${project.bundle_identifier}`}
          </span>
        </p>
        <PlatformSwitch project={project} />
      </div>
      <Tabs>
        <Link
          to="/projects/$projectId"
          params={params}
          activeOptions={{ exact: true }}
          className="tw-tab"
          {...(isChannel ? { 'data-status': 'active' } : {})}
        >
          {t.channels}
        </Link>
        <Link to="/projects/$projectId/builds" params={params} className="tw-tab">
          {t.builds}
        </Link>
        <Link to="/projects/$projectId/feedback" params={params} className="tw-tab">
          {texts.feedback.title}
        </Link>
        {mayInProject(project, 'project_tester.list') && (
          <Link to="/projects/$projectId/testers" params={params} className="tw-tab">
            {texts.testers.title}
          </Link>
        )}
        <Link to="/projects/$projectId/sdk" params={params} className="tw-tab">
          {texts.sdk.tab}
        </Link>
        {mayInProject(project, 'project.manage_tokens') && (
          <Link to="/projects/$projectId/tokens" params={params} className="tw-tab">
            {texts.projectTokens.tab}
          </Link>
        )}
        {mayInProject(project, 'project.edit_icon') && (
          <Link to="/projects/$projectId/settings" params={params} className="tw-tab">
            {t.settings}
          </Link>
        )}
      </Tabs>
    </nav>
  );
}
