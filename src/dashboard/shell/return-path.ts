// The page that opens after signing in: a path of this app and nothing else.

/** Returns the path in the `back` parameter, or '/' if it isn't a path of this app. */
export function readReturnPath(search: string): string {
  const back = new URLSearchParams(search).get('back') ?? '/';
  return /^\/(?![/\\])[^\s\\]*$/.test(back) && !back.startsWith('/sign-in') ? back : '/';
}
