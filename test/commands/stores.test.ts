// The commands for devices and store connections, against a real server whose stores are in the test process.
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { devices, storeConnections } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { ALL_SCOPES } from '../../src/permissions.ts';
import { appleError } from '../stores/providers.ts';
import { type StoreScenario, startStoreScenario } from '../stores/scenario.ts';
import type { Json } from '../support/harness.ts';
import { addPerson, addPersonalToken } from '../support/people.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

let scenario: StoreScenario;
let workshop: Workshop;
let serial = 0;
beforeAll(async () => {
  scenario = await startStoreScenario();
  const { fixture } = scenario;
  const TAXIWAY_TOKEN = addPersonalToken(fixture, {
    organizationId: fixture.organization_id,
    developerId: fixture.admin.developer_id,
    scopes: ALL_SCOPES,
  });
  workshop = openWorkshop({ TAXIWAY_URL: fixture.url, TAXIWAY_TOKEN });
});
afterAll(async () => {
  workshop[Symbol.dispose]();
  await scenario.stop();
});
beforeEach(() => {
  const { fixture, providers } = scenario;
  fixture.app.db.delete(devices).run();
  fixture.app.db.delete(storeConnections).run();
  Object.assign(providers.apple, { devices: [], quota: 100, nextClass: 'IPHONE', nextStatus: 'ENABLED' });
  providers.requests.length = 0;
});
afterEach(() => scenario.providers.change(undefined));

interface DeviceJson extends Json {
  identifier: string;
  udid: string;
}

const run = (...words: string[]) => workshop.run(words);
const here = () => ({ organization_id: scenario.fixture.organization_id });
const atApple = () => scenario.providers.apple.devices.map(({ name }) => name);
const posted = () =>
  scenario.providers.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/devices').length;

async function addDevice(name: string, product: string | null = null): Promise<DeviceJson> {
  serial += 1;
  const udid = `00008030-${serial.toString(16).toUpperCase().padStart(16, '0')}`;
  const { status, body } = await scenario.admin.post<DeviceJson>('/api/v1/devices', { udid, name }, here());
  expect(status).toBe(201);
  const { db } = scenario.fixture.app;
  if (product !== null) db.$client.prepare('UPDATE devices SET product = ? WHERE id = ?').run(product, body.identifier);
  return body;
}

/** Fills the places of a class at Apple. */
function fill(deviceClass: string): void {
  for (let count = 0; count < 100; count += 1) {
    const udid = `${deviceClass}-${count}`;
    scenario.providers.apple.devices.push({ id: udid, udid, name: 'x', deviceClass, status: 'ENABLED' });
  }
}

describe('taxiway device list', () => {
  it('lists devices with their states at Apple', async () => {
    const connection = await scenario.connectApple();
    const [one, two] = [await addDevice('Lab phone'), await addDevice("Jo's phone", 'iPhone14,2')];
    await run('device', 'register', one.identifier);
    const { code, stdout } = await run('device', 'list');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        `${two.identifier}  ${two.udid}  -           iPhone 13 Pro  Jo's phone\n` +
        `${one.identifier}  ${one.udid}  registered  -              Lab phone\n`,
    });
    const json = JSON.parse((await run('device', 'list', '--json', '--limit', '1')).stdout);
    expect(json).toEqual([(await scenario.admin.get(`/api/v1/devices/${two.identifier}`)).body]);
    const ofState = async (state: string) =>
      JSON.parse((await run('device', 'list', '--state', state, '--json')).stdout).map(
        ({ identifier }: DeviceJson) => identifier,
      );
    expect([await ofState('registered'), await ofState('none')]).toEqual([[one.identifier], [two.identifier]]);
    expect(await run('device', 'list', '--state', 'disabled')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('has no matching devices.\n'),
    });
    expect(connection.status).toBe('valid');
  });

  it('rejects an unknown state and organization', async () => {
    expect(await run('device', 'list', '--state', 'ready')).toMatchObject({ code: 2 });
    expect(await run('device', 'list', '--organization', 'Elsewhere')).toMatchObject({
      code: 1,
      stderr: 'taxiway: organization "Elsewhere" not found\n',
    });
  });

  it('shows members no states', async () => {
    const { fixture } = scenario;
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    await addDevice('Lab phone');
    const env = { TAXIWAY_URL: fixture.url, TAXIWAY_TOKEN: member.accessToken };
    expect(await workshop.run(['device', 'list'], { env })).toMatchObject({ code: 0 });
    expect(await workshop.run(['device', 'list', '--state', 'none'], { env })).toMatchObject({
      code: 1,
      stderr: 'taxiway: Only managers can see the states of devices at Apple\n',
    });
  });
});

describe('taxiway device register', () => {
  it('registers devices by id and UDID, each once', async () => {
    const connection = await scenario.connectApple();
    const [one, two] = [await addDevice('One'), await addDevice('Two')];
    scenario.providers.requests.length = 0;
    const names = [one.identifier.toUpperCase(), two.udid.toLowerCase(), two.udid];
    const { code, stdout, stderr } = await run('device', 'register', ...names, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = { state: 'registered', device_class: 'IPHONE', error: null, message: null };
    expect(JSON.parse(stdout)).toEqual([
      { device_id: one.identifier, udid: one.udid, name: 'One', ...result },
      { device_id: two.identifier, udid: two.udid, name: 'Two', ...result },
    ]);
    expect([atApple(), posted()]).toEqual([['One', 'Two'], 2]);
    const again = await run('device', 'register', one.udid, '--connection', connection.identifier);
    expect(again).toMatchObject({ code: 0, stdout: `${one.identifier}  registered  One\n` });
    expect(atApple()).toEqual(['One', 'Two']);
  });

  it('names devices that cannot be installed on yet', async () => {
    await scenario.connectApple();
    const device = await addDevice('One');
    scenario.providers.apple.nextStatus = 'PROCESSING';
    expect((await run('device', 'register', device.udid)).stdout).toBe(
      `${device.identifier}  processing  One: Apple takes up to three days\n`,
    );
    Object.assign(scenario.providers.apple.devices[0] ?? {}, { status: 'DISABLED' });
    expect((await run('device', 'register', device.udid)).stdout).toBe(
      `${device.identifier}  disabled    One: it works in no profile until it's enabled on Apple's website\n`,
    );
  });

  it('registers all devices that Apple does not have, oldest first, after a confirmation', async () => {
    await scenario.connectApple();
    const known = await addDevice('Known');
    await run('device', 'register', known.udid);
    for (const name of ['First', 'Second']) await addDevice(name);
    expect(await run('device', 'register', '--all')).toMatchObject({
      code: 1,
      stderr: 'taxiway: Add --yes to register 2 devices with Apple.\n',
    });
    const answering = (answer: string) =>
      workshop.run(['device', 'register', '--all'], { keyboard: Readable.from([`${answer}\n`]) });
    const refused = await answering('n');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('IPHONE: 1 of 100 places used\n');
    expect(refused.stderr).toContain('Register 2 devices through Our Apple team?');
    expect(refused.stderr).toContain('taxiway: not registered\n');
    expect(atApple()).toEqual(['Known']);
    expect((await answering('y')).code).toBe(0);
    expect(atApple()).toEqual(['Known', 'First', 'Second']);
    expect(await run('device', 'register', '--all', '--yes')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Apple already has all devices.\n',
    });
  });

  it('registers all devices that Apple no longer has, too', async () => {
    await scenario.connectApple();
    const device = await addDevice('Removed');
    await run('device', 'register', device.udid);
    scenario.providers.apple.devices = [];
    scenario.fixture.clock.advance(DAY);
    expect(await run('device', 'register', '--all', '--yes')).toMatchObject({
      code: 0,
      stdout: `${device.identifier}  registered  Removed\n`,
    });
    expect(atApple()).toEqual(['Removed']);
  });

  it('continues after a rejected identifier', async () => {
    await scenario.connectApple();
    const bad = await scenario.admin.post<DeviceJson>('/api/v1/devices', { udid: '0'.repeat(40), name: 'Bad' }, here());
    const good = await addDevice('Good');
    const outcome = await run('device', 'register', '--all', '--yes', '--json');
    expect(JSON.parse(outcome.stdout)).toMatchObject([
      {
        device_id: bad.body.identifier,
        state: null,
        error: 'invalid_input',
        message: expect.stringMatching(/^Apple doesn't accept the identifier of this device \(400 invalid_input/),
      },
      { device_id: good.identifier, state: 'registered', error: null },
    ]);
    expect(outcome).toMatchObject({ code: 1, stderr: 'taxiway: 1 of 2 devices not registered\n' });
  });

  it('skips the products of a full class only', async () => {
    await scenario.connectApple();
    fill('IPHONE');
    const devices = [
      await addDevice('A', 'iPhone14,2'),
      await addDevice('B', 'iPhone15,2'),
      await addDevice('C', 'iPad13,1'),
    ];
    scenario.providers.requests.length = 0;
    scenario.providers.change(({ body }, answer) => {
      // The provider of the tests takes all devices for one class.
      if (body.includes('"name":"C"'))
        return { status: 201, body: { data: { attributes: { udid: 'x', deviceClass: 'IPAD', status: 'ENABLED' } } } };
      return answer;
    });
    const { code, stdout, stderr } = await run('device', 'register', ...devices.map(({ udid }) => udid));
    expect(stdout.split('\n')).toEqual([
      expect.stringContaining(
        '  failed      A: The Apple developer account has no place left for this class of devices (IPHONE) (400 quota_exceeded',
      ),
      `${devices[1]?.identifier}  skipped     B: not attempted`,
      `${devices[2]?.identifier}  registered  C`,
      '',
    ]);
    expect([code, stderr, posted()]).toEqual([1, 'taxiway: 2 of 3 devices not registered\n', 2]);
  });

  it.each<[string, () => void, string, number]>([
    ['rejects the key', () => scenario.providers.apple.keys.clear(), 'operation_not_allowed', 1],
    // The command repeats a request five times before it gives up.
    [
      'is busy',
      () => scenario.providers.change(() => appleError(429, 'RATE_LIMIT')),
      'store_connection_unavailable',
      5,
    ],
  ])('stops if Apple %s', async (_name, prepare, error, requests) => {
    await scenario.connectApple();
    const [one, two] = [await addDevice('One'), await addDevice('Two')];
    scenario.providers.requests.length = 0;
    prepare();
    const { code, stdout } = await run('device', 'register', one.udid, two.udid, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { device_id: one.identifier, state: null, error },
      { device_id: two.identifier, state: null, error, message: 'not attempted' },
    ]);
    expect(posted()).toBe(requests);
  });

  it.each<[string[], number, string]>([
    [[], 2, 'name at least one device, or add --all'],
    [['--all', 'x'], 2, 'name devices or add --all, not both'],
    [['x'], 1, 'no connection to App Store Connect available: add one on the page Stores of the web app'],
    [['x', '--connection', 'Theirs'], 1, 'store connection "Theirs" not found; "taxiway store list" lists them'],
    [
      ['x', '--connection', '01900000-0000-7000-8000-000000000000'],
      1,
      'store connection "01900000-0000-7000-8000-000000000000" not found; "taxiway store list" lists them',
    ],
  ])('rejects %o', async (words, code, text) => {
    const outcome = await run('device', 'register', ...words);
    expect(outcome).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(`taxiway: ${text}\n`) });
  });

  it('rejects unknown devices, a connection to Google Play, and an ambiguous connection', async () => {
    const play = await scenario.connectGoogle();
    const [one, two] = [await scenario.connectApple(), await scenario.connectApple()];
    const chosen = ['--connection', one.identifier];
    for (const name of ['00008030-00000000000000AA', '01900000-0000-7000-8000-000000000000']) {
      expect(await run('device', 'register', name, ...chosen)).toMatchObject({
        code: 1,
        stderr: `taxiway: device "${name}" not found; "taxiway device list" lists devices\n`,
      });
    }
    expect(await run('device', 'register', 'x', '--connection', play.identifier)).toMatchObject({
      code: 1,
      stderr: "taxiway: Our Play account isn't a connection to App Store Connect\n",
    });
    const ambiguous = await run('device', 'register', 'x');
    expect(ambiguous.code).toBe(2);
    for (const { identifier } of [one, two]) expect(ambiguous.stderr).toContain(`  ${identifier}  app_store_connect  `);
    expect(posted()).toBe(0);
  });

  it('takes the connection to App Store Connect if one to Google Play has the same name', async () => {
    await scenario.connectApple();
    await scenario.connectGoogle(undefined, { name: 'Our Apple team' });
    const { udid } = await addDevice('One');
    const outcome = await run('device', 'register', udid, '--connection', 'Our Apple team');
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('  registered  One\n') });
    expect(await run('store', 'validate', 'Our Apple team')).toMatchObject({ code: 2 });
  });
});

describe('taxiway store list', () => {
  it('lists connections, newest first, without secrets', async () => {
    const [one, two] = [await scenario.connectApple(), await scenario.connectGoogle()];
    const checkedAt = scenario.fixture.clock.now().toISOString();
    expect(await run('store', 'list')).toMatchObject({
      code: 0,
      stdout:
        `${two.identifier}  google_play        valid  ${checkedAt}  Our Play account\n` +
        `${one.identifier}  app_store_connect  valid  ${checkedAt}  Our Apple team\n`,
    });
    expect(JSON.parse((await run('store', 'list', '--json')).stdout)).toEqual([two, one]);
  });

  it('says that there are none, and who may see them', async () => {
    expect(await run('store', 'list')).toMatchObject({ code: 0, stdout: '', stderr: 'No store connections.\n' });
    const { fixture } = scenario;
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const env = { TAXIWAY_URL: fixture.url, TAXIWAY_TOKEN: member.accessToken };
    const refused = await workshop.run(['store', 'list'], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('(403 insufficient_role') });
  });
});

describe('taxiway store validate', () => {
  it('shows the verified permission', async () => {
    await scenario.connectApple();
    await scenario.connectGoogle();
    const lines = async (name: string) => (await run('store', 'validate', name)).stdout;
    expect(await lines('Our Apple team')).toBe('valid: Our Apple team (access to the account)\n');
    expect(await lines('Our Play account')).toBe('valid: Our Play account (the key works; no package was checked)\n');
    const { identifier } = await scenario.connectGoogle(undefined, { package_name: 'com.example.sample' });
    expect(await lines(identifier)).toBe('valid: Our Play account (access to com.example.sample)\n');
    expect(await run('store', 'validate', 'Our Play account')).toMatchObject({ code: 2 });
  });

  it('fails if the store rejects the credentials', async () => {
    const { identifier } = await scenario.connectApple();
    scenario.providers.apple.keys.clear();
    const { code, stdout, stderr } = await run('store', 'validate', identifier, '--json');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^taxiway: Our Apple team is invalid: The provider doesn't accept .*\(NOT_AUTHORIZED\)\n$/,
      ),
    });
    expect(JSON.parse(stdout)).toMatchObject({ identifier, status: 'invalid' });
    expect(JSON.parse(stdout)).toEqual((await scenario.admin.get(`/api/v1/store-connections/${identifier}`)).body);
  });

  it('fails if the store is unavailable', async () => {
    const { identifier } = await scenario.connectApple();
    scenario.providers.change(() => ({ status: 503, headers: { 'retry-after': '2' } }));
    const { code, stdout, stderr } = await run('store', 'validate', identifier);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('(503 store_connection_unavailable');
  });
});
