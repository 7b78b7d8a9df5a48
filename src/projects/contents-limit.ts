// The limit of counted project contents, which the web app shows too.

/** Project contents are counted up to this number (`GET /projects/{project_id}/contents`). */
export const MAX_COUNTED = 10_000;
