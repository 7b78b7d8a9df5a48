// Cuts the notes of a release out of CHANGELOG.md.

/**
 * Returns the section of a version without its heading. Throws if there is none, because a release without notes is one that
 * was not prepared.
 */
export function cutNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => /^\S+/.exec(text)?.[0] === version);
  if (section === undefined) {
    const known = sections.map((text) => /^\S+/.exec(text)?.[0]).join(', ');
    throw new Error(`CHANGELOG.md has no section "## ${version}": rename its section "Unreleased" (found: ${known})`);
  }
  const notes = section.slice(section.indexOf('\n') + 1).trim();
  if (notes === '') throw new Error(`The section "## ${version}" of CHANGELOG.md is empty`);
  return `${notes}\n`;
}
