// What a package consists of: its size by part, and its libraries.
import { expect, it } from 'vitest';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import type { Inspection } from '../../src/inspection/schema.ts';
import { bufferSource, buildApk, buildIpa } from '../support/fixtures.ts';

const part = (name: string, size: number) => ({ name, data: Buffer.alloc(size, 1), isStored: true });
const text = (name: string, content: string) => ({ name, data: Buffer.from(content), isStored: true });

async function contentsOf(
  bytes: Buffer,
  platform: 'ios' | 'android',
): Promise<Pick<Inspection, 'parts' | 'libraries'>> {
  const outcome = await inspectPackage(bufferSource(bytes), platform);
  if (outcome.status !== 'ok') throw new Error(`${outcome.status}: ${outcome.reason}`);
  return outcome.inspection;
}

it('measures the parts of an .ipa', async () => {
  const app = 'Payload/Sample.app';
  const parts = [
    part(`${app}/Main`, 1_000),
    part(`${app}/PlugIns/Share.appex/Share`, 200),
    part(`${app}/Frameworks/Maps.framework/Maps`, 5_000),
    part(`${app}/Frameworks/libswiftCore.dylib`, 700),
    part(`${app}/PlugIns/Share.appex/Frameworks/Tides.framework/Tides`, 40),
    part(`${app}/Assets.car`, 30_000),
    part(`${app}/en.lproj/start.mp4`, 2_000),
    part(`${app}/en.lproj/Localizable.strings`, 100_000),
    part(`${app}/_CodeSignature/CodeResources`, 600_000),
    part('SwiftSupport/iphoneos/libswiftCore.dylib', 700_000),
  ];
  const info = { CFBundleExecutable: 'Main' };
  const [base, whole] = [buildIpa({ info }), buildIpa({ info, parts })];
  const [before, after] = [await contentsOf(base, 'ios'), await contentsOf(whole, 'ios')];
  const added = (name: keyof NonNullable<Inspection['parts']>) =>
    (after.parts?.[name] ?? 0) - (before.parts?.[name] ?? 0);
  expect([added('code'), added('frameworks'), added('assets'), added('resources')]).toEqual([
    1_200, 5_740, 32_000, 100_000,
  ]);
  expect(Object.values(after.parts ?? {}).reduce((sum, bytes) => sum + bytes, 0)).toBe(whole.length);
  expect(after.libraries).toEqual([{ name: 'Maps', version: null }]);
});

it('measures the parts of an .apk, and reads the versions of its libraries', async () => {
  const parts = [
    part('classes3.dex', 1_000),
    part('classes2.dex', 200),
    part('lib/arm64-v8a/libmaps.so', 5_000),
    part('lib/x86_64/libmaps.so', 700),
    part('assets/tides.json', 30_000),
    part('res/raw/a.bin', 2_000),
    part('kotlin/kotlin.kotlin_builtins', 400),
    text('META-INF/androidx.core_core.version', '1.13.1\n'),
    text('META-INF/com.example_unknown.version', "task ':x:writeVersion' property 'version'"),
    text('META-INF/kotlinx_coroutines_core.version', '1.8.0'),
    part('META-INF/huge.version', 1_000),
  ];
  const [base, whole] = [buildApk({}), buildApk({ parts })];
  const [before, after] = [await contentsOf(base, 'android'), await contentsOf(whole, 'android')];
  const added = (name: keyof NonNullable<Inspection['parts']>) =>
    (after.parts?.[name] ?? 0) - (before.parts?.[name] ?? 0);
  expect([added('code'), added('frameworks'), added('assets'), added('resources')]).toEqual([
    1_200, 5_700, 30_000, 2_000,
  ]);
  expect(Object.values(after.parts ?? {}).reduce((sum, bytes) => sum + bytes, 0)).toBe(whole.length);
  expect(after.libraries).toEqual([
    { name: 'androidx.core:core', version: '1.13.1' },
    { name: 'com.example:unknown', version: null },
    { name: 'kotlinx_coroutines_core', version: '1.8.0' },
    { name: 'libmaps.so', version: null },
  ]);
});

it('lists a bounded number of libraries, with few reads for those far apart', async () => {
  const parts = Array.from({ length: 400 }, (_, index) => [
    part(`lib/arm64-v8a/lib${index}.so`, 10),
    text(`META-INF/a_${index}.version`, '1.0'),
    part(`assets/${index}`, 20_000),
  ]).flat();
  const source = bufferSource(buildApk({ parts, signers: [] }));
  const outcome = await inspectPackage(source, 'android');
  expect(outcome.status === 'ok' && outcome.inspection.libraries?.length).toBe(300);
  expect(source.counted.reads).toBeLessThan(120);
  expect(source.counted.bytes).toBeLessThan(30 * 1024 * 1024);
});
