// Changing the email address of an account: step-up and verification.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developers } from '../../src/data/tables/tables.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { SENDS_MAIL } from '../support/email-sign-in.ts';
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
import { addPerson } from '../support/people.ts';

const CONFIRM = '/api/v1/developers/change_email/confirm';
const PENDING = { status: 'verification_pending' };
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

let count = 0;
const newAddress = () => `moved-${++count}@example.com`;
const path = (id: string) => `/api/v1/developers/${id}/change_email`;
const confirm = (token: string) => api(fixture, null).post(CONFIRM, { token });

async function signedIn(wanted: Parameters<typeof createAccount>[1] = {}) {
  const account = await createAccount(fixture, wanted);
  const { client } = await signIn(fixture, account);
  const ask = (newEmail: string, more: object = {}) =>
    client.post(path(account.developer_id), { new_email: newEmail, current_password: account.password, ...more });
  return { account, client, ask };
}

describe('changing the address', () => {
  it('takes effect when the new address is verified, and notifies the old one', async () => {
    const { account, client, ask } = await signedIn();
    const email = newAddress();
    const asked = await ask(email.toUpperCase());
    expect([asked.status, asked.body]).toEqual([202, PENDING]);
    expect(mailKinds(fixture, email)).toEqual(['change_email']);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({ email: account.email });

    const mark = auditMark(fixture);
    const done = await confirm(newestToken(fixture, email));
    expect([done.status, done.body]).toEqual([200, { status: 'email_changed' }]);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'edited',
        type: 'developer',
        developerId: account.developer_id,
        details: { fields: ['email'], email: { from: account.email, to: email } },
      },
      { event: 'email_verified', type: 'developer', details: { email, how: 'email_change' } },
    ]);
    expect(mailKinds(fixture, account.email)).toEqual(['email_changed']);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({ email, email_verified: true });
    await signIn(fixture, { email, password: account.password });
    const old = await api(fixture, null).post('/api/v1/login', { email: account.email, password: account.password });
    expectRefusal(old, 401, 'unauthorized');
  });

  it('returns the same response if another account has the address, and sends nothing', async () => {
    const taken = await createAccount(fixture);
    const { ask } = await signedIn();
    const answers: unknown[] = [];
    for (const email of [taken.email, newAddress()]) {
      const cost = await countHashes(fixture, async () => answers.push(comparable(await ask(email))));
      expect(cost).toBe(1);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(mailsTo(fixture, taken.email)).toEqual([]);
  });

  it('sends one email in five minutes per address; the earlier link stays valid', async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    const email = newAddress();
    await first.ask(email);
    expect((await second.ask(email)).body).toEqual(PENDING);
    expect(mailKinds(fixture, email)).toEqual(['change_email']);
    fixture.clock.advance(5 * MINUTE + 1000);
    const { client } = await signIn(fixture, second.account);
    const body = { new_email: email, current_password: second.account.password };
    await client.post(path(second.account.developer_id), body);
    expect(mailKinds(fixture, email)).toEqual(['change_email', 'change_email']);
  });

  it('succeeds for only one of two accounts with links for the same address', async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    const email = newAddress();
    await first.ask(email);
    const firstToken = newestToken(fixture, email);
    fixture.clock.advance(6 * MINUTE);
    await second.ask(email);
    const tokens = [firstToken, newestToken(fixture, email)];
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => confirm(tokens[index % 2] ?? '')));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(fixture.app.db.select().from(developers).where(eq(developers.email, email)).all()).toHaveLength(1);
  });

  it('works once, within 24 hours', async () => {
    const { ask } = await signedIn();
    const [used, expired] = [newAddress(), newAddress()];
    await ask(used);
    await ask(expired);
    const usedToken = newestToken(fixture, used);
    expect((await confirm(usedToken)).status).toBe(200);
    expect(expectRefusal(await confirm(usedToken), 400, 'invalid_input')).toEqual({ field: 'token' });
    // With the first, the other links of the account ended.
    expectRefusal(await confirm(newestToken(fixture, expired)), 400, 'invalid_input');
    const other = await signedIn();
    const late = newAddress();
    await other.ask(late);
    fixture.clock.advance(24 * HOUR);
    expectRefusal(await confirm(newestToken(fixture, late)), 400, 'invalid_input');
  });

  it('is canceled by a new password', async () => {
    const { account, ask } = await signedIn();
    const email = newAddress();
    await ask(email);
    await api(fixture, null).post('/api/v1/login/password_reset', { email: account.email });
    const body = { token: newestToken(fixture, account.email), new_password: 'the owner is back again' };
    expect((await api(fixture, null).post('/api/v1/login/password_reset/confirm', body)).status).toBe(200);
    expectRefusal(await confirm(newestToken(fixture, email)), 400, 'invalid_input');
  });

  it('can be requested again immediately if a new password ended the link, but only once in five minutes', async () => {
    const { account, client, ask } = await signedIn();
    const other = await signedIn();
    const email = newAddress();
    let password = account.password;
    const changePassword = async () => {
      const body = { current_password: password, new_password: `another long password ${++count}` };
      const changed = await client.post(`/api/v1/developers/${account.developer_id}/change_password`, body);
      expect(changed.status).toBe(204);
      password = body.new_password;
    };
    await ask(email);
    await changePassword();
    expectRefusal(await confirm(newestToken(fixture, email)), 400, 'invalid_input');
    const again = await ask(email, { current_password: password });
    expect([again.status, again.body]).toEqual([202, PENDING]);
    expect(mailKinds(fixture, email)).toEqual(['change_email', 'change_email']);

    // Nobody can send any number of emails to a stranger's address in this way, not even with several accounts.
    await changePassword();
    expect((await ask(email, { current_password: password })).body).toEqual(PENDING);
    expect((await other.ask(email)).body).toEqual(PENDING);
    expect(mailKinds(fixture, email)).toEqual(['change_email', 'change_email']);
    fixture.clock.advance(5 * MINUTE);
    await ask(email, { current_password: password });
    expect(mailKinds(fixture, email)).toEqual(['change_email', 'change_email', 'change_email']);
    expect((await confirm(newestToken(fixture, email))).status).toBe(200);
  });

  it('leaves the cooldown of a later link to the same address', async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    const email = newAddress();
    await first.ask(email);
    fixture.clock.advance(6 * MINUTE);
    await second.ask(email);
    const body = { current_password: first.account.password, new_password: 'the first one is secured' };
    await first.client.post(`/api/v1/developers/${first.account.developer_id}/change_password`, body);
    await second.ask(email);
    expect(mailKinds(fixture, email)).toEqual(['change_email', 'change_email']);
    expect((await confirm(newestToken(fixture, email))).status).toBe(200);
  });

  it('is confirmed on a page with a button', async () => {
    const { ask } = await signedIn();
    const email = newAddress();
    await ask(email);
    const link = newestLink(fixture, email);
    expect(link.pathname).toBe(CONFIRM);
    const page = await api(fixture, null).get(`${link.pathname}${link.search}`);
    expect([page.status, page.text.includes(`<form method="post" action="${CONFIRM}">`)]).toEqual([200, true]);
    const done = await api(fixture, null).send('POST', CONFIRM, {
      rawBody: new URLSearchParams({ token: link.searchParams.get('token') ?? '' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([done.status, done.text.includes('Email address changed')]).toEqual([200, true]);
  });
});

describe('the step-up', () => {
  it('requires the password of an account without two-factor authentication', async () => {
    const { ask } = await signedIn();
    const email = newAddress();
    expectRefusal(await ask(email, { current_password: 'not the password' }), 403, 'permission_denied');
    expectInvalid(await ask(email, { current_password: undefined }), 'body.current_password: missing');
    expect(mailsTo(fixture, email)).toEqual([]);
  });

  it('requires the password and a code if an authenticator app is enrolled', async () => {
    const { account, ask } = await signedIn();
    fixture.app.db.update(developers).set({ totpEnabledAt: 1 }).where(eq(developers.id, account.developer_id)).run();
    expectInvalid(await ask(newAddress()), 'body.mfa_code: missing');
    expectRefusal(await ask(newAddress(), { mfa_code: '000000' }), 403, 'permission_denied');
  });

  it('requires the password and a passkey if that is the only two-factor method', async () => {
    const { account, ask } = await signedIn();
    fixture.app.db.update(developers).set({ passkeyCount: 1 }).where(eq(developers.id, account.developer_id)).run();
    expectInvalid(await ask(newAddress()), 'body.passkey_challenge_id: missing', 'body.passkey_assertion: missing');
  });

  it('is impossible for an account without any sign-in method', async () => {
    const person = await addPerson(fixture);
    const email = newAddress();
    const body = { new_email: email, current_password: '' };
    expectRefusal(await person.client.post(path(person.id), body), 403, 'permission_denied');
    expect(mailKinds(fixture, email)).toEqual([]);
  });
});

describe('a change of address is rejected', () => {
  it('for an invalid address and for the current one', async () => {
    const { account, ask } = await signedIn();
    expectInvalid(await ask('nobody'), 'body.new_email: string_pattern_mismatch');
    expectInvalid(await ask('a@b.example,c@d.example'), 'body.new_email: string_pattern_mismatch');
    expectInvalid(await ask(account.email), 'body.new_email: value_error');
  });

  it('for another account, for an unverified account, and without a sign-in', async () => {
    const { account } = await signedIn();
    const unverified = await signedIn({ isVerified: false });
    expectRefusal(await unverified.ask(newAddress()), 403, 'email_not_verified');
    const { client } = await signIn(fixture);
    const body = { new_email: newAddress(), current_password: fixture.admin.password };
    expectRefusal(await client.post(path(account.developer_id), body), 404, 'not_found');
    expectRefusal(await api(fixture, null).post(path(account.developer_id), body), 401, 'unauthorized');
  });
});

describe('changes to ever new addresses', () => {
  it('are refused after the emails of a day, the same for an address with an account', async () => {
    const emails = { requests: 2, per_seconds: 86_400 };
    const world = await startFixture({
      config: {
        mail: SENDS_MAIL,
        rate_limits: { enabled: true, emails },
      },
    });
    try {
      const [account, taken] = [await createAccount(world), await createAccount(world)];
      const { client } = await signIn(world, account);
      const ask = (email: string) =>
        client.post(path(account.developer_id), { new_email: email, current_password: account.password });
      const [first, second, third] = [taken.email, newAddress(), newAddress()];
      expect([(await ask(first)).status, (await ask(second)).status]).toEqual([202, 202]);
      for (const email of [third, taken.email]) {
        const refused = await ask(email);
        expectRefusal(refused, 429, 'rate_limit_exceeded');
        expect(refused.headers.get('retry-after')).toBe('43200');
      }
      expect([mailKinds(world, second), mailKinds(world, third)]).toEqual([['change_email'], []]);
    } finally {
      await world.stop();
    }
  });
});
