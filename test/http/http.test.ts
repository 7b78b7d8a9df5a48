// The error envelope for all errors: not found, not allowed, invalid, and server errors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { setupLinks } from '../../src/data/tables/tables.ts';
import { anonymous, media, operation } from '../../src/http/operation.ts';
import { reply } from '../../src/http/reply.ts';
import { AppError } from '../../src/lib/errors.ts';
import { openTestApp } from '../core/open-app.ts';
import { type Listening, listen } from '../support/listening.ts';

let opened: Awaited<ReturnType<typeof openTestApp>>;
let http: Listening;
const seenKeys: unknown[] = [];

beforeAll(async () => {
  opened = await openTestApp();
  const shared = { tag: 'Test', summary: 'test', access: anonymous, status: 200 } as const;
  const answer = z.object({ value: z.number() });
  http = await listen({
    app: opened.app,
    clientAddress: () => null,
    operations: [
      operation({ ...shared, id: 'get', method: 'get', path: '/thing', returns: answer, handle: () => ({ value: 1 }) }),
      operation({
        ...shared,
        id: 'post',
        method: 'post',
        path: '/thing',
        body: z.object({ name: z.string() }),
        returns: answer,
        handle: (_ctx, { body }) => {
          seenKeys.push(Object.keys(body));
          return { value: body.name.length };
        },
      }),
      operation({
        ...shared,
        id: 'panic',
        method: 'get',
        path: '/panic',
        returns: answer,
        handle: () => {
          throw new Error('secret detail of the inside');
        },
      }),
      operation({
        ...shared,
        id: 'wrong',
        method: 'get',
        path: '/wrong',
        returns: answer,
        handle: () => ({ value: 'not a number' }) as unknown as { value: number },
      }),
      operation({
        ...shared,
        id: 'constraint',
        method: 'get',
        path: '/constraint',
        returns: answer,
        handle: (ctx) => {
          const row = { tokenHash: 'same', createdAt: 0, expiresAt: 0 };
          ctx.transact((tx) => tx.db.insert(setupLinks).values([row, row]).run(), { bookkeeping: true });
          return { value: 1 };
        },
      }),
      operation({
        ...shared,
        id: 'unsendable',
        method: 'get',
        path: '/unsendable',
        returns: media('text/plain'),
        handle: () => reply('text/plain', 'inside', { 'x-broken': 'a\r\nb' }),
      }),
      operation({
        ...shared,
        id: 'unsendableLater',
        method: 'put',
        path: '/unsendable',
        returns: media('text/plain'),
        handle: async () => reply('text/plain', 'inside', { 'x-broken': 'a\r\nb' }),
      }),
      operation({
        ...shared,
        id: 'refused',
        method: 'get',
        path: '/refused',
        returns: answer,
        handle: () => {
          throw new AppError('rate_limit_exceeded', 'Slowly', { wait: 5 }, { 'retry-after': '5' });
        },
      }),
    ],
  });
});
afterAll(async () => {
  await http?.stop();
  await opened.close();
});

async function ask(method: string, path: string, init: RequestInit = {}) {
  const response = await http.request(path, { method, ...init });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('an error', () => {
  it.each([
    ['GET', '/nothing', 404, 'not_found'],
    ['GET', '/thing/', 404, 'not_found'],
    ['DELETE', '/thing', 405, 'method_not_allowed'],
    ['OPTIONS', '/thing', 405, 'method_not_allowed'],
    ['GET', '/panic', 500, 'internal_error'],
    ['GET', '/wrong', 500, 'internal_error'],
    ['GET', '/constraint', 409, 'already_exists'],
    ['GET', '/unsendable', 500, 'internal_error'],
    ['PUT', '/unsendable', 500, 'internal_error'],
    ['GET', '/refused', 429, 'rate_limit_exceeded'],
  ])('%s %s returns %i %s in the envelope', async (method, path, status, error) => {
    const answer = await ask(method, path);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, message: expect.any(String), details: expect.any(Object) });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.stringify(answer.body)).not.toMatch(/secret|inside|SQLITE|UNIQUE|not a number/);
  });
  it('contains the allowed methods', async () => {
    expect((await ask('PUT', '/thing')).headers.get('allow')).toBe('GET, HEAD, POST');
  });
  it('contains its own details and headers', async () => {
    const answer = await ask('GET', '/refused');
    expect([answer.body, answer.headers.get('retry-after')]).toEqual([
      { error: 'rate_limit_exceeded', message: 'Slowly', details: { wait: 5 } },
      '5',
    ]);
  });
});

describe('a response', () => {
  it('has a new id each time and is not cached', async () => {
    const [one, two] = [await ask('GET', '/thing'), await ask('GET', '/thing')];
    expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'));
    expect(one.headers.get('cache-control')).toBe('no-store');
  });
  it('ignores unknown fields, unknown parameters and Idempotency-Key', async () => {
    const init = {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'again' },
      body: '{"name":"abc","extra":{"deep":1},"__proto__":{"polluted":true}}',
    };
    const before = seenKeys.length;
    const answers = [await ask('POST', '/thing?unknown=1', init), await ask('POST', '/thing?unknown=1', init)];
    expect(answers.map((answer) => [answer.status, answer.body])).toEqual([
      [200, { value: 3 }],
      [200, { value: 3 }],
    ]);
    expect(seenKeys.slice(before)).toEqual([['name'], ['name']]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
  it('to HEAD equals that of GET without its body', async () => {
    const response = await http.request('/thing', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});
