// How a build is called everywhere: version and number.

/** Returns "2.3.1 (305)"; on iOS the number is the package's own text. */
export function nameBuild(build: { version_name: string; display_build_number: string }): string {
  return `${build.version_name} (${build.display_build_number})`;
}
