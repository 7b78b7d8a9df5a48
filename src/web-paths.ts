// The paths of the web app, shared by its router and the server that delivers its document.

/** First path segments of the app's pages; '' is the root. */
export const appSegments: ReadonlySet<string> = new Set([
  '',
  'projects',
  'testers',
  'groups',
  'devices',
  'webhooks',
  'members',
  'billing',
  'expiring',
  'stores',
  'audit',
  'settings',
  'me',
  'my-apps',
  'system',
  'sign-in',
  'sign-up',
  'reset',
  'verify',
]);

/** Paths for which the server also has a plain page for browsers without scripts, at the same URL with `?plain`. */
const sharedPaths = [/^\/$/, /^\/setup\/(?!assets\/)[^/]+$/, /^\/invite\/[^/]+\/[^/]+$/, /^\/testers\/invites\/[^/]+$/];

/** Paths with a segment of the app that only the server handles: links in emails, and what the payment provider uses. */
const serverPaths = /^\/(?:testers\/(?:releases|mute)|billing\/(?:v1|checkout))(?:\/|$)/;

/** Whether the server has a plain page for a path of the app, for browsers without scripts. */
export function hasPlainPage(path: string): boolean {
  return sharedPaths.some((pattern) => pattern.test(path));
}

/** Whether a path (with a leading slash, without query) belongs to the web app. */
export function isAppPath(path: string): boolean {
  if (hasPlainPage(path)) return true;
  return !serverPaths.test(path) && appSegments.has(path.split('/')[1] ?? '');
}
