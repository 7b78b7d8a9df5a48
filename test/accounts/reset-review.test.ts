// The review after a password reset lists additions since the last known good sign-in, which the owner removes or keeps.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developers, personalAccessTokens } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Credential, usePasskey } from '../support/authenticator.ts';
import {
  addPasskeyOwner,
  addTotp,
  type Begun,
  beginLogin,
  beginPasskeyLogin,
  codeOf,
  finishLogin,
  finishPasskeyLogin,
  goToNextStep,
  login,
  type Owner,
  originOf,
  register,
  rememberProofs,
} from '../support/factors.ts';
import {
  type Account,
  api,
  auditMark,
  auditRows,
  createAccount,
  expectInvalid,
  expectRefusal,
  type Json,
  signIn,
} from '../support/harness.ts';
import { mailKinds, newestToken } from '../support/mailbox.ts';

const NEW_PASSWORD = 'a staple that is new';
const RESET = '/api/v1/login/password_reset';
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

interface Listed extends Json {
  added: { kind: string; identifier: string; name: string | null; added_at: string }[];
  review_token: string | null;
}

const anonymous = () => api(fixture, null);
const review = (body: Json) => anonymous().post<Listed & { removed: number }>(`${RESET}/review`, body);

async function resetLink({ email }: Account): Promise<string> {
  fixture.clock.advance(6 * MINUTE);
  await anonymous().post(RESET, { email });
  return newestToken(fixture, email, /Reset your password/);
}

async function reset(account: Account): Promise<Listed> {
  const body = { token: await resetLink(account), new_password: NEW_PASSWORD };
  const answer = await anonymous().post<Listed>(`${RESET}/confirm`, body);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function passkeyLogin(credential: Credential) {
  const { challenge_id, options } = await beginPasskeyLogin(fixture);
  return finishPasskeyLogin(fixture, challenge_id, usePasskey(originOf(fixture), credential, options));
}

/** Signs in with the new password and a passkey as second factor. */
async function passkeyAsSecond(account: Account, credential: Credential) {
  const mfa_token = await beginLogin(fixture, { ...account, password: NEW_PASSWORD });
  const { body } = await anonymous().post<Begun<never>>('/api/v1/login/mfa/passkey/begin', { mfa_token });
  const { challenge_id, options } = body;
  const answer = { challenge_id, credential: usePasskey(originOf(fixture), credential, options) };
  return anonymous().post('/api/v1/login/mfa/passkey/finish', answer);
}

/** An owner whose password is known to a thief, who has added a passkey and a token with it. */
async function robbed() {
  const account = await createAccount(fixture, { organizationName: 'Robbed' });
  const thief = await signIn(fixture, account);
  rememberProofs(thief.client, { account });
  const { credential, answer } = await register(fixture, thief.client, {}, { name: 'Stolen' });
  expect(answer.status).toBe(201);
  fixture.clock.advance(1);
  const organizations = await thief.client.get<{ identifier: string }[]>('/api/v1/organizations');
  const query = { organization_id: organizations.body[0]?.identifier };
  const token = await thief.client.post<{ identifier: string; token: string }>(
    '/api/v1/pats',
    { name: 'CI', scopes: 1 },
    query,
  );
  expect(token.status).toBe(201);
  return { account, credential, passkeyId: answer.body.identifier, token: token.body };
}

describe('a password reset', () => {
  it('lists additions newest first, and an added passkey no longer signs in alone', async () => {
    const { account, credential, passkeyId, token } = await robbed();
    expect((await passkeyLogin(credential)).status).toBe(200);
    const { added, review_token } = await reset(account);
    expect(added).toEqual([
      {
        kind: 'personal_access_token',
        identifier: token.identifier,
        name: 'CI',
        added_at: expect.stringMatching(/Z$/),
      },
      { kind: 'passkey', identifier: passkeyId, name: 'Stolen', added_at: expect.stringMatching(/Z$/) },
    ]);
    expect(review_token).toMatch(/^[\w-]{40,}$/);
    const mark = auditMark(fixture);
    expectRefusal(await passkeyLogin(credential), 401, 'unauthorized');
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'login_failed', developerId: account.developer_id, details: { reason: 'passkey_suspended' } },
    ]);
  });

  it('lists nothing if nothing was added', async () => {
    const account = await createAccount(fixture);
    expect(await reset(account)).toMatchObject({ added: [], review_token: null });
  });

  it('lists an authenticator app and its recovery codes', async () => {
    const { account } = await addTotp(fixture);
    const { added } = await reset(account);
    expect(added.map(({ kind, identifier }) => [kind, identifier]).sort()).toEqual([
      ['recovery_codes', 'recovery_codes'],
      ['totp', 'totp'],
    ]);
  });
});

describe('a review', () => {
  it('deletes the selected additions, notifies the owner, records it and keeps the others', async () => {
    const { account, passkeyId, token } = await robbed();
    const { review_token } = await reset(account);
    const mark = auditMark(fixture);
    const first = await review({ review_token, remove: [passkeyId] });
    expect([first.status, first.body]).toEqual([
      200,
      {
        status: 'reviewed',
        removed: 1,
        added: [expect.objectContaining({ identifier: token.identifier })],
        review_token: expect.any(String),
      },
    ]);
    expect(first.body.review_token).not.toBe(review_token);
    expect(expectRefusal(await review({ review_token, keep_rest: true }), 400, 'invalid_input')).toEqual({
      field: 'review_token',
    });
    const second = await review({ review_token: first.body.review_token, remove: token.identifier });
    expect(second.body).toEqual({ status: 'reviewed', removed: 1, added: [], review_token: null });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'passkey_removed',
        developerId: account.developer_id,
        actorKind: 'anonymous',
        details: { passkey_id: passkeyId, name: 'Stolen' },
      },
      { event: 'revoked', type: 'pat', identifier: token.identifier },
      { event: 'edited', identifier: account.developer_id, details: { action: 'additions_kept' } },
    ]);
    expect(mailKinds(fixture, account.email).slice(-1)).toEqual(['passkey_removed']);
    expectRefusal(await api(fixture, token.token).get('/api/v1/organizations'), 401, 'unauthorized');
    const signedIn = await login(fixture, { ...account, password: NEW_PASSWORD });
    expect(signedIn.body).toHaveProperty('access_token');
  });

  it('can delete everything: the owner signs in although an attacker added a two-factor method', async () => {
    const owner = await addTotp(fixture);
    const { review_token } = await reset(owner.account);
    const account = { ...owner.account, password: NEW_PASSWORD };
    expect((await login(fixture, account)).body).toMatchObject({ mfa_required: true });
    expect((await review({ review_token, remove_all: true })).body).toMatchObject({ removed: 2, review_token: null });
    expect((await login(fixture, account)).body).toHaveProperty('access_token');
  });

  it('can keep additions: the next reset does not list them', async () => {
    const { account, credential } = await robbed();
    const { review_token } = await reset(account);
    expect((await review({ review_token, keep_rest: true })).body).toMatchObject({ removed: 0, review_token: null });
    expect((await passkeyLogin(credential)).status).toBe(200);
    expect(await reset(account)).toMatchObject({ added: [], review_token: null });
    expect((await passkeyLogin(credential)).status).toBe(200);
  });

  it('lists at most two hundred tokens, and the others after these are removed or at the next reset', async () => {
    const { account, token } = await robbed();
    const { ids, db } = fixture.app;
    const row = db.select().from(personalAccessTokens).where(eq(personalAccessTokens.id, token.identifier)).get();
    if (row === undefined) throw new Error('The token is gone');
    const copies = Array.from({ length: 200 }, () => ({ ...row, id: ids.next(), tokenHash: ids.next() }));
    db.insert(personalAccessTokens).values(copies).run();
    const listed = ({ added }: Listed) =>
      added.filter(({ kind }) => kind === 'personal_access_token').map(({ identifier }) => identifier);
    const newest = copies.map(({ id }) => id);
    const first = await reset(account);
    expect(listed(first).toSorted()).toEqual(newest);
    // What wasn't listed isn't known after a review that keeps the rest.
    const kept = await review({ review_token: first.review_token, remove: newest[0], keep_rest: true });
    expect(kept.body).toMatchObject({ removed: 1, added: [], review_token: null });
    expect(listed(await reset(account)).toSorted()).toEqual([token.identifier, ...newest.slice(1)]);
    db.update(personalAccessTokens)
      .set({ revokedAt: null })
      .where(eq(personalAccessTokens.id, newest[0] ?? ''))
      .run();
    const { review_token } = await reset(account);
    const { body: rest } = await review({ review_token, remove_all: true });
    expect(rest).toMatchObject({ removed: 201, added: [{ identifier: token.identifier }] });
    expect((await review({ review_token: rest.review_token, remove_all: true })).body).toMatchObject({ removed: 1 });
    expect(await reset(account)).toMatchObject({ added: [], review_token: null });
  });

  it('rejects unlisted items and deletes nothing', async () => {
    const { account, passkeyId } = await robbed();
    const theirs = await addPasskeyOwner(fixture);
    const { review_token } = await reset(account);
    for (const remove of [[passkeyId, theirs.passkeyId], ['totp'], [fixture.app.ids.next()]]) {
      expect(expectRefusal(await review({ review_token, remove }), 400, 'invalid_input')).toEqual({ field: 'remove' });
    }
    expect((await review({ review_token, remove: ['everything'] })).status).toBe(400);
    expectInvalid(await review({}), 'body.review_token: missing');
    for (const nothing of [{}, { remove: [] }, { remove_all: false, keep_rest: false }]) {
      expectInvalid(await review({ review_token, ...nothing }), 'body.remove: missing');
    }
    expect((await review({ review_token, remove: [passkeyId] })).body).toMatchObject({ removed: 1 });
  });

  it('works for an hour, and not after another password reset', async () => {
    const { account } = await robbed();
    const { review_token } = await reset(account);
    const { review_token: newer } = await reset(account);
    expectRefusal(await review({ review_token, keep_rest: true }), 400, 'invalid_input');
    const change = (values: Partial<typeof developers.$inferSelect>) =>
      fixture.app.db.update(developers).set(values).where(eq(developers.id, account.developer_id)).run();
    // The person who reads the new address, or who deletes the account, isn't the one who reset the password.
    for (const [values, former] of [
      [{ email: `new.${account.email}` }, { email: account.email }],
      [{ lockedAt: 1 }, { lockedAt: null }],
    ]) {
      change(values ?? {});
      expectRefusal(await review({ review_token: newer, keep_rest: true }), 400, 'invalid_input');
      change(former ?? {});
    }
    fixture.clock.advance(HOUR);
    expectRefusal(await review({ review_token: newer, keep_rest: true }), 400, 'invalid_input');
    expectRefusal(await review({ review_token: 'unknown', keep_rest: true }), 400, 'invalid_input');
  });

  it('succeeds for only one of several simultaneous requests', async () => {
    const { account, passkeyId } = await robbed();
    const { review_token } = await reset(account);
    const answers = await Promise.all(Array.from({ length: 20 }, () => review({ review_token, remove: [passkeyId] })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is a page with buttons', async () => {
    const { account, passkeyId } = await robbed();
    const send = (path: string, fields: Record<string, string>) =>
      anonymous().send('POST', path, {
        rawBody: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const page = await send(`${RESET}/confirm`, { token: await resetLink(account), new_password: NEW_PASSWORD });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Your password is set');
    expect(page.text).toMatch(/Passkey “Stolen”, added \w{3} \d+, \d{4}/);
    const review_token = /name="review_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const next = await send(`${RESET}/review`, { review_token, remove: passkeyId });
    expect(next.status).toBe(200);
    expect(next.text).not.toContain('Stolen');
    expect(next.text).toContain('Personal access token “CI”');
    const again = /name="review_token" value="([^"]+)"/.exec(next.text)?.[1] ?? '';
    const german = await anonymous().send('POST', `${RESET}/review`, {
      rawBody: new URLSearchParams({ review_token: 'unknown', keep_rest: 'true' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'de' },
    });
    expect(german.text).toContain('<h1>Diese Seite ist abgelaufen</h1>');
    const done = await send(`${RESET}/review`, { review_token: again, keep_rest: 'true' });
    expect([done.status, done.text.includes('Review complete')]).toEqual([200, true]);
    const dead = await send(`${RESET}/review`, { review_token: again, keep_rest: 'true' });
    expect([dead.status, dead.text.includes('This page has expired')]).toEqual([400, true]);
  });
});

describe('a known good sign-in', () => {
  const knownGoodAt = (account: Account) =>
    fixture.app.db.select().from(developers).where(eq(developers.id, account.developer_id)).get()?.knownGoodAt;

  /** An owner who has reviewed their authenticator app. */
  async function settled(): Promise<{ owner: Owner & { secret: string }; account: Account }> {
    const owner = await addTotp(fixture);
    const { review_token } = await reset(owner.account);
    await review({ review_token, keep_rest: true });
    return { owner, account: { ...owner.account, password: NEW_PASSWORD } };
  }

  it('uses a method that was known before; earlier additions are no longer listed', async () => {
    const { owner, account } = await settled();
    const before = knownGoodAt(account);
    goToNextStep(fixture);
    const token = await beginLogin(fixture, account);
    const { body } = await finishLogin(fixture, token, codeOf(fixture, owner.secret));
    expect(knownGoodAt(account)).toBeGreaterThan(before ?? 0);
    goToNextStep(fixture);
    const client = api(fixture, body.access_token);
    rememberProofs(client, { account, secret: owner.secret });
    expect((await register(fixture, client, {}, { name: 'Later' })).answer.status).toBe(201);
    expect((await reset(account)).added.map(({ name }) => name)).toEqual(['Later']);
  });

  it('uses a method that is thirty days old', async () => {
    const { account, secret } = await addTotp(fixture);
    const enter = async () => {
      goToNextStep(fixture);
      const token = await beginLogin(fixture, account);
      expect((await finishLogin(fixture, token, codeOf(fixture, secret))).status).toBe(200);
    };
    fixture.clock.advance(30 * DAY - HOUR);
    await enter();
    expect(knownGoodAt(account)).toBeNull();
    fixture.clock.advance(2 * HOUR);
    await enter();
    expect(knownGoodAt(account)).toBe(fixture.clock.now().getTime());
    // So a mailbox alone doesn't get around it.
    expect(await reset(account)).toMatchObject({ added: [], review_token: null });
    expect((await login(fixture, { ...account, password: NEW_PASSWORD })).body).toMatchObject({ mfa_required: true });
  });

  it('is not one with a password alone or with a new method', async () => {
    const { account, credential } = await robbed();
    fixture.clock.advance(MINUTE);
    expect((await passkeyLogin(credential)).status).toBe(200);
    expect(knownGoodAt(account)).toBeNull();
    const { added } = await reset(account);
    expect(added.map(({ name }) => name)).toEqual(['CI', 'Stolen']);
  });

  it('is not one with a suspended passkey after the new password, which then signs in alone again', async () => {
    const { account, credential } = await robbed();
    await reset(account);
    expectRefusal(await passkeyLogin(credential), 401, 'unauthorized');
    expect((await passkeyAsSecond(account, credential)).status).toBe(200);
    expect(knownGoodAt(account)).toBeNull();
    expect((await passkeyLogin(credential)).status).toBe(200);
  });
});
