// Archives that programs interpret differently: the server must inspect what a phone installs.

import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import { bufferSource, buildApk, buildManifest } from '../support/fixtures.ts';
import { buildXmlPlist } from './build-plist.ts';
import { buildZip, widenEnd, type ZipOptions, type ZipPart } from './build-zip.ts';

const info = (identifier: string) => buildXmlPlist({ CFBundleIdentifier: identifier, CFBundleName: 'Sample' });
const name = 'Payload/Sample.app/Info.plist';
const seen: ZipPart = { name, data: info('com.example.seen') };
const twin: ZipPart = { name, data: info('com.example.twin') };
const ipa = (...parts: ZipPart[]) => buildZip([seen, ...parts]);
const ipaOf = (changes: Partial<ZipPart>, options?: ZipOptions) => buildZip([{ ...seen, ...changes }], options);
const manifest: ZipPart = { name: 'AndroidManifest.xml', data: buildManifest({}) };

/** An extra field. */
function field(id: number, ...content: Buffer[]): Buffer {
  const data = Buffer.concat(content);
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}
function numbers(size: 4 | 8, ...values: number[]): Buffer {
  const bytes = Buffer.alloc(size * values.length);
  values.forEach((value, index) => {
    if (size === 4) bytes.writeUInt32LE(value, index * 4);
    else bytes.writeBigUInt64LE(BigInt(value), index * 8);
  });
  return bytes;
}
const unicodePath = (of: string, path: string) =>
  field(0x7075, Buffer.from([1]), numbers(4, crc32(Buffer.from(of))), Buffer.from(path));
const localOnly = (part: ZipPart) => buildZip([part]).subarray(0, -22 - 46 - part.name.length);
const described = (part: ZipPart, after: NonNullable<ZipPart['after']> = descriptor(4)): ZipPart => ({
  ...part,
  stated: { flags: 0x808 },
  local: { crc: 0, size: 0, compressedSize: 0 },
  after,
});
function descriptor(width: 4 | 8, hasSignature = true): NonNullable<ZipPart['after']> {
  return ({ crc, compressedSize, size }) =>
    Buffer.concat([
      hasSignature ? numbers(4, 0x08074b50) : Buffer.alloc(0),
      numbers(4, crc),
      numbers(width, compressedSize, size),
    ]);
}
const emptyEntry = (room: number) => {
  const bytes = Buffer.alloc(30 + room);
  bytes.writeUInt32LE(0x04034b50, 0);
  bytes.writeUInt16LE(room, 28);
  return bytes;
};

const unreadable: [what: string, platform: 'ios' | 'android', bytes: () => Buffer, reason: RegExp][] = [
  // Names.
  ['a name with a step that leads nowhere', 'ios', () => ipa({ ...twin, name: `./${name}` }), /same file twice/],
  ['a name with an empty step', 'ios', () => ipa({ ...twin, name: name.replace('/', '//') }), /same file twice/],
  ['a name in backslashes', 'ios', () => ipa({ ...twin, name: name.replaceAll('/', '\\') }), /same file twice/],
  ['a name in another case', 'ios', () => ipa({ ...twin, name: name.toLowerCase() }), /differ only in case/],
  [
    'a folder in another case',
    'ios',
    () => ipa({ ...twin, name: 'Payload/SAMPLE.app/x' }, { ...twin, name: 'Payload/Sample.app/X' }),
    /differ only in case/,
  ],
  [
    'a name in another Unicode form',
    'ios',
    () =>
      buildZip([
        { ...seen, name: 'Payload/\u00e9.app/Info.plist' },
        { ...twin, name: 'Payload/e\u0301.app/Info.plist' },
      ]),
    /differ only in case/,
  ],
  ['a Payload in another case', 'ios', () => ipa({ ...twin, name: 'payload/Other.app/x' }), /differ only in case/],
  ['an absolute name of the file that is read', 'ios', () => ipaOf({ name: `/${name}` }), /outside/],
  [
    'a Unicode path in backslashes',
    'ios',
    () => ipa({ ...twin, name: 'other', central: { extra: unicodePath('other', name.replaceAll('/', '\\')) } }),
    /same file twice/,
  ],
  [
    'a second app in backslashes',
    'ios',
    () => ipa({ ...twin, name: 'Payload\\Twin.app\\Info.plist' }),
    /contradictory names/,
  ],
  [
    'a second app by a Unicode path',
    'ios',
    () => ipa({ ...twin, name: 'other', central: { extra: unicodePath('other', 'Payload/Twin.app/Info.plist') } }),
    /contradictory names/,
  ],
  [
    'a profile by a Unicode path',
    'ios',
    () => {
      const path = unicodePath('other', 'Payload/Sample.app/embedded.mobileprovision');
      return ipa({ ...twin, name: 'other', central: { extra: path } });
    },
    /contradictory names/,
  ],
  ['a file that is a folder too', 'ios', () => ipa({ ...twin, name: `${name}/` }), /same file twice/],
  [
    'a Unicode path that is another entry',
    'ios',
    () => ipa({ ...twin, name: 'other', central: { extra: unicodePath('other', name) } }),
    /same file twice/,
  ],
  [
    'a Unicode path of the file that is read',
    'ios',
    () => ipaOf({ central: { extra: unicodePath(name, 'other') } }),
    /contradictory/,
  ],
  [
    'a Unicode path in the local header',
    'ios',
    () => ipaOf({ local: { extra: unicodePath(name, 'other') } }),
    /contradictory/,
  ],
  [
    'a Unicode path that climbs',
    'ios',
    () => ipa({ ...twin, name: 'other', central: { extra: unicodePath('other', '../../evil') } }),
    /outside/,
  ],
  [
    'a second manifest by a step',
    'android',
    () => buildZip([manifest, { ...manifest, name: './AndroidManifest.xml' }]),
    /same file twice/,
  ],
  [
    'a second manifest in another case',
    'android',
    () => buildZip([manifest, { ...manifest, name: 'androidmanifest.XML' }]),
    /differ only in case/,
  ],
  [
    'only a manifest by a step',
    'android',
    () => buildZip([{ ...manifest, name: './AndroidManifest.xml' }]),
    /no AndroidManifest|no app/,
  ],
  // Local headers.
  ['another name in the local header', 'ios', () => ipaOf({ localName: name.replace('I', 'J') }), /contradictory/],
  ['another method in the local header', 'ios', () => ipaOf({ local: { method: 0 } }), /contradictory/],
  ['another size in the local header', 'ios', () => ipaOf({ local: { size: 1 } }), /contradictory/],
  ['another packed size in the local header', 'ios', () => ipaOf({ local: { compressedSize: 1 } }), /contradictory/],
  ['another checksum in the local header', 'ios', () => ipaOf({ local: { crc: 1 } }), /contradictory/],
  ['other flags in the local header', 'ios', () => ipaOf({ local: { flags: 0x801 } }), /contradictory/],
  ['sizes after the data in the local header alone', 'ios', () => ipaOf({ local: { flags: 0x808 } }), /contradictory/],
  [
    'a descriptor of other data',
    'ios',
    () => buildZip([described(seen, () => numbers(4, 0x08074b50, 1, 2, 3))]),
    /contradictory/,
  ],
  [
    'no descriptor where one is announced',
    'ios',
    () => buildZip([described(seen, () => Buffer.alloc(0))]),
    /contradictory/,
  ],
  [
    'the local name of another entry',
    'ios',
    () => ipa({ ...twin, name: 'Payload/Sample.app/Junk.plist', localName: name }),
    /contradictory/,
  ],
  [
    'the local name of another entry far away',
    'ios',
    () =>
      ipa(
        { name: 'Payload/Sample.app/Sample', data: Buffer.alloc(300_000), isStored: true },
        { ...twin, name: 'Payload/Sample.app/Junk.plist', localName: name },
      ),
    /contradictory/,
  ],
  // Room.
  ['data before the first entry', 'ios', () => ipaOf({ before: Buffer.from('#!/bin/sh\n') }), /doesn't list/],
  ['zeros before the first entry', 'ios', () => ipaOf({ before: Buffer.alloc(132) }), /doesn't list/],
  ['an entry before the first', 'ios', () => ipaOf({ before: localOnly(twin) }), /doesn't list/],
  [
    'a hidden entry in between',
    'ios',
    () => ipa({ name: 'b', data: info('b'), before: localOnly(twin) }),
    /doesn't list/,
  ],
  ['a hidden entry at the end', 'ios', () => ipaOf({}, { beforeDirectory: () => localOnly(twin) }), /doesn't list/],
  [
    'the smallest hidden Info.plist',
    'ios',
    () =>
      ipaOf(
        {},
        {
          beforeDirectory: () => localOnly({ name: 'Payload/.app/Info.plist', data: Buffer.from('x'), isStored: true }),
        },
      ),
    /doesn't list/,
  ],
  [
    'data before the manifest',
    'android',
    () => buildZip([{ ...manifest, before: Buffer.from('dex\n035\0') }]),
    /doesn't list/,
  ],
  [
    'a hidden entry before the signing block',
    'android',
    () =>
      buildApk({
        parts: [{ name: 'z', data: Buffer.alloc(1), after: () => localOnly({ ...manifest, name: 'classes.dex' }) }],
      }),
    /doesn't list/,
  ],
  // End records.
  ['another archive in its comment', 'ios', () => ipaOf({}, { comment: buildZip([twin]) }), /in its comment/],
  ['an end record in its comment', 'ios', () => ipaOf({}, { comment: buildZip([]) }), /in its comment/],
  ['a disk of several', 'ios', () => ipaOf({}, { disks: [1, 0] }), /multi-part/],
  ['a directory on another disk', 'ios', () => ipaOf({}, { disks: [0, 1] }), /multi-part/],
  ['an entry on another disk', 'ios', () => ipaOf({ central: { disk: 1 } }), /multi-part/],
  ['a zip64 record of another disk', 'ios', () => widenEnd(ipa(), { disk: 1 }), /multi-part/],
  [
    'end records that count differently',
    'ios',
    () => widenEnd(ipa(twin), { count: 1, isPlainKept: true }),
    /contradict each other/,
  ],
  [
    'end records with two directories',
    'ios',
    () => widenEnd(ipa(), { offset: 3, isPlainKept: true }),
    /contradict each other/,
  ],
  [
    'more entries than it counts',
    'ios',
    () => buildZip([seen, { ...twin, name: 'other' }], { statedCount: 1 }),
    /more entries than declared/,
  ],
  [
    'bytes after its directory',
    'ios',
    () => ipaOf({}, { afterDirectory: Buffer.alloc(1) }),
    /between its directory and its end/,
  ],
  [
    'zip64 sizes that nobody needs and that lie',
    'ios',
    () => ipaOf({ central: { extra: field(1, numbers(8, 5, 5)) } }),
    /contradictory/,
  ],
];

it.each(unreadable)('keeps an archive with %s as unreadable', async (_what, platform, bytes, reason) => {
  const outcome = await inspectPackage(bufferSource(bytes()), platform);
  expect(outcome).toEqual({ status: 'unreadable', reason: expect.stringMatching(reason) });
});

describe('the output of common tools', () => {
  const padded: ZipPart = { ...manifest, before: emptyEntry(102) };
  it.each<[what: string, platform: 'ios' | 'android', bytes: () => Buffer]>([
    [
      'a folder named twice',
      'ios',
      () => ipa({ name: 'Payload/', data: Buffer.alloc(0) }, { name: 'Payload/', data: Buffer.alloc(0) }),
    ],
    ['names that begin with a step', 'ios', () => ipaOf({ name: `./${name}` })],
    [
      'names that differ by case below the app',
      'ios',
      () =>
        ipa({ name: 'Payload/Sample.app/a/B', data: info('b') }, { name: 'Payload/Sample.app/a/b', data: info('b') }),
    ],
    [
      'names in an old encoding that look alike',
      'ios',
      () => renamed(ipa({ name: 'xxxx', data: info('b') }, { name: 'yyyy', data: info('b') })),
    ],
    ['a Unicode path of another name', 'ios', () => ipaOf({ central: { extra: unicodePath('old name', 'other') } })],
    [
      'a Unicode path of an image',
      'ios',
      () => {
        const path = unicodePath('Payload/Sample.app/e.png', 'Payload/Sample.app/\u00e9.png');
        return ipa({ ...twin, name: 'Payload/Sample.app/e.png', central: { extra: path } });
      },
    ],
    ['a Unicode path that says the same', 'ios', () => ipaOf({ central: { extra: unicodePath(name, name) } })],
    ['sizes after the data', 'ios', () => buildZip([described(seen)])],
    ['sizes after the data without a signature', 'ios', () => buildZip([described(seen, descriptor(4, false))])],
    ['wide sizes after the data', 'ios', () => buildZip([described(seen, descriptor(8))])],
    [
      'wide sizes after an empty file',
      'ios',
      () => {
        const empty = described({ name: 'Payload/Sample.app/empty', data: Buffer.alloc(0) }, descriptor(8));
        return ipa(empty, { name: 'Payload/Sample.app/last', data: info('b') });
      },
    ],
    [
      'times in the local header',
      'ios',
      () =>
        buildZip([
          { ...described(seen), local: { crc: 0, size: 0, compressedSize: 0, extra: field(0x5455, Buffer.alloc(60)) } },
        ]),
    ],
    [
      'wide sizes in the local header',
      'ios',
      () =>
        ipaOf({
          isStored: true,
          local: {
            size: 0xffffffff,
            compressedSize: 0xffffffff,
            extra: field(1, numbers(8, seen.data.length, seen.data.length)),
          },
        }),
    ],
    [
      'wide sizes in the directory that nobody needs',
      'ios',
      () => ipaOf({ isStored: true, central: { extra: field(1, numbers(8, seen.data.length)) } }),
    ],
    ['wide end records', 'ios', () => widenEnd(ipa())],
    ['wide end records that nobody needs', 'ios', () => widenEnd(ipa(), { isPlainKept: true })],
    ['a comment', 'ios', () => ipaOf({}, { comment: 'PK\u0005 made by hand' })],
    [
      'resources that differ by case',
      'android',
      () =>
        buildApk({
          parts: [
            { name: 'res/a1.xml', data: info('a') },
            { name: 'res/A1.xml', data: info('b') },
          ],
        }),
    ],
    [
      'an empty entry at the front',
      'android',
      () => buildZip([padded, { name: 'b', data: Buffer.alloc(9), before: Buffer.alloc(200) }]),
    ],
    [
      'zeros before the directory',
      'android',
      () => buildZip([manifest], { beforeDirectory: () => Buffer.alloc(4096) }),
    ],
    [
      'room for alignment in a local header',
      'android',
      () => buildZip([{ ...manifest, local: { extra: Buffer.alloc(4_000) } }]),
    ],
  ])('is read: %s', async (_what, platform, bytes) => {
    const outcome = await inspectPackage(bufferSource(bytes()), platform);
    expect(outcome.status === 'ok' ? 'ok' : outcome).toBe('ok');
  });
});

/** Names that are no UTF-8, as Windows programs write them. */
function renamed(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  return Buffer.from(text.replaceAll('xxxx', '\xd6\xd0\xb9\xfa').replaceAll('yyyy', '\xc8\xd5\xb1\xbe'), 'latin1');
}
