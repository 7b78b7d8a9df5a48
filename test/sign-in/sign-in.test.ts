// Signing in with a password, signing out, and access tokens.
import { eq } from 'drizzle-orm';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developers, refreshTokens } from '../../src/data/tables/tables.ts';
import { createPasswords, PRODUCTION_COST } from '../../src/developers/password.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import type { Tokens } from '../support/factors.ts';
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

import { countHashes, interruptHash } from '../support/mailbox.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const anonymous = () => api(fixture, null);
const login = (body: unknown) => anonymous().post<Tokens>('/api/v1/login', body);
const refresh = (refresh_token: unknown) => anonymous().post<Tokens>('/api/v1/login/refresh', { refresh_token });
const readsMe = async (token: string) => (await api(fixture, token).get('/api/v1/developers/me')).status;

describe('signing in', () => {
  it('returns a pair of tokens and the session', async () => {
    const account = await createAccount(fixture);
    const mark = auditMark(fixture);
    const answer = await login({ email: account.email, password: account.password });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^eyJ/),
      refresh_token: expect.stringMatching(/^svc_ref_[A-Za-z0-9_-]{43}$/),
      token_type: 'Bearer',
      expires_in: 600,
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'login_succeeded',
        type: 'developer',
        identifier: account.developer_id,
        developerId: account.developer_id,
        organizationId: null,
        actorKind: 'developer',
        actorId: account.developer_id,
        ipAddress: '127.0.0.1',
        details: { session_id: answer.body.session_id },
      },
    ]);
  });

  it('signs access tokens with Ed25519 and all required claims', async () => {
    const { access_token, session_id } = await signIn(fixture);
    expect(decodeProtectedHeader(access_token)).toEqual({ alg: 'EdDSA', kid: expect.any(String) });
    const claims = decodeJwt(access_token);
    expect(claims).toEqual({
      sub: fixture.admin.developer_id,
      email: fixture.admin.email,
      iss: fixture.config.server.base_url,
      aud: 'taxiway',
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 600,
      sid: session_id,
    });
  });

  it.each([
    ['in other case', (email: string) => email.toUpperCase()],
    ['with spaces around', (email: string) => `  ${email}\t`],
  ])('accepts the address %s', async (_case, change) => {
    const { email, password } = fixture.admin;
    expect((await login({ email: change(email), password })).status).toBe(200);
  });

  it('returns the same for an unknown address, an incorrect password, an invalid address and a locked account', async () => {
    const account = await createAccount(fixture);
    const locked = await createAccount(fixture);
    const lockedAt = fixture.clock.now().getTime();
    fixture.app.db.update(developers).set({ lockedAt }).where(eq(developers.id, locked.developer_id)).run();
    const mark = auditMark(fixture);
    const answers = [
      await login({ email: 'nobody@example.com', password: account.password }),
      await login({ email: account.email, password: `${account.password}x` }),
      await login({ email: 'not an address', password: account.password }),
      await login({ email: locked.email, password: locked.password }),
    ];
    for (const answer of answers) {
      expectRefusal(answer, 401, 'unauthorized');
      expect(comparable(answer)).toEqual(comparable(answers[0] ?? answer));
    }
    const rows = auditRows(fixture, { after: mark });
    expect(rows.map(({ event, developerId, details }) => [event, developerId, details.reason])).toEqual([
      ['login_failed', null, 'unknown_address'],
      ['login_failed', account.developer_id, 'wrong_password'],
      ['login_failed', null, 'unknown_address'],
      ['login_failed', locked.developer_id, 'account_locked'],
    ]);
    expect(JSON.stringify(rows)).not.toContain('correct horse');
  });

  it.each([
    ['its password is changed', { passwordHash: '' }],
    ['it is locked', { lockedAt: 1 }],
  ])('is rejected if %s while the password is verified', async (_how, change) => {
    const account = await createAccount(fixture);
    const mark = auditMark(fixture);
    const interrupt = () => {
      fixture.app.db.update(developers).set(change).where(eq(developers.id, account.developer_id)).run();
    };
    const answer = await interruptHash(fixture, 'verify', interrupt, () =>
      login({ email: account.email, password: account.password }),
    );
    expectRefusal(answer, 401, 'unauthorized');
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'login_failed', identifier: account.developer_id, details: { reason: 'account_changed' } },
    ]);
  });

  it('takes the same work for an unknown address as for a known one', async () => {
    const { email } = await createAccount(fixture);
    for (const address of [email, 'nobody@example.com', 'not an address']) {
      const wrong = { email: address, password: 'wrong password' };
      expect([address, await countHashes(fixture, () => login(wrong))]).toEqual([address, 1]);
    }
  });

  it('queues hashes for unknown accounts in the same queue', async () => {
    const passwords = createPasswords({ concurrency: 1 });
    const ended: string[] = [];
    await Promise.all([
      passwords.hash('first in line').then(() => ended.push('hash')),
      passwords.verify('second in line', null).then((isRight) => ended.push(`verify ${isRight}`)),
    ]);
    expect(ended).toEqual(['hash', 'verify false']);
  });

  it('hashes a password again if it was hashed at a lower cost', async () => {
    await using fixture = await startFixture({ passwordCost: PRODUCTION_COST });
    const login = (body: Record<string, string>) => api(fixture, null).post('/api/v1/login', body);
    const account = await createAccount(fixture);
    // "password" by the reference implementation at 256 KiB.
    const cheap = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    const row = eq(developers.id, account.developer_id);
    fixture.app.db.update(developers).set({ passwordHash: cheap }).where(row).run();
    expect((await login({ email: account.email, password: 'wrong' })).status).toBe(401);
    expect(fixture.app.db.select().from(developers).where(row).get()?.passwordHash).toBe(cheap);
    for (let i = 0; i < 2; i += 1) {
      expect((await login({ email: account.email, password: 'password' })).status).toBe(200);
      expect(fixture.app.db.select().from(developers).where(row).get()?.passwordHash).toMatch(/\$m=19456,t=2,p=1\$/);
    }
  });

  it('works for an account with an unverified address', async () => {
    const account = await createAccount(fixture, { isVerified: false });
    const { access_token } = await signIn(fixture, account);
    expect(await readsMe(access_token)).toBe(200);
    const write = await api(fixture, access_token).post('/api/v1/organizations', { name: 'Mine' });
    expectRefusal(write, 403, 'email_not_verified');
  });

  it('is rejected for an account without a password', async () => {
    const account = await createAccount(fixture);
    const row = eq(developers.id, account.developer_id);
    fixture.app.db.update(developers).set({ passwordHash: null }).where(row).run();
    expectRefusal(await login({ email: account.email, password: account.password }), 401, 'unauthorized');
  });

  it.each([
    [{}, ['body.email: missing', 'body.password: missing']],
    [{ email: 1, password: null }, ['body.email: string_type', 'body.password: string_type']],
    [{ email: 'a@b.example', password: '' }, ['body.password: string_too_short']],
    [{ email: 'a@b.example', password: 'x'.repeat(1025) }, ['body.password: string_too_long']],
    [{ email: 'x'.repeat(1025), password: 'x' }, ['body.email: string_too_long']],
    [{ email: 'a@b.example', password: 'x', cookies: 'yes' }, ['body.cookies: bool_type']],
  ])('rejects %j without reading any account', async (body, expected) => {
    expectInvalid(await login(body), ...expected);
  });

  it('ignores credentials of the request', async () => {
    const { email, password } = fixture.admin;
    expect((await api(fixture, 'nonsense').post('/api/v1/login', { email, password })).status).toBe(200);
  });
});

describe('an access token', () => {
  it('expires after ten minutes', async () => {
    const { access_token } = await signIn(fixture);
    fixture.clock.advance(10 * MINUTE - 2 * SECOND);
    expect(await readsMe(access_token)).toBe(200);
    fixture.clock.advance(3 * SECOND);
    expect(await readsMe(access_token)).toBe(401);
  });

  it('is rejected if it is altered or another kind of token', async () => {
    const { access_token, refresh_token } = await signIn(fixture);
    const [head = '', claims = '', signature = ''] = access_token.split('.');
    const forged = Buffer.from(JSON.stringify({ ...decodeJwt(access_token), email: 'x@example.com' }));
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    for (const token of [
      `${head}.${forged.toString('base64url')}.${signature}`,
      `${unsigned}.${claims}.`,
      `${head}.${claims}`,
      refresh_token,
      'svc_pat_unknown',
      'svc_prj_unknown',
    ]) {
      expectRefusal(await api(fixture, token).get('/api/v1/developers/me'), 401, 'unauthorized');
    }
  });

  it('stops working immediately when the account is locked', async () => {
    const account = await createAccount(fixture);
    const { access_token, refresh_token } = await signIn(fixture, account);
    const lockedAt = fixture.clock.now().getTime();
    fixture.app.db.update(developers).set({ lockedAt }).where(eq(developers.id, account.developer_id)).run();
    expect(await readsMe(access_token)).toBe(401);
    expectRefusal(await refresh(refresh_token), 401, 'unauthorized');
  });
});

describe('signing out', () => {
  it('ends only this session', async () => {
    const account = await createAccount(fixture);
    const [staying, leaving] = [await signIn(fixture, account), await signIn(fixture, account)];
    const mark = auditMark(fixture);
    const answer = await leaving.client.post('/api/v1/login/logout');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await readsMe(leaving.access_token)).toBe(401);
    expect((await refresh(leaving.refresh_token)).status).toBe(401);
    expect(await readsMe(staying.access_token)).toBe(200);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'logged_out', identifier: account.developer_id, details: { session_id: leaving.session_id } },
    ]);
    expectRefusal(await leaving.client.post('/api/v1/login/logout'), 401, 'unauthorized');
  });

  it('requires a session, also of an unverified account, and rejects tokens', async () => {
    expectRefusal(await anonymous().post('/api/v1/login/logout'), 401, 'unauthorized');
    const byToken = await api(fixture, fixture.project_access_token).post('/api/v1/login/logout');
    expectRefusal(byToken, 403, 'permission_denied');
    const { client } = await signIn(fixture, await createAccount(fixture, { isVerified: false }));
    expect((await client.post('/api/v1/login/logout')).status).toBe(204);
  });
});

describe('secrets', () => {
  it('are nowhere in the database in plain text', async () => {
    const account = await createAccount(fixture);
    const first = await signIn(fixture, account);
    const second = (await refresh(first.refresh_token)).body;
    await refresh(first.refresh_token);
    await login({ email: account.email, password: 'a wrong password' });
    const secrets = [
      account.password,
      'a wrong password',
      first.access_token,
      first.refresh_token,
      second.access_token,
      second.refresh_token,
      fixture.admin.password,
      fixture.admin.refresh_token,
      fixture.project_access_token,
    ].flatMap((secret) => [secret, secret.replace(/^svc_[a-z]+_/, '')]);
    const { $client: client } = fixture.app.db;
    const tables = client.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    expect(tables).toContain('refresh_tokens');
    for (const table of tables) {
      const text = JSON.stringify(client.prepare(`SELECT * FROM "${table}"`).all());
      for (const secret of secrets) expect(text.includes(secret), `${table} holds a secret`).toBe(false);
    }
    const kept = fixture.app.db.select().from(refreshTokens).where(eq(refreshTokens.sessionId, first.session_id)).all();
    expect(kept.map(({ tokenHash }) => tokenHash)).toContain(fixture.app.secrets.hash(second.refresh_token));
  });

  it('are in no log line, not even at the most detailed level', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    await using quiet = await startFixture();
    quiet.app.log = log;
    const account = await createAccount(quiet);
    const first = await signIn(quiet, account);
    const second = await api(quiet, null).post<Tokens>('/api/v1/login/refresh', { refresh_token: first.refresh_token });
    await api(quiet, null).post('/api/v1/login/refresh', { refresh_token: first.refresh_token });
    const cookies = await api(quiet, null).post('/api/v1/login', { ...account, cookies: true });
    await api(quiet, null).post('/api/v1/login', { email: account.email, password: 'a wrong password' });
    await api(quiet, first.access_token).get('/api/v1/sessions', { token: first.access_token });
    await api(quiet, null).get('/setup/a-link-that-does-not-work');
    const text = lines.join('');
    expect(lines.length).toBeGreaterThanOrEqual(7);
    for (const secret of [
      account.password,
      'a wrong password',
      first.access_token,
      first.refresh_token,
      second.body.access_token,
      second.body.refresh_token,
      ...cookies.headers.getSetCookie().map((cookie) => cookie.split(/[=;]/)[1] ?? 'absent'),
      'a-link-that-does-not-work',
    ]) {
      expect(text.includes(secret), 'a log line holds a secret').toBe(false);
    }
  });
});
