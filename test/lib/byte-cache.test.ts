// The cache that is limited by bytes.
import { expect, it } from 'vitest';
import { ByteCache } from '../../src/lib/byte-cache.ts';

const keysIn = (cache: ByteCache<string>) => ['a', 'b', 'c', 'd'].filter((key) => cache.get(key) === `value of ${key}`);

function filled(maxBytes: number, sizes: Record<string, number>): ByteCache<string> {
  const cache = new ByteCache<string>(maxBytes);
  for (const [key, bytes] of Object.entries(sizes)) cache.add(key, `value of ${key}`, bytes);
  return cache;
}

it('keeps values up to its limit', () => {
  const cache = filled(100, { a: 40, b: 40, c: 20 });
  expect([keysIn(cache), cache.bytes]).toEqual([['a', 'b', 'c'], 100]);
});

it('forgets only as many of the oldest values as the new one needs', () => {
  const cache = filled(100, { a: 40, b: 40, c: 20, d: 1 });
  expect([keysIn(cache), cache.bytes]).toEqual([['b', 'c', 'd'], 61]);
  cache.add('a', 'value of a', 80);
  expect([keysIn(cache), cache.bytes]).toEqual([['a', 'd'], 81]);
});

it('replaces a value, which is then the newest', () => {
  const cache = filled(100, { a: 40, b: 40 });
  cache.add('a', 'value of a', 50);
  expect(cache.bytes).toBe(90);
  cache.add('c', 'value of c', 20);
  expect([keysIn(cache), cache.bytes]).toEqual([['a', 'c'], 70]);
});

it("doesn't keep a value that is larger than its limit, nor forget others for it", () => {
  const cache = filled(100, { a: 40, b: 101 });
  expect([keysIn(cache), cache.bytes]).toEqual([['a'], 40]);
});
