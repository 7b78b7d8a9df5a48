// The policy of the script that uploads to the container of an organization. It allows requests to that container only, and only for
// people of the organization; pages of the web app can't send anything to containers.
import type { App } from '../core/context.ts';
import { ACCESS_COOKIE, cookieValue } from '../http/credentials.ts';
import { listAccountsOf } from '../storage/azure/container-store.ts';
import { containerOrigin } from '../storage/azure/location.ts';

const MAX_COOKIE = 8_192;

/** Returns the policy of the script for an origin, as the browser's session allows it. */
export async function writeUploadPolicy(app: App, cookie: string | undefined, origin: string | null): Promise<string> {
  const isAllowed = origin !== null && (await listOrigins(app, cookie)).includes(origin);
  return `default-src 'none'; connect-src ${isAllowed ? origin : "'none'"}`;
}

async function listOrigins(app: App, cookie: string | undefined): Promise<readonly string[]> {
  const token = cookieValue(cookie, ACCESS_COOKIE) ?? '';
  if (token === '' || token.length > MAX_COOKIE) return [];
  const claims = await app.accessTokens.verify(token);
  if (claims === undefined) return [];
  const endpoints = { endpointSuffix: app.config.byosa.azure_endpoint_suffix };
  return listAccountsOf(app, claims.developerId).map((account) => containerOrigin(endpoints, account));
}
