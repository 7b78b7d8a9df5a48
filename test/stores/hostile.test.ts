// What a broken or hostile provider, and a hostile key, can't do: each operation with each failure, races with other requests, and
// addresses that must never be asked.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { appleRegistrations, devices, jobs, storeConnections } from '../../src/data/tables/tables.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { type Answer, auditMark, auditRows, expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import { appleError } from './providers.ts';
import { type StoreScenario, startStoreScenario } from './scenario.ts';

interface Identified extends Json {
  identifier: string;
}
type AppleDeviceJson = Identified & { udid: string; apple_registrations: Json[] };

let scenario: StoreScenario;
/** A server that nobody may ask. */
let trap: { url: string; requests: string[]; stop(): Promise<void> };
let serial = 0;

async function startTrap() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"data":[],"access_token":"a","expires_in":1}');
  });
  server.on('connection', () => requests.push('connection'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { url, requests, stop };
}

beforeAll(async () => {
  scenario = await startStoreScenario();
  trap = await startTrap();
});
afterAll(async () => {
  await scenario?.stop();
  await trap?.stop();
});
beforeEach(() => {
  const { fixture, providers } = scenario;
  for (const table of [devices, storeConnections, jobs]) fixture.app.db.delete(table).run();
  Object.assign(providers.apple, { devices: [], profiles: [], quota: 100, nextClass: 'IPHONE', nextStatus: 'ENABLED' });
});
afterEach(() => {
  endFailures();
  expect(trap.requests).toEqual([]);
});

/** Stops each answer of a provider in the middle, and lets the time for it pass once the provider has done its work. */
function stallAnswers(): void {
  const late = new Set<AbortController>();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    late.add(controller);
    return controller.signal;
  });
  scenario.providers.change((_request, answer) => {
    setTimeout(() => {
      for (const controller of late) controller.abort(new DOMException('The time is over', 'TimeoutError'));
    }, 20);
    return { ...answer, stall: true };
  });
}

/** Lets providers answer again. */
function endFailures(): void {
  vi.restoreAllMocks();
  scenario.providers.change(undefined);
}

const path = '/api/v1/store-connections';
const here = () => ({ organization_id: scenario.fixture.organization_id });
const now = () => scenario.fixture.clock.now();
const asked = () => scenario.providers.requests.map(({ method, path: where }) => `${method} ${where}`);
const rows = () => {
  const { db } = scenario.fixture.app;
  return [db.select().from(storeConnections).all(), db.select().from(appleRegistrations).all()];
};

async function addDevice(): Promise<AppleDeviceJson> {
  serial += 1;
  const udid = `00008030-${serial.toString(16).toUpperCase().padStart(16, '0')}`;
  const answer = await scenario.admin.post<AppleDeviceJson>('/api/v1/devices', { udid, name: 'Lab phone' }, here());
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const register = (device: Identified, connection: Identified) =>
  scenario.admin.post<AppleDeviceJson>(`/api/v1/devices/${device.identifier}/register`, {
    store_connection_id: connection.identifier,
  });
const registrationsOf = async ({ identifier }: Identified) =>
  (await scenario.admin.get<AppleDeviceJson>(`/api/v1/devices/${identifier}`)).body.apple_registrations;
const iPhones = async ({ identifier }: Identified) => {
  const answer = await scenario.admin.get<{ classes: Json[] }>(`${path}/${identifier}/device-quota`);
  return answer.body.classes.find(({ device_class }) => device_class === 'IPHONE');
};
/** Adds an ad hoc profile without devices to the team. */
function addProfile(): void {
  serial += 1;
  const day = '2026-01-01T00:00:00.000+0000';
  const common = { profileType: 'IOS_APP_ADHOC', profileState: 'ACTIVE', createdDate: day, expirationDate: day };
  scenario.providers.apple.profiles.push({ id: `P${serial}`, name: 'x', uuid: `U${serial}`, devices: [], ...common });
}

const createApple = (changes: Json = {}) =>
  scenario.admin.post(
    path,
    { provider: 'app_store_connect', name: 'x', ...scenario.providers.appleKey(), ...changes },
    here(),
  );
const createGoogle = (account: Json = scenario.providers.serviceAccount(), changes: Json = {}) =>
  scenario.admin.post(
    path,
    { provider: 'google_play', name: 'x', service_account_json: JSON.stringify(account), ...changes },
    here(),
  );

/** Each operation that asks a provider. `prepare` does what it needs, and returns the operation. */
const operations: [string, () => Promise<() => Promise<Answer<unknown>>>][] = [
  ['POST /store-connections for Apple', async () => () => createApple()],
  ['POST /store-connections for Google', async () => () => createGoogle()],
  [
    'POST /store-connections for a package',
    async () => {
      const account = scenario.providers.serviceAccount();
      return () => createGoogle(account, { package_name: 'com.example.sample' });
    },
  ],
  [
    'POST /store-connections/{id}/validate for a package',
    async () => {
      const { identifier } = await scenario.connectGoogle(undefined, { package_name: 'com.example.sample' });
      return () => scenario.admin.post(`${path}/${identifier}/validate`);
    },
  ],
  [
    'POST /store-connections/{id}/validate for Apple',
    async () => {
      const { identifier } = await scenario.connectApple();
      return () => scenario.admin.post(`${path}/${identifier}/validate`);
    },
  ],
  [
    'PATCH /store-connections/{id}',
    async () => {
      const { identifier } = await scenario.connectApple();
      const { key_id, private_key } = scenario.providers.appleKey();
      return () => scenario.admin.patch(`${path}/${identifier}`, { key_id, private_key });
    },
  ],
  [
    'GET /store-connections/{id}/device-quota',
    async () => {
      const { identifier } = await scenario.connectApple();
      return () => scenario.admin.get(`${path}/${identifier}/device-quota`);
    },
  ],
  [
    'GET /store-connections/{id}/profiles',
    async () => {
      const { identifier } = await scenario.connectApple();
      return () => scenario.admin.get(`${path}/${identifier}/profiles`);
    },
  ],
  [
    'POST /devices/{device_id}/register',
    async () => {
      const [connection, device] = [await scenario.connectApple(), await addDevice()];
      return () => register(device, connection);
    },
  ],
];

const large = gzipSync(' '.repeat(32 * 1024 * 1024));
const html = '<!doctype html><title>Bad gateway</title><script>alert(1)</script>';
type Failure = Parameters<Parameters<StoreScenario['providers']['change']>[0] & object>[1];
const failures: [string, () => Failure, string][] = [
  ['HTML', () => ({ status: 200, raw: html, headers: { 'content-type': 'text/html' } }), '30'],
  ['HTML with 403', () => ({ status: 403, raw: html }), '30'],
  ['429 with Retry-After in seconds', () => ({ status: 429, headers: { 'retry-after': '17' } }), '17'],
  [
    '429 with Retry-After as a date',
    () => ({ status: 429, headers: { 'retry-after': new Date(now().getTime() + 90_000).toUTCString() } }),
    '90',
  ],
  ['429 with a date in the past', () => ({ status: 429, headers: { 'retry-after': new Date(0).toUTCString() } }), '30'],
  ['500', () => appleError(500, 'UNEXPECTED_ERROR'), '30'],
  ['503 with Retry-After', () => ({ status: 503, raw: html, headers: { 'retry-after': '60' } }), '60'],
  ['a redirect to another host', () => ({ status: 302, headers: { location: trap.url } }), '30'],
  ['a redirect that keeps the method', () => ({ status: 308, headers: { location: `${trap.url}/v1/devices` } }), '30'],
  ['a closed connection', () => ({ status: 200, cut: true }), '30'],
  ['JSON of great depth', () => ({ status: 200, raw: '['.repeat(500_000) + ']'.repeat(500_000) }), '30'],
  [
    'a compressed body that is large',
    () => ({ status: 200, raw: large, headers: { 'content-encoding': 'gzip' } }),
    '30',
  ],
  ['a value instead of an object', () => ({ status: 200, raw: 'null' }), '30'],
];

describe.each(operations)('%s', (_operation, prepare) => {
  it.each(failures)('is 503 for %s, and changes nothing', async (_failure, answer, seconds) => {
    const operate = await prepare();
    const [before, after] = [rows(), auditMark(scenario.fixture)];
    scenario.providers.change(answer);
    const refused = await operate();
    expect(expectRefusal(refused, 503, 'store_connection_unavailable')).toEqual({});
    expect(refused.headers.get('retry-after')).toBe(seconds);
    expect(refused.text).not.toMatch(/<|never shown|gateway/);
    expect([rows(), auditRows(scenario.fixture, { after })]).toEqual([before, []]);
    scenario.providers.change(undefined);
    expect((await operate()).status).toBeLessThan(300);
  });

  it('is 503 if the answer stops in the middle, and changes nothing', async () => {
    const operate = await prepare();
    const [before, after] = [rows(), auditMark(scenario.fixture)];
    stallAnswers();
    expectRefusal(await operate(), 503, 'store_connection_unavailable');
    expect([rows(), auditRows(scenario.fixture, { after })]).toEqual([before, []]);
  });
});

describe('a time-out after the work was done', () => {
  it('takes one place at Apple, and the next attempt finds the device', async () => {
    const [connection, device] = [await scenario.connectApple(), await addDevice()];
    stallAnswers();
    expectRefusal(await register(device, connection), 503, 'store_connection_unavailable');
    expect(scenario.providers.apple.devices).toHaveLength(1);
    expect(await registrationsOf(device)).toEqual([]);
    endFailures();
    const after = auditMark(scenario.fixture);
    expect((await register(device, connection)).body.apple_registrations).toMatchObject([{ state: 'registered' }]);
    expect(scenario.providers.apple.devices).toHaveLength(1);
    expect(auditRows(scenario.fixture, { after })).toMatchObject([{ event: 'device_registered' }]);
  });

  it('leaves an edit of Google that is deleted too late, and still proves the permission', async () => {
    scenario.providers.change(({ method }, answer) => (method === 'DELETE' ? { status: 500 } : answer));
    const { body } = await createGoogle(undefined, { package_name: 'com.example.sample' });
    expect(body).toMatchObject({ status: 'valid', validation: { scope: 'package' } });
  });
});

describe('other addresses are never asked', () => {
  it.each<[string, () => string]>([
    ['another host', () => `${trap.url}/v1/devices?cursor=1`],
    ['another host without a scheme', () => `${trap.url.replace('http:', '')}/v1/devices?cursor=1`],
    [
      'another host behind the name of the configured one',
      () => `${scenario.fixture.config.stores.app_store_connect.base_url}@${trap.url.slice(7)}/v1/devices?cursor=1`,
    ],
    [
      'another path by two dots',
      () => `${scenario.fixture.config.stores.app_store_connect.base_url}/v1/devices?/../../token`.replace('?', ''),
    ],
  ])('in a paging link to %s', async (_name, next) => {
    const connection = await scenario.connectApple();
    scenario.providers.change(() => ({ status: 200, body: { data: [], links: { next: next() } } }));
    for (const list of ['device-quota', 'profiles']) {
      scenario.providers.requests.length = 0;
      const refused = await scenario.admin.get(`${path}/${connection.identifier}/${list}`);
      expectRefusal(refused, 503, 'store_connection_unavailable');
      expect(asked()).toEqual(['GET /v1/devices?limit=200']);
    }
  });

  it('in a paging link of the devices of a profile', async () => {
    const connection = await scenario.connectApple();
    addProfile();
    scenario.providers.change(({ path: where }, answer) =>
      where.includes('/relationships/')
        ? {
            status: 200,
            body: { data: [], links: { next: `${trap.url}${where}` } },
          }
        : answer,
    );
    const refused = await scenario.admin.get(`${path}/${connection.identifier}/profiles`);
    expectRefusal(refused, 503, 'store_connection_unavailable');
  });

  it('in the file of a service account', async () => {
    const hostile = {
      ...scenario.providers.serviceAccount(),
      ...Object.fromEntries(
        ['token_uri', 'auth_uri', 'auth_provider_x509_cert_url', 'client_x509_cert_url', 'token_url', 'base_url'].map(
          (name) => [name, `${trap.url}/${name}`],
        ),
      ),
      universe_domain: trap.url.slice(7),
    };
    scenario.providers.requests.length = 0;
    const { body } = await createGoogle(hostile, { package_name: 'com.example.sample' });
    expect(body).toMatchObject({ status: 'valid' });
    await scenario.admin.post(`${path}/${body.identifier}/validate`);
    const saved = await scenario.admin.patch(`${path}/${body.identifier}`, {
      service_account_json: JSON.stringify({ ...hostile, token_uri: `${trap.url}/later` }),
    });
    expect(saved.body).toMatchObject({ status: 'valid' });
    expect(asked().filter((line) => line === 'POST /token').length).toBeGreaterThan(1);
    expect(JSON.stringify([body, saved.body])).not.toContain(trap.url);
  });

  it('in the redirect of a later request', async () => {
    const account = scenario.providers.serviceAccount();
    const location = `${trap.url}/androidpublisher/v3/applications/com.example.sample/edits`;
    scenario.providers.change(({ path: where }, answer) =>
      where === '/token' ? answer : { status: 307, headers: { location } },
    );
    const refused = await createGoogle(account, { package_name: 'com.example.sample' });
    expectRefusal(refused, 503, 'store_connection_unavailable');
  });
});

describe('lists of Apple that never end', () => {
  it('are read up to a limit', async () => {
    const connection = await scenario.connectApple();
    addProfile();
    addProfile();
    const { base_url } = scenario.fixture.config.stores.app_store_connect;
    scenario.providers.change(({ path: where }, answer) => {
      const [resource] = where.split('?');
      const links = { next: `${base_url}${resource}?cursor=1` };
      return resource === '/v1/profiles' ? answer : { status: 200, body: { data: [], links } };
    });
    scenario.providers.requests.length = 0;
    const { body } = await scenario.admin.get(`${path}/${connection.identifier}/profiles`);
    expect(body.profiles).toMatchObject([{ device_count: 0 }, { device_count: 0 }]);
    expect(asked()).toHaveLength(50 + 1 + 2 * 10);
  });

  it('are read for a minute in total, by a provider that takes almost the whole time for each page', async () => {
    const connection = await scenario.connectApple();
    const { base_url } = scenario.fixture.config.stores.app_store_connect;
    scenario.providers.change(({ path: where }) => {
      scenario.fixture.clock.advance(9_000);
      const [resource] = where.split('?');
      return { status: 200, body: { data: [], links: { next: `${base_url}${resource}?cursor=1` } } };
    });
    for (const list of ['profiles', 'device-quota']) {
      scenario.providers.requests.length = 0;
      const answer = await scenario.admin.get(`${path}/${connection.identifier}/${list}`);
      expectRefusal(answer, 503, 'store_connection_unavailable');
      expect(asked()).toHaveLength(7);
    }
  });
});

describe('the quota of devices', () => {
  /** Fills all places of iPhones but some. */
  function fillBut(left: number): void {
    for (let count = 0; count < 100 - left; count += 1) {
      const udid = `FILL-${count}`;
      scenario.providers.apple.devices.push({ id: udid, udid, name: 'x', deviceClass: 'IPHONE', status: 'ENABLED' });
    }
  }

  it('can fill between a look and the registration', async () => {
    const [connection, device] = [await scenario.connectApple(), await addDevice()];
    fillBut(1);
    expect(await iPhones(connection)).toMatchObject({ used: 99, left: 1 });
    fillBut(99);
    const details = expectRefusal(await register(device, connection), 400, 'quota_exceeded');
    expect(details).toEqual({ device_class: 'IPHONE', limit: 100 });
    // What Apple said with the refusal is known at once.
    scenario.providers.requests.length = 0;
    expect(await iPhones(connection)).toMatchObject({ left: 0 });
    expect(asked()).toEqual([]);
  });

  it('gives the last place to one of several registrations at the same time', async () => {
    const connection = await scenario.connectApple();
    const phones = [await addDevice(), await addDevice(), await addDevice()];
    fillBut(1);
    expect(await iPhones(connection)).toMatchObject({ left: 1 });
    const answers = await Promise.all(phones.map((phone) => register(phone, connection)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(scenario.providers.apple.devices).toHaveLength(100);
    expect(await iPhones(connection)).toMatchObject({ used: 100, left: 0 });
    const states = await Promise.all(phones.map(registrationsOf));
    expect(states.map(([first]) => first?.state).sort()).toEqual(['refused', 'refused', 'registered']);
  });
});

describe('registrations of one device', () => {
  it('are sent to Apple one after the other', async () => {
    const [connection, device] = [await scenario.connectApple(), await addDevice()];
    let [current, highest] = [0, 0];
    scenario.providers.change(async (_request, answer) => {
      current += 1;
      highest = Math.max(highest, current);
      await new Promise((resolve) => setImmediate(resolve));
      current -= 1;
      return answer;
    });
    const answers = await Promise.all([1, 2, 3].map(() => register(device, connection)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([highest, scenario.providers.apple.devices.length]).toEqual([1, 1]);
  });

  it.each<[string, Failure, number, string]>([
    ['refuses the key', appleError(401, 'NOT_AUTHORIZED'), 400, 'operation_not_allowed'],
    ['refuses the role', appleError(403, 'FORBIDDEN_ERROR'), 400, 'operation_not_allowed'],
    ['fails', appleError(500, 'UNEXPECTED_ERROR'), 503, 'store_connection_unavailable'],
    [
      'has another device',
      { status: 200, body: { data: [{ attributes: { udid: 'other', deviceClass: 'IPHONE', status: 'ENABLED' } }] } },
      400,
      'invalid_input',
    ],
    [
      'has a state that is not a text',
      { status: 200, body: { data: [{ attributes: { udid: 'other', deviceClass: 'IPHONE', status: 7 } }] } },
      503,
      'store_connection_unavailable',
    ],
  ])('say why if Apple has the device and its list %s', async (_name, list, status, error) => {
    const [connection, device] = [await scenario.connectApple(), await addDevice()];
    scenario.providers.change(({ method, path: where }, answer) =>
      where.startsWith('/v1/devices') ? (method === 'POST' ? appleError(409, 'ENTITY_ERROR') : list) : answer,
    );
    expectRefusal(await register(device, connection), status, error);
    expect((await registrationsOf(device)).map(({ state }) => state)).toEqual(status === 400 ? ['refused'] : []);
  });
});

describe('a connection that changes while Apple is asked', () => {
  it('is not found by a validation if it was deleted', async () => {
    const { identifier } = await scenario.connectApple();
    scenario.providers.change(async (_request, answer) => {
      await scenario.admin.delete(`${path}/${identifier}`);
      return answer;
    });
    expectRefusal(await scenario.admin.post(`${path}/${identifier}/validate`), 404, 'not_found');
    expect(rows()).toEqual([[], []]);
  });

  it('ends the job that looks at a processing device again if it was deleted', async () => {
    const [connection, device] = [await scenario.connectApple(), await addDevice()];
    scenario.providers.apple.nextStatus = 'PROCESSING';
    await register(device, connection);
    scenario.providers.requests.length = 0;
    scenario.providers.change(async (_request, answer) => {
      await scenario.admin.delete(`${path}/${connection.identifier}`);
      return answer;
    });
    scenario.fixture.clock.advance(HOUR);
    await scenario.fixture.drain();
    expect(asked()).toHaveLength(1);
    expect(rows()).toEqual([[], []]);
    expect(scenario.fixture.app.db.select().from(jobs).all()).toEqual([]);
  });

  /** Gives a connection a new key while a registration with the old one, which Apple then refuses, is on its way. */
  function replaceKeyDuringRegistration({ identifier }: Identified): void {
    const { key_id, private_key } = scenario.providers.appleKey();
    let isReplaced = false;
    scenario.providers.change(async ({ method }, answer) => {
      if (isReplaced || method !== 'POST') return answer;
      isReplaced = true;
      const { status } = await scenario.admin.patch(`${path}/${identifier}`, { key_id, private_key });
      expect(status).toBe(200);
      return appleError(401, 'NOT_AUTHORIZED');
    });
  }

  it('stays valid if only its previous key was refused', async () => {
    const [connection, device] = [await scenario.connectApple(), await addDevice()];
    replaceKeyDuringRegistration(connection);
    expectRefusal(await register(device, connection), 400, 'operation_not_allowed');
    const { body } = await scenario.admin.get(`${path}/${connection.identifier}`);
    expect(body).toMatchObject({ status: 'valid', validation: { code: null } });
    expect((await register(device, connection)).body.apple_registrations).toMatchObject([{ state: 'registered' }]);
  });

  it('registers the queued devices with its new key if its previous one was refused', async () => {
    const connection = await scenario.connectApple();
    const phones = [await addDevice(), await addDevice(), await addDevice()];
    replaceKeyDuringRegistration(connection);
    const queued = await scenario.admin.post(`${path}/${connection.identifier}/register-devices`, {});
    expect(queued.body).toEqual({ queued: 3 });
    await scenario.fixture.drain();
    scenario.fixture.clock.advance(MINUTE);
    await scenario.fixture.drain();
    const states = await Promise.all(phones.map(registrationsOf));
    expect(states.map(([first]) => first?.state)).toEqual(['registered', 'registered', 'registered']);
    const { body } = await scenario.admin.get(`${path}/${connection.identifier}`);
    expect(body).toMatchObject({ status: 'valid', pending_registrations: 0 });
  });

  it('does not keep the places that its previous key has read', async () => {
    const connection = await scenario.connectApple();
    const { key_id, private_key } = scenario.providers.appleKey();
    const device = { udid: 'x', deviceClass: 'IPHONE', status: 'ENABLED' };
    let isReplaced = false;
    scenario.providers.change(async ({ path: where }, answer) => {
      if (isReplaced || where.startsWith('/v1/apps')) return answer;
      isReplaced = true;
      await scenario.admin.patch(`${path}/${connection.identifier}`, { key_id, private_key });
      return { status: 200, body: { data: [{ attributes: device }] } };
    });
    expect(await iPhones(connection)).toMatchObject({ used: 1 });
    expect(await iPhones(connection)).toMatchObject({ used: 0 });
  });
});

describe('keys', () => {
  const pem = (key: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
    key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encrypted = p256.privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
    .toString();
  const ec = (namedCurve: string) => pem(generateKeyPairSync('ec', { namedCurve }).privateKey);

  const appleKeys: [string, string][] = [
    ['P-384', ec('P-384')],
    ['P-521', ec('P-521')],
    ['secp256k1, which has the same size', ec('secp256k1')],
    ['Ed25519', pem(generateKeyPairSync('ed25519').privateKey)],
    ['RSA', pem(rsa.privateKey)],
    ['an encrypted key', encrypted],
    ['a public key', p256.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['two keys', `${pem(p256.privateKey)}${pem(p256.privateKey)}`],
    ['a key with text before it', `x${pem(p256.privateKey)}`],
    ['a damaged key', pem(p256.privateKey).replace('MIG', 'MIH')],
    ['an empty key', '-----BEGIN PRIVATE KEY-----\n=\n-----END PRIVATE KEY-----\n'],
  ];
  it.each(appleKeys)('of Apple must be P-256: %s', async (_name, private_key) => {
    const { identifier } = await scenario.connectApple();
    scenario.providers.requests.length = 0;
    expectInvalid(await createApple({ private_key }), 'body.private_key: value_error');
    const changed = await scenario.admin.patch(`${path}/${identifier}`, { private_key });
    expectInvalid(changed, 'body.private_key: value_error');
    expect(asked()).toEqual([]);
  });

  /** An RSA key whose numbers don't belong together. OpenSSL reads it. */
  function damagedRsa(): string {
    const jwk = rsa.privateKey.export({ format: 'jwk' });
    const modulus = Buffer.from(jwk.n ?? '', 'base64url');
    modulus[modulus.length - 1] = (modulus.at(-1) ?? 0) & 0xfe;
    return pem(createPrivateKey({ key: { ...jwk, n: modulus.toString('base64url') }, format: 'jwk' }));
  }
  const googleKeys: [string, string][] = [
    ['1024 bits', pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)],
    ['2040 bits', pem(generateKeyPairSync('rsa', { modulusLength: 2040 }).privateKey)],
    ['4104 bits', pem(generateKeyPairSync('rsa', { modulusLength: 4104 }).privateKey)],
    ['RSA-PSS', pem(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey)],
    ['P-256', pem(p256.privateKey)],
    ['a damaged key', damagedRsa()],
    ['a key in PKCS #1', rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
  ];
  it.each(googleKeys)('of Google must be RSA of 2048 to 4096 bits: %s', async (_name, private_key) => {
    const { identifier } = await scenario.connectGoogle();
    scenario.providers.requests.length = 0;
    const account = { ...scenario.providers.serviceAccount(), private_key };
    const expected = 'body.service_account_json.private_key: value_error';
    expectInvalid(await createGoogle(account), expected);
    const change = { service_account_json: JSON.stringify(account) };
    expectInvalid(await scenario.admin.patch(`${path}/${identifier}`, change), expected);
    expect(asked()).toEqual([]);
  });
});
