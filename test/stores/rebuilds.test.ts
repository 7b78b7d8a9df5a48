// Builds to create again, because Apple has devices that their profile lacks, and the profiles of a team.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removals } from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type Build, uploadAnswer } from '../builds/scenario.ts';
import { buildIpa } from '../support/fixtures.ts';
import { ABSENT, type Client, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { appleError } from './providers.ts';
import { type StoreScenario, startStoreScenario } from './scenario.ts';

let scenario: StoreScenario;
let connection: Json & { identifier: string };
beforeEach(async () => {
  scenario = await startStoreScenario();
  connection = await scenario.connectApple();
});
afterEach(() => scenario?.stop());

const here = () => ({ organization_id: scenario.fixture.organization_id });
const ios = () => ({ ...here(), project_id: scenario.fixture.ios_project_id });
const udid = (number: number) => `00008030-${number.toString(16).toUpperCase().padStart(16, '0')}`;

async function addChannel(name: string): Promise<string> {
  const answer = await scenario.admin.post<Json>('/api/v1/channels', { name }, ios());
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.identifier);
}

async function release(devices: string[], channelId: string, profile: Json = {}): Promise<Build> {
  const bytes = buildIpa({ profile: { ProvisionedDevices: devices, ...profile } });
  const build = await uploadAnswer(scenario.admin, ios(), bytes);
  const answer = await scenario.admin.post(
    '/api/v1/releases',
    { build_id: build.identifier },
    { ...ios(), channel_id: channelId },
  );
  expect(answer.status, answer.text).toBe(201);
  return build;
}

async function registerDevice(number: number): Promise<string> {
  const body = { udid: udid(number), name: `Phone ${number}` };
  const device = await scenario.admin.post<Json>('/api/v1/devices', body, here());
  const id = String(device.body.identifier);
  const answer = await scenario.admin.post(`/api/v1/devices/${id}/register`, {
    store_connection_id: connection.identifier,
  });
  expect(answer.status, answer.text).toBe(200);
  return id;
}

const rebuilds = (query: Json = {}) =>
  scenario.admin.get<{ items: Json[]; next_cursor: string | null }>('/api/v1/devices/rebuilds', {
    ...here(),
    ...query,
  });

describe('GET /devices/rebuilds', () => {
  it('lists the current builds whose profile lacks registered devices', async () => {
    const beta = await addChannel('beta');
    const nightly = await addChannel('nightly');
    await release([udid(1)], beta);
    const current = await release([udid(1), udid(2)], beta);
    await release([udid(1), udid(2), udid(3)], nightly);
    expect((await rebuilds()).body).toEqual({ items: [], next_cursor: null });
    await registerDevice(2);
    const missing = await registerDevice(3);
    expect((await rebuilds()).body.items).toEqual([
      {
        build_id: current.identifier,
        project_id: scenario.fixture.ios_project_id,
        project_name: expect.any(String),
        version_name: current.version_name,
        build_number: current.build_number,
        display_build_number: '45',
        channel_id: beta,
        channel_name: 'beta',
        profile_name: 'Sample Ad Hoc',
        profile_uuid: '00000000-0000-4000-8000-000000000000',
        missing_devices: 1,
        devices: [{ device_id: missing, name: 'Phone 3' }],
      },
    ]);
    await release([udid(2), udid(3)], beta);
    expect((await rebuilds()).body.items).toEqual([]);
  });

  it('lists builds with a development profile, and none that every device can install', async () => {
    const development = await addChannel('development');
    await release([udid(1)], development, { Entitlements: { 'get-task-allow': true } });
    await release([], await addChannel('enterprise'), { ProvisionsAllDevices: true });
    await registerDevice(2);
    expect(
      (await rebuilds()).body.items.map(({ channel_id, missing_devices }) => [channel_id, missing_devices]),
    ).toEqual([[development, 1]]);
  });

  it('counts devices that can be put into a profile', async () => {
    const beta = await addChannel('beta');
    await release([udid(1)], beta);
    scenario.providers.apple.nextStatus = 'PROCESSING';
    await registerDevice(2);
    scenario.providers.apple.nextStatus = 'DISABLED';
    await registerDevice(3);
    scenario.providers.apple.nextStatus = 'ENABLED';
    scenario.providers.apple.nextClass = 'MAC';
    await registerDevice(4);
    expect((await rebuilds()).body.items).toEqual([]);
  });

  it('leaves out the devices of a connection whose rows are still being deleted', async () => {
    await release([udid(1)], await addChannel('beta'));
    await registerDevice(2);
    expect((await rebuilds()).body.items).toHaveLength(1);
    const { app } = scenario.fixture;
    const actor = { actorKind: 'service', facts: '{}', createdAt: app.clock.time() };
    app.db
      .insert(removals)
      .values({ ...actor, rootId: connection.identifier, rootTable: 'store_connections' })
      .run();
    expect((await rebuilds()).body.items).toEqual([]);
  });

  it('has pages, and can be limited to a project', async () => {
    for (const name of ['one', 'two', 'three']) await release([udid(1)], await addChannel(name));
    await registerDevice(2);
    const first = await rebuilds({ limit: 2 });
    expect(first.body.items.map(({ channel_name }) => channel_name)).toEqual(['three', 'two']);
    const second = await rebuilds({ limit: 2, cursor: first.body.next_cursor });
    expect(second.body.items.map(({ channel_name }) => channel_name)).toEqual(['one']);
    expect(second.body.next_cursor).toBeNull();
    expect((await rebuilds({ project_id: scenario.fixture.ios_project_id })).body.items).toHaveLength(3);
    expect((await rebuilds({ project_id: scenario.fixture.android_project_id })).body.items).toEqual([]);
    expectRefusal(await rebuilds({ project_id: ABSENT }), 404, 'not_found');
    const stranger = await addPerson(scenario.fixture);
    expectRefusal(await stranger.client.get('/api/v1/devices/rebuilds', here()), 404, 'not_found');
  });

  it("doesn't show projects that a member can't access", async () => {
    const beta = await addChannel('beta');
    await release([udid(1)], beta);
    await registerDevice(2);
    const { organization_id: organizationId, ios_project_id: projectId } = scenario.fixture;
    const ask = async ({ client }: { client: Client }, query: Json = {}) =>
      client.get<{ items: Json[] }>('/api/v1/devices/rebuilds', { ...here(), ...query });
    const member = await addPerson(scenario.fixture, { organizations: { [organizationId]: 'member' } });
    expect((await ask(member)).body).toEqual({ items: [], next_cursor: null });
    expectRefusal(await ask(member, { project_id: projectId }), 404, 'not_found');
    const reader = await addPerson(scenario.fixture, {
      organizations: { [organizationId]: 'member' },
      projects: { [projectId]: 'read' },
    });
    for (const query of [{}, { project_id: projectId }]) {
      expect((await ask(reader, query)).body.items.map(({ channel_id }) => channel_id)).toEqual([beta]);
    }
    const android = { project_id: scenario.fixture.android_project_id };
    expectRefusal(await ask(reader, android), 404, 'not_found');
  });
});

describe('GET /store-connections/{id}/profiles', () => {
  const profiles = (id = connection.identifier) =>
    scenario.admin.get<{ checked_at: string; profiles: Json[] }>(`/api/v1/store-connections/${id}/profiles`);
  const addProfile = (changes: Json) =>
    scenario.providers.apple.profiles.push({
      id: 'P1',
      name: 'Sample Ad Hoc',
      uuid: '00000000-0000-4000-8000-000000000000',
      profileType: 'IOS_APP_ADHOC',
      profileState: 'ACTIVE',
      createdDate: '2026-01-01T00:00:00.000+0000',
      expirationDate: '2027-01-01T00:00:00.000+0000',
      devices: [],
      ...changes,
    });

  it('lists profiles with their devices and builds, and asks at most every ten minutes', async () => {
    for (const number of [1, 2, 3]) await registerDevice(number);
    const ids = scenario.providers.apple.devices.map(({ id }) => id);
    addProfile({ devices: ids });
    addProfile({ id: 'P2', name: 'Other', uuid: 'B', profileType: 'IOS_APP_DEVELOPMENT', profileState: 'INVALID' });
    addProfile({ id: 'P3', name: 'Store', uuid: 'C', profileType: 'IOS_APP_STORE' });
    scenario.providers.apple.pageSize = 2;
    const same = await release([udid(1)], await addChannel('beta'));
    const earlier = await release([udid(1), udid(2)], await addChannel('old'), {
      UUID: '11111111-0000-4000-8000-000000000000',
    });
    scenario.providers.requests.length = 0;
    const answer = await profiles();
    expect(answer.status, answer.text).toBe(200);
    const common = { project_id: scenario.fixture.ios_project_id, project_name: expect.any(String) };
    expect(answer.body.profiles).toEqual([
      {
        profile_id: 'P1',
        uuid: '00000000-0000-4000-8000-000000000000',
        name: 'Sample Ad Hoc',
        type: 'ad_hoc',
        state: 'active',
        created_at: '2026-01-01T00:00:00.000Z',
        expires_at: '2027-01-01T00:00:00.000Z',
        device_count: 3,
        builds: [
          {
            ...common,
            build_id: earlier.identifier,
            version_name: earlier.version_name,
            build_number: earlier.build_number,
            display_build_number: '45',
            is_same: false,
            added_devices: 1,
          },
          {
            ...common,
            build_id: same.identifier,
            version_name: same.version_name,
            build_number: same.build_number,
            display_build_number: '45',
            is_same: true,
            added_devices: 2,
          },
        ],
      },
      {
        profile_id: 'P2',
        uuid: 'B',
        name: 'Other',
        type: 'development',
        state: 'invalid',
        created_at: '2026-01-01T00:00:00.000Z',
        expires_at: '2027-01-01T00:00:00.000Z',
        device_count: 0,
        builds: [],
      },
    ]);
    expect(scenario.providers.requests.every(({ method }) => method === 'GET')).toBe(true);
    const asked = scenario.providers.requests.length;
    await profiles();
    expect(scenario.providers.requests).toHaveLength(asked);
    scenario.fixture.clock.advance(10 * MINUTE);
    await profiles();
    const askedAgain = scenario.providers.requests.length;
    expect(askedAgain).toBeGreaterThan(asked);
    // The clock was ahead until now.
    scenario.fixture.clock.advance(-MINUTE);
    await profiles();
    expect(scenario.providers.requests.length).toBeGreaterThan(askedAgain);
  });

  it.each([
    [() => appleError(401, 'NOT_AUTHORIZED'), 400, 'invalid_input'],
    [() => appleError(403, 'FORBIDDEN_ERROR'), 400, 'invalid_input'],
    [() => ({ status: 200, raw: '<html>' }), 503, 'store_connection_unavailable'],
    [() => ({ status: 429, raw: '', headers: { 'retry-after': '7' } }), 503, 'store_connection_unavailable'],
    [
      () => ({ status: 200, body: { data: [], links: { next: 'http://169.254.169.254/v1/devices?x=1' } } }),
      503,
      'store_connection_unavailable',
    ],
    [() => ({ status: 200, body: { data: [{ attributes: { udid: 7 } }] } }), 503, 'store_connection_unavailable'],
  ] as const)('answer %# of Apple is an error', async (answer, status, code) => {
    scenario.providers.change(answer);
    expectRefusal(await profiles(), status, code);
  });

  it('is not possible for Google Play', async () => {
    const play = await scenario.connectGoogle();
    expectRefusal(await profiles(play.identifier), 400, 'operation_not_allowed');
    expectRefusal(await profiles(ABSENT), 404, 'not_found');
  });
});
