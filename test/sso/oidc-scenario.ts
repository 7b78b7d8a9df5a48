// An organization behind an OpenID Connect provider, and a browser that signs in there.
import type { JWTPayload } from 'jose';
import { systemContext } from '../../src/core/transact.ts';
import { verifyDomainByOperator } from '../../src/sso/domains.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { type Json, signIn } from '../support/harness.ts';
import type { Issuer, Signing } from './issuer.ts';
import { cookiesOf, type Site, ssoPath } from './scenario.ts';

export const CLIENT_ID = 'taxiway-client';

export const settings = (issuer: Issuer, more: Json = {}) => ({
  oidc: { issuer: issuer.name, client_id: CLIENT_ID, client_secret: issuer.clientSecret, ...more },
});

/** Configures and enables a provider for an organization and verifies domains for it. */
export async function connectIssuer(
  fixture: Fixture,
  issuer: Issuer,
  {
    organizationId = fixture.organization_id,
    domains = ['example.test'],
    ...more
  }: { organizationId?: string; domains?: string[] } & Json = {},
): Promise<void> {
  // The session of the fixture has expired if a test has advanced the clock.
  const { client } = await signIn(fixture);
  const path = ssoPath(organizationId);
  for (const answer of [await client.put(path, settings(issuer, more)), await client.post(`${path}/enable`)]) {
    if (answer.status !== 200) throw new Error(answer.text);
  }
  for (const domain of domains) verifyDomainByOperator(systemContext(fixture.app), organizationId, domain);
}

export interface StartedSignIn {
  location: string;
  query: URLSearchParams;
  cookie: string;
}

/** Starts a sign-in like a browser. */
export async function start(
  fixture: Site,
  { organizationId = fixture.organization_id, query = '', cookie = '' } = {},
): Promise<StartedSignIn> {
  const response = await fetch(`${fixture.url}${ssoPath(organizationId)}/login${query}`, {
    redirect: 'manual',
    headers: cookie === '' ? {} : { cookie },
  });
  const location = response.headers.get('location') ?? '';
  if (response.status !== 302) throw new Error(`${response.status} ${await response.text()}`);
  return { location, query: new URL(location).searchParams, cookie: cookiesOf(response.headers) };
}

/** The claims of a correct ID token for a sign-in. */
export function claimsFor(fixture: Site, issuer: Issuer, { query }: StartedSignIn, more: JWTPayload = {}): JWTPayload {
  const now = Math.floor(fixture.clock.now().getTime() / 1_000);
  return {
    iss: issuer.name,
    aud: CLIENT_ID,
    sub: 'subject-zoe',
    iat: now,
    exp: now + 300,
    auth_time: now,
    nonce: query.get('nonce') ?? '',
    email: 'zoe@example.test',
    email_verified: true,
    name: 'Zoe',
    ...more,
  };
}

/** Sends the browser to the redirect URI. */
export function call(
  fixture: Fixture,
  query: Record<string, string> | string,
  { organizationId = fixture.organization_id, cookie = '', headers = {} as Record<string, string> } = {},
): Promise<Response> {
  const search = typeof query === 'string' ? query : new URLSearchParams(query).toString();
  return fetch(`${fixture.url}${ssoPath(organizationId)}/callback?${search}`, {
    redirect: 'manual',
    headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
  });
}

/** Signs in with an ID token of these claims. */
export async function signInWith(
  fixture: Fixture,
  issuer: Issuer,
  more: JWTPayload = {},
  { signing, query, started }: { signing?: Signing; query?: string; started?: StartedSignIn } = {},
): Promise<Response> {
  const begun = started ?? (await start(fixture, query === undefined ? {} : { query }));
  const idToken = await issuer.sign(claimsFor(fixture, issuer, begun, more), signing);
  const code = issuer.issueCode(begun.location, idToken);
  return call(fixture, { code, state: begun.query.get('state') ?? '' }, { cookie: begun.cookie });
}

export interface Me {
  status: number;
  identifier?: string;
  email?: string;
  display_name?: string;
}

/** Returns whom the cookies of a response belong to. */
export async function whoIs(fixture: Fixture, response: Response): Promise<Me> {
  const answer = await fetch(`${fixture.url}/api/v1/developers/me`, {
    headers: { cookie: cookiesOf(response.headers) },
  });
  return { status: answer.status, ...((await answer.json()) as Omit<Me, 'status'>) };
}
