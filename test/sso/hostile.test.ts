// Responses that no honest identity provider sends, or not to us, or not now. Each gets the same error, and only an event of the
// audit trail is written.
import { count } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  developers,
  organizationMemberships,
  sessions,
  ssoIdentities,
  ssoReplays,
  ssoSessions,
} from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { leastCpu } from '../support/cpu.ts';
import { api, auditMark, auditRows } from '../support/harness.ts';
import {
  type Answer,
  EXCLUSIVE,
  makeProvider,
  type Provider,
  RSA_SHA1,
  RSA_SHA256,
  signAnswer,
  signElement,
  writeAnswer,
} from './provider.ts';
import { begin, connect, deliver, type Started, ssoPath } from './scenario.ts';

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
let fixture: Fixture;
let provider: Provider;
let other: Provider;

beforeAll(async () => {
  fixture = await startFixture();
  [provider, other] = await Promise.all([makeProvider(), makeProvider()]);
  await connect(fixture, provider);
});
afterAll(() => fixture?.stop());

const counted: readonly SQLiteTable[] = [
  developers,
  organizationMemberships,
  sessions,
  ssoIdentities,
  ssoReplays,
  ssoSessions,
];
const countRows = () => counted.map((table) => fixture.app.db.select({ rows: count() }).from(table).get()?.rows);

type Delivery = Parameters<typeof deliver>[2];

async function expectRefused(xml: string, started: Started, reason: string, delivery: Delivery = {}): Promise<void> {
  const mark = auditMark(fixture);
  const before = countRows();
  const response = await deliver(fixture, xml, { cookie: started.cookie, ...delivery });
  expect([response.status, await response.json()]).toEqual([
    401,
    {
      error: 'unauthorized',
      message: 'The response of the identity provider was rejected. Sign in again.',
      details: {},
    },
  ]);
  expect([response.headers.getSetCookie(), response.headers.get('location')]).toEqual([[], null]);
  expect(countRows()).toEqual(before);
  const rows = auditRows(fixture, { after: mark }).map(({ event, type, organizationId, details }) => ({
    event,
    type,
    organizationId,
    details,
  }));
  expect(rows).toEqual([
    { event: 'login_failed', type: 'org_sso', organizationId: fixture.organization_id, details: { reason } },
  ]);
}

const bent: [name: string, reason: string, answer: Answer][] = [
  ['expired', 'expired', { notBefore: -10 * MINUTE, notOnOrAfter: -2 * MINUTE }],
  ['with an expired confirmation', 'expired', { confirmationEnds: -2 * MINUTE }],
  ['not yet valid', 'not_yet_valid', { notBefore: 2 * MINUTE, notOnOrAfter: 5 * MINUTE }],
  ['for another audience', 'audience', { audience: 'https://elsewhere.example/metadata' }],
  ['for no audience', 'audience', { audience: null }],
  ['for another recipient', 'recipient', { recipient: 'https://elsewhere.example/acs' }],
  ['for another destination', 'destination', { destination: 'https://elsewhere.example/acs' }],
  ['from another issuer', 'issuer', { issuer: 'https://elsewhere.example/idp' }],
  [
    'from another issuer within',
    'issuer',
    { issuer: 'https://elsewhere.example/idp', responseIssuer: 'https://idp.example.test/metadata' },
  ],
  ['from another issuer around', 'issuer', { responseIssuer: 'https://elsewhere.example/idp' }],
  ['to a request that was never sent', 'request', { inResponseTo: '_0123456789abcdef' }],
  ['to no request', 'request', { inResponseTo: null }],
  ['without success', 'status', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }],
  ['without an address', 'email', { email: null }],
  ['with an invalid address', 'email', { email: 'zoe' }],
  ['with an address in an unclaimed domain', 'domain', { email: 'zoe@elsewhere.test' }],
  ['with an address in a domain below', 'domain', { email: 'zoe@sub.example.test' }],
  ['with an address in a domain that ends alike', 'domain', { email: 'zoe@badexample.test' }],
  ['with an address that continues after its domain', 'domain', { email: 'zoe@example.test/.elsewhere.test' }],
  ['with an empty name', 'subject', { nameId: ' ' }],
  [
    'with a name that changes each time',
    'subject',
    { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
  ],
  ['with markup in the name', 'subject', { nameId: 'zoe<b>-1</b>' }],
  [
    'with two different addresses',
    'email',
    {
      extra:
        '<saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue>admin@example.test</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>',
    },
  ],
];

describe('a response', () => {
  it.each(bent)('%s is rejected', async (_name, reason, answer) => {
    const started = await begin(fixture);
    await expectRefused(signAnswer(provider, started.target, answer, 'both'), started, reason);
  });

  const extension = (content: string) => (xml: string) =>
    xml.replace('<samlp:Status>', `<samlp:Extensions>${content}</samlp:Extensions><samlp:Status>`);
  const spoiled: [name: string, reason: string, spoil: (xml: string, assertionId: string) => string][] = [
    ['of another version', 'unreadable', (xml) => xml.replace('Version="2.0"', 'Version="1.1"')],
    [
      'whose assertion has another version',
      'unreadable',
      (xml) => xml.replace(/(?<=<saml:Assertion .*?Version=)"2\.0"/, '"1.1"'),
    ],
    [
      'whose session has ended',
      'expired',
      (xml) => xml.replace(' SessionIndex=', ' SessionNotOnOrAfter="2020-01-01T00:00:00Z" SessionIndex='),
    ],
    [
      'whose confirmation has no end',
      'expired',
      (xml) => xml.replace(/(?<=ConfirmationData) NotOnOrAfter="[^"]*"/, ''),
    ],
    ['without conditions', 'audience', (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, '')],
    ['whose confirmation is no bearer', 'recipient', (xml) => xml.replace('cm:bearer', 'cm:holder-of-key')],
    ['with an id twice', 'wrapped', (xml, assertionId) => extension(`<x xmlns="urn:x" Id="${assertionId}"/>`)(xml)],
    ['with a signature elsewhere', 'wrapped', extension('<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/>')],
  ];

  it.each(spoiled)('%s is rejected', async (_name, reason, spoil) => {
    const started = await begin(fixture);
    const { response, assertionId } = writeAnswer(provider, started.target);
    await expectRefused(signElement(spoil(response, assertionId), assertionId, provider), started, reason);
  });

  it.each([/(?<=<saml:Conditions NotBefore="[^"]*") NotOnOrAfter="[^"]*"/, /(?<=<saml:Conditions) [^>]*/])(
    'is accepted without the optional %s',
    async (time) => {
      const { target, cookie } = await begin(fixture);
      const { response, assertionId } = writeAnswer(provider, target);
      const xml = signElement(response.replace(time, ''), assertionId, provider);
      expect((await deliver(fixture, xml, { cookie })).status).toBe(302);
    },
  );

  it.each([
    ['has an object', 'wrapped', '</ds:Signature>', '<ds:Object/>'],
    ['is very large', 'unreadable', '</ds:SignatureValue>', ' '.repeat(24 * 1024)],
    ['has very many parts', 'unreadable', '</ds:KeyInfo>', '<ds:KeyName/>'.repeat(40)],
  ])('whose signature %s is rejected', async (_name, reason, before, more) => {
    const started = await begin(fixture);
    await expectRefused(signAnswer(provider, started.target).replace(before, more + before), started, reason);
  });

  it('without a signature is rejected', async () => {
    const started = await begin(fixture);
    await expectRefused(writeAnswer(provider, started.target).response, started, 'unsigned');
  });

  it('with a removed signature is rejected', async () => {
    const started = await begin(fixture);
    const xml = signAnswer(provider, started.target).replace(/<ds:Signature.*<\/ds:Signature>/s, '');
    await expectRefused(xml, started, 'unsigned');
  });

  it('with an empty or altered signature value is rejected', async () => {
    const started = await begin(fixture);
    const xml = signAnswer(provider, started.target);
    const emptied = xml.replace(/<ds:SignatureValue>[^<]+/, '<ds:SignatureValue>');
    await expectRefused(emptied, started, 'signature');
    await expectRefused(xml.replace(/<ds:SignatureValue>[^<]+/, '<ds:SignatureValue>AAAA'), started, 'signature');
  });

  it.each([
    ['zoe-1</saml:NameID>', 'admin-1</saml:NameID>'],
    ['zoe@example.test', 'admin@example.test'],
    ['index-1', 'index-2'],
  ])('altered after it was signed (%s) is rejected', async (from, to) => {
    const started = await begin(fixture);
    await expectRefused(signAnswer(provider, started.target).replace(from, to), started, 'signature');
  });

  it('signed with another key of the same name is rejected', async () => {
    const started = await begin(fixture);
    await expectRefused(signAnswer({ ...other, entityId: provider.entityId }, started.target), started, 'signature');
  });

  it.each([
    ['a SHA-1 signature', { method: RSA_SHA1 }],
    ['a SHA-1 digest', { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }],
    ['a canonical form with comments', { canonical: `${EXCLUSIVE}WithComments` }],
  ])('with %s is rejected', async (_name, signing) => {
    const started = await begin(fixture);
    await expectRefused(signAnswer(provider, started.target, {}, 'assertion', signing), started, 'algorithm');
  });

  it('signed with the certificate as a shared secret is rejected', async () => {
    const started = await begin(fixture);
    const xml = signAnswer(provider, started.target).replace(RSA_SHA256, 'http://www.w3.org/2000/09/xmldsig#hmac-sha1');
    await expectRefused(xml, started, 'algorithm');
  });

  it('that was used before is rejected for everyone', async () => {
    const started = await begin(fixture);
    const xml = signAnswer(provider, started.target);
    expect((await deliver(fixture, xml, { cookie: started.cookie })).status).toBe(302);
    await expectRefused(xml, started, 'replayed');
    await expectRefused(xml, started, 'replayed', { cookie: '' });
  });

  it('is accepted once in fifty simultaneous requests', async () => {
    const started = await begin(fixture);
    const xml = signAnswer(provider, started.target, { nameId: 'fifty-1', email: 'fifty@example.test' });
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => deliver(fixture, xml, { cookie: started.cookie })),
    );
    expect(responses.filter(({ status }) => status === 302)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  it('to a request that was answered before is rejected, also if it differs', async () => {
    const started = await begin(fixture);
    expect((await deliver(fixture, signAnswer(provider, started.target), { cookie: started.cookie })).status).toBe(302);
    await expectRefused(signAnswer(provider, started.target), started, 'replayed');
  });

  it('with the id of an earlier assertion is rejected', async () => {
    const first = await begin(fixture);
    const answer = { assertionId: '_used-before' };
    expect((await deliver(fixture, signAnswer(provider, first.target, answer), { cookie: first.cookie })).status).toBe(
      302,
    );
    const second = await begin(fixture);
    await expectRefused(signAnswer(provider, second.target, answer), second, 'replayed');
  });

  it('does not consume the request when it is rejected, so that nobody can disrupt other sign-ins', async () => {
    const started = await begin(fixture);
    await expectRefused(writeAnswer(provider, started.target).response, started, 'unsigned');
    await expectRefused(signAnswer(provider, started.target, { audience: 'x' }), started, 'audience');
    expect((await deliver(fixture, signAnswer(provider, started.target), { cookie: started.cookie })).status).toBe(302);
  });

  it('to a request of another organization is rejected', async () => {
    const organizationId = (await api(fixture).post('/api/v1/organizations', { name: 'Second' })).text;
    await connect(fixture, provider, { organizationId, domains: ['second.test'] });
    const started = await begin(fixture, { organizationId });
    const ours = await begin(fixture);
    const target = { ...ours.target, requestId: started.requestId };
    await expectRefused(signAnswer(provider, target), started, 'request');
    // What is right there is not right here.
    await expectRefused(signAnswer(provider, started.target), started, 'destination');
    await expectRefused(
      signAnswer(provider, { ...ours.target }, { email: 'zoe@second.test', nameId: 'second-1' }),
      ours,
      'domain',
    );
  });

  it('that arrives too late is rejected', async () => {
    const started = await begin(fixture);
    fixture.clock.advance(15 * MINUTE);
    const target = { ...started.target, now: fixture.clock.now().getTime() };
    await expectRefused(signAnswer(provider, target), started, 'request');
  });

  it.each([
    ['without the cookie of the one that began', ''],
    ['with the cookie of another one', `svc_sso=${'A'.repeat(43)}`],
  ])('from a browser %s is rejected', async (_name, cookie) => {
    const started = await begin(fixture);
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    await expectRefused(signAnswer(provider, started.target), started, 'browser', { cookie, headers });
    await expectRefused(signAnswer(provider, started.target), started, 'browser', {
      cookie,
      headers: { origin: 'null' },
    });
  });

  it('is rejected with a page without details', async () => {
    const started = await begin(fixture);
    const headers = { accept: 'text/html,application/xhtml+xml' };
    const response = await deliver(fixture, writeAnswer(provider, started.target).response, { headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    const text = await response.text();
    expect(text).toContain('The response of the identity provider was rejected. Sign in again.');
    expect(text).not.toContain('unsigned');
  });

  it('is rejected with a page in the language of the browser that leads to a new sign-in', async () => {
    const started = await begin(fixture);
    const headers = { accept: 'text/html', 'accept-language': 'de-AT,de;q=0.9' };
    const response = await deliver(fixture, writeAnswer(provider, started.target).response, { headers });
    expect(response.headers.get('vary')).toBe('Accept, Accept-Language');
    const text = await response.text();
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('<h1>Anmeldung fehlgeschlagen</h1>');
    expect(text).toContain('Die Antwort des Identitätsanbieters wurde abgelehnt.');
    const login = `${fixture.config.server.base_url}${ssoPath(fixture.organization_id)}/login`;
    expect(text).toContain(`href="${login}">Erneut anmelden</a>`);
  });
});

describe('a comment', () => {
  it.each([
    ['in the name', 'whole@', 'wh<!-- x -->ole@'],
    ['beside the assertion', '<saml:Assertion ', '<!-- x --><saml:Assertion '],
    ['in the digest', '</ds:DigestValue>', '<!-- x --></ds:DigestValue>'],
    ['in the signature value', '</ds:SignatureValue>', '<!-- x --></ds:SignatureValue>'],
  ])('%s is rejected, although no signature covers it', async (_name, from, to) => {
    const started = await begin(fixture);
    const answer = { email: null, nameId: 'whole@example.test', nameIdFormat: EMAIL_FORMAT };
    const xml = signAnswer(provider, started.target, answer);
    expect(xml).toContain(from);
    await expectRefused(xml.replace(from, to), started, 'unreadable');
  });
});

describe('a response with two signatures', () => {
  it.each([{}, { canonical: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315' }])(
    'is accepted if both are valid, signed with %j',
    async (signing) => {
      const started = await begin(fixture);
      const xml = signAnswer(provider, started.target, {}, 'both', signing);
      expect((await deliver(fixture, xml, { cookie: started.cookie })).status).toBe(302);
    },
  );

  it.each([
    ['whose value is wrong', (xml: string) => xml.replace(/(<ds:SignatureValue>)(.{8})/, '$1AAAAAAAA')],
    ['whose digest is wrong', (xml: string) => xml.replace(/(<ds:DigestValue>)(.{8})/, '$1AAAAAAAA')],
    ['that covers another response', (xml: string) => xml.replace('<samlp:Status>', '<samlp:Status> ')],
  ])('is rejected for one of the response %s, although that of the assertion is valid', async (_name, bend) => {
    const started = await begin(fixture);
    const xml = signAnswer(provider, started.target, {}, 'both');
    // The signature of the response is the first one.
    await expectRefused(bend(xml), started, 'signature');
    expect((await deliver(fixture, xml, { cookie: started.cookie })).status).toBe(302);
  });

  it('is rejected if that of the response is by someone else', async () => {
    const started = await begin(fixture);
    const { response, responseId, assertionId } = writeAnswer(provider, started.target);
    const signed = signElement(response, assertionId, provider);
    await expectRefused(signElement(signed, responseId, other), started, 'signature');
  });

  it('is rejected if that of the assertion is invalid, although that of the response is valid', async () => {
    const started = await begin(fixture);
    const { response, responseId, assertionId } = writeAnswer(provider, started.target);
    const signed = signElement(response, assertionId, other);
    await expectRefused(signElement(signed, responseId, provider), started, 'signature');
  });
});

/** A right answer, and a forged one to smuggle in beside it. */
function forge(started: Started) {
  const right = writeAnswer(provider, started.target);
  const signedAssertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(
    signElement(right.response, right.assertionId, provider),
  )?.[0] as string;
  const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(signedAssertion)?.[0] as string;
  const evilAnswer = { nameId: 'admin-1', email: 'admin@example.test' };
  const evil = writeAnswer(provider, started.target, { ...evilAnswer, assertionId: '_evil' });
  const sameId = writeAnswer(provider, started.target, { ...evilAnswer, assertionId: right.assertionId });
  return {
    right,
    evil: evil.assertion,
    evilWithSameId: sameId.assertion,
    signedAssertion,
    bareAssertion: signedAssertion.replace(signature, ''),
    signature,
    /** The response with this in place of its assertion. */
    around: (content: string) => right.response.replace(right.assertion, content),
  };
}

const inside = (outer: string, before: string, content: string) => outer.replace(before, `${content}${before}`);
const end = '</saml:Assertion>';

describe('a signature that covers something other than the parsed content', () => {
  const wrappings: [name: string, make: (parts: ReturnType<typeof forge>) => string][] = [
    ['a forged assertion before the signed one', (p) => p.around(p.evil + p.signedAssertion)],
    ['a forged assertion after the signed one', (p) => p.around(p.signedAssertion + p.evil)],
    ['the signed assertion within a forged one', (p) => p.around(inside(p.evil, end, p.signedAssertion))],
    [
      'the signature in a forged assertion, the signed one beside it',
      (p) => p.around(inside(p.evil, '<saml:Subject>', p.signature) + p.bareAssertion),
    ],
    [
      'the signed assertion within the signature of a forged one',
      (p) => p.around(inside(p.evil, '<saml:Subject>', inside(p.signature, '</ds:Signature>', p.bareAssertion))),
    ],
    [
      'the signed assertion in an object of the signature of a forged one',
      (p) =>
        p.around(
          inside(
            p.evil,
            '<saml:Subject>',
            inside(p.signature, '</ds:Signature>', `<ds:Object>${p.bareAssertion}</ds:Object>`),
          ),
        ),
    ],
    [
      'the signed assertion in an extension',
      (p) => inside(p.around(p.evil), '<samlp:Status>', `<samlp:Extensions>${p.signedAssertion}</samlp:Extensions>`),
    ],
    ['a forged assertion of the same id', (p) => p.around(p.evilWithSameId + p.signedAssertion)],
    [
      'a forged assertion of the same id with the signature',
      (p) => p.around(inside(p.evilWithSameId, '<saml:Subject>', p.signature) + p.signedAssertion),
    ],
    ['the signature outside of the assertion', (p) => p.around(p.bareAssertion + p.signature)],
    [
      'a forged assertion in another namespace',
      (p) => p.around(p.signedAssertion + p.evil.replaceAll('2.0:assertion', '1.0:assertion')),
    ],
    ['two signatures', (p) => p.around(inside(p.signedAssertion, '<saml:Subject>', p.signature))],
  ];

  it.each(wrappings)('%s is rejected', async (_name, make) => {
    const started = await begin(fixture);
    await expectRefused(make(forge(started)), started, 'wrapped');
  });

  it.each([
    [
      'in an object of the signature',
      (outer: string, signature: string, bare: string) =>
        inside(outer, '<samlp:Status>', inside(signature, '</ds:Signature>', `<ds:Object>${bare}</ds:Object>`)),
    ],
    [
      'beside the signature',
      (outer: string, signature: string, bare: string) => inside(outer, '<samlp:Status>', signature + bare),
    ],
  ])('the signed response %s of a forged one is rejected', async (_name, make) => {
    const started = await begin(fixture);
    const right = writeAnswer(provider, started.target);
    const signed = signElement(right.response, right.responseId, provider);
    const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(signed)?.[0] as string;
    const evil = writeAnswer(provider, started.target, { nameId: 'admin-1', email: 'admin@example.test' });
    await expectRefused(make(evil.response, signature, signed.replace(signature, '')), started, 'wrapped');
  });

  it('an encrypted assertion is rejected', async () => {
    const started = await begin(fixture);
    const parts = forge(started);
    const encrypted = '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>';
    await expectRefused(parts.around(parts.signedAssertion + encrypted), started, 'wrapped');
    await expectRefused(parts.around(encrypted), started, 'algorithm');
  });

  it('two signed assertions are rejected', async () => {
    const started = await begin(fixture);
    const first = forge(started);
    const second = forge(started);
    await expectRefused(first.around(first.signedAssertion + second.signedAssertion), started, 'wrapped');
  });
});

describe('a document that attacks its parser', () => {
  const bomb = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${'bcdefghij'
    .split('')
    .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghij'[index]};`.repeat(10)}">`)
    .join('')}]>`;
  const documents: [name: string, make: (right: string) => string][] = [
    ['entities that multiply', (right) => bomb + right.replace('zoe-1', '&j;')],
    [
      'an entity that reads a file',
      (right) => `<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]>${right.replace('zoe-1', '&f;')}`,
    ],
    ['a document type elsewhere', (right) => `<!DOCTYPE r SYSTEM "http://127.0.0.1:9/evil.dtd">${right}`],
    ['a processing instruction', (right) => `<?xml-stylesheet href="evil.xsl"?>${right}`],
    ['character data sections', (right) => right.replace('zoe-1', '<![CDATA[zoe-1]]>')],
    [
      'too many levels',
      (right) => right.replace('</samlp:Status>', `${'<a>'.repeat(200)}${'</a>'.repeat(200)}</samlp:Status>`),
    ],
    ['too many elements', (right) => right.replace('</samlp:Status>', `${'<a/>'.repeat(5_000)}</samlp:Status>`)],
    ['too many characters', (right) => right.replace('</samlp:Status>', `${' '.repeat(130_000)}</samlp:Status>`)],
    ['another encoding', (right) => `<?xml version="1.0" encoding="UTF-16"?>${right}`],
    ['nothing', () => ''],
    ['no XML', () => 'hello'],
    ['something that is not closed', (right) => right.slice(0, -20)],
    ['two roots', (right) => right + right],
    ['another message', () => '<samlp:LogoutResponse xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"/>'],
  ];

  it.each(documents)('with %s is rejected quickly', async (_name, make) => {
    const started = await begin(fixture);
    const xml = make(signAnswer(provider, started.target));
    const cost = await leastCpu(1_000, () => expectRefused(xml, started, 'unreadable'));
    expect(cost).toBeLessThan(1_000);
  });

  it.each(['', '%%%', 'PHg+PC94Pg', 'A'.repeat(200_000), '\u0000'])('with invalid base64 is rejected', async (text) => {
    const response = await fetch(`${fixture.url}${ssoPath(fixture.organization_id)}/acs`, {
      method: 'POST',
      body: new URLSearchParams({ SAMLResponse: text }),
    });
    expect(response.status).toBe(401);
  });
});
