// How a build is called everywhere, and whether anybody can install it.
import type { Build } from '../../builds/schema.ts';

/** Returns "2.3.1 (305)"; on iOS the number is the package's own text. */
export function nameBuild(build: { version_name: string; display_build_number: string }): string {
  return `${build.version_name} (${build.display_build_number})`;
}

/** Whether no device can install the build, so that releasing it asks first. */
export function isForNobody({ installability }: Pick<Build, 'installability'>): boolean {
  return installability.status === 'uninstallable';
}
