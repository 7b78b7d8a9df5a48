// Password guessing: free attempts, then increasing delays that don't lock out the owner.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { knownNetworks, passwordGuesses } from '../../src/data/tables/tables.ts';
import { passwordsOf } from '../../src/developers/password.ts';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { AppError } from '../../src/lib/errors.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  type Account,
  type Answer,
  api,
  auditMark,
  auditRows,
  createAccount,
  expectRefusal,
} from '../support/harness.ts';
import { newestToken } from '../support/mailbox.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ config: { server: { trusted_proxies: ['127.0.0.1'] } } });
});
afterAll(() => fixture.stop());

const OFFICE = '198.51.100.10';
const ELSEWHERE = '203.0.113.5';
let strangers = 0;

function send(path: string, body: unknown, address: string): Promise<Answer<Record<string, unknown>>> {
  return api(fixture, null).send('POST', `/api/v1/${path}`, { body, headers: { 'x-forwarded-for': address } });
}

const login = (email: string, password: string, address: string) => send('login', { email, password }, address);

/** A wrong guess from a network that nobody uses again. */
function guess({ email }: Pick<Account, 'email'>, password = 'not the password') {
  strangers += 1;
  return login(email, password, `2001:db8:${strangers.toString(16)}::1`);
}

/** Guesses until the wait is as long as it gets. */
async function attack(account: Pick<Account, 'email'>): Promise<void> {
  for (let failures = 1; failures <= 14; failures += 1) {
    expectRefusal(await guess(account), 401, 'unauthorized');
    fixture.clock.advance(15 * MINUTE);
  }
  expect((await guess(account)).status).toBe(401);
  expectRefusal(await guess(account), 429, 'rate_limit_exceeded');
}

describe('incorrect passwords', () => {
  it.each([
    ['an account', async () => createAccount(fixture)],
    ['an address without one', async () => ({ email: 'unknown@example.com' })],
    ['what is no address', async () => ({ email: 'unknown at example' })],
  ])('are delayed together for %s, regardless of the client', async (_case, make) => {
    const account = await make();
    for (let failures = 1; failures <= 5; failures += 1) expectRefusal(await guess(account), 401, 'unauthorized');
    const waits = [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900];
    for (const seconds of waits) {
      const early = await guess(account);
      expect(expectRefusal(early, 429, 'rate_limit_exceeded')).toEqual({});
      expect(early.headers.get('retry-after')).toBe(String(seconds));
      // A guess that came too early makes the wait no longer.
      fixture.clock.advance(seconds * SECOND);
      expectRefusal(await guess(account), 401, 'unauthorized');
    }
  });

  it('are forgotten after a day without any', async () => {
    const account = await createAccount(fixture);
    await attack(account);
    fixture.clock.advance(DAY);
    for (let failures = 1; failures <= 5; failures += 1) expect((await guess(account)).status).toBe(401);
    expect((await guess(account)).headers.get('retry-after')).toBe('2');
  });

  it('are forgotten after a correct one', async () => {
    const account = await createAccount(fixture);
    for (let failures = 1; failures <= 5; failures += 1) await guess(account);
    expect((await guess(account, account.password)).status).toBe(429);
    fixture.clock.advance(2 * SECOND);
    expect((await guess(account, account.password)).status).toBe(200);
    for (let failures = 1; failures <= 5; failures += 1) expect((await guess(account)).status).toBe(401);
  });

  it('of a clock that was ahead delay nobody once it is corrected, and the next ones do', async () => {
    await using own = await startFixture();
    const { email, password } = await createAccount(own);
    const attempt = async (typed: string) =>
      (await api(own, null).post('/api/v1/login', { email, password: typed })).status;
    own.clock.jump(30 * DAY);
    for (let failures = 1; failures <= 5; failures += 1) expect(await attempt('not the password')).toBe(401);
    expect(await attempt(password)).toBe(429);
    own.clock.jump(-30 * DAY);
    expect([await attempt('not the password'), await attempt(password)]).toEqual([401, 429]);
    own.clock.advance(4 * SECOND);
    expect(await attempt(password)).toBe(200);
  });

  it('get no additional attempts by fifty simultaneous requests', async () => {
    const account = await createAccount(fixture);
    const mark = auditMark(fixture);
    const answers = await Promise.all(Array.from({ length: 50 }, () => guess(account)));
    const looked = answers.filter(({ status }) => status === 401).length;
    expect(looked).toBeGreaterThanOrEqual(5);
    expect(looked).toBeLessThanOrEqual(8);
    expect(answers.filter(({ status }) => status === 429).length).toBe(50 - looked);
    expect(auditRows(fixture, { after: mark }).length).toBe(looked);

    fixture.clock.advance(15 * MINUTE);
    const again = await Promise.all(Array.from({ length: 50 }, () => guess(account)));
    expect(again.filter(({ status }) => status === 401).length).toBe(1);
  });

  it('count only if they were verified, not if too many wait', async () => {
    const account = await createAccount(fixture);
    for (let failures = 1; failures <= 5; failures += 1) await guess(account);
    fixture.clock.advance(2 * SECOND);
    const full = new AppError('rate_limit_exceeded', 'Too many concurrent sign-ins. Try again');
    const passwords = passwordsOf(fixture.app);
    const verify = vi.spyOn(passwords, 'verify').mockRejectedValueOnce(full);
    expectRefusal(await guess(account), 429, 'rate_limit_exceeded');
    // A correct one whose old hash is replaced waits a second time.
    const needsRehash = vi.spyOn(passwords, 'needsRehash').mockReturnValueOnce(true);
    const hash = vi.spyOn(passwords, 'hash').mockRejectedValueOnce(full);
    expectRefusal(await guess(account, account.password), 429, 'rate_limit_exceeded');
    expect((await guess(account, account.password)).status).toBe(200);
    for (const spy of [verify, needsRehash, hash]) spy.mockRestore();
  });

  it('do not delay fifty simultaneous correct ones', async () => {
    const account = await createAccount(fixture);
    const answers = await Promise.all(Array.from({ length: 50 }, () => guess(account, account.password)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('the owner, during guesses by strangers', () => {
  it('signs in from known networks, also from another address of the same IPv6 network', async () => {
    const account = await createAccount(fixture);
    expect((await login(account.email, account.password, OFFICE)).status).toBe(200);
    expect((await login(account.email, account.password, '2001:db8:abcd:1::1')).status).toBe(200);
    await attack(account);
    expect((await login(account.email, account.password, OFFICE)).status).toBe(200);
    expect((await login(account.email, account.password, '2001:db8:abcd:1:ffff::2')).status).toBe(200);
    expect((await login(account.email, account.password, '2001:db8:abcd:2::1')).status).toBe(429);
    // That forgives the strangers nothing.
    expect((await guess(account)).status).toBe(429);
  });

  it('is only delayed there by incorrect passwords from there', async () => {
    const account = await createAccount(fixture);
    await login(account.email, account.password, OFFICE);
    for (let failures = 1; failures <= 5; failures += 1) {
      expect((await login(account.email, 'not the password', OFFICE)).status).toBe(401);
    }
    expect((await login(account.email, account.password, OFFICE)).status).toBe(429);
    fixture.clock.advance(2 * SECOND);
    expect((await login(account.email, account.password, OFFICE)).status).toBe(200);
  });

  it('signs in there after resetting the password', async () => {
    const account = await createAccount(fixture);
    await login(account.email, account.password, OFFICE);
    for (let failures = 1; failures <= 5; failures += 1) await login(account.email, 'not the password', OFFICE);
    expect((await login(account.email, account.password, OFFICE)).status).toBe(429);
    await send('login/password_reset', { email: account.email }, OFFICE);
    const token = newestToken(fixture, account.email);
    const password = 'chosen from the mailbox';
    await send('login/password_reset/confirm', { token, new_password: password }, OFFICE);
    expect((await login(account.email, password, OFFICE)).status).toBe(200);
  });

  it('is not known in networks of other accounts', async () => {
    const account = await createAccount(fixture);
    const attacker = await createAccount(fixture);
    expect((await login(attacker.email, attacker.password, ELSEWHERE)).status).toBe(200);
    await attack(account);
    expect((await login(account.email, 'not the password', ELSEWHERE)).status).toBe(429);
  });

  it('signs in anywhere after resetting the password', async () => {
    const account = await createAccount(fixture);
    await attack(account);
    expect((await login(account.email, account.password, ELSEWHERE)).status).toBe(429);
    expect((await send('login/password_reset', { email: account.email }, ELSEWHERE)).status).toBe(202);
    const token = newestToken(fixture, account.email);
    const password = 'chosen from the mailbox';
    const confirmed = await send('login/password_reset/confirm', { token, new_password: password }, ELSEWHERE);
    expect(confirmed.status).toBe(200);
    for (let failures = 1; failures <= 5; failures += 1) await guess(account);
    expect((await guess(account)).status).toBe(429);
    expect((await login(account.email, password, ELSEWHERE)).status).toBe(200);
  });

  it('is no longer known in a network after 90 days', async () => {
    const account = await createAccount(fixture);
    await login(account.email, account.password, OFFICE);
    fixture.clock.advance(90 * DAY);
    await attack(account);
    expect((await login(account.email, account.password, OFFICE)).status).toBe(429);
  });
});

describe('the stored attempts', () => {
  it('are hashes, until the cleanup job deletes old ones', async () => {
    const account = await createAccount(fixture);
    await login(account.email, account.password, OFFICE);
    await guess(account);
    const { db } = fixture.app;
    const guesses = () => db.select().from(passwordGuesses).all();
    const networks = () =>
      db.select().from(knownNetworks).where(eq(knownNetworks.developerId, account.developer_id)).all();
    for (const { subject } of guesses()) expect(subject).toMatch(/^[0-9a-f]{64}$/);
    expect(networks()).toEqual([
      {
        developerId: account.developer_id,
        networkHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        seenAt: expect.any(Number),
      },
    ]);
    fixture.clock.advance(DAY);
    await fixture.sweep('sessions');
    expect({ guesses: guesses(), networks: networks().length }).toEqual({ guesses: [], networks: 1 });
    fixture.clock.advance(89 * DAY);
    await fixture.sweep('sessions');
    expect(networks()).toEqual([]);
  });
});
