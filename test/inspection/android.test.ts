// The facts of an .apk, from packages built in code and a real one.
import { describe, expect, it } from 'vitest';
import { type InspectionOutcome, inspectPackage } from '../../src/inspection/inspect.ts';
import { Inspection } from '../../src/inspection/schema.ts';
import {
  type ApkInput,
  bufferSource,
  buildApk,
  buildManifest,
  buildPng,
  readApiDemos,
  sampleResources,
} from '../support/fixtures.ts';
import { buildCompiledXml, buildResourceTable, type EntryLayout } from './build-compiled.ts';
import { buildBlockSigner, buildJarSignature, buildSigningBlock, createIdentity } from './build-signature.ts';
import { buildZip, widenEnd, type ZipPart } from './build-zip.ts';

async function inspect(bytes: Buffer): Promise<Extract<InspectionOutcome, { status: 'ok' }>> {
  const outcome = await inspectPackage(bufferSource(bytes), 'android');
  if (outcome.status !== 'ok') throw new Error(`${outcome.status}: ${outcome.reason}`);
  Inspection.parse(outcome.inspection);
  return outcome;
}

async function reasonFor(bytes: Buffer): Promise<string> {
  const outcome = await inspectPackage(bufferSource(bytes), 'android');
  return outcome.status === 'unreadable' ? outcome.reason : outcome.status;
}

it('reads a real package', async () => {
  const { inspection, icon } = await inspect(readApiDemos());
  expect(inspection).toMatchObject({
    platform: 'android',
    application_name: 'API Demos',
    bundle_identifier: 'io.appium.android.apis',
    version_name: '5.0.0',
    build_number: '25',
    min_os_version: '17',
    target_sdk: '33',
    abis: [],
    debuggable: true,
    test_only: false,
    split: null,
    signing: {
      verified: true,
      verified_from_sdk: 1,
      contents_checked: false,
      schemes: { v1: true, v2: true, v3: false },
      certificates: [{ sha256: '18e8534fed30cbf9959e4073e723e3395a3f92fd6b41756d5fbc788f280c1107' }],
    },
    warnings: [],
  });
  expect(inspection.permissions).toContain('android.permission.CAMERA');
  expect([icon?.width, icon?.height, icon?.contentType]).toEqual([96, 96, 'image/png']);
});

it('reads a package built in code', async () => {
  const library = { data: Buffer.from('elf') };
  const parts = ['lib/arm64-v8a/libx.so', 'lib/x86_64/libx.so', 'lib/x86_64/liby.so', 'lib/readme.txt'];
  const permissions = ['android.permission.CAMERA', 'android.permission.BLUETOOTH', 'android.permission.CAMERA'];
  const { inspection } = await inspect(
    buildApk({ isDebuggable: true, isTestOnly: true, permissions, parts: parts.map((name) => ({ name, ...library })) }),
  );
  expect(inspection).toMatchObject({
    application_name: 'Sample',
    bundle_identifier: 'com.example.sample',
    version_name: '1.2.3',
    build_number: '45',
    min_os_version: '26',
    target_sdk: '35',
    abis: ['arm64-v8a', 'x86_64'],
    debuggable: true,
    test_only: true,
    permissions: ['android.permission.BLUETOOTH', 'android.permission.CAMERA'],
  });
  expect(inspection.warnings.map(({ code }) => code)).toEqual(['test_only']);
});

describe('manifest', () => {
  it.each([
    [{ versionCode: 7 }, '7'],
    [{ versionCode: 7, versionCodeMajor: 0 }, '7'],
    [{ versionCode: 7, versionCodeMajor: 2 }, '8589934599'],
    [{ versionCode: -1, versionCodeMajor: 1 }, '8589934591'],
  ])('joins the version code of %o to %s', async (input, expected) => {
    expect((await inspect(buildApk(input))).inspection.build_number).toBe(expected);
  });

  it('finds attributes by resource id if their names are missing', async () => {
    const { inspection } = await inspect(buildApk({ isObfuscated: true }));
    expect(inspection).toMatchObject({ application_name: 'Sample', build_number: '45', min_os_version: '26' });
  });

  it('does not confuse attributes of different ids', async () => {
    const manifest = buildCompiledXml({
      name: 'manifest',
      attributes: [
        ['package', 0, 'com.example.sample'],
        ['versionName', 0x01017777, 'false'],
      ],
    });
    expect((await inspect(buildApk({ manifest }))).inspection.version_name).toBeNull();
  });

  it('gets a warning about a split', async () => {
    const { inspection } = await inspect(buildApk({ split: 'config.xxhdpi' }));
    expect([inspection.split, inspection.warnings[0]?.code]).toEqual(['config.xxhdpi', 'split_apk']);
  });

  it.each<[string, ApkInput]>([
    ['an attribute', { isSplitRequired: true }],
    ['the types of its splits', { requiredSplitTypes: 'base__abi,base__density' }],
    ['both', { isSplitRequired: true, requiredSplitTypes: 'base__abi' }],
  ])('gets a warning if Android wants its splits because of %s', async (_what, input) => {
    const { inspection } = await inspect(buildApk(input));
    expect([inspection.split, inspection.needs_splits]).toEqual([null, true]);
    expect(inspection.warnings.map(({ code }) => code)).toEqual(['splits_missing']);
  });

  it.each<[string, ApkInput]>([
    ['without such attributes', {}],
    ['with the attribute set to false', { isSplitRequired: false }],
    ['with an empty list of types', { requiredSplitTypes: '' }],
  ])('is complete %s', async (_what, input) => {
    const { inspection } = await inspect(buildApk(input));
    expect([inspection.needs_splits, inspection.warnings]).toEqual([false, []]);
  });

  it('gets one warning if it is a split that needs others', async () => {
    const { inspection } = await inspect(buildApk({ split: 'config.xxhdpi', requiredSplitTypes: 'base__abi' }));
    expect(inspection.warnings.map(({ code }) => code)).toEqual(['split_apk']);
  });

  it.each([
    ['a blank', 'com.example sample'],
    ['markup', 'com.example.<b>'],
    ['a line feed', 'com.example\nEvil: yes'],
    ['no', ''],
  ])('keeps a package whose name has %s as unreadable', async (_what, packageName) => {
    expect(await reasonFor(buildApk({ packageName }))).toMatch(/package name/);
  });

  it.each<[string, Buffer, RegExp]>([
    ['text', Buffer.from('<?xml version="1.0"?><manifest package="com.example"/>'), /compiled format/],
    ['cut', buildManifest({}).subarray(0, 300), /truncated/],
    ['of a chunk without size', zeroChunk(), /invalid size/],
    ['of 2^31 strings', hugePool(), /more strings/],
    ['nested without end', nested(), /nested too deeply/],
  ])('keeps a manifest that is %s as unreadable', async (_what, manifest, reason) => {
    expect(await reasonFor(buildApk({ manifest }))).toMatch(reason);
  });

  // The chunks of a document: string pool, resource map, then the elements.
  function chunksOf(xml: Buffer): Buffer[] {
    const found: Buffer[] = [];
    for (let at = 8; at < xml.length; at += found.at(-1)?.length ?? 0)
      found.push(xml.subarray(at, at + xml.readUInt32LE(at + 4)));
    return found;
  }

  function documentOf(...chunks: Buffer[]): Buffer {
    const bytes = Buffer.concat([Buffer.from('0300080000000000', 'hex'), ...chunks]);
    bytes.writeUInt32LE(bytes.length, 4);
    return bytes;
  }

  const [pool, map, ...elements] = chunksOf(buildManifest({})) as [Buffer, Buffer, ...Buffer[]];
  const [otherPool] = chunksOf(buildManifest({ packageName: 'com.example.other' })) as [Buffer];
  it.each<[string, Buffer, RegExp]>([
    [
      'two string pools, of which Android uses the last',
      documentOf(pool, otherPool, map, ...elements),
      /two string pools/,
    ],
    ['a string pool between its elements', documentOf(pool, map, ...elements, otherPool), /two string pools/],
    ['two resource maps', documentOf(pool, map, Buffer.from(map).fill(0, 8), ...elements), /two resource maps/],
    [
      'two roots, of which Android reads the first',
      documentOf(pool, map, ...elements, ...elements),
      /two root elements/,
    ],
  ])('keeps a manifest with %s as unreadable', async (_what, manifest, reason) => {
    expect(await reasonFor(buildApk({ manifest }))).toMatch(reason);
  });

  it('takes the package name from the attribute that Android takes', async () => {
    const named = (...attributes: (readonly [string, number, string])[]) =>
      buildCompiledXml({ name: 'manifest', attributes });
    const nameIn = async (manifest: Buffer) => (await inspect(buildApk({ manifest }))).inspection.bundle_identifier;
    // The one with a resource id comes first, and Android compares names only.
    const withId = named(['package', 0x01017777, 'com.example.first'], ['package', 0, 'com.example.second']);
    expect(await nameIn(withId)).toBe('com.example.first');
    const twice = named(['package', 0, 'com.example.first'], ['split', 0, 'com.example.second']);
    // Namespace, name and source of an attribute are indexes of texts; the compiled value is another one.
    const [namespace, source, value, nextAttribute] = [0, 8, 16, 20];
    const firstAttributeOf = (xml: Buffer) =>
      chunksOf(xml)
        .slice(0, 2)
        .reduce((at, { length }) => at + length, 8 + 36);
    const changed = (xml: Buffer, field: number, index: number) => {
      const bytes = Buffer.from(xml);
      bytes.writeUInt32LE(index, firstAttributeOf(xml) + field);
      return bytes;
    };
    const second = twice.readUInt32LE(firstAttributeOf(twice) + nextAttribute + value);
    expect(await nameIn(changed(twice, source, second))).toBe('com.example.second');
    expect(await nameIn(changed(twice, source, 0xffffffff))).toBe('com.example.first');
    expect(await nameIn(changed(withId, namespace, 0))).toBe('com.example.second');
  });

  it.each([
    ['UTF-8', true, Buffer.from('\x08\x08packageX'), 2],
    ['UTF-16', false, Buffer.from('\x08packageX', 'utf16le'), 1],
  ])('ignores names without an end in %s, like Android', async (_what, isUtf8, name, lengths) => {
    const attributes = [
      ['packageX', 0, 'com.example.first'],
      ['package', 0, 'com.example.second'],
    ] as const;
    const manifest = buildCompiledXml({ name: 'manifest', attributes }, isUtf8);
    // The length of `package`.
    manifest.fill(7, manifest.indexOf(name), manifest.indexOf(name) + lengths);
    expect((await inspect(buildApk({ manifest }))).inspection.bundle_identifier).toBe('com.example.second');
  });

  it('rounds the offsets of texts in UTF-16, like Android', async () => {
    const manifest = buildManifest({});
    const count = manifest.readUInt32LE(16);
    for (let index = 0; index < count; index += 1) manifest[36 + index * 4] = (manifest[36 + index * 4] ?? 0) | 1;
    expect((await inspect(buildApk({ manifest }))).inspection).toMatchObject({
      bundle_identifier: 'com.example.sample',
      version_name: '1.2.3',
    });
  });

  it.each<[string | number | boolean, boolean]>([
    [true, true],
    [false, false],
    [1, true],
    [0, false],
    ['true', true],
    ['TRUE', true],
    ['1', true],
    ['yes', false],
  ])('takes the value %j of a switch for %j, like Android', async (value, expected) => {
    const manifest = buildCompiledXml({
      name: 'manifest',
      attributes: [['package', 0, 'com.example.sample']],
      children: [
        {
          name: 'application',
          attributes: [
            ['debuggable', 0x0101000f, value],
            ['testOnly', 0x01010272, value],
          ],
        },
      ],
    });
    const { inspection } = await inspect(buildApk({ manifest }));
    expect([inspection.debuggable, inspection.test_only]).toEqual([expected, expected]);
  });

  it.each([
    [30, 26],
    [26, 30],
  ])('has the highest of several minimum levels, because Android checks each: %i, %i', async (first, second) => {
    const level = (minSdk: number) =>
      ({ name: 'uses-sdk', attributes: [['minSdkVersion', 0x0101020c, minSdk]] }) as const;
    const manifest = buildCompiledXml({
      name: 'manifest',
      attributes: [['package', 0, 'com.example.sample']],
      children: [level(first), level(second)],
    });
    expect((await inspect(buildApk({ manifest }))).inspection.min_os_version).toBe('30');
  });

  function zeroChunk(): Buffer {
    const bytes = buildManifest({});
    bytes.writeUInt32LE(0, 8 + bytes.readUInt32LE(12) + 4);
    return bytes;
  }

  function hugePool(): Buffer {
    const bytes = buildManifest({});
    bytes.writeUInt32LE(0x7fffffff, 16);
    return bytes;
  }

  function nested(): Buffer {
    let node = { name: 'a', children: [] as { name: string }[] };
    for (let depth = 0; depth < 300; depth += 1) node = { name: 'a', children: [node] };
    return buildCompiledXml(node);
  }
});

describe('resource table', () => {
  it.each<EntryLayout>(['plain', 'sparse', 'short', 'compact'])('reads entries in the %s layout', async (layout) => {
    const table = buildResourceTable([{ id: sampleResources.label, value: 'Named' }], layout);
    expect((await inspect(buildApk({ table }))).inspection.application_name).toBe('Named');
  });

  it('follows references and prefers the default locale', async () => {
    const table = buildResourceTable([
      { id: sampleResources.label, value: { ref: 0x7f030004 } },
      { id: 0x7f030004, value: 'Deutsch', language: 'de' },
      { id: 0x7f030004, value: 'English', language: 'en' },
      { id: 0x7f030004, value: 'Default' },
    ]);
    expect((await inspect(buildApk({ table }))).inspection.application_name).toBe('Default');
  });

  it('uses English by default, then any language', async () => {
    const de = { id: sampleResources.label, value: 'Deutsch', language: 'de' };
    const en = { id: sampleResources.label, value: 'English', language: 'en' };
    const nameWith = async (...entries: (typeof de)[]) =>
      (await inspect(buildApk({ table: buildResourceTable(entries) }))).inspection.application_name;
    expect([await nameWith(de, en), await nameWith(de)]).toEqual(['English', 'Deutsch']);
  });

  it('fails for circular references', async () => {
    const table = buildResourceTable([
      { id: sampleResources.label, value: { ref: 0x7f030000 } },
      { id: 0x7f030000, value: { ref: sampleResources.label } },
      { id: sampleResources.icon, value: { ref: sampleResources.icon } },
    ]);
    const { inspection, icon } = await inspect(buildApk({ table }));
    expect([inspection.application_name, icon]).toEqual([null, null]);
  });

  it('only costs a name and an icon if it is damaged', async () => {
    const { inspection, icon } = await inspect(buildApk({ table: Buffer.from('not a resource table at all') }));
    expect([inspection.application_name, icon]).toEqual([null, null]);
    expect(inspection.warnings.map(({ code }) => code)).toEqual(['resources_unreadable']);
  });
});

describe('label', () => {
  it.each([
    ['Tom & "Jerry" <b>’s 测试 🚀', 'Tom & "Jerry" <b>’s 测试 🚀'],
    ['  A\u0000B\u001b[31m\r\n\u202eC  ', 'AB[31mC'],
    ['a'.repeat(1_000), 'a'.repeat(255)],
    [`${'a'.repeat(254)}🚀`, 'a'.repeat(254)],
    ['\u0007', null],
  ])('keeps %j as %j', async (label, expected) => {
    expect((await inspect(buildApk({ label }))).inspection.application_name).toBe(expected);
  });
});

describe('icon', () => {
  const iconAt = (...values: string[]) =>
    buildResourceTable(values.map((value, index) => ({ id: sampleResources.icon, value, density: 160 + index })));

  it('is the widest image, regardless of its density', async () => {
    const table = iconAt('res/wide.png', 'res/icon.png');
    const parts = [{ name: 'res/wide.png', data: buildPng(200, 100) }];
    expect((await inspect(buildApk({ table, parts }))).icon).toMatchObject({ width: 200, height: 100 });
  });

  it('of an adaptive icon is the best image that it contains', async () => {
    const table = buildResourceTable([
      { id: sampleResources.icon, value: 'res/adaptive.xml' },
      { id: 0x7f020001, value: 'res/icon.png' },
      { id: 0x7f020002, value: 'res/layers.xml' },
      { id: 0x7f020003, value: 'res/wide.png' },
    ]);
    const drawing = (name: string, ...ids: number[]) =>
      buildCompiledXml({
        name,
        children: ids.map((ref) => ({ name: 'item', attributes: [['drawable', 0x01010199, { ref }]] })),
      });
    const parts = [
      { name: 'res/adaptive.xml', data: drawing('adaptive-icon', 0x7f020001, 0x7f020002) },
      { name: 'res/layers.xml', data: drawing('layer-list', 0x7f020003, sampleResources.icon) },
      { name: 'res/wide.png', data: buildPng(150, 150) },
    ];
    expect((await inspect(buildApk({ table, parts }))).icon).toMatchObject({ width: 150, height: 150 });
  });

  it.each([
    ['claims 60,000 pixels a side', hugePng(), null],
    ['is no image', Buffer.from('GIF89a'), null],
    ['is cut', buildPng(300, 300).subarray(0, 60), null],
  ])('that %s is omitted with a warning', async (_what, icon, expected) => {
    const outcome = await inspect(buildApk({ table: iconAt('res/icon.png'), icon }));
    expect(outcome.icon).toBe(expected);
    expect(outcome.inspection.warnings.map(({ code }) => code)).toEqual(['icon_unusable']);
  });

  it('contains no data after the image', async () => {
    const icon = Buffer.concat([buildPng(96, 96), Buffer.from('<script>alert(1)</script>')]);
    expect((await inspect(buildApk({ icon }))).icon?.png.equals(buildPng(96, 96))).toBe(true);
  });

  function hugePng(): Buffer {
    const bytes = buildPng(1, 1);
    bytes.writeUInt32BE(60_000, 16);
    bytes.writeUInt32BE(60_000, 20);
    return bytes;
  }
});

describe('signature', () => {
  const signingOf = async (input: ApkInput) => {
    const { inspection } = await inspect(buildApk(input));
    const { signing } = inspection;
    return {
      signing: signing?.platform === 'android' ? signing : null,
      codes: inspection.warnings.map(({ code }) => code),
    };
  };

  it('lists every signer', async () => {
    const signers = [createIdentity('First'), createIdentity('Second')];
    const { signing, codes } = await signingOf({ signers });
    expect(signing).toMatchObject({
      verified: true,
      verified_from_sdk: 24,
      contents_checked: true,
      schemes: { v1: false, v2: true, v3: false },
      certificates: [
        { sha256: signers[0]?.fingerprint, subject: 'CN=First', not_after: '2045-01-01T00:00:00.000Z' },
        { sha256: signers[1]?.fingerprint, subject: 'CN=Second', not_after: '2045-01-01T00:00:00.000Z' },
      ],
    });
    expect(codes).toEqual([]);
  });

  it('is null, with a warning, for an unsigned package', async () => {
    expect(await signingOf({ signers: [] })).toEqual({ signing: null, codes: ['unsigned'] });
  });

  it('is not verified if older supported devices reject it', async () => {
    const { signing, codes } = await signingOf({ minSdk: 21 });
    expect(signing).toMatchObject({
      verified: false,
      verified_from_sdk: 24,
      schemes: { v1: false, v2: true, v3: false },
    });
    expect(codes).toEqual(['signature_needs_newer_android']);
  });

  const marker = Buffer.from('APK Sig Block 42');
  it.each<[string, (bytes: Buffer) => void]>([
    // A byte that no reader looks at: the time in a header.
    ['the contents', (bytes) => flip(bytes, 10)],
    ['the signed data', (bytes) => flip(bytes, bytes.indexOf(marker) - 500)],
    ['the signature', (bytes) => flip(bytes, bytes.indexOf(marker) - 130)],
    ['the size of the block', (bytes) => bytes.writeUInt32LE(10, bytes.indexOf(marker) - 8)],
  ])('shows no certificate after a change of %s', async (_what, tamper) => {
    const { signing, codes } = await signingOf({ tamper });
    expect([signing?.verified, signing?.certificates, codes]).toEqual([false, [], ['bad_signature']]);
  });

  function flip(bytes: Buffer, offset: number): void {
    bytes.writeUInt8(bytes.readUInt8(offset) ^ 0xff, offset);
  }

  const identity = createIdentity('Jar');
  const manifest: ZipPart = { name: 'AndroidManifest.xml', data: buildManifest({ minSdk: 21, targetSdk: 29 }) };
  const code: ZipPart = { name: 'classes.dex', data: Buffer.from('code') };

  it('of scheme v1 is verified for the first Android version on', async () => {
    const { inspection } = await inspect(buildZip([manifest, code, ...buildJarSignature(identity, [manifest, code])]));
    expect(inspection.signing).toMatchObject({
      verified: true,
      verified_from_sdk: 1,
      schemes: { v1: true, v2: false, v3: false },
      certificates: [{ sha256: identity.fingerprint, subject: 'CN=Jar' }],
    });
    expect(inspection.warnings).toEqual([]);
  });

  const inspectJar = async (levels: Pick<ApkInput, 'minSdk' | 'targetSdk'>, schemes?: typeof identity) => {
    const parts: ZipPart[] = [{ name: 'AndroidManifest.xml', data: buildManifest(levels) }, code];
    const block = schemes && buildSigningBlock({ v2: [buildBlockSigner(schemes, Buffer.alloc(32))] });
    const filler: ZipPart[] = schemes
      ? [{ name: 'assets/data', data: Buffer.alloc(4 * 1024 * 1024), isStored: true }]
      : [];
    const all = [...parts, ...filler];
    const bytes = buildZip([...all, ...buildJarSignature(identity, all)], block && { beforeDirectory: () => block });
    const { inspection } = await inspect(bytes);
    return { signing: inspection.signing, codes: inspection.warnings.map(({ code: warning }) => warning) };
  };

  it.each([30, 35])('of scheme v1 alone is accepted up to Android 10 if the target is level %i', async (targetSdk) => {
    const { signing, codes } = await inspectJar({ minSdk: 29, targetSdk });
    expect(signing).toMatchObject({
      verified: false,
      verified_from_sdk: 1,
      verified_until_sdk: 29,
      schemes: { v1: true, v2: false, v3: false },
      certificates: [{ sha256: identity.fingerprint }],
    });
    expect(codes).toEqual(['signature_too_old']);
  });

  it('of scheme v1 alone is accepted by every Android version if the target is level 29', async () => {
    const { signing, codes } = await inspectJar({ minSdk: 29, targetSdk: 29 });
    expect(signing).toMatchObject({ verified: true, verified_from_sdk: 1, verified_until_sdk: null });
    expect(codes).toEqual([]);
  });

  it('of scheme v1 alone is accepted by no device from level 30 on', async () => {
    const { signing, codes } = await inspectJar({ minSdk: 30, targetSdk: 30 });
    expect(signing).toMatchObject({
      verified: false,
      verified_from_sdk: null,
      verified_until_sdk: null,
      schemes: { v1: false },
      certificates: [],
    });
    expect(codes).toEqual(['signature_too_old']);
  });

  it('of schemes v1 and v2 is accepted by every Android version', async () => {
    const { signing, codes } = await inspectJar({ minSdk: 21, targetSdk: 35 }, identity);
    expect(signing).toMatchObject({
      verified: true,
      verified_from_sdk: 1,
      verified_until_sdk: null,
      schemes: { v1: true, v2: true },
    });
    expect(codes).toEqual([]);
  });

  const changed = { ...code, data: Buffer.from('evil') };
  const [list, signed, block] = buildJarSignature(identity, [manifest, code]) as [ZipPart, ZipPart, ZipPart];
  const [otherList, otherSigned] = buildJarSignature(identity, [manifest, changed]) as [ZipPart, ZipPart, ZipPart];
  it.each<[string, ZipPart[]]>([
    ['with an entry changed', [manifest, changed, list, signed, block]],
    ['with an entry added', [manifest, code, { name: 'extra.dex', data: Buffer.from('more') }, list, signed, block]],
    ['with another list of entries', [manifest, changed, otherList, signed, block]],
    ['with another list that fits another signature', [manifest, changed, otherList, otherSigned, block]],
    ['without the list', [manifest, code, signed, block]],
    ['without the signature', [manifest, code, list, signed]],
    ['with a signature that is none', [manifest, code, list, signed, { ...block, data: Buffer.from('none') }]],
    [
      'that promises scheme v2',
      [manifest, code, ...buildJarSignature(identity, [manifest, code], 'X-Android-APK-Signed: 2')],
    ],
  ])('of scheme v1 %s is invalid', async (_what, parts) => {
    const { inspection } = await inspect(buildZip(parts));
    expect(inspection.signing).toMatchObject({ verified: false, certificates: [], schemes: { v1: false } });
    expect(inspection.warnings.map(({ code: warning }) => warning)).toEqual(['bad_signature']);
  });

  const manifest28: ZipPart = { name: 'AndroidManifest.xml', data: buildManifest({ minSdk: 28 }) };
  // Digests of larger packages aren't compared, so that any will do.
  const large: ZipPart = { name: 'assets/data', data: Buffer.alloc(4 * 1024 * 1024), isStored: true };
  const digest = Buffer.alloc(32);
  const v3 = (min: number, max: number, ...attributes: (readonly [number, number])[]) =>
    buildBlockSigner(identity, digest, { levels: [min, max], attributes });
  const newest = [0xbeeff00d, 3] as const;
  const rotation = [0x559f8b02, 33] as const;
  const last = 0x7fffffff;
  const v2 = (...attributes: (readonly [number, number])[]) => buildBlockSigner(identity, digest, { attributes });
  it.each<[string, boolean, Parameters<typeof buildSigningBlock>[0]]>([
    ['scheme v2 alone', true, { v2: [v2()] }],
    ['scheme v2 that declares v3', true, { v2: [v2(newest)], v3: [v3(24, last)] }],
    ['scheme v2 that declares v3, which is missing', false, { v2: [v2(newest)] }],
    ['scheme v2 that declares another scheme', true, { v2: [v2([0xbeeff00d, 4])] }],
    ['scheme v3 and v3.1 that it declares', true, { v3: [v3(24, last, rotation)], v31: [v3(33, last)] }],
    ['scheme v3 that declares v3.1, which is missing', false, { v3: [v3(24, last, rotation)] }],
    ['scheme v3 that declares v3.1 of another level', false, { v3: [v3(24, last, rotation)], v31: [v3(34, last)] }],
  ])('by %s is verified: %s', async (_what, isValid, schemes) => {
    const bytes = buildZip([manifest28, large], { beforeDirectory: () => buildSigningBlock(schemes) });
    const { inspection } = await inspect(bytes);
    expect(inspection.signing).toMatchObject({ verified: isValid });
    expect(inspection.warnings.map(({ code: warning }) => warning)).toEqual(isValid ? [] : ['bad_signature']);
  });

  it('by a block is invalid in a zip64 archive, whose block Android ignores', async () => {
    const { inspection } = await inspect(widenEnd(buildApk({ parts: [large] }), { isPlainKept: true }));
    expect(inspection.signing).toMatchObject({ verified: false, certificates: [] });
    expect(inspection.warnings.map(({ code: warning }) => warning)).toEqual(['bad_signature']);
  });
});
