// Hostile archives are rejected with a reason, and unusual ones are read.
import { expect, it } from 'vitest';
import { openArchive, readArchiveEntry } from '../../src/inspection/archive.ts';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import { BlockReader } from '../../src/inspection/source.ts';
import { leastCpu } from '../support/cpu.ts';
import { bufferSource, buildApk, buildIpa, buildManifest } from '../support/fixtures.ts';
import { buildXmlPlist } from './build-plist.ts';
import { buildZip, widenEnd, type ZipPart } from './build-zip.ts';

const info = buildXmlPlist({ CFBundleIdentifier: 'com.example.sample', CFBundleName: 'Sample' });
const infoPart: ZipPart = { name: 'Payload/Sample.app/Info.plist', data: info };

function withInfo(stated: ZipPart['stated'], others: Partial<ZipPart> = {}): Buffer {
  return buildZip([{ ...infoPart, ...others, stated: stated ?? {} }]);
}

const unreadable: [what: string, bytes: Buffer, reason: RegExp][] = [
  ['an empty file', Buffer.alloc(0), /isn't an app package/],
  ['text', Buffer.from('<!doctype html><title>404</title>'.repeat(10)), /isn't an app package/],
  ['an archive without its end', buildIpa().subarray(0, -30), /damaged or incomplete/],
  ['an archive without entries', buildZip([]), /no app/],
  ['no app', buildZip([{ name: 'Payload/readme.txt', data: info }]), /no app/],
  ['an Info.plist deeper than the app', buildZip([{ name: 'Payload/a/Sample.app/Info.plist', data: info }]), /no app/],
  ['two apps', buildZip([infoPart, { name: 'Payload/Other.app/Info.plist', data: info }]), /more than one app/],
  ['the same file twice', buildZip([infoPart, infoPart]), /same file twice/],
  [
    'both an iOS and an Android app',
    buildIpa({ parts: [{ name: 'AndroidManifest.xml', data: info }] }),
    /both an iOS app and an Android app/,
  ],
  ['a path that climbs', buildIpa({ parts: [{ name: '../../evil', data: info }] }), /outside/],
  [
    'a path that climbs by backslashes',
    buildIpa({ parts: [{ name: 'Payload\\..\\..\\evil', data: info }] }),
    /outside/,
  ],
  ['an absolute path', buildIpa({ parts: [{ name: '/etc/evil', data: info }] }), /outside/],
  ['a drive letter', buildIpa({ parts: [{ name: 'C:/evil', data: info }] }), /outside/],
  ['an endless name', buildIpa({ parts: [{ name: 'a'.repeat(2_000), data: info }] }), /too long name/],
  ['an encrypted entry', withInfo({ flags: 0x801 }), /encrypted/],
  ['a strongly encrypted entry', withInfo({ flags: 0x841 }), /damaged or incomplete/],
  ['an unknown method', withInfo({ method: 14 }), /unsupported compression/],
  ['a wrong checksum', withInfo({ crc: 1 }), /checksum/],
  ['a wrong checksum of a stored entry', withInfo({ crc: 1 }, { isStored: true }), /checksum/],
  ['a size that is too small', withInfo({ size: 10 }), /damaged|declared size/],
  ['a size that is too large', withInfo({ size: info.length + 1 }), /declared size/],
  ['a size beyond the limit', withInfo({ size: 900 * 1024 * 1024 }), /too large/],
  ['data past the directory', withInfo({ compressedSize: 100_000 }), /ends before/],
  ['a header that is none', withInfo({}, { central: { headerOffset: 4 } }), /ends before|no header|doesn't list/],
  ['two names for one entry', withInfo({}, { localName: 'Payload/Sample.app/Imfo.plist' }), /contradictory/],
  ['entries that overlap', buildZip([infoPart, { name: 'b', data: info, central: { headerOffset: 0 } }]), /overlap/],
  ['more entries than there are', buildZip([infoPart], { statedCount: 9 }), /ends before/],
];

it.each(unreadable)('keeps an archive with %s as unreadable', async (_what, bytes, reason) => {
  const outcome = await inspectPackage(bufferSource(bytes), 'ios');
  expect(outcome).toEqual({ status: 'unreadable', reason: expect.stringMatching(reason) });
});

const manifest = buildManifest({});
const rejected: [what: string, platform: 'ios' | 'android', bytes: Buffer, reason: RegExp][] = [
  ['an .apk sent as iOS', 'ios', buildApk(), /Android package/],
  ['an .ipa sent as Android', 'android', buildIpa(), /iOS package/],
  ['a bundle', 'android', buildZip([{ name: 'BundleConfig.pb', data: info }]), /\.aab/],
  [
    'a bundle by its manifest',
    'android',
    buildZip([{ name: 'base/manifest/AndroidManifest.xml', data: manifest }]),
    /\.aab/,
  ],
  ['a bundle sent as iOS', 'ios', buildZip([{ name: 'BundleConfig.pb', data: info }]), /\.aab/],
  ['a set of splits', 'android', buildZip([{ name: 'base.apk', data: info }]), /split packages/],
  [
    'a HarmonyOS package',
    'android',
    buildZip([
      { name: 'pack.info', data: info },
      { name: 'module.json', data: info },
    ]),
    /HarmonyOS/,
  ],
  [
    'a signed HarmonyOS package, whose signature is in front of the directory',
    'android',
    buildZip(
      [
        { name: 'pack.info', data: info },
        { name: 'module.json', data: info },
      ],
      { beforeDirectory: () => Buffer.from('<hap sign block>') },
    ),
    /HarmonyOS/,
  ],
  [
    'a bundle with gaps between its entries',
    'android',
    buildZip([{ name: 'BundleConfig.pb', data: info, before: Buffer.alloc(100) }]),
    /\.aab/,
  ],
  [
    'a set of splits with gaps between its entries',
    'android',
    buildZip([{ name: 'base.apk', data: info, before: Buffer.alloc(100) }]),
    /split packages/,
  ],
  [
    "an .ipa with data that its directory doesn't list, sent as Android",
    'android',
    buildZip([{ ...infoPart, before: Buffer.from('unlisted') }]),
    /iOS package/,
  ],
  [
    "an .apk with data that its directory doesn't list, sent as iOS",
    'ios',
    buildZip([{ name: 'AndroidManifest.xml', data: manifest, before: Buffer.alloc(200, 1) }]),
    /Android package/,
  ],
];

it.each(rejected)('rejects %s', async (_what, platform, bytes, reason) => {
  const outcome = await inspectPackage(bufferSource(bytes), platform);
  expect(outcome).toEqual({ status: 'rejected', reason: expect.stringMatching(reason) });
});

it.each([
  ['a comment at its end', buildZip([infoPart], { comment: 'made by hand' })],
  ['stored entries', buildZip([{ ...infoPart, isStored: true }])],
  ['folders and other junk', buildIpa({ parts: [{ name: '__MACOSX/Payload/Other.app/Info.plist', data: info }] })],
])('reads an archive with %s', async (_what, bytes) => {
  const outcome = await inspectPackage(bufferSource(bytes), 'ios');
  expect(outcome.status).toBe('ok');
});

it('stops decompressing at the stated size of an entry', async () => {
  const bomb = Buffer.alloc(64 * 1024 * 1024);
  const archive = await openArchive(
    new BlockReader(bufferSource(buildZip([{ name: 'bomb', data: bomb, stated: { size: 900 } }]))),
  );
  const entry = archive.entries.get('bomb');
  if (!entry) throw new Error('no entry');
  const before = process.memoryUsage().arrayBuffers;
  await expect(readArchiveEntry(archive, entry, 1024 * 1024)).rejects.toThrow(/damaged/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
});

it('rejects more than 65,536 entries without reading them', async () => {
  const bytes = buildZip([infoPart]);
  // A zip64 end record is what can state so many.
  const zip64 = widenEnd(bytes, { count: 10_000_000 });
  const outcome = await inspectPackage(bufferSource(zip64), 'ios');
  expect(outcome).toEqual({ status: 'unreadable', reason: 'The archive has more than 65536 entries.' });
});

it('reads an archive of 60,000 entries quickly', async () => {
  const parts = Array.from({ length: 60_000 }, (_, index) => ({
    name: `Payload/Sample.app/${index}`,
    data: Buffer.alloc(0),
    isStored: true,
  }));
  const bytes = buildZip([infoPart, ...parts]);
  const cost = await leastCpu(2_000, async () => {
    expect((await inspectPackage(bufferSource(bytes), 'ios')).status).toBe('ok');
  });
  expect(cost).toBeLessThan(2_000);
});

it('fails if the source fails, because that is not an error of the package', async () => {
  const source = { size: 1_000, read: () => Promise.reject(new Error('disk gone')) };
  await expect(inspectPackage(source, 'ios')).rejects.toThrow("The stored package can't be read.");
  const short = { size: 1_000, read: () => Promise.resolve(Buffer.alloc(3)) };
  await expect(inspectPackage(short, 'ios')).rejects.toThrow('unexpected number of bytes');
});
