// Packages for tests: built in code, and, where they are present, the shared real ones with their stated truth.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { ByteSource } from '../../src/inspection/source.ts';
import { buildCompiledXml, buildResourceTable, type CompiledNode } from '../inspection/build-compiled.ts';
import { buildXmlPlist, type PlistInput } from '../inspection/build-plist.ts';
import {
  buildBlockSigner,
  buildJarSignature,
  buildSignedMessage,
  buildSigningBlock,
  createIdentity,
  digestSections,
  type Identity,
} from '../inspection/build-signature.ts';
import { buildZip, type ZipPart } from '../inspection/build-zip.ts';

const projectRoot = resolve(import.meta.dirname, '../..');
const shared = resolve(process.env.TAXIWAY_SHARED ?? join(projectRoot, '../shared'), 'fixtures');

/** Folder of the shared fixtures, or null on a machine without them. */
export function findSharedFixtures(): string | null {
  return existsSync(join(shared, 'truth.json')) ? shared : null;
}

/** A real, signed APK that comes with the development dependencies. */
export function readApiDemos(): Buffer {
  return readFileSync(join(projectRoot, 'node_modules/android-apidemos/apks/ApiDemos-debug.apk'));
}

export interface CountingSource extends ByteSource {
  readonly counted: { reads: number; bytes: number };
}

/** A package in memory that counts what is read of it. */
export function bufferSource(bytes: Buffer): CountingSource {
  const counted = { reads: 0, bytes: 0 };
  return {
    size: bytes.length,
    counted,
    read(offset, length) {
      counted.reads += 1;
      counted.bytes += length;
      return Promise.resolve(bytes.subarray(offset, offset + length));
    },
  };
}

/** A plain RGBA PNG of one color. */
export function buildPng(width: number, height: number, rgba: readonly number[] = [20, 120, 220, 255]): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: width }, () => rgba).flat())]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return assemblePng([
    ['IHDR', header],
    ['IDAT', pixels],
    ['IEND', Buffer.alloc(0)],
  ]);
}

export function assemblePng(chunks: readonly (readonly [type: string, data: Buffer])[]): Buffer {
  const parts = chunks.map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  });
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

export interface IpaInput {
  readonly bundleIdentifier?: string;
  readonly name?: string;
  readonly version?: string;
  readonly build?: string;
  readonly minOs?: string;
  /** Further or other keys of Info.plist. */
  readonly info?: { readonly [key: string]: PlistInput };
  /** Encoded Info.plist to use instead. */
  readonly infoPlist?: Buffer;
  /** Keys of the provisioning profile; null for none. */
  readonly profile?: { readonly [key: string]: PlistInput } | null;
  readonly icon?: Buffer;
  readonly parts?: readonly ZipPart[];
}

export const sampleDevices = ['00000000-000000000000001E', '00000000-000000000000002E'];

/** A small .ipa with an ad-hoc profile for two made-up devices, valid 2026 to 2046, and an icon of 120 pixels. */
export function buildIpa(input: IpaInput = {}): Buffer {
  const info = {
    CFBundleIdentifier: input.bundleIdentifier ?? 'com.example.sample',
    CFBundleDisplayName: input.name ?? 'Sample',
    CFBundleShortVersionString: input.version ?? '1.2.3',
    CFBundleVersion: input.build ?? '45',
    MinimumOSVersion: input.minOs ?? '15.0',
    CFBundleSupportedPlatforms: ['iPhoneOS'],
    UIDeviceFamily: [1, 2],
    CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconFiles: ['AppIcon60x60'] } },
    ...input.info,
  };
  const profile = input.profile === undefined ? {} : input.profile;
  return buildZip([
    { name: 'Payload/Sample.app/Info.plist', data: input.infoPlist ?? buildXmlPlist(info) },
    ...(profile ? [{ name: 'Payload/Sample.app/embedded.mobileprovision', data: buildProfile(profile) }] : []),
    { name: 'Payload/Sample.app/AppIcon60x60@2x.png', data: input.icon ?? buildPng(120, 120) },
    { name: 'Payload/Sample.app/Sample', data: Buffer.from('not a real program') },
    ...(input.parts ?? []),
  ]);
}

/** A signed provisioning profile; keys given replace those of an ad-hoc profile. */
export function buildProfile(
  keys: { readonly [key: string]: PlistInput },
  identity = createIdentity('Signer'),
  pieceSize?: number,
): Buffer {
  const content = buildXmlPlist({
    Name: 'Sample Ad Hoc',
    UUID: '00000000-0000-4000-8000-000000000000',
    TeamIdentifier: ['TEAM000001'],
    TeamName: 'Sample Team',
    CreationDate: new Date('2026-01-01T00:00:00Z'),
    ExpirationDate: new Date('2046-01-01T00:00:00Z'),
    ProvisionedDevices: sampleDevices,
    DeveloperCertificates: [identity.certificate],
    Entitlements: { 'application-identifier': 'TEAM000001.com.example.sample', 'get-task-allow': false },
    ...keys,
  });
  return buildSignedMessage(identity, content, { pieceSize });
}

export interface ApkInput {
  readonly packageName?: string;
  readonly label?: string;
  readonly versionName?: string;
  readonly versionCode?: number;
  readonly versionCodeMajor?: number;
  readonly minSdk?: number;
  readonly targetSdk?: number;
  readonly permissions?: readonly string[];
  readonly isDebuggable?: boolean;
  readonly isTestOnly?: boolean;
  readonly split?: string;
  /** Attributes of the manifest that say whether Android wants its splits. */
  readonly isSplitRequired?: boolean;
  readonly requiredSplitTypes?: string;
  /** Attribute names are blank, as obfuscators leave them. */
  readonly isObfuscated?: boolean;
  /** Encoded manifest to use instead. */
  readonly manifest?: Buffer;
  readonly table?: Buffer;
  readonly icon?: Buffer;
  readonly parts?: readonly ZipPart[];
  /** Signers of scheme v2; an empty list for an unsigned package. */
  readonly signers?: readonly Identity[];
  /** Ids of the algorithms that each of them signs with. */
  readonly algorithms?: readonly number[];
  /** Changes the bytes after they were signed. */
  readonly tamper?: (bytes: Buffer) => void;
}

const icons = new Map<number, Buffer>();

/** The icon of every package that has none of its own. */
function iconOf(side: number): Buffer {
  const icon = icons.get(side) ?? buildPng(side, side);
  icons.set(side, icon);
  return icon;
}

/** Resource ids in the table of a built APK. */
export const sampleResources = { label: 0x7f010000, icon: 0x7f020000 };

/** A small .apk, signed by scheme v2, with a label and an icon of 96 pixels behind references. */
export function buildApk(input: ApkInput = {}): Buffer {
  const table =
    input.table ??
    buildResourceTable([
      { id: sampleResources.label, value: 'Muster', language: 'de' },
      { id: sampleResources.label, value: input.label ?? 'Sample' },
      { id: sampleResources.icon, value: 'res/icon-small.png', density: 160 },
      { id: sampleResources.icon, value: 'res/icon.png', density: 320 },
    ]);
  const parts: ZipPart[] = [
    { name: 'AndroidManifest.xml', data: input.manifest ?? buildManifest(input) },
    { name: 'resources.arsc', data: table, isStored: true },
    { name: 'res/icon-small.png', data: iconOf(48) },
    { name: 'res/icon.png', data: input.icon ?? iconOf(96) },
    { name: 'classes.dex', data: Buffer.from('not real code') },
    ...(input.parts ?? []),
  ];
  const signers = input.signers ?? [createIdentity('Sample')];
  if (signers.length === 0) return buildZip(parts);
  const unsigned = buildZip(parts);
  const record = unsigned.subarray(unsigned.length - 22);
  const directoryOffset = record.readUInt32LE(16);
  const digest = digestSections([
    unsigned.subarray(0, directoryOffset),
    unsigned.subarray(directoryOffset, unsigned.length - 22),
    record,
  ]);
  const block = buildSigningBlock({
    v2: signers.map((signer) => buildBlockSigner(signer, digest, { algorithms: input.algorithms })),
  });
  const bytes = Buffer.concat([unsigned.subarray(0, directoryOffset), block, unsigned.subarray(directoryOffset)]);
  bytes.writeUInt32LE(directoryOffset + block.length, bytes.length - 6);
  input.tamper?.(bytes);
  return bytes;
}

let demo: Buffer | undefined;

/** A small .apk of the same app and version as that of `readApiDemos`, for tests that don't look into it: sending its 6 MB takes longer than most tests. */
export function buildDemoApk(): Buffer {
  demo ??= buildApk({
    packageName: 'io.appium.android.apis',
    label: 'API Demos',
    versionName: '5.0.0',
    versionCode: 25,
  });
  return demo;
}

/** A small .apk, signed by scheme v1 alone. */
export function buildJarSignedApk(input: ApkInput = {}): Buffer {
  const parts: ZipPart[] = [
    { name: 'AndroidManifest.xml', data: buildManifest(input) },
    { name: 'classes.dex', data: Buffer.from('not real code') },
  ];
  return buildZip([...parts, ...buildJarSignature(createIdentity('Sample'), parts)]);
}

export function buildManifest(input: ApkInput): Buffer {
  const named = (name: string) => (input.isObfuscated ? '' : name);
  const attributes: NonNullable<CompiledNode['attributes']>[number][] = [
    [named('versionCode'), 0x0101021b, input.versionCode ?? 45],
    [named('versionName'), 0x0101021c, input.versionName ?? '1.2.3'],
    ['package', 0, input.packageName ?? 'com.example.sample'],
  ];
  if (input.versionCodeMajor !== undefined)
    attributes.push([named('versionCodeMajor'), 0x01010576, input.versionCodeMajor]);
  if (input.split !== undefined) attributes.push(['split', 0, input.split]);
  if (input.isSplitRequired !== undefined)
    attributes.push([named('isSplitRequired'), 0x01010591, input.isSplitRequired]);
  if (input.requiredSplitTypes !== undefined)
    attributes.push([named('requiredSplitTypes'), 0x0101064e, input.requiredSplitTypes]);
  return buildCompiledXml({
    name: 'manifest',
    attributes,
    children: [
      {
        name: 'uses-sdk',
        attributes: [
          [named('minSdkVersion'), 0x0101020c, input.minSdk ?? 26],
          [named('targetSdkVersion'), 0x01010270, input.targetSdk ?? 35],
        ],
      },
      ...(input.permissions ?? []).map((permission) => ({
        name: 'uses-permission',
        attributes: [[named('name'), 0x01010003, permission]] as const,
      })),
      {
        name: 'application',
        attributes: [
          [named('label'), 0x01010001, { ref: sampleResources.label }],
          [named('icon'), 0x01010002, { ref: sampleResources.icon }],
          [named('debuggable'), 0x0101000f, input.isDebuggable ?? false],
          [named('testOnly'), 0x01010272, input.isTestOnly ?? false],
        ],
      },
    ],
  });
}

/** SHA-256 of bytes, lower-case hex. */
export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
