// The authorization code flow: the URL that starts a sign-in, and the identity behind its code.
import type { App } from '../core/context.ts';
import { displayName as displayNameShape, emailAddress } from '../developers/schema.ts';
import { domainOfAddress } from '../saml/domain-name.ts';
import { RefusedMessage } from '../saml/errors.ts';
import { configureClient, type OidcClient } from './client.ts';
import { problemBehind } from './problem.ts';
import { type OidcProvider, oidcProvidersOf } from './providers.ts';
import { reasonForClaim, textClaim, verifyToken } from './tokens.ts';

const GOOGLE = 'https://accounts.google.com';
const MAX_DESCRIPTION_LENGTH = 300;

/** The secrets of one sign-in. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
}

export interface ClaimNames {
  email: string;
  name: string;
}

/** A person as their provider describes them. */
export interface OidcIdentity {
  subject: string;
  /** The session at the provider, for logout; null if it doesn't name one. */
  sessionIndex: string | null;
  /** When the provider authenticated the person, in milliseconds since the epoch; null if unknown. */
  authenticatedAt: number | null;
  email: string;
  displayName: string | undefined;
  idToken: string;
  /** The domain of the Google Workspace that manages the account; null if it's private, undefined elsewhere. */
  hostedDomain: string | null | undefined;
}

interface Flow {
  provider: OidcProvider;
  client: OidcClient;
  redirectUri: string;
  secrets: SignInSecrets;
}

/** Returns the URL to send the browser to. `isForced` asks for a new authentication despite an existing session. */
export async function writeAuthorizationUrl(
  app: App,
  { provider, client, redirectUri, secrets }: Flow,
  { scopes, isForced }: { scopes: string; isForced: boolean },
): Promise<string> {
  const oidc = await import('openid-client');
  const configuration = await configureClient(app, provider.metadata, client, oidcProvidersOf(app).fetch);
  return oidc.buildAuthorizationUrl(configuration, {
    response_type: 'code',
    response_mode: 'query',
    redirect_uri: redirectUri,
    scope: scopes,
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: 'S256',
    ...(isForced ? forcedParameters(provider) : {}),
  }).href;
}

/** Google can't be asked to authenticate a person again, and rejects other prompts than its own. */
function forcedParameters({ metadata }: OidcProvider): Record<string, string> {
  return metadata.issuer === GOOGLE ? { prompt: 'select_account' } : { prompt: 'login', max_age: '0' };
}

/**
 * Redeems the code of a callback for the identity of the person. `rawQuery` is the query as it was sent. Throws
 * RefusedMessage.
 */
export async function redeemCode(
  app: App,
  { provider, client, redirectUri, secrets }: Flow,
  rawQuery: string,
  names: ClaimNames,
  acceptsUnverifiedEmail: boolean,
): Promise<OidcIdentity> {
  const oidc = await import('openid-client');
  const configuration = await configureClient(app, provider.metadata, client, oidcProvidersOf(app).fetch);
  try {
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${rawQuery}`), {
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      pkceCodeVerifier: secrets.verifier,
      idTokenExpected: true,
    });
    const idToken = tokens.id_token ?? '';
    // The library trusts the connection to the token endpoint. We don't, and verify the signature.
    const claims = await verifyToken(idToken, provider, {
      clientId: client.clientId,
      now: app.clock.now(),
      claims: ['sub', 'nonce'],
    });
    const subject = textClaim(claims, 'sub');
    if (subject === undefined) throw new RefusedMessage('subject');
    const isComplete =
      claims[names.email] !== undefined &&
      (acceptsUnverifiedEmail || names.email !== 'email' || claims.email_verified !== undefined);
    const isAsked = !isComplete && provider.metadata.userinfo_endpoint !== undefined;
    const more = isAsked ? await oidc.fetchUserInfo(configuration, tokens.access_token, subject) : {};
    return {
      subject,
      sessionIndex: textClaim(claims, 'sid') ?? null,
      // A number of seconds can have a fraction (RFC 7519 section 2).
      authenticatedAt: typeof claims.auth_time === 'number' ? Math.floor(claims.auth_time * 1_000) : null,
      email: findEmail([claims, more], names.email, acceptsUnverifiedEmail),
      displayName: displayNameShape().safeParse(claims[names.name] ?? (more as Record<string, unknown>)[names.name])
        .data,
      idToken,
      hostedDomain: provider.metadata.issuer === GOOGLE ? (textClaim(claims, 'hd') ?? null) : undefined,
    };
  } catch (error) {
    throw refusalOf(error);
  }
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the verified address. The claim and its verification must come from the same source. Only the claim `email`
 * has a verification. Throws RefusedMessage.
 */
function findEmail(sources: readonly Claims[], name: string, acceptsUnverified: boolean): string {
  const told = sources.filter((claims) => claims[name] !== undefined);
  if (told.length === 0) throw new RefusedMessage('email');
  const isDenied = name === 'email' && told.some(({ email_verified: is }) => is === false || is === 'false');
  const isVerified = (claims: Claims) =>
    acceptsUnverified || (name === 'email' && (claims.email_verified === true || claims.email_verified === 'true'));
  const source = isDenied ? undefined : told.find(isVerified);
  if (source === undefined) throw new RefusedMessage('email_unverified');
  const address = emailAddress().safeParse(source[name]);
  if (address.success) return address.data;
  const text = source[name];
  const isDomainWrong = typeof text === 'string' && text.includes('@') && domainOfAddress(text) === undefined;
  throw new RefusedMessage(isDomainWrong ? 'domain' : 'email');
}

/** Returns the reason of a failed sign-in. Texts of the provider are only used if they came over its own connection. */
function refusalOf(error: unknown): RefusedMessage {
  if (error instanceof RefusedMessage) return error;
  if (problemBehind(error) !== undefined) return new RefusedMessage('unreachable');
  const { code, cause, error: told, error_description: description } = error as Record<string, unknown>;
  switch (code) {
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
      return new RefusedMessage('status', { error: errorCode(told) });
    case 'OAUTH_RESPONSE_BODY_ERROR':
      return new RefusedMessage('code', { error: errorCode(told), ...describe(description) });
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return new RefusedMessage('code', { error: 'invalid_client' });
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return new RefusedMessage(reasonForClaim(claimOf(cause)));
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      // The answer about the person is about another one.
      return new RefusedMessage('subject');
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
    case 'OAUTH_TIMEOUT':
    case 'OAUTH_ABORT':
      return new RefusedMessage('unreachable');
    case 'OAUTH_UNSUPPORTED_OPERATION':
      return new RefusedMessage('algorithm');
    default:
      return new RefusedMessage(
        isAbout(cause, '"iss"') ? 'issuer' : isAbout(cause, '"alg"') ? 'algorithm' : 'unreadable',
      );
  }
}

/** The library has no codes for some of its checks. */
function isAbout(cause: unknown, name: string): boolean {
  return cause instanceof Error && cause.message.includes(name);
}

function claimOf(cause: unknown): unknown {
  return cause instanceof Error ? (cause.cause as { claim?: unknown } | undefined)?.claim : undefined;
}

function errorCode(told: unknown): string {
  return typeof told === 'string' && /^[a-z_]{1,64}$/.test(told) ? told : 'unknown';
}

function describe(description: unknown): { description?: string } {
  if (typeof description !== 'string' || description === '') return {};
  return { description: description.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_DESCRIPTION_LENGTH) };
}
