// Where somebody goes on after signing in: a path of this app and nothing else.

/** The path of an address's `back`, '/' where it is none of ours. */
export function readBack(search: string): string {
  const back = new URLSearchParams(search).get('back') ?? '/';
  return /^\/(?![/\\])[^\s\\]*$/.test(back) && !back.startsWith('/sign-in') ? back : '/';
}
