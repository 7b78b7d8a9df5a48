// An authority that returns anything but certificates, which never harms the server.
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAcme } from '../../src/certificates/acme-client.ts';
import { loadAuthority } from '../../src/certificates/authority.ts';
import { insertCertificate } from '../../src/certificates/store.ts';
import { issueLeaf, makeAuthority } from '../../src/certificates/x509.ts';
import { acmeAccounts, certificates } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { withoutDeadlines } from '../support/deadlines.ts';
import { inspectServer, run, withFiles } from './clients.ts';

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };
type Answers = Record<string, Answer | (() => Answer | Promise<Answer>)>;

let authority: Server;
let url: string;
let answers: Answers;
let asked: string[];
/** The signed request with the certificate request. */
let finalized: { payload: string };
let fixture: Fixture;

/** One that does everything right until told otherwise; it asks for no proof. */
function usualAnswers(): Answers {
  const order = { authorizations: [], finalize: `${url}/finalize` };
  return {
    '/': { body: { newNonce: `${url}/nonce`, newAccount: `${url}/account`, newOrder: `${url}/order` } },
    '/nonce': {},
    '/account': { status: 201, headers: { location: `${url}/account/1` }, body: {} },
    '/order': { status: 201, headers: { location: `${url}/order/1` }, body: { ...order, status: 'ready' } },
    '/order/1': { body: { ...order, status: 'valid', certificate: `${url}/certificate` } },
    '/finalize': { body: {} },
    '/certificate': { body: 'nothing' },
  };
}

beforeEach(async () => {
  asked = [];
  authority = createServer(async (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const sent = await text(request);
    if (path === '/finalize') finalized = JSON.parse(sent);
    const found = answers[path] ?? { status: 404 };
    const { status = 200, headers = {}, body = '' } = typeof found === 'function' ? await found() : found;
    const content = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    response.writeHead(status, { 'replay-nonce': `n${asked.length}`, ...headers });
    response.end(request.method === 'HEAD' ? undefined : content);
  });
  await new Promise<void>((resolve) => authority.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(authority.address() as AddressInfo).port}`;
  answers = usualAnswers();
  const tls = { mode: 'acme', acme_directory: `${url}/`, acme_domains: ['builds.example.com'] } as const;
  fixture = await startFixture({ config: { server: { base_url: 'https://localhost:0', tls } } });
});

afterEach(async () => {
  await fixture.stop();
  authority.closeAllConnections();
  await new Promise((resolve) => authority.close(resolve));
});

const account = () => fixture.app.db.select().from(acmeAccounts).get();
const problem = (type: string, detail: string) => ({ type: `urn:ietf:params:acme:error:${type}`, detail });

async function makeLeaf(names: string[], days: number) {
  const validity = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + days * DAY) };
  const root = await makeAuthority('x', names, validity);
  const leaf = await issueLeaf(root, { commonName: 'x', use: 'server', names, keyKind: 'ecdsa', validity });
  return { root, leaf, expiresAt: validity.notAfter.getTime() };
}

const selfMade = async (names: string[], days = 90) => (await makeLeaf(names, days)).leaf.certificate;

/** Issues what was ordered with openssl, with a new root of this size. */
async function issueOrdered(bits = 2048): Promise<{ leaf: string; root: string }> {
  const { csr } = JSON.parse(Buffer.from(finalized.payload, 'base64url').toString());
  return withFiles({ request: Buffer.from(csr, 'base64url') }, async (at) => {
    const into = ['-subj', '/CN=x', '-keyout', at('key'), '-out', at('root')];
    const root = await run('openssl', ['req', '-x509', '-newkey', `rsa:${bits}`, '-nodes', ...into]);
    const from = ['-req', '-inform', 'DER', '-in', at('request'), '-CA', at('root'), '-CAkey', at('key')];
    const leaf = await run('openssl', ['x509', ...from, '-copy_extensions', 'copyall', '-days', '90']);
    expect([root.code, leaf.code], leaf.stderr).toEqual([0, 0]);
    return { leaf: leaf.stdout, root: readFileSync(at('root'), 'utf8') };
  });
}

/** Adds a certificate that an authority issued before the configuration changed. */
async function addFormer(names: string[], { days = 30 } = {}) {
  const { root, leaf, expiresAt } = await makeLeaf(names, days);
  const { app } = fixture;
  const [id, createdAt] = [app.ids.next(), app.clock.time()];
  const issuer = 'https://earlier.example.com/directory';
  const former = { id, purpose: 'acme', issuer, names, chain: leaf.certificate, createdAt, expiresAt } as const;
  insertCertificate(app, { ...former, privateKey: leaf.privateKey });
  return { root, leaf, expiresAt };
}

describe('a hostile authority', () => {
  it.each<[string, () => Answers, string]>([
    ['no JSON', () => ({ '/': { body: '<html>' } }), "The authority's response isn't JSON"],
    [
      'a directory without what is needed',
      () => ({ '/': { body: { newNonce: `${url}/nonce` } } }),
      "The authority's response has no valid newAccount",
    ],
    [
      'addresses that are none',
      () => ({ '/': { body: { newNonce: 'file:///etc/passwd' } } }),
      "The authority's response has no valid newNonce",
    ],
    [
      'too much',
      () => ({ '/': { body: Buffer.alloc(1024 * 1024 + 1, 0x20) } }),
      "The authority's response is too large",
    ],
    ['an error without words', () => ({ '/': { status: 503 } }), 'The authority responded with 503'],
    [
      'somewhere else',
      () => ({ '/': { status: 302, headers: { location: 'http://127.0.0.1:1/' } } }),
      "can't be reached",
    ],
    ['no nonce', () => ({ '/nonce': { headers: { 'replay-nonce': '' } } }), 'The authority'],
    ['no account', () => ({ '/account': { body: {} } }), 'The authority returned no account URL'],
    [
      'a refusal',
      () => ({ '/account': { status: 403, body: problem('unauthorized', 'Not\u0007 you') } }),
      'Not you (unauthorized)',
    ],
    [
      'a refusal of the order with parts',
      () => ({
        '/order': {
          status: 400,
          body: { ...problem('rejectedIdentifier', 'No'), subproblems: [{ detail: 'policy forbids builds' }] },
        },
      }),
      'No; policy forbids builds (rejectedIdentifier)',
    ],
    [
      'every nonce with a refusal',
      () => ({ '/order': { status: 400, body: problem('badNonce', 'again') } }),
      'again (badNonce)',
    ],
    [
      'an order that became invalid',
      () => ({
        '/order/1': {
          body: {
            status: 'invalid',
            authorizations: [],
            finalize: `${url}/finalize`,
            error: problem('dns', 'no A record'),
          },
        },
      }),
      'no A record (dns)',
    ],
    ['no certificate', () => ({}), 'The authority sent no certificate'],
    [
      'a certificate of another key',
      () => ({ '/certificate': async () => ({ body: await selfMade(['builds.example.com']) }) }),
      'The certificate has another key',
    ],
    [
      'a certificate that OpenSSL rejects',
      () => ({
        '/certificate': async () => {
          const { leaf, root } = await issueOrdered(1024);
          return { body: leaf + root };
        },
      }),
      "The certificate can't be used: ca key too small",
    ],
    [
      'a certificate that is unreadable',
      () => ({ '/certificate': { body: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' } }),
      "The certificate can't be used: wrong tag",
    ],
    [
      'a chain that is too long',
      () => ({
        '/certificate': async () => {
          const { leaf, root } = await issueOrdered();
          return { body: leaf + root.repeat(20) };
        },
      }),
      'The authority sent more than 10 certificates',
    ],
  ])("that returns %s is recorded, and the server's own certificate stays active", async (_, change, reason) => {
    answers = { ...answers, ...change() };
    await fixture.sweep('certificates');
    expect(account()?.lastError).toContain(reason);
    expect(account()?.failures).toBe(1);
    expect(
      fixture.app.db
        .select()
        .from(certificates)
        .all()
        .map(({ purpose }) => purpose),
    ).toEqual(['internal']);
    const { certificate } = await loadAuthority(fixture.app);
    const { port } = fixture.config.server;
    expect((await inspectServer(port, 'localhost', certificate)).verification).toBe('0 (ok)');
    expect(asked.length).toBeLessThan(20);
  });

  it('that writes a very long name is quoted in one short line', async () => {
    const order = { status: 'pending', authorizations: [`${url}/authorization`], finalize: `${url}/finalize` };
    answers = {
      ...answers,
      '/order': { status: 201, headers: { location: `${url}/order/1` }, body: order },
      '/authorization': {
        body: { identifier: { value: 'x\n\u001b'.repeat(50_000) }, status: 'pending', challenges: [] },
      },
    };
    await fixture.sweep('certificates');
    const start = 'The authority offers no supported challenge for ';
    expect(account()?.lastError).toBe(`${start}${'x '.repeat(300)}`.slice(0, 500));
  });

  it('with a Retry-After is not contacted until then', async () => {
    const refusal = { status: 429, headers: { 'retry-after': '7200' }, body: problem('rateLimited', 'too many') };
    answers = { ...answers, '/order': refusal };
    await fixture.sweep('certificates');
    const before = asked.length;
    fixture.clock.advance(2 * HOUR - MINUTE);
    await fixture.sweep('certificates');
    expect(asked).toHaveLength(before);
    fixture.clock.advance(2 * MINUTE);
    await fixture.sweep('certificates');
    expect(asked.length).toBeGreaterThan(before);
  });

  it('that does not respond does not delay a stop of the server', async () => {
    answers = { ...answers, '/order': () => new Promise(() => undefined) };
    await withoutDeadlines(async () => {
      const order = fixture.sweep('certificates');
      await expect.poll(() => asked).toContain('/order');
      await Promise.all([fixture.stop(), order.catch(() => undefined)]);
    });
  });

  it('with slow responses to every poll fails after the time of an order', async () => {
    const slow = async () => {
      await setTimeout(300);
      return {
        headers: { 'retry-after': '0' },
        body: { identifier: { value: 'x' }, status: 'pending', challenges: [] },
      };
    };
    answers = { ...answers, '/authorization': slow };
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { signal } = new AbortController();
    const acme = await openAcme({ directory: `${url}/`, key, fetch, signal, timeoutMs: 1_500 });
    await expect(acme.waitForAuthorization(`${url}/authorization`)).rejects.toThrow('The authority took too long');
    expect(asked.filter((path) => path === '/authorization').length).toBeLessThanOrEqual(3);
  });

  it('is not contacted by two orders simultaneously', async () => {
    await Promise.all([fixture.sweep('certificates'), fixture.sweep('certificates'), fixture.app.https?.renew()]);
    expect(asked.filter((path) => path === '/order')).toHaveLength(1);
  });
});

describe('a server whose authority or names changed', () => {
  const inspect = (root: string) => inspectServer(fixture.config.server.port, 'localhost', root);

  it('keeps the former certificate for its host until there is a new one', async () => {
    const { root, leaf, expiresAt } = await addFormer(['builds.example.com', 'localhost']);
    await addFormer(['localhost'], { days: -1 });
    await addFormer(['elsewhere.example.com']);
    await fixture.sweep('certificates');
    expect(account()?.failures).toBe(1);
    expect((await inspect(root.certificate)).certificate?.trim()).toBe(leaf.certificate.trim());
    const startsAt = new X509Certificate(leaf.certificate).validFromDate.getTime();
    const shown = { names: ['builds.example.com', 'localhost'], startsAt, expiresAt };
    expect(fixture.app.https?.certificate()).toEqual(shown);
    // After that, the alert about it must go on.
    fixture.clock.set(new Date(expiresAt + SECOND));
    await fixture.sweep('certificates');
    expect((await inspect(root.certificate)).certificate?.trim()).not.toBe(leaf.certificate.trim());
    expect(fixture.app.https?.certificate()).toEqual(shown);
  });

  it('uses its own authority if no former certificate is for its host', async () => {
    await addFormer(['elsewhere.example.com']);
    await fixture.sweep('certificates');
    const { certificate } = await loadAuthority(fixture.app);
    expect((await inspect(certificate)).verification).toBe('0 (ok)');
    expect(fixture.app.https?.certificate()).toBeUndefined();
  });
});
