// Responses of a server whose base_url has a path, behind proxies that keep or remove it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basePathOf, withoutBasePath } from '../../src/config/base-path.ts';
import { operations } from '../../src/operations.ts';
import { homePath, safePath } from '../../src/sign-in/sso/return-path.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';
import { type RawAnswer, sendRaw } from '../support/raw-request.ts';
import { addResources, addressOf, type Resources } from '../support/resources.ts';

const BASE = '/tools/taxiway';

let fixture: Fixture;
let resources: Resources;
let origin: string;

beforeAll(async () => {
  fixture = await startFixture({ config: { server: { base_url: `http://localhost:0${BASE}` } } });
  resources = await addResources(fixture);
  origin = new URL(fixture.config.server.base_url).origin;
});
afterAll(() => fixture?.stop());

const ask = (target: string, method?: string, headers?: Record<string, string>, body?: string) =>
  sendRaw(fixture.url, target, method, headers, body);

/** Addresses in an answer that lead to the host and not into the path. */
function strayAddresses({ text, headers }: RawAnswer): string[] {
  // The web app compares its origin with the address that it was opened at.
  const written = JSON.stringify(headers) + text.replace(/<meta name="taxiway-origin"[^>]*>/, '');
  const whole = [...written.matchAll(new RegExp(`${origin}([^\\s"'<>()\\\\]*)`, 'g'))].map(([, rest = '']) => rest);
  const inPage = String(headers['content-type']).startsWith('text/html')
    ? [...text.matchAll(/\s(?:href|src|action)="(\/[^"]*)"/g)].map(([, address = '']) => address)
    : [];
  const location = String(headers.location ?? '');
  const cookies = [headers['set-cookie'] ?? []].flat().map((cookie) => /Path=([^;]*)/.exec(cookie)?.[1] ?? '');
  const found = [...whole, ...inPage, ...cookies, ...(location.startsWith('/') ? [location] : [])];
  return found.filter((address) => !new RegExp(`^${BASE}(?:[/?#]|$)`).test(address));
}

describe('every read below the path of base_url', () => {
  const reads = operations.filter(({ method }) => method === 'get');
  it.each(reads.map((row) => [row.id, row] as const))(
    '%s: works with the path kept or removed, and links nowhere else',
    async (_, row) => {
      for (const accept of ['text/html', '*/*']) {
        const headers = { authorization: `Bearer ${fixture.admin.access_token}`, accept };
        const [kept, taken] = [
          await ask(`${BASE}${addressOf(resources, row)}`, 'GET', headers),
          await ask(addressOf(resources, row), 'GET', headers),
        ];
        expect([kept.status, kept.headers['content-type']]).toEqual([taken.status, taken.headers['content-type']]);
        expect([strayAddresses(kept), strayAddresses(taken)]).toEqual([[], []]);
      }
    },
  );

  it.each(['GET', 'HEAD'])('has %s for programs at both addresses', async (method) => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      expect([path, (await ask(path, method)).status]).toEqual([path, 200]);
      expect([path, (await ask(`${BASE}${path}`, method)).status]).toEqual([path, 200]);
    }
  });
});

describe('a request', () => {
  it.each([
    [BASE, 200],
    [`${BASE}/`, 200],
    [`${BASE}?plain`, 200],
    [`${BASE}/?plain`, 200],
    [`http://elsewhere.example${BASE}/health/live`, 200],
    ['/', 200],
    [`${BASE}${BASE}/health/live`, 404],
    [`${BASE}x/health/live`, 404],
    [`/Tools/taxiway/health/live`, 404],
    ['/tools/health/live', 404],
    [`/tools/%74axiway/health/live`, 404],
    [`//tools/taxiway/health/live`, 404],
    [`${BASE}/nothing`, 404],
  ])('for %s returns %i', async (target, status) => {
    expect((await ask(target)).status).toBe(status);
  });

  it.each([
    ['/t/x', '/x'],
    ['/t', '/'],
    ['/t?a=/t/b', '/?a=/t/b'],
    ['/t#x', '/#x'],
    ['/t/', '/'],
    ['/t//x', '//x'],
    ['/tx', '/tx'],
    ['/x/t/y', '/x/t/y'],
    ['HTTP://a.example/t/x', 'HTTP://a.example/x'],
    ['https://a.example/t', 'https://a.example/'],
    ['https://a.example', 'https://a.example'],
    ['*', '*'],
    ['', ''],
  ])('target %s is %s without /t', (target, expected) => {
    expect(withoutBasePath(target, '/t')).toBe(expected);
    expect(withoutBasePath(target, '')).toBe(target);
  });

  it.each([
    ['http://localhost:8080', ''],
    ['https://example.com', ''],
    ['https://example.com/taxiway', '/taxiway'],
    ['https://[::1]:8443/a/b', '/a/b'],
  ])('%s has the path %j', (address, path) => {
    expect(basePathOf({ server: { ...fixture.config.server, base_url: address } })).toBe(path);
  });

  it('is not affected by path headers of a proxy', async () => {
    const lies = { 'x-forwarded-prefix': '/evil', 'x-script-name': '/evil', 'x-forwarded-path': '/evil' };
    for (const path of ['/?plain', '/trust', `/install/channels/${fixture.channel_id}`, '/nothing']) {
      const answer = await ask(path, 'GET', { ...lies, accept: 'text/html' });
      expect([path, answer.text.includes('evil'), strayAddresses(answer)]).toEqual([path, false, []]);
    }
  });
});

describe('cookies', () => {
  const signIn = (path: string) => {
    const { email, password } = fixture.admin;
    return ask(
      path,
      'POST',
      { 'content-type': 'application/json' },
      JSON.stringify({ email, password, cookies: true }),
    );
  };
  const paths = ({ headers }: RawAnswer) =>
    [headers['set-cookie'] ?? []].flat().map((cookie) => /^(\w+)=.*; Path=([^;]+)/.exec(cookie)?.slice(1));

  it.each([`${BASE}/api/v1/login`, '/api/v1/login'])('of a sign-in at %s are limited to this server', async (path) => {
    const answer = await signIn(path);
    expect(paths(answer)).toEqual([
      ['svc_access', BASE],
      ['svc_refresh', `${BASE}/api/v1/login`],
    ]);
  });

  it('are removed with the same path, and require the same origin', async () => {
    const cookies = [(await signIn('/api/v1/login')).headers['set-cookie'] ?? []].flat();
    const cookie = cookies.map((one) => one.split(';')[0]).join('; ');
    const refused = await ask(`${BASE}/api/v1/login/logout`, 'POST', { cookie, origin: 'http://other.example' });
    expect(refused.status).toBe(403);
    const answer = await ask(`${BASE}/api/v1/login/logout`, 'POST', { cookie, origin });
    expect(answer.status).toBe(204);
    expect(paths(answer)).toEqual([
      ['svc_access', BASE],
      ['svc_refresh', `${BASE}/api/v1/login`],
    ]);
  });
});

describe('the return address of an identity provider', () => {
  it.each([
    [undefined, `${BASE}/`],
    ['/', `${BASE}/`],
    ['/me?x=1', `${BASE}/me?x=1`],
    [`${BASE}/me`, `${BASE}/me`],
    [BASE, `${BASE}/`],
    ['/../other', `${BASE}/`],
    [`${BASE}/../other`, `${BASE}/`],
    [`${BASE}/%2e%2e/other`, `${BASE}/`],
    ['//evil.example', `${BASE}/`],
    [`${BASE}//evil.example`, `${BASE}//evil.example`],
    ['https://evil.example/', `${BASE}/`],
    ['/\\evil.example', `${BASE}/`],
  ])('%s becomes %s', (path, expected) => {
    expect(safePath(fixture, path)).toBe(expected);
    expect(homePath(fixture)).toBe(`${BASE}/`);
  });
});

describe('the description of the API', () => {
  it('contains the address with its path', async () => {
    const { body } = await api(fixture, null).get<{ servers: unknown }>('/api/openapi.json');
    expect(body.servers).toEqual([{ url: `${origin}${BASE}` }]);
    expect((await ask(`${BASE}/api/docs`)).headers.location).toBe(`${BASE}/docs/api.html`);
  });
});
