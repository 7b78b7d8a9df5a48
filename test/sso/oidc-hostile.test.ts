// Attacks on signing in with OpenID Connect, and providers that misbehave.
import { createServer } from 'node:net';
import { exportSPKI, type JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { organizations } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { createOidcProviders, oidcProvidersOf } from '../../src/oidc/providers.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { auditMark, auditRows, signIn } from '../support/harness.ts';
import { addOrganization } from '../support/people.ts';
import { type Issuer, type IssuerKey, makeKey, type Signing, sendJson, startIssuer } from './issuer.ts';
import {
  CLIENT_ID,
  call,
  claimsFor,
  connectIssuer,
  type StartedSignIn,
  settings,
  signInWith,
  start,
  whoIs,
} from './oidc-scenario.ts';
import { ssoPath } from './scenario.ts';

const MINUTE_S = 60;
let fixture: Fixture;
let issuer: Issuer;
let other: Issuer;
let foreignKey: IssuerKey;

beforeAll(async () => {
  fixture = await startFixture();
  [issuer, other, foreignKey] = await Promise.all([startIssuer(), startIssuer('/other'), makeKey()]);
  await connectIssuer(fixture, issuer);
});
afterAll(async () => {
  await fixture?.stop();
  await Promise.all([issuer?.stop(), other?.stop()]);
});
beforeEach(() => {
  issuer.reset();
  other.reset();
});
afterEach(() => vi.restoreAllMocks());

const REJECTED = 'The response of the identity provider was rejected. Sign in again.';

async function expectRejected(response: Response, reason: string, mark: string, message = REJECTED): Promise<void> {
  expect([response.status, await response.json()]).toEqual([401, { error: 'unauthorized', message, details: {} }]);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(auditRows(fixture, { after: mark }).map(({ event, details }) => [event, details.reason])).toEqual([
    ['login_failed', reason],
  ]);
}

/** Issues a code for a sign-in. */
async function codeFor(started: StartedSignIn, more: JWTPayload = {}, signing: Signing = {}): Promise<string> {
  return issuer.issueCode(started.location, await issuer.sign(claimsFor(fixture, issuer, started, more), signing));
}

const stateOf = ({ query }: StartedSignIn) => query.get('state') ?? '';
const tokenRequests = () => issuer.requests.filter(({ path }) => path === '/token').length;

describe('an ID token', () => {
  const now = () => Math.floor(fixture.clock.now().getTime() / 1_000);
  const wrong: [name: string, reason: string, more: () => Record<string, unknown>][] = [
    ['from another issuer', 'issuer', () => ({ iss: 'https://elsewhere.example' })],
    ['from the issuer with a slash at the end', 'issuer', () => ({ iss: `${issuer.name}/` })],
    ['for another client', 'audience', () => ({ aud: 'other-client' })],
    ['for several clients without azp', 'audience', () => ({ aud: [CLIENT_ID, 'other-client'] })],
    ['issued to another client', 'audience', () => ({ aud: [CLIENT_ID, 'other-client'], azp: 'other-client' })],
    ['for us, but issued to another client', 'audience', () => ({ azp: 'other-client' })],
    ['that expired', 'expired', () => ({ exp: now() - 2 * MINUTE_S })],
    ['of an hour ago', 'expired', () => ({ iat: now() - 60 * MINUTE_S })],
    ['of the future', 'not_yet_valid', () => ({ iat: now() + 5 * MINUTE_S })],
    ['that is valid later', 'not_yet_valid', () => ({ nbf: now() + 5 * MINUTE_S })],
    ['with the nonce of another sign-in', 'nonce', () => ({ nonce: 'replayed' })],
    ['without a nonce', 'unreadable', () => ({ nonce: undefined })],
    ['without a subject', 'unreadable', () => ({ sub: undefined })],
    ['with an empty subject', 'subject', () => ({ sub: '' })],
    ['with a subject of 600 characters', 'subject', () => ({ sub: 'x'.repeat(600) })],
    ['with a lone surrogate in the subject', 'subject', () => ({ sub: 'a\ud800' })],
    ['with a line break in the subject', 'subject', () => ({ sub: 'a\nb' })],
    ['with an address of an unverified domain', 'domain', () => ({ email: 'zoe@elsewhere.test' })],
    ['with an address of a subdomain', 'domain', () => ({ email: 'zoe@sub.example.test' })],
    ['with two addresses', 'email', () => ({ email: ['zoe@example.test', 'eve@example.test'] })],
    ['with an invalid address', 'email', () => ({ email: 'zoe' })],
  ];
  it.each(wrong)('%s is rejected', async (_name, reason, more) => {
    const mark = auditMark(fixture);
    await expectRejected(await signInWith(fixture, issuer, more() as JWTPayload), reason, mark);
  });

  it('may be a minute off', async () => {
    const response = await signInWith(fixture, issuer, { iat: now() + 50, nbf: now() + 50, exp: now() + 300 });
    expect(response.status).toBe(302);
  });

  const signatures: [name: string, reason: string, signing: () => Signing | Promise<Signing>][] = [
    [
      'by another key with the same kid',
      'signature',
      () => ({ key: { ...foreignKey, kid: issuer.keys[0]?.kid ?? '' } }),
    ],
    ['by another key that it brings along', 'signature', async () => ({ key: foreignKey, header: await embedded() })],
    [
      'by a key at an address that it names',
      'signature',
      () => ({ key: foreignKey, header: { jku: `${other.base}/keys` } }),
    ],
    ['with HS256 and the public key', 'algorithm', async () => ({ key: new TextEncoder().encode(await publicPem()) })],
    ['with HS256 and the client secret', 'algorithm', () => ({ key: new TextEncoder().encode(issuer.clientSecret) })],
    ['with a kid that is a path', 'signature', () => ({ key: foreignKey, header: { kid: '../../dev/null' } })],
    ['with a kid that is SQL', 'signature', () => ({ key: foreignKey, header: { kid: "x' UNION SELECT 'secret" } })],
    ['with a kid that is no text', 'signature', () => ({ key: foreignKey, header: { kid: { $ne: '' } } })],
  ];
  const embedded = async () => ({ jwk: await (await import('jose')).exportJWK(foreignKey.publicKey) });
  const publicPem = () => exportSPKI((issuer.keys[0] ?? foreignKey).publicKey);
  it.each(signatures)('signed %s is rejected', async (_name, reason, signing) => {
    const mark = auditMark(fixture);
    const response = await signInWith(fixture, issuer, {}, { signing: await signing() });
    await expectRejected(response, reason, mark);
  });

  it('without a signature is rejected', async () => {
    const mark = auditMark(fixture);
    const started = await start(fixture);
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${encode({ alg: 'none' })}.${encode(claimsFor(fixture, issuer, started))}.`;
    const code = issuer.issueCode(started.location, token);
    await expectRejected(await call(fixture, { code, state: stateOf(started) }, started), 'algorithm', mark);
  });

  it('with changed claims is rejected', async () => {
    const mark = auditMark(fixture);
    const started = await start(fixture);
    const [header, , signature] = (await issuer.sign(claimsFor(fixture, issuer, started))).split('.');
    const claims = claimsFor(fixture, issuer, started, { email: 'admin@example.test' });
    const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const code = issuer.issueCode(started.location, `${header}.${changed}.${signature}`);
    await expectRejected(await call(fixture, { code, state: stateOf(started) }, started), 'signature', mark);
  });

  it('that is larger than 64 KiB is rejected', async () => {
    const mark = auditMark(fixture);
    const response = await signInWith(fixture, issuer, { groups: 'x'.repeat(70_000) });
    await expectRejected(response, 'unreadable', mark);
  });
});

describe('keys', () => {
  it('can be rotated', async () => {
    expect((await signInWith(fixture, issuer)).status).toBe(302);
    issuer.keys = [await makeKey('PS256'), ...issuer.keys];
    fixture.clock.advance(MINUTE);
    expect((await signInWith(fixture, issuer)).status).toBe(302);
    // Also if they and the metadata were fetched while the clock was ahead.
    fixture.clock.advance(DAY);
    expect((await signInWith(fixture, issuer)).status).toBe(302);
    fixture.clock.advance(-DAY);
    issuer.keys = [await makeKey('PS256')];
    issuer.requests.length = 0;
    expect((await signInWith(fixture, issuer)).status).toBe(302);
    expect(issuer.requests.map(({ path }) => path)).toContain('/.well-known/openid-configuration');
  });

  it('are fetched at most once a minute for unknown key ids', async () => {
    fixture.clock.advance(MINUTE);
    await signInWith(fixture, issuer, {}, { signing: { key: foreignKey } });
    issuer.requests.length = 0;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await signInWith(fixture, issuer, {}, { signing: { key: foreignKey } })).status).toBe(401);
    }
    // The metadata is known, too.
    expect(new Set(issuer.requests.map(({ path }) => path))).toEqual(new Set(['/token']));
    fixture.clock.advance(MINUTE - 1);
    await signInWith(fixture, issuer, {}, { signing: { key: foreignKey } });
    expect(issuer.requests.filter(({ path }) => path === '/keys')).toEqual([]);
    fixture.clock.advance(1);
    await signInWith(fixture, issuer, {}, { signing: { key: foreignKey } });
    expect(issuer.requests.filter(({ path }) => path === '/keys')).toHaveLength(1);
  });
});

describe('a callback', () => {
  it('is accepted once', async () => {
    const started = await start(fixture);
    const query = { code: await codeFor(started), state: stateOf(started) };
    expect((await call(fixture, query, started)).status).toBe(302);
    const mark = auditMark(fixture);
    const before = tokenRequests();
    await expectRejected(await call(fixture, query, started), 'replayed', mark);
    expect(tokenRequests()).toBe(before);
  });

  it('is accepted once although several arrive at the same time', async () => {
    const started = await start(fixture);
    const query = { code: await codeFor(started), state: stateOf(started) };
    const before = tokenRequests();
    const all = await Promise.all(Array.from({ length: 4 }, () => call(fixture, query, started)));
    expect(all.map(({ status }) => status).sort()).toEqual([302, 401, 401, 401]);
    expect(tokenRequests()).toBe(before + 1);
  });

  it('in another browser is rejected, so that nobody is signed in to the account of an attacker', async () => {
    const attacker = await start(fixture);
    const victim = await start(fixture);
    for (const cookie of ['', victim.cookie, 'svc_sso=short']) {
      const mark = auditMark(fixture);
      const query = { code: await codeFor(attacker), state: stateOf(attacker) };
      await expectRejected(await call(fixture, query, { cookie }), 'browser', mark);
    }
    expect(tokenRequests()).toBe(0);
  });

  it('with a code of another sign-in is rejected', async () => {
    const victim = await start(fixture);
    const stolen = await codeFor(victim, { email: 'victim@example.test' });
    const attacker = await start(fixture);
    const mark = auditMark(fixture);
    const message =
      "The identity provider rejected this server's request. Ask an admin of your organization to check single sign-on.";
    const response = await call(fixture, { code: stolen, state: stateOf(attacker) }, attacker);
    await expectRejected(response, 'code', mark, message);
    expect(auditRows(fixture, { after: mark })[0]?.details).toMatchObject({
      error: 'invalid_grant',
      description: 'The code is wrong',
    });
  });

  it('after 15 minutes is rejected', async () => {
    const started = await start(fixture);
    fixture.clock.advance(15 * 60_000);
    const mark = auditMark(fixture);
    const query = { code: await codeFor(started), state: stateOf(started) };
    await expectRejected(await call(fixture, query, started), 'request', mark);
  });

  /** Changes the last character of the request's own part, the browser or the time. */
  const otherPart = (state: string, changed: number): string =>
    state
      .split('.')
      .map((part, index) => (index === changed ? part.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')) : part))
      .join('.');
  const states: [name: string, reason: string, change: (state: string) => string][] = [
    ['without a state', 'request', () => ''],
    ['with a made-up state', 'request', () => 'x'],
    ['with a changed state', 'request', (state) => state.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['with a state of another request', 'request', (state) => otherPart(state, 0)],
    ['with a state of another browser', 'request', (state) => otherPart(state, 1)],
    ['with a state of another time', 'request', (state) => otherPart(state, 2)],
    // The path isn't signed by itself, but nonce and verifier are those of the whole state.
    ['with another path to return to', 'code', (state) => `${state}~${Buffer.from('/evil').toString('base64url')}`],
  ];
  it.each(states)('%s is rejected', async (_name, reason, change) => {
    const started = await start(fixture);
    const mark = auditMark(fixture);
    const response = await call(fixture, { code: await codeFor(started), state: change(stateOf(started)) }, started);
    expect([response.status, auditRows(fixture, { after: mark })[0]?.details.reason]).toEqual([401, reason]);
  });

  const repeated: [name: string, more: (state: string) => string][] = [
    ['code', () => '&code=second'],
    ['state', (state) => `&state=${state}`],
    ['iss', () => `&iss=${encodeURIComponent(issuer.name)}&iss=x`],
  ];
  it.each(repeated)('with %s twice is rejected', async (_name, more) => {
    const started = await start(fixture);
    const mark = auditMark(fixture);
    const code = await codeFor(started);
    const response = await call(fixture, `code=${code}&state=${stateOf(started)}${more(stateOf(started))}`, started);
    expect([response.status, auditRows(fixture, { after: mark }).length, tokenRequests()]).toEqual([401, 1, 0]);
  });

  it('of a SAML sign-in or another organization is rejected', async () => {
    const { client } = await signIn(fixture);
    const organizationId = await addOrganization({ client } as never, 'Second');
    await connectIssuer(fixture, issuer, { organizationId, domains: ['second.test'] });
    const started = await start(fixture, { organizationId });
    const mark = auditMark(fixture);
    const response = await call(fixture, { code: await codeFor(started), state: stateOf(started) }, started);
    await expectRejected(response, 'request', mark);
    const saml = await fetch(`${fixture.url}${ssoPath(fixture.organization_id)}/acs`, {
      method: 'POST',
      body: new URLSearchParams({ SAMLResponse: 'x' }),
    });
    expect(saml.status).toBe(404);
    expect((await fetch(`${fixture.url}${ssoPath(fixture.organization_id)}/slo?SAMLRequest=x`)).status).toBe(404);
  });

  it('that names another issuer is a mix-up, with a code or an error', async () => {
    for (const answer of [{ code: 'stolen' }, { error: 'access_denied' }]) {
      const started = await start(fixture);
      const mark = auditMark(fixture);
      const query = { ...answer, state: stateOf(started), iss: other.name } as unknown as Record<string, string>;
      await expectRejected(await call(fixture, query, started), 'issuer', mark);
    }
    expect(tokenRequests()).toBe(0);
  });

  it('that names no issuer is rejected if the provider always names it', async () => {
    issuer.document = { authorization_response_iss_parameter_supported: true };
    await oidcProvidersOf(fixture.app).reload(issuer.name);
    const started = await start(fixture);
    const mark = auditMark(fixture);
    const query = { code: await codeFor(started), state: stateOf(started) };
    await expectRejected(await call(fixture, query, started), 'issuer', mark);
    issuer.reset();
    await oidcProvidersOf(fixture.app).reload(issuer.name);
  });

  it('of a connection that was replaced in the meantime is rejected', async () => {
    const started = await start(fixture);
    const code = await codeFor(started);
    await connectIssuer(fixture, issuer, { client_id: 'new-client' });
    const mark = auditMark(fixture);
    await expectRejected(await call(fixture, { code, state: stateOf(started) }, started), 'request', mark);
    await connectIssuer(fixture, issuer);
  });

  it('during which the settings change is rejected', async () => {
    const started = await start(fixture);
    const code = await codeFor(started, { email_verified: undefined, nickname: 'zoe@example.test' });
    issuer.overrides.set('/userinfo', (response) => {
      void connectIssuer(fixture, issuer, { accept_unverified_email: true }).then(() =>
        sendJson({ sub: 'subject-zoe', email: 'zoe@example.test', email_verified: true })(response, {} as never, ''),
      );
    });
    const response = await call(fixture, { code, state: stateOf(started) }, started);
    expect(response.status).toBe(401);
    expect(auditRows(fixture).at(-1)?.details).toEqual({ reason: 'configuration_changed' });
    await connectIssuer(fixture, issuer);
  });

  it('never leads to another site', async () => {
    for (const path of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
      const response = await signInWith(fixture, issuer, {}, { query: `?relay_state=${encodeURIComponent(path)}` });
      expect([response.status, response.headers.get('location')]).toEqual([302, '/']);
    }
  });

  it('has a redirect URI that no request can change', async () => {
    const response = await fetch(
      `${fixture.url}${ssoPath(fixture.organization_id)}/login?redirect_uri=https://evil.example`,
      {
        redirect: 'manual',
        headers: { 'x-forwarded-host': 'evil.example' },
      },
    );
    const { searchParams } = new URL(response.headers.get('location') ?? '');
    expect(searchParams.getAll('redirect_uri')).toEqual([
      `${fixture.config.server.base_url}${ssoPath(fixture.organization_id)}/callback`,
    ]);
  });
});

describe('an account', () => {
  it('outside of the verified domains is never reached, also not by its known identity', async () => {
    const response = await signInWith(fixture, issuer, { sub: 'moving', email: 'moving@example.test' });
    const { identifier = '' } = await whoIs(fixture, response);
    fixture.app.db.$client
      .prepare('UPDATE developers SET email = ? WHERE id = ?')
      .run('moved@private.test', identifier);
    const mark = auditMark(fixture);
    const again = await signInWith(fixture, issuer, { sub: 'moving', email: 'moving@example.test' });
    await expectRejected(again, 'domain', mark);
  });

  it('joins no locked organization', async () => {
    fixture.app.db.update(organizations).set({ lockReason: 'grace' }).run();
    onTestFinished(() => void fixture.app.db.update(organizations).set({ lockReason: null }).run());
    const mark = auditMark(fixture);
    const response = await signInWith(fixture, issuer, { sub: 'late', email: 'late@example.test' });
    expect(response.status).toBe(401);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'login_failed', type: 'org_sso', details: { reason: 'organization_locked' } },
    ]);
  });

  it('that is locked stays out', async () => {
    const response = await signInWith(fixture, issuer, { sub: 'locked', email: 'locked@example.test' });
    const { identifier = '' } = await whoIs(fixture, response);
    fixture.app.db.$client.prepare('UPDATE developers SET locked_at = 1 WHERE id = ?').run(identifier);
    const mark = auditMark(fixture);
    const again = await signInWith(fixture, issuer, { sub: 'locked', email: 'locked@example.test' });
    await expectRejected(again, 'account_locked', mark);
  });
});

describe('an error of the provider', () => {
  const errors: [code: string, recorded: string, message: string][] = [
    [
      'access_denied',
      'access_denied',
      'The identity provider denied access. Ask its administrator to assign you to this application.',
    ],
    ['login_required', 'login_required', 'The identity provider needs you to sign in there first. Sign in again.'],
    ['temporarily_unavailable', 'temporarily_unavailable', "The identity provider isn't available. Try again later."],
    [
      'invalid_scope',
      'invalid_scope',
      "The identity provider rejected this server's request. Ask an admin of your organization to check single sign-on.",
    ],
    [
      'constructor',
      'constructor',
      "The identity provider rejected this server's request. Ask an admin of your organization to check single sign-on.",
    ],
    [
      '<script>alert(1)</script>',
      'unknown',
      "The identity provider rejected this server's request. Ask an admin of your organization to check single sign-on.",
    ],
  ];
  it.each(errors)('%s is shown in plain words, without its own text', async (error, recorded, message) => {
    const started = await start(fixture);
    const mark = auditMark(fixture);
    const query = { error, error_description: 'Call 555-1234', state: stateOf(started) };
    const response = await call(fixture, query, { ...started, headers: { accept: 'text/html' } });
    const page = await response.text();
    expect([response.status, page.includes(message.replaceAll("'", '&#39;'))]).toEqual([401, true]);
    expect(page).not.toContain('555');
    expect(page).not.toContain('<script>alert');
    expect(auditRows(fixture, { after: mark }).map(({ details }) => details)).toEqual([
      { reason: 'status', error: recorded },
    ]);
  });
});

describe('a provider that misbehaves', () => {
  const LATER = "The identity provider isn't available. Try again later.";
  const answers: [
    name: string,
    reason: string,
    message: string | undefined,
    override: [string, Parameters<Issuer['overrides']['set']>[1]],
  ][] = [
    ['HTML instead of tokens', 'unreachable', LATER, ['/token', (response) => response.end('<html>')]],
    ['status 500 instead of tokens', 'unreachable', LATER, ['/token', (response) => response.writeHead(500).end()]],
    [
      'a redirect instead of tokens',
      'unreachable',
      LATER,
      ['/token', (response) => response.writeHead(307, { location: '/keys' }).end()],
    ],
    ['no ID token', 'unreadable', undefined, ['/token', sendJson({ access_token: 'a', token_type: 'Bearer' })]],
    ['a list', 'unreadable', undefined, ['/token', sendJson([])]],
    ['a closed connection', 'unreachable', LATER, ['/token', (response) => response.destroy()]],
    ['a megabyte of tokens', 'unreachable', LATER, ['/token', (response) => response.end('x'.repeat(1_000_000))]],
    [
      'an encrypted ID token',
      'algorithm',
      undefined,
      ['/token', sendJson({ access_token: 'a', token_type: 'Bearer', id_token: 'a.b.c.d.e' })],
    ],
  ];
  it.each(answers)('with %s gets a clear error', async (_name, reason, message, override) => {
    issuer.overrides.set(...override);
    const mark = auditMark(fixture);
    await expectRejected(await signInWith(fixture, issuer), reason, mark, message);
  });

  it('with unreadable keys gets a clear error', async () => {
    fixture.clock.advance(11 * 60_000);
    for (const body of ['{}', '{"keys":7}', 'x', JSON.stringify({ keys: Array(200).fill({ kty: 'RSA' }) })]) {
      issuer.overrides.set('/keys', (response) => response.end(body));
      const mark = auditMark(fixture);
      await expectRejected(await signInWith(fixture, issuer), 'unreachable', mark, LATER);
    }
  });

  it('with keys that are too short is rejected', async () => {
    fixture.clock.advance(11 * 60_000);
    const short = { kty: 'RSA', kid: issuer.keys[0]?.kid, alg: 'RS256', use: 'sig', e: 'AQAB', n: 'x'.repeat(170) };
    issuer.overrides.set('/keys', sendJson({ keys: [short] }));
    const mark = auditMark(fixture);
    await expectRejected(await signInWith(fixture, issuer), 'signature', mark);
    fixture.clock.advance(11 * 60_000);
  });

  it('that never answers, or byte by byte, costs no more than the deadline', async () => {
    const providers = createOidcProviders(fixture.app, 300);
    let timer: NodeJS.Timeout | undefined;
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n');
        timer = setInterval(() => socket.write(' '), 50);
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    // Without a deadline, the text would take more than an hour.
    await expect(providers.load(`http://127.0.0.1:${port}`)).rejects.toThrow('not reached');
    clearInterval(timer);
    providers.close();
    server.close();
  });

  it('is asked once by many sign-ins at the same time', async () => {
    fixture.clock.advance(11 * 60_000);
    issuer.requests.length = 0;
    await Promise.all(Array.from({ length: 8 }, () => start(fixture)));
    expect(issuer.requests.map(({ path }) => path)).toEqual(['/.well-known/openid-configuration']);
  });
});

describe('the settings', () => {
  it('cannot have the stored secret sent to another issuer or for another client', async () => {
    const { client } = await signIn(fixture);
    const { client_secret: _secret, ...kept } = settings(issuer).oidc;
    const path = ssoPath(fixture.organization_id);
    expect((await client.put(path, { oidc: kept })).status).toBe(200);
    for (const change of [{ issuer: other.name }, { client_id: 'another' }]) {
      const answer = await client.put(path, { oidc: { ...kept, ...change } });
      expect([answer.status, answer.body]).toMatchObject([
        400,
        {
          error: 'validation_error',
          details: { errors: [{ type: 'missing', loc: ['body', 'oidc', 'client_secret'] }] },
        },
      ]);
    }
    expect((await signInWith(fixture, issuer)).status).toBe(302);
  });
});
