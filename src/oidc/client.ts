// An organization as a client of its provider, in the form of openid-client.
import type { ClientAuth, Configuration } from 'openid-client';
import type { App } from '../core/context.ts';
import { ssoPath } from '../saml/names.ts';
import type { ProviderFetch } from './fetch.ts';
import type { ProviderMetadata } from './metadata.ts';

/** Tolerated difference between clocks, in seconds. */
export const CLOCK_TOLERANCE_S = 60;

export const authenticationMethods = ['client_secret_basic', 'client_secret_post'] as const;
type AuthenticationMethod = (typeof authenticationMethods)[number];

export interface OidcClient {
  clientId: string;
  clientSecret: string;
  /** Null to choose what the provider supports. */
  authentication: AuthenticationMethod | null;
}

/** The URLs of an organization that its provider must know. */
export interface ClientUrls {
  redirectUri: string;
  backchannelLogoutUri: string;
  postLogoutRedirectUri: string;
}

/** Returns the URLs of an organization, below `base_url`. */
export function clientUrls({ config }: Pick<App, 'config'>, organizationId: string): ClientUrls {
  const base = config.server.base_url;
  return {
    redirectUri: `${base}${ssoPath(organizationId)}/callback`,
    backchannelLogoutUri: `${base}${ssoPath(organizationId)}/backchannel-logout`,
    postLogoutRedirectUri: `${base}/`,
  };
}

/** Returns the client for requests to this provider. */
export async function configureClient(
  app: Pick<App, 'clock'>,
  metadata: ProviderMetadata,
  client: OidcClient,
  fetchUrl: ProviderFetch,
): Promise<Configuration> {
  const oidc = await import('openid-client');
  const authenticate: Record<AuthenticationMethod, (secret: string) => ClientAuth> = {
    client_secret_basic: oidc.ClientSecretBasic,
    client_secret_post: oidc.ClientSecretPost,
  };
  const configuration = new oidc.Configuration(
    metadata,
    client.clientId,
    {
      [oidc.clockSkew]: Math.floor(app.clock.time() / 1_000) - Math.floor(Date.now() / 1_000),
      [oidc.clockTolerance]: CLOCK_TOLERANCE_S,
    },
    authenticate[client.authentication ?? chooseMethod(metadata)](client.clientSecret),
  );
  configuration[oidc.customFetch] = fetchUrl;
  // isProviderUrl decides which URLs may use http.
  oidc.allowInsecureRequests(configuration);
  return configuration;
}

/** A provider that doesn't list its methods supports client_secret_basic (OpenID Connect Discovery, section 3). */
function chooseMethod({ token_endpoint_auth_methods_supported: supported }: ProviderMetadata): AuthenticationMethod {
  return supported?.includes('client_secret_post') === true ? 'client_secret_post' : 'client_secret_basic';
}
