// Errors of the package readers, which inspectPackage converts to outcomes.

/** The archive can't be read (damaged, hardened or hostile). The build is kept with this reason. */
export class UnreadableArchive extends Error {
  override readonly name = 'UnreadableArchive';
}

/** The end of the zip archive is missing or invalid. `openArchive` determines whether the file is a package at all. */
export class BrokenArchive extends UnreadableArchive {}

/** The file is a readable package of another kind (wrong platform, bundle format), so it isn't a build. */
export class RejectedArchive extends Error {
  override readonly name = 'RejectedArchive';
}

/** The storage failed. This says nothing about the package, so it never becomes an outcome. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
}
