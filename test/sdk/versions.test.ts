// The order of builds on Android and iOS, also with missing values.
import { describe, expect, it } from 'vitest';
import type { Platform } from '../../src/platforms.ts';
import { compareVersionNames, isNewerBuild, pickNewest, type Version } from '../../src/sdk/versions.ts';

const version = (text: string): Version => {
  const [name = '', number = ''] = text.split('/');
  return { versionName: name === '' ? null : name, buildNumber: number === '' ? null : Number(number) };
};

describe('version names', () => {
  it.each([
    ['1.10', '1.9', 1],
    ['2', '1.9.9', 1],
    ['1.2', '1.2.0', 0],
    ['1.2.0-beta.3', '1.2', 0],
    ['1.2.1-beta', '1.2', 1],
    ['beta', '0.1', -1],
    ['beta', 'alpha', 0],
    ['', '', 0],
    ['999999999999999.1', '999999999999999', 1],
    [`1${'.1'.repeat(100)}`, '1.1', 1],
  ])('%s compared with %s', (left, right, expected) => {
    expect(Math.sign(compareVersionNames(left, right))).toBe(expected);
    expect(Math.sign(compareVersionNames(right, left))).toBe(0 - expected || 0);
  });
});

describe('a newer build', () => {
  it.each([
    ['android', '1.0/2', '1.0/1', true],
    ['android', '1.0/2', '9.0/1', true],
    ['android', '9.0/1', '1.0/2', false],
    ['android', '1.1/1', '1.0/1', true],
    ['android', '1.0/1', '1.0/1', false],
    ['android', '1.0/2', '/1', true],
    ['android', '1.0/2', '/2', false],
    ['android', '1.1/2', '1.0/', true],
    ['android', '1.1/2', '1.1/', false],
    ['ios', '1.1/1', '1.0/9', true],
    ['ios', '1.0/9', '1.1/1', false],
    ['ios', '1.0/2', '1.0/1', true],
    ['ios', '1.0/2', '/1', true],
    ['ios', '1.0/1', '/1', false],
    ['ios', '1.0/1', '0.9/', true],
    ['ios', '1.0/1', '/', true],
    ['android', '0/0', '/', true],
  ] as [Platform, string, string, boolean][])(
    'on %s: whether %s is newer than %s is %j',
    (platform, build, running, expected) => {
      expect(isNewerBuild(platform, version(build), version(running))).toBe(expected);
    },
  );
});

describe('the representative builds', () => {
  it('decide correctly for every mix of builds and any running one', () => {
    const names = ['1.0', '1.1', '1.10', 'beta'];
    const all = names.flatMap((name) => [1, 2, 3].map((number) => version(`${name}/${number}`)));
    const running = [
      version('/'),
      ...names.map((name) => version(`${name}/`)),
      ...[0, 1, 2, 3].map((n) => version(`/${n}`)),
      ...all,
    ];
    let state = 7;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state;
    };
    for (let round = 0; round < 500; round += 1) {
      const some = all.filter(() => random() % 3 === 0);
      for (const platform of ['ios', 'android'] as const) {
        const picked = pickNewest(platform, some);
        expect(picked.length).toBeLessThanOrEqual(3);
        for (const one of running) {
          const expected = some.some((build) => isNewerBuild(platform, build, one));
          expect(picked.some((build) => isNewerBuild(platform, build, one))).toBe(expected);
        }
      }
    }
  });
});
