// Signing in with a code or a link in an email.
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { confirmPasswordReset } from '../../src/accounts/password-reset.ts';
import { systemContext } from '../../src/core/transact.ts';
import { emailCodes, jobs, sessions } from '../../src/data/tables/tables.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { type RequestOptions, usePasskey } from '../support/authenticator.ts';
import { openEmailBrowser, otherCode } from '../support/email-sign-in.ts';
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
  api,
  auditMark,
  auditRows,
  expectInvalid,
  expectRefusal,
  type Json,
  signIn,
} from '../support/harness.ts';
import { mailsTo, newestToken } from '../support/mailbox.ts';
import {
  account,
  browser,
  change,
  fixture,
  inviteTester,
  reasonOf,
  requested,
  rowOf,
  unknownAddress,
  useEmailServer,
} from './email-scenario.ts';

useEmailServer();

const sessionOf = (id: string) => fixture.app.db.select().from(sessions).where(eq(sessions.id, id)).get();

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
