// The two ways in which a package is turned away, as errors that the readers throw and inspectPackage answers.

/** The archive cannot be read or makes no sense (corrupt, hardened, hostile): the build is kept and says so. */
export class UnreadableArchive extends Error {
  override readonly name = 'UnreadableArchive';
}

/** The end of the zip archive is missing or broken. `openArchive` finds out whether the file was a package at all. */
export class BrokenArchive extends UnreadableArchive {}

/** The file is a readable package of another kind (wrong platform, bundle format): it is not a build. */
export class RejectedArchive extends Error {
  override readonly name = 'RejectedArchive';
}

/** The storage behind the package failed: says nothing about the package, so it is never turned into an outcome. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
}
