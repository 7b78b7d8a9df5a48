// The in-app update API has the same error for all invalid keys, secrets and tokens.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditHeadsOf } from '../../src/audit/chain-heads.ts';
import { sdkApps } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { ABSENT, type Answer, api, comparable } from '../support/harness.ts';
import { type Held, type SdkApp, type SdkScenario, startSdkScenario } from './scenario.ts';

let fixture: Fixture;
let scenario: SdkScenario;
let releaseId: string;
let token: string;
let foreign: { app: SdkApp; token: string };
let revoked: { app: SdkApp; token: string };
let deleted: { app: SdkApp; token: string };
let expired: string;

beforeAll(async () => {
  fixture = await startFixture();
  scenario = await startSdkScenario(fixture);
  expired = (await scenario.enroll()).update_token;
  fixture.clock.advance(31 * DAY);
  releaseId = await scenario.release('2.0', 2);
  token = (await scenario.enroll()).update_token;
  const enrolled = async () => {
    const app = await scenario.addApp();
    return { app, token: (await scenario.enroll({}, app)).update_token };
  };
  foreign = await enrolled();
  revoked = await enrolled();
  deleted = await enrolled();
  const staff = await scenario.staff();
  expect((await staff.post(`/api/v1/sdk-apps/${revoked.app.identifier}/revoke`)).status).toBe(204);
  expect((await staff.delete(`/api/v1/sdk-apps/${deleted.app.identifier}`)).status).toBe(204);
});
afterAll(() => fixture?.stop());

/** What may be wrong with a request of an install. */
const wrong: [string, () => Held][] = [
  ['nothing is sent', () => ({})],
  ['there is no key', () => ({ token })],
  ['there is no token', () => ({ key: scenario.app.app_key })],
  ['the key is unknown', () => ({ key: `${scenario.app.app_key}x`, token })],
  ['the key is empty', () => ({ key: '', token })],
  ['the key is sent twice', () => ({ key: `${scenario.app.app_key}, ${scenario.app.app_key}`, token })],
  ['the key is endless', () => ({ key: 'x'.repeat(8000), token })],
  ['the key is the secret', () => ({ key: scenario.app.app_secret, token })],
  ['the token is unknown', () => ({ key: scenario.app.app_key, token: `${token}x` })],
  ['the token is the secret', () => ({ key: scenario.app.app_key, token: scenario.app.app_secret })],
  ['the token is endless', () => ({ key: scenario.app.app_key, token: 'x'.repeat(8000) })],
  ['the header is malformed', () => ({ key: scenario.app.app_key, headers: { authorization: token } })],
  [
    'the header is of another scheme',
    () => ({ key: scenario.app.app_key, headers: { authorization: `Basic ${token}` } }),
  ],
  [
    'the header holds two tokens',
    () => ({ key: scenario.app.app_key, headers: { authorization: `Bearer ${token} x` } }),
  ],
  ['the token has ended', () => ({ key: scenario.app.app_key, token: expired })],
  ['the token is of another SDK app', () => ({ key: scenario.app.app_key, token: foreign.token })],
  ['the key is of another SDK app', () => ({ key: foreign.app.app_key, token })],
  ['the SDK app is revoked', () => ({ key: revoked.app.app_key, token: revoked.token })],
  ['the SDK app is deleted', () => ({ key: deleted.app.app_key, token: deleted.token })],
  ['the token is of a developer', () => ({ key: scenario.app.app_key, token: fixture.admin.access_token })],
  ['the token is of a project', () => ({ key: scenario.app.app_key, token: fixture.project_access_token })],
];

const operations: [string, (held: Held) => Promise<Answer<unknown>>][] = [
  ['POST /token/rotate', (held) => scenario.tell('/token/rotate', held)],
  ['GET /app', (held) => scenario.ask('/app', held)],
  ['GET /releases/latest', (held) => scenario.ask('/releases/latest', held, { build_number: 1 })],
  ['GET /releases/{release_id}/download', (held) => scenario.ask(`/releases/${releaseId}/download`, held)],
  ['GET the download of what does not exist', (held) => scenario.ask(`/releases/${ABSENT}/download`, held)],
  ['GET the download of nothing at all', (held) => scenario.ask('/releases/nothing/download', held)],
  ['POST /installs/report', (held) => scenario.tell('/installs/report', held, { state: 'installed' })],
  ['GET /releases/latest of no number', (held) => scenario.ask('/releases/latest', held, { build_number: 'x' })],
  ['POST /installs/report of no state', (held) => scenario.tell('/installs/report', held, { state: 'x' })],
];

let reference: ReturnType<typeof comparable>;

describe('an error of the in-app update API', () => {
  beforeAll(async () => {
    reference = comparable(await scenario.ask('/app', {}));
  });

  it('is a 401 in the envelope without details', () => {
    expect(reference).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(JSON.parse(reference.text)).toEqual({
      error: 'unauthorized',
      message: 'Sign in first: the credential is missing, unknown or expired',
      details: {},
    });
  });

  it.each(operations)('of %s is identical for every cause', async (_title, send) => {
    const answers: Record<string, unknown> = {};
    for (const [name, hold] of wrong) answers[name] = comparable(await send(hold()));
    expect(answers).toEqual(Object.fromEntries(wrong.map(([name]) => [name, reference])));
  });

  it('of enrolling is the same', async () => {
    const attempts: [string, string | undefined, string][] = [
      ['no key', undefined, scenario.app.app_secret],
      ['unknown key', 'svc_app_unknown', scenario.app.app_secret],
      ['wrong secret', scenario.app.app_key, 'svc_aps_wrong'],
      ['empty secret', scenario.app.app_key, ''],
      ['unknown key and empty secret', 'svc_app_unknown', ''],
      ['secret of another SDK app', scenario.app.app_key, foreign.app.app_secret],
      ['key as the secret', scenario.app.app_key, scenario.app.app_key],
      ['revoked SDK app', revoked.app.app_key, revoked.app.app_secret],
      ['deleted SDK app', deleted.app.app_key, deleted.app.app_secret],
    ];
    for (const [name, key, app_secret] of attempts) {
      expect([name, comparable(await scenario.tell('/enroll', { key }, { app_secret }))]).toEqual([name, reference]);
    }
  });

  it('of enrolling without a valid key precedes all other errors of the request', async () => {
    const json = { 'content-type': 'application/json' };
    const requests: [string, Record<string, string>, string?][] = [
      ['no body', {}],
      ['no secret', json, '{}'],
      ['no JSON', json, '{'],
      ['another media type', { 'content-type': 'text/xml' }, '<secret/>'],
      ['a secret that is none', json, '{"app_secret":7}'],
      ['a body that is too large', json, ' '.repeat(1_100_000)],
    ];
    for (const key of [undefined, '', 'svc_app_unknown', revoked.app.app_key, deleted.app.app_key]) {
      for (const [name, headers, rawBody] of requests) {
        const answer = await api(fixture, null).send('POST', '/sdk/v1/enroll', {
          headers: { ...headers, ...(key === undefined ? {} : { 'x-svc-app-key': key }) },
          ...(rawBody === undefined ? {} : { rawBody }),
        });
        expect([key, name, comparable(answer)]).toEqual([key, name, reference]);
      }
    }
    const { app_key: key } = scenario.app;
    expect((await scenario.tell('/enroll', { key }, {})).status).toBe(400);
  });

  it('of the manifest is the same', async () => {
    for (const capability of [undefined, '', 'x', 'a.b.c.d.e.f', 'x'.repeat(6000)]) {
      const answer = await scenario.ask(`/releases/${releaseId}/manifest.plist`, {}, { capability });
      expect(comparable(answer)).toEqual(reference);
    }
  });

  it('takes the same work for every invalid credential', async () => {
    const { db } = fixture.app;
    // Otherwise its first run, a minute after the start, prepares its queries during a slow run of this test.
    await auditHeadsOf(fixture.app).note();
    await auditHeadsOf(fixture.app).note();
    const asked: string[] = [];
    const { prepare } = db.$client;
    const hashed: number[] = [];
    const { hash } = fixture.app.secrets;
    fixture.app.secrets.hash = (text) => {
      hashed.push(1);
      return hash(text);
    };
    db.$client.prepare = ((source: string) => {
      asked.push(source);
      return prepare.call(db.$client, source);
    }) as typeof prepare;
    const counts = new Set<number>();
    for (const [, hold] of wrong) {
      hashed.length = 0;
      await scenario.ask('/releases/latest', hold());
      counts.add(hashed.length);
    }
    db.$client.prepare = prepare;
    fixture.app.secrets.hash = hash;
    expect([...counts]).toEqual([1]);
    // Every query was prepared before: none is made for one kind of mistake alone.
    expect(asked).toEqual([]);
  });
});

describe('a valid credential', () => {
  it('is accepted in any case of the scheme, and with any query', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const held = { key: scenario.app.app_key, headers: { authorization: `${scheme} ${token}` } };
      expect((await scenario.ask('/app', held, { utm: 'x' })).status).toBe(200);
    }
  });

  it('does not work in the rest of the API', async () => {
    for (const path of ['/api/v1/organizations', '/api/v1/developers/me', `/api/v1/releases/${releaseId}`]) {
      const answer = await api(fixture, token).send('GET', path, {
        headers: { 'x-svc-app-key': scenario.app.app_key },
      });
      expect(answer.status).toBe(401);
    }
  });

  it('stops working immediately when its SDK app is revoked', async () => {
    const app = await scenario.addApp();
    const { update_token } = await scenario.enroll({}, app);
    const held = { key: app.app_key, token: update_token };
    expect((await scenario.ask('/app', held)).status).toBe(200);
    expect((await (await scenario.staff()).post(`/api/v1/sdk-apps/${app.identifier}/revoke`)).status).toBe(204);
    for (const [, send] of operations) expect(comparable(await send(held))).toEqual(reference);
  });

  it('also stops working within moments when a command or another process revokes it', async () => {
    const app = await scenario.addApp();
    const { update_token } = await scenario.enroll({}, app);
    const held = { key: app.app_key, token: update_token };
    expect((await scenario.ask('/app', held)).status).toBe(200);
    const { default: Sqlite } = await import('better-sqlite3');
    const other = new Sqlite(fixture.config.database.file);
    other.prepare('UPDATE sdk_apps SET revoked_at = 1 WHERE id = ?').run(app.identifier);
    other.close();
    fixture.clock.advance(20);
    expect(comparable(await scenario.ask('/app', held))).toEqual(reference);
  });
});

describe('secrets', () => {
  it('are stored as hashes, and in no line of the log', async () => {
    const rows = JSON.stringify(fixture.app.db.select().from(sdkApps).all());
    expect(rows).toContain(scenario.app.app_key);
    expect(rows).not.toContain(scenario.app.app_secret);
    const everything = fixture.app.db.$client.serialize();
    for (const secret of [scenario.app.app_secret, token, foreign.token]) {
      expect(everything.includes(secret)).toBe(false);
    }
  });
});
