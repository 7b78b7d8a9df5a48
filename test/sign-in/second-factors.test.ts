// Two-factor authentication: methods are only revealed after a correct password, each code works once, and failed attempts are
// delayed without locking anyone out permanently.

import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { challenges, developers } from '../../src/data/tables/tables.ts';
import { passwordsOf } from '../../src/developers/password.ts';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { removeAllFactors } from '../../src/second-factors/factors.ts';
import { waitAfter } from '../../src/second-factors/failed-attempts.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type RequestOptions, usePasskey } from '../support/authenticator.ts';
import {
  addOwner,
  addPasskeyOwner,
  addTotp,
  type Begun,
  beginLogin,
  codeOf,
  finishLogin,
  goToNextStep,
  login,
  originOf,
  stepUp,
  type Tokens,
} from '../support/factors.ts';
import {
  type Account,
  type Answer,
  api,
  auditMark,
  auditRows,
  comparable,
  expectInvalid,
  expectRefusal,
  type Json,
} from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const nextStep = () => goToNextStep(fixture);
const beginByPasskey = (mfa_token: string) =>
  api(fixture, null).post<Begun<RequestOptions>>('/api/v1/login/mfa/passkey/begin', { mfa_token });
const finishByPasskey = (challenge_id: string, credential: unknown) =>
  api(fixture, null).post<Tokens>('/api/v1/login/mfa/passkey/finish', { challenge_id, credential });

describe('the password', () => {
  it('returns the methods of the account, and no tokens', async () => {
    const { account } = await addTotp(fixture);
    const mark = auditMark(fixture);
    const answer = await login(fixture, account);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      mfa_required: true,
      mfa_token: expect.stringMatching(/^svc_mfa_[A-Za-z0-9_-]{43}$/),
      methods: ['totp', 'recovery_code'],
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    // Nobody has signed in yet.
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });

  it('returns passkeys, and recovery codes only while some are left', async () => {
    const owner = await addPasskeyOwner(fixture);
    expect((await login(fixture, owner.account)).body.methods).toEqual(['passkey']);
    const { recoveryCodes } = await addTotp(fixture, owner);
    expect((await login(fixture, owner.account)).body.methods).toEqual(['totp', 'recovery_code', 'passkey']);
    for (const code of recoveryCodes) {
      const token = await beginLogin(fixture, owner.account);
      expect((await finishLogin(fixture, token, code, 'recovery_code')).status).toBe(200);
    }
    expect((await login(fixture, owner.account)).body.methods).toEqual(['totp', 'passkey']);
  });

  it('reveals no methods if it is incorrect', async () => {
    const { account } = await addTotp(fixture);
    const plain = await addOwner(fixture);
    const wrong = { password: 'not this one' };
    const withFactor = await login(fixture, { ...account, ...wrong });
    expect(comparable(withFactor)).toEqual(comparable(await login(fixture, { ...plain.account, ...wrong })));
    expectRefusal(withFactor, 401, 'unauthorized');
  });

  it('is enough for an account without two-factor authentication', async () => {
    const { account, client } = await addOwner(fixture);
    for (const path of ['mfa/totp/begin', 'passkeys/register/begin']) {
      expect((await client.post(`/api/v1/${path}`, await stepUp(fixture, client))).status).toBe(200);
    }
    expect((await login(fixture, account)).body).toHaveProperty('access_token');
  });
});

describe('two-factor authentication with a code', () => {
  it('returns tokens like the password alone, and is recorded', async () => {
    const { account, secret } = await addTotp(fixture);
    const token = await beginLogin(fixture, account);
    const mark = auditMark(fixture);
    const answer = await finishLogin(fixture, token, codeOf(fixture, secret));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^eyJ/),
      refresh_token: expect.stringMatching(/^svc_ref_/),
      token_type: 'Bearer',
      expires_in: 600,
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'mfa_login_succeeded',
        type: 'developer',
        identifier: account.developer_id,
        actorKind: 'developer',
        details: { session_id: answer.body.session_id, method: 'totp' },
      },
    ]);
    expect((await api(fixture, answer.body.access_token).get('/api/v1/developers/me')).status).toBe(200);
    const { refresh_token } = answer.body;
    expect((await api(fixture, null).post('/api/v1/login/refresh', { refresh_token })).status).toBe(200);
  });

  it.each([-1, 0, 1])('accepts a code %i steps away', async (steps) => {
    const { account, secret } = await addTotp(fixture);
    nextStep();
    const answer = await finishLogin(fixture, await beginLogin(fixture, account), codeOf(fixture, secret, steps));
    expect(answer.status).toBe(200);
  });

  it.each([-3, -2, 2, 3])('rejects a code %i steps away', async (steps) => {
    const { account, secret } = await addTotp(fixture);
    fixture.clock.advance(5 * MINUTE);
    const answer = await finishLogin(fixture, await beginLogin(fixture, account), codeOf(fixture, secret, steps));
    expectRefusal(answer, 401, 'unauthorized');
  });

  it('accepts each code once, and none that is older than a used one', async () => {
    const { account, secret } = await addTotp(fixture);
    nextStep();
    const [before, now] = [codeOf(fixture, secret, -1), codeOf(fixture, secret)];
    expect((await finishLogin(fixture, await beginLogin(fixture, account), now)).status).toBe(200);
    for (const code of [now, before]) {
      expectRefusal(await finishLogin(fixture, await beginLogin(fixture, account), code), 401, 'unauthorized');
    }
    nextStep();
    const next = codeOf(fixture, secret);
    expect((await finishLogin(fixture, await beginLogin(fixture, account), next)).status).toBe(200);
  });

  it('accepts each recovery code once, in any spelling', async () => {
    const { account, recoveryCodes } = await addTotp(fixture);
    const [first = '', second = '', third = ''] = recoveryCodes;
    for (const code of [first, second.toLowerCase().replaceAll('-', ' '), ` ${third.replaceAll('-', '')} `]) {
      expect((await finishLogin(fixture, await beginLogin(fixture, account), code, 'recovery_code')).status).toBe(200);
    }
    for (const code of [first, second, third]) {
      const answer = await finishLogin(fixture, await beginLogin(fixture, account), code, 'recovery_code');
      expectRefusal(answer, 401, 'unauthorized');
    }
  });

  it('accepts no code as one of the other kind', async () => {
    const { account, secret, recoveryCodes } = await addTotp(fixture);
    const token = await beginLogin(fixture, account);
    expectRefusal(await finishLogin(fixture, token, recoveryCodes[0] ?? ''), 401, 'unauthorized');
    expectRefusal(await finishLogin(fixture, token, codeOf(fixture, secret), 'recovery_code'), 401, 'unauthorized');
    expect((await finishLogin(fixture, token, codeOf(fixture, secret))).status).toBe(200);
  });

  it('accepts no codes of other accounts', async () => {
    const [mine, theirs] = [await addTotp(fixture), await addTotp(fixture)];
    const token = await beginLogin(fixture, mine.account);
    expectRefusal(await finishLogin(fixture, token, codeOf(fixture, theirs.secret)), 401, 'unauthorized');
    const [code = ''] = theirs.recoveryCodes;
    expectRefusal(await finishLogin(fixture, token, code, 'recovery_code'), 401, 'unauthorized');
    expect((await finishLogin(fixture, await beginLogin(fixture, theirs.account), code, 'recovery_code')).status).toBe(
      200,
    );
  });

  it('is rejected with invalid fields', async () => {
    const send = (body: Json) => api(fixture, null).post('/api/v1/login/mfa', body);
    expectInvalid(await send({}), 'body.mfa_token: missing', 'body.method: missing', 'body.code: missing');
    expectInvalid(
      await send({ mfa_token: 'x'.repeat(513), method: 'passkey', code: 1 }),
      'body.mfa_token: string_too_long',
      'body.method: enum',
      'body.code: string_type',
    );
  });

  it('returns tokens in the way that the first request asked for', async () => {
    const { account, secret } = await addTotp(fixture);
    const token = await beginLogin(fixture, account, { cookies: true });
    const foreign = await api(fixture, null).send('POST', '/api/v1/login/mfa', {
      body: { mfa_token: token, method: 'totp', code: codeOf(fixture, secret) },
      headers: { origin: 'https://elsewhere.example' },
    });
    expectRefusal(foreign, 403, 'permission_denied');
    const answer = await finishLogin(fixture, token, codeOf(fixture, secret));
    expect(answer.body).toMatchObject({ access_token: null, refresh_token: null });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_access=eyJ.*; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^svc_refresh=svc_ref_.*; Path=\/api\/v1\/login; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
    ]);
  });
});

describe('the two-factor token', () => {
  async function expectDead(token: string, secret: string) {
    nextStep();
    expectRefusal(await finishLogin(fixture, token, codeOf(fixture, secret)), 401, 'unauthorized');
    expectRefusal(await beginByPasskey(token), 401, 'unauthorized');
  }
  const change = ({ developer_id }: Account, changes: Partial<typeof developers.$inferInsert>) =>
    fixture.app.db.update(developers).set(changes).where(eq(developers.id, developer_id)).run();

  it('is stored as a hash', async () => {
    const { account } = await addTotp(fixture);
    const token = await beginLogin(fixture, account);
    const rows = fixture.app.db.select().from(challenges).where(eq(challenges.developerId, account.developer_id)).all();
    expect(rows).toMatchObject([{ kind: 'mfa_login', tokenHash: fixture.app.secrets.hash(token), consumedAt: null }]);
    expect(JSON.stringify(rows)).not.toContain(token.slice(8));
  });

  it('works once', async () => {
    const { account, secret } = await addTotp(fixture);
    const token = await beginLogin(fixture, account);
    expect((await finishLogin(fixture, token, codeOf(fixture, secret))).status).toBe(200);
    await expectDead(token, secret);
  });

  it('expires after five minutes, and then consumes no codes', async () => {
    const { account, secret } = await addTotp(fixture);
    const [old, young] = [await beginLogin(fixture, account), await beginLogin(fixture, account)];
    fixture.clock.advance(5 * MINUTE - 10 * SECOND);
    expect((await finishLogin(fixture, young, codeOf(fixture, secret))).status).toBe(200);
    fixture.clock.advance(10 * SECOND);
    await expectDead(old, secret);
    const fresh = await beginLogin(fixture, account);
    expect((await finishLogin(fixture, fresh, codeOf(fixture, secret))).status).toBe(200);
  });

  it('cannot be guessed', async () => {
    const { secret } = await addTotp(fixture);
    for (const token of ['svc_mfa_x', fixture.admin.access_token.slice(0, 500), fixture.admin.refresh_token, 'null']) {
      await expectDead(token, secret);
    }
  });

  it('becomes invalid with the password, the lock of the account, and the removal of its methods', async () => {
    const { account, secret } = await addTotp(fixture);
    const { passwordHash } = fixture.app.db
      .select()
      .from(developers)
      .where(eq(developers.id, account.developer_id))
      .all()[0] ?? { passwordHash: null };
    const tokens = [await beginLogin(fixture, account), await beginLogin(fixture, account)];
    change(account, { passwordHash: await passwordsOf(fixture.app).hash('another one') });
    await expectDead(tokens[0] ?? '', secret);
    change(account, { passwordHash, lockedAt: fixture.clock.now().getTime() });
    await expectDead(tokens[0] ?? '', secret);
    change(account, { lockedAt: null });
    systemContext(fixture.app).transact((tx) => expect(removeAllFactors(tx, account.developer_id)).toBe(true));
    await expectDead(tokens[1] ?? '', secret);
    expect((await login(fixture, account)).body).toHaveProperty('access_token');
  });
});

describe('incorrect codes', () => {
  const guess = (token: string) => finishLogin(fixture, token, 'AAAA-AAAA-AAAA-AAAA', 'recovery_code');
  const waitOf = (answer: Answer<unknown>) => Number(answer.headers.get('retry-after'));

  it('are delayed: by two seconds after the fifth, doubling to fifteen minutes', () => {
    expect([0, 1, 4, 5, 6, 7, 13, 14, 15, 1000].map(waitAfter)).toEqual(
      [0, 0, 0, 2, 4, 8, 512, 900, 900, 900].map((seconds) => seconds * SECOND),
    );
  });

  it('are counted for the account, not for the token, and a correct password does not reset them', async () => {
    const { account, secret } = await addTotp(fixture);
    const mark = auditMark(fixture);
    for (let failures = 1; failures <= 5; failures += 1) {
      expectRefusal(await guess(await beginLogin(fixture, account)), 401, 'unauthorized');
    }
    const early = await guess(await beginLogin(fixture, account));
    expectRefusal(early, 429, 'rate_limit_exceeded');
    expect(waitOf(early)).toBe(2);
    // The right code has to wait like any other.
    const token = await beginLogin(fixture, account);
    expectRefusal(await finishLogin(fixture, token, codeOf(fixture, secret)), 429, 'rate_limit_exceeded');
    fixture.clock.advance(2 * SECOND);
    expectRefusal(await guess(token), 401, 'unauthorized');
    expect(waitOf(await guess(token))).toBe(4);
    fixture.clock.advance(4 * SECOND);
    expect((await finishLogin(fixture, token, codeOf(fixture, secret))).status).toBe(200);
    // What was shown forgives what was guessed.
    expectRefusal(await guess(await beginLogin(fixture, account)), 401, 'unauthorized');
    expectRefusal(await guess(await beginLogin(fixture, account)), 401, 'unauthorized');
    const failed = auditRows(fixture, { after: mark, identifier: account.developer_id }).filter(
      ({ event }) => event === 'login_failed',
    );
    expect(failed).toHaveLength(8);
    expect(failed[0]).toMatchObject({ actorKind: 'anonymous', details: { reason: 'wrong_recovery_code' } });
  });

  it('never lock the account permanently, and no other account', async () => {
    const { account, secret } = await addTotp(fixture);
    const bystander = await addTotp(fixture);
    for (let failures = 1; failures <= 20; failures += 1) {
      expectRefusal(await guess(await beginLogin(fixture, account)), 401, 'unauthorized');
      fixture.clock.advance(waitAfter(failures));
    }
    const theirs = await beginLogin(fixture, bystander.account);
    expect((await finishLogin(fixture, theirs, codeOf(fixture, bystander.secret))).status).toBe(200);
    const token = await beginLogin(fixture, account);
    expect((await finishLogin(fixture, token, codeOf(fixture, secret))).status).toBe(200);
  });

  it('are forgotten after a day without any', async () => {
    const { account } = await addTotp(fixture);
    for (let failures = 1; failures <= 5; failures += 1) await guess(await beginLogin(fixture, account));
    fixture.clock.advance(DAY);
    for (let failures = 1; failures <= 5; failures += 1) {
      expectRefusal(await guess(await beginLogin(fixture, account)), 401, 'unauthorized');
    }
    expect((await guess(await beginLogin(fixture, account))).status).toBe(429);
  });

  it('do not delay the passkey of the account, which cannot be guessed', async () => {
    const owner = await addPasskeyOwner(fixture);
    await addTotp(fixture, owner);
    for (let failures = 1; failures <= 6; failures += 1) await guess(await beginLogin(fixture, owner.account));
    const { body } = await beginByPasskey(await beginLogin(fixture, owner.account));
    const credential = usePasskey(originOf(fixture), owner.credential, body.options);
    expect((await finishByPasskey(body.challenge_id, credential)).status).toBe(200);
  });
});

describe('fifty simultaneous requests', () => {
  const crowd = <T>(work: (index: number) => Promise<T>) => Promise.all(Array.from({ length: 50 }, (_, i) => work(i)));
  const winners = (answers: Answer<unknown>[]) => answers.filter(({ status }) => status === 200).length;

  it('sign in once with one TOTP code', async () => {
    const { account, secret } = await addTotp(fixture);
    const tokens = await crowd(() => beginLogin(fixture, account));
    const code = codeOf(fixture, secret);
    const answers = await crowd((index) => finishLogin(fixture, tokens[index] ?? '', code));
    expect(winners(answers)).toBe(1);
    expect(answers.every(({ status }) => [200, 401, 429].includes(status))).toBe(true);
  });

  it('sign in once with one recovery code', async () => {
    const { account, recoveryCodes } = await addTotp(fixture);
    const tokens = await crowd(() => beginLogin(fixture, account));
    const answers = await crowd((index) =>
      finishLogin(fixture, tokens[index] ?? '', recoveryCodes[0] ?? '', 'recovery_code'),
    );
    expect(winners(answers)).toBe(1);
  });

  it('sign in once with one token and several correct codes', async () => {
    const { account, secret, recoveryCodes } = await addTotp(fixture);
    const token = await beginLogin(fixture, account);
    const codes = [codeOf(fixture, secret), ...recoveryCodes];
    const answers = await crowd((index) => {
      const code = codes[index % codes.length] ?? '';
      return finishLogin(fixture, token, code, code === codes[0] ? 'totp' : 'recovery_code');
    });
    expect(winners(answers)).toBe(1);
    const left = (await login(fixture, account)).body;
    expect(left.mfa_required).toBe(true);
  });

  it('get one attempt if one is due', async () => {
    const { account } = await addTotp(fixture);
    for (let failures = 1; failures <= 12; failures += 1) {
      await finishLogin(fixture, await beginLogin(fixture, account), 'wrong', 'recovery_code');
      fixture.clock.advance(waitAfter(failures));
    }
    const token = await beginLogin(fixture, account);
    const answers = await crowd(() => finishLogin(fixture, token, 'wrong', 'recovery_code'));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(49);
  });
});

describe('two-factor authentication with a passkey', () => {
  it('is available for the passkeys of the account, and returns tokens', async () => {
    const { account, credential } = await addPasskeyOwner(fixture);
    const token = await beginLogin(fixture, account);
    const begun = await beginByPasskey(token);
    expect(begun.status).toBe(200);
    expect(begun.body).toEqual({
      challenge_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      options: expect.objectContaining({
        rpId: 'localhost',
        challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        userVerification: 'required',
        allowCredentials: [{ id: credential.id, type: 'public-key', transports: ['internal', 'hybrid'] }],
      }),
    });
    const mark = auditMark(fixture);
    const assertion = usePasskey(originOf(fixture), credential, begun.body.options, { userHandle: null });
    const answer = await finishByPasskey(begun.body.challenge_id, assertion);
    expect(answer.status).toBe(200);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'mfa_login_succeeded', identifier: account.developer_id, details: { method: 'passkey' } },
    ]);
    expect((await api(fixture, answer.body.access_token).get('/api/v1/developers/me')).status).toBe(200);
    // Neither the challenge nor the token works again.
    expectRefusal(await finishByPasskey(begun.body.challenge_id, assertion), 401, 'unauthorized');
    expectRefusal(await beginByPasskey(token), 401, 'unauthorized');
  });

  it('becomes invalid with the sign-in that another method completed', async () => {
    const owner = await addPasskeyOwner(fixture);
    const { secret } = await addTotp(fixture, owner);
    const token = await beginLogin(fixture, owner.account);
    const { body } = await beginByPasskey(token);
    expect((await finishLogin(fixture, token, codeOf(fixture, secret))).status).toBe(200);
    const assertion = usePasskey(originOf(fixture), owner.credential, body.options);
    expectRefusal(await finishByPasskey(body.challenge_id, assertion), 401, 'unauthorized');
  });

  it('is rejected with a passkey of another account, and can be retried', async () => {
    const [mine, theirs] = [await addPasskeyOwner(fixture), await addPasskeyOwner(fixture)];
    const token = await beginLogin(fixture, mine.account);
    const { body } = await beginByPasskey(token);
    const foreign = usePasskey(originOf(fixture), theirs.credential, body.options);
    expectRefusal(await finishByPasskey(body.challenge_id, foreign), 401, 'unauthorized');
    const again = (await beginByPasskey(token)).body;
    const own = usePasskey(originOf(fixture), mine.credential, again.options);
    expect((await finishByPasskey(again.challenge_id, own)).status).toBe(200);
  });

  it('cannot be completed as a sign-in without password, or the reverse', async () => {
    const { account, credential } = await addPasskeyOwner(fixture);
    const { body } = await beginByPasskey(await beginLogin(fixture, account));
    const assertion = usePasskey(originOf(fixture), credential, body.options);
    const swapped = { challenge_id: body.challenge_id, credential: assertion };
    expectRefusal(await api(fixture, null).post('/api/v1/login/passkey/finish', swapped), 401, 'unauthorized');
    const open = await api(fixture, null).post<Begun<RequestOptions>>('/api/v1/login/passkey/begin');
    const other = usePasskey(originOf(fixture), credential, open.body.options);
    expectRefusal(await finishByPasskey(open.body.challenge_id, other), 401, 'unauthorized');
  });

  it('is not available for an account without passkeys', async () => {
    const { account } = await addTotp(fixture);
    expectRefusal(await beginByPasskey(await beginLogin(fixture, account)), 400, 'operation_not_allowed');
  });

  it('returns tokens in the way that the first request asked for', async () => {
    const { account, credential } = await addPasskeyOwner(fixture);
    const { body } = await beginByPasskey(await beginLogin(fixture, account, { cookies: true }));
    const answer = await finishByPasskey(body.challenge_id, usePasskey(originOf(fixture), credential, body.options));
    expect(answer.body).toMatchObject({ access_token: null, refresh_token: null });
    expect(answer.headers.getSetCookie()).toHaveLength(2);
  });
});

describe('secrets of two-factor authentication', () => {
  it('are in no log line, not even at the most detailed level', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    await using quiet = await startFixture();
    quiet.app.log = log;
    const owner = await addPasskeyOwner(quiet);
    const { account, secret, recoveryCodes } = await addTotp(quiet, owner);
    const token = await beginLogin(quiet, account);
    const code = codeOf(quiet, secret);
    await finishLogin(quiet, token, '000000');
    await finishLogin(quiet, token, recoveryCodes[0] ?? '', 'recovery_code');
    await finishLogin(quiet, await beginLogin(quiet, account), code);
    expect(lines.length).toBeGreaterThan(8);
    const text = lines.join('');
    for (const hidden of [token, secret, code, recoveryCodes[0] ?? '', account.password, owner.credential.id]) {
      expect(text.includes(hidden), 'a log line holds a secret').toBe(false);
    }
  });
});
