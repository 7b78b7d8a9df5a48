// When the pages of visitors without access leave.
import type { InstallPage } from './page/send.ts';

/** In milliseconds: longer than looking a channel up takes, and too short to be noticed. */
export const REFUSAL_TIME_MS = 10;

/**
 * Returns the page that `find` returns. A page that refuses access is returned a fixed time after the start, so that its time
 * doesn't show whether the link leads to something that the visitor can't see.
 */
export async function refuseInFixedTime<Page extends InstallPage | object>(
  find: () => Page | Promise<Page>,
): Promise<Page> {
  // Starts before the work: a timer that starts after it would end later after more work.
  const earliest = new Promise((resolve) => setTimeout(resolve, REFUSAL_TIME_MS));
  const page = await find();
  if ('isRefusal' in page) await earliest;
  return page;
}
