// Rate limits for addresses and accounts.
import { afterEach, describe, expect, it } from 'vitest';
import { configFrom, type PartialConfig } from '../../src/config.ts';
import { PRODUCTION_COST } from '../../src/developers/password.ts';
import type { Operation } from '../../src/http/operation.ts';
import { createMovableClock, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { networkOf } from '../../src/lib/network.ts';
import { operations } from '../../src/operations.ts';
import { createRateLimits, type RateLimitClass, rateLimitOf } from '../../src/runtime/rate-limits.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { collectGarbage } from '../support/garbage.ts';
import { api, createAccount, expectRefusal, signIn } from '../support/harness.ts';
import { addOrganization, addPerson, personalTokenClient } from '../support/people.ts';

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.stop();
  fixture = undefined;
});

async function start(rates: PartialConfig['rate_limits'], server: PartialConfig['server'] = {}): Promise<Fixture> {
  fixture = await startFixture({ config: { rate_limits: { enabled: true, ...rates }, server } });
  return fixture;
}

const limit = (requests: number, per_seconds = 60) => ({ requests, per_seconds });

describe('the rate limit class of an operation', () => {
  it('is the strictest for passwords, emails and tokens, and none for health and metrics', () => {
    const classOf = (row: Operation) => row.rateLimit ?? rateLimitOf(row.path) ?? 'none';
    const classes = Map.groupBy(operations, classOf)
      .entries()
      .map(([name, rows]) => [name, rows.map(({ id }) => id)]);
    const { api: _api, public: visitors, ...tight } = Object.fromEntries(classes);
    expect(tight).toEqual({
      none: ['getLiveness', 'getReadiness', 'getMetrics'],
      sign_in: [
        'signIn',
        'confirmEmailSignIn',
        'signInBySecondFactor',
        'beginSecondFactorByPasskey',
        'finishSecondFactorByPasskey',
        'beginPasskeyLogin',
        'finishPasskeyLogin',
        'enterSharePassword',
      ],
      sign_up: [
        'signUp',
        'verifyEmail',
        'resendVerification',
        'signUpInvited',
        'beginPasskeySignUp',
        'finishPasskeySignUp',
        'registerDeviceAtChannel',
        'registerDeviceAtShortAddress',
      ],
      password_reset: ['requestPasswordReset', 'confirmPasswordReset', 'requestEmailSignIn', 'requestStepUpCode'],
      token_exchange: ['refreshTokens', 'beginSsoLogin', 'completeSsoLogin', 'completeOidcLogin'],
      payment_provider: ['receivePaddleEvent'],
      feedback: ['sendFeedbackFromPage', 'sendFeedbackFromApp'],
      sdk: [
        'enrollInstall',
        'rotateUpdateToken',
        'getUpdatedApp',
        'getLatestRelease',
        'downloadUpdate',
        'getUpdateManifest',
        'reportInstall',
      ],
    });
    expect(visitors).toEqual(expect.arrayContaining(['getPublicChannel', 'showChannelPage']));
  });

  it('is strict there by default, and generous for programs elsewhere', () => {
    const { enabled, ...rates } = configFrom({}).rate_limits;
    expect(enabled).toBe(true);
    const perMinute = (name: RateLimitClass) => (rates[name].requests * 60) / rates[name].per_seconds;
    for (const name of ['sign_in', 'sign_up', 'password_reset', 'token_exchange'] as const) {
      expect(perMinute(name)).toBeLessThanOrEqual(60);
    }
    expect(perMinute('api')).toBe(6000);
    expect(perMinute('public')).toBe(1200);
  });
});

describe('limits by address', () => {
  it('reject a sign-in beyond the limit with the envelope, and return when to retry', async () => {
    const { clock, url } = await start({ sign_in: limit(3) });
    const attempt = () =>
      api(fixture as Fixture, null).post('/api/v1/login', { email: 'a@example.com', password: 'x' });
    for (let i = 0; i < 3; i += 1) expectRefusal(await attempt(), 401, 'unauthorized');
    const refused = await attempt();
    expect(expectRefusal(refused, 429, 'rate_limit_exceeded')).toEqual({});
    expect(refused.headers.get('retry-after')).toBe('20');
    expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);

    clock.advance(18 * SECOND);
    expect((await attempt()).status).toBe(429);
    clock.advance(2 * SECOND);
    expect((await attempt()).status).toBe(401);
    expect((await attempt()).status).toBe(429);
    // Another class has a budget of its own, and health none to use up.
    for (let i = 0; i < 5; i += 1) {
      expect((await fetch(new URL('/health/live', url))).status).toBe(200);
      expect((await fetch(new URL('/api/v1/version', url))).status).toBe(200);
    }
  });

  it('are restored after the whole period', async () => {
    const { clock } = await start({ password_reset: limit(2, 30) });
    const attempt = async (email: string) =>
      (await api(fixture as Fixture, null).post('/api/v1/login/password_reset', { email })).status;
    const four = async (name: string) => [
      await attempt(`${name}1@example.com`),
      await attempt(`${name}2@example.com`),
      await attempt(`${name}3@example.com`),
    ];
    expect(await four('a')).toEqual([202, 202, 429]);
    clock.advance(30 * SECOND);
    expect(await four('b')).toEqual([202, 202, 429]);
  });

  it('use addresses from trusted proxies only', async () => {
    const sent = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const read = async (address: string) =>
      (await api(fixture as Fixture, null).send('GET', '/api/v1/version', sent(address))).status;
    await start({ api: limit(2) });
    expect([await read('203.0.113.1'), await read('203.0.113.2'), await read('203.0.113.3')]).toEqual([200, 200, 429]);
    await fixture?.stop();

    await start({ api: limit(2) }, { trusted_proxies: ['127.0.0.1'] });
    expect([await read('203.0.113.1'), await read('203.0.113.1'), await read('203.0.113.1')]).toEqual([200, 200, 429]);
    expect(await read('203.0.113.2')).toBe(200);
    // What the client wrote itself stands before what the proxy added.
    expect(await read('198.51.100.7, 203.0.113.1')).toBe(429);
    // One customer has a whole /64 of IPv6.
    expect([await read('2001:db8::1'), await read('2001:db8::ffff:2'), await read('2001:db8::3')]).toEqual([
      200, 200, 429,
    ]);
    expect(await read('2001:db8:0:1::1')).toBe(200);
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:C000:0207', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0000:ffff::', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['1:2:3::4:5:192.0.2.33', '1:2:3:0::/64'],
  ])('counts %s for %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('limits by account', () => {
  it('count a person across addresses and tokens, separately from others', async () => {
    const world = await start({ api: limit(6) }, { trusted_proxies: ['127.0.0.1'] });
    const person = await addPerson(world);
    let hosts = 0;
    const elsewhere = () => ({ headers: { 'x-forwarded-for': `198.51.100.${++hosts}` } });
    const created = await person.client.send('POST', '/api/v1/organizations', {
      ...elsewhere(),
      body: { name: 'Wharf' },
    });
    const script = personalTokenClient(world, { developerId: person.id, organizationId: created.text, scopes: 1n });
    const reads = async (client: typeof script) =>
      (await client.send('GET', '/api/v1/organizations', elsewhere())).status;
    expect([await reads(person.client), await reads(person.client), await reads(script)]).toEqual([200, 200, 200]);
    expect([await reads(script), await reads(person.client)]).toEqual([200, 200]);
    expect([await reads(person.client), await reads(script)]).toEqual([429, 429]);
    expect(await reads(api(world))).toBe(200);
    expect(await reads(api(world, world.project_access_token))).not.toBe(429);
  });
});

describe('disabled limits', () => {
  it('count nothing', async () => {
    fixture = await startFixture({ config: { rate_limits: { enabled: false, api: limit(1) } } });
    const person = await addPerson(fixture);
    await addOrganization(person);
    for (let i = 0; i < 5; i += 1) expect((await person.client.get('/api/v1/organizations')).status).toBe(200);
  });
});

describe('the memory of rate limits', () => {
  it('stays small with many addresses', () => {
    const clock = createMovableClock();
    const limits = createRateLimits(configFrom({}).rate_limits, clock);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 300_000; i += 1) {
      limits.admitAddress('public', `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`);
    }
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 2 ** 20);
    // The counts are in use up to here.
    expect(() => limits.admitAddress('public', '192.0.2.1')).not.toThrow();
  });

  it('keeps the counts of active clients while others come and go', () => {
    const limits = createRateLimits(
      configFrom({ rate_limits: { sign_in: limit(1000) } }).rate_limits,
      createMovableClock(new Date(0)),
    );
    let admitted = 0;
    for (let i = 0; i < 50_000; i += 1) {
      limits.admitAddress('sign_in', `10.0.${i >> 8}.${i & 255}`);
      try {
        limits.admitAddress('sign_in', '192.0.2.1');
        admitted += 1;
      } catch {
        // Refused, as all after the thousandth are.
      }
    }
    expect(admitted).toBe(1000);
  });

  it('does not extend delays when the clock is set back', () => {
    const clock = createMovableClock();
    const limits = createRateLimits(configFrom({ rate_limits: { sign_in: limit(1) } }).rate_limits, clock);
    limits.admitAddress('sign_in', '192.0.2.1');
    clock.advance(-60 * MINUTE);
    expect(() => limits.admitAddress('sign_in', '192.0.2.1')).toThrow(
      expect.objectContaining({ headers: { 'retry-after': '60' } }),
    );
    clock.advance(MINUTE);
    expect(() => limits.admitAddress('sign_in', '192.0.2.1')).not.toThrow();
  });
});

describe('a flood of sign-ins', () => {
  it('is processed a few hashes at a time: every request gets a response, and the memory stays limited', async () => {
    fixture = await startFixture({ passwordCost: PRODUCTION_COST });
    const account = await createAccount(fixture);
    const client = api(fixture, null);
    const before = process.memoryUsage.rss();
    let highest = before;
    const timer = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage.rss());
    }, 20);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        client.post('/api/v1/login', { email: `nobody${i}@example.com`, password: 'not the password' }),
      ),
    );
    clearInterval(timer);
    for (const { status } of answers) expect([401, 429]).toContain(status);
    // 40 hashes at once would be 760 MiB; four and what 40 requests hold are far below this.
    expect(highest - before).toBeLessThan(300 * 2 ** 20);
    expect((await signIn(fixture, account)).session_id).toMatch(/^[0-9a-f-]{36}$/);
  }, 120_000);
});
