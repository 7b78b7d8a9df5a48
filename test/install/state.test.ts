// The state of an install page, and the system versions that determine it.
import { describe, expect, it } from 'vitest';
import {
  isOlderVersion,
  isSystemTooOld,
  nameMinimumVersion,
  readSystemVersion,
} from '../../src/compatibility/os-version.ts';
import type { Phone } from '../../src/compatibility/phone.ts';
import type { BuildFacts } from '../../src/compatibility/verdict.ts';
import { decideInstallState, type InstallFacts } from '../../src/install/page/state.ts';
import type { Platform } from '../../src/platforms.ts';
import { installableBuild } from './installable-build.ts';

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

describe('the state of a page', () => {
  const phone = (system: Phone['system'], changes: Partial<Phone> = {}): Phone => ({
    system,
    osVersion: null,
    inAppBrowser: null,
    browser: null,
    couldBeIpad: false,
    ...changes,
  });
  type Archive = NonNullable<BuildFacts['archive']>;
  const archived = (platform: Platform, changes: Partial<Archive>): { build: BuildFacts } => {
    const build = installableBuild(platform);
    return { build: { ...build, archive: build.archive && { ...build.archive, ...changes } } };
  };
  const profiled = (changes: Partial<NonNullable<Archive['profile']>>) =>
    archived('ios', { profile: { kind: 'ad-hoc', expiresAt: null, ...changes } });
  const unreadable = (platform: Platform) => ({ build: { ...installableBuild(platform), archive: null } });
  const facts = (platform: Platform, changes: Partial<InstallFacts> = {}): InstallFacts => ({
    now,
    phone: phone(platform),
    registration: null,
    build: installableBuild(platform),
    lacksManifest: false,
    target: platform === 'ios' ? iosTarget : androidTarget,
    reinstall: null,
    isLocked: false,
    linkExpiresAt: null,
    ...changes,
  });
  const named = { udid: 'named-device', isRegisteredHere: true };
  const other = { udid: 'another', isRegisteredHere: false };

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
      facts('ios', profiled({ expiresAt: now.getTime() })),
      { kind: 'profile_expired', expiredAt: now },
    ],
    [
      'a profile that ended, on a desktop',
      facts('ios', { phone: phone('desktop'), ...profiled({ expiresAt: inDays(-1).getTime() }) }),
      { kind: 'profile_expired' },
    ],
    [
      'a profile with 30 days',
      facts('ios', profiled({ expiresAt: inDays(30).getTime() })),
      { kind: 'ready', notices: [] },
    ],
    [
      'a profile with less',
      facts('ios', profiled({ expiresAt: inDays(29).getTime() })),
      { kind: 'ready', notices: [{ kind: 'profile_expires', expiresAt: inDays(29) }] },
    ],
    [
      'an App Store profile',
      facts('ios', profiled({ kind: 'app-store' })),
      { kind: 'not_installable', reason: 'app_store_profile' },
    ],
    [
      'a simulator build',
      facts('ios', archived('ios', { isSimulatorBuild: true })),
      { kind: 'not_installable', reason: 'simulator' },
    ],
    [
      'an unsigned build',
      facts('android', archived('android', { isUnsigned: true })),
      { kind: 'not_installable', reason: 'unsigned' },
    ],
    [
      'a split',
      facts('android', archived('android', { isPartial: true })),
      { kind: 'not_installable', reason: 'partial' },
    ],
    ['an unreadable .ipa', facts('ios', unreadable('ios')), { kind: 'not_installable', reason: 'unreadable' }],
    [
      'an unreadable .apk',
      facts('android', unreadable('android')),
      { kind: 'ready', notices: [{ kind: 'unreadable' }] },
    ],
    [
      'an .ipa without an identifier',
      facts('ios', { lacksManifest: true }),
      { kind: 'not_installable', reason: 'unreadable' },
    ],
    [
      'a package for computers',
      facts('android', archived('android', { isTestOnly: true })),
      { kind: 'not_installable', reason: 'test_only' },
    ],
    [
      'an iPad app on an iPhone',
      facts('ios', archived('ios', { families: ['ipad'] })),
      { kind: 'wrong_family', device: 'iphone' },
    ],
    [
      'an iPad app on a desktop',
      facts('ios', { ...archived('ios', { families: ['ipad'] }), phone: phone('desktop') }),
      { kind: 'desktop' },
    ],
    ['an unknown iPhone', facts('ios'), { kind: 'ready', provisioning: 'unknown' }],
    ['an iPhone in the profile', facts('ios', { registration: named }), { kind: 'ready', provisioning: 'named' }],
    [
      'a registered iPhone that is not',
      facts('ios', { registration: { ...other, isRegisteredHere: true } }),
      { kind: 'not_provisioned', isRegistered: true, target: iosTarget },
    ],
    [
      'an iPhone that another organization registered',
      facts('ios', { registration: other }),
      { kind: 'not_provisioned', isRegistered: false },
    ],
    [
      'an enterprise profile',
      facts('ios', { registration: other, ...profiled({ kind: 'enterprise' }) }),
      { kind: 'ready', provisioning: 'anybody' },
    ],
    [
      'Android, which has no profiles',
      facts('android', { registration: other }),
      { kind: 'ready', provisioning: 'anybody' },
    ],
    [
      'Android before 8',
      facts('android', {
        phone: phone('android', { osVersion: '7.1.1' }),
        build: { ...installableBuild('android'), minOsVersion: '21' },
      }),
      { kind: 'ready', hasOldSettings: true },
    ],
    [
      'Android from 8',
      facts('android', { phone: phone('android', { osVersion: '8.0.0' }) }),
      { kind: 'ready', hasOldSettings: false },
    ],
    ['a locked organization', facts('ios', { isLocked: true }), { kind: 'locked' }],
    [
      'a locked organization, on a desktop',
      facts('android', { isLocked: true, phone: phone('desktop') }),
      { kind: 'locked' },
    ],
    [
      'another phone of a locked organization',
      facts('ios', { isLocked: true, phone: phone('android') }),
      { kind: 'wrong_platform' },
    ],
    [
      'another key than before',
      facts('android', { reinstall: { reason: 'certificate', versionName: '1.4.1' } }),
      { kind: 'ready', notices: [{ kind: 'reinstall', reason: 'certificate', versionName: '1.4.1' }] },
    ],
    [
      'an old iPhone and no https',
      facts('ios', {
        target: { platform: 'ios', manifestUrl: 'http://a.example/m' },
        phone: phone('ios', { osVersion: '12.0' }),
      }),
      { kind: 'https_needed' },
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
    ['android', '31', 'Android 12'],
    ['android', '32', 'Android 12L'],
    ['android', '33', 'Android 13'],
    ['android', '36', 'Android 16'],
    ['android', '99', 'Android (API 99)'],
    ['android', '0', null],
    ['android', '<b>', null],
  ] as const)('the minimum version of %s %s is displayed as %s', (platform, minimum, expected) => {
    expect(nameMinimumVersion(platform, minimum)).toBe(expected);
  });

  it.each([
    ['17.5', { version: '17.5', isExact: true }],
    ['21F79', { version: '17.5', isExact: false }],
    ['22A3354', { version: '18.0', isExact: false }],
    ['23B85', { version: '26.1', isExact: false }],
    ['23C5027f', { version: '26.2', isExact: false }],
    ['17G80', { version: '13.99', isExact: false }],
    ['F79', null],
    ['21F79; DROP', null],
    ['', null],
    [null, null],
  ])('%s is read as %o', (text, expected) => {
    expect(readSystemVersion(text)).toEqual(expected);
  });

  it.each([
    ['21F79', '17.5', false],
    ['21F79', '17.5.1', false],
    ['21F79', '17.6', true],
    ['21F79', '18.0', true],
    ['17G80', '13.7', false],
    ['17G80', '14.0', true],
    ['17.5', '17.5.1', true],
    ['beta', '17.0', false],
  ])('%s compared with the minimum %s: too old is %s', (system, minimum, isTooOld) => {
    expect(isSystemTooOld(system, minimum)).toBe(isTooOld);
  });

  it.each([
    ['14.8.1', '15.0', true],
    ['15', '15.0', false],
    ['15.0.1', '15', false],
    ['9', '10', true],
    ['26.0', '18.6', false],
    [null, '15', false],
    ['15', null, false],
  ])('%s compared with %s: older is %s', (version, minimum, isOlder) => {
    expect(isOlderVersion(version, minimum)).toBe(isOlder);
  });
});
