// Errors of taxiway/client.
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/client.ts';

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
