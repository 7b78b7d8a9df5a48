// The cookies of a browser's tokens: HttpOnly, SameSite=Lax, Secure unless the base URL is http, and limited to its
// path, so that servers on the same host don't affect each other.

import { basePathOf } from '../config/base-path.ts';
import type { App } from '../core/context.ts';
import { ACCESS_COOKIE, cookieValue, REFRESH_COOKIE } from '../http/credentials.ts';

/** Names the browser that requested a code by email. */
const EMAIL_SIGN_IN_COOKIE = 'svc_email_sign_in';
/** The refresh token is only sent to the sign-in routes. */
const REFRESH_PATH = '/api/v1/login';

/** `path` is a path of this server; '' for all. */
function setCookie(app: App, name: string, value: string, path: string, maxAgeSeconds: number): string {
  const whole = `${basePathOf(app.config)}${path}` || '/';
  const isSecure = app.config.server.base_url.startsWith('https:');
  return `${name}=${value}; Path=${whole}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}

/** Returns the Set-Cookie values for a pair of tokens. Lifetimes are in milliseconds. */
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

/** Returns the Set-Cookie values that delete both cookies. */
export function clearedCookies(app: App): string[] {
  return [setCookie(app, ACCESS_COOKIE, '', '', 0), setCookie(app, REFRESH_COOKIE, '', REFRESH_PATH, 0)];
}

/** Returns the Set-Cookie value that binds an emailed code to the browser. `lifetimeMs` is in milliseconds. */
export function emailSignInCookie(app: App, token: string, lifetimeMs: number): string {
  return setCookie(app, EMAIL_SIGN_IN_COOKIE, token, REFRESH_PATH, Math.floor(lifetimeMs / 1000));
}

/** Returns the refresh token from the browser's cookie, or undefined. */
export function refreshCookie(header: (name: string) => string | undefined): string | undefined {
  return readCookie(header, REFRESH_COOKIE);
}

/** Returns the token of the browser's request for a code by email, or undefined. */
export function readEmailSignInCookie(header: (name: string) => string | undefined): string | undefined {
  return readCookie(header, EMAIL_SIGN_IN_COOKIE);
}

function readCookie(header: (name: string) => string | undefined, name: string): string | undefined {
  const value = cookieValue(header('cookie'), name);
  return value === '' ? undefined : value;
}
