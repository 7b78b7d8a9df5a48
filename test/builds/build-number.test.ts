// Build numbers: the package's text, the API's number, and the displayed one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveBuildNumber } from '../../src/builds/build-number.ts';
import { buildApk, buildIpa } from '../support/fixtures.ts';
import type { Json } from '../support/harness.ts';
import { type BuildScenario, makeChannel, startBuildScenario, uploadBuild } from './scenario.ts';

describe('the number derived from a text', () => {
  it.each<[string | null | undefined, number | undefined]>([
    ['305', 305],
    ['0', 0],
    ['007', 7],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', undefined],
    ['99999999999999999', undefined],
    ['1.0', 1_000_000],
    ['1.2', 1_002_000],
    ['1.2.3', 1_002_003],
    ['2.31.4', 2_031_004],
    ['1.999.999', 1_999_999],
    ['20261122.1', 20_261_122_001_000],
    ['1.1000', undefined],
    ['1.0.1000', undefined],
    ['9007199254.740.991', 9_007_199_254_740_991],
    ['9007199254.740.992', undefined],
    ['1.2.3.4', undefined],
    ['1.0b2', undefined],
    ['1.', undefined],
    ['.1', undefined],
    ['-1', undefined],
    [' 1', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('of %j is %j', (text, number) => {
    expect(deriveBuildNumber(text)).toBe(number);
  });

  it('has the same order as the texts', () => {
    const texts = ['0.9', '1.0', '1.0.1', '1.0.10', '1.1', '1.10', '1.10.2', '2.0', '10.0'];
    const numbers = texts.map((text) => deriveBuildNumber(text) ?? Number.NaN);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers);
  });
});

describe('a build of an iPhone app', () => {
  let scenario: BuildScenario;
  beforeAll(async () => {
    scenario = await startBuildScenario();
  });
  afterAll(() => scenario?.fixture.stop());

  it("shows the package's own text everywhere, without a mismatch", async () => {
    const { admin, ios } = scenario;
    const bytes = buildIpa({ version: '2.3.1', build: '1.0' });
    const body = { version_name: '2.3.1', build_number: 1_000_000 };
    const channelId = await makeChannel(admin, ios, { public: true });
    const build = await uploadBuild(admin, ios, bytes, body);
    expect(build).toMatchObject({
      build_number: 1_000_000,
      display_build_number: '1.0',
      inspection: { bundle_identifier: 'com.example.sample', build_number: '1.0' },
    });
    const inspection = await admin.get<Json>(`/api/v1/builds/${build.identifier}/inspection`);
    expect(inspection.body).toMatchObject({ mismatches: [], content: { build_number: '1.0' } });
    const release = await admin.post(
      '/api/v1/releases',
      { build_id: build.identifier },
      { ...ios, channel_id: channelId },
    );
    expect(release.body).toMatchObject({ build: { display_build_number: '1.0' } });
    const found = await admin.get<Json>(`/api/v1/organizations/${ios.organization_id}/search`, { query: '2.3.1 (1.0' });
    expect(found.body.builds).toEqual([
      expect.objectContaining({ identifier: build.identifier, build_number: 1_000_000, display_build_number: '1.0' }),
    ]);
    const page = await admin.get(`/public/v1/channels/${channelId}`);
    expect(page.text).toContain('"display_build_number":"1.0"');
  });

  it('has no mismatch for a text that is not a number, and one for a replaced whole number', async () => {
    const { admin, ios } = scenario;
    const mismatchesOf = async (build: string, build_number: number) => {
      const { identifier } = await uploadBuild(admin, ios, buildIpa({ build }), { build_number });
      return (await admin.get<Json>(`/api/v1/builds/${identifier}/inspection`)).body.mismatches;
    };
    expect(await mismatchesOf('1.2.3.4', 5001)).toEqual([]);
    expect(await mismatchesOf('007', 7)).toEqual([]);
    expect(await mismatchesOf('305', 306)).toEqual([{ field: 'build_number', declared: '306', found: '305' }]);
    expect(await mismatchesOf('2026120103581234', 2_026_120_103_581_234)).toEqual([]);
    expect(await mismatchesOf('2026120103581234', 307)).toEqual([
      { field: 'build_number', declared: '307', found: '2026120103581234' },
    ]);
    // Beyond 2^53 − 1, which build_number can't be.
    expect(await mismatchesOf('9007199254740992', 308)).toEqual([]);
  });
});

it('a build of an Android app shows its uploaded number', async () => {
  await using scenario = await startBuildScenario();
  const bytes = buildApk({ versionCode: 20 });
  expect(await uploadBuild(scenario.ci, scenario.android, bytes, { build_number: 21 })).toMatchObject({
    build_number: 21,
    display_build_number: '21',
    inspection: { build_number: '20' },
  });
  expect(
    await uploadBuild(scenario.ci, scenario.android, Buffer.from('no archive'), { build_number: 22 }),
  ).toMatchObject({
    display_build_number: '22',
    inspection: null,
  });
});
