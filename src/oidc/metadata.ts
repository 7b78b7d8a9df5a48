// The metadata of a provider, found below its issuer (OpenID Connect Discovery). Only what is used is kept.
import type { ServerMetadata } from 'openid-client';
import type { App } from '../core/context.ts';
import { isProviderUrl, type ProviderFetch, REQUEST_TIMEOUT_MS } from './fetch.ts';
import { ProviderProblem, problemBehind } from './problem.ts';

/**
 * Algorithms of signatures that are accepted, also if a provider lists more: none with a shared secret, because its key would
 * be the client's, and not "none".
 */
export const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const MAX_URL_LENGTH = 2048;
const required = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
const optional = ['userinfo_endpoint', 'end_session_endpoint'] as const;

export interface ProviderMetadata extends ServerMetadata {
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
}

/** Fetches the metadata of an issuer. Rejects with ProviderProblem. */
export async function discover(
  app: Pick<App, 'config'>,
  issuer: string,
  fetchUrl: ProviderFetch,
): Promise<ProviderMetadata> {
  return checkMetadata(app, issuer, await download(issuer, fetchUrl));
}

async function download(issuer: string, fetchUrl: ProviderFetch): Promise<ServerMetadata> {
  const oidc = await import('openid-client');
  try {
    const found = await oidc.discovery(new URL(issuer), 'unused', undefined, oidc.None(), {
      [oidc.customFetch]: fetchUrl,
      timeout: (2 * REQUEST_TIMEOUT_MS) / 1_000,
      // isProviderUrl decides which URLs may use http.
      execute: [oidc.allowInsecureRequests],
    });
    return found.serverMetadata();
  } catch (error) {
    throw problemBehind(error) ?? new ProviderProblem(describe(error));
  }
}

function describe(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && cause instanceof Response) {
    return `its discovery document responded with ${cause.status}`;
  }
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') return describeIssuer(bodyOf(cause)?.issuer);
  return "its discovery document isn't valid JSON for OpenID Connect";
}

function bodyOf(cause: unknown): { issuer?: unknown } | undefined {
  const inner = cause instanceof Error ? cause.cause : cause;
  return (inner as { body?: { issuer?: unknown } } | undefined)?.body;
}

function describeIssuer(told: unknown): string {
  const isShown = typeof told === 'string' && told.length <= 200 && /^https?:\/\/[\x21-\x7e]+$/.test(told);
  return isShown ? `its issuer is "${told}", enter exactly this` : 'its issuer is another one';
}

function checkMetadata(app: Pick<App, 'config'>, issuer: string, found: ServerMetadata): ProviderMetadata {
  // The library compares them as URLs. Tokens contain the issuer as text, so a slash at the end matters.
  if (found.issuer !== issuer) throw new ProviderProblem(describeIssuer(found.issuer));
  const kept: Record<string, string> = {};
  for (const name of [...required, ...optional]) {
    const value: unknown = found[name];
    if (value === undefined && !isRequired(name)) continue;
    if (typeof value !== 'string' || value.length > MAX_URL_LENGTH || !isProviderUrl(app, value)) {
      throw new ProviderProblem(`its discovery document has no ${name} with https`);
    }
    kept[name] = value;
  }
  const methods = found.code_challenge_methods_supported;
  if (Array.isArray(methods) && !methods.includes('S256')) {
    throw new ProviderProblem('it supports PKCE, but not with S256');
  }
  const { token_endpoint_auth_methods_supported: authentications } = found;
  return {
    issuer,
    ...(kept as Pick<ProviderMetadata, (typeof required)[number]>),
    id_token_signing_alg_values_supported: ALGORITHMS,
    authorization_response_iss_parameter_supported: found.authorization_response_iss_parameter_supported === true,
    ...(Array.isArray(authentications)
      ? { token_endpoint_auth_methods_supported: authentications.filter((one) => typeof one === 'string') }
      : {}),
  };
}

function isRequired(name: string): boolean {
  return required.some((one) => one === name);
}
