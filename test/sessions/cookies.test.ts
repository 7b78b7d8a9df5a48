// Session cookies in browsers, and the required origin of requests.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import type { Tokens } from '../support/factors.ts';
import {
  type Account,
  type Answer,
  api,
  auditMark,
  auditRows,
  createAccount,
  expectRefusal,
  type Json,
  signIn,
} from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const anonymous = () => api(fixture, null);

/** Asks for the caller's own record with header lines as they are; answers the status. */
function sendRaw({ url }: Fixture, lines: string[]): Promise<number> {
  const { hostname, port } = new URL(url);
  const head = ['GET /api/v1/developers/me HTTP/1.1', 'Host: localhost', 'Connection: close', ...lines, '', ''];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(head.join('\r\n'), 'latin1')));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('end', () => resolve(Number(answer.split(' ')[1])));
    socket.on('error', reject);
  });
}

describe('a browser session', () => {
  const origin = () => fixture.config.server.base_url;

  async function signInByCookie(
    account: Account | Fixture['admin'] = fixture.admin,
    headers: Record<string, string> = {},
  ) {
    const { email, password } = account;
    const answer = await anonymous().send<Json>('POST', '/api/v1/login', {
      body: { email, password, cookies: true },
      headers,
    });
    return { answer, jar: cookiesOf(answer) };
  }

  function cookiesOf(answer: Answer<unknown>): Record<string, string> {
    return Object.fromEntries(
      answer.headers.getSetCookie().map((cookie) => (cookie.split(';')[0] ?? '').split('=') as [string, string]),
    );
  }

  function withCookies(
    method: string,
    path: string,
    jar: Record<string, string>,
    headers: Record<string, string> = {},
  ) {
    const cookie = Object.entries(jar)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    return anonymous().send<Json>(method, path, { headers: { cookie, ...headers } });
  }

  it('has its tokens in cookies that scripts cannot read, and not in the body', async () => {
    const { answer } = await signInByCookie();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: null,
      refresh_token: null,
      token_type: 'Bearer',
      expires_in: 600,
      session_id: expect.any(String),
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_access=eyJ[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^svc_refresh=svc_ref_[^;]+; Path=\/api\/v1\/login; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
      ),
    ]);
  });

  it('has Secure cookies if the base address is https', async () => {
    await using secure = await startFixture({ config: { server: { base_url: 'https://builds.example.com' } } });
    const { email, password } = secure.admin;
    const answer = await api(secure, null).post('/api/v1/login', { email, password, cookies: true });
    const cookies = answer.headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('cannot be started by a foreign page', async () => {
    const foreign = [
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { origin: `${origin()}.elsewhere.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    const mark = auditMark(fixture);
    for (const headers of foreign) {
      const { answer } = await signInByCookie(fixture.admin, headers as Record<string, string>);
      expectRefusal(answer, 403, 'permission_denied');
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(auditRows(fixture, { after: mark })).toEqual([]);
    const own = [
      { origin: origin() },
      { 'sec-fetch-site': 'same-origin' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
      {},
    ];
    for (const headers of own) {
      expect((await signInByCookie(fixture.admin, headers as Record<string, string>)).answer.status).toBe(200);
    }
  });

  it('reads with the cookie, and writes with it from the same origin only', async () => {
    const account = await createAccount(fixture);
    const { jar } = await signInByCookie(account);
    const path = `/api/v1/developers/${account.developer_id}`;
    expect((await withCookies('GET', path, jar)).status).toBe(200);
    const write = (headers: Record<string, string>) =>
      anonymous().send<Json>('PATCH', path, {
        body: { display_name: 'By cookie' },
        headers: { cookie: `svc_access=${jar.svc_access}`, ...headers },
      });
    expectRefusal(await write({}), 403, 'permission_denied');
    expectRefusal(await write({ origin: 'https://elsewhere.example' }), 403, 'permission_denied');
    expectRefusal(await write({ 'sec-fetch-site': 'cross-site' }), 403, 'permission_denied');
    expect((await write({ origin: origin() })).status).toBe(200);
    expect((await write({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('is overridden by a bearer token', async () => {
    const { jar } = await signInByCookie();
    const other = await createAccount(fixture);
    const { access_token } = await signIn(fixture, other);
    const answer = await withCookies('GET', '/api/v1/developers/me', jar, { authorization: `Bearer ${access_token}` });
    expect(answer.body.identifier).toBe(other.developer_id);
    const broken = await withCookies('GET', '/api/v1/developers/me', jar, { authorization: 'Bearer nonsense' });
    expectRefusal(broken, 401, 'unauthorized');
  });

  it('accepts only access tokens in the cookie', async () => {
    const inOrganization = { organization_id: fixture.organization_id };
    const personal = await api(fixture).post('/api/v1/pats', { name: 'script', scopes: 1 }, inOrganization);
    expect(personal.status).toBe(201);
    for (const token of [String(personal.body.token), fixture.project_access_token]) {
      const path = '/api/v1/organizations';
      expect((await api(fixture, token).get(path)).status).toBe(200);
      expectRefusal(await withCookies('GET', path, { svc_access: token }), 401, 'unauthorized');
    }
  });

  it('is rejected with two session cookies in any order', async () => {
    const { jar } = await signInByCookie();
    const other = await createAccount(fixture);
    const { access_token } = await signIn(fixture, other);
    const me = (cookie: string) => anonymous().send<Json>('GET', '/api/v1/developers/me', { headers: { cookie } });
    const mine = `svc_access=${jar.svc_access}`;
    expect((await me(`theme=dark; ${mine}; lang=en`)).status).toBe(200);
    for (const cookie of [
      `${mine}; svc_access=${access_token}`,
      `svc_access=${access_token}; ${mine}`,
      `svc_access=; ${mine}`,
      `${mine}; ${mine}`,
    ]) {
      expectRefusal(await me(cookie), 401, 'unauthorized');
    }
    const refresh = await anonymous().send<Json>('POST', '/api/v1/login/refresh', {
      headers: { cookie: `svc_refresh=svc_ref_x; svc_refresh=${jar.svc_refresh}`, origin: origin() },
    });
    expectRefusal(refresh, 401, 'unauthorized');
  });

  it('finds its cookie by its exact name', async () => {
    const { jar } = await signInByCookie();
    const me = (cookie: string) => sendRaw(fixture, [`Cookie: ${cookie}`]);
    expect(await me(`a=1; svc_access=${jar.svc_access}`)).toBe(200);
    for (const name of [
      '\u00a0svc_access',
      ' svc_access',
      'svc_access ',
      '\tsvc_access',
      'svc_access\u00a0',
      'Svc_access',
    ]) {
      expect(await me(`a=1; ${name}=${jar.svc_access}`), JSON.stringify(name)).toBe(401);
    }
  });

  it('is rejected with two Authorization headers', async () => {
    const { access_token } = await signIn(fixture);
    const line = `Authorization: Bearer ${access_token}`;
    expect(await sendRaw(fixture, [line])).toBe(200);
    expect(await sendRaw(fixture, [line, line])).toBe(401);
    expect(await sendRaw(fixture, ['authorization: Bearer other', line])).toBe(401);
    expect(await sendRaw(fixture, [line, 'AUTHORIZATION: Bearer other'])).toBe(401);
  });

  it('is refreshed by cookie without a body, from the same origin only, and gets cookies again', async () => {
    const { jar } = await signInByCookie();
    const path = '/api/v1/login/refresh';
    expectRefusal(await withCookies('POST', path, jar), 403, 'permission_denied');
    expectRefusal(
      await withCookies('POST', path, jar, { origin: 'https://elsewhere.example' }),
      403,
      'permission_denied',
    );
    const answer = await withCookies('POST', path, jar, { origin: origin() });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ access_token: null, refresh_token: null });
    const next = cookiesOf(answer);
    expect(Object.keys(next)).toEqual(['svc_access', 'svc_refresh']);
    expect(next.svc_refresh).not.toBe(jar.svc_refresh);
    expect((await withCookies('GET', '/api/v1/developers/me', next)).status).toBe(200);
    expectRefusal(await withCookies('POST', path, jar, { origin: origin() }), 401, 'unauthorized');
    expect((await withCookies('GET', '/api/v1/developers/me', next)).status).toBe(401);
  });

  it('gets a body if the refresh token was sent in one', async () => {
    const { jar } = await signInByCookie();
    const { refresh_token } = await signIn(fixture);
    const answer = await anonymous().send<Tokens>('POST', '/api/v1/login/refresh', {
      body: { refresh_token },
      headers: { cookie: `svc_refresh=${jar.svc_refresh}` },
    });
    expect(answer.body.refresh_token).toMatch(/^svc_ref_/);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it('is ended from the same origin only, and loses its cookies', async () => {
    const { jar } = await signInByCookie();
    const path = '/api/v1/login/logout';
    expectRefusal(
      await withCookies('POST', path, jar, { origin: 'https://elsewhere.example' }),
      403,
      'permission_denied',
    );
    const answer = await withCookies('POST', path, jar, { origin: origin() });
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual([
      'svc_access=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
      'svc_refresh=; Path=/api/v1/login; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
    expect((await withCookies('GET', '/api/v1/developers/me', jar)).status).toBe(401);
  });
});
