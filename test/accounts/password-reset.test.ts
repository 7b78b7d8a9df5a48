// Password resets by a link in an email, and password changes with the current password.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountLinks, developers, passkeys } from '../../src/data/tables/tables.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  api,
  auditMark,
  auditRows,
  comparable,
  createAccount,
  expectInvalid,
  expectRefusal,
  signIn,
} from '../support/harness.ts';
import { countHashes, interruptHash, mailKinds, mailsTo, newestLink, newestToken } from '../support/mailbox.ts';
import { addPerson } from '../support/people.ts';

const NEW_PASSWORD = 'a password that is new';
const RESET = '/api/v1/login/password_reset';
const CONFIRM = `${RESET}/confirm`;
const SUBJECT = /Reset your password/;
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const anonymous = () => api(fixture, null);
const ask = (email: string) => anonymous().post(RESET, { email });
const confirm = (token: string, newPassword = NEW_PASSWORD) =>
  anonymous().post(CONFIRM, { token, new_password: newPassword });
const logIn = (email: string, password: string) => anonymous().post('/api/v1/login', { email, password });

async function askedAccount(isVerified = true) {
  const account = await createAccount(fixture, { isVerified });
  await ask(account.email);
  return { ...account, token: newestToken(fixture, account.email, SUBJECT) };
}

describe('requesting a password reset', () => {
  it('returns the same response for every address and hashes nothing', async () => {
    const account = await createAccount(fixture);
    const locked = await createAccount(fixture);
    fixture.app.db.update(developers).set({ lockedAt: 1 }).where(eq(developers.email, locked.email)).run();
    const answers: unknown[] = [];
    const cost = await countHashes(fixture, async () => {
      for (const email of [account.email, locked.email, 'nobody@example.com', account.email]) {
        answers.push(comparable(await ask(email)));
      }
    });
    expect(cost).toBe(0);
    expect(answers[0]).toMatchObject({ status: 202, text: '{"status":"reset_pending"}' });
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(mailKinds(fixture, account.email)).toEqual(['password_reset']);
    expect(mailsTo(fixture, locked.email)).toEqual([]);
    expect(mailsTo(fixture, 'nobody@example.com')).toEqual([]);
  });

  it('rejects invalid addresses', async () => {
    expectInvalid(await ask('nobody'), 'body.email: string_pattern_mismatch');
  });

  it('sends nothing within five minutes, separately for each kind of email; the earlier link stays valid', async () => {
    const account = await createAccount(fixture, { isVerified: false });
    await anonymous().post('/api/v1/developers/resend_verification', { email: account.email });
    await ask(account.email);
    expect(mailKinds(fixture, account.email)).toEqual(['verify_email', 'password_reset']);
    const first = newestToken(fixture, account.email, SUBJECT);
    fixture.clock.advance(5 * MINUTE - 1000);
    expect((await ask(account.email)).status).toBe(202);
    expect(mailKinds(fixture, account.email)).toHaveLength(2);
    fixture.clock.advance(2000);
    await ask(account.email);
    expect(mailKinds(fixture, account.email)).toHaveLength(3);
    expect((await confirm(first)).status).toBe(200);
  });

  it('sends a new link if the earlier one was ended, but not if it was used', async () => {
    const { email, token } = await askedAccount(false);
    const { status } = await anonymous().post('/api/v1/developers/resend_verification', { email });
    expect(status).toBe(202);
    const verification = { token: newestToken(fixture, email, /Confirm/) };
    expect((await anonymous().post('/api/v1/developers/verify_email', verification)).status).toBe(200);
    expectRefusal(await confirm(token), 400, 'invalid_input');
    await ask(email);
    expect(mailKinds(fixture, email)).toEqual(['password_reset', 'verify_email', 'password_reset']);
    expect((await confirm(newestToken(fixture, email, SUBJECT))).status).toBe(200);
    const before = mailKinds(fixture, email);
    await ask(email);
    expect(mailKinds(fixture, email)).toEqual(before);
  });
});

describe('a password reset link', () => {
  it('sets the password, ends every session and emails the owner', async () => {
    const account = await askedAccount();
    const here = await signIn(fixture, account);
    const there = await signIn(fixture, account);
    const mark = auditMark(fixture);
    const answer = await confirm(account.token);
    expect([answer.status, answer.body]).toEqual([200, { status: 'password_changed', added: [], review_token: null }]);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'all_sessions_revoked', developerId: account.developer_id, details: { count: 2 } },
      { event: 'password_changed', type: 'developer', actorKind: 'anonymous', details: { how: 'password_reset' } },
    ]);
    for (const session of [here, there]) {
      expect((await session.client.get('/api/v1/developers/me')).status).toBe(401);
      const refreshed = await anonymous().post('/api/v1/login/refresh', { refresh_token: session.refresh_token });
      expectRefusal(refreshed, 401, 'unauthorized');
    }
    expectRefusal(await logIn(account.email, account.password), 401, 'unauthorized');
    expect((await logIn(account.email, NEW_PASSWORD)).status).toBe(200);
    expect(mailKinds(fixture, account.email)).toEqual(['password_reset', 'password_changed']);
    const { text } = await fixture.mail.waitFor(account.email, /was changed/);
    expect(text).toContain(`reset your password immediately at ${fixture.config.server.base_url}/reset and`);
  });

  it('keeps the two-factor methods of a verified account', async () => {
    const account = await askedAccount();
    const factors = { totpEnabledAt: 1, passkeyCount: 1 };
    fixture.app.db.update(developers).set(factors).where(eq(developers.id, account.developer_id)).run();
    expect((await confirm(account.token)).status).toBe(200);
    const row = fixture.app.db.select().from(developers).where(eq(developers.id, account.developer_id)).get();
    expect(row).toMatchObject(factors);
  });

  it('verifies the address, and deletes the sign-in methods of an unverified account', async () => {
    const account = await askedAccount(false);
    fixture.app.db
      .insert(passkeys)
      .values({
        id: fixture.app.ids.next(),
        developerId: account.developer_id,
        name: 'of somebody else',
        credentialId: 'credential',
        publicKey: 'key',
        counter: 0,
        transports: '[]',
        isBackedUp: false,
        createdAt: 1,
      })
      .run();
    const mark = auditMark(fixture);
    expect((await confirm(account.token)).status).toBe(200);
    expect(auditRows(fixture, { after: mark }).map((row) => row.event)).toEqual([
      'mfa_disabled',
      'email_verified',
      'password_changed',
    ]);
    expect(fixture.app.db.select().from(passkeys).all()).toEqual([]);
    const { client } = await signIn(fixture, { email: account.email, password: NEW_PASSWORD });
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({ email_verified: true });
  });

  it('expires after one hour', async () => {
    const account = await askedAccount();
    fixture.clock.advance(HOUR);
    expect(expectRefusal(await confirm(account.token), 400, 'invalid_input')).toEqual({ field: 'token' });
    expect((await logIn(account.email, account.password)).status).toBe(200);
  });

  it('works once for fifty simultaneous requests, and invalidates all other links of the account', async () => {
    const account = await askedAccount();
    fixture.clock.advance(6 * MINUTE);
    await ask(account.email);
    const second = newestToken(fixture, account.email, SUBJECT);
    const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(account.token)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(49);
    expectRefusal(await confirm(second), 400, 'invalid_input');
  });

  it('hashes nothing if the token is invalid', async () => {
    const cost = await countHashes(fixture, async () => {
      for (const token of ['unknown', 'x'.repeat(500)]) expectRefusal(await confirm(token), 400, 'invalid_input');
    });
    expect(cost).toBe(0);
  });

  it('rejects a password that is too short and stays valid', async () => {
    const account = await askedAccount();
    expectInvalid(await confirm(account.token, 'short'), 'body.new_password: string_too_short');
    expectInvalid(await anonymous().post(CONFIRM, { token: account.token }), 'body.new_password: missing');
    expect((await confirm(account.token)).status).toBe(200);
  });

  it('becomes invalid when the address changes or the account is locked', async () => {
    const account = await askedAccount();
    const change = (values: Partial<typeof developers.$inferInsert>) =>
      fixture.app.db.update(developers).set(values).where(eq(developers.id, account.developer_id)).run();
    change({ lockedAt: 1 });
    expectRefusal(await confirm(account.token), 400, 'invalid_input');
    change({ lockedAt: null, email: 'moved@example.com' });
    expectRefusal(await confirm(account.token), 400, 'invalid_input');
  });

  it.each([
    ['en', ['Set new password', 'Must have at least 12 characters', 'Password changed', 'This link doesn’t work']],
    [
      'de',
      ['Neues Passwort festlegen', '>Mindestens 12 Zeichen</p>', 'Passwort geändert', 'Dieser Link funktioniert nicht'],
    ],
  ])('opens a page with a form in the language of the browser: %s', async (language, texts) => {
    const [title = '', tooShort = '', changed = '', notWorking = ''] = texts;
    const account = await askedAccount();
    const link = newestLink(fixture, account.email, SUBJECT);
    const headers = { 'accept-language': `${language}-AT` };
    const page = await anonymous().send('GET', `${link.pathname}${link.search}`, { headers });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('vary')).toContain('Accept-Language');
    expect(page.text).toContain(`<html lang="${language}">`);
    expect(page.text).toContain(`<h1>${title}</h1>`);
    expect(page.text).toContain(`<form method="post" action="${CONFIRM}">`);
    const send = (password: string) =>
      anonymous().send('POST', CONFIRM, {
        rawBody: new URLSearchParams({ token: account.token, new_password: password }).toString(),
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      });
    const refused = await send('short');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(tooShort);
    expect(refused.text).not.toContain('value="short"');
    const done = await send(NEW_PASSWORD);
    expect([done.status, done.text.includes(changed)]).toEqual([200, true]);
    const dead = await send(NEW_PASSWORD);
    expect([dead.status, dead.text.includes(notWorking)]).toEqual([400, true]);
  });

  it('is erased after it was used', async () => {
    await askedAccount();
    fixture.clock.advance(25 * HOUR);
    await fixture.sweep('sessions');
    expect(fixture.app.db.select().from(accountLinks).all()).toEqual([]);
  });
});

describe('changing the password', () => {
  const path = (id: string) => `/api/v1/developers/${id}/change_password`;

  it('replaces it, keeps this session and ends the others', async () => {
    const account = await createAccount(fixture);
    const here = await signIn(fixture, account);
    const there = await signIn(fixture, account);
    await ask(account.email);
    const resetToken = newestToken(fixture, account.email, SUBJECT);
    const mark = auditMark(fixture);
    const body = { current_password: account.password, new_password: NEW_PASSWORD };
    const answer = await here.client.post(path(account.developer_id), body);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'password_changed',
        type: 'developer',
        actorKind: 'developer',
        details: { how: 'current_password', other_sessions_ended: 1 },
      },
    ]);
    expect((await here.client.get('/api/v1/developers/me')).status).toBe(200);
    expect((await there.client.get('/api/v1/developers/me')).status).toBe(401);
    expectRefusal(await logIn(account.email, account.password), 401, 'unauthorized');
    expect((await logIn(account.email, NEW_PASSWORD)).status).toBe(200);
    // A link that was asked for before is worth nothing now.
    expectRefusal(await confirm(resetToken), 400, 'invalid_input');
    expect(mailKinds(fixture, account.email)).toEqual(['password_reset', 'password_changed']);
  });

  it('rejects an incorrect current password, records it, and delays further attempts', async () => {
    const account = await createAccount(fixture);
    const { client } = await signIn(fixture, account);
    const guess = (password: string) =>
      client.post(path(account.developer_id), { current_password: password, new_password: NEW_PASSWORD });
    const mark = auditMark(fixture);
    expect(expectRefusal(await guess('not the password'), 403, 'permission_denied')).toEqual({
      field: 'current_password',
    });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'login_failed', details: { reason: 'step_up_wrong_password' } },
    ]);
    for (let attempt = 2; attempt <= 5; attempt++) {
      expectRefusal(await guess('not the password'), 403, 'permission_denied');
    }
    const refused = await guess(account.password);
    expectRefusal(refused, 429, 'rate_limit_exceeded');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    fixture.clock.advance(MINUTE);
    expect((await guess(account.password)).status).toBe(204);
  });

  it('is rejected if another change sets a password first', async () => {
    const account = await createAccount(fixture);
    const { client } = await signIn(fixture, account);
    const body = { current_password: account.password, new_password: NEW_PASSWORD };
    const ofAccount = eq(developers.id, account.developer_id);
    const other = { passwordHash: 'of another password' };
    const interrupt = () => {
      fixture.app.db.update(developers).set(other).where(ofAccount).run();
    };
    const answer = await interruptHash(fixture, 'hash', interrupt, () => client.post(path(account.developer_id), body));
    expect(expectRefusal(answer, 403, 'permission_denied')).toEqual({ field: 'current_password' });
    expect(fixture.app.db.select().from(developers).where(ofAccount).get()).toMatchObject(other);
  });

  it('tries only a few of fifty simultaneous guesses', async () => {
    const account = await createAccount(fixture);
    const { client } = await signIn(fixture, account);
    const body = { current_password: 'not the password', new_password: NEW_PASSWORD };
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.post(path(account.developer_id), body)));
    expect(answers.filter((answer) => answer.status === 403)).toHaveLength(5);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(45);
  });

  it.each([
    [{ new_password: 'short' }, 'body.new_password: string_too_short'],
    [{ new_password: undefined }, 'body.new_password: missing'],
    [{ current_password: undefined }, 'body.current_password: missing'],
  ])('rejects %j', async (more, problem) => {
    const body = { current_password: fixture.admin.password, new_password: NEW_PASSWORD, ...more };
    const { client } = await signIn(fixture);
    expectInvalid(await client.post(path(fixture.admin.developer_id), body), problem);
  });

  it('requires the own, verified account and an interactive sign-in', async () => {
    const account = await createAccount(fixture);
    const unverified = await createAccount(fixture, { isVerified: false });
    const body = { current_password: unverified.password, new_password: NEW_PASSWORD };
    const { client } = await signIn(fixture, unverified);
    expectRefusal(await client.post(path(unverified.developer_id), body), 403, 'email_not_verified');
    const { client: other } = await signIn(fixture);
    expectRefusal(await other.post(path(account.developer_id), body), 404, 'not_found');
    expectRefusal(await anonymous().post(path(account.developer_id), body), 401, 'unauthorized');
  });

  it('requires a reset if there is no password', async () => {
    const person = await addPerson(fixture);
    const body = { current_password: 'anything at all', new_password: NEW_PASSWORD };
    expectRefusal(await person.client.post(path(person.id), body), 403, 'permission_denied');
    await ask(person.email);
    expect((await confirm(newestToken(fixture, person.email))).status).toBe(200);
    expect((await logIn(person.email, NEW_PASSWORD)).status).toBe(200);
  });
});
