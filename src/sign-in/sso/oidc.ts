// Signing in through an OpenID Connect provider: the redirect and the callback with its code.

import type { Context } from '../../core/context.ts';
import { type Reply, redirectTo } from '../../http/reply.ts';
import { clientUrls } from '../../oidc/client.ts';
import { type OidcIdentity, redeemCode, type SignInSecrets, writeAuthorizationUrl } from '../../oidc/code-flow.ts';
import { ProviderProblem } from '../../oidc/problem.ts';
import { type OidcProvider, oidcProvidersOf } from '../../oidc/providers.ts';
import { signFields } from '../../runtime/signing.ts';
import { normalizeDomain } from '../../saml/domain-name.ts';
import { RefusedMessage } from '../../saml/errors.ts';
import {
  browserCookie,
  browserSecretOf,
  chooseBrowserSecret,
  isSecretOfBrowser,
  mintRequestId,
  type RequestScope,
  readRequestId,
} from '../../saml/request-id.ts';
import { claimNamesOf, clientOf } from '../../sso/oidc.ts';
import type { SsoLoginQuery } from '../../sso/schema.ts';
import * as store from '../../sso/store.ts';
import { admitIdentity, authenticationTime, findEnabled } from './admission.ts';
import { homePath, safePath } from './return-path.ts';

const MAX_HINT_LENGTH = 8 * 1024;
/** Between the id of the request and the path to return to. */
const SEPARATOR = '~';

function scopeOf({ organizationId, entityId, clientId }: store.ConnectionRow, isForced: boolean): RequestScope {
  const purpose = isForced ? 'oidc forced login' : 'oidc login';
  return { purpose, organizationId, entityId: `${clientId} ${entityId}` };
}

/** The other secrets follow from the state and the browser, so that starting a sign-in stores nothing. */
function secretsOf(ctx: Context, state: string, browserSecret: string): SignInSecrets {
  return {
    state,
    nonce: signFields(ctx.secrets.keyring, 'oidc nonce', [state]),
    verifier: signFields(ctx.secrets.keyring, 'oidc verifier', [state, browserSecret]),
  };
}

/** Redirects a browser to the provider of a connection. Throws RefusedMessage if it can't be discovered. */
export async function beginOidcSignIn(
  ctx: Context,
  connection: store.ConnectionRow,
  { relay_state: relayState, force_authn: isForced = false }: SsoLoginQuery,
): Promise<Reply> {
  const { organizationId } = connection;
  const browserSecret = chooseBrowserSecret(ctx);
  const id = mintRequestId(ctx, scopeOf(connection, isForced), browserSecret);
  const path = safePath(ctx, relayState);
  const state = path === homePath(ctx) ? id : `${id}${SEPARATOR}${Buffer.from(path).toString('base64url')}`;
  const flow = {
    provider: await loadProvider(ctx, connection),
    client: clientOf(ctx, connection),
    redirectUri: clientUrls(ctx, organizationId).redirectUri,
    secrets: secretsOf(ctx, state, browserSecret),
  };
  const address = await writeAuthorizationUrl(ctx, flow, { scopes: connection.scopes ?? 'openid', isForced });
  return { ...redirectTo(address), cookies: [browserCookie(ctx, organizationId, browserSecret, 'link')] };
}

/** Returns the provider of a connection. Throws RefusedMessage if it can't be reached. */
export async function loadProvider(ctx: Context, { entityId }: store.ConnectionRow): Promise<OidcProvider> {
  try {
    return await oidcProvidersOf(ctx).load(entityId);
  } catch (error) {
    if (!(error instanceof ProviderProblem)) throw error;
    throw new RefusedMessage('unreachable', { description: error.message });
  }
}

/**
 * Handles a provider's callback: creates a session with cookies and redirects the browser. Throws RefusedMessage, and
 * `not_found` if single sign-on with OpenID Connect isn't enabled.
 */
export async function completeOidcSignIn(ctx: Context, organizationId: string): Promise<Reply> {
  const connection = findEnabled(ctx, organizationId, 'oidc');
  const rawQuery = ctx.request.rawQuery ?? '';
  const [state = '', ...others] = new URLSearchParams(rawQuery).getAll('state');
  const [id = '', encodedPath] = state.split(SEPARATOR);
  const forced = readRequestId(ctx, scopeOf(connection, true), id);
  const request = forced ?? readRequestId(ctx, scopeOf(connection, false), id);
  if (request === undefined || others.length > 0) throw new RefusedMessage('request');
  // Unlike a form, a link sends the cookie in every browser.
  const browserSecret = browserSecretOf(ctx);
  if (browserSecret === undefined || !isSecretOfBrowser(ctx, browserSecret, request.browser)) {
    throw new RefusedMessage('browser');
  }
  spendRequest(ctx, id, request.expiresAt);
  const identity = await redeemCode(
    ctx,
    {
      provider: await loadProvider(ctx, connection),
      client: clientOf(ctx, connection),
      redirectUri: clientUrls(ctx, organizationId).redirectUri,
      secrets: secretsOf(ctx, state, browserSecret),
    },
    rawQuery,
    claimNamesOf(connection),
    connection.acceptsUnverifiedEmail,
  );
  const path = encodedPath === undefined ? undefined : Buffer.from(encodedPath, 'base64url').toString();
  const { email, displayName, sessionIndex } = identity;
  return admitIdentity(
    ctx,
    connection,
    {
      email,
      displayName,
      sessionIndex,
      nameId: identity.subject,
      nameIdFormat: null,
      authenticatedAt: authenticationTime(ctx, identity, forced !== undefined),
      idTokenEncrypted: sealIdToken(ctx, organizationId, identity),
    },
    path,
    () => checkHostedDomain(ctx, organizationId, identity),
  );
}

/** What the ID token of a session is encrypted for. */
export const idTokenPurpose = (organizationId: string): string => `sso id token ${organizationId}`;

/** A longer token isn't kept, because it doesn't fit into the URL of a logout. */
function sealIdToken(ctx: Context, organizationId: string, { idToken }: OidcIdentity): string | null {
  if (idToken.length > MAX_HINT_LENGTH) return null;
  return ctx.secrets.encrypt(idToken, idTokenPurpose(organizationId));
}

/** Returns the ID token behind a session, or undefined if it wasn't kept. */
export function openIdToken(
  ctx: Context,
  { organizationId, idTokenEncrypted: encrypted }: store.SsoSessionRow,
): string | undefined {
  return encrypted === null ? undefined : ctx.secrets.decrypt(encrypted, idTokenPurpose(organizationId));
}

/** A request is used up before its code is redeemed, so that two callbacks at the same time can't both do it. */
function spendRequest(ctx: Context, id: string, expiresAt: number): void {
  const isFirst = ctx.transact((tx) => store.useOnce(tx, `request ${id}`, expiresAt), { bookkeeping: true });
  if (!isFirst) throw new RefusedMessage('replayed');
}

/**
 * Google also verifies private accounts with addresses of a company, whose owners may have left it since. Only `hd` shows
 * that a company manages the account.
 */
function checkHostedDomain(ctx: Context, organizationId: string, { hostedDomain }: OidcIdentity): void {
  if (hostedDomain === undefined) return;
  const domain = hostedDomain === null ? undefined : normalizeDomain(hostedDomain);
  const owner = domain === undefined ? undefined : store.findDomainOwner(ctx, domain);
  if (owner?.organizationId !== organizationId) throw new RefusedMessage('hosted_domain');
}
