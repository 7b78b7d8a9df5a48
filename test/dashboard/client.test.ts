// The API client: renewal of sessions by one tab at a time, and errors.
import { describe, expect, it } from 'vitest';
import { type ClientOptions, createClient } from '../../src/dashboard/api/client.ts';
import { ApiError, ConnectionError } from '../../src/dashboard/api/errors.ts';
import { createSessionMemory } from '../../src/dashboard/api/session.ts';
import { createLeaseLock, createTabLock } from '../../src/dashboard/api/tab-lock.ts';

interface Call {
  method: string;
  path: string;
  body: unknown;
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  const all = { 'content-type': 'application/json', 'x-request-id': 'request-1', ...headers };
  return new Response(JSON.stringify(body), { status, headers: all });
}

const refusal = (status: number, error: string, details: object = {}) =>
  json(status, { error, message: `about ${error}`, details });

/** The storage that the tabs of one browser share. */
function sharedStorage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

/** A server with refresh tokens that work once: a second use of one ends the session. */
function createServer() {
  const state = { calls: [] as Call[], refreshes: 0, reuses: 0, isEnded: false, accessFails: 0 };
  let cookie = 0;
  async function answer(address: string, init: RequestInit): Promise<Response> {
    const path = address.replace('/api/v1', '');
    const sent = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    state.calls.push({ method: init.method ?? '', path, body: sent });
    const used = cookie;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (path === '/login/refresh') {
      if (state.isEnded) return refusal(401, 'unauthorized');
      if (used !== cookie) {
        state.reuses += 1;
        return refusal(401, 'unauthorized');
      }
      state.refreshes += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
      cookie += 1;
      state.accessFails = 0;
      return json(200, { expires_in: 600 });
    }
    if (state.isEnded || state.accessFails > 0) return refusal(401, 'unauthorized');
    return json(200, { path });
  }
  return { state, answer };
}

function createTab(
  server: ReturnType<typeof createServer>,
  memory = sharedStorage(),
  more: Partial<ClientOptions> = {},
) {
  const reported = { reached: [] as boolean[], ends: 0 };
  const session = createSessionMemory(() => memory);
  const client = createClient({
    base: '',
    fetch: server.answer,
    session,
    exclusive: createLeaseLock({
      memory,
      now: () => Date.now(),
      pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      name: () => String(Math.random()),
    }),
    now: () => Date.now(),
    onReached: (isReached) => reported.reached.push(isReached),
    onSessionEnd: () => {
      reported.ends += 1;
    },
    ...more,
  });
  return { client, session, reported };
}

describe('an address', () => {
  it.each([
    '/projects/../developers/me',
    '/projects/..',
    '/projects/./members',
    '/projects/%2e%2E/developers',
    '/projects/.%2e/developers',
    '/projects//members',
    '/projects/a\\..\\b',
    '/projects/a?limit=1',
    '/projects/a#b',
    '//elsewhere',
  ])('with dot segments or separators is not found, and nothing is sent: %s', async (path) => {
    const server = createServer();
    const { client } = createTab(server);
    for (const method of ['GET', 'DELETE'] as const) {
      await expect(client.send(method, path)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    }
    expect(server.state.calls).toEqual([]);
  });

  it.each(['/projects/a-1', '/testers/invites/a..b/preview', '/testers/invites/..%2Fme/preview', '/.../a'])(
    'is sent unchanged: %s',
    async (path) => {
      const server = createServer();
      const { client } = createTab(server);
      await client.send('GET', path).catch(() => undefined);
      expect(server.state.calls.map((call) => call.path)).toEqual([path]);
    },
  );
});

describe('a session', () => {
  it('is renewed before it expires', async () => {
    const server = createServer();
    const { client, session } = createTab(server);
    session.write(Date.now() + 5000);
    await client.send('GET', '/projects');
    expect(server.state.calls.map(({ path }) => path)).toEqual(['/login/refresh', '/projects']);
    expect((session.read() ?? 0) - Date.now()).toBeGreaterThan(590_000);
  });

  it('is renewed after a 401, and the request is repeated', async () => {
    const server = createServer();
    const { client, session } = createTab(server);
    session.write(Date.now() + 600_000);
    server.state.accessFails = 1;
    expect(await client.send('GET', '/projects')).toEqual({ path: '/projects' });
    expect(server.state.calls.map(({ path }) => path)).toEqual(['/projects', '/login/refresh', '/projects']);
  });

  it('is renewed by one of many tabs: a refresh token is never sent twice', async () => {
    const server = createServer();
    const memory = sharedStorage();
    const tabs = Array.from({ length: 6 }, () => createTab(server, memory));
    tabs[0]?.session.write(Date.now() + 1000);
    await Promise.all(tabs.flatMap(({ client }) => [client.send('GET', '/one'), client.send('GET', '/two')]));
    expect([server.state.refreshes, server.state.reuses]).toEqual([1, 0]);
  });

  it('uses Web Locks if available', async () => {
    const held: string[] = [];
    let last: Promise<unknown> = Promise.resolve();
    const locks = {
      request(name: string, work: () => Promise<unknown>) {
        held.push(name);
        last = last.then(work);
        return last;
      },
    } as unknown as LockManager;
    const exclusive = createTabLock(locks, {
      memory: sharedStorage(),
      now: () => 0,
      pause: () => Promise.resolve(),
      name: () => '',
    });
    expect(await Promise.all([exclusive(async () => 1), exclusive(async () => 2)])).toEqual([1, 2]);
    expect(held).toEqual(['taxiway.refresh', 'taxiway.refresh']);
  });

  it('takes over the lease of a closed tab when it expires', async () => {
    const memory = sharedStorage();
    let now = 1000;
    const pause = async (milliseconds: number) => {
      now += milliseconds;
    };
    memory.setItem('taxiway.refresh', `dead ${now + 10_000}`);
    const lock = createLeaseLock({ memory, now: () => now, pause, name: () => 'alive' });
    expect(await lock(async () => 'done')).toBe('done');
    expect(now).toBeGreaterThanOrEqual(11_000);
    expect(memory.getItem('taxiway.refresh')).toBeNull();
  });

  it('expires for every tab if it cannot be renewed, and is reported once', async () => {
    const server = createServer();
    const { client, session, reported } = createTab(server);
    session.write(Date.now() + 600_000);
    server.state.isEnded = true;
    await expect(client.send('GET', '/projects')).rejects.toMatchObject({ status: 401 });
    expect([session.read(), reported.ends, client.mayBeSignedIn()]).toEqual([undefined, 1, false]);
  });

  it('is not renewed for anonymous requests', async () => {
    const server = createServer();
    const { client } = createTab(server);
    server.state.accessFails = 1;
    await expect(client.send('POST', '/login', { body: {}, isAnonymous: true })).rejects.toMatchObject({ status: 401 });
    expect(server.state.refreshes).toBe(0);
  });

  it('stores no token where scripts can read it', async () => {
    const memory = sharedStorage();
    const { client } = createTab(createServer(), memory);
    client.noteTokens({ expires_in: 600 });
    expect(memory.getItem('taxiway.session')).toMatch(/^\d+$/);
  });
});

describe('a request', () => {
  it('reports whether the server responded', async () => {
    const server = createServer();
    const lost = createTab(server, sharedStorage(), { fetch: () => Promise.reject(new TypeError('Failed to fetch')) });
    await expect(lost.client.send('GET', '/projects')).rejects.toThrow(ConnectionError);
    expect(lost.reported.reached).toEqual([false]);
    const found = createTab(server);
    await found.client.send('GET', '/projects');
    expect(found.reported.reached).toEqual([true]);
  });

  it('contains its query and body without undefined values', async () => {
    const server = createServer();
    const { client } = createTab(server);
    await client.send('POST', '/channels', { query: { project_id: 'p', cursor: undefined, limit: 5 }, body: { a: 1 } });
    expect(server.state.calls).toEqual([{ method: 'POST', path: '/channels?project_id=p&limit=5', body: { a: 1 } }]);
  });
});

describe('an error response', () => {
  const headers = (values: Record<string, string> = {}) => new Headers({ 'x-request-id': 'r-7', ...values });
  const errors = [
    { type: 'missing', loc: ['body', 'name'], msg: 'Field required' },
    { type: 'string_too_long', loc: ['body', 'name'], msg: 'second about the same' },
    { type: 'enum', loc: ['body', 'nested', 'role'], msg: 'Input should be one of these' },
    { type: 'uuid_parsing', loc: ['query', 'project_id'], msg: 'not about the body' },
  ];

  it('contains the fields of the body with the first error of each', () => {
    const error = new ApiError(400, { error: 'validation_error', message: 'm', details: { errors } }, headers());
    expect(error.fields).toEqual([
      { field: 'name', type: 'missing', message: 'Field required' },
      { field: 'nested.role', type: 'enum', message: 'Input should be one of these' },
    ]);
    expect([error.code, error.message, error.requestId]).toEqual(['validation_error', 'm', 'r-7']);
  });

  it('contains the field of an error without a path', () => {
    const body = { error: 'invalid_input', message: 'solve it', details: { field: 'captcha_token' } };
    expect(new ApiError(400, body, headers()).fields).toEqual([
      { field: 'captcha_token', type: 'invalid_input', message: 'solve it' },
    ]);
  });

  it.each([
    ['bare', { error: 'not_found' }, 'not_found', ''],
    ['no envelope', '<html>', 'unknown', ''],
    ['no body', undefined, 'unknown', ''],
    ['odd details', { error: 'x', message: 'y', details: [1] }, 'x', 'y'],
  ])('may have an incomplete envelope: %s', (_, body, code, message) => {
    const error = new ApiError(404, body, headers());
    expect([error.code, error.message, error.fields]).toEqual([code, message, []]);
  });

  it.each([
    ['7', 7],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30],
    ['soon', null],
  ])('contains the seconds to wait: %s', (value, seconds) => {
    const now = Date.parse('2026-11-21T10:00:00Z');
    expect(new ApiError(429, {}, headers({ 'retry-after': value }), now).retryAfter).toBe(seconds);
  });
});
