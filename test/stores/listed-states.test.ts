// What Apple's list of devices says about devices that were registered through a connection.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appleRegistrations, devices, jobs, outboxEvents, storeConnections } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { PER_STEP } from '../../src/stores/registration-states.ts';
import { auditMark, auditRows, expectRefusal, type Json, outboxRows } from '../support/harness.ts';
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
  Object.assign(providers.apple, { devices: [], nextStatus: 'ENABLED', pageSize: 200 });
});

interface DeviceJson {
  identifier: string;
  udid: string;
  apple_registrations: Json[];
}

const GONE = 'The Apple developer account no longer has this device';
const here = () => ({ organization_id: scenario.fixture.organization_id });
const now = () => scenario.fixture.clock.now().toISOString();
const later = (time: number) => scenario.fixture.clock.advance(time);
let serial = 0;

async function addDevice(): Promise<DeviceJson> {
  serial += 1;
  const udid = `00008030-${serial.toString(16).toUpperCase().padStart(16, '0')}`;
  const answer = await scenario.admin.post<DeviceJson>('/api/v1/devices', { udid, name: `Phone ${serial}` }, here());
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const register = (device: { identifier: string }, connection: { identifier: string }) =>
  scenario.admin.post<DeviceJson>(`/api/v1/devices/${device.identifier}/register`, {
    store_connection_id: connection.identifier,
  });

/** A device that is registered through a connection. */
async function addRegistered(connection: { identifier: string }): Promise<DeviceJson> {
  const device = await addDevice();
  expect((await register(device, connection)).status).toBe(200);
  return device;
}

const readList = async (connection: { identifier: string }, query: Json = {}) => {
  const answer = await scenario.admin.get<{ checked_at: string; classes: Json[] }>(
    `/api/v1/store-connections/${connection.identifier}/device-quota`,
    query as Record<string, string>,
  );
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const stateOf = async ({ identifier }: DeviceJson) =>
  (await scenario.admin.get<DeviceJson>(`/api/v1/devices/${identifier}`)).body.apple_registrations[0];
const atApple = ({ udid }: DeviceJson) => scenario.providers.apple.devices.find((one) => one.udid === udid);
const removeAtApple = ({ udid }: DeviceJson) => {
  const { apple } = scenario.providers;
  apple.devices = apple.devices.filter((one) => one.udid !== udid);
};
const asked = () => scenario.providers.requests.map(({ method, path }) => `${method} ${path}`);
const bySystem = { actorKind: 'system', actorId: null, ipAddress: null };

describe('a device that Apple no longer has', () => {
  it('is refused once a list lacks it, and can be registered again, which is recorded', async () => {
    const connection = await scenario.connectApple();
    const [kept, removed] = [await addRegistered(connection), await addRegistered(connection)];
    later(DAY);
    removeAtApple(removed);
    const after = auditMark(scenario.fixture);
    await readList(connection);
    expect(await stateOf(kept)).toMatchObject({ state: 'registered', checked_at: now(), message: null });
    expect(await stateOf(removed)).toEqual({
      store_connection_id: connection.identifier,
      state: 'refused',
      device_class: null,
      registered_at: null,
      checked_at: now(),
      message: GONE,
    });
    expect(auditRows(scenario.fixture, { after })).toEqual([]);
    await scenario.admin.post(`/api/v1/store-connections/${connection.identifier}/register-devices`, {});
    await scenario.fixture.drain();
    expect(await stateOf(removed)).toMatchObject({ state: 'registered', registered_at: now(), message: null });
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { event: 'device_registered', identifier: removed.identifier, details: { state: 'registered' } },
    ]);
  });

  it('is recorded again if it is registered before a list was read', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    later(DAY);
    removeAtApple(device);
    const after = auditMark(scenario.fixture);
    expect((await register(device, connection)).body.apple_registrations).toMatchObject([
      { state: 'registered', registered_at: now() },
    ]);
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { event: 'device_registered', identifier: device.identifier, details: { state: 'registered' } },
    ]);
  });

  it('keeps its state for ten minutes, because the list can be older than a registration', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    removeAtApple(device);
    later(10 * MINUTE);
    await readList(connection);
    expect(await stateOf(device)).toMatchObject({ state: 'registered' });
    later(10 * MINUTE + SECOND);
    await readList(connection);
    expect(await stateOf(device)).toMatchObject({ state: 'refused', message: GONE });
  });

  it('keeps its state if the list was not read to its end', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    later(DAY);
    const { base_url } = scenario.fixture.config.stores.app_store_connect;
    scenario.providers.change(() => ({
      status: 200,
      body: { data: [], links: { next: `${base_url}/v1/devices?cursor=1` } },
    }));
    await readList(connection);
    expect(await stateOf(device)).toMatchObject({ state: 'registered' });
    scenario.providers.change(({ path }, answer) => (path.includes('cursor=') ? appleError(500, 'X') : answer));
    scenario.providers.apple.devices.unshift({
      id: 'X',
      udid: 'X',
      name: 'x',
      deviceClass: 'IPHONE',
      status: 'ENABLED',
    });
    scenario.providers.apple.pageSize = 1;
    expectRefusal(
      await scenario.admin.get(`/api/v1/store-connections/${connection.identifier}/device-quota`, { fresh: 'true' }),
      503,
      'store_connection_unavailable',
    );
    expect(await stateOf(device)).toMatchObject({ state: 'registered' });
  });

  it('keeps its state if the credentials change while the list is read', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    later(DAY);
    const { key_id, private_key } = scenario.providers.appleKey();
    let isReplaced = false;
    scenario.providers.change(async ({ path }, answer) => {
      if (isReplaced || path.startsWith('/v1/apps')) return answer;
      isReplaced = true;
      await scenario.admin.patch(`/api/v1/store-connections/${connection.identifier}`, { key_id, private_key });
      return { status: 200, body: { data: [] } };
    });
    await readList(connection);
    expect(await stateOf(device)).toMatchObject({ state: 'registered' });
  });

  it('is refused through this connection only', async () => {
    const [one, other] = [await scenario.connectApple(), await scenario.connectApple()];
    const device = await addRegistered(one);
    await register(device, other);
    later(DAY);
    removeAtApple(device);
    await readList(other);
    const answer = await scenario.admin.get<DeviceJson>(`/api/v1/devices/${device.identifier}`);
    expect(
      Object.fromEntries(answer.body.apple_registrations.map((row) => [row.store_connection_id, row.state])),
    ).toEqual({ [one.identifier]: 'registered', [other.identifier]: 'refused' });
  });
});

describe('a device that Apple has in another state', () => {
  it('is disabled and enabled as Apple lists it, without a record', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    const registeredAt = now();
    const after = auditMark(scenario.fixture);
    for (const [status, state] of [
      ['DISABLED', 'disabled'],
      ['ENABLED', 'registered'],
    ] as const) {
      later(HOUR);
      Object.assign(atApple(device) ?? {}, { status });
      await readList(connection);
      expect(await stateOf(device)).toMatchObject({ state, checked_at: now(), registered_at: registeredAt });
    }
    expect(auditRows(scenario.fixture, { after })).toEqual([]);
  });

  it('keeps what was learned from Apple while an earlier list was read', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    later(HOUR);
    Object.assign(atApple(device) ?? {}, { status: 'DISABLED' });
    let isEnabled = false;
    scenario.providers.change(async (_, answer) => {
      if (isEnabled) return answer;
      isEnabled = true;
      const outdated = structuredClone(answer);
      later(SECOND);
      Object.assign(atApple(device) ?? {}, { status: 'ENABLED' });
      await register(device, connection);
      return outdated;
    });
    await readList(connection);
    expect(await stateOf(device)).toMatchObject({ state: 'registered', checked_at: now() });
  });

  it('is found in another spelling, on any page, among more devices than one step saves', async () => {
    const connection = await scenario.connectApple();
    const { fixture, providers, admin } = scenario;
    for (let index = 0; index <= PER_STEP; index += 1) await addDevice();
    await admin.post(`/api/v1/store-connections/${connection.identifier}/register-devices`, {});
    await fixture.drain();
    const { apple } = providers;
    apple.pageSize = 20;
    for (const one of apple.devices) Object.assign(one, { udid: one.udid.toLowerCase(), status: 'DISABLED' });
    later(HOUR);
    await readList(connection);
    const rows = fixture.app.db.select().from(appleRegistrations).all();
    expect(rows.map(({ state }) => state)).toEqual(Array.from({ length: PER_STEP + 1 }, () => 'disabled'));
  });

  it('is recorded by the system if Apple has refused it before', async () => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    scenario.providers.change(() => appleError(403, 'FORBIDDEN_ERROR'));
    expectRefusal(await register(device, connection), 400, 'operation_not_allowed');
    scenario.providers.change(undefined);
    later(HOUR);
    const { udid } = device;
    scenario.providers.apple.devices.push({ id: 'X', udid, name: 'x', deviceClass: 'IPAD', status: 'ENABLED' });
    const after = auditMark(scenario.fixture);
    await readList(connection);
    expect(await stateOf(device)).toMatchObject({ state: 'registered', device_class: 'IPAD', registered_at: now() });
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { event: 'device_registered', identifier: device.identifier, details: { device_class: 'IPAD' }, ...bySystem },
    ]);
  });

  it('stays unknown if nobody has registered it here', async () => {
    const connection = await scenario.connectApple();
    const { udid, ...device } = await addDevice();
    scenario.providers.apple.devices.push({ id: 'X', udid, name: 'x', deviceClass: 'IPHONE', status: 'ENABLED' });
    await readList(connection);
    expect(await stateOf({ udid, ...device })).toBeUndefined();
  });
});

describe('after the clock was ahead', () => {
  it('a list that is read shows the states of devices, and is not kept until then', async () => {
    const connection = await scenario.connectApple();
    const right = scenario.fixture.clock.now();
    later(30 * DAY);
    const [disabled, removed] = [await addRegistered(connection), await addRegistered(connection)];
    await readList(connection);
    scenario.fixture.clock.set(right);
    Object.assign(atApple(disabled) ?? {}, { status: 'DISABLED' });
    removeAtApple(removed);
    expect(await readList(connection)).toMatchObject({
      checked_at: now(),
      classes: [{ used: 1 }, {}, {}, {}, {}, {}, {}],
    });
    expect([await stateOf(disabled), await stateOf(removed)]).toMatchObject([
      { state: 'disabled', checked_at: now() },
      { state: 'refused', message: GONE },
    ]);
  });
});

describe('a device that Apple has processed', () => {
  const eventsOf = () => outboxRows(scenario.fixture).map(({ type, data }) => ({ type, data }));

  it.each(['the job', 'a list'] as const)('is recorded and sent again when %s finds it', async (finder) => {
    scenario.providers.apple.nextStatus = 'PROCESSING';
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    expect(await stateOf(device)).toMatchObject({ state: 'processing' });
    Object.assign(atApple(device) ?? {}, { status: 'ENABLED' });
    scenario.fixture.app.db.delete(outboxEvents).run();
    const after = auditMark(scenario.fixture);
    later(finder === 'the job' ? HOUR : 20 * MINUTE);
    if (finder === 'a list') await readList(connection);
    await scenario.fixture.drain();
    expect(await stateOf(device)).toMatchObject({ state: 'registered', checked_at: now() });
    const data = {
      device_id: device.identifier,
      store_connection_id: connection.identifier,
      state: 'registered',
      device_class: 'IPHONE',
    };
    expect(eventsOf()).toMatchObject([{ type: 'device.registered', data }]);
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { event: 'device_registered', identifier: device.identifier, details: { state: 'registered' }, ...bySystem },
    ]);
  });

  it('is recorded and sent again when a repeated registration finds it', async () => {
    scenario.providers.apple.nextStatus = 'PROCESSING';
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    Object.assign(atApple(device) ?? {}, { status: 'ENABLED' });
    scenario.fixture.app.db.delete(outboxEvents).run();
    const after = auditMark(scenario.fixture);
    for (const time of [20 * MINUTE, HOUR]) {
      later(time);
      expect((await register(device, connection)).body.apple_registrations).toMatchObject([{ state: 'registered' }]);
      await scenario.fixture.drain();
    }
    expect(eventsOf()).toMatchObject([{ type: 'device.registered', data: { state: 'registered' } }]);
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { event: 'device_registered', identifier: device.identifier, details: { state: 'registered' } },
    ]);
  });

  it('is looked at hourly again if Apple processes it again', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    Object.assign(atApple(device) ?? {}, { status: 'PROCESSING' });
    later(30 * DAY);
    await readList(connection);
    expect(await stateOf(device)).toMatchObject({ state: 'processing' });
    Object.assign(atApple(device) ?? {}, { status: 'ENABLED' });
    later(HOUR);
    await scenario.fixture.drain();
    expect(await stateOf(device)).toMatchObject({ state: 'registered' });
  });
});

describe('a connection that gets the key of another account', () => {
  const OTHER_ACCOUNT = 'The connection has been changed to another Apple developer account';

  /** Gives a connection a key of another account, which has some devices. */
  async function moveToOtherAccount({ identifier }: { identifier: string }, its: DeviceJson[] = []): Promise<void> {
    const { apple, appleKey } = scenario.providers;
    apple.issuerId = randomUUID();
    apple.devices = apple.devices.filter(({ udid }) => its.some((one) => one.udid === udid));
    const answer = await scenario.admin.patch(`/api/v1/store-connections/${identifier}`, appleKey());
    expect(answer.status, answer.text).toBe(200);
  }

  it('shows only devices that this account has as registered', async () => {
    const connection = await scenario.connectApple();
    const [one, other] = [await addRegistered(connection), await addRegistered(connection)];
    await moveToOtherAccount(connection, [one]);
    const refused = { state: 'refused', device_class: null, registered_at: null, message: OTHER_ACCOUNT };
    expect([await stateOf(one), await stateOf(other)]).toMatchObject([refused, refused]);
    later(SECOND);
    const after = auditMark(scenario.fixture);
    await readList(connection);
    expect([await stateOf(one), await stateOf(other)]).toMatchObject([{ state: 'registered', message: null }, refused]);
    expect(auditRows(scenario.fixture, { after })).toMatchObject([{ ...bySystem, identifier: one.identifier }]);
    const path = `/api/v1/store-connections/${connection.identifier}/register-devices`;
    expect((await scenario.admin.post(path, {})).body).toEqual({ queued: 1 });
    await scenario.fixture.drain();
    expect([await stateOf(other), atApple(other)]).toMatchObject([{ state: 'registered' }, { status: 'ENABLED' }]);
  });

  it('keeps the states if a key of the same account or an individual key is entered', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    for (const key of [scenario.providers.appleKey(), scenario.providers.appleKey({ isIndividual: true })]) {
      const body = { issuer_id: null, ...key };
      const answer = await scenario.admin.patch(`/api/v1/store-connections/${connection.identifier}`, body);
      expect(answer.status, answer.text).toBe(200);
      expect(await stateOf(device)).toMatchObject({ state: 'registered' });
    }
  });

  it.each([
    ['registers a device', undefined],
    ['has no place left', appleError(403, 'FORBIDDEN_ERROR')],
    ['rejects the key', appleError(401, 'NOT_AUTHORIZED')],
  ])('registers a device with this account if the previous one %s during the request', async (_name, refusal) => {
    const connection = await scenario.connectApple();
    const device = await addDevice();
    const after = auditMark(scenario.fixture);
    let isMoved = false;
    scenario.providers.change(async ({ method }, answer) => {
      if (isMoved || method !== 'POST') return answer;
      isMoved = true;
      await moveToOtherAccount(connection);
      return refusal ?? answer;
    });
    const answer = await register(device, connection);
    expect(answer.body).toMatchObject({ apple_registrations: [{ state: 'registered', device_class: 'IPHONE' }] });
    expect(atApple(device)).toMatchObject({ status: 'ENABLED' });
    expect(auditRows(scenario.fixture, { after }).map(({ event }) => event)).toEqual(['edited', 'device_registered']);
    expect((await readList(connection)).classes[0]).toMatchObject({ device_class: 'IPHONE', used: 1 });
    const { body } = await scenario.admin.get(`/api/v1/store-connections/${connection.identifier}`);
    expect(body).toMatchObject({ status: 'valid' });
  });
});

describe('a status that is not documented', () => {
  it('of one device does not hide the others, and is processing', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    scenario.providers.apple.devices.push(
      { id: 'X', udid: 'X', name: 'x', deviceClass: 'IPHONE', status: 'INELIGIBLE' },
      { id: 'Y', udid: 'Y', name: 'y', deviceClass: 'IPAD', status: 'ENABLED' },
    );
    later(HOUR);
    const { classes } = await readList(connection);
    expect(classes.filter(({ used }) => used !== 0)).toMatchObject([
      { device_class: 'IPHONE', used: 2 },
      { device_class: 'IPAD', used: 1 },
    ]);
    expect(await stateOf(device)).toMatchObject({ state: 'registered' });
    Object.assign(atApple(device) ?? {}, { status: 'INELIGIBLE' });
    expect((await register(device, connection)).body.apple_registrations).toMatchObject([{ state: 'processing' }]);
  });
});

describe('fresh', () => {
  it('asks Apple although the places were just read', async () => {
    const connection = await scenario.connectApple();
    const device = await addRegistered(connection);
    later(MINUTE);
    await readList(connection);
    Object.assign(atApple(device) ?? {}, { status: 'DISABLED' });
    later(MINUTE);
    scenario.providers.requests.length = 0;
    await readList(connection, { fresh: 'false' });
    expect([asked(), (await stateOf(device))?.state]).toEqual([[], 'registered']);
    expect((await readList(connection, { fresh: 'true' })).checked_at).toBe(now());
    expect([asked(), (await stateOf(device))?.state]).toEqual([['GET /v1/devices?limit=200'], 'disabled']);
  });
});
