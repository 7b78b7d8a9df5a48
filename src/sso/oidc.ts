// The rules for OpenID Connect connections: reading the input, the stored settings, and the test.
import type { Context, OrganizationContext } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import { fieldError } from '../lib/validation.ts';
import { clientUrls, configureClient, type OidcClient } from '../oidc/client.ts';
import type { ClaimNames } from '../oidc/code-flow.ts';
import { isProviderUrl } from '../oidc/fetch.ts';
import { ProviderProblem, problemBehind } from '../oidc/problem.ts';
import { type OidcProvider, oidcProvidersOf } from '../oidc/providers.ts';
import type { OidcInput, SsoConfiguration, SsoTestResult } from './schema.ts';
import { type ConnectionRow, loadConnection } from './store.ts';

/** What the client secret of an organization is encrypted for. */
export const clientSecretPurpose = (organizationId: string): string => `sso client secret ${organizationId}`;

/** The columns of a connection that depend on its kind. */
export type Provider = Pick<
  ConnectionRow,
  | 'kind'
  | 'entityId'
  | 'ssoUrl'
  | 'sloUrl'
  | 'certificates'
  | 'clientId'
  | 'clientSecretEncrypted'
  | 'clientAuthentication'
  | 'scopes'
  | 'emailClaim'
  | 'nameClaim'
  | 'acceptsUnverifiedEmail'
>;

/** The columns of SAML connections that they don't use. */
export const NO_CLIENT = {
  clientId: null,
  clientSecretEncrypted: null,
  clientAuthentication: null,
  scopes: null,
  emailClaim: null,
  nameClaim: null,
  acceptsUnverifiedEmail: false,
} as const;

/** Discovers the provider of an input. Without a secret, `clientSecretEncrypted` is null. Throws `validation_error`. */
export async function readOidcInput(ctx: OrganizationContext, input: OidcInput): Promise<Provider> {
  const { issuer, client_secret: secret } = input;
  const { metadata } = await discoverInput(ctx, issuer);
  return {
    kind: 'oidc',
    entityId: issuer,
    ssoUrl: metadata.authorization_endpoint,
    sloUrl: metadata.end_session_endpoint ?? null,
    certificates: '[]',
    clientId: input.client_id,
    clientSecretEncrypted:
      secret === undefined ? null : ctx.secrets.encrypt(secret, clientSecretPurpose(ctx.organization.id)),
    clientAuthentication: input.client_authentication ?? null,
    scopes: [...new Set(['openid', ...input.scopes])].join(' '),
    emailClaim: input.email_claim,
    nameClaim: input.name_claim,
    acceptsUnverifiedEmail: input.accept_unverified_email,
  };
}

async function discoverInput(ctx: Context, issuer: string): Promise<OidcProvider> {
  const refuse = (text: string) => fieldError('body', ['oidc', 'issuer'], 'value_error', text);
  if (!isProviderUrl(ctx, issuer) || issuer.includes('?')) throw refuse('Input should be an https URL without query');
  if (issuer.includes('/.well-known/')) throw refuse('Input should be the issuer, without /.well-known/…');
  try {
    return await oidcProvidersOf(ctx).reload(issuer);
  } catch (error) {
    if (!(error instanceof ProviderProblem)) throw error;
    throw refuse(`The provider can't be used: ${error.message}`);
  }
}

/**
 * Adds the stored secret to a provider that was configured without one. Only the same client at the same issuer keeps it,
 * so that nobody can have it sent elsewhere. Throws `validation_error`.
 */
export function keepSecret(provider: Provider, current: ConnectionRow | undefined): Provider {
  if (provider.kind === 'saml' || provider.clientSecretEncrypted !== null) return provider;
  const isSame = current?.entityId === provider.entityId && current.clientId === provider.clientId;
  if (isSame && current.clientSecretEncrypted !== null) {
    return { ...provider, clientSecretEncrypted: current.clientSecretEncrypted };
  }
  throw fieldError('body', ['oidc', 'client_secret'], 'missing', 'Field required');
}

/** Returns the client of a connection. Throws an Error for SAML. */
export function clientOf(
  ctx: Context,
  { organizationId, clientId, clientSecretEncrypted: secret, clientAuthentication }: ConnectionRow,
): OidcClient {
  if (clientId === null || secret === null) throw new TypeError('The connection has no client');
  return {
    clientId,
    clientSecret: ctx.secrets.decrypt(secret, clientSecretPurpose(organizationId)),
    authentication: clientAuthentication,
  };
}

/** Returns the claims that contain address and name, by default those of the standard. */
export function claimNamesOf({ emailClaim, nameClaim }: ConnectionRow): ClaimNames {
  return { email: emailClaim ?? 'email', name: nameClaim ?? 'name' };
}

/** Returns the settings as they're shown, without the secret. */
export function toOidcSettings(row: ConnectionRow): SsoConfiguration['oidc'] {
  if (row.kind === 'saml') return null;
  const { email, name } = claimNamesOf(row);
  return {
    issuer: row.entityId,
    client_id: row.clientId ?? '',
    client_authentication: row.clientAuthentication,
    scopes: (row.scopes ?? 'openid').split(' '),
    email_claim: email,
    name_claim: name,
    accept_unverified_email: row.acceptsUnverifiedEmail,
  };
}

type Check = SsoTestResult['checks'][number];

/**
 * Checks what can be checked without a person: the discovery document, the keys and the client's secret. Throws
 * `not_found` without a connection, and `operation_not_allowed` for SAML.
 */
export async function testConnection(ctx: OrganizationContext): Promise<SsoTestResult> {
  const row = loadConnection(ctx, ctx.organization.id);
  if (row.kind === 'saml') {
    throw new AppError('operation_not_allowed', 'This test is for OpenID Connect. To test SAML, sign in');
  }
  const checks = await runChecks(ctx, row);
  return { passed: checks.every(({ result }) => result === 'passed'), checks };
}

async function runChecks(ctx: OrganizationContext, row: ConnectionRow): Promise<Check[]> {
  const unknown = (name: Check['name']): Check => ({ name, result: 'unknown', message: null });
  const failed = (name: Check['name'], error: unknown): Check => {
    const problem = problemBehind(error);
    if (problem === undefined) throw error;
    return { name, result: 'failed', message: `The provider can't be used: ${problem.message}` };
  };
  let provider: OidcProvider;
  try {
    provider = await oidcProvidersOf(ctx).reload(row.entityId);
  } catch (error) {
    return [failed('discovery', error), unknown('keys'), unknown('client')];
  }
  const keys = await provider.keys.fetch().then(
    (count): Check =>
      count > 0
        ? { name: 'keys', result: 'passed', message: null }
        : { name: 'keys', result: 'failed', message: 'The provider has no keys' },
    (error: unknown) => failed('keys', error),
  );
  return [{ name: 'discovery', result: 'passed', message: null }, keys, await checkClient(ctx, row, provider)];
}

const refusedClient: ReadonlySet<unknown> = new Set(['invalid_client', 'unauthorized_client', 'access_denied']);

/** Sends a code that doesn't exist. A provider checks the client before the code. */
async function checkClient(ctx: OrganizationContext, row: ConnectionRow, { metadata }: OidcProvider): Promise<Check> {
  const oidc = await import('openid-client');
  const configuration = await configureClient(ctx, metadata, clientOf(ctx, row), oidcProvidersOf(ctx).fetch);
  const unknown = {
    name: 'client',
    result: 'unknown',
    message: 'The response of the provider shows neither success nor failure',
  } as const;
  try {
    await oidc.genericGrantRequest(configuration, 'authorization_code', {
      code: 'taxiway-test',
      redirect_uri: clientUrls(ctx, row.organizationId).redirectUri,
      code_verifier: oidc.randomPKCECodeVerifier(),
    });
    return unknown;
  } catch (error) {
    const { code, error: told } = error as { code?: unknown; error?: unknown };
    if (told === 'invalid_grant') return { name: 'client', result: 'passed', message: null };
    if (!refusedClient.has(told) && code !== 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return unknown;
    return { name: 'client', result: 'failed', message: 'The provider rejected the client ID or the client secret' };
  }
}
