// Sign-up: the account, the verification link, and responses that reveal nothing about other accounts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markAddressVerified } from '../../src/accounts/email-verification.ts';
import { verifyAccount } from '../../src/accounts/operator-support.ts';
import { systemContext } from '../../src/core/transact.ts';
import { accountLinks, mailCooldowns, memberInvitations, totpFactors } from '../../src/data/tables/tables.ts';
import { mintLink } from '../../src/developers/links.ts';
import { findDeveloperByEmail, loadDeveloper, updateDeveloper } from '../../src/developers/store.ts';
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
import { countHashes, mailKinds, mailsTo, newestLink, newestToken } from '../support/mailbox.ts';

const PENDING = { status: 'verification_pending' };
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

let count = 0;
const newAddress = () => `newcomer-${++count}@example.com`;
const wish = (email: string, more: object = {}) => ({
  email,
  password: 'a long enough password',
  display_name: 'Nia Newcomer',
  ...more,
});
const anonymous = () => api(fixture, null);
const signUp = (email: string, more: object = {}) => anonymous().post('/api/v1/developers', wish(email, more));
const verify = (token: string) => anonymous().post('/api/v1/developers/verify_email', { token });
const sendForm = (path: string, fields: Record<string, string>) =>
  anonymous().send('POST', path, {
    rawBody: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

describe('signing up', () => {
  it('creates an account that can sign in and read, and write after its address is verified', async () => {
    const email = newAddress();
    const mark = auditMark(fixture);
    const answer = await signUp(`  ${email.toUpperCase()} `);
    expect([answer.status, answer.body]).toEqual([202, PENDING]);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'created', type: 'developer', actorKind: 'anonymous', details: { email, email_verified: false } },
    ]);

    const { client } = await signIn(fixture, wish(email));
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({
      email,
      email_verified: false,
      display_name: 'Nia Newcomer',
      is_operator: false,
    });
    expectRefusal(await client.post('/api/v1/organizations', { name: 'Quay' }), 403, 'email_not_verified');

    const before = auditMark(fixture);
    const verified = await verify(newestToken(fixture, email));
    expect([verified.status, verified.body]).toEqual([200, { status: 'verified' }]);
    expect(auditRows(fixture, { after: before })).toMatchObject([
      { event: 'email_verified', type: 'developer', details: { email, how: 'verification_link' } },
    ]);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({ email_verified: true });
    expect((await client.post('/api/v1/organizations', { name: 'Quay' })).status).toBe(201);
  });

  it('sends one email with a link in both parts and without a name', async () => {
    const email = newAddress();
    await signUp(email, { display_name: 'Click http://evil.example <now>' });
    const [message, ...others] = mailsTo(fixture, email);
    expect(others).toEqual([]);
    const link = newestLink(fixture, email);
    expect(link.href.startsWith(`${fixture.config.server.base_url}/api/v1/developers/verify_email?token=`)).toBe(true);
    expect(message?.html).toContain(`href="${link.href}"`);
    expect(`${message?.subject}${message?.text}${message?.html}`).not.toContain('evil');
    for (const body of [message?.text, message?.html]) expect(body).toContain('the account has read-only access.');
  });

  it.each([
    [{ email: 'nobody' }, 'body.email: string_pattern_mismatch'],
    [{ email: 'a@b.example\r\nBcc: c@d.example' }, 'body.email: string_pattern_mismatch'],
    [{ email: undefined }, 'body.email: missing'],
    [{ password: 'short' }, 'body.password: string_too_short'],
    [{ password: 'x'.repeat(1025) }, 'body.password: string_too_long'],
    [{ display_name: '' }, 'body.display_name: string_too_short'],
    [{ display_name: 'two\nlines' }, 'body.display_name: string_pattern_mismatch'],
  ])('rejects %j', async (more, problem) => {
    expectInvalid(await signUp(newAddress(), more), problem);
  });

  it('returns the same response for an address with an account, and emails its owner', async () => {
    const account = await createAccount(fixture);
    const mark = auditMark(fixture);
    const [known, unknown] = [await signUp(account.email), await signUp(newAddress())];
    expect(comparable(known)).toEqual(comparable(unknown));
    expect(mailKinds(fixture, account.email)).toEqual(['account_exists']);
    const { text } = await fixture.mail.waitFor(account.email);
    expect(text).toContain(`\nSign in:\n${fixture.config.server.base_url}/sign-in\n`);
    expect(auditRows(fixture, { after: mark, identifier: account.developer_id })).toMatchObject([
      {
        event: 'redundant_action',
        type: 'developer',
        developerId: account.developer_id,
        details: { action: 'sign_up' },
      },
    ]);
    // The account keeps its password and name.
    await signIn(fixture, account);
    await signUp(account.email);
    expect(mailKinds(fixture, account.email)).toEqual(['account_exists']);
  });

  it('takes one hash whether or not the address has an account', async () => {
    const account = await createAccount(fixture);
    const waiting = newAddress();
    await signUp(waiting);
    for (const email of [account.email, waiting, newAddress()]) {
      expect(await countHashes(fixture, () => signUp(email))).toBe(1);
    }
  });

  it('creates one account for fifty simultaneous sign-ups', async () => {
    const email = newAddress();
    const answers = await Promise.all(Array.from({ length: 50 }, () => signUp(email)));
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`))).toEqual(
      new Set([`202 ${JSON.stringify(PENDING)}`]),
    );
    expect(mailKinds(fixture, email)).toEqual(['verify_email']);
  });
});

describe('an email verification link', () => {
  it('opens a page, which does not consume the link', async () => {
    const email = newAddress();
    await signUp(email);
    const link = newestLink(fixture, email);
    const path = `${link.pathname}${link.search}`;
    for (let visit = 0; visit < 3; visit++) {
      const page = await anonymous().get(path);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
      expect(page.text).toContain('<form method="post" action="/api/v1/developers/verify_email">');
      expect(page.text).toContain(`<input type="hidden" name="token" value="${link.searchParams.get('token')}">`);
    }
    const done = await sendForm('/api/v1/developers/verify_email', { token: link.searchParams.get('token') ?? '' });
    expect([done.status, done.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(done.text).toContain('Email address confirmed');
    const dead = await anonymous().get(path);
    expect([dead.status, dead.text.includes('This link doesn’t work')]).toEqual([400, true]);
  });

  it('works once; the second use is rejected as JSON and on the page', async () => {
    const email = newAddress();
    await signUp(email);
    const token = newestToken(fixture, email);
    expect((await verify(token)).status).toBe(200);
    expect(expectRefusal(await verify(token), 400, 'invalid_input')).toEqual({ field: 'token' });
    const page = await sendForm('/api/v1/developers/verify_email', { token });
    expect([page.status, page.text.includes('This link doesn’t work')]).toEqual([400, true]);
  });

  it('expires after 24 hours', async () => {
    const [early, late] = [newAddress(), newAddress()];
    await signUp(early);
    fixture.clock.advance(MINUTE);
    await signUp(late);
    fixture.clock.advance(24 * HOUR - MINUTE);
    expectRefusal(await verify(newestToken(fixture, early)), 400, 'invalid_input');
    expect((await verify(newestToken(fixture, late))).status).toBe(200);
  });

  it.each(['', 'unknown', 'x'.repeat(513)])('is rejected as %j', async (token) => {
    const answer = await verify(token);
    expect(answer.status).toBe(400);
    const page = await anonymous().get('/api/v1/developers/verify_email', { token });
    expect(page.status).toBe(400);
  });

  it('never shows its input as markup', async () => {
    const page = await anonymous().get('/api/v1/developers/verify_email', { token: '"><script>alert(1)</script>' });
    expect(page.text).not.toContain('<script');
  });

  it('succeeds once for fifty simultaneous requests', async () => {
    const email = newAddress();
    await signUp(email);
    const token = newestToken(fixture, email);
    const mark = auditMark(fixture);
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(token)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(49);
    expect(auditRows(fixture, { after: mark })).toHaveLength(1);
  });

  it('is stored only as a hash', async () => {
    const email = newAddress();
    await signUp(email);
    const token = newestToken(fixture, email);
    expect(JSON.stringify(fixture.app.db.select().from(accountLinks).all())).not.toContain(token);
  });

  it('is invalid for other kinds of links', async () => {
    const email = newAddress();
    await signUp(email);
    const token = newestToken(fixture, email);
    const body = { token, new_password: 'another long password' };
    expectRefusal(await anonymous().post('/api/v1/login/password_reset/confirm', body), 400, 'invalid_input');
    expectRefusal(await anonymous().post('/api/v1/developers/change_email/confirm', { token }), 400, 'invalid_input');
    expect((await verify(token)).status).toBe(200);
  });
});

describe('resending the link', () => {
  const resend = (email: string) => anonymous().post('/api/v1/developers/resend_verification', { email });

  it('returns the same response for every address', async () => {
    const waiting = newAddress();
    await signUp(waiting);
    const verified = await createAccount(fixture);
    const answers = [await resend(waiting), await resend(verified.email), await resend(newAddress())].map(comparable);
    expect(answers[0]).toMatchObject({ status: 202, text: JSON.stringify(PENDING) });
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(mailKinds(fixture, verified.email)).toEqual([]);
  });

  it('sends nothing within five minutes and leaves the earlier link valid, then sends another', async () => {
    const email = newAddress();
    await signUp(email);
    const first = newestToken(fixture, email);
    fixture.clock.advance(5 * MINUTE - 1000);
    expect((await resend(email)).status).toBe(202);
    expect((await signUp(email)).status).toBe(202);
    expect(mailKinds(fixture, email)).toEqual(['verify_email']);
    fixture.clock.advance(2000);
    await resend(email);
    expect(mailKinds(fixture, email)).toEqual(['verify_email', 'verify_email']);
    expect(newestToken(fixture, email)).not.toBe(first);
    expect((await verify(first)).status).toBe(200);
    expectRefusal(await verify(newestToken(fixture, email)), 400, 'invalid_input');
  });

  it('sends one email for fifty simultaneous requests', async () => {
    const email = newAddress();
    await signUp(email);
    fixture.clock.advance(6 * MINUTE);
    await Promise.all(Array.from({ length: 50 }, () => resend(email)));
    expect(mailKinds(fixture, email)).toEqual(['verify_email', 'verify_email']);
  });

  it('does not suppress a later sign-up of an address without an account', async () => {
    const email = newAddress();
    await resend(email);
    expect(fixture.app.db.select().from(mailCooldowns).all()).toContainEqual(
      expect.objectContaining({ kind: 'verify_email', recipient: email }),
    );
    await signUp(email);
    expect(mailKinds(fixture, email)).toEqual(['verify_email']);
  });
});

describe('a repeated sign-up with the same password', () => {
  it.each([
    ['after the first', async (email: string) => [await signUp(email), await signUp(email, { display_name: 'Nia' })]],
    ['at the same time', (email: string) => Promise.all([signUp(email), signUp(email), signUp(email)])],
  ] as const)('%s changes nothing, and the password works', async (_when, send) => {
    const email = newAddress();
    const mark = auditMark(fixture);
    const answers = await send(email);
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([202, PENDING]);
    expect(auditRows(fixture, { after: mark }).map(({ event }) => event)).toEqual([
      'created',
      ...answers.slice(1).map(() => 'redundant_action'),
    ]);
    expect(mailKinds(fixture, email)).toEqual(['verify_email']);

    const { client } = await signIn(fixture, wish(email));
    const before = auditMark(fixture);
    expect((await verify(newestToken(fixture, email))).status).toBe(200);
    expect(auditRows(fixture, { after: before })).toMatchObject([
      { event: 'email_verified', details: { email, how: 'verification_link' } },
    ]);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({ display_name: 'Nia Newcomer' });
    await signIn(fixture, wish(email));
    expect(mailKinds(fixture, email)).toEqual(['verify_email']);
  });

  it('after another one with a different password does not settle which of them is right', async () => {
    const email = newAddress();
    await signUp(email);
    await signUp(email, { password: 'chosen by a stranger' });
    await signUp(email);
    expect((await verify(newestToken(fixture, email))).status).toBe(200);
    for (const password of [wish(email).password, 'chosen by a stranger']) {
      expectRefusal(await anonymous().post('/api/v1/login', { email, password }), 401, 'unauthorized');
    }
    expect(mailKinds(fixture, email)).toEqual(['verify_email', 'password_reset']);
  });
});

describe('an address that someone else signed up', () => {
  it.each([
    ['the older', 0],
    ['the newer', 1],
  ])('has no password when %s link of two sign-ups verifies it, and all earlier access ends', async (_which, index) => {
    for (const order of [
      ['chosen by a stranger', 'chosen by the owner'],
      ['chosen by the owner', 'chosen by a stranger'],
    ] as const) {
      const email = newAddress();
      await signUp(email, { password: order[0], display_name: 'First' });
      const first = await signIn(fixture, { email, password: order[0] });
      fixture.clock.advance(6 * MINUTE);
      await signUp(email, { password: order[1] });
      // Before the owner reads the email nothing has changed.
      expect((await first.client.get('/api/v1/developers/me')).body).toMatchObject({ display_name: 'First' });
      const links = mailsTo(fixture, email).map(({ text }) => /\?token=(\S+)/.exec(text)?.[1] ?? '');
      expect(links).toHaveLength(2);

      const mark = auditMark(fixture);
      expect((await verify(links[index] ?? '')).status).toBe(200);
      expect(auditRows(fixture, { after: mark }).map((row) => [row.event, row.details.how])).toEqual([
        ['all_sessions_revoked', undefined],
        ['email_verified', 'later_sign_up'],
      ]);
      expect((await first.client.get('/api/v1/developers/me')).status).toBe(401);
      for (const password of order) {
        expectRefusal(await anonymous().post('/api/v1/login', { email, password }), 401, 'unauthorized');
      }
      expect(mailKinds(fixture, email)).toEqual(['verify_email', 'verify_email', 'password_reset']);
      const chosen = { token: newestToken(fixture, email), new_password: 'chosen from the mailbox' };
      expect((await anonymous().post('/api/v1/login/password_reset/confirm', chosen)).status).toBe(200);
      const owner = await signIn(fixture, { email, password: 'chosen from the mailbox' });
      expect((await owner.client.get('/api/v1/developers/me')).body).toMatchObject({
        display_name: email.split('@')[0],
        email_verified: true,
      });
    }
  });

  it('has no password when the operator verifies it', async () => {
    const email = newAddress();
    await signUp(email, { password: 'chosen by a stranger' });
    await signUp(email, { password: 'chosen by the owner' });
    expect(verifyAccount(systemContext(fixture.app), email)).toMatchObject({ changed: true, password_ended: true });
    for (const password of ['chosen by a stranger', 'chosen by the owner']) {
      expectRefusal(await anonymous().post('/api/v1/login', { email, password }), 401, 'unauthorized');
    }
    expect(verifyAccount(systemContext(fixture.app), email)).toMatchObject({ changed: false });
  });

  it('has no password when a resent link verifies it, but gets a link to set one', async () => {
    for (const order of [
      ['chosen by a stranger', 'chosen by the owner'],
      ['chosen by the owner', 'chosen by a stranger'],
    ]) {
      const email = newAddress();
      for (const password of order) {
        await signUp(email, { password });
        fixture.clock.advance(6 * MINUTE);
      }
      await anonymous().post('/api/v1/developers/resend_verification', { email });
      fixture.clock.advance(20 * HOUR);
      await fixture.sweep('sessions');
      // Sent once more, long after: it is still not known who chose what.
      await anonymous().post('/api/v1/developers/resend_verification', { email });
      expect((await verify(newestToken(fixture, email))).status).toBe(200);
      for (const password of order) {
        expectRefusal(await anonymous().post('/api/v1/login', { email, password }), 401, 'unauthorized');
      }
      expect(mailKinds(fixture, email).at(-1)).toBe('password_reset');
      const chosen = { token: newestToken(fixture, email), new_password: 'chosen from the mailbox' };
      expect((await anonymous().post('/api/v1/login/password_reset/confirm', chosen)).status).toBe(200);
      await signIn(fixture, { email, password: 'chosen from the mailbox' });
    }
  });

  it('has no password when an earlier link verifies it after another sign-up', async () => {
    const email = newAddress();
    await signUp(email, { password: 'chosen by a stranger' });
    await signUp(email, { password: 'chosen by the owner' });
    expect(mailKinds(fixture, email)).toEqual(['verify_email']);
    expect((await verify(newestToken(fixture, email))).status).toBe(200);
    for (const password of ['chosen by a stranger', 'chosen by the owner']) {
      expectRefusal(await anonymous().post('/api/v1/login', { email, password }), 401, 'unauthorized');
    }
    expect(mailKinds(fixture, email)).toEqual(['verify_email', 'password_reset']);
    const chosen = { token: newestToken(fixture, email), new_password: 'chosen from the mailbox' };
    expect((await anonymous().post('/api/v1/login/password_reset/confirm', chosen)).status).toBe(200);
    await signIn(fixture, { email, password: 'chosen from the mailbox' });
  });

  it('gets a link to set a password although an earlier one was just sent, which no longer works', async () => {
    const email = newAddress();
    await signUp(email, { password: 'chosen by a stranger' });
    const link = newestToken(fixture, email);
    await signUp(email, { password: 'chosen by the owner' });
    await anonymous().post('/api/v1/login/password_reset', { email });
    await fixture.drain();
    const earlier = newestToken(fixture, email);
    expect((await verify(link)).status).toBe(200);
    expect(mailKinds(fixture, email)).toEqual(['verify_email', 'password_reset', 'password_reset']);
    const confirm = (token: string) =>
      anonymous().post('/api/v1/login/password_reset/confirm', { token, new_password: 'chosen from the mailbox' });
    expectRefusal(await confirm(earlier), 400, 'invalid_input');
    expect((await confirm(newestToken(fixture, email))).status).toBe(200);
    // It counts for the cooldown.
    await anonymous().post('/api/v1/login/password_reset', { email });
    await fixture.drain();
    expect(mailKinds(fixture, email).filter((kind) => kind === 'password_reset')).toHaveLength(2);
  });

  it('is available again when its account waits for deletion and was never verified', async () => {
    const email = newAddress();
    await signUp(email, { password: 'chosen by a stranger' });
    // As earlier versions let an unverified account do.
    const kept = systemContext(fixture.app).transact(
      (tx) => {
        const { id } = findDeveloperByEmail(tx, email) ?? { id: '' };
        updateDeveloper(tx, id, { lockedAt: tx.now, deletionDueAt: tx.now + HOUR });
        return mintLink(tx, { kind: 'cancel_deletion', developerId: id, email, lifetimeMs: HOUR });
      },
      { bookkeeping: true },
    );
    fixture.clock.advance(6 * MINUTE);

    const mark = auditMark(fixture);
    expect((await signUp(email, { password: 'chosen by the owner' })).body).toEqual(PENDING);
    expect(auditRows(fixture, { after: mark }).map((row) => [row.type, row.event])).toEqual([
      ['developer', 'deleted'],
      ['developer', 'created'],
    ]);
    expectRefusal(await anonymous().post('/api/v1/developers/cancel_deletion', { token: kept }), 400, 'invalid_input');
    expect((await verify(newestToken(fixture, email))).status).toBe(200);
    await signIn(fixture, { email, password: 'chosen by the owner' });
  });

  it.each([
    ['a password reset', 'password_reset'],
    ['single sign-on', 'saml'],
    ['a later sign-up', 'later_sign_up'],
  ] as const)(
    'loses password, sessions, two-factor methods and links when it is first verified by %s',
    async (_way, how) => {
      const email = newAddress();
      await signUp(email);
      const { client } = await signIn(fixture, wish(email));
      const { body } = await client.get<{ identifier: string }>('/api/v1/developers/me');
      const now = fixture.clock.now().getTime();
      fixture.app.db
        .insert(totpFactors)
        .values({ developerId: body.identifier, secretEncrypted: 'x', confirmedAt: now, createdAt: now })
        .run();
      systemContext(fixture.app).transact((tx) => markAddressVerified(tx, loadDeveloper(tx, body.identifier), how));
      expect(loadDeveloper(fixture.app, body.identifier)).toMatchObject({
        passwordHash: null,
        totpEnabledAt: null,
        emailVerifiedAt: expect.any(Number),
      });
      expect(fixture.app.db.select().from(totpFactors).all()).toEqual([]);
      expect((await client.get('/api/v1/developers/me')).status).toBe(401);
      expectRefusal(await verify(newestToken(fixture, email)), 400, 'invalid_input');
    },
  );

  it('keeps them when its own link or the operator verifies it, and when it was already verified', async () => {
    for (const how of ['verification_link', 'operator'] as const) {
      const email = newAddress();
      await signUp(email);
      const { client } = await signIn(fixture, wish(email));
      const { body } = await client.get<{ identifier: string }>('/api/v1/developers/me');
      const prove = (way: typeof how | 'saml') =>
        systemContext(fixture.app).transact((tx) => markAddressVerified(tx, loadDeveloper(tx, body.identifier), way));
      prove(how);
      const mark = auditMark(fixture);
      prove('saml');
      expect(auditRows(fixture, { after: mark })).toEqual([]);
      expect((await client.get('/api/v1/developers/me')).status).toBe(200);
    }
  });
});

describe('an account with an unverified address', () => {
  it('can neither export its data nor delete itself', async () => {
    const email = newAddress();
    await signUp(email);
    const { client } = await signIn(fixture, wish(email));
    const { identifier } = (await client.get<{ identifier: string }>('/api/v1/developers/me')).body;
    const path = `/api/v1/developers/${identifier}`;
    const mark = auditMark(fixture);
    expectRefusal(await client.post(`${path}/exports`), 403, 'email_not_verified');
    const proof = { current_password: wish(email).password };
    expectRefusal(await client.send('DELETE', path, { body: proof }), 403, 'email_not_verified');
    expectRefusal(await client.send('DELETE', path), 403, 'email_not_verified');
    expect((await client.get<{ items: unknown[] }>(`${path}/exports`)).body.items).toEqual([]);
    expect(auditRows(fixture, { after: mark })).toEqual([]);
    await verify(newestToken(fixture, email));
    expect((await client.post(`${path}/exports`)).status).toBe(202);
    expect((await client.send('DELETE', path, { body: proof })).status).toBe(204);
  });
});

describe('with the sign-up mode', () => {
  it('closed, everyone gets the same rejection', async () => {
    await using closed = await startFixture({ config: { accounts: { signup: 'closed' } } });
    const client = api(closed, null);
    for (const email of [closed.admin.email, newAddress()]) {
      const cost = await countHashes(closed, async () => {
        expectRefusal(await client.post('/api/v1/developers', wish(email)), 400, 'operation_not_allowed');
      });
      expect(cost).toBe(0);
    }
    expect(closed.mail.messages).toEqual([]);
    expect((await client.get('/api/v1/service')).body).toMatchObject({ features: { signup: 'closed' } });
  });

  it('invited, only people with an open invitation get an account, and nobody learns who has one', async () => {
    await using closed = await startFixture({ config: { accounts: { signup: 'invited' } } });
    const client = api(closed, null);
    const now = closed.clock.now().getTime();
    const invite = (email: string, more: Partial<typeof memberInvitations.$inferInsert> = {}) =>
      closed.app.db
        .insert(memberInvitations)
        .values({
          id: closed.app.ids.next(),
          organizationId: closed.organization_id,
          email,
          role: 'member',
          tokenHash: closed.app.ids.next(),
          createdAt: now,
          sentAt: now,
          expiresAt: now + HOUR,
          ...more,
        })
        .run();
    const [invited, lapsed, accepted, uninvited] = [newAddress(), newAddress(), newAddress(), newAddress()];
    invite(invited);
    invite(lapsed, { expiresAt: now });
    invite(accepted, { acceptedAt: now });
    const answers: string[] = [];
    const mark = auditMark(closed);
    for (const email of [invited, lapsed, accepted, uninvited, uninvited, closed.admin.email, closed.admin.email]) {
      const cost = await countHashes(closed, async () => {
        const answer = await client.post('/api/v1/developers', wish(email));
        answers.push(JSON.stringify(comparable(answer)));
      });
      expect(cost).toBe(1);
    }
    expect(new Set(answers).size).toBe(1);
    // A response waits for the disk only if something was written, so each of them writes.
    expect(auditRows(closed, { after: mark }).map(({ event, developerId }) => [event, developerId])).toEqual([
      ['created', expect.any(String)],
      ...Array(4).fill(['redundant_action', null]),
      ...Array(2).fill(['redundant_action', closed.admin.developer_id]),
    ]);
    expect(closed.mail.messages.map((message) => message.to)).toEqual([invited, closed.admin.email]);
    const login = { email: uninvited, password: wish(uninvited).password };
    expectRefusal(await client.post('/api/v1/login', login), 401, 'unauthorized');
  });
});
