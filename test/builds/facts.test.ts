// The stored facts of an archive, and finding a device in a profile.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findArchiveFacts, isProvisioned, listProvisioned } from '../../src/builds/fact-store.ts';
import { buildFacts } from '../../src/data/tables/tables.ts';
import { createIdentity } from '../inspection/build-signature.ts';
import { type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import { buildApk, buildIpa } from '../support/fixtures.ts';

let scenario: InstallScenario;
beforeAll(async () => {
  scenario = await startInstallScenario();
});
afterAll(() => scenario?.fixture.stop());

describe('the facts of a build', () => {
  it('of iOS are stored with the build and deleted with it', async () => {
    const { app } = scenario.fixture;
    const { identifier } = await scenario.addBuild(scenario.ios, buildIpa({ name: 'Harbour' }));
    expect(findArchiveFacts(app, identifier)).toEqual({
      applicationName: 'Harbour',
      bundleIdentifier: 'com.example.sample',
      versionName: '1.2.3',
      buildNumber: '45',
      isSimulatorBuild: false,
      isPartial: false,
      isTestOnly: false,
      isDebuggable: false,
      isUnsigned: false,
      families: ['ipad', 'iphone'],
      abis: [],
      profile: {
        kind: 'ad-hoc',
        uuid: '00000000-0000-4000-8000-000000000000',
        name: 'Sample Ad Hoc',
        expiresAt: Date.parse('2046-01-01T00:00:00Z'),
        teamPrefix: 'TEAM000001',
      },
      verifiedFromSdk: null,
      verifiedUntilSdk: null,
      certificates: [],
    });
    await (await scenario.staff()).delete(`/api/v1/builds/${identifier}`);
    expect(findArchiveFacts(app, identifier)).toBeNull();
    expect(
      app.db
        .select()
        .from(buildFacts)
        .all()
        .some(({ buildId }) => buildId === identifier),
    ).toBe(false);
  });

  it('of Android contain its certificates', async () => {
    const identity = createIdentity('Ours');
    const { identifier } = await scenario.addBuild(
      scenario.android,
      buildApk({ signers: [identity], isDebuggable: true }),
    );
    expect(findArchiveFacts(scenario.fixture.app, identifier)).toMatchObject({
      buildNumber: '45',
      isDebuggable: true,
      profile: null,
      verifiedFromSdk: 24,
      certificates: [identity.fingerprint],
    });
  });

  it('are missing if the archive is unreadable', async () => {
    const { identifier } = await scenario.addBuild(scenario.ios, Buffer.from('no archive'));
    expect(findArchiveFacts(scenario.fixture.app, identifier)).toBeNull();
    expect(isProvisioned(scenario.fixture.app, identifier, 'AA')).toBe(false);
    expect(listProvisioned(scenario.fixture.app, identifier).size).toBe(0);
  });
});

describe('a profile’s list of devices', () => {
  it.each([
    ['00008030-00000000000000AB', true],
    ['00008030-00000000000000ab', true],
    ['0123456789abcdef0123456789abcdef01234567', true],
    ['0123456789ABCDEF0123456789ABCDEF01234567', true],
    ['00008030-00000000000000A', false],
    ['0008030-00000000000000AB', false],
    ['00008030-00000000000000AC', false],
    ['00008030-00000000000000AB\n00008030-00000000000000AD', false],
    ['%', false],
    ['\n', false],
    ['', false],
  ])('asked for %j returns %s', async (udid, isThere) => {
    listed ??= (
      await scenario.addBuild(
        scenario.ios,
        buildIpa({
          profile: {
            ProvisionedDevices: [
              '00008030-00000000000000AB',
              '00008030-00000000000000AD',
              '0123456789abcdef0123456789abcdef01234567',
            ],
          },
        }),
      )
    ).identifier;
    expect(isProvisioned(scenario.fixture.app, listed, udid)).toBe(isThere);
    expect(listProvisioned(scenario.fixture.app, listed).size).toBe(3);
  });
  let listed: string | undefined;

  it('of an enterprise profile is empty', async () => {
    const profile = { ProvisionsAllDevices: true, ProvisionedDevices: [] };
    const { identifier } = await scenario.addBuild(scenario.ios, buildIpa({ profile }));
    expect(findArchiveFacts(scenario.fixture.app, identifier)?.profile?.kind).toBe('enterprise');
    expect(listProvisioned(scenario.fixture.app, identifier).size).toBe(0);
  });
});
