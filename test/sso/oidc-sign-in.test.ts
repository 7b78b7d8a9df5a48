// Signing in through an OpenID Connect provider: who gets in, as which account, and what providers of different makers send.
import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ssoConnections, ssoSessions } from '../../src/data/tables/tables.ts';
import { findConnection } from '../../src/sso/store.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { openWorkshop } from '../commands/test-host.ts';
import { api, auditMark, auditRows, createAccount, expectRefusal, signIn } from '../support/harness.ts';
import { disguise, type Issuer, makeKey, startIssuer } from './issuer.ts';
import { CLIENT_ID, call, claimsFor, connectIssuer, settings, signInWith, start, whoIs } from './oidc-scenario.ts';
import { makeProvider, signAnswer } from './provider.ts';
import { begin, cookiesOf, deliver, ssoPath } from './scenario.ts';

let fixture: Fixture;
let issuer: Issuer;
let base: string;
beforeAll(async () => {
  fixture = await startFixture();
  base = `${fixture.config.server.base_url}${ssoPath(fixture.organization_id)}`;
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  issuer = await startIssuer('/tenant');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await issuer.stop();
});

async function reasonOf(response: Response, mark: string): Promise<unknown> {
  expect(response.status).toBe(401);
  const [row, ...others] = auditRows(fixture, { after: mark });
  expect([row?.event, row?.type, others]).toEqual(['login_failed', 'org_sso', []]);
  return row?.details.reason;
}

describe('the redirect to the provider', () => {
  it('asks for a code with state, nonce and PKCE, and binds the browser', async () => {
    await connectIssuer(fixture, issuer);
    const { location, query, cookie } = await start(fixture);
    expect(location.split('?')[0]).toBe(`${issuer.base}/authorize`);
    expect(Object.fromEntries(query)).toEqual({
      tenant: '1',
      client_id: CLIENT_ID,
      response_type: 'code',
      response_mode: 'query',
      redirect_uri: `${base}/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^_[\w.-]{60,140}$/),
      nonce: expect.stringMatching(/^[\w.-]{40,80}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(cookie).toMatch(/^svc_sso=[\w-]{43}$/);
    const raw = await fetch(`${base}/login`, { redirect: 'manual' });
    expect(raw.headers.get('set-cookie')).toContain('; HttpOnly; SameSite=Lax');
  });

  it('has other secrets each time, with the same browser secret', async () => {
    await connectIssuer(fixture, issuer);
    const one = await start(fixture);
    const two = await start(fixture, { cookie: one.cookie });
    expect(two.cookie).toBe(one.cookie);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(two.query.get(name)).not.toBe(one.query.get(name));
    }
  });

  it('asks for a new authentication if the caller needs one', async () => {
    await connectIssuer(fixture, issuer);
    const { query } = await start(fixture, { query: '?force_authn=true' });
    expect([query.get('prompt'), query.get('max_age')]).toEqual(['login', '0']);
  });

  it('says that the provider is not available, and records it', async () => {
    await connectIssuer(fixture, issuer);
    fixture.clock.advance(11 * 60_000);
    issuer.overrides.set('/tenant/.well-known/openid-configuration', (response) => response.writeHead(500).end('x'));
    const mark = auditMark(fixture);
    const response = await fetch(`${base}/login`, { redirect: 'manual', headers: { accept: 'text/html' } });
    expect(await response.text()).toContain('The identity provider isn&#39;t available. Try again later.');
    expect(await reasonOf(response, mark)).toBe('unreachable');
  });
});

describe('a person who signs in', () => {
  it('gets an account, joins the organization, and returns to the path', async () => {
    await connectIssuer(fixture, issuer);
    const mark = auditMark(fixture);
    const response = await signInWith(fixture, issuer, {}, { query: '?relay_state=/settings/sso' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/settings/sso']);
    const me = await whoIs(fixture, response);
    expect(me).toMatchObject({ status: 200, email: 'zoe@example.test', email_verified: true, display_name: 'Zoe' });
    expect(auditRows(fixture, { after: mark }).map(({ event, type }) => `${event} ${type}`)).toEqual([
      'created developer',
      'created org_membership',
      'sso_login_succeeded org_sso',
    ]);
    const token = issuer.requests.find(({ path }) => path === '/token');
    expect(Object.fromEntries(new URLSearchParams(token?.body))).toMatchObject({
      grant_type: 'authorization_code',
      redirect_uri: `${base}/callback`,
      client_id: CLIENT_ID,
      client_secret: issuer.clientSecret,
      code_verifier: expect.stringMatching(/^[\w.-]{43,128}$/),
    });
    expect(issuer.requests.map(({ path }) => path)).not.toContain('/userinfo');
  });

  it('stays the same account with another address, and is linked by the address only once', async () => {
    await connectIssuer(fixture, issuer);
    const account = await createAccount(fixture, { email: 'linked@example.test' });
    const first = await whoIs(fixture, await signInWith(fixture, issuer, { sub: 'l', email: 'linked@example.test' }));
    const second = await whoIs(fixture, await signInWith(fixture, issuer, { sub: 'l', email: 'other@example.test' }));
    expect([first.identifier, second.identifier]).toEqual([account.developer_id, account.developer_id]);
  });

  it('is a different person than the SAML NameID with the same text and entity id', async () => {
    const path = ssoPath(fixture.organization_id);
    const { client } = await signIn(fixture);
    const provider = await makeProvider(issuer.name);
    await connectIssuer(fixture, issuer);
    const saml = {
      entity_id: issuer.name,
      sso_url: 'https://idp.example.test/sso',
      certificates: [provider.certificate],
    };
    expect((await client.put(path, saml)).body).toMatchObject({ kind: 'saml', enabled: true, oidc: null });
    const started = await begin(fixture);
    const xml = signAnswer(provider, started.target, { nameId: 'same', email: 'saml@example.test' });
    const bySaml = await whoIs(fixture, await deliver(fixture, xml, { cookie: started.cookie }));
    expect(bySaml.email).toBe('saml@example.test');
    // Also when another issuer was configured in between.
    const between = await startIssuer();
    expect((await client.put(path, settings(between))).body).toMatchObject({ kind: 'oidc' });
    await between.stop();
    await connectIssuer(fixture, issuer);
    const byOidc = await whoIs(fixture, await signInWith(fixture, issuer, { sub: 'same', email: 'oidc@example.test' }));
    expect(byOidc.email).toBe('oidc@example.test');
  });

  it('with an authenticator app keeps it, and the session counts as single sign-on', async () => {
    await connectIssuer(fixture, issuer);
    const response = await signInWith(fixture, issuer, { sub: 'fresh', email: 'fresh@example.test', sid: 'sid-1' });
    const { identifier = '' } = await whoIs(fixture, response);
    const [session] = fixture.app.db.select().from(ssoSessions).where(eq(ssoSessions.sessionIndex, 'sid-1')).all();
    const { sessionKey } = findConnection(fixture.app, fixture.organization_id) ?? {};
    const entityId = `${sessionKey} ${issuer.name}`;
    expect(session).toMatchObject({ entityId, nameId: 'fresh', organizationId: fixture.organization_id });
    expect(session?.idTokenEncrypted).not.toContain('eyJ');
    expect(identifier).not.toBe('');
  });
});

describe('the time of authentication', () => {
  async function freshness(response: Response): Promise<string | null | undefined> {
    const answer = await fetch(`${fixture.url}/api/v1/mfa`, { headers: { cookie: cookiesOf(response.headers) } });
    const status = (await answer.json()) as { step_up: { single_sign_on: { fresh_until: string | null } | null } };
    return status.step_up.single_sign_on?.fresh_until;
  }
  const person = (name: string) => ({ sub: name, email: `${name}@example.test` });

  it('is what the provider reports', async () => {
    await connectIssuer(fixture, issuer);
    // Accounts that are older than the provider are held for a day.
    fixture.clock.advance(1_000);
    const now = Math.floor(fixture.clock.now().getTime() / 1_000);
    expect(await freshness(await signInWith(fixture, issuer, { ...person('now'), auth_time: now }))).not.toBeNull();
    expect(await freshness(await signInWith(fixture, issuer, { ...person('old'), auth_time: now - 3_600 }))).toBeNull();
    // A number of seconds can have a fraction.
    const exact = await signInWith(fixture, issuer, { ...person('exact'), auth_time: now - 1.123_456_7 });
    expect(await freshness(exact)).not.toBeNull();
  });

  it('is unknown without a report, unless the sign-in asked for a new authentication', async () => {
    await connectIssuer(fixture, issuer);
    // Accounts that are older than the provider are held for a day.
    fixture.clock.advance(1_000);
    const silent = { ...person('silent'), auth_time: undefined };
    expect(await freshness(await signInWith(fixture, issuer, silent))).toBeNull();
    const forced = { query: '?force_authn=true' };
    expect(await freshness(await signInWith(fixture, issuer, silent, forced))).not.toBeNull();
  });
});

describe('claims', () => {
  it('come from the userinfo endpoint if the ID token lacks them', async () => {
    await connectIssuer(fixture, issuer);
    issuer.userinfo = { sub: 'thin', email: 'thin@example.test', email_verified: true, name: 'Thin' };
    const response = await signInWith(fixture, issuer, {
      sub: 'thin',
      email: undefined,
      email_verified: undefined,
      name: undefined,
    });
    expect(await whoIs(fixture, response)).toMatchObject({ email: 'thin@example.test', display_name: 'Thin' });
    const asked = issuer.requests.find(({ path }) => path === '/userinfo');
    expect(asked?.headers.authorization).toBe('Bearer access');
  });

  it('of another person at the userinfo endpoint are rejected', async () => {
    await connectIssuer(fixture, issuer);
    issuer.userinfo = { sub: 'somebody-else', email: 'zoe@example.test', email_verified: true };
    const mark = auditMark(fixture);
    expect(await reasonOf(await signInWith(fixture, issuer, { email: undefined }), mark)).toBe('subject');
  });

  it('do not mix: a verification belongs to the address next to it', async () => {
    await connectIssuer(fixture, issuer);
    issuer.userinfo = { sub: 'mixed', email: 'mine@example.test', email_verified: true };
    const response = await signInWith(fixture, issuer, {
      sub: 'mixed',
      email: 'victim@example.test',
      email_verified: undefined,
    });
    expect(await whoIs(fixture, response)).toMatchObject({ email: 'mine@example.test' });
  });

  it('have the configured names', async () => {
    await connectIssuer(fixture, issuer, {
      email_claim: 'https://claims.test/mail',
      name_claim: 'nickname',
      accept_unverified_email: true,
    });
    const response = await signInWith(fixture, issuer, {
      sub: 'named',
      'https://claims.test/mail': 'named@example.test',
      nickname: 'Nick',
    });
    expect(await whoIs(fixture, response)).toMatchObject({ email: 'named@example.test', display_name: 'Nick' });
  });

  const unverified = [
    ['missing', { email_verified: undefined }, false],
    ['false', { email_verified: false }, false],
    ['"false"', { email_verified: 'false' }, false],
    ['a number', { email_verified: 1 }, false],
    ['false, although the option is on', { email_verified: false }, true],
  ] as const;
  it.each(unverified)('with an email_verified that is %s are rejected', async (_name, claims, isAccepted) => {
    await connectIssuer(fixture, issuer, { accept_unverified_email: isAccepted });
    issuer.userinfo = { sub: 'subject-zoe', email: 'zoe@example.test' };
    const mark = auditMark(fixture);
    expect(await reasonOf(await signInWith(fixture, issuer, claims), mark)).toBe('email_unverified');
  });

  it('without any address are rejected', async () => {
    await connectIssuer(fixture, issuer);
    issuer.userinfo = { sub: 'subject-zoe' };
    const mark = auditMark(fixture);
    expect(await reasonOf(await signInWith(fixture, issuer, { email: undefined }), mark)).toBe('email');
  });
});

describe('providers', () => {
  it('Microsoft Entra ID: tenant in the issuer, no email_verified, preferred_username', async () => {
    const tenant = 'https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0';
    await connectIssuer(fixture, issuer);
    await disguise(fixture, issuer, tenant);
    const claims = {
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      tid: '72f988bf-86f1-41af-91ab-2d7cd011db47',
      ver: '2.0',
      email: 'entra@example.test',
      preferred_username: 'entra.user@example.test',
      email_verified: undefined,
      auth_time: undefined,
    };
    await connectIssuer(fixture, issuer);
    issuer.userinfo = { sub: claims.sub, email: claims.email };
    const mark = auditMark(fixture);
    expect(await reasonOf(await signInWith(fixture, issuer, claims), mark)).toBe('email_unverified');
    await connectIssuer(fixture, issuer, { accept_unverified_email: true });
    expect(await whoIs(fixture, await signInWith(fixture, issuer, claims))).toMatchObject({
      email: 'entra@example.test',
    });
    await connectIssuer(fixture, issuer, { accept_unverified_email: true, email_claim: 'preferred_username' });
    expect(await whoIs(fixture, await signInWith(fixture, issuer, { ...claims, sub: 'other' }))).toMatchObject({
      email: 'entra.user@example.test',
    });
    const other = 'https://login.microsoftonline.com/99999999-86f1-41af-91ab-2d7cd011db47/v2.0';
    const later = auditMark(fixture);
    expect(await reasonOf(await signInWith(fixture, issuer, { ...claims, iss: other }), later)).toBe('issuer');
  });

  it('Okta: a thin ID token with amr and idp, the rest at userinfo', async () => {
    await connectIssuer(fixture, issuer);
    issuer.userinfo = {
      sub: '00uid4BxXw6I6TV4m0g3',
      name: 'Okta Person',
      preferred_username: 'okta@example.test',
      email: 'okta@example.test',
      email_verified: true,
      locale: 'en-US',
      zoneinfo: 'America/Los_Angeles',
    };
    const response = await signInWith(fixture, issuer, {
      sub: '00uid4BxXw6I6TV4m0g3',
      ver: 1,
      jti: 'ID.xx',
      amr: ['pwd'],
      idp: '00o1',
      email: undefined,
      email_verified: undefined,
      name: undefined,
    });
    expect(await whoIs(fixture, response)).toMatchObject({ email: 'okta@example.test', display_name: 'Okta Person' });
  });

  it('Google: only accounts that a verified domain of the organization manages', async () => {
    await connectIssuer(fixture, issuer);
    await disguise(fixture, issuer, 'https://accounts.google.com');
    await connectIssuer(fixture, issuer);
    const { query } = await start(fixture, { query: '?force_authn=true' });
    expect([query.get('prompt'), query.get('max_age')]).toEqual(['select_account', null]);
    const claims = { sub: '10769150350006150715113082367', azp: CLIENT_ID, email: 'google@example.test' };
    for (const hd of [undefined, 'elsewhere.test', 7]) {
      const mark = auditMark(fixture);
      expect(await reasonOf(await signInWith(fixture, issuer, { ...claims, hd }), mark)).toBe('hosted_domain');
    }
    const response = await signInWith(fixture, issuer, { ...claims, hd: 'example.test' });
    expect(await whoIs(fixture, response)).toMatchObject({ email: 'google@example.test' });
  });

  it('Keycloak: iss in the response, session_state, several audiences with azp, ES256 keys', async () => {
    issuer.document = { authorization_response_iss_parameter_supported: true };
    await connectIssuer(fixture, issuer);
    issuer.keys = [await makeKey('ES256'), await makeKey('RS256')];
    const begun = await start(fixture);
    const claims = claimsFor(fixture, issuer, begun, {
      sub: 'f2a8',
      aud: [CLIENT_ID, 'account'],
      azp: CLIENT_ID,
      typ: 'ID',
      sid: 'kc-session',
      acr: '1',
      email: 'keycloak@example.test',
      preferred_username: 'keycloak',
    });
    const code = issuer.issueCode(begun.location, await issuer.sign(claims));
    const state = begun.query.get('state') ?? '';
    const response = await call(fixture, { code, state, session_state: 'kc', iss: issuer.name }, begun);
    expect(await whoIs(fixture, response)).toMatchObject({ email: 'keycloak@example.test' });
  });

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'that require %s get the client secret that way',
    async (method) => {
      await connectIssuer(fixture, issuer, { client_authentication: method });
      issuer.overrides.set('/token', (response) => response.writeHead(400).end('{}'));
      await signInWith(fixture, issuer);
      const token = issuer.requests.findLast(({ path }) => path === '/token');
      const isBasic = method === 'client_secret_basic';
      expect(token?.headers.authorization?.startsWith('Basic ') ?? false).toBe(isBasic);
      expect(new URLSearchParams(token?.body).has('client_secret')).toBe(!isBasic);
    },
  );
});

describe('required single sign-on', () => {
  it('refuses the password of members in a verified domain, and disable-sso ends it', async () => {
    await connectIssuer(fixture, issuer);
    const account = await createAccount(fixture, { email: 'required@example.test' });
    await signInWith(fixture, issuer, { sub: 'required', email: 'required@example.test' });
    const path = ssoPath(fixture.organization_id);
    const { client } = await signIn(fixture);
    expect((await client.put(`${path}/require`, { required: true })).status).toBe(200);
    const refused = await api(fixture, null).post('/api/v1/login', {
      email: account.email,
      password: account.password,
    });
    expect(expectRefusal(refused, 403, 'permission_denied')).toMatchObject({
      reason: 'sso_required',
      login_url: `${base}/login`,
    });
    const discovered = await api(fixture, null).post('/api/v1/login/sso/discover', { email: account.email });
    expect(discovered.body).toEqual({ sso: true, login_url: `${base}/login` });
    using workshop = openWorkshop({
      TAXIWAY_SERVER__DATA_DIR: fixture.config.server.data_dir,
      TAXIWAY_SERVER__BASE_URL: fixture.config.server.base_url,
      TAXIWAY_LOG__LEVEL: 'silent',
    });
    expect((await workshop.run(['organization', 'disable-sso', fixture.organization_id])).code).toBe(0);
    expect((await client.get(path)).body).toMatchObject({ kind: 'oidc', enabled: false, required: false });
    expect((await signIn(fixture, account)).access_token).toEqual(expect.any(String));
    const response = await fetch(`${base}/login`, { redirect: 'manual' });
    expect(response.status).toBe(404);
  });
});

describe('the key for signing in elsewhere', () => {
  it('is the pair of PKCE: the verifier is not in the redirect, and not the same for another browser', async () => {
    await connectIssuer(fixture, issuer);
    const begun = await start(fixture);
    await signInWith(fixture, issuer, {}, { started: begun });
    const body = issuer.requests.findLast(({ path }) => path === '/token')?.body;
    const verifier = new URLSearchParams(body).get('code_verifier') ?? '';
    expect(begun.location).not.toContain(verifier);
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(begun.query.get('code_challenge'));
  });

  it('is stored encrypted and never shown', async () => {
    await connectIssuer(fixture, issuer);
    const row = fixture.app.db.select().from(ssoConnections).get();
    expect(row?.clientSecretEncrypted).not.toContain('battery');
    const shown = await (await signIn(fixture)).client.get(ssoPath(fixture.organization_id));
    expect(shown.text).not.toContain('battery');
    expect(shown.text).not.toContain('client_secret"');
    expect(settings(issuer).oidc.client_secret).toContain('battery');
  });
});
