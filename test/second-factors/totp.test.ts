// Authenticator apps and recovery codes: enrollment, display and storage.
import { eq } from 'drizzle-orm';
import { ScureBase32Plugin } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recoveryCodes as recoveryCodeRows, totpFactors } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { encodeBase32 } from '../../src/second-factors/base32.ts';
import { findTotpStep, loadOtp } from '../../src/second-factors/codes.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  addOwner,
  addPasskeyOwner,
  addTotp,
  beginLogin,
  codeOf,
  finishLogin,
  goToNextStep,
  login,
  stepUp,
  type Tokens,
} from '../support/factors.ts';
import {
  api,
  auditMark,
  auditRows,
  type Client,
  createAccount,
  expectInvalid,
  expectRefusal,
  signIn,
} from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const BEGIN = '/api/v1/mfa/totp/begin';
const CONFIRM = '/api/v1/mfa/totp/confirm';
interface Begun {
  secret: string;
  otpauth_uri: string;
  expires_at: string;
}

const begin = async (client: Client) => client.post<Begun>(BEGIN, await stepUp(fixture, client));
const renew = async (client: Client) =>
  client.post<{ recovery_codes: string[] }>('/api/v1/mfa/recovery-codes', await stepUp(fixture, client));

describe('a code of an authenticator app', () => {
  // RFC 6238 appendix B, SHA-1; the six digits that apps show are the last of its eight.
  const secret = encodeBase32(Buffer.from('12345678901234567890'));
  it.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [1_111_111_111, '050471', 37_037_037],
    [1_234_567_890, '005924', 41_152_263],
    [2_000_000_000, '279037', 66_666_666],
    [20_000_000_000, '353130', 666_666_666],
  ])('at second %i is %s, of step %i', async (second, code, step) => {
    const otp = await loadOtp();
    const at = (offset: number, lastStep = 0) =>
      findTotpStep(otp, secret, code, { now: (second + offset) * SECOND, lastStep });
    expect(at(0)).toBe(step);
    expect(at(-30)).toBe(step);
    expect(at(30)).toBe(step);
    expect(at(60)).toBeUndefined();
    if (second > 60) expect(at(-60)).toBeUndefined();
    expect(at(0, step - 1)).toBe(step);
    expect(at(0, step)).toBeUndefined();
    // A clock that was set back: steps that were used lie in the future.
    expect(at(0, step + 100)).toBeUndefined();
  });

  it.each([
    '287-082',
    '28 70 82',
    '2 87082',
    '287  082',
    '+287082',
    '287.082',
    '0x287082',
    '',
    '28708',
    '2870822',
    '28708a',
    '２８７０８２',
    '-87082',
    '287082\n1',
    'null',
  ])('is not %j, which is handled without an error', async (code) => {
    expect(findTotpStep(await loadOtp(), secret, code, { now: 59 * SECOND, lastStep: 0 })).toBeUndefined();
  });

  it.each(['287 082', ' 287082 ', '287\u00a0082', '287082\n'])('can be entered as %j', async (code) => {
    expect(findTotpStep(await loadOtp(), secret, code, { now: 59 * SECOND, lastStep: 0 })).toBe(1);
  });

  it('works again after a clock that was ahead is corrected, once', async () => {
    await using own = await startFixture();
    const { account, secret: shared } = await addTotp(own);
    const finish = async () => (await finishLogin(own, await beginLogin(own, account), codeOf(own, shared))).status;
    own.clock.jump(30 * DAY);
    expect(await finish()).toBe(200);
    own.clock.jump(-30 * DAY);
    goToNextStep(own);
    expect([await finish(), await finish()]).toEqual([200, 401]);
    goToNextStep(own);
    expect(await finish()).toBe(200);
  });

  it('has a secret in the base32 of RFC 4648', () => {
    const vectors = {
      '': '',
      f: 'MY',
      fo: 'MZXQ',
      foo: 'MZXW6',
      foob: 'MZXW6YQ',
      fooba: 'MZXW6YTB',
      foobar: 'MZXW6YTBOI',
    };
    for (const [text, expected] of Object.entries(vectors)) expect(encodeBase32(Buffer.from(text))).toBe(expected);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    expect(encodeBase32(bytes)).toBe(new ScureBase32Plugin().encode(bytes).replace(/=+$/, ''));
  });
});

describe('enrolling an authenticator app', () => {
  it('starts with a secret and its address, and changes nothing yet', async () => {
    const { account, client } = await addOwner(fixture);
    const { status, body } = await begin(client);
    expect(status).toBe(200);
    expect(body).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauth_uri: expect.any(String),
      expires_at: new Date(Date.parse(body.expires_at)).toISOString(),
    });
    const uri = new URL(body.otpauth_uri);
    expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(uri.pathname)).toBe(`/Taxiway:${account.email}`);
    expect(uri.searchParams.get('secret')).toBe(body.secret);
    expect(uri.searchParams.get('issuer')).toBe('Taxiway');
    expect((await login(fixture, account)).body).toHaveProperty('access_token');
  });

  it('is confirmed with a code, and returns ten recovery codes', async () => {
    const { account, client } = await addOwner(fixture);
    const mark = auditMark(fixture);
    const { body } = await begin(client);
    const confirmed = await client.post<{ recovery_codes: string[] }>(CONFIRM, { code: codeOf(fixture, body.secret) });
    expect(confirmed.status).toBe(200);
    const { recovery_codes } = confirmed.body;
    expect(confirmed.body).toEqual({
      recovery_codes: Array(10).fill(expect.stringMatching(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)),
    });
    expect(new Set(recovery_codes).size).toBe(10);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'mfa_enabled', type: 'developer', identifier: account.developer_id, details: { method: 'totp' } },
    ]);
    expect((await client.get('/api/v1/mfa')).body).toEqual({
      enabled: true,
      totp_enabled: true,
      totp_enabled_at: expect.stringMatching(/Z$/),
      offers_passkey: false,
      passkey_count: 0,
      recovery_codes_remaining: 10,
      methods: ['totp', 'recovery_code'],
      step_up: { current_password: true, mfa_code: true, passkey: false, email_code: false, single_sign_on: null },
    });
  });

  it('consumes the confirming code', async () => {
    const { account, client } = await addOwner(fixture);
    const { body } = await begin(client);
    const code = codeOf(fixture, body.secret);
    await client.post(CONFIRM, { code });
    const answer = await finishLogin(fixture, await beginLogin(fixture, account), code);
    expectRefusal(answer, 401, 'unauthorized');
  });

  it('rejects incorrect codes and continues with the correct one', async () => {
    const { client } = await addOwner(fixture);
    const { body } = await begin(client);
    for (const code of ['000000', '12345', 'abcdef', codeOf(fixture, body.secret, -3)]) {
      expect(expectRefusal(await client.post(CONFIRM, { code }), 400, 'invalid_input')).toEqual({ field: 'code' });
    }
    expectInvalid(await client.post(CONFIRM, { code: '' }), 'body.code: string_too_short');
    expectInvalid(await client.post(CONFIRM, { code: 'x'.repeat(65) }), 'body.code: string_too_long');
    expectInvalid(await client.post(CONFIRM, { code: 123_456 }), 'body.code: string_type');
    expectInvalid(await client.post(CONFIRM, {}), 'body.code: missing');
    expect((await client.post(CONFIRM, { code: codeOf(fixture, body.secret) })).status).toBe(200);
  });

  it('invalidates the secret that a new one replaced', async () => {
    const { client } = await addOwner(fixture);
    const first = await begin(client);
    const second = await begin(client);
    expect(second.body.secret).not.toBe(first.body.secret);
    const answer = await client.post(CONFIRM, { code: codeOf(fixture, first.body.secret) });
    expectRefusal(answer, 400, 'invalid_input');
    expect((await client.post(CONFIRM, { code: codeOf(fixture, second.body.secret) })).status).toBe(200);
  });

  it('is rejected if it was not started, after fifteen minutes, and a second time', async () => {
    const account = await createAccount(fixture);
    const { client, refresh_token } = await signIn(fixture, account);
    expectRefusal(await client.post(CONFIRM, { code: '123456' }), 400, 'operation_not_allowed');
    // What starts over has fifteen minutes again.
    const own = { current_password: account.password };
    expect((await client.post(BEGIN, own)).status).toBe(200);
    fixture.clock.advance(MINUTE);
    const late = await client.post<Begun>(BEGIN, own);
    const confirm = (by: Client) => by.post(CONFIRM, { code: codeOf(fixture, late.body.secret) });
    fixture.clock.advance(15 * MINUTE - 1);
    const { body: tokens } = await api(fixture, null).post<Tokens>('/api/v1/login/refresh', { refresh_token });
    const sameSession = api(fixture, tokens.access_token);
    expectRefusal(await sameSession.post(CONFIRM, { code: '000000' }), 400, 'invalid_input');
    fixture.clock.advance(1);
    expectRefusal(await confirm(sameSession), 400, 'operation_not_allowed');
    const { client: again, access_token: accessToken } = await signIn(fixture, account);
    expectRefusal(await confirm(again), 400, 'operation_not_allowed');
    const { client: enrolled, secret } = await addTotp(fixture, { account, client: again, accessToken });
    expectRefusal(await enrolled.post(BEGIN), 400, 'operation_not_allowed');
    const next = codeOf(fixture, secret);
    expectRefusal(await enrolled.post(CONFIRM, { code: next }), 400, 'operation_not_allowed');
  });

  it('succeeds once for simultaneous requests', async () => {
    const { client } = await addOwner(fixture);
    const { body } = await begin(client);
    const code = codeOf(fixture, body.secret);
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.post(CONFIRM, { code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await client.get('/api/v1/mfa')).body).toMatchObject({ recovery_codes_remaining: 10 });
  });

  it('requires a verified address and an interactive sign-in', async () => {
    const unverified = await signIn(fixture, await createAccount(fixture, { isVerified: false }));
    expectRefusal(await unverified.client.post(BEGIN), 403, 'email_not_verified');
    expectRefusal(await api(fixture, fixture.project_access_token).post(BEGIN), 403, 'permission_denied');
    expectRefusal(await api(fixture, null).post(BEGIN), 401, 'unauthorized');
  });

  it('is deleted by the cleanup job if it is not confirmed', async () => {
    const { account, client } = await addOwner(fixture);
    await begin(client);
    const kept = await addTotp(fixture);
    const rows = (id: string) =>
      fixture.app.db.select().from(totpFactors).where(eq(totpFactors.developerId, id)).all().length;
    await fixture.sweep('sessions');
    expect(rows(account.developer_id)).toBe(1);
    fixture.clock.advance(15 * MINUTE);
    await fixture.sweep('sessions');
    expect([rows(account.developer_id), rows(kept.account.developer_id)]).toEqual([0, 1]);
  });
});

describe('recovery codes', () => {
  const REGENERATE = '/api/v1/mfa/recovery-codes';

  it('are replaced as a set', async () => {
    const { account, client, recoveryCodes } = await addTotp(fixture);
    const mark = auditMark(fixture);
    const renewed = await renew(client);
    expect(renewed.status).toBe(200);
    expect(renewed.body.recovery_codes).toHaveLength(10);
    expect(renewed.body.recovery_codes.filter((code) => recoveryCodes.includes(code))).toEqual([]);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'mfa_recovery_codes_regenerated', type: 'developer', identifier: account.developer_id, details: {} },
    ]);
    const token = await beginLogin(fixture, account);
    expectRefusal(await finishLogin(fixture, token, recoveryCodes[0] ?? '', 'recovery_code'), 401, 'unauthorized');
    const [code = ''] = renewed.body.recovery_codes;
    expect((await finishLogin(fixture, token, code, 'recovery_code')).status).toBe(200);
    expect((await client.get('/api/v1/mfa')).body).toMatchObject({ recovery_codes_remaining: 9 });
  });

  it('require a two-factor method: an authenticator app or a passkey', async () => {
    const { client } = await addOwner(fixture);
    expectRefusal(await client.post(REGENERATE), 400, 'operation_not_allowed');
    const owner = await addPasskeyOwner(fixture);
    expect((await renew(owner.client)).status).toBe(200);
    expect((await owner.client.get('/api/v1/mfa')).body).toMatchObject({ methods: ['recovery_code', 'passkey'] });
    const path = `/api/v1/passkeys/${owner.passkeyId}`;
    await owner.client.send('DELETE', path, { body: await stepUp(fixture, owner.client) });
    expect((await owner.client.get('/api/v1/mfa')).body).toEqual({
      enabled: false,
      totp_enabled: false,
      totp_enabled_at: null,
      offers_passkey: false,
      passkey_count: 0,
      recovery_codes_remaining: 0,
      methods: [],
      step_up: { current_password: true, mfa_code: false, passkey: false, email_code: false, single_sign_on: null },
    });
  });

  it('are stored only as hashes, and the secret encrypted for its account', async () => {
    const owner = await addTotp(fixture);
    const { $client: client } = fixture.app.db;
    const tables = client.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    expect(tables).toContain('recovery_codes');
    const forms = [owner.secret, ...owner.recoveryCodes].flatMap((secret) => [secret, secret.replaceAll('-', '')]);
    for (const table of tables) {
      const text = JSON.stringify(client.prepare(`SELECT * FROM "${table}"`).all()).toUpperCase();
      for (const form of forms) expect(text.includes(form), `${table} holds a secret`).toBe(false);
    }
    const { developer_id: id } = owner.account;
    const hashes = fixture.app.db.select().from(recoveryCodeRows).where(eq(recoveryCodeRows.developerId, id)).all();
    const { secrets } = fixture.app;
    expect(hashes.map(({ codeHash }) => codeHash).sort()).toEqual(
      owner.recoveryCodes.map((code) => secrets.hash(code.replaceAll('-', ''))).sort(),
    );
    const [row] = fixture.app.db.select().from(totpFactors).where(eq(totpFactors.developerId, id)).all();
    expect(secrets.decrypt(row?.secretEncrypted ?? '', `totp secret of ${id}`)).toBe(owner.secret);
    expect(() => secrets.decrypt(row?.secretEncrypted ?? '', 'totp secret of somebody else')).toThrow();
  });
});

describe('disabling the authenticator app', () => {
  const DISABLE = '/api/v1/mfa/disable';

  it('requires password and code, and deletes the app and the codes', async () => {
    const { account, client, accessToken, secret } = await addTotp(fixture);
    const halfDone = await beginLogin(fixture, account);
    const mark = auditMark(fixture);
    const answer = await client.post(DISABLE, {
      current_password: account.password,
      mfa_code: codeOf(fixture, secret),
    });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'mfa_disabled', type: 'developer', identifier: account.developer_id, details: { totp: true } },
    ]);
    expect((await client.get('/api/v1/mfa')).body).toMatchObject({ enabled: false, recovery_codes_remaining: 0 });
    expect((await login(fixture, account)).body).toHaveProperty('access_token');
    goToNextStep(fixture);
    expectRefusal(await finishLogin(fixture, halfDone, codeOf(fixture, secret)), 401, 'unauthorized');
    // Another app may follow.
    await addTotp(fixture, { account, client, accessToken });
  });

  it('keeps passkeys, which are still required', async () => {
    const owner = await addTotp(fixture);
    await addPasskeyOwner(fixture, owner);
    const body = { current_password: owner.account.password, mfa_code: owner.recoveryCodes[0] };
    expect((await owner.client.post(DISABLE, body)).status).toBe(204);
    expect((await login(fixture, owner.account)).body).toMatchObject({ mfa_required: true, methods: ['passkey'] });
  });

  it('is announced to the owner by email, like enrolling and new codes', async () => {
    const { account, client, secret, recoveryCodes } = await addTotp(fixture);
    await renew(client);
    await client.post(DISABLE, { current_password: account.password, mfa_code: codeOf(fixture, secret) });
    const mails = fixture.mail.messages.filter(({ to }) => to === account.email);
    expect(mails.map(({ subject }) => subject)).toEqual([
      'An authenticator app was added',
      'New recovery codes were created',
      'The authenticator app was removed',
    ]);
    for (const { text, html } of mails) {
      for (const hidden of [secret, ...recoveryCodes]) expect((text + html).includes(hidden)).toBe(false);
    }
  });

  it('is rejected without an app', async () => {
    const { account, client } = await addOwner(fixture);
    const answer = await client.post(DISABLE, { current_password: account.password });
    expectRefusal(answer, 400, 'operation_not_allowed');
  });
});
