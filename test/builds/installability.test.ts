// Whether any device can install a build, and how many registered devices can.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { insertDevice } from '../../src/devices/store.ts';
import { DAY } from '../../src/lib/clock.ts';
import { type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import { buildApk, buildIpa, buildJarSignedApk, sampleDevices } from '../support/fixtures.ts';
import { ABSENT, type Client, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson, personalTokenClient } from '../support/people.ts';
import type { Project } from './scenario.ts';

let scenario: InstallScenario;
beforeAll(async () => {
  scenario = await startInstallScenario();
});
afterAll(() => scenario?.fixture.stop());

const inDays = (days: number) => new Date(scenario.fixture.clock.now().getTime() + days * DAY);

describe('the installability of a build', () => {
  it.each<[string, 'ios' | 'android', () => Buffer, Json]>([
    [
      'an ad hoc build',
      'ios',
      () => buildIpa({ minOs: '17.0' }),
      {
        status: 'installable',
        reason: 'provisioned',
        profile_expires_at: '2046-01-01T00:00:00.000Z',
        needed_system: 'iOS 17.0',
        newest_system: null,
      },
    ],
    [
      'an expired build',
      'ios',
      () => buildIpa({ profile: { ExpirationDate: new Date('2016-12-07T00:00:00Z') } }),
      {
        status: 'uninstallable',
        reason: 'profile_expired',
        profile_expires_at: '2016-12-07T00:00:00.000Z',
        needed_system: 'iOS 15.0',
        newest_system: null,
      },
    ],
    [
      'a build whose profile names nobody',
      'ios',
      () => buildIpa({ profile: { ProvisionedDevices: [] } }),
      {
        status: 'uninstallable',
        reason: 'not_provisioned',
        profile_expires_at: '2046-01-01T00:00:00.000Z',
        needed_system: 'iOS 15.0',
        newest_system: null,
      },
    ],
    [
      'an .ipa that cannot be read',
      'ios',
      () => Buffer.from('no archive'),
      {
        status: 'uninstallable',
        reason: 'unreadable',
        profile_expires_at: null,
        needed_system: null,
        newest_system: null,
      },
    ],
    [
      'an .apk',
      'android',
      () => buildApk(),
      {
        status: 'installable',
        reason: 'installable',
        profile_expires_at: null,
        needed_system: 'Android 8.0',
        newest_system: null,
      },
    ],
    [
      'an unsigned .apk',
      'android',
      () => buildApk({ signers: [] }),
      {
        status: 'uninstallable',
        reason: 'unsigned',
        profile_expires_at: null,
        needed_system: 'Android 8.0',
        newest_system: null,
      },
    ],
    [
      'an .apk for Android 11 that is only signed by scheme v1',
      'android',
      () => buildJarSignedApk({ minSdk: 21, targetSdk: 30 }),
      {
        status: 'installable',
        reason: 'installable',
        profile_expires_at: null,
        needed_system: 'Android 5.0',
        newest_system: 'Android 10',
      },
    ],
    [
      'an .apk that needs its splits',
      'android',
      () => buildApk({ isSplitRequired: true }),
      {
        status: 'uninstallable',
        reason: 'partial',
        profile_expires_at: null,
        needed_system: 'Android 8.0',
        newest_system: null,
      },
    ],
    [
      'an .apk that cannot be read',
      'android',
      () => Buffer.from('no archive'),
      { status: 'unknown', reason: 'unreadable', profile_expires_at: null, needed_system: null, newest_system: null },
    ],
  ])('is in every response about %s', async (_, platform, bytes, expected) => {
    const project = scenario[platform];
    const staff = await scenario.staff();
    const added = await scenario.addBuild(project, bytes());
    expect(added.installability).toEqual(expected);
    const read = await staff.get<Json>(`/api/v1/builds/${added.identifier}`);
    expect(read.body.installability).toEqual(expected);
    const listed = await staff.get<{ items: Json[] }>('/api/v1/builds', { ...project, limit: '1' });
    expect(listed.body.items).toMatchObject([{ identifier: added.identifier, installability: expected }]);
  });

  it('changes with the clock, forward and back, while its rows stay the same', async () => {
    const { fixture, ios } = scenario;
    const archive = buildIpa({ profile: { ExpirationDate: inDays(1), ProvisionsAllDevices: true } });
    const { identifier } = await scenario.addBuild(ios, archive);
    const token = { developerId: fixture.admin.developer_id, organizationId: fixture.organization_id, scopes: 1n };
    const client = personalTokenClient(fixture, token);
    const read = async () => (await client.get<Json>(`/api/v1/builds/${identifier}`)).body.installability;
    const now = fixture.clock.now();
    const reasons: unknown[] = [];
    for (const days of [0, 0, 0.9, 1.1, 2, 0.5]) {
      fixture.clock.set(new Date(now.getTime() + days * DAY));
      reasons.push(((await read()) as Json).reason);
    }
    expect(reasons).toEqual([
      'enterprise',
      'enterprise',
      'enterprise',
      'profile_expired',
      'profile_expired',
      'enterprise',
    ]);
    fixture.clock.set(now);
  });

  it('changes when the profile expires, and when the build is revoked', async () => {
    const { identifier } = await scenario.addBuild(
      scenario.ios,
      buildIpa({ profile: { ExpirationDate: inDays(1), ProvisionsAllDevices: true } }),
    );
    const read = async () =>
      (await (await scenario.staff()).get<Json>(`/api/v1/builds/${identifier}`)).body.installability;
    expect(await read()).toMatchObject({ status: 'installable', reason: 'enterprise' });
    scenario.fixture.clock.advance(DAY);
    expect(await read()).toMatchObject({ status: 'uninstallable', reason: 'profile_expired' });
    await (await scenario.staff()).post(`/api/v1/builds/${identifier}/revoke`);
    expect(await read()).toMatchObject({ status: 'uninstallable', reason: 'revoked' });
  });
});

describe('the device counts of builds', () => {
  const [named = '', alsoNamed = ''] = sampleDevices;
  const count = async (client: Client, project: Project, ids: readonly string[]) =>
    client.get<{ items: Json[] }>('/api/v1/builds/device-counts', { ...project, build_ids: ids.join(',') });

  function addDevices(devices: { udid: string; product?: string; osBuild?: string }[]) {
    const { fixture } = scenario;
    systemContext(fixture.app).transact(
      (tx) => {
        for (const device of devices) {
          insertDevice(tx, {
            id: tx.ids.next(),
            organizationId: fixture.organization_id,
            name: device.udid,
            product: null,
            osBuild: null,
            developerId: null,
            registeredAt: tx.now,
            enrolledAt: null,
            ...device,
          });
        }
      },
      { bookkeeping: true },
    );
  }

  it('match the verdict for each device', async () => {
    const staff = await scenario.staff();
    addDevices([
      { udid: named, product: 'iPhone14,2', osBuild: '21F79' },
      { udid: alsoNamed, product: 'iPhone12,1', osBuild: '20G75' },
      { udid: '00000000-00000000000000FF', product: 'iPad13,4', osBuild: '22A3354' },
      ...Array.from({ length: 500 }, (_, index) => ({ udid: `UNKNOWN-${index}` })),
    ]);
    const packages = [
      buildIpa(),
      buildIpa({ minOs: '17.0' }),
      buildIpa({ profile: { ProvisionsAllDevices: true }, minOs: '17.0' }),
      buildIpa({ profile: { ExpirationDate: inDays(-1) } }),
    ];
    const ids: string[] = [];
    for (const bytes of packages) ids.push((await scenario.addBuild(scenario.ios, bytes)).identifier);
    const answer = await count(staff, scenario.ios, ids);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.items).toEqual([
      { build_id: ids[0], devices_total: 503, devices_able: 2 },
      { build_id: ids[1], devices_total: 503, devices_able: 1 },
      { build_id: ids[2], devices_total: 503, devices_able: 502 },
      { build_id: ids[3], devices_total: 503, devices_able: 0 },
    ]);
    for (const [index, id] of ids.entries()) {
      const devices = await staff.get<{ items: { install: { verdict: string } }[] }>(`/api/v1/builds/${id}/devices`, {
        limit: '1000',
      });
      const able = devices.body.items.filter(({ install }) => install.verdict === 'yes');
      expect(able.length).toBe(answer.body.items[index]?.devices_able);
    }
  });

  it('leave out Android builds, builds of other projects and unknown builds', async () => {
    const staff = await scenario.staff();
    const ios = (await scenario.addBuild(scenario.ios, buildIpa())).identifier;
    const apk = (await scenario.addBuild(scenario.android, buildApk())).identifier;
    expect((await count(staff, scenario.android, [apk, ios, ABSENT])).body).toEqual({ items: [] });
    const answer = await count(staff, scenario.ios, [apk, ios, ios.toUpperCase(), ABSENT]);
    expect(answer.body.items.map((item) => item.build_id)).toEqual([ios]);
  });

  it('are rejected for strangers and for more than 100 builds', async () => {
    const ios = (await scenario.addBuild(scenario.ios, buildIpa())).identifier;
    const stranger = await addPerson(scenario.fixture);
    expectRefusal(await count(stranger.client, scenario.ios, [ios]), 404, 'not_found');
    const staff = await scenario.staff();
    expect((await count(staff, scenario.ios, Array(100).fill(ios))).status).toBe(200);
    expectRefusal(await count(staff, scenario.ios, Array(101).fill(ios)), 400, 'validation_error');
    expectRefusal(await count(staff, scenario.ios, ['none']), 400, 'validation_error');
  });
});
