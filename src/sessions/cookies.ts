// The cookies that carry a browser's tokens: HttpOnly, SameSite=Lax, Secure unless the base address is http, and under its path
// alone, so that servers that share a host do not sign each other's people out.

import { basePathOf } from '../config/base-path.ts';
import type { App } from '../core/context.ts';
import { ACCESS_COOKIE, cookieValue, REFRESH_COOKIE } from '../http/credentials.ts';

/** The refresh token is sent to the sign-in routes alone. */
const REFRESH_PATH = '/api/v1/login';

/** `path` is one of this server, '' for all of them. */
function setCookie(app: App, name: string, value: string, path: string, maxAgeSeconds: number): string {
  const whole = `${basePathOf(app.config)}${path}` || '/';
  const isSecure = app.config.server.base_url.startsWith('https:');
  return `${name}=${value}; Path=${whole}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}

/** Set-Cookie values for a pair of tokens; lifetimes in milliseconds. */
export function tokenCookies(
  app: App,
  access: { token: string; lifetimeMs: number },
  refresh: { token: string; lifetimeMs: number },
): string[] {
  return [
    setCookie(app, ACCESS_COOKIE, access.token, '', Math.floor(access.lifetimeMs / 1000)),
    setCookie(app, REFRESH_COOKIE, refresh.token, REFRESH_PATH, Math.floor(refresh.lifetimeMs / 1000)),
  ];
}

/** Set-Cookie values that remove both. */
export function clearedCookies(app: App): string[] {
  return [setCookie(app, ACCESS_COOKIE, '', '', 0), setCookie(app, REFRESH_COOKIE, '', REFRESH_PATH, 0)];
}

/** The refresh token that a browser sent, if it sent one. */
export function refreshCookie(header: (name: string) => string | undefined): string | undefined {
  const value = cookieValue(header('cookie'), REFRESH_COOKIE);
  return value === '' ? undefined : value;
}
