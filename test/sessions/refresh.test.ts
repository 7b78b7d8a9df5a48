// Refresh tokens, which work once.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessions } from '../../src/data/tables/tables.ts';
import { DAY, SECOND } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import type { Tokens } from '../support/factors.ts';
import { api, auditMark, auditRows, createAccount, expectRefusal, signIn } from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const anonymous = () => api(fixture, null);
const refresh = (refresh_token: unknown) => anonymous().post<Tokens>('/api/v1/login/refresh', { refresh_token });
const readsMe = async (token: string) => (await api(fixture, token).get('/api/v1/developers/me')).status;

describe('a refresh token', () => {
  it('is exchanged for a new pair of the same session, which is recorded', async () => {
    const account = await createAccount(fixture);
    const first = await signIn(fixture, account);
    const mark = auditMark(fixture);
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({ token_type: 'Bearer', expires_in: 600, session_id: first.session_id });
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect(await readsMe(second.body.access_token)).toBe(200);
    expect((await refresh(second.body.refresh_token)).status).toBe(200);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'session_refreshed',
        identifier: account.developer_id,
        developerId: account.developer_id,
        actorId: account.developer_id,
        details: { session_id: first.session_id },
      },
      { event: 'session_refreshed' },
    ]);
  });

  it('revokes the whole session when it is used twice', async () => {
    const account = await createAccount(fixture);
    const bystander = await signIn(fixture, account);
    const first = await signIn(fixture, account);
    const second = (await refresh(first.refresh_token)).body;
    const third = (await refresh(second.refresh_token)).body;
    const mark = auditMark(fixture);
    expectRefusal(await refresh(first.refresh_token), 401, 'unauthorized');
    expect(await readsMe(third.access_token)).toBe(401);
    for (const { refresh_token } of [first, second, third]) {
      expectRefusal(await refresh(refresh_token), 401, 'unauthorized');
    }
    expect(await readsMe(bystander.access_token)).toBe(200);
    expect((await refresh(bystander.refresh_token)).status).toBe(200);
    const rows = auditRows(fixture, { after: mark });
    expect(rows.map(({ event }) => event)).toEqual(['refresh_token_reuse_detected', 'session_refreshed']);
    expect(rows[0]).toMatchObject({
      type: 'developer',
      identifier: account.developer_id,
      developerId: account.developer_id,
      details: { session_id: first.session_id },
    });
  });

  it('succeeds once for fifty simultaneous requests, and the session is revoked', async () => {
    const account = await createAccount(fixture);
    const { refresh_token, session_id } = await signIn(fixture, account);
    const mark = auditMark(fixture);
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(refresh_token)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
    const winner = winners[0]?.body;
    expect(await readsMe(winner?.access_token ?? '')).toBe(401);
    expect((await refresh(winner?.refresh_token)).status).toBe(401);
    const events = auditRows(fixture, { after: mark }).map(({ event }) => event);
    expect(events).toEqual(['session_refreshed', 'refresh_token_reuse_detected']);
    const row = fixture.app.db.select().from(sessions).where(eq(sessions.id, session_id)).get();
    expect(row?.revokedAt).not.toBeNull();
  });

  it('is valid for 30 days, and so is the session', async () => {
    const account = await createAccount(fixture);
    const first = await signIn(fixture, account);
    const idle = await signIn(fixture, account);
    fixture.clock.advance(30 * DAY - SECOND);
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    fixture.clock.advance(SECOND);
    expectRefusal(await refresh(idle.refresh_token), 401, 'unauthorized');
    fixture.clock.advance(29 * DAY);
    const third = await refresh(second.body.refresh_token);
    expect(third.status).toBe(200);
    // The sweep forgets what has expired, and what was used stays known as long as it could have been used.
    await fixture.sweep('sessions');
    expect(await readsMe(third.body.access_token)).toBe(200);
    expect((await refresh(second.body.refresh_token)).status).toBe(401);
    expect(await readsMe(third.body.access_token)).toBe(401);
  });

  it.each([
    ['unknown', { refresh_token: 'svc_ref_unknown' }, 401, 'unauthorized'],
    ['empty', { refresh_token: '' }, 401, 'unauthorized'],
    ['null', { refresh_token: null }, 401, 'unauthorized'],
    ['absent', {}, 401, 'unauthorized'],
    ['absent with the whole body', undefined, 401, 'unauthorized'],
    ['a number', { refresh_token: 7 }, 400, 'validation_error'],
    ['too long', { refresh_token: 'x'.repeat(513) }, 400, 'validation_error'],
  ])('is rejected if it is %s', async (_case, body, status, error) => {
    expectRefusal(await anonymous().post('/api/v1/login/refresh', body), status, error);
  });
});
