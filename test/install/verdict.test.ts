// Whether a device can install a build, and why not: every reason, and their order.
import { describe, expect, it } from 'vitest';
import { readMinimumVersion } from '../../src/compatibility/os-version.ts';
import {
  type BuildFacts,
  judgeInstall,
  type PhoneFacts,
  provenUninstallable,
  unknownPhone,
} from '../../src/compatibility/verdict.ts';
import { factsOfDevice, factsOfPhone } from '../../src/devices/compatibility-facts.ts';
import { gatherFacts } from '../../src/inspection/facts.ts';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import { DAY } from '../../src/lib/clock.ts';
import { readFixture, readTruth } from '../inspection/read-truth.ts';
import {
  bufferSource,
  buildApk,
  buildIpa,
  buildJarSignedApk,
  readApiDemos,
  sampleDevices,
} from '../support/fixtures.ts';
import { installableBuild, listOf } from './installable-build.ts';

const now = Date.parse('2026-03-10T12:00:00Z');
type Archive = NonNullable<BuildFacts['archive']>;

const iphone: PhoneFacts = { ...unknownPhone('ios'), family: 'iphone', osVersion: '17.5', udid: 'named-device' };
const android: PhoneFacts = { ...unknownPhone('android'), osVersion: '14', abis: ['arm64-v8a', 'armeabi-v7a'] };
const ios = (changes: Partial<BuildFacts> = {}): BuildFacts => ({ ...installableBuild('ios'), ...changes });
const apk = (changes: Partial<BuildFacts> = {}): BuildFacts => ({ ...installableBuild('android'), ...changes });
const archive = (build: BuildFacts, changes: Partial<Archive>): BuildFacts => ({
  ...build,
  archive: build.archive && { ...build.archive, ...changes },
});
const signed = (kind: NonNullable<Archive['profile']>['kind'], expiresAt: number | null = null) =>
  archive(ios(), { profile: { kind, expiresAt } });

const oldSignature = archive(apk(), { verifiedUntilSdk: 29 });

describe('a verdict', () => {
  it.each<[string, BuildFacts, PhoneFacts, 'yes' | 'no' | 'unknown', string]>([
    ['a named iPhone', ios(), iphone, 'yes', 'provisioned'],
    ['its identifier in another spelling', ios(), { ...iphone, udid: ' Named-Device ' }, 'yes', 'provisioned'],
    ['a development profile', signed('development'), iphone, 'yes', 'provisioned'],
    ['an iPhone that is not named', ios(), { ...iphone, udid: 'other' }, 'no', 'not_provisioned'],
    ['an iPhone nobody knows', ios(), { ...iphone, udid: null }, 'unknown', 'unknown_device'],
    ['a desktop', ios(), unknownPhone(null), 'unknown', 'unknown_device'],
    ['an enterprise build', signed('enterprise'), { ...iphone, udid: 'other' }, 'yes', 'enterprise'],
    ['an enterprise build, device unknown', signed('enterprise'), unknownPhone('ios'), 'yes', 'enterprise'],
    ['an App Store build', signed('app-store'), iphone, 'no', 'app_store_profile'],
    ['an ended profile', signed('ad-hoc', now), iphone, 'no', 'profile_expired'],
    ['an ended enterprise profile', signed('enterprise', now - DAY), iphone, 'no', 'profile_expired'],
    ['a profile that ends in a millisecond', signed('ad-hoc', now + 1), iphone, 'yes', 'provisioned'],
    ['Android', apk(), android, 'yes', 'installable'],
    ['an iPhone and an .apk', apk(), iphone, 'no', 'platform'],
    ['Android and an .ipa', ios(), android, 'no', 'platform'],
    ['an iPhone that is too old', ios({ minOsVersion: '18.0' }), iphone, 'no', 'os_too_old'],
    ['an iPhone whose build is too old', ios(), { ...iphone, osVersion: '18H17' }, 'no', 'os_too_old'],
    ['an iPhone whose build is new enough', ios(), { ...iphone, osVersion: '21F79' }, 'yes', 'provisioned'],
    ['iOS 15.0', ios({ minOsVersion: '15.4' }), { ...iphone, osVersion: '19A346' }, 'no', 'os_too_old'],
    ['iOS 15.4', ios({ minOsVersion: '15.4' }), { ...iphone, osVersion: '19E241' }, 'yes', 'provisioned'],
    ['iOS 14', ios({ minOsVersion: '15.0' }), { ...iphone, osVersion: '18A373' }, 'no', 'os_too_old'],
    ['iOS 6', ios(), { ...iphone, osVersion: '10A403' }, 'no', 'os_too_old'],
    ['a build older than iOS 6', ios(), { ...iphone, osVersion: '09A100' }, 'yes', 'provisioned'],
    [
      'an iPhone whose system is unknown',
      ios({ minOsVersion: '18.0' }),
      { ...iphone, osVersion: null },
      'yes',
      'provisioned',
    ],
    ['Android that is too old', apk({ minOsVersion: '35' }), android, 'no', 'os_too_old'],
    [
      'Android 12L, which reports 12',
      apk({ minOsVersion: '32' }),
      { ...android, osVersion: '12' },
      'yes',
      'installable',
    ],
    ['Android that is just new enough', apk({ minOsVersion: '34' }), android, 'yes', 'installable'],
    ['a signature for newer phones only', archive(apk(), { verifiedFromSdk: 35 }), android, 'no', 'os_too_old'],
    ['a signature for older phones only', oldSignature, android, 'no', 'signature_too_old'],
    ['the first phone that is too new', oldSignature, { ...android, osVersion: '11' }, 'no', 'signature_too_old'],
    ['the last phone that is old enough', oldSignature, { ...android, osVersion: '10' }, 'yes', 'installable'],
    ['an update of it', oldSignature, { ...android, osVersion: '10.1' }, 'yes', 'installable'],
    ['a phone whose system is unknown', oldSignature, { ...android, osVersion: null }, 'yes', 'installable'],
    ['a build that does not say what it needs', apk({ minOsVersion: null }), android, 'yes', 'installable'],
    ['another processor', archive(apk(), { abis: ['x86_64'] }), android, 'no', 'abi_missing'],
    ['one processor of two', archive(apk(), { abis: ['x86', 'armeabi-v7a'] }), android, 'yes', 'installable'],
    ['an unknown processor', archive(apk(), { abis: ['x86'] }), unknownPhone('android'), 'yes', 'installable'],
    ['an iPad app on an iPhone', archive(ios(), { families: ['ipad'] }), iphone, 'no', 'device_family'],
    [
      'an iPhone app on an iPad',
      archive(ios(), { families: ['iphone'] }),
      { ...iphone, family: 'ipad' },
      'yes',
      'provisioned',
    ],
    [
      'a watch app on an iPad',
      archive(ios(), { families: ['apple-watch'] }),
      { ...iphone, family: 'ipad' },
      'no',
      'device_family',
    ],
    ['an unreadable .ipa', ios({ archive: null }), iphone, 'no', 'unreadable'],
    ['an unreadable .apk', apk({ archive: null }), android, 'unknown', 'unreadable'],
    ['a simulator build', archive(ios(), { isSimulatorBuild: true }), iphone, 'no', 'simulator'],
    ['an unsigned build', archive(apk(), { isUnsigned: true }), android, 'no', 'unsigned'],
    ['a split', archive(apk(), { isPartial: true }), android, 'no', 'partial'],
    ['a package for computers', archive(apk(), { isTestOnly: true }), android, 'no', 'test_only'],
    ['a revoked build', ios({ isRevoked: true }), iphone, 'no', 'revoked'],
  ])('of %s', (_, build, phone, verdict, reason) => {
    expect(judgeInstall(build, phone, now)).toMatchObject({ verdict, reason });
  });

  it.each<[string, BuildFacts, PhoneFacts, string]>([
    ['revoked before platform', ios({ isRevoked: true }), android, 'revoked'],
    ['platform before unreadable', ios({ archive: null }), android, 'platform'],
    ['ended before not named', signed('ad-hoc', now - 1), { ...iphone, udid: 'other' }, 'profile_expired'],
    ['too old before not named', ios({ minOsVersion: '26.0' }), { ...iphone, udid: 'other' }, 'os_too_old'],
  ])('contains the first reason: %s', (_, build, phone, reason) => {
    expect(judgeInstall(build, phone, now).reason).toBe(reason);
  });

  it('contains the values for its text', () => {
    expect(judgeInstall(ios({ minOsVersion: '18.0' }), iphone, now)).toEqual({
      verdict: 'no',
      reason: 'os_too_old',
      notes: [],
      profileKind: 'ad-hoc',
      profileExpiresAt: null,
      neededSystem: 'iOS 18.0',
      newestSystem: null,
      actualSystem: '17.5',
      neededAbis: [],
    });
    expect(judgeInstall(archive(apk(), { verifiedUntilSdk: 29 }), android, now).newestSystem).toBe('Android 10');
    expect(judgeInstall(archive(apk(), { abis: ['x86'] }), android, now)).toMatchObject({
      neededSystem: 'Android 8.0',
      actualSystem: '14',
      neededAbis: ['x86'],
    });
    // The build of a system is not its version.
    expect(judgeInstall(ios(), { ...iphone, osVersion: '21F79' }, now).actualSystem).toBeNull();
  });

  it.each<[string, BuildFacts, PhoneFacts, string[]]>([
    ['a profile of 30 days', signed('ad-hoc', now + 30 * DAY), iphone, []],
    ['a profile of less', signed('ad-hoc', now + 30 * DAY - 1), iphone, ['profile_expires_soon']],
    ['a debuggable build', archive(apk(), { isDebuggable: true }), android, ['debuggable']],
    ['a refused one', signed('ad-hoc', now + DAY), { ...iphone, udid: 'other' }, []],
  ])('contains notes: %s', (_, build, phone, notes) => {
    expect(judgeInstall(build, phone, now).notes).toEqual(notes);
  });

  it('reads the list of devices only if it decides', () => {
    const asked: string[] = [];
    const provisionedDevices = {
      has: (udid: string) => asked.push(udid) > 0,
      isEmpty: () => asked.push('isEmpty') === 0,
    };
    for (const phone of [unknownPhone('ios'), android, { ...iphone, osVersion: '12.0' }]) {
      judgeInstall(ios({ provisionedDevices }), phone, now);
    }
    judgeInstall({ ...signed('enterprise'), provisionedDevices }, iphone, now);
    expect(asked).toEqual([]);
    judgeInstall(ios({ provisionedDevices }), iphone, now);
    expect(asked).toEqual(['NAMED-DEVICE']);
  });
});

describe('the builds that no device can install', () => {
  it.each<[string, BuildFacts, string]>([
    ['a revoked build', apk({ isRevoked: true }), 'revoked'],
    ['an .ipa that cannot be read', ios({ archive: null }), 'unreadable'],
    ['a simulator build', archive(ios(), { isSimulatorBuild: true }), 'simulator'],
    ['an unsigned .ipa', archive(ios(), { isUnsigned: true, profile: null }), 'unsigned'],
    ['an .apk without a valid signature', archive(apk(), { isUnsigned: true }), 'unsigned'],
    ['one split of an app', archive(apk(), { isPartial: true }), 'partial'],
    ['a test-only .apk', archive(apk(), { isTestOnly: true }), 'test_only'],
    ['a build for the App Store', signed('app-store'), 'app_store_profile'],
    ['a profile that expired this moment', signed('ad-hoc', now), 'profile_expired'],
    ['an expired enterprise profile', signed('enterprise', now - DAY), 'profile_expired'],
    ['an ad hoc profile that names no device', ios({ provisionedDevices: listOf([]) }), 'not_provisioned'],
    [
      'a development profile that names no device',
      { ...signed('development'), provisionedDevices: listOf([]) },
      'not_provisioned',
    ],
  ])('include %s', (_, build, reason) => {
    expect(provenUninstallable(build, now)).toBe(reason);
  });

  it.each<[string, BuildFacts]>([
    ['a profile that names a device', ios()],
    ['a profile that expires in a millisecond', signed('ad-hoc', now + 1)],
    ['an enterprise profile, which names no device', { ...signed('enterprise'), provisionedDevices: listOf([]) }],
    ['a signed .apk', apk()],
    ['an .apk that cannot be read', apk({ archive: null })],
    ['an .apk for newer systems than any known', apk({ minOsVersion: '999' })],
    ['an .apk whose signature needs Android 9', archive(apk(), { verifiedFromSdk: 28 })],
    ['an .apk whose signature only Android 10 and earlier accept', oldSignature],
  ])('do not include %s', (_, build) => {
    expect(provenUninstallable(build, now)).toBeNull();
  });
});

/** What the loader would give for a package. */
async function factsOf(bytes: Buffer, platform: 'ios' | 'android'): Promise<BuildFacts & { udids: string[] }> {
  const outcome = await inspectPackage(bufferSource(bytes), platform);
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  const { facts, udids } = gatherFacts(outcome.inspection);
  const minOsVersion = outcome.inspection.min_os_version;
  return { platform, isRevoked: false, minOsVersion, archive: facts, provisionedDevices: listOf(udids), udids };
}

describe('the facts of a package', () => {
  it('of iOS lead to a verdict for each device', async () => {
    const build = await factsOf(buildIpa(), 'ios');
    const verdicts = [...sampleDevices, '00000000-00000000000000FF'].map(
      (udid) => judgeInstall(build, { ...iphone, udid: udid.toLowerCase() }, now).reason,
    );
    expect(verdicts).toEqual(['provisioned', 'provisioned', 'not_provisioned']);
    expect(judgeInstall(await factsOf(buildIpa({ profile: null }), 'ios'), iphone, now).reason).toBe('unsigned');
  });
  it.each<[string, () => Buffer, string]>([
    ['a sound one', () => buildApk(), 'installable'],
    ['the sample of the development dependencies', readApiDemos, 'installable'],
    ['no signature', () => buildApk({ signers: [] }), 'unsigned'],
    ['one split', () => buildApk({ split: 'config.de' }), 'partial'],
    ['the package that its splits belong to', () => buildApk({ isSplitRequired: true }), 'partial'],
    ['an old signature', () => buildJarSignedApk({ minSdk: 21, targetSdk: 30 }), 'signature_too_old'],
    ['an old signature for new phones', () => buildJarSignedApk({ minSdk: 30, targetSdk: 30 }), 'unsigned'],
    ['test only', () => buildApk({ isTestOnly: true }), 'test_only'],
    ['a newer system', () => buildApk({ minSdk: 36 }), 'os_too_old'],
    [
      'another processor',
      () => buildApk({ parts: [{ name: 'lib/x86_64/libsample.so', data: Buffer.from('elf') }] }),
      'abi_missing',
    ],
  ])('of Android: %s', async (_, bytes, reason) => {
    expect(judgeInstall(await factsOf(bytes(), 'android'), android, now).reason).toBe(reason);
  });

  const profiled = readTruth('ipa').filter(
    ({ expect: outcome, provisioning }) => outcome === 'accept' && provisioning?.type,
  );
  for (const truth of profiled) {
    it(`of ${truth.file} match its stated profile`, async () => {
      const build = await factsOf(readFixture(truth.file), 'ios');
      const end = Date.parse(truth.provisioning?.expires ?? '');
      const judge = (udid: string | null, at: number) =>
        judgeInstall(build, { ...unknownPhone('ios'), udid }, at).reason;
      expect(build.udids.length).toBe(truth.provisioning?.device_count ?? 0);
      const [named = null] = build.udids;
      const { type } = truth.provisioning ?? {};
      const forAll = { enterprise: 'enterprise', 'app-store': 'app_store_profile' }[type ?? ''];
      expect(judge(named, end - DAY)).toBe(forAll ?? 'provisioned');
      expect(judge('0000', end - DAY)).toBe(forAll ?? 'not_provisioned');
      expect(judge(named, end)).toBe(type === 'app-store' ? 'app_store_profile' : 'profile_expired');
    });
  }
  for (const truth of readTruth('apk').filter(({ installable }) => installable !== undefined)) {
    it(`of ${truth.file} determine whether it can be installed`, async () => {
      const build = await factsOf(readFixture(truth.file), 'android');
      // The oldest phone that the package itself asks for.
      const osVersion = readMinimumVersion('android', build.minOsVersion ?? '1');
      const { verdict } = judgeInstall(build, { ...unknownPhone('android'), osVersion }, now);
      expect(verdict).toBe(truth.installable && truth.test_only !== true ? 'yes' : 'no');
      const isSplit = truth.split !== null && truth.split !== undefined;
      const isAccepted = truth.signature?.at_min_sdk_28?.verifies === true || truth.installable === true;
      expect(provenUninstallable(build, now) === null).toBe(isAccepted && !isSplit && truth.test_only !== true);
    });
  }
});

describe('the facts about a device', () => {
  it.each([
    ['iPhone14,2', 'iphone'],
    ['iPod9,1', 'iphone'],
    ['iPad13,4', 'ipad'],
    ['Watch6,1', null],
    [null, null],
  ])('%s is of the family %s', (product, family) => {
    expect(factsOfDevice({ udid: 'u', product, osBuild: '21F79' })).toEqual({
      platform: 'ios',
      family,
      osVersion: '21F79',
      udid: 'u',
      abis: null,
    });
  });
  it('come from its browser and its cookie', () => {
    const phone = { osVersion: '17.5', inAppBrowser: null, browser: null, couldBeIpad: false } as const;
    expect([
      factsOfPhone({ ...phone, system: 'ios' }, 'u'),
      factsOfPhone({ ...phone, system: 'ipados' }, null),
      factsOfPhone({ ...phone, system: 'android' }, 'u'),
      factsOfPhone({ ...phone, system: 'desktop' }, 'u'),
    ]).toMatchObject([
      { platform: 'ios', family: 'iphone', osVersion: '17.5', udid: 'u' },
      { platform: 'ios', family: 'ipad', udid: null },
      { platform: 'android', family: null, udid: null },
      { platform: null, osVersion: null, udid: null },
    ]);
  });
});
