// Which addresses of the server are the web app's: shared by its router and by the server that hands out its document.

/** First segments of the app's own pages; '' is the root. */
export const appSegments: ReadonlySet<string> = new Set([
  '',
  'projects',
  'testers',
  'groups',
  'devices',
  'webhooks',
  'members',
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

/** Addresses that the server answers with a page of its own where there is no script: the same address with `?plain`. */
const sharedPaths = [/^\/$/, /^\/setup\/(?!assets\/)[^/]+$/, /^\/invite\/[^/]+\/[^/]+$/, /^\/testers\/invites\/[^/]+$/];

/** Under segments of the app, but pages of the server alone: links in mails that change something for who clicks them. */
const serverPaths = /^\/testers\/(?:releases|mute)(?:\/|$)/;

/** Whether the server has a page of its own at a path of the app, for browsers without script. */
export function hasPlainPage(path: string): boolean {
  return sharedPaths.some((pattern) => pattern.test(path));
}

/** Whether a path (without query, beginning with a slash) is one of the web app. */
export function isAppPath(path: string): boolean {
  if (hasPlainPage(path)) return true;
  return !serverPaths.test(path) && appSegments.has(path.split('/')[1] ?? '');
}
