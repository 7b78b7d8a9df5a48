// The limits of screenshots, which the web app shows.

/** How many screenshots a project can have. */
export const MAX_SCREENSHOTS = 8;
/** Room for a picture of a large screen without losses. */
export const MAX_SCREENSHOT_BYTES = 4 * 1024 * 1024;
