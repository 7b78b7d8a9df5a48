// What the browser reads of a package before it is uploaded.
import { describe, expect, it } from 'vitest';
import { en } from '../../src/dashboard/texts/en.ts';
import { parseBuildNumber, readPackage } from '../../src/dashboard/upload/read-package.ts';
import type { RejectionReason } from '../../src/dashboard/upload/rejected-file.ts';
import { listZip } from '../../src/dashboard/upload/zip.ts';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import { buildZip } from '../inspection/build-zip.ts';
import { buildApk, buildIpa, readApiDemos } from '../support/fixtures.ts';

const MAX = 500 * 1024 * 1024;
const fileOf = (bytes: Buffer, name = 'app') => new File([new Uint8Array(bytes)], name);

describe('an Android package', () => {
  it('has its package name, version and build number read', async () => {
    const bytes = buildApk({ packageName: 'com.example.tide', versionName: '3.1', versionCode: 77 });
    expect(await readPackage(fileOf(bytes), 'android', MAX)).toEqual({
      platform: 'android',
      name: undefined,
      bundleIdentifier: 'com.example.tide',
      versionName: '3.1',
      packageBuildNumber: '77',
      buildNumber: 77,
    });
  });
  it('is read if another tool built it', async () => {
    const found = await readPackage(fileOf(readApiDemos()), 'android', MAX);
    expect(found.bundleIdentifier).toBe('io.appium.android.apis');
    expect(Number.isSafeInteger(found.buildNumber)).toBe(true);
  });
  it('is rejected by a project of another platform', async () => {
    const bytes = buildApk({ packageName: 'com.example.tide', versionName: '3.1', versionCode: 77 });
    await expect(readPackage(fileOf(bytes), 'ios', MAX)).rejects.toMatchObject({ reason: 'wrong_platform' });
  });
});

describe('a file that is not a package', () => {
  const zip = (...names: string[]) => buildZip(names.map((name) => ({ name, data: Buffer.from('x') })));
  it.each([
    ['text', 'not_a_package', Buffer.from('just some text')],
    ['an empty file', 'not_a_package', Buffer.alloc(0)],
    ['an archive without an app', 'no_app', zip('readme.txt')],
    ['an app bundle', 'bundle', zip('BundleConfig.pb', 'base/manifest/AndroidManifest.xml')],
    ['a package for iOS', 'wrong_platform', buildIpa({})],
  ])('is rejected if it is %s, with the reason %s', async (_file, reason, bytes) => {
    await expect(readPackage(fileOf(bytes), 'android', MAX)).rejects.toMatchObject({ reason });
  });
  it('is rejected above the size limit of the server', async () => {
    await expect(readPackage(fileOf(Buffer.alloc(11)), 'android', 10)).rejects.toMatchObject({ reason: 'too_large' });
  });
});

describe('the browser and the server', () => {
  const ipa = buildIpa({});
  const bundle = buildZip([{ name: 'BundleConfig.pb', data: Buffer.from('x') }]);
  it.each<[string, Buffer, 'ios' | 'android', RejectionReason]>([
    ['text', Buffer.from('just some text, and then some more'), 'ios', 'not_a_package'],
    ['an empty file', Buffer.alloc(0), 'ios', 'not_a_package'],
    ['a package that was cut at its end', ipa.subarray(0, -10), 'ios', 'damaged'],
    ['a package that was cut in its middle', ipa.subarray(0, ipa.length / 2), 'ios', 'damaged'],
    ['a package that was cut in its first header', ipa.subarray(0, 12), 'ios', 'damaged'],
    ['an app bundle', bundle, 'android', 'bundle'],
    ['an iOS package in an Android project', ipa, 'android', 'wrong_platform'],
    ['an Android package in an iOS project', buildApk(), 'ios', 'wrong_platform'],
  ])('give the same reason for %s', async (_name, bytes, platform, reason) => {
    await expect(readPackage(fileOf(bytes), platform, MAX)).rejects.toMatchObject({ reason });
    const source = { size: bytes.length, read: async (at: number, length: number) => bytes.subarray(at, at + length) };
    const found = platform === 'ios' ? 'android' : 'ios';
    const text = en.upload.refusals[reason](platform, found, '500 MiB');
    expect(await inspectPackage(source, platform)).toMatchObject({ reason: text });
  });
});

describe('a damaged package', () => {
  it('is accepted without a version if only its manifest is unreadable', async () => {
    const bytes = buildZip([{ name: 'AndroidManifest.xml', data: Buffer.from('hardened') }]);
    expect(await readPackage(fileOf(bytes), 'android', MAX)).toMatchObject({ versionName: undefined });
  });
  it('is rejected wherever it is truncated', async () => {
    const bytes = buildApk({ packageName: 'com.example.tide', versionName: '3.1', versionCode: 77 });
    for (let length = 0; length < bytes.length; length += 97) {
      await expect(readPackage(fileOf(bytes.subarray(0, length)), 'android', MAX)).rejects.toHaveProperty('reason');
    }
  });
});

describe('the list of a ZIP', () => {
  it('is read from its end', async () => {
    const whole = buildZip([{ name: 'a/b.txt', data: Buffer.from('hello') }]);
    expect((await listZip(new Blob([new Uint8Array(whole)]))).map(({ name, size }) => [name, size])).toEqual([
      ['a/b.txt', 5],
    ]);
  });
});

describe('a build number', () => {
  it.each([
    ['42', 42],
    ['0', 0],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', undefined],
    ['1.2', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %j is read as %s', (text, number) => {
    expect(parseBuildNumber(text)).toBe(number);
  });
});
