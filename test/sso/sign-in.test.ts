// Signing in through an identity provider: the account, its membership, and the redirect.
import { verify, X509Certificate } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import {
  developers,
  organizationMemberships,
  organizations,
  sessions,
  ssoIdentities,
  ssoSessions,
} from '../../src/data/tables/tables.ts';
import { updateDeveloper } from '../../src/developers/store.ts';
import { DAY } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, auditMark, auditRows, createAccount, signIn } from '../support/harness.ts';
import {
  type Answer,
  attributeIn,
  makeProvider,
  messageOf,
  type Provider,
  type Signed,
  signAnswer,
} from './provider.ts';
import { begin, connect, cookiesOf, deliver, ssoPath } from './scenario.ts';

let fixture: Fixture;
let provider: Provider;

beforeAll(async () => {
  fixture = await startFixture();
  provider = await makeProvider();
  await connect(fixture, provider);
});
afterAll(() => fixture?.stop());

async function come(answer: Answer = {}, where: Signed = 'assertion'): Promise<Response> {
  const started = await begin(fixture);
  return deliver(fixture, signAnswer(provider, started.target, answer, where), { cookie: started.cookie });
}

/** Who the cookies of an answer belong to. */
async function whoIs(response: Response) {
  const answer = await fetch(`${fixture.url}/api/v1/developers/me`, {
    headers: { cookie: cookiesOf(response.headers) },
  });
  return {
    status: answer.status,
    ...((await answer.json()) as {
      identifier?: string;
      email?: string;
      email_verified?: boolean;
      display_name?: string;
    }),
  };
}

const roleOf = (developerId: string) =>
  fixture.app.db
    .select({ role: organizationMemberships.role })
    .from(organizationMemberships)
    .where(eq(organizationMemberships.developerId, developerId))
    .all()
    .map(({ role }) => role);

describe('the redirect to the identity provider', () => {
  it('is a signed request with our entity id, to the configured address', async () => {
    const { location } = await begin(fixture, { query: '?relay_state=/projects/1%3Fx%3D2' });
    const url = new URL(location);
    expect(url.origin + url.pathname).toBe('https://idp.example.test/sso');
    expect([...url.searchParams.keys()]).toEqual(['SAMLRequest', 'RelayState', 'SigAlg', 'Signature']);
    expect(url.searchParams.get('RelayState')).toBe('/projects/1?x=2');
    expect(url.searchParams.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    const xml = messageOf(location);
    const base = `${fixture.config.server.base_url}${ssoPath(fixture.organization_id)}`;
    expect(xml).toContain(`<saml:Issuer>${base}/metadata</saml:Issuer>`);
    expect(attributeIn(xml, 'AssertionConsumerServiceURL')).toBe(`${base}/acs`);
    expect(attributeIn(xml, 'Destination')).toBe('https://idp.example.test/sso');
    const age = fixture.clock.now().getTime() - Date.parse(attributeIn(xml, 'IssueInstant'));
    expect([age >= 0, age < 10_000]).toEqual([true, true]);
    expect(attributeIn(xml, 'ID')).toMatch(/^_[\w.-]{60,200}$/);
  });

  it('can be verified with the certificate of our metadata', async () => {
    const { location } = await begin(fixture);
    const metadata = await api(fixture).get(`${ssoPath(fixture.organization_id)}/metadata`);
    expect(metadata.headers.get('content-type')).toBe('application/samlmetadata+xml');
    const [, base64 = ''] = /<ds:X509Certificate>([^<]+)</.exec(metadata.text) ?? [];
    const { publicKey } = new X509Certificate(Buffer.from(base64, 'base64'));
    const [signed = '', signature = ''] = location.slice(location.indexOf('?') + 1).split('&Signature=');
    const isRight = verify(
      'RSA-SHA256',
      Buffer.from(signed),
      publicKey,
      Buffer.from(decodeURIComponent(signature), 'base64'),
    );
    expect(isRight).toBe(true);
  });

  it('is bound to the browser by a cookie that works across sites, with the attributes for https', async () => {
    const cookie = async (base: Fixture) => {
      const response = await fetch(`${base.url}${ssoPath(base.organization_id)}/login`, { redirect: 'manual' });
      return response.headers
        .getSetCookie()
        .map((one) => one.replace(/=[\w-]{43};/, ';').replace(base.organization_id, 'ORG'));
    };
    const plain = 'svc_sso; Path=/api/v1/organizations/ORG/sso; Max-Age=900; HttpOnly';
    expect(await cookie(fixture)).toEqual([plain]);
    await using secure = await startFixture({ config: { server: { base_url: 'https://builds.example.test' } } });
    await connect(secure, provider);
    expect(await cookie(secure)).toEqual([`${plain}; SameSite=None; Secure`]);
    const first = await begin(secure);
    const headers = { cookie: first.cookie };
    const second = await fetch(`${secure.url}${ssoPath(secure.organization_id)}/login`, {
      headers,
      redirect: 'manual',
    });
    expect(cookiesOf(second.headers)).toBe(first.cookie);
  });

  it('writes nothing', async () => {
    const before = fixture.app.db.$client.prepare('SELECT total_changes()').pluck().get();
    await begin(fixture);
    expect(fixture.app.db.$client.prepare('SELECT total_changes()').pluck().get()).toBe(before);
  });

  it('is not found for an unknown organization, and without an enabled connection', async () => {
    const anonymous = api(fixture, null);
    const refused = { error: 'not_found', message: 'Not found', details: {} };
    const unknown = await anonymous.get(`${ssoPath(fixture.app.ids.next())}/login`);
    const other = await api(fixture).post('/api/v1/organizations', { name: 'Without' });
    const bare = await anonymous.get(`${ssoPath(other.text)}/login`);
    await connect(fixture, provider, { organizationId: other.text, domains: [] });
    expect((await anonymous.get(`${ssoPath(other.text)}/login`)).status).toBe(302);
    await api(fixture).post(`${ssoPath(other.text)}/disable`);
    const disabled = await anonymous.get(`${ssoPath(other.text)}/login`);
    expect([unknown, bare, disabled].map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 3 }, () => [404, refused]),
    );
  });
});

describe('the response', () => {
  it.each(['assertion', 'response', 'both'] as const)('is accepted with a signed %s', async (where) => {
    const response = await come({ nameId: `signed-${where}`, email: `signed-${where}@example.test` }, where);
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([302, '/', '']);
    expect(await whoIs(response)).toMatchObject({
      status: 200,
      email: `signed-${where}@example.test`,
      email_verified: true,
    });
  });

  it.each([
    ['/projects?x=1', '/projects?x=1'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['', '/'],
    [`/${'x'.repeat(600)}`, '/'],
  ])('redirects with RelayState %j to %s', async (relayState, location) => {
    const started = await begin(fixture);
    const xml = signAnswer(provider, started.target);
    const response = await deliver(fixture, xml, { cookie: started.cookie, relayState });
    expect([response.status, response.headers.get('location')]).toEqual([302, location]);
  });

  it('sets session cookies that scripts cannot read', async () => {
    const response = await come();
    const cookies = response.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.replace(/=[^;]+/, ''))).toEqual([
      'svc_access; Path=/; Max-Age=600; HttpOnly; SameSite=Lax',
      'svc_refresh; Path=/api/v1/login; Max-Age=2592000; HttpOnly; SameSite=Lax',
    ]);
  });

  it('creates an account with a verified address and no password, and a member of the organization', async () => {
    const mark = auditMark(fixture);
    const me = await whoIs(
      await come({ nameId: 'new-1', email: 'New.Person@Example.Test', displayName: 'New &amp; Person' }),
    );
    expect(me).toMatchObject({ email: 'new.person@example.test', email_verified: true, display_name: 'New & Person' });
    const id = me.identifier ?? '';
    expect(roleOf(id)).toEqual(['member']);
    const row = fixture.app.db.select().from(developers).where(eq(developers.id, id)).get();
    expect(row).toMatchObject({ passwordHash: null, isOperator: false });
    const events = auditRows(fixture, { after: mark }).map(({ event, type, organizationId, developerId }) => ({
      event,
      type,
      organizationId,
      developerId,
    }));
    expect(events).toEqual([
      { event: 'created', type: 'developer', organizationId: null, developerId: id },
      { event: 'created', type: 'org_membership', organizationId: fixture.organization_id, developerId: id },
      { event: 'sso_login_succeeded', type: 'org_sso', organizationId: fixture.organization_id, developerId: id },
    ]);
  });

  it('finds the same person again by the NameID, regardless of other attributes', async () => {
    const first = await whoIs(await come({ nameId: 'same-1', email: 'same@example.test' }));
    const second = await whoIs(await come({ nameId: 'same-1', email: 'renamed@example.test' }));
    expect(second.identifier).toBe(first.identifier);
    expect(second.email).toBe('same@example.test');
  });

  it('uses the address in the NameID if no attribute has one', async () => {
    const nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    expect(await whoIs(await come({ nameId: 'by-name@example.test', nameIdFormat, email: null }))).toMatchObject({
      email: 'by-name@example.test',
    });
  });

  it('links an existing account, and keeps its password and role if its address was verified', async () => {
    const account = await createAccount(fixture, { email: 'linked@example.test' });
    const other = await signIn(fixture, account);
    const me = await whoIs(await come({ nameId: 'linked-1', email: 'linked@example.test' }));
    expect(me.identifier).toBe(account.developer_id);
    expect((await other.client.get('/api/v1/developers/me')).status).toBe(200);
    expect((await signIn(fixture, account)).access_token).toBeTruthy();
    expect(roleOf(account.developer_id)).toEqual(['member']);
  });

  it("deletes other people's sign-in methods of an account whose address was never verified", async () => {
    const account = await createAccount(fixture, { email: 'squatted@example.test', isVerified: false });
    const squatter = await signIn(fixture, account);
    const me = await whoIs(await come({ nameId: 'squatted-1', email: 'squatted@example.test' }));
    expect(me).toMatchObject({ identifier: account.developer_id, email_verified: true });
    expect((await squatter.client.get('/api/v1/developers/me')).status).toBe(401);
    const again = await api(fixture, null).post('/api/v1/login', { email: account.email, password: account.password });
    expect(again.status).toBe(401);
  });

  it('is accepted next to an unverified account that waits for deletion, which earlier versions allowed', async () => {
    const email = 'given-up@example.test';
    const squatter = await createAccount(fixture, { email, isVerified: false });
    systemContext(fixture.app).transact(
      (tx) => updateDeveloper(tx, squatter.developer_id, { lockedAt: tx.now, deletionDueAt: tx.now + DAY }),
      { bookkeeping: true },
    );
    const person = await whoIs(await come({ nameId: 'given-up', email }));
    expect(person).toMatchObject({ status: 200, email, email_verified: true });
    expect(person.identifier).not.toBe(squatter.developer_id);
  });

  it('signs the members of a locked organization in, and lets nobody else join', async () => {
    const member = { nameId: 'before-lock', email: 'before.lock@example.test' };
    const newcomer = { nameId: 'after-lock', email: 'after.lock@example.test' };
    const { identifier } = await whoIs(await come(member));
    const outsider = await createAccount(fixture, { email: 'outside.lock@example.test' });
    const setLock = (lockReason: 'suspended' | null) => fixture.app.db.update(organizations).set({ lockReason }).run();
    setLock('suspended');
    onTestFinished(() => void setLock(null));
    expect(await whoIs(await come(member))).toMatchObject({ status: 200, identifier });
    for (const answer of [newcomer, { nameId: 'outsider', email: outsider.email }]) {
      const mark = auditMark(fixture);
      const refused = await come(answer);
      expect([refused.status, cookiesOf(refused.headers)]).toEqual([401, '']);
      expect(await refused.text()).toContain('and nobody can join it while it');
      expect(auditRows(fixture, { after: mark })).toMatchObject([
        { event: 'login_failed', type: 'org_sso', details: { reason: 'organization_locked' } },
      ]);
    }
    expect(roleOf(outsider.developer_id)).toEqual([]);
    expect(fixture.app.db.select().from(developers).where(eq(developers.email, newcomer.email)).all()).toEqual([]);
    setLock(null);
    expect(await whoIs(await come(newcomer))).toMatchObject({ status: 200, email: newcomer.email });
  });

  it("stores the provider's session for the logout", async () => {
    const me = await whoIs(await come({ nameId: 'kept-1', email: 'kept@example.test', sessionIndex: 'kept-index' }));
    const [session] = fixture.app.db
      .select({ developerId: sessions.developerId, nameId: ssoSessions.nameId, index: ssoSessions.sessionIndex })
      .from(ssoSessions)
      .innerJoin(sessions, eq(sessions.id, ssoSessions.sessionId))
      .where(eq(ssoSessions.nameId, 'kept-1'))
      .all();
    expect(session).toEqual({ developerId: me.identifier, nameId: 'kept-1', index: 'kept-index' });
    expect(fixture.app.db.select().from(ssoIdentities).where(eq(ssoIdentities.nameId, 'kept-1')).all()).toHaveLength(1);
  });

  it('accepts clocks that differ by less than a minute', async () => {
    expect((await come({ notBefore: 50_000 })).status).toBe(302);
    expect((await come({ notBefore: -300_000, notOnOrAfter: -50_000 })).status).toBe(302);
  });

  it('is only accepted from the browser that started, by its cookie', async () => {
    const started = await begin(fixture);
    const headers = { origin: 'https://idp.example.test', 'sec-fetch-site': 'cross-site' };
    const response = await deliver(fixture, signAnswer(provider, started.target), { cookie: started.cookie, headers });
    expect(response.status).toBe(302);
  });
});

describe('two tabs of a browser', () => {
  it('sign in with their own responses, also over http, where each gets a new cookie', async () => {
    const first = await begin(fixture);
    const second = await begin(fixture, { cookie: first.cookie });
    const third = await begin(fixture, { cookie: second.cookie });
    const cookies = [first, second, third].map((started) => started.cookie);
    expect(new Set(cookies).size).toBe(3);
    for (const { target } of [first, second, third]) {
      const headers = { origin: 'https://idp.example.test', 'sec-fetch-site': 'cross-site' };
      const options = { cookie: third.cookie, headers };
      expect((await deliver(fixture, signAnswer(provider, target), options)).status).toBe(302);
    }
  });
});

describe('the time of authentication', () => {
  /** Until when the sign-in counts as a step-up. */
  async function freshness(answer: Answer, query = ''): Promise<string | null | undefined> {
    const started = await begin(fixture, { query });
    const response = await deliver(fixture, signAnswer(provider, started.target, answer), { cookie: started.cookie });
    const status = await fetch(`${fixture.url}/api/v1/mfa`, { headers: { cookie: cookiesOf(response.headers) } });
    const body = (await status.json()) as { step_up: { single_sign_on: { fresh_until: string | null } | null } };
    return body.step_up.single_sign_on?.fresh_until;
  }
  const silent = { nameId: 'silent-1', email: 'silent@example.test' };

  it('is what the provider reports', async () => {
    // Accounts that are older than the provider are held for a day.
    fixture.clock.advance(DAY);
    const now = fixture.clock.now().getTime();
    const [recent, old] = [0, 3_600_000].map((ago) => new Date(now - ago).toISOString());
    expect(await freshness({ ...silent, authnInstant: recent ?? '' })).not.toBeNull();
    expect(await freshness({ ...silent, authnInstant: old ?? '' })).toBeNull();
  });

  it.each([null, 'yesterday', '2040-01-01T00:00:00'])(
    'is unknown with %s, unless the sign-in asked for a new authentication',
    async (authnInstant) => {
      expect(await freshness({ ...silent, authnInstant })).toBeNull();
      expect(await freshness({ ...silent, authnInstant }, '?force_authn=true')).not.toBeNull();
    },
  );
});
