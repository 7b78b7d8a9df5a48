// When parts that the first page doesn't need are loaded.

/** Time for the first page to render and load its data before anything else is loaded. */
export const IDLE_DELAY_MS = 1500;

/** Resolves once the first page has had its time. */
export const firstPageDone: Promise<void> = new Promise((resolve) => setTimeout(resolve, IDLE_DELAY_MS));
