// OpenID Connect on a server whose base_url has a path and https.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Issuer, startIssuer } from '../sso/issuer.ts';
import { connectIssuer, signInWith, start } from '../sso/oidc-scenario.ts';
import { cookiesOf, ssoPath } from '../sso/scenario.ts';

const BASE = '/tools/taxiway';
let fixture: Fixture;
let issuer: Issuer;
let path: string;

beforeAll(async () => {
  const server = { base_url: `https://localhost:0${BASE}`, tls: { mode: 'internal' } } as const;
  fixture = await startFixture({ config: { server } });
  issuer = await startIssuer();
  await connectIssuer(fixture, issuer);
  path = ssoPath(fixture.organization_id);
});
afterAll(async () => {
  await fixture?.stop();
  await issuer?.stop();
});

it.each([
  ['', '/'],
  ['?relay_state=/me', '/me'],
  [`?relay_state=${BASE}/settings/sso`, '/settings/sso'],
  ['?relay_state=/../elsewhere', '/'],
])('leads a sign-in through a provider with the query %j to %s', async (query, back) => {
  const base = fixture.config.server.base_url;
  const started = await start(fixture, { query });
  expect(started.query.get('redirect_uri')).toBe(`${base}${path}/callback`);
  const response = await signInWith(fixture, issuer, {}, { started });
  expect([response.status, response.headers.get('location')]).toEqual([302, `${BASE}${back}`]);
  const cookie = cookiesOf(response.headers);
  const logout = await fetch(`${base}${path}/logout`, { redirect: 'manual', headers: { cookie } });
  const location = new URL(logout.headers.get('location') ?? '');
  expect(location.searchParams.get('post_logout_redirect_uri')).toBe(`${base}/`);
});

it('has a cookie for its own path and https alone', async () => {
  const login = await fetch(`${fixture.config.server.base_url}${path}/login`, { redirect: 'manual' });
  expect(login.headers.get('set-cookie')).toMatch(
    new RegExp(`; Path=${BASE}${path}; Max-Age=900; HttpOnly; SameSite=Lax; Secure$`),
  );
});
