// The limits of a channel's retention, which the web app enforces too.

/** Maximum number of releases that keep their builds. */
export const MAX_KEEP_LAST = 1_000;
/** Maximum number of days for which a release keeps its build. */
export const MAX_KEEP_DAYS = 3_650;
