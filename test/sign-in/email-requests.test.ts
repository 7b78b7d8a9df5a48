// Requesting codes for signing in by email: the same for every address, and limited.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createContext, systemContext } from '../../src/core/transact.ts';
import { emailCodes, jobs } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import type { AppError } from '../../src/lib/errors.ts';
import { confirmEmailSignIn, requestEmailSignIn, runEmailCodeJob } from '../../src/sign-in/email.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { openEmailBrowser, SENDS_MAIL } from '../support/email-sign-in.ts';
import { type Answer, comparable, createAccount, expectRefusal, type Json } from '../support/harness.ts';
import { mailKinds } from '../support/mailbox.ts';
import {
  account,
  browser,
  change,
  fixture,
  inviteTester,
  reasonOf,
  recorder,
  requested,
  unknownAddress,
  useEmailServer,
} from './email-scenario.ts';

useEmailServer();

describe('requesting a code', () => {
  async function addresses() {
    const [verified, waiting, locked] = [
      await createAccount(fixture),
      await createAccount(fixture, { isVerified: false }),
      await createAccount(fixture),
    ];
    change(locked.developer_id, { lockedAt: fixture.clock.now().getTime() });
    const invited = unknownAddress();
    await inviteTester(invited);
    return {
      verified: verified.email,
      waiting: waiting.email,
      invited,
      locked: locked.email,
      unknown: unknownAddress(),
    };
  }

  it('runs the same statements for every address, and so does an incorrect code', async () => {
    const kinds = Object.values(await addresses());
    const cookies = new Map<string, string>();
    /** The context of a request of the browser that asks for an address. */
    const contextOf = (email: string) => {
      const ctx = systemContext(fixture.app);
      const header = (name: string) => (name === 'cookie' ? cookies.get(email) : undefined);
      return createContext(ctx, ctx.actor, { ...ctx.request, header });
    };
    const request = async (email: string) => {
      const reply = await requestEmailSignIn(contextOf(email), { email });
      cookies.set(email, reply.cookies?.[0]?.split(';')[0] ?? '');
    };
    const guess = (email: string) =>
      confirmEmailSignIn(contextOf(email), { code: 'x', cookies: false }).then(
        () => undefined,
        (error: AppError) => error.details.reason,
      );
    const prepares = unknownAddress();
    await request(prepares);
    await guess(prepares);
    await fixture.app.jobs.drain();

    const runs: string[][] = [];
    for (const email of kinds) runs.push(await recorder.during(() => request(email)));
    expect(runs[0]?.some((sql) => /insert into "?jobs/i.test(sql))).toBe(true);
    for (const run of runs) expect(run).toEqual(runs[0]);
    await fixture.app.jobs.drain();
    const guesses: string[][] = [];
    for (const email of kinds) {
      guesses.push(await recorder.during(async () => expect(await guess(email)).toBe('wrong_code')));
    }
    for (const run of guesses) expect(run).toEqual(guesses[0]);
  });

  it('returns the same for every address, and so does an incorrect code', async () => {
    const kinds = Object.values(await addresses());
    const browsers = kinds.map(() => openEmailBrowser(fixture));
    const answers: Answer<Json>[] = [];
    for (const [at, one] of browsers.entries()) answers.push(await one.request(kinds[at] ?? ''));
    const shown = answers.map((answer) => {
      const { headers, ...rest } = comparable(answer);
      return { ...rest, headers: { ...headers, 'set-cookie': headers['set-cookie']?.replace(/=[^;]+/, '=token') } };
    });
    for (const one of shown) expect(one).toEqual(shown[0]);
    expect(shown[0]).toMatchObject({
      status: 202,
      text: '{"status":"sign_in_pending"}',
      headers: { 'set-cookie': 'svc_email_sign_in=token; Path=/api/v1/login; Max-Age=900; HttpOnly; SameSite=Lax' },
    });
    await fixture.app.jobs.drain();
    const refusals: Answer<Json>[] = [];
    for (const one of browsers) refusals.push(await one.confirm({ code: 'x' }));
    for (const refusal of refusals) expect(comparable(refusal)).toEqual(comparable(refusals[0] as Answer<Json>));
    expect(refusals[0]).toMatchObject({ status: 401, body: { details: { reason: 'wrong_code' } } });
  });

  it('emails people with an account or an invitation', async () => {
    const kinds = await addresses();
    for (const email of Object.values(kinds)) await openEmailBrowser(fixture).request(email);
    await fixture.app.jobs.drain();
    const sent = Object.entries(kinds).map(([kind, email]) => [
      kind,
      mailKinds(fixture, email).filter((name) => name.startsWith('sign_in')),
    ]);
    expect(Object.fromEntries(sent)).toEqual({
      verified: ['sign_in_code'],
      waiting: ['sign_in_code'],
      invited: ['sign_in_code'],
      locked: [],
      unknown: [],
    });
  });

  it('sends nothing on repetition within the cooldown, and leaves the code valid', async () => {
    const { code } = await requested();
    const cookie = browser.cookies.get('svc_email_sign_in');
    expect((await browser.request(account.email)).status).toBe(202);
    await fixture.app.jobs.drain();
    expect(mailKinds(fixture, account.email)).toEqual(['sign_in_code']);
    expect(browser.cookies.get('svc_email_sign_in')).toBe(cookie);
    expect((await browser.confirm({ code })).status).toBe(200);
  });

  it('sends a new code after the cooldown, which replaces the first in this browser', async () => {
    const { code } = await requested();
    fixture.clock.advance(6 * MINUTE);
    const second = await requested();
    expect(mailKinds(fixture, account.email)).toEqual(['sign_in_code', 'sign_in_code']);
    if (second.code !== code) expect(reasonOf(await browser.confirm({ code }))).toBe('wrong_code');
    expect((await browser.confirm({ code: second.code })).status).toBe(200);
  });

  it('sends a network at most five emails to an address within 15 minutes, with the same response', async () => {
    for (let round = 0; round < 7; round += 1) {
      expect((await openEmailBrowser(fixture).request(account.email)).status).toBe(202);
    }
    await fixture.app.jobs.drain();
    expect(mailKinds(fixture, account.email)).toHaveLength(5);
    fixture.clock.advance(16 * MINUTE);
    await openEmailBrowser(fixture).request(account.email);
    await fixture.app.jobs.drain();
    expect(mailKinds(fixture, account.email)).toHaveLength(6);
  });

  it('sends emails again after a clock that was ahead is corrected, also to the same browser', async () => {
    await using own = await startFixture({ config: { mail: SENDS_MAIL } });
    const { email } = await createAccount(own);
    own.clock.jump(30 * DAY);
    const waiting = openEmailBrowser(own);
    for (const one of [waiting, ...Array.from({ length: 4 }, () => openEmailBrowser(own))]) await one.request(email);
    own.clock.jump(-30 * DAY);
    await waiting.request(email);
    await own.app.jobs.drain();
    expect(mailKinds(own, email)).toHaveLength(6);
  });

  it('sends emails to other networks while one has reached its limit, and at most fifteen', async () => {
    const from = (ipAddress: string) => {
      const ctx = systemContext(fixture.app);
      const facts = { ...ctx.request, ipAddress, header: () => undefined };
      return requestEmailSignIn(createContext(ctx, ctx.actor, facts), { email: account.email });
    };
    for (let round = 0; round < 7; round += 1) await from('203.0.113.7');
    await fixture.app.jobs.drain();
    expect(mailKinds(fixture, account.email)).toHaveLength(5);
    const { code } = await requested();
    expect(mailKinds(fixture, account.email)).toHaveLength(6);
    expect((await browser.confirm({ code })).status).toBe(200);
    for (let network = 1; network <= 12; network += 1) await from(`198.51.${network}.1`);
    await fixture.app.jobs.drain();
    expect(mailKinds(fixture, account.email)).toHaveLength(15);
  });

  it('writes an email once, also if its job runs twice', async () => {
    await browser.request(account.email);
    const { jobs: runner } = fixture.app;
    const job = fixture.app.db.select().from(jobs).where(eq(jobs.kind, 'email-code')).all().at(-1);
    await runner.drain();
    runEmailCodeJob(systemContext(fixture.app), JSON.parse(job?.payload ?? '{}'));
    expect(mailKinds(fixture, account.email)).toEqual(['sign_in_code']);
  });

  it('fails on servers that send no email', async () => {
    await using silent = await startFixture();
    const refused = await openEmailBrowser(silent).request(silent.admin.email);
    expectRefusal(refused, 400, 'operation_not_allowed');
    expect(refused.headers.getSetCookie()).toEqual([]);
  });

  it('has its rows deleted after they expired', async () => {
    await requested();
    fixture.clock.advance(16 * MINUTE);
    await fixture.sweep('sessions');
    expect(fixture.app.db.select().from(emailCodes).all()).toEqual([]);
  });
});
