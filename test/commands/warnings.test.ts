// What taxiway upload says of a package that phones will not install, as the server's inspection found.
import { describe, expect, it } from 'vitest';
import { listWarnings } from '../../src/commands/client/warnings.ts';

const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const ios = {
  kind: 'ad-hoc',
  expires_at: '2027-01-01T00:00:00Z',
  provisioned_devices: ['x'],
  provisions_all_devices: false,
};
const of = (content: object | null, status = 'ok') => listWarnings({ inspection_status: status, content }, NOW);

describe('warnings about a package', () => {
  it.each([
    ['a package that phones install', { signing: ios }, []],
    [
      'an enterprise package',
      { signing: { ...ios, kind: 'enterprise', provisioned_devices: [], provisions_all_devices: true } },
      [],
    ],
    ['a signed .apk', { signing: { verified: true } }, []],
    ['no signature', { signing: null }, [/is not signed/]],
    [
      'an .apk whose signature does not verify',
      { signing: { verified: false, verified_from_sdk: null } },
      [/is not signed/],
    ],
    [
      'an .apk with only a v3 signature',
      { signing: { verified: false, verified_from_sdk: 28 } },
      [/^the package's signature needs Android 9; older phones refuse it$/],
    ],
    [
      'a signature for a system that this program does not know',
      { signing: { verified: false, verified_from_sdk: 99 } },
      [/^the package's signature needs Android \(API 99\); older phones refuse it$/],
    ],
    ['a package for the simulator', { is_simulator: true, signing: null }, [/is not signed/, /for the simulator/]],
    [
      'an App Store profile',
      { signing: { ...ios, kind: 'app-store', provisioned_devices: [] } },
      [/signed for the App Store/],
    ],
    ['a test-only package', { test_only: true, signing: { verified: true } }, [/marked testOnly/]],
    ['an expired profile', { signing: { ...ios, expires_at: '2026-05-31T00:00:00Z' } }, [/expired on 2026-05-31/]],
    ['a profile near its end', { signing: { ...ios, expires_at: '2026-06-04T12:00:00Z' } }, [/2026-06-04, in 3 days/]],
    ['a profile for nobody', { signing: { ...ios, provisioned_devices: [] } }, [/names no device/]],
  ])('%s', (_name, content, expected) => {
    expect(of(content)).toEqual(expected.map((text) => expect.stringMatching(text)));
  });

  it.each([
    ['android', '25', 25, []],
    ['android', '25', 101, [/versionCode in the package is 25, not 101/]],
    ['ios', '25', 101, []],
    ['android', null, 101, []],
  ])('a build of %s with the number %s that goes by %s', (platform, own, stated, expected) => {
    const content = { platform, build_number: own, signing: { verified: true } };
    const warnings = listWarnings({ inspection_status: 'ok', content }, NOW, stated);
    expect(warnings).toEqual(expected.map((text) => expect.stringMatching(text)));
  });

  it('an archive that cannot be read', () => {
    expect(of(null, 'unreadable')).toEqual([expect.stringMatching(/cannot read it/)]);
  });
});
