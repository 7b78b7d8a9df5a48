// The limits of store connections, which the web app enforces too.

/** Maximum number of places that automatic registration leaves. */
export const MAX_RESERVE = 1_000;
