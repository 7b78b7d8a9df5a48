// Signing in through a SAML identity provider: the request and its response.

import type { Context } from '../../core/context.ts';
import { type Reply, redirectTo } from '../../http/reply.ts';
import { RefusedMessage } from '../../saml/errors.ts';
import { redirectAddress, writeAuthnRequest } from '../../saml/messages.ts';
import { serviceProvider } from '../../saml/names.ts';
import { samlReaderOf } from '../../saml/reader.ts';
import {
  browserCookie,
  chooseBrowserSecret,
  isFromSameBrowser,
  mintRequestId,
  type RequestScope,
  readRequestId,
} from '../../saml/request-id.ts';
import { certificatesOf } from '../../sso/configuration.ts';
import { provideKey } from '../../sso/provider-key.ts';
import type { SsoLoginQuery, SsoResponse } from '../../sso/schema.ts';
import * as store from '../../sso/store.ts';
import { admitIdentity, authenticationTime, findEnabled } from './admission.ts';
import { homePath, safePath } from './return-path.ts';

/** Redirects a browser to the identity provider of a connection. */
export async function beginSamlSignIn(
  ctx: Context,
  connection: store.ConnectionRow,
  { relay_state: relayState, force_authn: isForced = false }: SsoLoginQuery,
): Promise<Reply> {
  const { organizationId } = connection;
  const { privateKey } = await provideKey(ctx, organizationId);
  const secret = chooseBrowserSecret(ctx);
  const envelope = {
    id: mintRequestId(ctx, scopeOf(connection, isForced), secret),
    issuedAt: ctx.clock.time(),
    destination: connection.ssoUrl,
    provider: serviceProvider(ctx, organizationId),
  };
  const message = writeAuthnRequest(envelope, isForced);
  const path = safePath(ctx, relayState);
  const address = redirectAddress(
    connection.ssoUrl,
    'SAMLRequest',
    message,
    path === homePath(ctx) ? undefined : path,
    privateKey,
  );
  return { ...redirectTo(address), cookies: [browserCookie(ctx, organizationId, secret)] };
}

function scopeOf({ organizationId, entityId }: store.ConnectionRow, isForced: boolean): RequestScope {
  return { purpose: isForced ? 'sso forced login' : 'sso login', organizationId, entityId };
}

/**
 * Handles an identity provider's response: creates a session with cookies and redirects the browser. Throws
 * RefusedMessage, and `not_found` if single sign-on with SAML isn't enabled.
 */
export async function completeSamlSignIn(ctx: Context, organizationId: string, body: SsoResponse): Promise<Reply> {
  const connection = findEnabled(ctx, organizationId, 'saml');
  const { entityId } = connection;
  const provider = serviceProvider(ctx, organizationId);
  const identity = await samlReaderOf(ctx).readResponse(body.SAMLResponse, {
    entityId,
    certificates: certificatesOf(connection),
    audience: provider.entityId,
    acsUrl: provider.acsUrl,
    now: ctx.clock.time(),
  });
  const forced = readRequestId(ctx, scopeOf(connection, true), identity.inResponseTo);
  const request = forced ?? readRequestId(ctx, scopeOf(connection, false), identity.inResponseTo);
  if (request === undefined) throw new RefusedMessage('request');
  if (!isFromSameBrowser(ctx, request.browser)) throw new RefusedMessage('browser');
  const authenticatedAt = authenticationTime(ctx, identity, forced !== undefined);
  const proven = { ...identity, authenticatedAt, idTokenEncrypted: null };
  return admitIdentity(ctx, connection, proven, body.RelayState, (tx) => {
    // A response never outlives its request, so the ids are stored only that long.
    const assertion = tx.secrets.hash(`${organizationId} ${entityId} ${identity.assertionId}`);
    const isFirst =
      store.useOnce(tx, `request ${identity.inResponseTo}`, request.expiresAt) &&
      store.useOnce(tx, `assertion ${assertion}`, request.expiresAt);
    if (!isFirst) throw new RefusedMessage('replayed');
  });
}
