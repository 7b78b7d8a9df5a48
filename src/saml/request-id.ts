// Ids of requests to an identity provider. They are signed instead of stored: asking for a sign-in costs no write, so that
// nobody fills the disk by asking; what was answered is written down once it was.

import { basePathOf } from '../config/base-path.ts';
import type { Context } from '../core/context.ts';
import { isSameSecret } from '../runtime/secrets.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';
import { ssoPath } from './names.ts';

export type RequestPurpose = 'sso login' | 'sso logout';

/** How long the identity provider has to answer. */
export const REQUEST_LIFETIME_MS = 15 * 60_000;
const BROWSER_COOKIE = 'svc_sso';
const FORM = /^_([\w-]{22})\.([\w-]{22})\.([0-9a-z]{8,9})\.([\w.-]{1,128})$/;

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

/** A new id, fit for an xs:ID, bound to the browser that holds `browserSecret`. */
export function mintRequestId(ctx: Context, scope: RequestScope, browserSecret = ctx.secrets.token()): string {
  const nonce = ctx.secrets.token().slice(0, 22);
  const browser = browserMark(ctx, browserSecret);
  const at = ctx.clock.now().getTime().toString(36);
  const signature = signFields(ctx.secrets.keyring, scope.purpose, fieldsOf(scope, nonce, browser, at));
  return `_${nonce}.${browser}.${at}.${signature}`;
}

/** What an id says, when it was minted for this scope and its time is not over; else undefined. */
export function readRequestId(
  ctx: Context,
  scope: RequestScope,
  id: string,
): { browser: string; expiresAt: number } | undefined {
  const [, nonce = '', browser = '', at = '', signature = ''] = FORM.exec(id) ?? [];
  if (!verifyFields(ctx.secrets.keyring, scope.purpose, fieldsOf(scope, nonce, browser, at), signature)) {
    return undefined;
  }
  const expiresAt = Number.parseInt(at, 36) + REQUEST_LIFETIME_MS;
  return expiresAt > ctx.clock.now().getTime() ? { browser, expiresAt } : undefined;
}

/** The secret that a browser got when it began a sign-in, if it did. */
function browserSecretOf(ctx: Context): string | undefined {
  for (const part of (ctx.request.header('cookie') ?? '').split(';')) {
    const [name, value = ''] = part.split('=');
    if (name?.trim() === BROWSER_COOKIE && /^[\w-]{43}$/.test(value.trim())) return value.trim();
  }
  return undefined;
}

/**
 * The secret for a sign-in that begins now. Over https a browser keeps the one it has, so that two tabs do not disturb each
 * other; over http browsers send a cookie across sites only in the first two minutes of its life, so it is a new one.
 */
export function chooseBrowserSecret(ctx: Context): string {
  const isSecure = ctx.config.server.base_url.startsWith('https:');
  return (isSecure ? browserSecretOf(ctx) : undefined) ?? ctx.secrets.token();
}

/**
 * The cookie that binds a sign-in to the browser that began it. The answer comes as a form from the identity provider's
 * page, which SameSite=Lax would keep the cookie from; None needs https, and over http the attribute is left out.
 */
export function browserCookie({ config }: Context, organizationId: string, secret: string): string {
  const site = config.server.base_url.startsWith('https:') ? '; SameSite=None; Secure' : '';
  return `${BROWSER_COOKIE}=${secret}; Path=${basePathOf(config)}${ssoPath(organizationId)}; Max-Age=${REQUEST_LIFETIME_MS / 1000}; HttpOnly${site}`;
}

/**
 * Whether the request comes from the browser that began the sign-in, so that no page can sign somebody into an account that
 * is not theirs. A client that is no browser names no origin, and nobody can make it send anything.
 */
export function isFromSameBrowser(ctx: Context, browser: string): boolean {
  const { header } = ctx.request;
  const secret = browserSecretOf(ctx);
  if (secret !== undefined) return isSameSecret(browserMark(ctx, secret), browser);
  return header('origin') === undefined && header('sec-fetch-site') === undefined;
}
