// The address of the browser after returning from an identity provider: always a path of this server.

import { basePathOf, withoutBasePath } from '../../config/base-path.ts';
import type { App } from '../../core/context.ts';

const MAX_PATH_LENGTH = 512;

/** Returns the path of the start page on the host. */
export function homePath({ config }: Pick<App, 'config'>): string {
  return `${basePathOf(config)}/`;
}

/**
 * Returns the path if it belongs to this server, with or without the path of base_url, or else the start page. The
 * result is a path on the host.
 */
export function safePath(app: Pick<App, 'config'>, path: string | undefined): string {
  const home = homePath(app);
  // Browsers treat a backslash as a slash and drop tabs and line breaks, so only plain characters are allowed.
  if (path === undefined || path.length > MAX_PATH_LENGTH || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(path)) return home;
  const { origin } = new URL(app.config.server.base_url);
  const whole = `${home.slice(0, -1)}${withoutBasePath(path, home.slice(0, -1))}`;
  const url = URL.parse(whole, origin);
  return url?.origin === origin && url.pathname.startsWith(home) ? whole : home;
}
