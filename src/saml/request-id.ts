// Ids of requests to an identity provider, with SAML or OpenID Connect. They're signed instead of stored, so that starting a sign-in writes nothing and
// repeated requests can't fill the disk. Used ids are stored.

import { basePathOf } from '../config/base-path.ts';
import type { Context } from '../core/context.ts';
import { isSameSecret } from '../runtime/secrets.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';
import { ssoPath } from './names.ts';

type RequestPurpose = 'sso login' | 'sso forced login' | 'sso logout' | 'oidc login' | 'oidc forced login';

/** Time that the identity provider has to respond. */
export const REQUEST_LIFETIME_MS = 15 * 60_000;
const BROWSER_COOKIE = 'svc_sso';
/** The secret, and over http what distinguishes the cookie from the previous one. */
const COOKIE_VALUE = /^([\w-]{43})(?:\.[\w-]{22})?$/;
const FORMAT = /^_([\w-]{22})\.([\w-]{22})\.([0-9a-z]{8,9})\.([\w.-]{1,128})$/;

export interface RequestScope {
  purpose: RequestPurpose;
  organizationId: string;
  entityId: string;
}

function fieldsOf({ organizationId, entityId }: RequestScope, nonce: string, browser: string, at: string): string[] {
  return [organizationId, entityId, nonce, browser, at];
}

function browserMark(ctx: Context, secret: string): string {
  return Buffer.from(ctx.secrets.hash(secret), 'hex').toString('base64url').slice(0, 22);
}

/** Creates an id, valid as an xs:ID, bound to the browser with `browserSecret`. */
export function mintRequestId(ctx: Context, scope: RequestScope, browserSecret = ctx.secrets.token()): string {
  const nonce = ctx.secrets.token().slice(0, 22);
  const browser = browserMark(ctx, browserSecret);
  const at = ctx.clock.time().toString(36);
  const signature = signFields(ctx.secrets.keyring, scope.purpose, fieldsOf(scope, nonce, browser, at));
  return `_${nonce}.${browser}.${at}.${signature}`;
}

/** Returns the content of an id if it was created for this scope and hasn't expired, otherwise undefined. */
export function readRequestId(
  ctx: Context,
  scope: RequestScope,
  id: string,
): { browser: string; expiresAt: number } | undefined {
  const [, nonce = '', browser = '', at = '', signature = ''] = FORMAT.exec(id) ?? [];
  if (!verifyFields(ctx.secrets.keyring, scope.purpose, fieldsOf(scope, nonce, browser, at), signature)) {
    return undefined;
  }
  const expiresAt = Number.parseInt(at, 36) + REQUEST_LIFETIME_MS;
  return expiresAt > ctx.clock.time() ? { browser, expiresAt } : undefined;
}

/** Returns the secret that a browser got when it started a sign-in, if any. */
export function browserSecretOf(ctx: Context): string | undefined {
  for (const part of (ctx.request.header('cookie') ?? '').split(';')) {
    const [name, value = ''] = part.split('=');
    const [, secret] = COOKIE_VALUE.exec(value.trim()) ?? [];
    if (name?.trim() === BROWSER_COOKIE && secret !== undefined) return secret;
  }
  return undefined;
}

/** How the provider sends the browser back: with a form (SAML) or with a link (OpenID Connect). */
type ReturnBy = 'form' | 'link';

/** Returns the browser secret for a new sign-in. A browser keeps its secret, so that two tabs don't interfere. */
export function chooseBrowserSecret(ctx: Context): string {
  return browserSecretOf(ctx) ?? ctx.secrets.token();
}

/**
 * Returns the cookie that binds a sign-in to its browser. If the response is a form submitted from the identity provider's page,
 * SameSite=Lax would withhold the cookie; None requires https, so over http the attribute is omitted. Then browsers send it with
 * forms across sites only in its first two minutes, so it gets another value each time.
 */
export function browserCookie(ctx: Context, organizationId: string, secret: string, by: ReturnBy = 'form'): string {
  const { config } = ctx;
  const isSecure = config.server.base_url.startsWith('https:');
  const isRenewed = by === 'form' && !isSecure && browserSecretOf(ctx) !== undefined;
  const value = isRenewed ? `${secret}.${ctx.secrets.token().slice(0, 22)}` : secret;
  const lax = isSecure ? '; SameSite=Lax; Secure' : '; SameSite=Lax';
  const site = by === 'link' ? lax : isSecure ? '; SameSite=None; Secure' : '';
  return `${BROWSER_COOKIE}=${value}; Path=${basePathOf(config)}${ssoPath(organizationId)}; Max-Age=${REQUEST_LIFETIME_MS / 1000}; HttpOnly${site}`;
}

/**
 * Whether the request comes from the browser that started the sign-in, so that no page can sign a person in to another account.
 * Clients that aren't browsers send no origin, and no page can make them send requests.
 */
export function isFromSameBrowser(ctx: Context, browser: string): boolean {
  const { header } = ctx.request;
  const secret = browserSecretOf(ctx);
  if (secret !== undefined) return isSecretOfBrowser(ctx, secret, browser);
  return header('origin') === undefined && header('sec-fetch-site') === undefined;
}

/** Whether an id was created with this browser secret. `browser` is the content of the id. */
export function isSecretOfBrowser(ctx: Context, secret: string, browser: string): boolean {
  return isSameSecret(browserMark(ctx, secret), browser);
}
