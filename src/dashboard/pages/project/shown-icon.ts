// The icon that a project is shown with.
import type { Build } from '../../../builds/schema.ts';
import type { Project } from '../../../projects/schema.ts';
import { useRead } from '../../api/hooks.ts';
import { projectIcon } from '../../components/project-icon.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { inProject } from './project-context.ts';

/** Returns the URL of the project's icon. A project without one has that of its newest builds, as in the list of projects. */
export function useShownIcon(project: Project): string | null {
  const builds = useRead<{ items: Build[] }>('/builds', {
    query: { ...inProject(project), status: 'active', limit: 20 },
    isEnabled: project.icon_url === null && mayInProject(project, 'build.download'),
  });
  return projectIcon(project, builds.data?.items ?? []);
}
