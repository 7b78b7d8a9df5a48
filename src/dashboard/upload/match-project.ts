// Finds the project of a package.
import type { ProjectOverview } from '../../overviews/project-schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { PackageInfo } from './read-package.ts';

/** One project, or the candidates that the user can select from. */
export type Match = { project: Project } | { candidates: readonly Project[] };

/** Compares platform and bundle identifier. A project without one has that of its newest build. */
export function matchProject(
  overviews: readonly ProjectOverview[],
  { platform, bundleIdentifier }: Pick<PackageInfo, 'platform' | 'bundleIdentifier'>,
): Match {
  const ofPlatform = overviews.filter(({ project }) => project.platform === platform);
  const isSame = ({ project, last_upload: last }: ProjectOverview) =>
    bundleIdentifier !== undefined && (project.bundle_identifier ?? last?.bundle_identifier) === bundleIdentifier;
  const same = ofPlatform.filter(isSame);
  const [only] = same;
  if (only !== undefined && same.length === 1) return { project: only.project };
  return { candidates: (same.length > 1 ? same : ofPlatform).map(({ project }) => project) };
}
