// Single logout: accepted and rejected messages of an identity provider, and who can start one.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, auditMark, auditRows, expectRefusal } from '../support/harness.ts';
import {
  attributeIn,
  type LogoutRequest,
  makeProvider,
  messageOf,
  type Provider,
  type RedirectSigning,
  RSA_SHA1,
  signAnswer,
  signRedirect,
  writeLogoutRequest,
} from './provider.ts';
import { begin, connect, cookiesOf, deliver, ssoPath } from './scenario.ts';

let fixture: Fixture;
let provider: Provider;
let other: Provider;
let base: string;
let number = 0;

beforeAll(async () => {
  fixture = await startFixture();
  [provider, other] = await Promise.all([makeProvider(), makeProvider()]);
  await connect(fixture, provider);
  base = `${fixture.config.server.base_url}${ssoPath(fixture.organization_id)}`;
});
afterAll(() => fixture?.stop());

interface SignedInPerson {
  nameId: string;
  sessionIndex: string;
  cookie: string;
}
let person: SignedInPerson;

async function signInPerson(nameId: string, sessionIndex = `index-${nameId}`): Promise<SignedInPerson> {
  const started = await begin(fixture);
  const xml = signAnswer(provider, started.target, { nameId, sessionIndex, email: `${nameId}@example.test` });
  const response = await deliver(fixture, xml, { cookie: started.cookie });
  expect(response.status).toBe(302);
  return { nameId, sessionIndex, cookie: cookiesOf(response.headers) };
}
beforeEach(async () => {
  number += 1;
  person = await signInPerson(`person-${number}`);
});

async function isSignedIn({ cookie }: SignedInPerson): Promise<boolean> {
  return (await fetch(`${fixture.url}/api/v1/developers/me`, { headers: { cookie } })).status === 200;
}

const logoutRequest = (request: LogoutRequest = {}) =>
  writeLogoutRequest(
    provider,
    { destination: `${base}/slo`, now: fixture.clock.now().getTime() },
    { nameId: person.nameId, ...request },
  );

const response = (inResponseTo: string) =>
  logoutRequest()
    .replaceAll('LogoutRequest', 'LogoutResponse')
    .replace(' Version=', ` InResponseTo="${inResponseTo}" Version=`)
    .replace(
      /<saml:NameID>.*<\/saml:NameID>/,
      '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
    );

interface Sending extends RedirectSigning {
  key?: Provider;
  change?: (query: string) => string;
}

async function send(xml: string, { key = provider, change, ...signing }: Sending = {}): Promise<Response> {
  const query = signRedirect(xml, key, signing);
  return fetch(`${fixture.url}${ssoPath(fixture.organization_id)}/slo?${change?.(query) ?? query}`, {
    redirect: 'manual',
  });
}

async function expectRefused(answer: Response, reason: string, mark: string): Promise<void> {
  expect([answer.status, await answer.json()]).toEqual([
    401,
    {
      error: 'unauthorized',
      message: 'The logout message of the identity provider was rejected. Check whether you are still signed in.',
      details: {},
    },
  ]);
  expect(auditRows(fixture, { after: mark }).map(({ event, details }) => [event, details.reason])).toEqual([
    ['logout_failed', reason],
  ]);
  expect(await isSignedIn(person)).toBe(true);
}

describe('a logout request of an identity provider', () => {
  it('ends the sessions that it created and gets a signed response with its RelayState', async () => {
    const mark = auditMark(fixture);
    const answer = await send(logoutRequest({ id: '_wish' }), { relayState: 'state & more' });
    const location = answer.headers.get('location') ?? '';
    expect([answer.status, location.split('?')[0]]).toEqual([302, 'https://idp.example.test/slo']);
    expect(new URL(location).searchParams.get('RelayState')).toBe('state & more');
    const message = messageOf(location, 'SAMLResponse');
    expect(attributeIn(message, 'InResponseTo')).toBe('_wish');
    expect(message).toContain('Value="urn:oasis:names:tc:SAML:2.0:status:Success"');
    expect(await isSignedIn(person)).toBe(false);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'session_revoked', organizationId: fixture.organization_id, details: { by: 'identity_provider' } },
    ]);
  });

  it('is parsed in any encoding', async () => {
    const lower = (text: string) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase());
    expect((await send(logoutRequest(), { encode: lower })).status).toBe(302);
    expect(await isSignedIn(person)).toBe(false);
  });

  it('ends the sessions that it contains and no others', async () => {
    const second = await signInPerson(person.nameId, 'another-index');
    expect((await send(logoutRequest({ sessionIndexes: ['another-index'] }))).status).toBe(302);
    expect([await isSignedIn(person), await isSignedIn(second)]).toEqual([true, false]);
    expect((await send(logoutRequest())).status).toBe(302);
    expect(await isSignedIn(person)).toBe(false);
  });

  it('gets a response also for someone who is not signed in', async () => {
    expect((await send(logoutRequest({ nameId: 'nobody' }))).status).toBe(302);
    expect(await isSignedIn(person)).toBe(true);
  });

  const MINUTE = 60_000;
  const wrong: [name: string, reason: string, request: LogoutRequest][] = [
    ['from another issuer', 'issuer', { issuer: 'https://elsewhere.example' }],
    ['for another destination', 'destination', { destination: 'https://elsewhere.example/slo' }],
    ['of an hour ago', 'expired', { issuedAt: -60 * MINUTE }],
    ['of the future', 'not_yet_valid', { issuedAt: 5 * MINUTE }],
    ['that has expired', 'expired', { notOnOrAfter: -2 * MINUTE }],
    ['with a document type', 'unreadable', { prefix: '<!DOCTYPE x>' }],
    ['with markup in the name', 'subject', { nameId: '<b>x</b>' }],
    ['with very many sessions', 'unreadable', { sessionIndexes: new Array<string>(101).fill('x') }],
  ];
  it.each(wrong)('%s is rejected', async (_name, reason, request) => {
    const mark = auditMark(fixture);
    await expectRefused(await send(logoutRequest(request)), reason, mark);
  });

  it.each([
    ['that is a response', () => response('x'), 'SAMLRequest'],
    ['that is sent as a response', () => logoutRequest(), 'SAMLResponse'],
  ])('%s is rejected', async (_name, write, parameter) => {
    const mark = auditMark(fixture);
    await expectRefused(await send(write(), { parameter }), 'unreadable', mark);
  });

  const unsigned: [name: string, sending: () => Sending][] = [
    ['without a signature', () => ({ change: (query) => query.replace(/&Signature=.*/, '') })],
    ['without an algorithm', () => ({ change: (query) => query.replace(/&SigAlg=[^&]*/, '') })],
    ['signed with another key', () => ({ key: other })],
    ['signed with SHA-1', () => ({ algorithm: RSA_SHA1 })],
    ['with another message beside it', () => ({ change: (query) => `SAMLResponse=x&${query}` })],
    ['with a parameter twice', () => ({ change: (query) => `${query}&RelayState=x&RelayState=y` })],
    ['with a RelayState that was added', () => ({ change: (query) => `RelayState=x&${query}` })],
    ['with nothing', () => ({ change: () => '' })],
  ];
  it.each(unsigned)('%s is rejected', async (_name, sending) => {
    const mark = auditMark(fixture);
    await expectRefused(await send(logoutRequest(), sending()), 'signature', mark);
  });

  it('with a comment is rejected', async () => {
    const mark = auditMark(fixture);
    const xml = logoutRequest().replace('<saml:NameID>', '<!-- x --><saml:NameID>');
    await expectRefused(await send(xml), 'unreadable', mark);
  });

  it('that decompresses without end is rejected', async () => {
    const mark = auditMark(fixture);
    const bomb = logoutRequest().replace('</samlp:LogoutRequest>', `${' '.repeat(4_000_000)}</samlp:LogoutRequest>`);
    await expectRefused(await send(bomb), 'signature', mark);
  });

  it('is accepted once', async () => {
    const xml = logoutRequest({ nameId: 'nobody' });
    expect((await send(xml)).status).toBe(302);
    const mark = auditMark(fixture);
    await expectRefused(await send(xml), 'replayed', mark);
  });
});

describe('rejected logout messages', () => {
  it('are shown to a person as a failed sign-out', async () => {
    const answer = await fetch(`${fixture.url}${ssoPath(fixture.organization_id)}/slo`, {
      headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' },
    });
    const page = await answer.text();
    expect([answer.status, page.includes('<h1>Sign-out failed</h1>')]).toEqual([401, true]);
  });

  it('are limited for each address, so that nobody can fill the audit trail, and valid messages are not', async () => {
    await using limited = await startFixture({
      config: { rate_limits: { enabled: true, token_exchange: { requests: 3, per_seconds: 3_600 } } },
    });
    await connect(limited, provider);
    const slo = `${limited.config.server.base_url}${ssoPath(limited.organization_id)}/slo`;
    const mark = auditMark(limited);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) statuses.push((await fetch(`${slo}?SAMLRequest=x`)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(auditRows(limited, { after: mark }).map(({ event }) => event)).toEqual(Array(3).fill('logout_failed'));
    const now = limited.clock.now().getTime();
    const xml = writeLogoutRequest(provider, { destination: slo, now }, { nameId: 'nobody' });
    expect((await fetch(`${slo}?${signRedirect(xml, provider, {})}`, { redirect: 'manual' })).status).toBe(302);
  });
});

describe('a logout that starts here', () => {
  const logout = (cookie: string, headers = {}) =>
    fetch(`${fixture.url}${ssoPath(fixture.organization_id)}/logout`, {
      headers: { cookie, ...headers },
      redirect: 'manual',
    });

  it('ends the session, deletes the cookies and redirects to the identity provider', async () => {
    const answer = await logout(person.cookie);
    const location = answer.headers.get('location') ?? '';
    expect([answer.status, location.split('?')[0]]).toEqual([302, 'https://idp.example.test/slo']);
    expect(answer.headers.getSetCookie().every((cookie) => cookie.includes('Max-Age=0'))).toBe(true);
    const message = messageOf(location);
    expect(message).toContain(`>${person.nameId}</saml:NameID>`);
    expect(message).toContain(`<samlp:SessionIndex>${person.sessionIndex}</samlp:SessionIndex>`);
    expect(await isSignedIn(person)).toBe(false);

    const back = await send(response(attributeIn(message, 'ID')), { parameter: 'SAMLResponse' });
    expect([back.status, back.headers.get('location')]).toEqual([302, '/']);
  });

  it('accepts only a response to its own request', async () => {
    const mark = auditMark(fixture);
    const started = await begin(fixture);
    await expectRefused(await send(response(started.requestId), { parameter: 'SAMLResponse' }), 'request', mark);
  });

  it('is rejected for a page of another site', async () => {
    const answer = await logout(person.cookie, { 'sec-fetch-site': 'cross-site' });
    expect([answer.status, await isSignedIn(person)]).toEqual([403, true]);
  });

  it('is not available for sessions with another sign-in, in any organization', async () => {
    expectRefusal(await api(fixture).get(`${ssoPath(fixture.organization_id)}/logout`), 404, 'not_found');
    expectRefusal(await api(fixture).get(`${ssoPath(fixture.app.ids.next())}/logout`), 404, 'not_found');
  });

  it('works if the identity provider has no logout', async () => {
    await api(fixture).put(ssoPath(fixture.organization_id), {
      entity_id: provider.entityId,
      sso_url: 'https://idp.example.test/sso',
      certificates: [provider.certificate],
    });
    const answer = await logout(person.cookie);
    expect([answer.status, answer.headers.get('location'), await isSignedIn(person)]).toEqual([302, '/', false]);
  });
});

describe('the cleanup job', () => {
  it('deletes expired ids, and the rest of ended sessions', async () => {
    await fixture.sweep('sessions');
    const traces = () =>
      fixture.app.db.$client
        .prepare('SELECT (SELECT count(*) FROM sso_replays), (SELECT count(*) FROM sso_sessions)')
        .raw()
        .get();
    expect(await isSignedIn(person)).toBe(true);
    fixture.clock.advance(20 * 60_000);
    await fixture.sweep('sessions');
    expect(traces()).toEqual([0, expect.any(Number)]);
    fixture.clock.advance(31 * 24 * 3_600_000);
    await fixture.sweep('sessions');
    await fixture.sweep('sessions');
    expect(traces()).toEqual([0, 0]);
  });
});
