// The limit of release notes, which the web app and the commands follow too.

/** Maximum number of characters. */
export const MAX_RELEASE_NOTES = 10_000;
