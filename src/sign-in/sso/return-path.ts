// Where a browser goes after it came back from an identity provider: to a path of this server and nowhere else.

import { basePathOf, withoutBasePath } from '../../config/base-path.ts';
import type { App } from '../../core/context.ts';

const LONGEST_PATH = 512;

/** The start page, as a path of the host. */
export function homePath({ config }: Pick<App, 'config'>): string {
  return `${basePathOf(config)}/`;
}

/** The path when it is one of ours, with or without the path of base_url; else the start page. As a path of the host. */
export function safePath(app: Pick<App, 'config'>, path: string | undefined): string {
  const home = homePath(app);
  // Browsers read a backslash as a slash and drop tabs and line breaks, so only plain characters are let through.
  if (path === undefined || path.length > LONGEST_PATH || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(path)) return home;
  const { origin } = new URL(app.config.server.base_url);
  const whole = `${home.slice(0, -1)}${withoutBasePath(path, home.slice(0, -1))}`;
  const url = URL.parse(whole, origin);
  return url?.origin === origin && url.pathname.startsWith(home) ? whole : home;
}
