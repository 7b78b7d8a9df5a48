// Logout: the URL that ends the session at the provider, and the provider's logout tokens (OpenID Connect Back-Channel Logout).
import type { App } from '../core/context.ts';
import { RefusedMessage } from '../saml/errors.ts';
import type { OidcProvider } from './providers.ts';
import { textClaim, verifyToken } from './tokens.ts';

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

export interface LogoutToken {
  id: string;
  /** At least one of the two is there. */
  subject: string | undefined;
  sessionIndex: string | undefined;
}

/** Returns the URL that signs the person out at the provider and leads back. */
export async function writeLogoutUrl(
  endpoint: string,
  clientId: string,
  returnTo: string,
  idToken: string | undefined,
): Promise<string> {
  const oidc = await import('openid-client');
  const configuration = new oidc.Configuration({ issuer: endpoint, end_session_endpoint: endpoint }, clientId);
  oidc.allowInsecureRequests(configuration);
  return oidc.buildEndSessionUrl(configuration, {
    post_logout_redirect_uri: returnTo,
    ...(idToken === undefined ? {} : { id_token_hint: idToken }),
  }).href;
}

/** Reads a logout token. Throws RefusedMessage unless the provider signed it for this client just now. */
export async function readLogoutToken(
  app: Pick<App, 'clock'>,
  token: string,
  provider: OidcProvider,
  clientId: string,
): Promise<LogoutToken> {
  const claims = await verifyToken(token, provider, { clientId, now: app.clock.now(), claims: ['jti', 'events'] });
  const { events } = claims;
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT);
  // An ID token isn't a logout token, and vice versa.
  if (!isLogout || claims.nonce !== undefined) throw new RefusedMessage('unreadable');
  const id = textClaim(claims, 'jti');
  const [subject, sessionIndex] = [textClaim(claims, 'sub'), textClaim(claims, 'sid')];
  if (id === undefined || (subject === undefined && sessionIndex === undefined)) throw new RefusedMessage('subject');
  return { id, subject, sessionIndex };
}
