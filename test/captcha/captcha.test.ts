// Captchas: tokens of each provider work once, and nobody passes while a provider is unavailable.
import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { runInNewContext } from 'node:vm';
import { solveChallenge } from 'altcha-lib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { altchaScript } from '../../src/captcha/solver-script.ts';
import type { Config } from '../../src/config.ts';
import { challenges } from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Answer, api, expectRefusal } from '../support/harness.ts';
import { countHashes } from '../support/mailbox.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

let shared: Fixture;
beforeAll(async () => {
  shared = await startFixture();
});
afterAll(() => shared?.stop());

/** The shared fixture with another captcha in front. */
function fixtureWith(captcha: Partial<Config['captcha']>): Fixture {
  const { config } = shared.app;
  const unset = { site_key: '', secret: '', verify_url: '' };
  shared.app.config = { ...config, captcha: { provider: 'none', ...unset, ...captcha } };
  return shared;
}

let count = 0;
const signUp = (fixture: Fixture, token?: string | null, more: object = {}) =>
  api(fixture, null).post('/api/v1/developers', {
    email: `human-${++count}@example.com`,
    password: 'a long enough password',
    display_name: 'Human',
    captcha_token: token,
    ...more,
  });
const signIn = (fixture: Fixture, token?: string) =>
  api(fixture, null).post('/api/v1/login', {
    email: fixture.admin.email,
    password: fixture.admin.password,
    captcha_token: token,
  });

function expectUnsolved(answer: Answer<unknown>): void {
  expect(expectRefusal(answer, 400, 'invalid_input')).toEqual({ field: 'captcha_token' });
}

interface Challenge {
  parameters: { salt: string; nonce: string; keyPrefix: string; cost: number; expiresAt: number };
  signature: string;
}

async function fetchChallenge(fixture: Fixture): Promise<Challenge> {
  const { text } = await api(fixture, null).get('/api/v1/captcha');
  const attribute = /data-challenge="([^"]*)"/.exec(text)?.[1] ?? '';
  return JSON.parse(attribute.replaceAll('&quot;', '"'));
}

const tokenOf = (challenge: object, solution: object | null) =>
  Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');

/** That of altcha-lib creates an object for each of the 200,000 hashes of a challenge, which takes twice as long. */
async function deriveKey({ cost }: { cost: number }, salt: Uint8Array, password: Uint8Array) {
  let derivedKey: Buffer = Buffer.concat([salt, password]);
  for (let round = 0; round < cost; round += 1) derivedKey = hash('sha256', derivedKey, 'buffer');
  return { derivedKey };
}

async function solve(challenge: Challenge): Promise<string> {
  return tokenOf(challenge, await solveChallenge({ challenge: challenge as never, deriveKey }));
}

describe('without a provider', () => {
  it('no token is required, and the page shows that', async () => {
    const fixture = fixtureWith({ provider: 'none' });
    expect((await signUp(fixture)).status).toBe(202);
    const page = await api(fixture, null).get('/api/v1/captcha');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('This server doesn’t require a captcha.');
    expect((await api(fixture, null).get('/api/v1/service')).body).toMatchObject({ features: { captcha: 'none' } });
  });
});

describe('ALTCHA', () => {
  it('returns a challenge that is solved without another service and works once', async () => {
    const fixture = fixtureWith({ provider: 'altcha' });
    const page = await api(fixture, null).get('/api/v1/captcha');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self'(?:;|$)/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const token = await solve(await fetchChallenge(fixture));
    expect((await signUp(fixture, token)).status).toBe(202);
    expectUnsolved(await signUp(fixture, token));
    expectUnsolved(await signIn(fixture, token));
    expect((await signIn(fixture, await solve(await fetchChallenge(fixture)))).status).toBe(200);
  });

  it('has a page in the language of the browser', async () => {
    const fixture = fixtureWith({ provider: 'altcha' });
    const shown = async (language: string) => {
      const response = await fetch(`${fixture.url}/api/v1/captcha`, { headers: { 'accept-language': language } });
      expect(response.headers.get('vary')).toBe('Accept-Language');
      return response.text();
    };
    const english = await shown('en');
    expect(english).toContain('<html lang="en">');
    expect(english).toMatch(/data-solved="Solved\." data-solved-alone="[^"]+">Checking your browser\./);
    const german = await shown('de');
    expect(german).toContain('<html lang="de">');
    expect(german).toMatch(/data-solved="Gelöst\." data-solved-alone="[^"]+">Ihr Browser wird geprüft\./);
  });

  it('accepts one of fifty simultaneous requests with the same token', async () => {
    const fixture = fixtureWith({ provider: 'altcha' });
    const token = await solve(await fetchChallenge(fixture));
    const answers = await Promise.all(Array.from({ length: 50 }, () => signUp(fixture, token)));
    expect(answers.filter((answer) => answer.status === 202)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(49);
  });

  it('expires after ten minutes, and leaves nothing behind', async () => {
    const fixture = fixtureWith({ provider: 'altcha' });
    const [inTime, late] = [await solve(await fetchChallenge(fixture)), await solve(await fetchChallenge(fixture))];
    fixture.clock.advance(9 * MINUTE);
    expect((await signUp(fixture, inTime)).status).toBe(202);
    fixture.clock.advance(MINUTE);
    expectUnsolved(await signUp(fixture, late));
    expect(fixture.app.db.select().from(challenges).all()).not.toEqual([]);
    await fixture.sweep('sessions');
    expect(fixture.app.db.select().from(challenges).all()).toEqual([]);
  });

  it('expires by the clock of the server, also if that is years behind', async () => {
    await using fixture = await startFixture({ config: { captcha: { provider: 'altcha' } } });
    fixture.clock.set(new Date('2020-01-31T12:00:00.000Z'));
    const challenge = await fetchChallenge(fixture);
    expect(challenge.parameters.expiresAt).toBe(Date.UTC(2020, 0, 31, 12, 10) / 1000);
    expect((await signUp(fixture, await solve(challenge))).status).toBe(202);
  });

  it.each([
    ['a missing solution', undefined],
    ['null', null],
    ['an empty text', ''],
    ['no base64', '%%%'],
    ['no JSON', Buffer.from('{').toString('base64')],
    ['a number', Buffer.from('5').toString('base64')],
    ['another form', Buffer.from('{"challenge":{}}').toString('base64')],
    ['a deep one', Buffer.from(`${'['.repeat(3000)}${']'.repeat(3000)}`).toString('base64')],
  ])('rejects %s, before anything is hashed', async (_name, token) => {
    const fixture = fixtureWith({ provider: 'altcha' });
    const cost = await countHashes(fixture, async () => {
      expectUnsolved(await signUp(fixture, token));
      if (token !== null) expectUnsolved(await signIn(fixture, token));
    });
    expect(cost).toBe(0);
  });

  describe('rejects altered challenges', () => {
    let challenge: Challenge;
    let solution: { counter: number; derivedKey: string };
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = fixtureWith({ provider: 'altcha' });
      challenge = await fetchChallenge(fixture);
      solution = JSON.parse(Buffer.from(await solve(challenge), 'base64').toString()).solution;
    });

    it.each<[string, () => string]>([
      [
        'an easier challenge',
        () => tokenOf({ ...challenge, parameters: { ...challenge.parameters, keyPrefix: '0' } }, solution),
      ],
      ['a cheaper one', () => tokenOf({ ...challenge, parameters: { ...challenge.parameters, cost: 1 } }, solution)],
      [
        'one that ends later',
        () =>
          tokenOf(
            { ...challenge, parameters: { ...challenge.parameters, expiresAt: challenge.parameters.expiresAt + 1 } },
            solution,
          ),
      ],
      ['a longer one', () => tokenOf({ ...challenge, parameters: { ...challenge.parameters, more: 1 } }, solution)],
      ['another signature', () => tokenOf({ ...challenge, signature: '0'.repeat(64) }, solution)],
      ['another counter', () => tokenOf(challenge, { ...solution, counter: solution.counter + 1 })],
      ['another key', () => tokenOf(challenge, { ...solution, derivedKey: '0'.repeat(64) })],
      ['no solution', () => tokenOf(challenge, null)],
    ])('%s', async (_name, token) => {
      expectUnsolved(await signUp(fixture, token()));
    });

    it('but accepts the original', async () => {
      expect((await signUp(fixture, tokenOf(challenge, solution))).status).toBe(202);
    });
  });

  it('is signed with the configured secret, or with the key of the installation', async () => {
    const ofInstallation = await solve(await fetchChallenge(fixtureWith({ provider: 'altcha' })));
    const configured = fixtureWith({ provider: 'altcha', secret: 'one' });
    expectUnsolved(await signUp(configured, ofInstallation));
    const ofSecret = await solve(await fetchChallenge(configured));
    expectUnsolved(await signUp(fixtureWith({ provider: 'altcha', secret: 'other' }), ofSecret));
    expect((await signUp(fixtureWith({ provider: 'altcha', secret: 'one' }), ofSecret)).status).toBe(202);
  });

  it('can be configured from the start of a fixture', async () => {
    await using fixture = await startFixture({ config: { captcha: { provider: 'altcha' } } });
    expectUnsolved(await signIn(fixture));
    expectUnsolved(await signUp(fixture));
    expect((await api(fixture).get('/api/v1/developers/me')).status).toBe(200);
  });

  it('is solved by the script of its page', async () => {
    const fixture = fixtureWith({ provider: 'altcha' });
    const page = await api(fixture, null).get('/api/v1/captcha');
    const path = /<script src="([^"]+)" defer>/.exec(page.text)?.[1] ?? '';
    const script = await api(fixture, null).get(path);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.text).toBe(altchaScript.content);
    const { token, sent } = await runScript(script.text, JSON.stringify(await fetchChallenge(fixture)));
    expect(sent).toEqual([[{ captcha_token: token }, 'https://builds.example']]);
    expect((await signUp(fixture, token)).status).toBe(202);
    expect((await api(fixture, null).get('/api/v1/captcha/assets/other.js')).status).toBe(404);
  });
});

/** Runs the page's script with as much of a browser as it uses; answers the token and what was posted to the opener. */
async function runScript(source: string, challenge: string): Promise<{ token: string; sent: unknown[] }> {
  const sent: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  const status = { textContent: '', getAttribute: (name: string) => name };
  const elements: Record<string, object> = {
    captcha: { getAttribute: () => challenge },
    'captcha-status': status,
    'captcha-token': {
      set value(token: string) {
        resolve(token);
      },
    },
  };
  const window: Record<string, unknown> = {
    location: { origin: 'https://builds.example' },
    opener: { postMessage: (...words: unknown[]) => sent.push(words) },
  };
  window.parent = window;
  const document = { getElementById: (id: string) => elements[id] };
  runInNewContext(source, { window, document, btoa, setTimeout });
  const token = await promise;
  expect(status.textContent).toBe('data-solved-alone');
  return { token, sent };
}

/** A provider of its own: answers what it is told and keeps what it was asked. */
async function startProvider(answer: (fields: URLSearchParams) => { status?: number; body: string } | 'silence') {
  const asked: Record<string, string>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const fields = new URLSearchParams(Buffer.concat(chunks).toString());
      asked.push(Object.fromEntries(fields));
      const reply = answer(fields);
      if (reply === 'silence') return;
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' }).end(reply.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  stops.push(stop);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { asked, stop, url: `http://127.0.0.1:${port}/siteverify` };
}

const success = { body: JSON.stringify({ success: true, hostname: 'localhost' }) };
const failure = (...codes: string[]) => ({ body: JSON.stringify({ success: false, 'error-codes': codes }) });

describe.each(['turnstile', 'hcaptcha'] as const)('%s', (provider) => {
  const keys = { provider, site_key: 'site-key', secret: 'the-secret' };

  it('is asked about each token, with the secret', async () => {
    const service = await startProvider((fields) =>
      fields.get('response') === 'good' ? success : failure('invalid-input-response'),
    );
    const fixture = fixtureWith({ ...keys, verify_url: service.url });
    expect((await signUp(fixture, 'good')).status).toBe(202);
    expect((await signIn(fixture, 'good')).status).toBe(200);
    expectUnsolved(await signUp(fixture, 'bad'));
    expectUnsolved(await signIn(fixture, 'bad'));
    expectUnsolved(await signUp(fixture));
    const more = provider === 'hcaptcha' ? { sitekey: 'site-key' } : {};
    expect(service.asked).toEqual(
      ['good', 'good', 'bad', 'bad'].map((response) => ({ secret: 'the-secret', response, ...more })),
    );
  });

  it.each<[string, Parameters<typeof startProvider>[0]]>([
    ['returns 500', () => ({ status: 500, body: '{"success":true}' })],
    ['returns no JSON', () => ({ body: '<html>' })],
    ['returns JSON of another shape', () => ({ body: '{"ok":true}' })],
    ['returns too much', () => ({ body: JSON.stringify({ success: true, padding: 'x'.repeat(100_000) }) })],
    ['redirects', () => ({ status: 302, body: '' })],
    ['does not know the secret', () => failure('invalid-input-secret')],
  ])('rejects everyone when it %s', async (_name, answer) => {
    const service = await startProvider(answer);
    const fixture = fixtureWith({ ...keys, verify_url: service.url });
    const cost = await countHashes(fixture, async () => {
      const refused = await signUp(fixture, 'good');
      expectRefusal(refused, 503, 'captcha_unavailable');
      expect(refused.headers.get('retry-after')).toBe('5');
      expectRefusal(await signIn(fixture, 'good'), 503, 'captcha_unavailable');
    });
    expect(cost).toBe(0);
  });

  it('rejects everyone when it is down', async () => {
    const service = await startProvider(() => success);
    await service.stop();
    const fixture = fixtureWith({ ...keys, verify_url: service.url });
    expectRefusal(await signUp(fixture, 'good'), 503, 'captcha_unavailable');
  });

  it('shows its widget on the page, which may load nothing else', async () => {
    const fixture = fixtureWith({ ...keys, site_key: '"><b>' });
    const page = await api(fixture, null).get('/api/v1/captcha');
    expect(page.status).toBe(200);
    expect(page.text).toContain('data-sitekey="&quot;&gt;&lt;b&gt;"');
    expect(page.text).not.toContain('the-secret');
    const [className, script] =
      provider === 'turnstile'
        ? ['cf-turnstile', 'https://challenges.cloudflare.com/turnstile/v0/api.js']
        : ['h-captcha', 'https://js.hcaptcha.com/1/api.js'];
    expect(page.text).toContain(`class="${className}"`);
    expect(page.text).toContain(`<script src="${script}" defer></script>`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(
      provider === 'turnstile' ? 'frame-src https://challenges.cloudflare.com' : 'frame-src https://hcaptcha.com',
    );
  });
});

it('turnstile times out after five seconds', async () => {
  const service = await startProvider(() => 'silence');
  const keys = { provider: 'turnstile', site_key: 'k', secret: 's' } as const;
  const fixture = fixtureWith({ ...keys, verify_url: service.url });
  const { timeout } = AbortSignal;
  const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout.call(AbortSignal, 1));
  try {
    expectRefusal(await signUp(fixture, 'good'), 503, 'captcha_unavailable');
    expect(limits.mock.calls).toContainEqual([5_000]);
  } finally {
    limits.mockRestore();
  }
});
