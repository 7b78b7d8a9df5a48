// Devices that are registered with Apple in the background: several at once, and new ones automatically.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { devices, jobs, organizations, outboxEvents, storeConnections } from '../../src/data/tables/tables.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import {
  ABSENT,
  api,
  auditMark,
  auditRows,
  expectInvalid,
  expectRefusal,
  type Json,
  outboxRows,
} from '../support/harness.ts';
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
  fixture.app.db.delete(outboxEvents).run();
  providers.requests.length = 0;
  Object.assign(providers.apple, {
    devices: [],
    quota: 100,
    nextClass: 'IPHONE',
    nextStatus: 'ENABLED',
    hasAgreement: true,
  });
});

type Connection = Json & { identifier: string; pending_registrations: number };
type DeviceJson = Json & { identifier: string; udid: string; apple_registrations: Json[] };

const here = () => ({ organization_id: scenario.fixture.organization_id });
let serial = 0;
const udidOf = (number: number) => `00008030-${number.toString(16).toUpperCase().padStart(16, '0')}`;
async function addDevice(): Promise<DeviceJson> {
  serial += 1;
  const udid = udidOf(serial);
  const answer = await scenario.admin.post<DeviceJson>('/api/v1/devices', { udid, name: `Phone ${serial}` }, here());
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const addDevices = async (count: number) => {
  const added: DeviceJson[] = [];
  for (let index = 0; index < count; index += 1) added.push(await addDevice());
  return added;
};
const change = (connection: Connection | Json, body: Json) =>
  scenario.admin.patch<Connection>(`/api/v1/store-connections/${connection.identifier}`, body);
const register = (connection: Connection | Json, body: Json = {}) =>
  scenario.admin.post<{ queued: number }>(`/api/v1/store-connections/${connection.identifier}/register-devices`, body);
const pending = async (connection: Json) =>
  (await scenario.admin.get<Connection>(`/api/v1/store-connections/${connection.identifier}`)).body
    .pending_registrations;
const states = async () => {
  const list = await scenario.admin.get<{ items: DeviceJson[] }>('/api/v1/devices', here());
  return list.body.items.toReversed().map(({ apple_registrations: [one] }) => one?.state ?? null);
};
const messages = async () => {
  const list = await scenario.admin.get<{ items: DeviceJson[] }>('/api/v1/devices', here());
  return list.body.items.toReversed().map(({ apple_registrations: [one] }) => one?.message ?? null);
};
const posts = () =>
  scenario.providers.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/devices');
/** A device of the team that was registered on Apple's website. */
const listAtApple = (udid: string, status = 'ENABLED') =>
  scenario.providers.apple.devices.push({ id: udid, udid, name: 'x', deviceClass: 'IPHONE', status });
const setLock = (lockReason: 'suspended' | null) =>
  scenario.fixture.app.db.update(organizations).set({ lockReason }).run();

describe('POST /store-connections/{id}/register-devices', () => {
  it('registers all devices that Apple does not have, as the person who asked', async () => {
    const connection = await scenario.connectApple();
    const [first] = await addDevices(3);
    await scenario.admin.post(`/api/v1/devices/${first?.identifier}/register`, {
      store_connection_id: connection.identifier,
    });
    const after = auditMark(scenario.fixture);
    const answer = await register(connection);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ queued: 2 });
    expect((await register(connection)).body.queued).toBeLessThanOrEqual(2);
    await scenario.fixture.drain();
    expect(await pending(connection)).toBe(0);
    expect(await states()).toEqual(['registered', 'registered', 'registered']);
    expect(posts()).toHaveLength(3);
    const rows = auditRows(scenario.fixture, { after }).filter(({ event }) => event === 'device_registered');
    const author = { actorKind: 'personal_access_token', developerId: scenario.fixture.admin.developer_id };
    expect(rows).toMatchObject([author, author]);
    expect((await register(connection)).body).toEqual({ queued: 0 });
  });

  it('registers chosen devices, and sends a webhook event for each', async () => {
    const connection = await scenario.connectApple();
    const [one, , three] = await addDevices(3);
    expect((await register(connection, { device_ids: [one?.identifier, three?.identifier] })).body).toEqual({
      queued: 2,
    });
    await scenario.fixture.drain();
    expect(await states()).toEqual(['registered', null, 'registered']);
    expect(outboxRows(scenario.fixture, 'device.registered').map(({ data, projectId }) => [data, projectId])).toEqual(
      [one, three].map((device) => [
        {
          device_id: device?.identifier,
          store_connection_id: connection.identifier,
          state: 'registered',
          device_class: 'IPHONE',
        },
        null,
      ]),
    );
  });

  it('queues nothing if a device does not exist, and rejects invalid lists', async () => {
    const connection = await scenario.connectApple();
    const [one] = await addDevices(1);
    expectRefusal(await register(connection, { device_ids: [one?.identifier, ABSENT] }), 404, 'not_found');
    expect(await pending(connection)).toBe(0);
    expectInvalid(await register(connection, { device_ids: [] }), 'body.device_ids: too_short');
    const many = Array.from({ length: 1_001 }, () => ABSENT);
    expectInvalid(await register(connection, { device_ids: many }), 'body.device_ids: too_long');
    expectRefusal(await register(await scenario.connectGoogle()), 400, 'operation_not_allowed');
    const { fixture } = scenario;
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const path = `/api/v1/store-connections/${connection.identifier}/register-devices`;
    expectRefusal(await member.client.post(path, {}), 403, 'insufficient_role');
    expectRefusal(await api(fixture, null).post(path, {}), 401, 'unauthorized');
  });

  it('waits while Apple cannot be asked, and continues afterwards', async () => {
    const connection = await scenario.connectApple();
    await addDevices(2);
    scenario.providers.change(() => ({ status: 429, headers: { 'retry-after': '120' }, raw: '' }));
    await register(connection);
    await scenario.fixture.drain();
    expect(await pending(connection)).toBe(2);
    expect(await states()).toEqual([null, null]);
    scenario.providers.change(undefined);
    scenario.fixture.clock.advance(MINUTE);
    await scenario.fixture.drain();
    expect(await pending(connection)).toBe(2);
    scenario.fixture.clock.advance(MINUTE + 1_000);
    await scenario.fixture.drain();
    expect(await pending(connection)).toBe(0);
    expect(await states()).toEqual(['registered', 'registered']);
  });

  it('is refused after Apple could not be asked for five days', async () => {
    const connection = await scenario.connectApple();
    await addDevices(1);
    scenario.providers.change(() => ({ status: 503, raw: '<html>' }));
    await register(connection);
    await scenario.fixture.drain();
    scenario.fixture.clock.advance(5 * 24 * HOUR + HOUR);
    await scenario.fixture.drain();
    expect(await states()).toEqual(['refused']);
    expect(await pending(connection)).toBe(0);
  });

  it('continues with the other devices while Apple fails for one', async () => {
    const connection = await scenario.connectApple();
    const [failing] = await addDevices(3);
    scenario.providers.change(({ method, body }) =>
      method === 'POST' && body.includes(failing?.udid ?? '') ? { status: 500, raw: '' } : undefined,
    );
    await register(connection);
    await scenario.fixture.drain();
    expect(await states()).toEqual([null, null, null]);
    scenario.fixture.clock.advance(MINUTE);
    await scenario.fixture.drain();
    expect(await states()).toEqual([null, 'registered', 'registered']);
    expect(await pending(connection)).toBe(1);
    scenario.providers.change(undefined);
    scenario.fixture.clock.advance(MINUTE);
    await scenario.fixture.drain();
    expect(await states()).toEqual(['registered', 'registered', 'registered']);
    expect(await pending(connection)).toBe(0);
  });

  it('finds a device that Apple already has although its class has no place left', async () => {
    const connection = await scenario.connectApple();
    const { fixture } = scenario;
    const [known] = await addDevices(2);
    fixture.app.db.update(devices).set({ product: 'iPhone14,2' }).run();
    listAtApple(known?.udid.toLowerCase() ?? '', 'DISABLED');
    for (let index = 0; index < 99; index += 1) listAtApple(`X${index}`);
    await register(connection);
    await fixture.drain();
    expect(await states()).toEqual(['disabled', 'refused']);
    expect(await messages()).toEqual([
      null,
      'The Apple developer account has no place left for this class of devices (IPHONE)',
    ]);
    expect(posts()).toHaveLength(1);
    // A renewed membership frees places. Apple is asked again after a minute.
    scenario.providers.apple.devices.pop();
    await register(connection);
    await fixture.drain();
    expect(await states()).toEqual(['disabled', 'refused']);
    fixture.clock.advance(MINUTE + SECOND);
    await register(connection);
    await fixture.drain();
    expect(await states()).toEqual(['disabled', 'registered']);
  });

  it('asks no more once the places of a class are used up', async () => {
    const connection = await scenario.connectApple();
    scenario.providers.apple.quota = 2;
    await addDevices(4);
    await register(connection);
    await scenario.fixture.drain();
    expect(await states()).toEqual(['registered', 'registered', 'refused', 'refused']);
    expect(await pending(connection)).toBe(0);
  });

  it('refuses the rest without asking if the key may not register devices', async () => {
    const connection = await scenario.connectApple(scenario.providers.appleKey({ mayRegister: false }));
    await addDevices(3);
    await register(connection);
    await scenario.fixture.drain();
    expect(await states()).toEqual(['refused', 'refused', 'refused']);
    expect(posts()).toHaveLength(1);
  });

  it('refuses the rest without asking after Apple rejected the key', async () => {
    const connection = await scenario.connectApple();
    await addDevices(3);
    scenario.providers.change(() => appleError(401, 'NOT_AUTHORIZED'));
    await register(connection);
    await scenario.fixture.drain();
    expect(await states()).toEqual(['refused', 'refused', 'refused']);
    expect(scenario.providers.requests.length).toBeLessThanOrEqual(3);
    expect(await pending(connection)).toBe(0);
  });

  it('ends with the connection or the device', async () => {
    const connection = await scenario.connectApple();
    const [one] = await addDevices(2);
    scenario.providers.change(() => ({ status: 503, raw: '' }));
    await register(connection);
    await scenario.fixture.drain();
    await scenario.admin.delete(`/api/v1/devices/${one?.identifier}`);
    expect(await pending(connection)).toBe(1);
    await scenario.admin.delete(`/api/v1/store-connections/${connection.identifier}`);
    scenario.providers.change(undefined);
    scenario.fixture.clock.advance(HOUR);
    await scenario.fixture.drain();
    expect(scenario.providers.apple.devices).toEqual([]);
  });
});

describe('automatic registration', () => {
  it('is off at first, and is changed without asking Apple', async () => {
    const connection = await scenario.connectApple();
    expect(connection).toMatchObject({ automatic_registration: false, reserve: 10, pending_registrations: 0 });
    scenario.providers.requests.length = 0;
    const after = auditMark(scenario.fixture);
    const answer = await change(connection, { automatic_registration: true, reserve: 5 });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ automatic_registration: true, reserve: 5 });
    expect(scenario.providers.requests).toEqual([]);
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { event: 'edited', type: 'store_connection', details: { fields: ['automatic_registration', 'reserve'] } },
    ]);
    expectInvalid(await change(connection, { reserve: -1 }), 'body.reserve: greater_than_equal');
    expectInvalid(await change(connection, { reserve: 1_001 }), 'body.reserve: less_than_equal');
    const play = await scenario.connectGoogle();
    expectInvalid(await change(play, { automatic_registration: true }), 'body.automatic_registration: value_error');
  });

  it('registers new devices, but not earlier ones', async () => {
    const connection = await scenario.connectApple();
    await addDevice();
    await change(connection, { automatic_registration: true });
    await scenario.fixture.drain();
    await addDevice();
    await scenario.fixture.drain();
    expect(await states()).toEqual([null, 'registered']);
    await change(connection, { automatic_registration: false });
    await addDevice();
    await scenario.fixture.drain();
    expect(await states()).toEqual([null, 'registered', null]);
  });

  it('leaves the reserved places, and says why', async () => {
    const connection = await scenario.connectApple();
    await change(connection, { automatic_registration: true, reserve: 97 });
    await addDevices(5);
    await scenario.fixture.drain();
    expect(await states()).toEqual(['registered', 'registered', 'registered', 'refused', 'refused']);
    expect((await messages()).at(-1)).toBe(
      'Not registered automatically: 97 places for devices of an unknown class are left, and 97 are reserved',
    );
    expect(posts()).toHaveLength(3);
  });

  it('finds a device that Apple already has, which takes none of the reserved places', async () => {
    const connection = await scenario.connectApple();
    await change(connection, { automatic_registration: true, reserve: 99 });
    listAtApple('X');
    listAtApple(udidOf(serial + 1));
    await addDevice();
    await scenario.fixture.drain();
    expect(await states()).toEqual(['registered']);
  });

  it('registers a device with another account that the connection gets while the full one is read', async () => {
    const { apple, appleKey } = scenario.providers;
    const { issuerId } = apple;
    const connection = await scenario.connectApple();
    await change(connection, { automatic_registration: true, reserve: 100 });
    let isMoved = false;
    scenario.providers.change(async ({ method }, answer) => {
      if (isMoved || method !== 'GET') return answer;
      isMoved = true;
      apple.issuerId = randomUUID();
      const moved = await change(connection, { ...appleKey(), reserve: 0 });
      expect(moved.status, moved.text).toBe(200);
      return answer;
    });
    await addDevice();
    await scenario.fixture.drain();
    expect(await states()).toEqual([null]);
    scenario.fixture.clock.advance(SECOND);
    await scenario.fixture.drain();
    expect(await states()).toEqual(['registered']);
    expect(await pending(connection)).toBe(0);
    apple.issuerId = issuerId;
  });

  it('leaves places that others used up in the meantime', async () => {
    const connection = await scenario.connectApple();
    await change(connection, { automatic_registration: true, reserve: 95 });
    await addDevice();
    await scenario.fixture.drain();
    for (let index = 0; index < 4; index += 1) listAtApple(`X${index}`);
    await addDevice();
    await scenario.fixture.drain();
    expect(await states()).toEqual(['registered', 'refused']);
  });

  it('registers nothing for a locked organization, or through an invalid connection', async () => {
    const connection = await scenario.connectApple();
    await change(connection, { automatic_registration: true });
    scenario.providers.change(() => ({ status: 503, raw: '' }));
    await addDevice();
    await scenario.fixture.drain();
    setLock('suspended');
    scenario.providers.change(undefined);
    scenario.fixture.clock.advance(HOUR);
    await scenario.fixture.drain();
    setLock(null);
    expect(await states()).toEqual(['refused']);
    scenario.fixture.app.db.update(storeConnections).set({ status: 'invalid', failureMessage: 'Rejected' }).run();
    await addDevice();
    await scenario.fixture.drain();
    expect(await messages()).toEqual([expect.any(String), 'Rejected']);
    expect(scenario.providers.apple.devices).toEqual([]);
  });
});
