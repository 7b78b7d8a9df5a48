// The display name of a build, and whether it can be installed at all.
import type { Build } from '../../builds/schema.ts';

/** Returns the version and build number, such as "2.3.1 (305)". On iOS the number is the package's own text. */
export function formatBuild(build: { version_name: string; display_build_number: string }): string {
  return `${build.version_name} (${build.display_build_number})`;
}

/** Returns whether no device can install the build. Releasing such a build requires confirmation. */
export function isUninstallable({ installability }: Pick<Build, 'installability'>): boolean {
  return installability.status === 'uninstallable';
}
