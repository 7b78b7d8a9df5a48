// Every shared fixture has the stated result, and the hostile ones cost little time and memory.
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UnreadableArchive } from '../../src/inspection/errors.ts';
import { type InspectionOutcome, inspectPackage } from '../../src/inspection/inspect.ts';
import { readProfile } from '../../src/inspection/profile.ts';
import { createInspector, type Inspector } from '../../src/inspection/run.ts';
import { Inspection } from '../../src/inspection/schema.ts';
import { leastProcessCpu } from '../support/cpu.ts';
import { bufferSource, buildApk, buildIpa, findSharedFixtures, sha256 } from '../support/fixtures.ts';
import { readPixels } from './read-pixels.ts';
import { readFixture, readTruth, type Truth } from './read-truth.ts';

const apks = readTruth('apk');
const ipas = readTruth('ipa').filter((truth) => truth.expect === 'accept');
const packages = readTruth('apk', 'ipa', 'aab', 'negative');
const profiles = readTruth('profile');

function platformByName(file: string): 'ios' | 'android' {
  return file.endsWith('.ipa') ? 'ios' : 'android';
}

async function inspectFixture(file: string): Promise<Extract<InspectionOutcome, { status: 'ok' }>> {
  const outcome = await inspectPackage(bufferSource(readFixture(file)), platformByName(file));
  if (outcome.status !== 'ok') throw new Error(`${file} is ${outcome.status}: ${outcome.reason}`);
  Inspection.parse(outcome.inspection);
  return outcome;
}

function expectIdentity(inspection: Inspection, truth: Truth): void {
  expect({
    id: inspection.bundle_identifier,
    label: inspection.application_name,
    version: inspection.version_name,
    build: inspection.build_number,
    minOs: inspection.min_os_version,
  }).toEqual({
    id: truth.bundle_id,
    label: truth.label,
    version: truth.version_name,
    build: truth.build_number,
    minOs: truth.min_os,
  });
}

it('the whole set of shared fixtures is known if it exists', () => {
  const isPresent = findSharedFixtures() !== null;
  expect([apks.length > 0, ipas.length > 0, packages.length > 40, profiles.length > 0]).toEqual(
    Array(4).fill(isPresent),
  );
});

for (const truth of apks) {
  it(`${truth.file} has the stated facts`, async () => {
    const { inspection, icon } = await inspectFixture(truth.file);
    expectIdentity(inspection, truth);
    expect(inspection.target_sdk).toBe(truth.target_sdk);
    expect(inspection.debuggable).toBe(truth.debuggable);
    expect(inspection.test_only).toBe(truth.test_only);
    expect(inspection.split).toBe(truth.split);
    expect(inspection.permissions).toEqual(truth.permissions);
    expect(inspection.abis).toEqual(truth.native_abis);
    expect(icon?.width ?? null).toBe(truth.icon?.max_width);
    expect(icon?.height ?? null).toBe(truth.icon?.best_raster?.height ?? null);
    if (icon) expect(icon.contentType).toBe(`image/${truth.icon?.best_raster?.format}`);
  });

  it(`${truth.file} has the stated signature`, async () => {
    const { inspection } = await inspectFixture(truth.file);
    const { signing } = inspection;
    const stated = truth.signature;
    if (!stated) throw new Error('no signature stated');
    const shown = signing?.platform === 'android' ? signing : null;
    expect(shown?.verified ?? false).toBe(stated.verifies);
    expect((shown?.verified ?? false) && inspection.split === null).toBe(truth.installable);
    const certificates = shown?.certificates.map(({ sha256: fingerprint }) => fingerprint) ?? [];
    // Where only newer Android versions accept the signature, theirs are shown, and from which version on.
    const expected = stated.verifies ? stated.cert_sha256 : stated.at_min_sdk_28.cert_sha256;
    expect(certificates.toSorted()).toEqual(expected.toSorted());
    expect(shown?.verified_from_sdk ?? null).toBe(
      stated.verifies ? shown?.verified_from_sdk : stated.at_min_sdk_28.verifies ? 28 : null,
    );
    if (stated.verifies) expect({ ...shown?.schemes, v4: false }).toEqual(stated.schemes);
  });
}

for (const truth of ipas) {
  it(`${truth.file} has the stated facts`, async () => {
    const { inspection, icon } = await inspectFixture(truth.file);
    expectIdentity(inspection, truth);
    expect(inspection.supported_platforms).toEqual(truth.supported_platforms ?? []);
    const families = (truth.device_family ?? []).map((family) => ({ 1: 'iphone', 2: 'ipad' })[family]);
    expect(inspection.devices).toEqual(families.toSorted());
    expect(icon?.width ?? null).toBe(truth.icon?.max_width);
    if (!icon) return;
    const pixels = readPixels(icon.png);
    expect(pixels.height).toBe(truth.icon?.best?.height);
    if (truth.icon?.best?.rgba_sha256) expect(sha256(pixels.rgba)).toBe(truth.icon.best.rgba_sha256);
  });

  it(`${truth.file} has the stated provisioning`, async () => {
    const { signing } = (await inspectFixture(truth.file)).inspection;
    expect(signing === null).toBe(truth.provisioning === null);
    if (signing?.platform === 'ios' && truth.provisioning) expectProvisioning(signing, truth.provisioning);
  });
}

const withMilliseconds = (moment: string | undefined) => moment?.replace(/Z$/, '.000Z');

// Names and device ids belong to other people: compared without being printed.
function expectProvisioning(
  signing: Awaited<ReturnType<typeof readProfile>>,
  stated: NonNullable<Truth['provisioning']>,
): void {
  expect(signing.kind).toBe(stated.type);
  expect(signing.cms_signature_valid).toBe(stated.cms_signature_valid);
  expect(signing.created_at).toBe(withMilliseconds(stated.created));
  expect(signing.expires_at).toBe(withMilliseconds(stated.expires));
  expect(signing.certificate_count).toBe(stated.developer_certificates);
  expect(signing.provisioned_devices.length).toBe(stated.device_count ?? 0);
  const devices = sha256(signing.provisioned_devices.join('\n'));
  expect(stated.device_count === null ? null : devices).toBe(stated.devices_sorted_sha256);
  const isSame = [
    signing.profile_name === stated.name,
    signing.profile_uuid === stated.uuid,
    signing.team_id === stated.team_id,
    signing.team_name === stated.team_name,
    signing.entitlements['application-identifier'] === stated.application_identifier,
  ];
  expect(isSame).toEqual([true, true, true, true, true]);
}

for (const { file, provisioning } of profiles) {
  it(`${file} is read as stated`, async () => {
    const reading = readProfile(readFixture(file));
    if (provisioning?.parses_as_cms) expectProvisioning(await reading, provisioning);
    else await expect(reading).rejects.toThrow(UnreadableArchive);
  });
}

let inspector: Inspector;
beforeAll(async () => {
  inspector = createInspector({
    workerEntry: resolve(import.meta.dirname, '../../src/inspection/worker.ts'),
    timeoutMs: 10_000,
    maxMemoryMb: 128,
    concurrency: 1,
  });
  const warm = [
    await inspector.inspect(bufferSource(buildApk()), 'android', 'us'),
    await inspector.inspect(bufferSource(buildIpa()), 'ios', 'us'),
  ];
  expect(warm.map(({ status }) => status)).toEqual(['ok', 'ok']);
});
afterAll(() => inspector.close());

for (const truth of packages) {
  const { file } = truth;
  it(`${file} has the stated result within 2 s and 100 MB`, async () => {
    const source = bufferSource(readFixture(file));
    const inspect = () => inspector.inspect(source, platformByName(file), 'us');
    let outcome = await inspect();
    const memory = process.memoryUsage.rss();
    const cost = await leastProcessCpu(2_000, async () => {
      outcome = await inspect();
    });
    expect(cost).toBeLessThan(2_000);
    expect((process.memoryUsage.rss() - memory) / 1024 / 1024).toBeLessThan(100);
    if (truth.expect === 'reject' && !truth.either_or) expect(outcome.status).not.toBe('ok');
    if (truth.expect === 'accept' && !truth.either_or) expect(outcome.status).toBe('ok');
    if (outcome.status !== 'ok') expect(outcome.reason).toMatch(/^[A-Z].{10,}\.$/);
    else if (truth.platform) expect(outcome.inspection.platform).toBe(truth.platform);
    if (outcome.status === 'ok' && truth.bundle_id && file.startsWith('negative/'))
      expectIdentity(outcome.inspection, truth);
    if (outcome.status === 'ok' && truth.icon_expected === null) expect(outcome.icon).toBeNull();
  });
}

for (const { file } of packages.filter((truth) => /\.(?:aab|hap)$/.test(truth.file))) {
  it(`${file} is rejected as a package of another kind`, async () => {
    const outcome = await inspector.inspect(bufferSource(readFixture(file)), 'android', 'us');
    expect(outcome.status).toBe('rejected');
  });
}
