// Registering devices with Apple: each answer of Apple, the quota, and devices that Apple is still processing.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appleRegistrations, devices, jobs, storeConnections } from '../../src/data/tables/tables.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { beforeNextLock } from '../support/before-lock.ts';
import { ABSENT, api, auditMark, auditRows, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { appleError } from './providers.ts';
import { type StoreScenario, startStoreScenario } from './scenario.ts';

let scenario: StoreScenario;
beforeAll(async () => {
  scenario = await startStoreScenario();
});
afterAll(() => scenario?.stop());
afterEach(() => scenario.providers.change(undefined));
beforeEach(() => {
  const { fixture, providers } = scenario;
  fixture.app.db.delete(devices).run();
  fixture.app.db.delete(storeConnections).run();
  fixture.app.db.delete(jobs).run();
  providers.requests.length = 0;
  Object.assign(providers.apple, {
    devices: [],
    quota: 100,
    nextClass: 'IPHONE',
    nextStatus: 'ENABLED',
    hasAgreement: true,
    pageSize: 200,
  });
});

interface DeviceJson {
  identifier: string;
  udid: string;
  apple_registrations: Json[];
}

const udidNumber = (number: number) => `00008030-${number.toString(16).toUpperCase().padStart(16, '0')}`;
const here = () => ({ organization_id: scenario.fixture.organization_id });
let serial = 0;

async function addDevice(changes: Json = {}): Promise<DeviceJson> {
  serial += 1;
  const body = { udid: udidNumber(serial), name: 'Lab phone', ...changes };
  const answer = await scenario.admin.post<DeviceJson>('/api/v1/devices', body, here());
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const register = (device: { identifier: string }, connection: { identifier: string }) =>
  scenario.admin.post<DeviceJson>(`/api/v1/devices/${device.identifier}/register`, {
    store_connection_id: connection.identifier,
  });
const read = async ({ identifier }: DeviceJson) =>
  (await scenario.admin.get<DeviceJson>(`/api/v1/devices/${identifier}`)).body.apple_registrations;
const asked = () => scenario.providers.requests.map(({ method, path }) => `${method} ${path}`);
const quota = (connection: { identifier: string }) =>
  scenario.admin.get<{ checked_at: string; classes: Json[] }>(
    `/api/v1/store-connections/${connection.identifier}/device-quota`,
  );
const iPhones = async (connection: { identifier: string }) =>
  (await quota(connection)).body.classes.find(({ device_class }) => device_class === 'IPHONE');
const now = () => scenario.fixture.clock.now().toISOString();

it('Apple is not asked for someone who is removed while another request registers the device', async () => {
  const { fixture, admin } = scenario;
  const connection = await scenario.connectApple();
  const device = await addDevice();
  const leaving = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'admin' } });
  scenario.providers.requests.length = 0;
  const mark = auditMark(fixture);
  beforeNextLock(fixture.app, async () => {
    const member = `/api/v1/organizations/${fixture.organization_id}/members/${leaving.id}`;
    expect((await admin.delete(member)).status).toBe(204);
  });
  const body = { store_connection_id: connection.identifier };
  expectRefusal(await leaving.client.post(`/api/v1/devices/${device.identifier}/register`, body), 404, 'not_found');
  expect([asked(), await read(device)]).toEqual([[], []]);
  expect(auditRows(fixture, { after: mark }).filter(({ actorId }) => actorId === leaving.id)).toEqual([]);
});

describe('POST /devices/{device_id}/register', () => {
  it('registers a device, and shows and records it', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice({ name: `${'x'.repeat(49)}\u{1F4F1}` });
    expect(device.apple_registrations).toEqual([]);
    scenario.providers.requests.length = 0;
    const after = auditMark(scenario.fixture);
    const answer = await register(device, connection);
    expect(answer.status).toBe(200);
    const registration = {
      store_connection_id: connection.identifier,
      state: 'registered',
      device_class: 'IPHONE',
      registered_at: now(),
      checked_at: now(),
      message: null,
    };
    expect(answer.body).toEqual({ ...device, apple_registrations: [registration] });
    expect(await read(device)).toEqual([registration]);
    const list = await scenario.admin.get<{ items: DeviceJson[] }>('/api/v1/devices', here());
    expect(list.body.items.map((item) => item.apple_registrations)).toEqual([[registration]]);
    // A name is cut before a character that doesn't fit.
    expect(scenario.providers.apple.devices).toMatchObject([{ udid: device.udid, name: 'x'.repeat(49) }]);
    expect(asked()).toEqual(['POST /v1/devices']);
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      {
        event: 'device_registered',
        type: 'device',
        identifier: device.identifier,
        details: { store_connection_id: connection.identifier, state: 'registered', device_class: 'IPHONE' },
      },
    ]);
  });

  it('is harmless when repeated, also at the same time', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    const after = auditMark(scenario.fixture);
    const answers = await Promise.all([1, 2, 3].map(() => register(device, connection)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(scenario.providers.apple.devices).toHaveLength(1);
    expect(auditRows(scenario.fixture, { after })).toHaveLength(1);
    expect(asked().filter((line) => line === 'POST /v1/devices')).toHaveLength(3);
    expect(await read(device)).toMatchObject([{ state: 'registered' }]);
  });

  it('finds a device that the team has in another spelling, disabled or not', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    scenario.providers.apple.devices.push({
      id: 'D',
      udid: device.udid.toLowerCase(),
      name: 'x',
      deviceClass: 'IPAD',
      status: 'DISABLED',
    });
    expect((await register(device, connection)).body.apple_registrations).toMatchObject([
      { state: 'disabled', device_class: 'IPAD' },
    ]);
    Object.assign(scenario.providers.apple.devices[0] ?? {}, { status: 'ENABLED' });
    expect((await register(device, connection)).body.apple_registrations).toMatchObject([{ state: 'registered' }]);
  });

  it('keeps a state for each connection', async () => {
    const [one, two] = [await scenario.connectApple(), await scenario.connectApple()];
    const device = await addDevice();
    await register(device, one);
    expect((await register(device, two)).body.apple_registrations).toMatchObject([
      { store_connection_id: one.identifier },
      { store_connection_id: two.identifier },
    ]);
  });

  it('says that Apple does not accept the identifier', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice({ udid: '0'.repeat(40) });
    expectRefusal(await register(device, connection), 400, 'invalid_input');
    expect(await read(device)).toEqual([
      {
        store_connection_id: connection.identifier,
        state: 'refused',
        device_class: null,
        registered_at: null,
        checked_at: now(),
        message: "Apple doesn't accept the identifier of this device",
      },
    ]);
  });

  it('is about the permission if no class has reached the configured quota, on all pages of the list', async () => {
    scenario.providers.apple.quota = 5;
    scenario.providers.apple.pageSize = 2;
    const connection = await scenario.connectApple();
    const all = [];
    for (let count = 0; count < 6; count += 1) all.push(await addDevice());
    const last = all.pop() as DeviceJson;
    for (const device of all) expect((await register(device, connection)).status).toBe(200);
    // The configured quota is larger than what Apple gives, so only the permission can be meant.
    expectRefusal(await register(last, connection), 400, 'operation_not_allowed');
    expect(asked().filter((line) => line.startsWith('GET /v1/devices?limit=200'))).toHaveLength(3);
  });

  it('is refused at the quota of the class of the device', async () => {
    const connection = await scenario.connectApple();
    for (let count = 0; count < 100; count += 1) {
      scenario.providers.apple.devices.push({
        id: `D${count}`,
        udid: udidNumber(1_000_000 + count),
        name: 'x',
        deviceClass: 'IPHONE',
        status: count % 2 === 0 ? 'ENABLED' : 'DISABLED',
      });
    }
    const phone = await addDevice();
    const details = expectRefusal(await register(phone, connection), 400, 'quota_exceeded');
    expect(details).toEqual({ device_class: 'IPHONE', limit: 100 });
    expect(await read(phone)).toMatchObject([{ state: 'refused', message: expect.stringContaining('IPHONE') }]);

    // For a device of another class, full iPhones are no reason.
    const tablet = await addDevice();
    scenario.fixture.app.db.update(devices).set({ product: 'iPad13,1' }).run();
    scenario.providers.change(() => appleError(403, 'FORBIDDEN_ERROR'));
    expectRefusal(await register(tablet, connection), 400, 'operation_not_allowed');
    scenario.providers.change(undefined);
    scenario.providers.apple.nextClass = 'IPAD';
    expect((await register(tablet, connection)).body.apple_registrations).toMatchObject([
      { state: 'registered', message: null, device_class: 'IPAD' },
    ]);
  });

  it('needs a role that may register', async () => {
    const connection = await scenario.connectApple(scenario.providers.appleKey({ mayRegister: false }));
    const device = await addDevice();
    const details = expectRefusal(await register(device, connection), 400, 'operation_not_allowed');
    expect(details).toEqual({ code: 'permission_missing' });
  });

  it('needs the agreements of the account', async () => {
    const connection = await scenario.connectApple();
    scenario.providers.apple.hasAgreement = false;
    const details = expectRefusal(await register(await addDevice(), connection), 400, 'operation_not_allowed');
    expect(details).toEqual({ code: 'agreement_missing' });
  });

  it('makes the connection invalid if Apple refuses the key', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    scenario.providers.apple.keys.clear();
    expectRefusal(await register(device, connection), 400, 'operation_not_allowed');
    const { body } = await scenario.admin.get(`/api/v1/store-connections/${connection.identifier}`);
    expect(body).toMatchObject({ status: 'invalid', validation: { code: 'credentials_refused' } });
  });

  it('keeps what is known of a registered device when a later attempt fails', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    await register(device, connection);
    scenario.providers.change(() => appleError(403, 'FORBIDDEN_ERROR'));
    expectRefusal(await register(device, connection), 400, 'operation_not_allowed');
    expect(await read(device)).toMatchObject([{ state: 'registered' }]);
  });

  it.each<[string, () => void]>([
    ['cannot be reached', () => scenario.providers.change(() => ({ status: 200, cut: true }))],
    ['is busy', () => scenario.providers.change(() => appleError(429, 'RATE_LIMIT_EXCEEDED'))],
    [
      'redirects',
      () => scenario.providers.change(() => ({ status: 307, headers: { location: 'http://127.0.0.1:1' } })),
    ],
  ])('changes nothing if Apple %s', async (_name, prepare) => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    prepare();
    expectRefusal(await register(device, connection), 503, 'store_connection_unavailable');
    expect(await read(device)).toEqual([]);
  });

  it('can be repeated if the answer was lost after the work was done', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    expect(await iPhones(connection)).toMatchObject({ used: 0 });
    scenario.providers.change((_request, answer) => ({ ...answer, cut: true }));
    expectRefusal(await register(device, connection), 503, 'store_connection_unavailable');
    scenario.providers.change(undefined);
    expect((await register(device, connection)).body.apple_registrations).toMatchObject([{ state: 'registered' }]);
    expect(scenario.providers.apple.devices).toHaveLength(1);
    expect(await iPhones(connection)).toMatchObject({ used: 1 });
    expect((await register(device, connection)).status).toBe(200);
    expect(await iPhones(connection)).toMatchObject({ used: 1 });
  });

  it('is not found for what belongs to others or is gone', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    const stranger = await addPerson(scenario.fixture);
    const session = api(scenario.fixture);
    const { text: other } = await session.post('/api/v1/organizations', { name: 'Elsewhere' });
    const elsewhere = await session.post<DeviceJson>(
      '/api/v1/devices',
      { udid: device.udid, name: 'x' },
      { organization_id: other },
    );
    scenario.providers.requests.length = 0;
    const across = { store_connection_id: connection.identifier };
    const refused = await session.post(`/api/v1/devices/${elsewhere.body.identifier}/register`, across);
    expectRefusal(refused, 404, 'not_found');
    expectRefusal(await register({ identifier: ABSENT }, connection), 404, 'not_found');
    expectRefusal(await register(device, { identifier: ABSENT }), 404, 'not_found');
    const foreign = await stranger.client.post(`/api/v1/devices/${device.identifier}/register`, {
      store_connection_id: connection.identifier,
    });
    expectRefusal(foreign, 404, 'not_found');
    expect(asked()).toEqual([]);
    const play = await scenario.connectGoogle();
    expectRefusal(await register(device, play), 400, 'operation_not_allowed');
  });

  it.each(['device', 'connection'] as const)('saves nothing if the %s is deleted in between', async (gone) => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    scenario.providers.change(async (_request, answer) => {
      const path = gone === 'device' ? `devices/${device.identifier}` : `store-connections/${connection.identifier}`;
      await scenario.admin.delete(`/api/v1/${path}`);
      return answer;
    });
    expectRefusal(await register(device, connection), 404, 'not_found');
    expect(scenario.fixture.app.db.select().from(appleRegistrations).all()).toEqual([]);
  });

  it('is shown to managers only', async () => {
    const connection = await scenario.connectApple();
    const { fixture } = scenario;
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const device = await addDevice({ developer_id: member.id });
    await register(device, connection);
    const seen = await member.client.get(`/api/v1/devices/${device.identifier}`);
    expect(seen.status).toBe(200);
    expect(seen.body).not.toHaveProperty('apple_registrations');
    expect(seen.body.udid).toBe(device.udid);
  });
});

describe('a device that Apple is processing', () => {
  it('is looked at with the key that is saved when it is looked at', async () => {
    const { fixture, providers, admin } = scenario;
    providers.apple.nextStatus = 'PROCESSING';
    const connection = await scenario.connectApple();
    const device = await addDevice();
    await register(device, connection);
    Object.assign(providers.apple.devices[0] ?? {}, { status: 'ENABLED' });
    fixture.clock.advance(HOUR);
    beforeNextLock(fixture.app, async () => {
      const { key_id, private_key } = providers.appleKey();
      const path = `/api/v1/store-connections/${connection.identifier}`;
      expect((await admin.patch(path, { key_id, private_key })).status).toBe(200);
      providers.apple.keys.delete(String(connection.key_id));
    });
    await fixture.drain();
    expect(await read(device)).toMatchObject([{ state: 'registered', checked_at: now() }]);
  });

  it('is looked at again every hour until it is registered', async () => {
    scenario.providers.apple.nextStatus = 'PROCESSING';
    const connection = await scenario.connectApple();
    const device = await addDevice();
    expect((await register(device, connection)).body.apple_registrations).toMatchObject([{ state: 'processing' }]);
    const registeredAt = now();
    scenario.providers.requests.length = 0;
    scenario.fixture.clock.advance(HOUR - MINUTE);
    await scenario.fixture.drain();
    expect(asked()).toEqual([]);
    scenario.fixture.clock.advance(MINUTE);
    await scenario.fixture.drain();
    expect(asked()).toEqual([`GET /v1/devices?${new URLSearchParams({ 'filter[udid]': device.udid })}`]);
    expect(await read(device)).toMatchObject([{ state: 'processing', checked_at: now() }]);
    Object.assign(scenario.providers.apple.devices[0] ?? {}, { status: 'ENABLED' });
    scenario.fixture.clock.advance(HOUR);
    await scenario.fixture.drain();
    expect(await read(device)).toMatchObject([{ state: 'registered', checked_at: now(), registered_at: registeredAt }]);
    scenario.providers.requests.length = 0;
    scenario.fixture.clock.advance(2 * HOUR);
    await scenario.fixture.drain();
    expect(asked()).toEqual([]);
  });

  it('is looked at again after failures, but not after five days', async () => {
    scenario.providers.apple.nextStatus = 'PROCESSING';
    const connection = await scenario.connectApple();
    const device = await addDevice();
    await register(device, connection);
    scenario.providers.requests.length = 0;
    scenario.providers.change(() => appleError(500, 'UNEXPECTED_ERROR'));
    for (let hours = 0; hours < 125; hours += 1) {
      scenario.fixture.clock.advance(HOUR);
      await scenario.fixture.drain();
    }
    expect(asked()).toHaveLength(120);
    expect(scenario.fixture.app.db.select().from(jobs).all()).toEqual([]);
    expect(await read(device)).toMatchObject([{ state: 'processing' }]);
  });
});

describe('GET /store-connections/{id}/device-quota', () => {
  it('counts all listed devices of each class, and new registrations immediately', async () => {
    const connection = await scenario.connectApple();
    scenario.providers.apple.pageSize = 2;
    for (const [deviceClass, status] of [
      ['IPHONE', 'ENABLED'],
      ['IPHONE', 'DISABLED'],
      ['IPHONE', 'PROCESSING'],
      ['IPAD', 'ENABLED'],
      ['GLASSES', 'ENABLED'],
    ] as const) {
      serial += 1;
      scenario.providers.apple.devices.push({
        id: `D${serial}`,
        udid: udidNumber(serial),
        name: 'x',
        deviceClass,
        status,
      });
    }
    const answer = await quota(connection);
    expect(answer.body).toEqual({
      checked_at: now(),
      classes: [
        { device_class: 'IPHONE', used: 3, limit: 100, left: 97 },
        { device_class: 'IPAD', used: 1, limit: 100, left: 99 },
        ...['IPOD', 'APPLE_WATCH', 'APPLE_TV', 'APPLE_VISION_PRO', 'MAC'].map((device_class) => ({
          device_class,
          used: 0,
          limit: 100,
          left: 100,
        })),
        { device_class: 'GLASSES', used: 1, limit: 100, left: 99 },
      ],
    });
    await register(await addDevice(), connection);
    scenario.providers.requests.length = 0;
    expect(await iPhones(connection)).toMatchObject({ used: 4, left: 96 });
    expect(asked()).toEqual([]);
    scenario.providers.apple.devices.length = 0;
    scenario.fixture.clock.advance(9 * MINUTE);
    expect(await iPhones(connection)).toMatchObject({ used: 4 });
    scenario.fixture.clock.advance(MINUTE);
    expect(await iPhones(connection)).toMatchObject({ used: 0, left: 100 });
  });

  it.each([
    ['counts it if the list lacks it', false, 1],
    ['counts it once if the list has it', true, 1],
  ])('with a registration while the list is read %s', async (_name, isListed, used) => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    let isRegistered = false;
    scenario.providers.change(async ({ method }, answer) => {
      if (isRegistered || method !== 'GET') return answer;
      isRegistered = true;
      expect((await register(device, connection)).status).toBe(200);
      return isListed ? { status: 200, body: { data: [{ attributes: scenario.providers.apple.devices[0] }] } } : answer;
    });
    expect(await iPhones(connection)).toMatchObject({ used });
    scenario.providers.requests.length = 0;
    expect(await iPhones(connection)).toMatchObject({ used });
    expect(asked()).toEqual([]);
  });

  it('counts a registration once if a list that has it is read before its answer arrives', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    scenario.providers.change(async ({ method }, answer) => {
      if (method === 'POST') expect(await iPhones(connection)).toMatchObject({ used: 1 });
      return answer;
    });
    expect((await register(device, connection)).status).toBe(200);
    expect(await iPhones(connection)).toMatchObject({ used: 1 });
  });

  it.each<[string, string]>([
    ['another host', 'http://127.0.0.1:1/v1/devices?cursor=1'],
    ['another path', '/v1/users?cursor=1'],
    ['another user', 'http://me@127.0.0.1/v1/devices?cursor=1'],
    ['no address', 'next'],
  ])('does not follow a next page of %s', async (_name, next) => {
    const connection = await scenario.connectApple();
    scenario.providers.change(() => ({ status: 200, body: { data: [], links: { next } } }));
    scenario.providers.requests.length = 0;
    expectRefusal(await quota(connection), 503, 'store_connection_unavailable');
    expect(asked()).toHaveLength(1);
  });

  it('ends with a list that never ends', async () => {
    const connection = await scenario.connectApple();
    const { base_url } = scenario.fixture.config.stores.app_store_connect;
    scenario.providers.change(() => ({
      status: 200,
      body: { data: [], links: { next: `${base_url}/v1/devices?cursor=1` } },
    }));
    scenario.providers.requests.length = 0;
    expect((await quota(connection)).status).toBe(200);
    expect(asked()).toHaveLength(50);
  });

  it('is not for Google Play, and says when Apple refuses the key', async () => {
    expectRefusal(await quota(await scenario.connectGoogle()), 400, 'operation_not_allowed');
    const connection = await scenario.connectApple();
    scenario.providers.apple.keys.clear();
    expect(expectRefusal(await quota(connection), 400, 'invalid_input')).toEqual({ code: 'credentials_refused' });
  });
});
