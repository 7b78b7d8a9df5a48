// Where a browser goes after it came back from an identity provider: to a path of this server and nowhere else.
import type { App } from '../platform/context.ts';

const LONGEST_PATH = 512;

/** The path when it is one of ours, else `/`. */
export function safePath({ config }: Pick<App, 'config'>, path: string | undefined): string {
  // Browsers read a backslash as a slash and drop tabs and line breaks, so only plain characters are let through.
  if (path === undefined || path.length > LONGEST_PATH || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(path)) return '/';
  const { origin } = new URL(config.server.base_url);
  return URL.parse(path, origin)?.origin === origin ? path : '/';
}
