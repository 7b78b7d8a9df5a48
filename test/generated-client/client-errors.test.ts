// Errors of taxiway/client.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError, createClient } from '../../src/client.ts';

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['7', 7],
  ['0', 0],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['soon', null],
  ['-5', null],
  ['1.5', null],
  ['', null],
  [undefined, null],
])('contain the seconds to wait: %s', (value, seconds) => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00.400Z'), toFake: ['Date'] });
  const headers: Record<string, string> = value === undefined ? {} : { 'retry-after': value };
  expect(new ApiError(new Response(null, { status: 429, headers }), '').retryAfter).toBe(seconds);
});

it('name the address that the server redirects to, which gets no token, and a write never becomes a read', async () => {
  const seen: string[] = [];
  const target = createServer(({ method, headers }, response) => {
    seen.push(`${method} ${headers.authorization}`);
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"error":"unauthorized","message":"The credential is missing","details":{}}');
  });
  const front = createServer(({ url }, response) => {
    response.writeHead(301, { location: `${addressOf(target)}${url}` }).end();
  });
  const addressOf = (server: typeof target) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const server of [target, front]) await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const client = createClient({ url: addressOf(front), token: 'svc_pat_any' });
    const path = '/api/v1/projects';
    await expect(client.get(path)).rejects.toMatchObject({
      status: 401,
      code: 'unauthorized',
      message: `The server redirects to ${addressOf(target)}; create the client with that address`,
    });
    await expect(client.post(path, { body: {} })).rejects.toMatchObject({
      status: 301,
      code: 'http_301',
      message: `The server redirects to ${addressOf(target)}${path}; create the client with that address`,
    });
    expect(seen).toEqual(['GET undefined']);
  } finally {
    target.close();
    front.close();
  }
});
