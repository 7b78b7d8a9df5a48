// The icon of a project: its own, or that of its app.
import type { Build } from '../../builds/schema.ts';
import type { ProjectOverview } from '../../overviews/project-schema.ts';
import type { Project } from '../../projects/schema.ts';
import { mayInProject } from '../shell/current-user.ts';

/** Returns the URL of a build's icon, or null if the user's role doesn't allow reading it. */
export function buildIcon(project: Pick<Project, 'role'>, url: string | null): string | null {
  return mayInProject(project, 'build.download') ? url : null;
}

/** Returns the URL of the icon of a project in a list: its own one, or that of a build. */
export function listedIcon({ project, app_icon_url: url }: ProjectOverview): string | null {
  return project.icon_url ?? buildIcon(project, url);
}

/**
 * Returns the URL of the project's own icon, otherwise of the first build with the project's bundle identifier, or
 * null.
 */
export function projectIcon(
  { icon_url: own, bundle_identifier: pinned }: Project,
  builds: readonly Build[],
): string | null {
  if (own !== null) return own;
  const ofApp = builds.find(
    (build) => build.icon_url !== null && (pinned === null || build.inspection?.bundle_identifier === pinned),
  );
  return ofApp?.icon_url ?? null;
}
