// Logout with OpenID Connect: started here, and by the provider with a logout token.
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { auditMark, auditRows } from '../support/harness.ts';
import { type Issuer, makeKey, type Signing, startIssuer } from './issuer.ts';
import { CLIENT_ID, claimsFor, connectIssuer, signInWith, start } from './oidc-scenario.ts';
import { cookiesOf, ssoPath } from './scenario.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
let fixture: Fixture;
let issuer: Issuer;
let base: string;
let number = 0;
let person: { sub: string; sid: string; cookie: string };

beforeAll(async () => {
  fixture = await startFixture();
  issuer = await startIssuer();
  await connectIssuer(fixture, issuer);
  base = `${fixture.url}${ssoPath(fixture.organization_id)}`;
});
afterAll(async () => {
  await fixture?.stop();
  await issuer?.stop();
});
beforeEach(async () => {
  number += 1;
  person = await signInPerson(`person-${number}`);
});

async function signInPerson(sub: string, sid = `sid-${sub}`) {
  const response = await signInWith(fixture, issuer, { sub, sid, email: `${sub}@example.test` });
  expect(response.status).toBe(302);
  return { sub, sid, cookie: cookiesOf(response.headers) };
}

async function isSignedIn({ cookie }: { cookie: string }): Promise<boolean> {
  return (await fetch(`${fixture.url}/api/v1/developers/me`, { headers: { cookie } })).status === 200;
}

const seconds = () => Math.floor(fixture.clock.now().getTime() / 1_000);

async function send(more: Record<string, unknown> = {}, signing?: Signing, token?: string): Promise<Response> {
  const claims = {
    iss: issuer.name,
    aud: CLIENT_ID,
    iat: seconds(),
    exp: seconds() + 120,
    jti: crypto.randomUUID(),
    events: { [EVENT]: {} },
    sub: person.sub,
    ...more,
  };
  const body = new URLSearchParams({ logout_token: token ?? (await issuer.sign(claims as JWTPayload, signing)) });
  return fetch(`${base}/backchannel-logout`, { method: 'POST', body });
}

describe('a logout that starts here', () => {
  it('ends the session and sends the browser to the provider with its ID token', async () => {
    const answer = await fetch(`${base}/logout`, { headers: { cookie: person.cookie }, redirect: 'manual' });
    const location = new URL(answer.headers.get('location') ?? '');
    expect([answer.status, `${location.origin}${location.pathname}`]).toEqual([302, `${issuer.base}/logout`]);
    expect(location.searchParams.get('client_id')).toBe(CLIENT_ID);
    expect(location.searchParams.get('post_logout_redirect_uri')).toBe(`${fixture.config.server.base_url}/`);
    const [, claims = ''] = (location.searchParams.get('id_token_hint') ?? '').split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: person.sub, sid: person.sid });
    expect(answer.headers.getSetCookie().every((cookie) => cookie.includes('Max-Age=0'))).toBe(true);
    expect(await isSignedIn(person)).toBe(false);
  });

  it('is rejected from the page of another site', async () => {
    const headers = { cookie: person.cookie, 'sec-fetch-site': 'cross-site' };
    expect((await fetch(`${base}/logout`, { headers, redirect: 'manual' })).status).toBe(403);
    expect(await isSignedIn(person)).toBe(true);
  });

  it('works if the provider has no logout', async () => {
    issuer.document = { end_session_endpoint: undefined };
    await connectIssuer(fixture, issuer);
    const answer = await fetch(`${base}/logout`, { headers: { cookie: person.cookie }, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location'), await isSignedIn(person)]).toEqual([302, '/', false]);
    issuer.reset();
    await connectIssuer(fixture, issuer);
  });
});

describe('a logout token', () => {
  it('ends the sessions of a person', async () => {
    const second = await signInPerson(person.sub, 'second');
    const mark = auditMark(fixture);
    const answer = await send();
    expect([answer.status, answer.headers.get('cache-control'), await answer.text()]).toEqual([204, 'no-store', '']);
    expect([await isSignedIn(person), await isSignedIn(second)]).toEqual([false, false]);
    expect(auditRows(fixture, { after: mark }).map(({ event, details }) => [event, details.by])).toEqual([
      ['session_revoked', 'identity_provider'],
      ['session_revoked', 'identity_provider'],
    ]);
  });

  it('ends only the session that it names, with or without the person', async () => {
    const second = await signInPerson(person.sub, 'named');
    expect((await send({ sid: 'named' })).status).toBe(204);
    expect([await isSignedIn(person), await isSignedIn(second)]).toEqual([true, false]);
    expect((await send({ sub: undefined, sid: person.sid })).status).toBe(204);
    expect(await isSignedIn(person)).toBe(false);
  });

  it('for a person without a session is accepted', async () => {
    expect((await send({ sub: 'nobody' })).status).toBe(204);
    expect(await isSignedIn(person)).toBe(true);
  });

  const wrong: [name: string, reason: string, more: () => Record<string, unknown>][] = [
    ['from another issuer', 'issuer', () => ({ iss: 'https://elsewhere.example' })],
    ['for another client', 'audience', () => ({ aud: 'other' })],
    ['that expired', 'expired', () => ({ exp: seconds() - 120 })],
    ['of an hour ago', 'expired', () => ({ iat: seconds() - 3_600, exp: seconds() + 60 })],
    ['without an id', 'unreadable', () => ({ jti: undefined })],
    ['without the event', 'unreadable', () => ({ events: {} })],
    ['with a nonce, like an ID token', 'unreadable', () => ({ nonce: 'x' })],
    ['without person and session', 'subject', () => ({ sub: undefined })],
  ];
  it.each(wrong)('%s is rejected', async (_name, reason, more) => {
    const mark = auditMark(fixture);
    await expectRejected(await send(more()), reason, mark);
  });

  it('signed with another key, or with the client secret, is rejected', async () => {
    let mark = auditMark(fixture);
    await expectRejected(await send({}, { key: await makeKey() }), 'signature', mark);
    mark = auditMark(fixture);
    await expectRejected(await send({}, { key: new TextEncoder().encode(issuer.clientSecret) }), 'algorithm', mark);
  });

  it('that is an ID token is rejected', async () => {
    const mark = auditMark(fixture);
    const token = await issuer.sign(claimsFor(fixture, issuer, await start(fixture), { sub: person.sub }));
    await expectRejected(await send({}, undefined, token), 'unreadable', mark);
  });

  it('is accepted once', async () => {
    const jti = crypto.randomUUID();
    expect((await send({ jti, sub: 'nobody' })).status).toBe(204);
    const mark = auditMark(fixture);
    await expectRejected(await send({ jti }), 'replayed', mark);
  });
});

async function expectRejected(answer: Response, reason: string, mark: string): Promise<void> {
  expect([answer.status, await answer.json()]).toEqual([
    400,
    {
      error: 'invalid_input',
      message: 'The logout message of the identity provider was rejected. Check whether you are still signed in.',
      details: {},
    },
  ]);
  expect(auditRows(fixture, { after: mark }).map(({ event, details }) => [event, details.reason])).toEqual([
    ['logout_failed', reason],
  ]);
  expect(await isSignedIn(person)).toBe(true);
}
