// The facts of an .ipa, from packages built in code.
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type InspectionOutcome, inspectPackage } from '../../src/inspection/inspect.ts';
import { Inspection } from '../../src/inspection/schema.ts';
import { leastProcessCpu } from '../support/cpu.ts';
import {
  assemblePng,
  bufferSource,
  buildIpa,
  buildPng,
  buildProfile,
  type IpaInput,
  sampleDevices,
} from '../support/fixtures.ts';
import { assembleBinaryPlist, binaryContainer, buildBinaryPlist, buildXmlPlist } from './build-plist.ts';
import { buildSignedMessage, createIdentity } from './build-signature.ts';
import { readPixels } from './read-pixels.ts';

async function inspect(input: IpaInput): Promise<Extract<InspectionOutcome, { status: 'ok' }>> {
  const outcome = await inspectPackage(bufferSource(buildIpa(input)), 'ios');
  if (outcome.status !== 'ok') throw new Error(`${outcome.status}: ${outcome.reason}`);
  Inspection.parse(outcome.inspection);
  return outcome;
}

async function reasonFor(input: IpaInput): Promise<string> {
  const outcome = await inspectPackage(bufferSource(buildIpa(input)), 'ios');
  return outcome.status === 'unreadable' ? outcome.reason : outcome.status;
}

it('reads a package', async () => {
  const { inspection, icon } = await inspect({ info: { NSCameraUsageDescription: 'To scan codes.' } });
  expect(inspection).toEqual({
    platform: 'ios',
    application_name: 'Sample',
    bundle_identifier: 'com.example.sample',
    version_name: '1.2.3',
    build_number: '45',
    min_os_version: '15.0',
    devices: ['ipad', 'iphone'],
    supported_platforms: ['iPhoneOS'],
    is_simulator: false,
    target_sdk: null,
    abis: [],
    debuggable: null,
    test_only: null,
    split: null,
    needs_splits: null,
    signing: {
      platform: 'ios',
      kind: 'ad-hoc',
      team_id: 'TEAM000001',
      team_name: 'Sample Team',
      profile_name: 'Sample Ad Hoc',
      profile_uuid: '00000000-0000-4000-8000-000000000000',
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2046-01-01T00:00:00.000Z',
      entitlements: { 'application-identifier': 'TEAM000001.com.example.sample', 'get-task-allow': false },
      provisioned_devices: sampleDevices,
      provisions_all_devices: false,
      certificate_count: 1,
      certificate_expires_at: '2045-01-01T00:00:00.000Z',
      cms_signature_valid: true,
    },
    parts: { code: 0, resources: 398, frameworks: 0, assets: 112, other: expect.any(Number) },
    libraries: [],
    permissions: ['NSCameraUsageDescription'],
    usage_descriptions: { NSCameraUsageDescription: 'To scan codes.' },
    warnings: [],
  });
  expect([icon?.width, icon?.height]).toEqual([120, 120]);
  expect(icon?.png.equals(buildPng(120, 120))).toBe(true);
});

describe('Info.plist', () => {
  const keys = { CFBundleIdentifier: 'com.example.sample', CFBundleName: 'Ünïcode 名', CFBundleVersion: 7 };

  it.each([
    ['XML', buildXmlPlist(keys)],
    ['binary', buildBinaryPlist(keys)],
  ])('is read from %s', async (_encoding, infoPlist) => {
    const { inspection } = await inspect({ infoPlist });
    expect(inspection).toMatchObject({ application_name: 'Ünïcode 名', build_number: '7', version_name: null });
  });

  it.each([['com.example.<b>'], ['com.example\nInjected: yes'], ['com/example'], ['x'.repeat(300)], ['']])(
    'with the bundle identifier %j is kept as unreadable',
    async (bundleIdentifier) => {
      expect(await reasonFor({ bundleIdentifier })).toMatch(/bundle identifier/);
    },
  );

  const bomb =
    '<!DOCTYPE plist [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><plist><dict><key>a</key><string>&b;</string></dict></plist>';
  const file = '<!DOCTYPE plist [<!ENTITY a SYSTEM "file:///etc/passwd">]><plist><string>&a;</string></plist>';
  it.each<[string, string | Buffer, RegExp]>([
    ['an entity bomb', bomb, /custom entities/],
    ['an external entity', file, /custom entities/],
    ['an unknown entity', '<plist><dict><key>a</key><string>&lol;</string></dict></plist>', /entity/],
    ['60,000 nested arrays', `<plist>${'<array>'.repeat(60_000)}`, /nested too deeply/],
    ['100,000 values', `<plist><array>${'<true/>'.repeat(100_000)}</array></plist>`, /too many values/],
    ['no end', '<plist><dict><key>a</key>', /truncated/],
    ['a wrong nesting', '<plist><dict></array></plist>', /wrong order/],
    ['a key twice', '<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>', /a duplicate key/],
    [
      'a key twice, once written with a reference',
      '<plist><dict><key>ab</key><true/><key>a&#98;</key><false/></dict></plist>',
      /a duplicate key/,
    ],
    ['a key twice within', '<plist><array><dict><key/><true/><key/><true/></dict></array></plist>', /a duplicate key/],
    [
      'a key twice in binary form',
      assembleBinaryPlist([binaryContainer(0xd0, 2, [1, 1, 2, 2]), Buffer.from([0x51, 0x61]), Buffer.from([9])]),
      /a duplicate key/,
    ],
    ['a comment that does not end', '<plist><!--></plist>', /truncated/],
    ['a comment in a text that does not end', '<plist><string>a<!-->b</string></plist>', /truncated/],
    ['a value without key', '<plist><dict><true/></dict></plist>', /without a key/],
    ['a list at its root', '<plist><array/></plist>', /isn't a dictionary/],
    ['old syntax', '{ CFBundleIdentifier = "com.example"; }', /truncated or empty/],
    ['a dictionary that contains itself', assembleBinaryPlist([binaryContainer(0xa0, 1, [0])]), /contains itself/],
    ['a list shared exponentially often', sharedLists(40), /too many values/],
    ['2^40 objects', assembleBinaryPlist([Buffer.from([0xd0])], 2 ** 40), /invalid sizes/],
    [
      'a list of 2^63 items',
      assembleBinaryPlist([Buffer.from([0xaf, 0x13, 0x7f, 255, 255, 255, 255, 255, 255, 255])]),
      /excessive/,
    ],
    ['a reference to nowhere', assembleBinaryPlist([binaryContainer(0xa0, 1, [9])]), /missing object/],
  ])('with %s is kept as unreadable', async (_what, content, reason) => {
    const cost = await leastProcessCpu(1_000, async () => {
      expect(await reasonFor({ infoPlist: Buffer.from(content) })).toMatch(reason);
    });
    expect(cost).toBeLessThan(1_000);
  });

  it.each([
    ['<!-->', '<!--><key>CFBundleVersion</key><string>9</string><!-- -->'],
    ['<!--->', '<!---><key>CFBundleVersion</key><string>9</string><!-- -->'],
    ['<!---->', '<!---->'],
    ['two hyphens', '<!-- a -- b -->'],
  ])('reads a comment with %s like a phone', async (_what, comment) => {
    const infoPlist = Buffer.from(String(buildXmlPlist(keys)).replace('<dict>', `<dict>${comment}`));
    const { inspection } = await inspect({ infoPlist });
    expect(inspection).toMatchObject({ bundle_identifier: 'com.example.sample', build_number: '7' });
  });

  const inEncoding = (declaration: string, name: string | Buffer) =>
    Buffer.concat([
      Buffer.from(`${declaration}<plist><dict><key>CFBundleIdentifier</key><string>com.example.sample</string>`),
      Buffer.from('<key>CFBundleName</key><string>'),
      Buffer.from(name),
      Buffer.from('</string></dict></plist>'),
    ]);
  it.each([
    ['UTF-7, in which a comment could end elsewhere', '<?xml version="1.0" encoding="UTF-7"?>'],
    ['Shift JIS', "<?xml version='1.0' encoding='Shift_JIS'?>"],
    ['an encoding at the end of another word', '<?xml version="1.0" xencoding="UTF-7"?>'],
  ])('in %s is kept as unreadable', async (_what, declaration) => {
    expect(await reasonFor({ infoPlist: inEncoding(declaration, '+AC0ALQA+-') })).toMatch(/unsupported encoding/);
  });

  it('with an encoding far from the beginning is kept as unreadable', async () => {
    const declaration = `<?xml version="1.0"${' '.repeat(1100)}encoding="UTF-7"?>`;
    expect(await reasonFor({ infoPlist: inEncoding(declaration, '+AC0ALQA+-') })).toMatch(/no end of its declaration/);
  });

  it.each<[string, string, string | Buffer]>([
    ['UTF-8', '<?xml version="1.0" encoding="utf-8"?>', 'Käse'],
    ['no stated encoding', '<?xml version="1.0"?>', 'Käse'],
    ['a byte order mark, which counts first', '\ufeff<?xml version="1.0" encoding="UTF-7"?>', 'Käse'],
    ['Latin-1', '<?xml version="1.0" encoding="ISO-8859-1"?>', Buffer.from('Käse', 'latin1')],
  ])('in %s is read', async (_what, declaration, name) => {
    const { inspection } = await inspect({ infoPlist: inEncoding(declaration, name) });
    expect(inspection.application_name).toBe('Käse');
  });

  function sharedLists(levels: number): Buffer {
    const lists = Array.from({ length: levels }, (_, level) => binaryContainer(0xa0, 2, [level + 1, level + 1]));
    return assembleBinaryPlist([...lists, Buffer.from([9])]);
  }

  it('of a simulator build is read with a warning', async () => {
    const { inspection } = await inspect({ info: { CFBundleSupportedPlatforms: ['iPhoneSimulator'] } });
    expect([inspection.is_simulator, inspection.warnings[0]?.code]).toEqual([true, 'simulator_build']);
  });
});

describe('provisioning profile', () => {
  const signingOf = async (profile: IpaInput['profile'], parts: IpaInput['parts'] = []) => {
    const { inspection } = await inspect({ ...(profile === undefined ? {} : { profile }), parts });
    const { signing } = inspection;
    return {
      signing: signing?.platform === 'ios' ? signing : null,
      codes: inspection.warnings.map(({ code }) => code),
    };
  };

  it.each([
    ['development', { Entitlements: { 'get-task-allow': true } }, []],
    ['ad-hoc', {}, []],
    ['enterprise', { ProvisionsAllDevices: true }, []],
  ] as const)('is recognized as the kind %s', async (kind, keys, codes) => {
    const found = await signingOf(keys);
    expect([found.signing?.kind, found.codes]).toEqual([kind, codes]);
  });

  const path = 'Payload/Sample.app/embedded.mobileprovision';

  it('for the App Store is read with a warning', async () => {
    const content = buildXmlPlist({ Name: 'Store', Entitlements: { 'get-task-allow': false } });
    const data = buildSignedMessage(createIdentity('Signer'), content);
    const found = await signingOf(null, [{ name: path, data }]);
    expect([found.signing?.kind, found.signing?.provisioned_devices, found.codes]).toEqual([
      'app-store',
      [],
      ['app_store_profile'],
    ]);
  });

  it('gets a warning if it is missing', async () => {
    expect(await signingOf(null)).toEqual({ signing: null, codes: ['no_profile'] });
  });

  const good = buildProfile({});
  const tampered = Buffer.from(good);
  tampered.write('TEAM999999', good.indexOf('TEAM000001'));

  it('with altered content is not shown as signed', async () => {
    const found = await signingOf(null, [{ name: path, data: tampered }]);
    expect([found.signing?.team_id, found.signing?.cms_signature_valid, found.codes]).toEqual([
      'TEAM999999',
      false,
      ['bad_signature'],
    ]);
  });

  it.each([
    ['that is not signed', buildXmlPlist({ Name: 'Unsigned' })],
    ['that is truncated', good.subarray(0, 500)],
    ['without content', buildSignedMessage(createIdentity('Signer'), Buffer.from('x'), { isDetached: true })],
    ['that contains no property list', buildSignedMessage(createIdentity('Signer'), Buffer.from('hello'))],
    ['that is nested without end', Buffer.alloc(20_000, Buffer.from([0x30, 0x80]))],
  ])('%s is ignored with a warning', async (_what, data) => {
    expect(await signingOf(null, [{ name: path, data }])).toEqual({ signing: null, codes: ['bad_profile'] });
  });

  it('has its entitlements truncated if they are huge', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key-${index}`, 'x'.repeat(100)]));
    const deep = { a: { b: { c: { d: { e: { f: { g: 'deep' } } } } } } };
    const { signing } = await signingOf({ Entitlements: { ...deep, ...many } });
    expect(Object.keys(signing?.entitlements ?? {}).length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(signing?.entitlements)).not.toContain('deep');
  });

  it('cannot set a prototype', async () => {
    const { signing } = await signingOf({ Entitlements: { ['__proto__']: { polluted: true }, ok: true } });
    expect(signing?.entitlements).toMatchObject({ ok: true });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('icon', () => {
  const name = 'Payload/Sample.app/AppIcon60x60@3x.png';

  it('is the widest declared one', async () => {
    const parts = [
      { name, data: buildPng(180, 180) },
      { name: 'Payload/Sample.app/Other.png', data: buildPng(500, 500) },
      { name: 'Payload/Sample.app/folder/AppIcon60x60@4x.png', data: buildPng(400, 400) },
    ];
    expect((await inspect({ parts })).icon?.width).toBe(180);
  });

  // Two pixels as Apple's tools store them: blue, green, red premultiplied by alpha.
  const crushed = (pixels: number[], header = [0, 0, 0, 200, 0, 0, 0, 1, 8, 6, 0, 0, 0]) => {
    const row = [1, ...pixels, ...Array<number>(198 * 4).fill(0)];
    return assemblePng([
      ['CgBI', Buffer.from([0x50, 0, 0x20, 2])],
      ['IHDR', Buffer.from(header)],
      ['IDAT', deflateRawSync(Buffer.from(row))],
      ['IEND', Buffer.alloc(0)],
    ]);
  };

  it('that Apple compressed becomes a plain image', async () => {
    // The row is filtered: the second pixel is the difference to the first. 1 of 2 is 127.5 of 255, rounded up.
    const { icon } = await inspect({ parts: [{ name, data: crushed([10, 20, 30, 255, 247, 237, 227, 3]) }] });
    const { width, rgba } = readPixels(icon?.png ?? Buffer.alloc(0));
    expect([width, [...rgba.subarray(0, 8)]]).toEqual([200, [30, 20, 10, 255, 128, 128, 128, 2]]);
    expect(icon?.png.includes('CgBI')).toBe(false);
  });

  // As many bytes as its header asks for, so that the header alone is at fault.
  const crushedAs = (depth: number, colorType: number, channels: number) => {
    const pixels = Array<number>(Math.ceil((200 * depth * channels) / 8) - 198 * 4).fill(0);
    return crushed(pixels, [0, 0, 0, 200, 0, 0, 0, 1, depth, colorType, 0, 0, 0]);
  };

  it.each([
    // At 1024 pixels a side it would become 130 MiB of pixels.
    ['claims a depth that no PNG has', crushedAs(255, 6, 4)],
    ['claims a depth that palettes do not have', crushedAs(32, 3, 1)],
    ['claims a color type that no PNG has', crushedAs(8, 5, 4)],
    ['claims more pixels than a bomb could hold', crushed([], [0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60, 8, 6, 0, 0, 0])],
    ['holds more than it claims', crushed(Array<number>(2_000).fill(1))],
    ['holds less than it claims', crushed([], [0, 0, 0, 200, 0, 0, 0, 9, 8, 6, 0, 0, 0])],
    ['is cut', buildPng(300, 300).subarray(0, 100)],
  ])('that %s is skipped for the next one', async (_what, data) => {
    expect((await inspect({ parts: [{ name, data }] })).icon?.width).toBe(120);
  });
});
