// The devices that can install a build, and who sees their identifiers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { insertDevice } from '../../src/devices/store.ts';
import { DAY } from '../../src/lib/clock.ts';
import { type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import { buildApk, buildIpa, sampleDevices } from '../support/fixtures.ts';
import { ABSENT, type Client, expectRefusal, type Json, walkPages } from '../support/harness.ts';
import { addPerson, projectTokenClient } from '../support/people.ts';

interface Item {
  device: { identifier: string; udid: string; name: string };
  install: { verdict: string; reason: string } & Json;
}

const [named = '', alsoNamed = ''] = sampleDevices;
const unnamed = '00000000-00000000000000FF';

let scenario: InstallScenario;
let build: string;
let apk: string;
beforeAll(async () => {
  scenario = await startInstallScenario();
  build = (await scenario.addBuild(scenario.ios, buildIpa({ minOs: '17.0' }))).identifier;
  apk = (await scenario.addBuild(scenario.android, buildApk())).identifier;
});
afterAll(() => scenario?.fixture.stop());

const pathOf = (id: string) => `/api/v1/builds/${id}/devices`;

function addDevice(device: { udid: string; name: string; product?: string; osBuild?: string; developerId?: string }) {
  const { fixture } = scenario;
  const id = fixture.app.ids.next();
  systemContext(fixture.app).transact(
    (tx) =>
      insertDevice(tx, {
        id,
        organizationId: fixture.organization_id,
        product: null,
        osBuild: null,
        developerId: null,
        registeredAt: tx.now,
        enrolledAt: null,
        ...device,
      }),
    { bookkeeping: true },
  );
  return id;
}

async function read(client: Client, id: string): Promise<Item[]> {
  const answer = await client.get<{ items: Item[]; next_cursor: null }>(pathOf(id));
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.next_cursor).toBeNull();
  return answer.body.items;
}

describe('the devices of a build', () => {
  it('are empty before a device is registered', async () => {
    expect(await read(await scenario.staff(), build)).toEqual([]);
  });

  it('are listed newest first with verdict and reason', async () => {
    const ids = [
      addDevice({ udid: named, name: 'Current', product: 'iPhone14,2', osBuild: '21F79' }),
      addDevice({ udid: alsoNamed, name: 'Old', product: 'iPhone12,1', osBuild: '20G75' }),
      addDevice({ udid: unnamed, name: 'New', product: 'iPad13,4', osBuild: '22A3354' }),
    ];
    const items = await read(await scenario.staff(), build);
    expect(items.map(({ device }) => device.identifier)).toEqual(ids.toReversed());
    expect(items.map(({ device, install }) => [device.name, install.verdict, install.reason])).toEqual([
      ['New', 'no', 'not_provisioned'],
      ['Old', 'no', 'os_too_old'],
      ['Current', 'yes', 'provisioned'],
    ]);
    expect(items[2]?.install).toEqual({
      verdict: 'yes',
      reason: 'provisioned',
      notes: [],
      profile_kind: 'ad-hoc',
      profile_expires_at: '2046-01-01T00:00:00.000Z',
      needed_system: 'iOS 17.0',
      actual_system: null,
      needed_abis: [],
    });
  });

  it('cannot install Android packages, and builds that are revoked or expired', async () => {
    const staff = await scenario.staff();
    const reasons = async (id: string) => [...new Set((await read(staff, id)).map(({ install }) => install.reason))];
    expect(await reasons(apk)).toEqual(['platform']);
    const inDays = (days: number) => new Date(scenario.fixture.clock.now().getTime() + days * DAY);
    const ended = await scenario.addBuild(scenario.ios, buildIpa({ profile: { ExpirationDate: inDays(-1) } }));
    expect(await reasons(ended.identifier)).toEqual(['profile_expired']);
    const unreadable = await scenario.addBuild(scenario.ios, Buffer.from('no archive'));
    expect(await reasons(unreadable.identifier)).toEqual(['unreadable']);
    await staff.post(`/api/v1/builds/${unreadable.identifier}/revoke`);
    expect(await reasons(unreadable.identifier)).toEqual(['revoked']);
  });

  it('can be filtered by one device', async () => {
    const staff = await scenario.staff();
    const all = await read(staff, build);
    const old = all.find(({ device }) => device.name === 'Old');
    const answer = await staff.get(`${pathOf(build)}?device_id=${old?.device.identifier}`);
    expect(answer.body).toEqual({ items: [old], next_cursor: null });
    expectRefusal(await staff.get(`${pathOf(build)}?device_id=${ABSENT}`), 404, 'not_found');
    expectRefusal(await staff.get(`${pathOf(build)}?device_id=none`), 400, 'validation_error');
  });

  it('are paginated without repeating or missing one', async () => {
    const pages = await walkPages<Item>(await scenario.staff(), pathOf(build), { limit: 2 });
    expect(pages.map((items) => items.length)).toEqual([2, 1]);
    expect(pages.flat().map(({ device }) => device.name)).toEqual(['New', 'Old', 'Current']);
  });

  it('show full identifiers to managers, and to others only those of their own devices', async () => {
    const { fixture, ios } = scenario;
    const roles = {
      organizations: { [fixture.organization_id]: 'member' },
      projects: { [ios.project_id]: 'read' },
    } as const;
    const reader = await addPerson(fixture, roles);
    addDevice({ udid: '00000000-00000000000000AA', name: 'Own', developerId: reader.id });
    const udids = async (client: Client) => (await read(client, build)).map(({ device }) => device.udid);
    expect(await udids(await scenario.staff())).toEqual(['00000000-00000000000000AA', unnamed, alsoNamed, named]);
    const masked = [unnamed, alsoNamed, named].map((udid) => `…${udid.slice(-4)}`);
    expect(await udids(reader.client)).toEqual(['00000000-00000000000000AA', ...masked]);
    const ci = projectTokenClient(fixture, {
      organizationId: ios.organization_id,
      projectId: ios.project_id,
      role: 'read',
    });
    expect(await udids(ci)).toEqual(['…00AA', ...masked]);
  });

  it('are hidden from other organizations', async () => {
    const { fixture } = scenario;
    const stranger = await addPerson(fixture);
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    for (const client of [stranger.client, member.client])
      expectRefusal(await client.get(pathOf(build)), 404, 'not_found');
    expectRefusal(await scenario.anyone.get(pathOf(build)), 401, 'unauthorized');
    expectRefusal(await (await scenario.staff()).get(pathOf(ABSENT)), 404, 'not_found');
  });
});

describe('the testers of a channel', () => {
  it('are listed with their devices, and whether each can install the current release', async () => {
    const { fixture, ios } = scenario;
    const tester = await addPerson(fixture);
    const staff = await scenario.staff();
    await staff.post(`/api/v1/organizations/${fixture.organization_id}/testers`, { email: tester.email });
    const devices = [
      addDevice({ udid: '00000000-00000000000000B1', name: 'New', product: 'iPhone15,2', developerId: tester.id }),
      addDevice({ udid: '00000000-00000000000000B2', name: 'Newer', product: 'iPhone17,1', developerId: tester.id }),
    ];
    const channelId = await scenario.addChannel(ios);
    const testers = async () => {
      const answer = await (await scenario.staff()).get<{ items: { devices: { install: Json | null }[] }[] }>(
        `/api/v1/channels/${channelId}/testers`,
      );
      expect(answer.text).not.toContain('00000000-0000');
      return answer.body.items.flatMap((item) => item.devices);
    };
    const nothing = { identifier: expect.any(String), name: expect.any(String), install: null };
    expect(await testers()).toEqual([nothing, nothing]);
    const profile = { ProvisionedDevices: ['00000000-00000000000000B1'] };
    const released = await scenario.addBuild(ios, buildIpa({ profile }));
    await scenario.addRelease(ios, channelId, released.identifier);
    expect(await testers()).toMatchObject([
      { identifier: devices[1], name: 'Newer', install: { verdict: 'no', reason: 'not_provisioned' } },
      { identifier: devices[0], name: 'New', install: { verdict: 'yes', reason: 'provisioned' } },
    ]);
  });
});
