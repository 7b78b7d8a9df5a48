// Finds the project of a package.
import type { ProjectOverview } from '../../overviews/project-schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { PackageInfo } from './read-package.ts';

/** What is compared of a project. */
export type ComparedProject = Pick<ProjectOverview, 'project' | 'last_upload'>;

/** One project, or the candidates that the user can select from. `hasApp`: they have the identifier of the package. */
export type Match = { project: Project } | { candidates: readonly Project[]; hasApp: boolean };

/** Compares platform and bundle identifier. A project without one has that of its newest build. */
export function matchProject(
  overviews: readonly ComparedProject[],
  { platform, bundleIdentifier }: Pick<PackageInfo, 'platform' | 'bundleIdentifier'>,
): Match {
  const ofPlatform = overviews.filter(({ project }) => project.platform === platform);
  const isSame = ({ project, last_upload: last }: ComparedProject) =>
    bundleIdentifier !== undefined && (project.bundle_identifier ?? last?.bundle_identifier) === bundleIdentifier;
  const same = ofPlatform.filter(isSame);
  const [only] = same;
  if (only !== undefined && same.length === 1) return { project: only.project };
  const hasApp = same.length > 1;
  return { candidates: (hasApp ? same : ofPlatform).map(({ project }) => project), hasApp };
}
