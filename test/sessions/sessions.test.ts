// Sessions: creating, listing, ending and deleting them.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refreshTokens, sessions } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { approximateLocation } from '../../src/sessions/location.ts';
import { loadUserAgentReader } from '../../src/sessions/user-agent.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
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

interface Session extends Json {
  identifier: string;
  last_used_at: string;
  expires_at: string;
  current: boolean;
}
interface SessionPage {
  items: Session[];
  next_cursor: string | null;
}

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const list = (token: string, query = {}) => api(fixture, token).get<SessionPage>('/api/v1/sessions', query);
const refresh = (refresh_token: string) => api(fixture, null).post('/api/v1/login/refresh', { refresh_token });
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';

async function signInFrom(userAgent: string, { email, password }: Account) {
  const answer = await api(fixture, null).send<{ access_token: string; refresh_token: string; session_id: string }>(
    'POST',
    '/api/v1/login',
    { body: { email, password }, headers: { 'user-agent': userAgent } },
  );
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('the list of sessions', () => {
  it('shows the origin of each sign-in, newest first', async () => {
    const account = await createAccount(fixture);
    const phone = await signInFrom(iphone, account);
    const terminal = await signInFrom('curl/8.5.0', account);
    const answer = await list(terminal.access_token);
    expect(answer.status).toBe(200);
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const shared = {
      approximate_location: 'private network',
      ip_address: '127.0.0.1',
      sign_in_method: 'password',
      created_at: moment,
      last_used_at: moment,
      expires_at: moment,
    };
    expect(answer.body).toEqual({
      items: [
        { identifier: terminal.session_id, device: null, browser: 'curl 8.5.0', current: true, ...shared },
        {
          identifier: phone.session_id,
          device: 'Apple iPhone, iOS 17.4',
          browser: 'Safari 17.4',
          current: false,
          ...shared,
        },
      ],
      next_cursor: null,
    });
  });

  it('shows when each was last used and when it expires', async () => {
    const account = await createAccount(fixture);
    const { access_token, refresh_token } = await signIn(fixture, account);
    fixture.clock.advance(5 * MINUTE);
    const used = Date.parse((await list(access_token)).body.items[0]?.last_used_at ?? '');
    expect(Math.abs(used - fixture.clock.now().getTime())).toBeLessThan(MINUTE);
    fixture.clock.advance(DAY);
    const refreshed = await api(fixture, null).post<{ access_token: string }>('/api/v1/login/refresh', {
      refresh_token,
    });
    const ends = Date.parse((await list(refreshed.body.access_token)).body.items[0]?.expires_at ?? '');
    expect(Math.abs(ends - fixture.clock.now().getTime() - 30 * DAY)).toBeLessThan(MINUTE);
  });

  it('has pages', async () => {
    const account = await createAccount(fixture);
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.unshift((await signIn(fixture, account)).session_id);
    const { access_token } = await signIn(fixture, account);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await list(access_token, { limit: 2, cursor: cursor ?? undefined });
      seen.push(...page.body.items.map(({ identifier }) => identifier));
      cursor = page.body.next_cursor;
    } while (cursor !== null);
    expect(seen.slice(1)).toEqual(ids);
    expectInvalid(await list(access_token, { limit: 0 }), 'query.limit: greater_than_equal');
  });

  it('contains no sessions of others, and no ended or expired ones', async () => {
    const account = await createAccount(fixture);
    const signedOut = await signIn(fixture, account);
    await signIn(fixture, account);
    await signedOut.client.post('/api/v1/login/logout');
    fixture.clock.advance(31 * DAY);
    const current = await signIn(fixture, account);
    const { body } = await list(current.access_token);
    expect(body.items.map(({ identifier }) => identifier)).toEqual([current.session_id]);
  });

  it('requires an interactive sign-in', async () => {
    for (const [method, path] of [
      ['GET', '/api/v1/sessions'],
      ['DELETE', '/api/v1/sessions'],
      ['DELETE', `/api/v1/sessions/${fixture.app.ids.next()}`],
    ] as const) {
      expectRefusal(await api(fixture, null).send(method, path), 401, 'unauthorized');
      expectRefusal(await api(fixture, fixture.project_access_token).send(method, path), 403, 'permission_denied');
    }
  });
});

describe('ending a session', () => {
  it('invalidates its access and refresh tokens and keeps the others', async () => {
    const account = await createAccount(fixture);
    const [lost, current] = [await signIn(fixture, account), await signIn(fixture, account)];
    const mark = auditMark(fixture);
    const answer = await current.client.delete(`/api/v1/sessions/${lost.session_id.toUpperCase()}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await list(lost.access_token)).status).toBe(401);
    expect((await refresh(lost.refresh_token)).status).toBe(401);
    expect((await list(current.access_token)).body.items).toHaveLength(1);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'session_revoked',
        type: 'developer',
        identifier: account.developer_id,
        developerId: account.developer_id,
        details: { session_id: lost.session_id, current: false },
      },
    ]);
    expectRefusal(await current.client.delete(`/api/v1/sessions/${lost.session_id}`), 404, 'not_found');
  });

  it('is possible for the current one', async () => {
    const { client, session_id } = await signIn(fixture, await createAccount(fixture));
    expect((await client.delete(`/api/v1/sessions/${session_id}`)).status).toBe(204);
    expectRefusal(await client.get('/api/v1/sessions'), 401, 'unauthorized');
  });

  it('returns the same 404 for a session of someone else and an unknown one', async () => {
    const victim = await signIn(fixture, await createAccount(fixture));
    const { client } = await signIn(fixture, await createAccount(fixture));
    expectRefusal(await client.delete(`/api/v1/sessions/${victim.session_id}`), 404, 'not_found');
    expectRefusal(await client.delete(`/api/v1/sessions/${fixture.app.ids.next()}`), 404, 'not_found');
    expectInvalid(await client.delete('/api/v1/sessions/mine'), 'path.session_id: uuid_parsing');
    expect((await list(victim.access_token)).status).toBe(200);
  });

  it('is possible for all sessions, including the current one', async () => {
    const account = await createAccount(fixture);
    const stranger = await signIn(fixture, await createAccount(fixture));
    const all = [await signIn(fixture, account), await signIn(fixture, account), await signIn(fixture, account)];
    const mark = auditMark(fixture);
    expect((await all[0]?.client.delete('/api/v1/sessions'))?.status).toBe(204);
    for (const { access_token, refresh_token } of all) {
      expect((await list(access_token)).status).toBe(401);
      expect((await refresh(refresh_token)).status).toBe(401);
    }
    expect((await list(stranger.access_token)).status).toBe(200);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'all_sessions_revoked', identifier: account.developer_id, details: { count: 3 } },
    ]);
  });

  it('is possible for an account with an unverified address', async () => {
    const account = await createAccount(fixture, { isVerified: false });
    const [one, two] = [await signIn(fixture, account), await signIn(fixture, account)];
    expect((await two.client.delete(`/api/v1/sessions/${one.session_id}`)).status).toBe(204);
    expect((await two.client.delete('/api/v1/sessions')).status).toBe(204);
  });
});

describe('the cleanup job for sessions', () => {
  it('deletes ended sessions and expired tokens, keeps the rest, and is complete after one run', async () => {
    const account = await createAccount(fixture);
    const ended = await signIn(fixture, account);
    await ended.client.post('/api/v1/login/logout');
    const expired = await signIn(fixture, account);
    fixture.clock.advance(30 * DAY);
    const living = await signIn(fixture, account);
    const { body } = await api(fixture, null).post<{ access_token: string }>('/api/v1/login/refresh', {
      refresh_token: living.refresh_token,
    });
    expect(await fixture.sweep('sessions')).toBeGreaterThan(0);
    const ids = fixture.app.db
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.developerId, account.developer_id))
      .all();
    expect(ids).toEqual([{ id: living.session_id }]);
    const tokens = (session: string) =>
      fixture.app.db.select().from(refreshTokens).where(eq(refreshTokens.sessionId, session)).all();
    expect(tokens(expired.session_id)).toEqual([]);
    // The used one stays, so that its second use is known for what it is.
    expect(tokens(living.session_id)).toHaveLength(2);
    expect(await fixture.sweep('sessions')).toBe(0);
    expect((await list(body.access_token)).status).toBe(200);
    expect((await refresh(living.refresh_token)).status).toBe(401);
    expect((await list(body.access_token)).status).toBe(401);
  });
});

describe('the origin of a session', () => {
  it.each([
    [null, null, null],
    ['', null, null],
    ['curl/8.5.0', null, 'curl 8.5.0'],
    ['taxiway/0.1.0 (linux x64)', 'Linux', 'taxiway 0.1.0'],
    ['<script>alert(1)</script>', null, null],
    [iphone, 'Apple iPhone, iOS 17.4', 'Safari 17.4'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      'Windows 10',
      'Chrome 131',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
      'Android 14',
      'Chrome 120',
    ],
  ])('reads %j', async (userAgent, device, browser) => {
    const describeUserAgent = await loadUserAgentReader();
    expect(describeUserAgent(userAgent)).toEqual({ device, browser });
  });

  it.each([
    ['127.0.0.1', 'private network'],
    ['10.1.2.3', 'private network'],
    ['172.16.0.1', 'private network'],
    ['172.32.0.1', null],
    ['192.168.178.20', 'private network'],
    ['169.254.1.1', 'private network'],
    ['::1', 'private network'],
    ['fd12:3456::1', 'private network'],
    ['fe80::1', 'private network'],
    ['2001:db8::1', null],
    ['203.0.113.7', null],
    ['nonsense', null],
    [null, null],
  ])('places %j as %j', (address, expected) => {
    expect(approximateLocation(address)).toBe(expected);
  });
});
