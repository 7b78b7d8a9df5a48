// Private keys, tokens and assertions stay in memory and in encrypted columns: a search for pieces of them through every file of the
// data folder, every log line and every answer of a run.
import { createPrivateKey } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { storeConnections } from '../../src/data/tables/tables.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { auditRows, type Json } from '../support/harness.ts';
import { addResources } from '../support/resources.ts';
import { appleError } from './providers.ts';
import { type StoreScenario, startStoreScenario } from './scenario.ts';

const WINDOW = 16;
const STEP = 8;
/** Characters of PEM and bytes of DER that all keys of a kind begin with. */
const COMMON_CHARACTERS = 48;
const COMMON_BYTES = 36;

let scenario: StoreScenario;
const lines: string[] = [];
const answers: string[] = [];
/** What the providers were sent to prove who asks. */
const credentials: string[] = [];

beforeAll(async () => {
  scenario = await startStoreScenario();
  const { app } = scenario.fixture;
  Object.assign(app.log, {
    level: 'trace',
    [pino.symbols.streamSym]: { write: (line: string) => void lines.push(line) },
  });
  const ask = app.fetch;
  app.fetch = (url, init) => {
    const bearer = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '');
    const assertion = init?.body instanceof URLSearchParams ? init.body.get('assertion') : undefined;
    for (const one of [bearer, assertion]) if (typeof one === 'string') credentials.push(one);
    return ask(url, init);
  };
  const real = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const answer = await real(url, init);
    const text = await answer.clone().text();
    answers.push(`${[...answer.headers].join('\n')}\n${text}`);
    return answer;
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await scenario?.stop();
});

function windows(text: string, start = 0): string[] {
  const found = [];
  for (let at = start; at + WINDOW <= text.length; at += STEP) found.push(text.slice(at, at + WINDOW));
  return found;
}

/** Pieces of a private key in the forms in which it could be written: PEM, base64url, hexadecimal, and bytes. */
function piecesOf(pem: string): Buffer[] {
  const [first = '', ...others] = pem.split('\n').slice(1, -2);
  const key = createPrivateKey(pem);
  const der = key.export({ type: 'pkcs8', format: 'der' }).subarray(COMMON_BYTES);
  const jwk = key.export({ format: 'jwk' });
  const numbers = [jwk.d, jwk.p, jwk.q].filter((number) => number !== undefined);
  const texts = [
    ...windows(first, COMMON_CHARACTERS),
    ...others.flatMap((line) => windows(line)),
    ...numbers.flatMap((number) => windows(number)),
    ...windows(der.toString('hex')),
  ];
  const secret = numbers.map((number) => Buffer.from(number, 'base64url'));
  return [
    ...texts.map((text) => Buffer.from(text)),
    ...secret.flatMap((bytes) => windows(bytes.toString('latin1')).map((text) => Buffer.from(text, 'latin1'))),
  ];
}

/** Reads all files of a folder. */
function readAll(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file));
}

/** Returns the pieces that are somewhere in the texts, up to three. Looks for all of them at once, by their first four bytes. */
function search(places: Buffer[], pieces: Buffer[]): string[] {
  const byStart = new Map<number, Buffer[]>();
  for (const piece of pieces) {
    const start = piece.readInt32BE(0);
    byStart.set(start, [...(byStart.get(start) ?? []), piece]);
  }
  const all = Buffer.concat(places);
  const found = new Set<Buffer>();
  let start = 0;
  for (let at = -3; at + 3 < all.length; at += 1) {
    start = (start << 8) | (all[at + 3] ?? 0);
    if (at < 0) continue;
    for (const piece of byStart.get(start) ?? [])
      if (all.subarray(at, at + piece.length).equals(piece)) found.add(piece);
  }
  return [...found].map((piece) => piece.toString('latin1')).slice(0, 3);
}

it('private keys, assertions and tokens are in no file, log line or answer', async () => {
  const { fixture, providers, admin } = scenario;
  const path = '/api/v1/store-connections';
  const here = { organization_id: fixture.organization_id };
  const [first, second] = [providers.appleKey(), providers.appleKey()];
  const third = providers.appleKey({ isIndividual: true });
  const [account, other] = [providers.serviceAccount(), providers.serviceAccount()];
  const apple = (body: Json) => admin.post<Json>(path, { provider: 'app_store_connect', name: 'Apple', ...body }, here);
  const google = (file: Json, body: Json = {}) =>
    admin.post<Json>(
      path,
      { provider: 'google_play', name: 'Google', service_account_json: JSON.stringify(file), ...body },
      here,
    );

  // Successes.
  const connection = (await apple(first)).body;
  const play = (await google(account, { package_name: 'com.example.sample' })).body;
  await apple(third);
  await admin.patch(`${path}/${connection.identifier}`, { name: 'Renamed', ...second });
  await admin.patch(`${path}/${play.identifier}`, { service_account_json: JSON.stringify(other) });
  for (const { identifier } of [connection, play]) {
    await admin.post(`${path}/${identifier}/validate`);
    await admin.get(`${path}/${identifier}`);
    await admin.get(`${path}/${identifier}/device-quota`);
    await admin.get(`${path}/${identifier}/profiles`);
    await admin.post(`${path}/${identifier}/register-devices`, {});
  }
  providers.apple.nextStatus = 'PROCESSING';
  const udid = '00008030-00000000000000A7';
  const device = (await admin.post<Json>('/api/v1/devices', { udid, name: 'Lab phone' }, here)).body;
  const register = () =>
    admin.post<Json>(`/api/v1/devices/${device.identifier}/register`, { store_connection_id: connection.identifier });
  expect((await register()).status).toBe(200);
  fixture.clock.advance(HOUR);
  await fixture.drain();
  const resources = await addResources(fixture);
  const published = { build_id: resources.id('build_id'), store_connection_id: play.identifier };
  const inProject = { ...here, project_id: fixture.android_project_id };
  expect((await admin.post('/api/v1/publish', published, inProject)).status).toBe(202);
  await fixture.drain();

  // Failures with a secret in the request, and those while a provider is asked.
  await apple({ ...first, key_id: 'AAAAAAAAAA' });
  await apple({ ...first, key_id: first.private_key });
  await apple({ ...first, name: first.private_key });
  await apple({ ...first, private_key: `${first.private_key}${second.private_key}` });
  await apple({ ...first, private_key: account.private_key });
  await google({ ...account, type: account.private_key });
  await google({ ...account, client_email: account.private_key });
  await google({ ...account, private_key_id: account.private_key });
  await google(account, { package_name: account.private_key });
  await google(account, { service_account_json: account });
  await admin.send('POST', path, { rawBody: `{"private_key": "${first.private_key}"`, query: here });
  const changes: Parameters<typeof providers.change>[0][] = [
    (_request, answer) => ({ ...answer, cut: true }),
    () => appleError(401, 'NOT_AUTHORIZED'),
    () => appleError(403, 'FORBIDDEN_ERROR'),
    () => ({ status: 200, raw: '<html>' }),
    // A provider that repeats what it was sent.
    ({ body, claims }) => ({ status: 400, body: { error: body, errors: [{ code: body }], claims } }),
    ({ body }) => ({
      status: 302,
      headers: { location: `http://127.0.0.1:1/?${encodeURIComponent(body.slice(0, 500))}` },
    }),
  ];
  for (const change of changes) {
    providers.change(change);
    await apple(first);
    await google(account, { package_name: 'com.example.sample' });
    await admin.post(`${path}/${connection.identifier}/validate`);
    await admin.post(`${path}/${play.identifier}/validate`);
    await register();
    await admin.get(`${path}/${connection.identifier}/profiles`);
    await admin.post(`${path}/${connection.identifier}/register-devices`, {});
    await fixture.drain();
  }
  providers.change(undefined);
  fixture.app.db.update(storeConnections).set({ sealedSecret: 'damaged' }).run();
  await register();

  // Reading everything, and deleting.
  await admin.get(path, here);
  await admin.get('/api/v1/publish', inProject);
  const trail = await admin.get(`/api/v1/audit/organization/${fixture.organization_id}`, { limit: 1000 });
  expect(trail.text).toContain('store_connection');
  await admin.get('/api/v1/openapi.json');
  await admin.delete(`${path}/${connection.identifier}`);
  await fixture.drain();

  const files = readAll(fixture.config.server.data_dir);
  const places = [
    ...files,
    Buffer.from(lines.join('\n')),
    Buffer.from(answers.join('\n')),
    Buffer.from(JSON.stringify(auditRows(fixture))),
    // Answers and logs contain JSON texts within JSON.
    Buffer.from([...lines, ...answers].join('\n').replaceAll('\\', '')),
  ];
  expect(Buffer.concat(files).includes(Buffer.from('Lab phone'))).toBe(true);
  expect(lines.filter((line) => line.includes('store not reached')).length).toBeGreaterThan(0);
  expect(lines.filter((line) => line.includes('damaged store connection')).length).toBeGreaterThan(0);
  expect(answers.length).toBeGreaterThan(50);
  expect(credentials.length).toBeGreaterThan(30);

  const pieces = [first, second, third, account, other].map(({ private_key: pem }) => {
    const ofKey = piecesOf(pem);
    expect(search([Buffer.from(JSON.stringify({ pem }))], ofKey)).toHaveLength(3);
    return ofKey;
  });
  expect(search(places, pieces.flat())).toEqual([]);
  const signatures = credentials.flatMap((one) => windows(one.split('.')[2] ?? one)).map((text) => Buffer.from(text));
  expect(search(places, signatures)).toEqual([]);
  expect(credentials.some((one) => one.startsWith('ya29.'))).toBe(true);
  expect(search(places, [Buffer.from('ya29.')])).toEqual([]);
});
