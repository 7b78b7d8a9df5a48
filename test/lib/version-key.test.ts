// The order of versions.
import { expect, it } from 'vitest';
import { versionKey } from '../../src/lib/version-key.ts';

it('sorts versions like people do, and equal versions by build number', () => {
  const sorted: [string, number][] = [
    ['', 1],
    ['0.9', 1],
    ['1.0-alpha', 9],
    ['1.0-alpha.2', 1],
    ['1.0-alpha.10', 1],
    ['1.0-beta', 1],
    ['1.0-rc2', 1],
    ['1.0-rc10', 1],
    ['1.0', 2],
    ['1.0', 10],
    ['1.0', Number.MAX_SAFE_INTEGER],
    ['1.0+7', 1],
    ['1.0.1', 1],
    ['1.2', 1],
    ['1.10', 1],
    ['2024.1', 1],
    ['nightly', 1],
    ['édition', 1],
  ];
  const keys = sorted.map(([version, number]) => versionKey(version, number));
  expect(keys.toSorted()).toEqual(keys);
  expect(new Set(keys).size).toBe(keys.length);
});

it('is plain ASCII of limited length for any version', () => {
  for (const version of [
    '9'.repeat(255),
    '\u{1f600}'.repeat(127),
    '𝟙.𝟚',
    '1 2_3/4',
    `${'0'.repeat(200)}1`,
    'É'.repeat(255),
  ]) {
    const key = versionKey(version, 5);
    expect(key).toMatch(/^[\x20-\x7e]+"0000000000000005$/);
    expect(key.length).toBeLessThanOrEqual(217);
  }
  expect(versionKey('1.007', 1)).toBe(versionKey('1.7', 1));
  expect(versionKey('1.0-RC', 1)).toBe(versionKey('1.0-rc', 1));
});
