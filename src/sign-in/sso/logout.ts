// Single logout, started by us or by the identity provider.

import type { Context, DeveloperContext, Tx } from '../../core/context.ts';
import { type Reply, redirectTo } from '../../http/reply.ts';
import { rejectForeignOrigin } from '../../http/same-origin.ts';
import { notFound } from '../../lib/errors.ts';
import { clientUrls } from '../../oidc/client.ts';
import { readLogoutToken, writeLogoutUrl } from '../../oidc/logout.ts';
import { RefusedMessage } from '../../saml/errors.ts';
import type { LogoutMessage } from '../../saml/logout-message.ts';
import { redirectAddress, writeLogoutRequest, writeLogoutResponse } from '../../saml/messages.ts';
import { serviceProvider } from '../../saml/names.ts';
import { samlReaderOf } from '../../saml/reader.ts';
import { mintRequestId, REQUEST_LIFETIME_MS, readRequestId } from '../../saml/request-id.ts';
import { CLOCK_SKEW_MS } from '../../saml/response.ts';
import { clearedCookies } from '../../sessions/cookies.ts';
import { endSession } from '../../sessions/service.ts';
import { certificatesOf } from '../../sso/configuration.ts';
import { provideKey } from '../../sso/provider-key.ts';
import * as store from '../../sso/store.ts';
import { findEnabled } from './admission.ts';
import { loadProvider, openIdToken } from './oidc.ts';
import { homePath } from './return-path.ts';

const MAX_RELAY_STATE_LENGTH = 1024;

/**
 * Ends the session of the request and redirects the browser to the identity provider to sign out there too. Throws
 * `not_found` for a session that didn't start through this organization's identity provider.
 */
export async function beginLogout(ctx: DeveloperContext, organizationId: string): Promise<Reply> {
  rejectForeignOrigin(ctx, ctx.request.header);
  const session = store.findSsoSession(ctx, organizationId, ctx.actor.sessionId);
  if (session === undefined) throw notFound();
  ctx.transact((tx) => {
    if (!endSession(tx, ctx.actor.id, ctx.actor.sessionId)) return;
    tx.record('login.logged_out', {
      identifier: ctx.actor.id,
      organizationId: null,
      details: { session_id: ctx.actor.sessionId, sso: true },
    });
  });
  const connection = store.findConnection(ctx, organizationId);
  const hasLogout = connection !== undefined && store.isSessionOf(connection, session) && connection.isEnabled;
  if (!hasLogout || connection.sloUrl === null) return { ...redirectTo(homePath(ctx)), cookies: clearedCookies(ctx) };
  if (connection.kind === 'oidc') return redirectToOidcLogout(ctx, connection, connection.sloUrl, session);
  const { privateKey } = await provideKey(ctx, organizationId);
  const message = writeLogoutRequest(
    {
      id: mintRequestId(ctx, { purpose: 'sso logout', organizationId, entityId: connection.entityId }),
      issuedAt: ctx.clock.time(),
      destination: connection.sloUrl,
      provider: serviceProvider(ctx, organizationId),
    },
    session,
  );
  const address = redirectAddress(connection.sloUrl, 'SAMLRequest', message, undefined, privateKey);
  return { ...redirectTo(address), cookies: clearedCookies(ctx) };
}

async function redirectToOidcLogout(
  ctx: Context,
  { organizationId, clientId }: store.ConnectionRow,
  endpoint: string,
  session: store.SsoSessionRow,
): Promise<Reply> {
  const { postLogoutRedirectUri } = clientUrls(ctx, organizationId);
  const address = await writeLogoutUrl(endpoint, clientId ?? '', postLogoutRedirectUri, openIdToken(ctx, session));
  return { ...redirectTo(address), cookies: clearedCookies(ctx) };
}

/**
 * Handles a logout token of an OpenID Connect provider, which its server sends. The signature of the token is its
 * credential. Throws RefusedMessage, and `not_found` if single sign-on with OpenID Connect isn't enabled.
 */
export async function handleBackchannelLogout(ctx: Context, organizationId: string, token: string): Promise<Reply> {
  const connection = findEnabled(ctx, organizationId, 'oidc');
  const logout = await readLogoutToken(ctx, token, await loadProvider(ctx, connection), connection.clientId ?? '');
  ctx.transact(
    (tx) => {
      useMessageOnce(tx, connection, logout.id);
      const indexes = logout.sessionIndex === undefined ? [] : [logout.sessionIndex];
      endSessions(tx, connection, logout.subject, indexes);
    },
    // Logging out twice is harmless, so only the id of the message is stored.
    { bookkeeping: true },
  );
  return { isReply: true, headers: { 'cache-control': 'no-store' }, body: null };
}

function useMessageOnce(tx: Tx, { organizationId, entityId }: store.ConnectionRow, id: string): void {
  const used = tx.secrets.hash(`${organizationId} ${entityId} ${id}`);
  if (!store.useOnce(tx, `logout ${used}`, tx.now + REQUEST_LIFETIME_MS + CLOCK_SKEW_MS)) {
    throw new RefusedMessage('replayed');
  }
}

function endSessions(
  tx: Tx,
  connection: store.ConnectionRow,
  nameId: string | undefined,
  indexes: readonly string[],
): void {
  for (const found of store.listSsoSessions(tx, connection, nameId, indexes)) {
    if (!endSession(tx, found.developerId, found.sessionId)) continue;
    tx.record('session.revoked', {
      identifier: found.developerId,
      organizationId: connection.organizationId,
      developerId: found.developerId,
      details: { session_id: found.sessionId, by: 'identity_provider' },
    });
  }
}

/**
 * Handles a logout message of a SAML identity provider: a request, or the response to ours. The signature of the query is
 * its credential. Throws RefusedMessage, and `not_found` without a connection.
 */
export async function handleLogout(ctx: Context, organizationId: string): Promise<Reply> {
  const connection = findEnabled(ctx, organizationId, 'saml');
  const message = await samlReaderOf(ctx).readLogout(ctx.request.rawQuery ?? '', {
    entityId: connection.entityId,
    certificates: certificatesOf(connection),
    sloUrl: serviceProvider(ctx, organizationId).sloUrl,
    now: ctx.clock.time(),
  });
  if (message.kind === 'request') return signOutByProvider(ctx, connection, message);
  const scope = { purpose: 'sso logout', organizationId, entityId: connection.entityId } as const;
  if (readRequestId(ctx, scope, message.inResponseTo) === undefined) throw new RefusedMessage('request');
  return redirectTo(homePath(ctx));
}

async function signOutByProvider(
  ctx: Context,
  connection: store.ConnectionRow,
  request: Extract<LogoutMessage, { kind: 'request' }>,
): Promise<Reply> {
  const { organizationId, entityId, sloUrl } = connection;
  const { privateKey } = await provideKey(ctx, organizationId);
  ctx.transact(
    (tx) => {
      useMessageOnce(tx, connection, request.id);
      endSessions(tx, connection, request.nameId, request.sessionIndexes);
    },
    // Logging out twice is harmless, so only the id of the message is stored.
    { bookkeeping: true },
  );
  const cookies = clearedCookies(ctx);
  if (sloUrl === null) return { ...redirectTo(homePath(ctx)), cookies };
  const message = writeLogoutResponse(
    {
      id: mintRequestId(ctx, { purpose: 'sso logout', organizationId, entityId }),
      issuedAt: ctx.clock.time(),
      destination: sloUrl,
      provider: serviceProvider(ctx, organizationId),
    },
    request.id,
  );
  const state = request.relayState?.slice(0, MAX_RELAY_STATE_LENGTH);
  return { ...redirectTo(redirectAddress(sloUrl, 'SAMLResponse', message, state, privateKey)), cookies };
}
