// Signing in with a code or a link in an email.
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { confirmPasswordReset } from '../../src/accounts/password-reset.ts';
import { createContext, systemContext } from '../../src/core/transact.ts';
import { developers, emailCodes, jobs, sessions } from '../../src/data/tables/tables.ts';
import { updateDeveloper } from '../../src/developers/store.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import type { AppError } from '../../src/lib/errors.ts';
import { confirmEmailSignIn, requestEmailSignIn, runEmailCodeJob } from '../../src/sign-in/email.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { makeProvider } from '../sso/provider.ts';
import { connect } from '../sso/scenario.ts';
import { type RequestOptions, usePasskey } from '../support/authenticator.ts';
import { type EmailBrowser, openEmailBrowser, otherCode, readCode, SENDS_MAIL } from '../support/email-sign-in.ts';
import {
  addOwner,
  addPasskeyOwner,
  addTotp,
  type Begun,
  codeOf,
  type FirstStep,
  finishLogin,
  goToNextStep,
  originOf,
  type Tokens,
} from '../support/factors.ts';
import {
  type Account,
  type Answer,
  api,
  auditMark,
  auditRows,
  comparable,
  createAccount,
  expectInvalid,
  expectRefusal,
  type Json,
  signIn,
} from '../support/harness.ts';
import { mailKinds, mailsTo, newestToken } from '../support/mailbox.ts';
import { recordStatements, type StatementRecorder } from '../support/statements.ts';

let fixture: Fixture;
let recorder: StatementRecorder;
beforeAll(async () => {
  recorder = recordStatements();
  fixture = await startFixture({ config: { mail: SENDS_MAIL } });
});
afterAll(async () => {
  recorder.stop();
  await fixture?.stop();
});

let account: Account;
let browser: EmailBrowser;
beforeEach(async () => {
  account = await createAccount(fixture);
  browser = openEmailBrowser(fixture);
});

const unknownAddress = () => `${fixture.app.ids.next()}@example.com`;
const change = (id: string, columns: Parameters<typeof updateDeveloper>[2]) =>
  systemContext(fixture.app).transact((tx) => updateDeveloper(tx, id, columns), { bookkeeping: true });
const rowOf = (email: string) => fixture.app.db.select().from(developers).where(eq(developers.email, email)).get();
const sessionOf = (id: string) => fixture.app.db.select().from(sessions).where(eq(sessions.id, id)).get();

/** Requests a code and reads it. */
async function requested(email = account.email, from = browser) {
  expect((await from.request(email)).status).toBe(202);
  return readCode(fixture, email);
}

const reasonOf = (answer: Answer<unknown>) => expectRefusal(answer, 401, 'unauthorized').reason;

async function inviteTester(email: string): Promise<void> {
  const path = `/api/v1/projects/${fixture.android_project_id}/testers`;
  expect((await (await administrator()).post(path, { email })).status).toBe(201);
}

/** Signed in again, because the tests move the clock. */
const administrator = async () => (await signIn(fixture)).client;

describe('signing in with the code of an email', () => {
  it('starts a session, and shows how it began', async () => {
    const mark = auditMark(fixture);
    const { code } = await requested();
    expect(code).toMatch(/^\d{6}$/);
    const answer = await browser.confirm<Tokens>({ code });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ token_type: 'Bearer', session_id: expect.any(String) });
    expect(decodeJwt(answer.body.access_token).sub).toBe(account.developer_id);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'login_succeeded',
        type: 'developer',
        identifier: account.developer_id,
        actorId: account.developer_id,
        details: { session_id: answer.body.session_id, method: 'email_code' },
      },
    ]);
    const list = await api(fixture, answer.body.access_token).get<{ items: Json[] }>('/api/v1/sessions');
    expect(list.body.items).toMatchObject([{ sign_in_method: 'email', current: true }]);
    const byPassword = await signIn(fixture, account);
    expect(sessionOf(byPassword.session_id)?.signInMethod).toBe('password');
  });

  it('accepts digits in groups, and returns tokens as cookies to browsers', async () => {
    const { code } = await requested();
    const answer = await browser.confirm<Tokens>({ code: ` ${code.slice(0, 3)} ${code.slice(3)}`, cookies: true });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ access_token: null, refresh_token: null });
    expect([...browser.cookies.keys()]).toEqual(['svc_email_sign_in', 'svc_access', 'svc_refresh']);
  });

  it('works with the link too, once', async () => {
    const { token, code } = await requested();
    const answer = await browser.confirm<Tokens>({ token });
    expect(answer.status).toBe(200);
    expect(auditRows(fixture, { identifier: account.developer_id }).at(-1)).toMatchObject({
      event: 'login_succeeded',
      details: { method: 'email_link' },
    });
    expect(reasonOf(await browser.confirm({ token }))).toBe('unusable_code');
    expect(reasonOf(await browser.confirm({ code }))).toBe('unusable_code');
  });

  it('requires either a code or a token', async () => {
    expectInvalid(await browser.confirm({}), 'body: value_error');
    expectInvalid(await browser.confirm({ code: '123456', token: 'x' }), 'body: value_error');
  });

  it('stores neither code nor tokens', async () => {
    const { code, token } = await requested();
    const row = fixture.app.db.select().from(emailCodes).where(eq(emailCodes.email, account.email)).get();
    const text = JSON.stringify(row);
    for (const secret of [code, token, browser.cookies.get('svc_email_sign_in') ?? '-']) {
      expect(text).not.toContain(secret);
    }
    // Not a plain hash either: all codes could be tried.
    expect(text).not.toContain(fixture.app.secrets.hash(code));
    expect(row?.codeHash).not.toBeNull();
    expect(JSON.stringify(fixture.app.db.select().from(jobs).all())).not.toContain(code);
    expect(mailsTo(fixture, account.email).at(-1)?.subject).toBe('Your sign-in code');
  });

  it('expires after 15 minutes', async () => {
    const { code, token } = await requested();
    fixture.clock.advance(15 * MINUTE);
    expect(reasonOf(await browser.confirm({ code }))).toBe('unusable_code');
    expect(reasonOf(await browser.confirm({ token }))).toBe('unusable_code');
  });

  it('works only in the browser that requested it', async () => {
    const { code, token } = await requested();
    const mark = auditMark(fixture);
    const other = openEmailBrowser(fixture);
    expect(reasonOf(await other.confirm({ code }))).toBe('unusable_code');
    expect(reasonOf(await other.confirm({ token }))).toBe('other_browser');
    await other.request(unknownAddress());
    expect(reasonOf(await other.confirm({ code }))).toBe('wrong_code');
    expect(reasonOf(await other.confirm({ token }))).toBe('other_browser');
    expect(auditRows(fixture, { after: mark, identifier: account.developer_id })).toMatchObject([
      { event: 'login_failed', details: { reason: 'other_browser' } },
      { event: 'login_failed', details: { reason: 'other_browser' } },
    ]);
    expect((await browser.confirm({ token })).status).toBe(200);
  });

  it('has one winner of concurrent confirmations', async () => {
    const { code, token } = await requested();
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => browser.confirm({ code })),
      ...Array.from({ length: 4 }, () => browser.confirm({ token })),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(
      fixture.app.db.select().from(sessions).where(eq(sessions.developerId, account.developer_id)).all(),
    ).toHaveLength(1);
  });

  it('ends after five incorrect codes', async () => {
    const { code, token } = await requested();
    const mark = auditMark(fixture);
    const reasons: unknown[] = [];
    for (let guess = 1; guess <= 5; guess += 1) {
      const answer = await browser.confirm({ code: otherCode(code, guess) });
      reasons.push(reasonOf(answer));
    }
    expect(reasons).toEqual(['wrong_code', 'wrong_code', 'wrong_code', 'wrong_code', 'unusable_code']);
    expect(auditRows(fixture, { after: mark })).toHaveLength(5);
    expect(auditRows(fixture, { after: mark })[0]).toMatchObject({
      event: 'login_failed',
      identifier: account.developer_id,
      details: { reason: 'wrong_email_code' },
    });
    fixture.clock.advance(MINUTE);
    expect(reasonOf(await browser.confirm({ code }))).toBe('unusable_code');
    expect(reasonOf(await browser.confirm({ token }))).toBe('unusable_code');
  });

  it('counts concurrent incorrect codes exactly', async () => {
    const { code } = await requested();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, guess) => browser.confirm({ code: otherCode(code, guess + 1) })),
    );
    const refused = answers.map(({ status, body }) => (status === 429 ? 429 : (body.details as Json).reason));
    expect(refused.filter((reason) => reason === 'wrong_code')).toHaveLength(4);
    const row = fixture.app.db.select().from(emailCodes).where(eq(emailCodes.email, account.email)).get();
    expect(row?.failures).toBe(5);
  });

  it('lets further codes for the address allow no more guesses, while the link still works', async () => {
    const { code } = await requested();
    for (let guess = 1; guess <= 5; guess += 1) await browser.confirm({ code: otherCode(code, guess) });
    const victim = openEmailBrowser(fixture);
    const next = await requested(account.email, victim);
    expectRefusal(await victim.confirm({ code: next.code }), 429, 'rate_limit_exceeded');
    expect((await victim.confirm({ token: next.token })).status).toBe(200);
    const later = openEmailBrowser(fixture);
    const last = await requested(account.email, later);
    fixture.clock.advance(3 * SECOND);
    expect((await later.confirm({ code: last.code })).status).toBe(200);
  });

  it('rejects requests of other origins', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const send = (path: string, body: Json) => api(fixture, null).send('POST', path, { body, headers });
    expectRefusal(await send('/api/v1/login/email', { email: account.email }), 403, 'permission_denied');
    expectRefusal(await send('/api/v1/login/email/confirm', { code: '123456' }), 403, 'permission_denied');
  });

  it('ends with a new password', async () => {
    const { code } = await requested();
    await api(fixture, null).post('/api/v1/login/password_reset', { email: account.email });
    await fixture.app.jobs.drain();
    await confirmPasswordReset(systemContext(fixture.app), {
      token: newestToken(fixture, account.email, /Reset/),
      new_password: 'a completely different phrase',
    });
    expect(reasonOf(await browser.confirm({ code }))).toBe('unusable_code');
  });
});

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

describe('the first sign-in of an address', () => {
  it('creates the account of an invited tester, verified and without a password', async () => {
    const email = unknownAddress();
    await inviteTester(email);
    const { code } = await requested(email);
    expect(mailsTo(fixture, email)[0]?.text).toContain("You don't need a password");
    expect(rowOf(email)).toBeUndefined();
    const mark = auditMark(fixture);
    const { status, body } = await browser.confirm<Tokens>({ code });
    expect(status).toBe(200);
    const row = rowOf(email);
    expect(row).toMatchObject({ passwordHash: null, displayName: email.split('@')[0], isOperator: false });
    expect(row?.emailVerifiedAt).not.toBeNull();
    expect(auditRows(fixture, { after: mark }).map(({ event }) => event)).toEqual([
      'created',
      'accepted',
      'login_succeeded',
    ]);
    const mine = await api(fixture, body.access_token).get<{ items: Json[] }>('/api/v1/testers/me/organizations');
    expect(mine.body.items).toMatchObject([{ identifier: fixture.organization_id }]);
  });

  it('creates no account for addresses without an invitation, nor if the invitation was revoked after the email', async () => {
    const email = unknownAddress();
    await inviteTester(email);
    const { code } = await requested(email);
    const path = `/api/v1/projects/${fixture.android_project_id}/testers`;
    const client = await administrator();
    const { body } = await client.get<{ items: { identifier: string; email: string }[] }>(path);
    const grant = body.items.find((item) => item.email === email);
    expect((await client.delete(`${path}/${grant?.identifier}`)).status).toBe(204);
    expect(reasonOf(await browser.confirm({ code }))).toBe('unusable_code');
    expect(rowOf(email)).toBeUndefined();
  });

  it('creates no account while sign-up is closed', async () => {
    await using closed = await startFixture({
      config: { mail: SENDS_MAIL, accounts: { signup: 'closed' } },
    });
    const path = `/api/v1/projects/${closed.android_project_id}/testers`;
    await api(closed).post(path, { email: 'new@example.com' });
    await openEmailBrowser(closed).request('new@example.com');
    await closed.app.jobs.drain();
    expect(mailKinds(closed, 'new@example.com')).toEqual(['tester_grant']);
    expect(mailsTo(closed, 'new@example.com')[0]?.text).toContain('Create an account');
  });

  it('removes what another person may have prepared in an unverified account', async () => {
    const squatter = await createAccount(fixture, { isVerified: false });
    const held = await signIn(fixture, squatter);
    change(squatter.developer_id, { totpEnabledAt: fixture.clock.now().getTime() });
    const { code } = await requested(squatter.email);
    const answer = await browser.confirm<Tokens>({ code });
    expect(answer.status).toBe(200);
    expect(rowOf(squatter.email)).toMatchObject({ passwordHash: null, totpEnabledAt: null });
    expect((await held.client.get('/api/v1/developers/me')).status).toBe(401);
    expect((await api(fixture, answer.body.access_token).get('/api/v1/developers/me')).status).toBe(200);
    const verified = auditRows(fixture, { identifier: squatter.developer_id }).find(
      ({ event }) => event === 'email_verified',
    );
    expect(verified?.details).toMatchObject({ how: 'email_sign_in' });
  });

  it('takes the address of an abandoned account', async () => {
    const email = unknownAddress();
    const abandoned = await createAccount(fixture, { email, isVerified: false });
    const now = fixture.clock.now().getTime();
    change(abandoned.developer_id, { lockedAt: now, deletionDueAt: now + MINUTE });
    await inviteTester(email);
    const { code } = await requested(email);
    expect((await browser.confirm({ code })).status).toBe(200);
    expect(rowOf(email)?.id).not.toBe(abandoned.developer_id);
  });

  it('is refused if the account was locked in between', async () => {
    const { code } = await requested();
    change(account.developer_id, { lockedAt: fixture.clock.now().getTime() });
    expect(reasonOf(await browser.confirm({ code }))).toBe('unusable_code');
  });
});

describe('two-factor authentication', () => {
  it('follows the code', async () => {
    const owner = await addTotp(fixture);
    const { code } = await requested(owner.account.email);
    const first = await browser.confirm<FirstStep>({ code });
    expect(first).toMatchObject({ status: 200, body: { mfa_required: true, methods: ['totp', 'recovery_code'] } });
    expect(auditRows(fixture, { identifier: owner.account.developer_id }).at(-1)?.event).not.toBe('login_succeeded');
    goToNextStep(fixture);
    const done = await finishLogin(fixture, first.body.mfa_token, codeOf(fixture, owner.secret));
    expect(done.status).toBe(200);
    expect(sessionOf(done.body.session_id)?.signInMethod).toBe('email');
    expect(auditRows(fixture, { identifier: owner.account.developer_id }).at(-1)).toMatchObject({
      event: 'mfa_login_succeeded',
      details: { method: 'totp' },
    });
  });

  it('does not accept a passkey that waits for review after a password reset, nor end the review', async () => {
    const owner = await addPasskeyOwner(fixture, await addOwner(fixture));
    const { email } = owner.account;
    await api(fixture, null).post('/api/v1/login/password_reset', { email });
    await fixture.app.jobs.drain();
    await confirmPasswordReset(systemContext(fixture.app), {
      token: newestToken(fixture, email, /Reset/),
      new_password: 'a completely different phrase',
    });
    const { code } = await requested(email);
    const first = await browser.confirm<FirstStep>({ code });
    expect(first.body.methods).toEqual(['passkey']);
    const begun = await api(fixture, null).post<Begun<RequestOptions>>('/api/v1/login/mfa/passkey/begin', {
      mfa_token: first.body.mfa_token,
    });
    const credential = usePasskey(originOf(fixture), owner.credential, begun.body.options);
    const { challenge_id } = begun.body;
    const finished = await api(fixture, null).post('/api/v1/login/mfa/passkey/finish', { challenge_id, credential });
    expectRefusal(finished, 401, 'unauthorized');
    expect(auditRows(fixture, { identifier: owner.account.developer_id }).at(-1)).toMatchObject({
      event: 'login_failed',
      details: { reason: 'passkey_suspended' },
    });
  });
});

describe('an address that changes', () => {
  async function move(from: Account): Promise<string> {
    const email = unknownAddress();
    const { client } = await signIn(fixture, from);
    const path = `/api/v1/developers/${from.developer_id}/change_email`;
    expect((await client.post(path, { new_email: email, current_password: from.password })).status).toBe(202);
    const token = newestToken(fixture, email, /new email/i);
    expect((await api(fixture, null).post('/api/v1/developers/change_email/confirm', { token })).status).toBe(200);
    return email;
  }

  it('ends the codes that were sent to it, and creates no account', async () => {
    const { code, token } = await requested();
    const email = await move(account);
    expect(reasonOf(await browser.confirm({ token }))).toBe('unusable_code');
    expect(reasonOf(await browser.confirm({ code }))).toBe('unusable_code');
    expect(rowOf(account.email)).toBeUndefined();
    const next = await requested(email);
    expect((await browser.confirm({ code: next.code })).status).toBe(200);
  });

  it('creates an account for an old address only if it is invited', async () => {
    await move(account);
    await inviteTester(account.email);
    const { code } = await requested();
    expect((await browser.confirm({ code })).status).toBe(200);
    const created = rowOf(account.email);
    expect([created?.id === account.developer_id, created?.passwordHash]).toEqual([false, null]);
  });

  it('ends a sign-in that began with a code sent to it', async () => {
    const owner = await addTotp(fixture);
    const { code } = await requested(owner.account.email);
    const first = await browser.confirm<FirstStep>({ code });
    change(owner.account.developer_id, { email: unknownAddress() });
    goToNextStep(fixture);
    const answer = await finishLogin(fixture, first.body.mfa_token, codeOf(fixture, owner.secret));
    expectRefusal(answer, 401, 'unauthorized');
  });
});

describe('required single sign-on', () => {
  it('is where the email sends its members, and no code works', async () => {
    await using own = await startFixture({ config: { mail: SENDS_MAIL } });
    const admin = api(own);
    const member = await createAccount(own, { email: 'member@example.test' });
    own.app.db.run(
      `INSERT INTO organization_memberships (organization_id, developer_id, role, created_at) VALUES ('${own.organization_id}', '${member.developer_id}', 'member', 0)`,
    );
    await connect(own, await makeProvider(), { domains: ['example.test'] });
    const early = openEmailBrowser(own);
    await early.request(member.email);
    const { code } = await readCode(own, member.email);
    const required = await admin.put(`/api/v1/organizations/${own.organization_id}/sso/require`, { required: true });
    expect(required.status).toBe(200);

    const refused = await early.confirm({ code });
    expect(expectRefusal(refused, 403, 'permission_denied').reason).toBe('sso_required');
    expect(auditRows(own, { identifier: member.developer_id }).at(-1)).toMatchObject({
      event: 'login_failed',
      details: { reason: 'sso_required' },
    });

    const late = openEmailBrowser(own);
    expect((await late.request(member.email)).status).toBe(202);
    await own.app.jobs.drain();
    expect(mailKinds(own, member.email)).toEqual(['sign_in_code', 'sign_in_elsewhere']);
    expect(mailsTo(own, member.email).at(-1)?.text).toContain(`/organizations/${own.organization_id}/sso/login`);
    expect(reasonOf(await late.confirm({ code: '000000' }))).toBe('wrong_code');
  });

  it('is also where it sends invited people without an account, and no code creates one', async () => {
    await using own = await startFixture({ config: { mail: SENDS_MAIL } });
    const admin = api(own);
    const organization = `/api/v1/organizations/${own.organization_id}`;
    await connect(own, await makeProvider(), { domains: ['example.test'] });
    const email = 'newcomer@example.test';
    expect((await admin.post(`${organization}/invites`, { email, role: 'member' })).status).toBe(201);
    const early = openEmailBrowser(own);
    await early.request(email);
    const { code } = await readCode(own, email);
    expect((await admin.put(`${organization}/sso/require`, { required: true })).status).toBe(200);
    expect(reasonOf(await early.confirm({ code }))).toBe('unusable_code');

    await openEmailBrowser(own).request(email);
    await own.app.jobs.drain();
    expect(mailKinds(own, email)).toEqual(['organization_invitation', 'sign_in_code', 'sign_in_elsewhere']);
    expect(mailsTo(own, email).at(-1)?.text).toContain(`/organizations/${own.organization_id}/sso/login`);
    expect(own.app.db.select().from(developers).where(eq(developers.email, email)).all()).toEqual([]);
  });
});

describe('an organization that does not allow it', () => {
  const path = () => `/api/v1/organizations/${fixture.organization_id}`;
  const allow = async (isAllowed: boolean) =>
    (await administrator()).patch(path(), { email_sign_in_allowed: isAllowed });

  it('changes its policy with an audit row', async () => {
    expect((await (await administrator()).get(path())).body).toMatchObject({ email_sign_in_allowed: true });
    const mark = auditMark(fixture);
    expect((await allow(false)).body).toMatchObject({ email_sign_in_allowed: false });
    expect((await allow(false)).status).toBe(200);
    expect(auditRows(fixture, { after: mark, identifier: fixture.organization_id })).toMatchObject([
      {
        event: 'edited',
        type: 'organization',
        details: { changed: { email_sign_in_allowed: { from: true, to: false } } },
      },
    ]);
    await allow(true);
  });

  it('rejects sessions that began with an email, of testers and members', async () => {
    const member = await createAccount(fixture);
    fixture.app.db.run(
      `INSERT INTO organization_memberships (organization_id, developer_id, role, created_at) VALUES ('${fixture.organization_id}', '${member.developer_id}', 'admin', 0)`,
    );
    await inviteTester(account.email);
    const channels = {
      organization_id: fixture.organization_id,
      project_id: fixture.android_project_id,
    };
    const tester = await browser.confirm<Tokens>({ code: (await requested()).code });
    const admin = openEmailBrowser(fixture);
    const adminTokens = await admin.confirm<Tokens>({ code: (await requested(member.email, admin)).code });
    const asTester = api(fixture, tester.body.access_token);
    const asAdmin = api(fixture, adminTokens.body.access_token);
    expect((await asTester.get('/api/v1/testers/me/channels', channels)).status).toBe(200);
    expect((await asAdmin.get(path())).status).toBe(200);
    expectRefusal(await asAdmin.patch(path(), { email_sign_in_allowed: false }), 400, 'operation_not_allowed');

    await allow(false);
    for (const answer of [
      await asTester.get('/api/v1/testers/me/channels', channels),
      await asTester.get('/api/v1/testers/me/projects', channels),
      await asAdmin.get(path()),
      await asAdmin.get('/api/v1/projects', { organization_id: fixture.organization_id }),
      await asAdmin.get('/api/v1/builds', channels),
      await asTester.post('/api/v1/testers/me/devices/enrollments', {}, { organization_id: fixture.organization_id }),
    ]) {
      expect(expectRefusal(answer, 403, 'permission_denied').reason).toBe('email_sign_in_not_allowed');
    }
    const otherwise = await signIn(fixture, account);
    expect((await otherwise.client.get('/api/v1/testers/me/channels', channels)).status).toBe(200);
    const outsider = await createAccount(fixture);
    const stranger = openEmailBrowser(fixture);
    const session = await stranger.confirm<Tokens>({ code: (await requested(outsider.email, stranger)).code });
    const hidden = await api(fixture, session.body.access_token).get('/api/v1/testers/me/channels', channels);
    expectRefusal(hidden, 404, 'not_found');
    await allow(true);
    expect((await asTester.get('/api/v1/testers/me/channels', channels)).status).toBe(200);
  });
});
