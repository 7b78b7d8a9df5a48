// Which state an install page is in, and the system versions that decide it.
import { describe, expect, it } from 'vitest';
import { isOlderVersion, nameMinimumVersion } from '../../src/install/os-version.ts';
import { decideInstallState, type InstallFacts } from '../../src/install/page/state.ts';
import type { Platform, ReleaseView } from '../../src/install/page/view.ts';
import type { Phone } from '../../src/install/phone.ts';

const now = new Date('2026-03-10T12:00:00Z');
const day = 24 * 60 * 60 * 1000;
const inDays = (days: number) => new Date(now.getTime() + days * day);
const iosTarget = {
  platform: 'ios',
  manifestUrl: 'https://builds.example.com/public/v1/install/t/manifest.plist',
} as const;
const androidTarget = {
  platform: 'android',
  downloadUrl: 'https://builds.example.com/public/v1/install/t/download',
} as const;

const releaseFor = (platform: Platform): ReleaseView => ({
  versionName: '1.4.2',
  buildNumber: 88,
  sizeBytes: 48_312_332,
  minimumOsVersion: platform === 'ios' ? '15.0' : '26',
  releaseNotes: null,
  releasedAt: now,
  profileKind: platform === 'ios' ? 'ad-hoc' : null,
});

describe('the state a page is in', () => {
  const phone = (system: Phone['system'], changes: Partial<Phone> = {}): Phone => ({
    system,
    osVersion: null,
    inAppBrowser: null,
    browser: null,
    couldBeIpad: false,
    ...changes,
  });
  const sound: InstallFacts['inspection'] = {
    isUnreadable: false,
    isSimulatorBuild: false,
    isUnsigned: false,
    isPartial: false,
    profileExpiresAt: null,
  };
  const facts = (platform: Platform, changes: Partial<InstallFacts> = {}): InstallFacts => ({
    now,
    phone: phone(platform),
    platform,
    release: releaseFor(platform),
    target: platform === 'ios' ? iosTarget : androidTarget,
    inspection: sound,
    linkExpiresAt: null,
    ...changes,
  });
  const storeRelease: ReleaseView = { ...releaseFor('ios'), profileKind: 'app-store' };

  it.each<[string, InstallFacts, object]>([
    ['an iPhone', facts('ios'), { kind: 'ready', device: 'iphone', target: iosTarget, notices: [] }],
    ['an iPad', facts('ios', { phone: phone('ipados') }), { kind: 'ready', device: 'ipad' }],
    ['an Android phone', facts('android'), { kind: 'ready', device: 'android', target: androidTarget }],
    ['a desktop', facts('ios', { phone: phone('desktop') }), { kind: 'desktop', couldBeIpad: false }],
    [
      'a Mac or iPad',
      facts('ios', { phone: phone('desktop', { couldBeIpad: true }) }),
      { kind: 'desktop', couldBeIpad: true },
    ],
    [
      'a Mac and an Android app',
      facts('android', { phone: phone('desktop', { couldBeIpad: true }) }),
      { kind: 'desktop', couldBeIpad: false },
    ],
    ['nothing released', facts('ios', { release: null, phone: phone('android') }), { kind: 'nothing_released' }],
    [
      'an Android link on an iPhone',
      facts('android', { phone: phone('ios') }),
      { kind: 'wrong_platform', device: 'iphone' },
    ],
    [
      'an iOS link on Android',
      facts('ios', { phone: phone('android') }),
      { kind: 'wrong_platform', device: 'android' },
    ],
    [
      'another app',
      facts('ios', { phone: phone('ios', { inAppBrowser: 'LINE' }) }),
      { kind: 'in_app_browser', app: 'LINE', target: iosTarget },
    ],
    [
      'an old iPhone',
      facts('ios', { phone: phone('ios', { osVersion: '12.5.7' }) }),
      { kind: 'os_too_old', needed: 'iOS 15.0', actual: 'iOS 12.5.7', device: 'iphone' },
    ],
    [
      'an old iPhone in another app',
      facts('ios', { phone: phone('ios', { osVersion: '12.5.7', inAppBrowser: 'LINE' }) }),
      { kind: 'os_too_old' },
    ],
    [
      'an old Android phone',
      facts('android', { phone: phone('android', { osVersion: '7.1.1' }) }),
      { kind: 'os_too_old', needed: 'Android 8.0', actual: 'Android 7.1.1' },
    ],
    [
      'a phone just new enough',
      facts('android', { phone: phone('android', { osVersion: '8.0.0' }) }),
      { kind: 'ready' },
    ],
    [
      'a profile that ended',
      facts('ios', { inspection: { ...sound, profileExpiresAt: now } }),
      { kind: 'profile_expired', expiredAt: now },
    ],
    [
      'a profile that ended, on a desktop',
      facts('ios', { phone: phone('desktop'), inspection: { ...sound, profileExpiresAt: inDays(-1) } }),
      { kind: 'profile_expired' },
    ],
    [
      'a profile with 30 days',
      facts('ios', { inspection: { ...sound, profileExpiresAt: inDays(30) } }),
      { kind: 'ready', notices: [] },
    ],
    [
      'a profile with less',
      facts('ios', { inspection: { ...sound, profileExpiresAt: inDays(29) } }),
      { kind: 'ready', notices: [{ kind: 'profile_expires', expiresAt: inDays(29) }] },
    ],
    [
      'an App Store profile',
      facts('ios', { release: storeRelease }),
      { kind: 'not_installable', reason: 'app_store_profile' },
    ],
    [
      'a simulator build',
      facts('ios', { inspection: { ...sound, isSimulatorBuild: true } }),
      { kind: 'not_installable', reason: 'simulator' },
    ],
    [
      'an unsigned build',
      facts('android', { inspection: { ...sound, isUnsigned: true } }),
      { kind: 'not_installable', reason: 'unsigned' },
    ],
    [
      'a split',
      facts('android', { inspection: { ...sound, isPartial: true } }),
      { kind: 'not_installable', reason: 'partial' },
    ],
    [
      'an unreadable .ipa',
      facts('ios', { inspection: { ...sound, isUnreadable: true } }),
      { kind: 'not_installable', reason: 'unreadable' },
    ],
    [
      'an unreadable .apk',
      facts('android', { inspection: { ...sound, isUnreadable: true, isUnsigned: true } }),
      { kind: 'ready', notices: [{ kind: 'unreadable' }] },
    ],
    [
      'iOS without https',
      facts('ios', { target: { platform: 'ios', manifestUrl: 'http://a.example/m' } }),
      { kind: 'https_needed' },
    ],
    [
      'Android without https',
      facts('android', { target: { platform: 'android', downloadUrl: 'http://a.example/d' } }),
      { kind: 'ready' },
    ],
    [
      'a capability',
      facts('ios', { linkExpiresAt: inDays(0.01) }),
      { kind: 'ready', notices: [{ kind: 'link_expires', expiresAt: inDays(0.01) }] },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideInstallState(given)).toMatchObject(expected);
  });
});

describe('system versions', () => {
  it.each([
    ['ios', '15.0', 'iOS 15.0'],
    ['ios', 'fifteen', null],
    ['ios', null, null],
    ['android', '21', 'Android 5.0'],
    ['android', '23', 'Android 6.0'],
    ['android', '28', 'Android 9'],
    ['android', '33', 'Android 13'],
    ['android', '36', 'Android 16'],
    ['android', '99', 'Android (API 99)'],
    ['android', '0', null],
    ['android', '<b>', null],
  ] as const)('%s %s is %s', (platform, minimum, expected) => {
    expect(nameMinimumVersion(platform, minimum)).toBe(expected);
  });

  it.each([
    ['14.8.1', '15.0', true],
    ['15', '15.0', false],
    ['15.0.1', '15', false],
    ['9', '10', true],
    ['26.0', '18.6', false],
    [null, '15', false],
    ['15', null, false],
  ])('%s is older than %s: %s', (version, minimum, isOlder) => {
    expect(isOlderVersion(version, minimum)).toBe(isOlder);
  });
});
