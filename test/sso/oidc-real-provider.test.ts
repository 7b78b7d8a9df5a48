// The whole way with a real provider, oidc-provider: configured by its issuer, signed in, and signed out from both ends.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';
import { type Browser, openBrowser, type Page, readSignedIn } from './browser.ts';
import { CLIENT_ID, connectIssuer } from './oidc-scenario.ts';
import { ssoPath } from './scenario.ts';

const SECRET = 'a secret of the real provider: +/=%&';
let fixture: Fixture;
let server: Server;
let issuer: string;
let base: string;

beforeAll(async () => {
  fixture = await startFixture();
  base = `${fixture.config.server.base_url}${ssoPath(fixture.organization_id)}`;
  // oidc-provider needs its issuer before it can listen.
  server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { default: Provider } = await import('oidc-provider');
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: SECRET,
        redirect_uris: [`${base}/callback`],
        post_logout_redirect_uris: [`${fixture.config.server.base_url}/`],
        backchannel_logout_uri: `${base}/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: 'real' }] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.test`, email_verified: true, name: `Real ${id}` }),
    }),
    // Its own fetch refuses addresses of this machine.
    fetch: (url: string, { body, method, headers }: RequestInit) =>
      fetch(url, { method: method ?? 'GET', body: body ?? null, headers: headers ?? {} }),
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  });
  server.on('request', provider.callback());
  await connectIssuer(fixture, { name: issuer, clientSecret: SECRET } as never);
});
afterAll(async () => {
  await fixture?.stop();
  server?.closeAllConnections();
  server?.close();
});

/** Goes from our sign-in through the provider's pages back to our server. */
async function walkIn(browser: Browser, login: string, query = ''): Promise<Page> {
  const form = await browser.open(`${base}/login?relay_state=/api/docs${query}`);
  expect(form.text).toContain('name="login"');
  const consent = await browser.submit(form, { login, password: 'any' }, '/api/docs');
  return consent.text.includes('<form') ? browser.submit(consent, {}, '/api/docs') : consent;
}

it('passes the test of the connection', async () => {
  expect((await api(fixture).post(`${ssoPath(fixture.organization_id)}/test`)).body).toMatchObject({ passed: true });
});

it('signs in a person without an account, with claims from its userinfo endpoint', async () => {
  const browser = openBrowser();
  const landed = await walkIn(browser, 'zoe');
  expect([landed.status, new URL(landed.url).pathname]).toEqual([302, '/api/docs']);
  expect(await readSignedIn(browser, base)).toMatchObject({
    status: 200,
    email: 'zoe@example.test',
    display_name: 'Real zoe',
  });
});

it('signs a person in again without a prompt, and prompts when a new authentication is required', async () => {
  const browser = openBrowser();
  await walkIn(browser, 'yan');
  const again = await browser.open(`${base}/login?relay_state=/api/docs`, '/api/docs');
  expect([again.status, new URL(again.url).pathname]).toEqual([302, '/api/docs']);
  const forced = await browser.open(`${base}/login?force_authn=true`);
  expect(forced.text).toContain('name="login"');
});

it('also signs out at the provider when a person signs out here, and notifies the server', async () => {
  const browser = openBrowser();
  await walkIn(browser, 'xia');
  const confirm = await browser.open(`${base}/logout`);
  expect(confirm.url).toContain(issuer);
  const landed = await browser.submit(confirm, { logout: 'yes' });
  expect(new URL(landed.url).origin).toBe(new URL(base).origin);
  expect((await readSignedIn(browser, base)).status).toBe(401);
  const form = await browser.open(`${base}/login`);
  expect(form.text).toContain('name="login"');
});

it('ends the session by a logout token when a person signs out at the provider', async () => {
  const browser = openBrowser();
  await walkIn(browser, 'wim');
  expect((await readSignedIn(browser, base)).status).toBe(200);
  const confirm = await browser.open(`${issuer}/session/end`);
  await browser.submit(confirm, { logout: 'yes' });
  expect((await readSignedIn(browser, base)).status).toBe(401);
});
