// Step-ups: changes require authentication with the existing methods.

import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DeveloperContext } from '../../src/core/context.ts';
import { createContext, systemContext } from '../../src/core/transact.ts';
import { developers, guessCounters } from '../../src/data/tables/tables.ts';
import { passwordsOf } from '../../src/developers/password.ts';
import { authenticate } from '../../src/http/credentials.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { AppError } from '../../src/lib/errors.ts';
import { waitAfter } from '../../src/second-factors/failed-attempts.ts';
import type { StepUpFields } from '../../src/second-factors/schema.ts';
import { requireStepUp } from '../../src/second-factors/step-up.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Credential, type Deviation, type RequestOptions, usePasskey } from '../support/authenticator.ts';
import {
  addOwner,
  addPasskeyOwner,
  addTotp,
  assertPasskey,
  type Begun,
  beginLogin,
  codeOf,
  finishLogin,
  goToNextStep,
  originOf,
} from '../support/factors.ts';
import {
  type Account,
  type Answer,
  api,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
} from '../support/harness.ts';
import { addPerson } from '../support/people.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const disable = (client: Client, body: Json) => client.post('/api/v1/mfa/disable', body);

/** The context of a request made with an access token. */
async function contextOf(token: string): Promise<DeveloperContext> {
  const { app } = fixture;
  const actor = await authenticate(app, { token, isFromCookie: false });
  if (actor.kind !== 'developer') throw new Error('The token is of no session');
  return Object.assign(createContext(app, actor, systemContext(app).request), { actor });
}

/** What a step-up answers: `passed`, or the code of the refusal. */
async function stepUp(token: string, fields: StepUpFields): Promise<string> {
  try {
    await requireStepUp(await contextOf(token), fields);
    return 'passed';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code;
  }
}

const beginByPasskey = (client: Client, id: string): Promise<Answer<Begun<RequestOptions>>> =>
  client.post<Begun<RequestOptions>>(`/api/v1/developers/${id}/change_email/passkey/begin`);

const assertion = (client: Client, id: string, credential: Credential, deviation: Deviation = {}) =>
  assertPasskey(fixture, client, { developer_id: id } as Account, credential, deviation);

describe('a session that ends during its step-up', () => {
  it.each<[string, (token: string, account: Account) => Promise<unknown>]>([
    ['is signed out everywhere', (token) => api(fixture, token).delete('/api/v1/sessions')],
    ['has its account locked', async (_token, { developer_id: id }) => lock(id)],
  ])('changes nothing when it %s', async (_how, end) => {
    const { account, accessToken } = await addOwner(fixture);
    const ctx = await contextOf(accessToken);
    const passwords = passwordsOf(fixture.app);
    const slow = {
      ...passwords,
      verify: async (...given: Parameters<typeof passwords.verify>) => {
        const isRight = await passwords.verify(...given);
        await end(accessToken, account);
        return isRight;
      },
    };
    const fields = { current_password: account.password };
    const attempt = requireStepUp(
      Object.assign(ctx, { parts: new Map(ctx.parts).set(passwordsOf, slow) }),
      fields,
    ).then(() => 'passed');
    await expect(attempt).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('changes nothing if it ends between the step-up and the change', async () => {
    const { account, accessToken, client } = await addOwner(fixture);
    const stepped = await requireStepUp(await contextOf(accessToken), { current_password: account.password });
    expect((await client.delete('/api/v1/sessions')).status).toBe(204);
    const facts = { identifier: account.developer_id, organizationId: null };
    const change = () => stepped.transact((tx) => tx.record('passkey.registered', facts));
    expect(change).toThrow(expect.objectContaining({ code: 'unauthorized' }));
  });

  function lock(id: string): void {
    const { app } = fixture;
    app.db.update(developers).set({ lockedAt: app.clock.now().getTime() }).where(eq(developers.id, id)).run();
  }
});

describe('a step-up of an account with an authenticator app', () => {
  it('requires password and code, and lists the missing fields', async () => {
    const { account, client, secret } = await addTotp(fixture);
    const { password } = account;
    const code = codeOf(fixture, secret);
    expectInvalid(await disable(client, {}), 'body.current_password: missing', 'body.mfa_code: missing');
    expectInvalid(await disable(client, { current_password: password }), 'body.mfa_code: missing');
    expectInvalid(await disable(client, { mfa_code: code, current_password: null }), 'body.current_password: missing');
    expectInvalid(
      await disable(client, { current_password: '', mfa_code: '', passkey_challenge_id: 'x', passkey_assertion: 'x' }),
      'body.current_password: string_too_short',
      'body.mfa_code: string_too_short',
      'body.passkey_challenge_id: uuid_parsing',
      'body.passkey_assertion: dict_type',
    );
    expect((await disable(client, { current_password: password, mfa_code: code })).status).toBe(204);
  });

  it('rejects an incorrect password and an incorrect code, and notifies the owner', async () => {
    const { account, client, secret } = await addTotp(fixture);
    const mark = auditMark(fixture);
    const code = codeOf(fixture, secret);
    const wrongPassword = await disable(client, { current_password: 'not this', mfa_code: code });
    expectRefusal(wrongPassword, 403, 'permission_denied');
    const wrongCode = await disable(client, { current_password: account.password, mfa_code: '000000' });
    expectRefusal(wrongCode, 403, 'permission_denied');
    expect(auditRows(fixture, { after: mark })).toMatchObject(
      ['step_up_wrong_password', 'step_up_wrong_code'].map((reason) => ({
        event: 'login_failed',
        identifier: account.developer_id,
        actorKind: 'developer',
        details: { reason },
      })),
    );
    // A wrong password leaves the code unused.
    expect((await disable(client, { current_password: account.password, mfa_code: code })).status).toBe(204);
  });

  it('accepts a recovery code instead of the app’s, once', async () => {
    const { account, accessToken: token, recoveryCodes } = await addTotp(fixture);
    const fields = { current_password: account.password, mfa_code: recoveryCodes[1] };
    expect(await stepUp(token, fields)).toBe('passed');
    expect(await stepUp(token, fields)).toBe('permission_denied');
  });

  it('accepts no code twice, for any purpose', async () => {
    const { account, accessToken: token, secret } = await addTotp(fixture);
    const code = codeOf(fixture, secret);
    expect(await stepUp(token, { current_password: account.password, mfa_code: code })).toBe('passed');
    const answer = await finishLogin(fixture, await beginLogin(fixture, account), code);
    expectRefusal(answer, 401, 'unauthorized');
    goToNextStep(fixture);
    const next = codeOf(fixture, secret);
    expect((await finishLogin(fixture, await beginLogin(fixture, account), next)).status).toBe(200);
    expect(await stepUp(token, { current_password: account.password, mfa_code: next })).toBe('permission_denied');
  });

  it('does not require a passkey too', async () => {
    const owner = await addPasskeyOwner(fixture);
    const { secret } = await addTotp(fixture, owner);
    const body = { current_password: owner.account.password, mfa_code: codeOf(fixture, secret) };
    expect((await disable(owner.client, body)).status).toBe(204);
  });
});

describe('failed step-ups', () => {
  it('are delayed together with those of the sign-in, also if simultaneous', async () => {
    const { account, accessToken, secret } = await addTotp(fixture);
    const wrong = { current_password: 'not this', mfa_code: '000000' };
    for (let failures = 1; failures <= 12; failures += 1) {
      expectRefusal(await disable(await freshClient(), wrong), 403, 'permission_denied');
      fixture.clock.advance(waitAfter(failures));
    }
    const current = await freshClient();
    const answers = await Promise.all(Array.from({ length: 50 }, () => disable(current, wrong)));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(49);
    const right = { current_password: account.password, mfa_code: codeOf(fixture, secret) };
    const early = await disable(current, right);
    expectRefusal(early, 429, 'rate_limit_exceeded');
    expect(Number(early.headers.get('retry-after'))).toBe(512);
    const signingIn = await finishLogin(fixture, await beginLogin(fixture, account), codeOf(fixture, secret));
    expectRefusal(signingIn, 429, 'rate_limit_exceeded');
    fixture.clock.advance(512 * SECOND);
    const later = await freshClient();
    expect((await disable(later, { ...right, mfa_code: codeOf(fixture, secret) })).status).toBe(204);

    /** The session continues while its access token grew old. */
    async function freshClient(): Promise<Client> {
      const { developer_id: developerId, email } = account;
      const sessionId = String(decodeJwt(accessToken).sid);
      return api(fixture, await fixture.app.accessTokens.issue({ developerId, email, sessionId }));
    }
  });

  it('count only if the password was verified, not if too many wait', async () => {
    const { account, client, secret } = await addTotp(fixture);
    const right = () => ({ current_password: account.password, mfa_code: codeOf(fixture, secret) });
    for (let failures = 1; failures <= 5; failures += 1) {
      expectRefusal(await disable(client, { ...right(), current_password: 'not this' }), 403, 'permission_denied');
    }
    const counter = () =>
      fixture.app.db.select().from(guessCounters).where(eq(guessCounters.developerId, account.developer_id)).all();
    const before = counter();
    expect(before).toMatchObject([{ failures: 5 }]);
    fixture.clock.advance(2 * SECOND);
    const full = new AppError('rate_limit_exceeded', 'Too many concurrent sign-ins. Try again');
    const verify = vi.spyOn(passwordsOf(fixture.app), 'verify').mockRejectedValueOnce(full);
    expectRefusal(await disable(client, right()), 429, 'rate_limit_exceeded');
    verify.mockRestore();
    expect(counter()).toEqual(before);
    expect((await disable(client, right())).status).toBe(204);
    expect(counter()).toEqual([]);
  });

  it('do not succeed while another request uses the only code', async () => {
    const { account, client, secret } = await addTotp(fixture);
    const body = { current_password: account.password, mfa_code: codeOf(fixture, secret) };
    const answers = await Promise.all(Array.from({ length: 50 }, () => disable(client, body)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  });
});

describe('a step-up of an account without two-factor authentication', () => {
  it('requires the password', async () => {
    const { account, accessToken: token } = await addOwner(fixture);
    expect(await stepUp(token, {})).toBe('validation_error');
    expect(await stepUp(token, { current_password: 'not this' })).toBe('permission_denied');
    expect(await stepUp(token, { current_password: account.password })).toBe('passed');
  });

  it('is rejected without a password and an identity provider', async () => {
    const person = await addPerson(fixture);
    const answer = await person.client.post('/api/v1/mfa/totp/begin');
    expect(expectRefusal(answer, 403, 'permission_denied')).toEqual({ reason: 'nothing_to_verify' });
    expectRefusal(await person.client.post('/api/v1/passkeys/register/begin'), 403, 'permission_denied');
  });
});

describe('a step-up of an account with only passkeys', () => {
  it('requires password and passkey', async () => {
    const { account, client, accessToken: token, credential } = await addPasskeyOwner(fixture);
    const id = account.developer_id;
    const { password } = account;
    const attempt = async (fields: StepUpFields) => stepUp(token, { current_password: password, ...fields });
    expect(await attempt({})).toBe('validation_error');
    expect(await attempt(await assertion(client, id, credential, { isUnverified: true }))).toBe('permission_denied');
    const right = await assertion(client, id, credential);
    expect(await attempt({ ...right, current_password: 'not this' })).toBe('permission_denied');
    expect(await attempt(right)).toBe('passed');
    expect(await attempt(right)).toBe('permission_denied');
    expect(await attempt(await assertion(client, id, credential))).toBe('passed');
  });

  it('accepts a recovery code instead of a lost passkey, once, and no other code', async () => {
    const { account, client, accessToken: token, credential } = await addPasskeyOwner(fixture);
    const { password: current_password } = account;
    const body = { current_password, ...(await assertion(client, account.developer_id, credential)) };
    const renewed = await client.post<{ recovery_codes: string[] }>('/api/v1/mfa/recovery-codes', body);
    const [mfa_code = ''] = renewed.body.recovery_codes;
    expect(await stepUp(token, { current_password, mfa_code: '123456' })).toBe('permission_denied');
    expect(await stepUp(token, { current_password: 'not this', mfa_code })).toBe('permission_denied');
    expect(await stepUp(token, { current_password, mfa_code })).toBe('passed');
    expect(await stepUp(token, { current_password, mfa_code })).toBe('permission_denied');
  });

  it('rejects an assertion of another account, of a sign-in, or older than five minutes', async () => {
    const [mine, theirs] = [await addPasskeyOwner(fixture), await addPasskeyOwner(fixture)];
    const id = mine.account.developer_id;
    const { accessToken: token } = mine;
    const attempt = async (fields: StepUpFields) =>
      stepUp(token, { current_password: mine.account.password, ...fields });
    expect(await attempt(await assertion(mine.client, id, theirs.credential))).toBe('permission_denied');
    const foreign = await assertion(theirs.client, theirs.account.developer_id, theirs.credential);
    expect(await attempt(foreign)).toBe('permission_denied');
    const login = await api(fixture, null).post<Begun<RequestOptions>>('/api/v1/login/passkey/begin');
    const ofLogin = usePasskey(originOf(fixture), mine.credential, login.body.options) as never;
    expect(await attempt({ passkey_challenge_id: login.body.challenge_id, passkey_assertion: ofLogin })).toBe(
      'permission_denied',
    );
    const late = await assertion(mine.client, id, mine.credential);
    fixture.clock.advance(5 * MINUTE);
    expect(await attempt(late)).toBe('permission_denied');
  });

  it('is started by its owner, for the passkeys of the account', async () => {
    const { account, client, credential } = await addPasskeyOwner(fixture);
    const { status, body } = await beginByPasskey(client, account.developer_id);
    expect(status).toBe(200);
    expect(body.options).toMatchObject({
      rpId: 'localhost',
      userVerification: 'required',
      allowCredentials: [{ id: credential.id }],
    });
    expectRefusal(await beginByPasskey(client, fixture.admin.developer_id), 404, 'not_found');
    expectRefusal(await beginByPasskey(api(fixture, null), account.developer_id), 401, 'unauthorized');
    const without = await addOwner(fixture);
    const refused = await beginByPasskey(without.client, without.account.developer_id);
    expectRefusal(refused, 400, 'operation_not_allowed');
  });
});
