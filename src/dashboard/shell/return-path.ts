// The page that opens after signing in: a path of this server and nothing else.

import { isAppPath } from '../../web-paths.ts';

/** Returns the path in the `back` parameter, or '/' if it isn't a path of this server. */
export function readReturnPath(search: string): string {
  const back = new URLSearchParams(search).get('back') ?? '/';
  return /^\/(?![/\\])[^\s\\]*$/.test(back) && !back.startsWith('/sign-in') ? back : '/';
}

/** Returns whether the server renders a path itself, such as an install page, so that the browser must load it. */
export function isServerPath(path: string): boolean {
  return !isAppPath(path.split(/[?#]/)[0] ?? '');
}
