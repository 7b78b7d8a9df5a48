// The icon of a project: its own, or that of its app.
import type { Build } from '../../builds/schema.ts';
import type { Project } from '../../projects/schema.ts';

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
