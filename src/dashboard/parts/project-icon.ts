// The picture of a project: its own, or that of its app.
import type { Build } from '../../builds/schema.ts';
import type { Project } from '../../projects/schema.ts';

/** Address of the icon: the project's own, else that of the first build which is the project's app; null when there is none. */
export function iconOfProject(
  { icon_url: own, bundle_identifier: pinned }: Project,
  builds: readonly Build[],
): string | null {
  if (own !== null) return own;
  const ofApp = builds.find(
    (build) => build.icon_url !== null && (pinned === null || build.inspection?.bundle_identifier === pinned),
  );
  return ofApp?.icon_url ?? null;
}
