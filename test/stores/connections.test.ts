// Store connections: what is checked before a provider is asked, and what each rejection of a provider means. secrets.test.ts
// searches for secrets.
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { organizations, storeConnections } from '../../src/data/tables/tables.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { beforeNextLock } from '../support/before-lock.ts';
import {
  ABSENT,
  type Answer,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
  walkPages,
} from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { appleError, googleError } from './providers.ts';
import { type StoreScenario, startStoreScenario } from './scenario.ts';

let scenario: StoreScenario;
beforeAll(async () => {
  scenario = await startStoreScenario();
});
afterAll(() => scenario?.stop());
afterEach(() => scenario.providers.change(undefined));
beforeEach(() => {
  const { fixture, providers } = scenario;
  fixture.app.db.delete(storeConnections).run();
  providers.requests.length = 0;
  providers.apple.hasAgreement = true;
  providers.google.isEnabled = true;
});

const path = '/api/v1/store-connections';
const here = () => ({ organization_id: scenario.fixture.organization_id });
const create = (body: Json) => scenario.admin.post<Json & { identifier: string }>(path, body, here());
const apple = (changes: Json = {}) => ({
  provider: 'app_store_connect',
  name: 'Our Apple team',
  ...scenario.providers.appleKey(),
  ...changes,
});
const google = (changes: Json = {}, account: Json = scenario.providers.serviceAccount()) => ({
  provider: 'google_play',
  name: 'Our Play account',
  service_account_json: JSON.stringify(account),
  ...changes,
});
type Failure = ReturnType<typeof appleError>;
const saved = () => scenario.fixture.app.db.select().from(storeConnections).all();
const asked = () => scenario.providers.requests.map(({ method, path: where }) => `${method} ${where}`);
const pem = (key: ReturnType<typeof generateKeyPairSync>['privateKey'], type = 'pkcs8') =>
  key.export({ type: type as 'pkcs8', format: 'pem' }).toString();

describe('POST /store-connections', () => {
  it('connects App Store Connect with a team key', async () => {
    const after = auditMark(scenario.fixture);
    const key = scenario.providers.appleKey();
    const answer = await create({ provider: 'app_store_connect', name: '  Our Apple team ', ...key });
    const now = scenario.fixture.clock.now().toISOString();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      identifier: expect.any(String),
      organization_id: scenario.fixture.organization_id,
      provider: 'app_store_connect',
      name: 'Our Apple team',
      issuer_id: key.issuer_id,
      key_id: key.key_id,
      client_email: null,
      package_name: null,
      status: 'valid',
      validation: { checked_at: now, scope: 'account', code: null, message: null },
      automatic_registration: false,
      reserve: 10,
      pending_registrations: 0,
      created_at: now,
      created_by: scenario.fixture.admin.developer_id,
    });
    expect(asked()).toEqual(['GET /v1/apps?limit=1']);
    const { claims } = scenario.providers.requests[0] ?? {};
    const second = Math.floor(Date.parse(now) / 1000);
    expect(claims).toEqual({
      iss: key.issuer_id,
      iat: second - 30,
      exp: second - 30 + 19 * 60,
      aud: 'appstoreconnect-v1',
    });
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      {
        event: 'created',
        type: 'store_connection',
        identifier: answer.body.identifier,
        organizationId: scenario.fixture.organization_id,
        details: { name: 'Our Apple team', provider: 'app_store_connect', scope: 'account' },
      },
    ]);
    expect((await scenario.admin.get(`${path}/${answer.body.identifier}`)).body).toEqual(answer.body);
  });

  it('connects App Store Connect with an individual key', async () => {
    const answer = await create(apple({ ...scenario.providers.appleKey({ isIndividual: true }), issuer_id: null }));
    expect(answer.body).toMatchObject({ issuer_id: null, status: 'valid' });
    expect(scenario.providers.requests[0]?.claims).toMatchObject({ sub: 'user' });
    expect(scenario.providers.requests[0]?.claims).not.toHaveProperty('iss');
  });

  it('connects Google Play by a token, without following any address of the file', async () => {
    const account = scenario.providers.serviceAccount();
    const answer = await create(google({}, account));
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      provider: 'google_play',
      client_email: account.client_email,
      key_id: null,
      package_name: null,
      status: 'valid',
      validation: { scope: 'token', code: null },
    });
    expect(asked()).toEqual(['POST /token']);
  });

  it('proves the permission for a package by an edit that it deletes', async () => {
    const answer = await create(google({ package_name: 'com.example.sample' }));
    expect(answer.body).toMatchObject({ package_name: 'com.example.sample', validation: { scope: 'package' } });
    expect(asked()).toEqual([
      'POST /token',
      'POST /androidpublisher/v3/applications/com.example.sample/edits',
      expect.stringMatching(/^DELETE \/androidpublisher\/v3\/applications\/com\.example\.sample\/edits\/e\d+$/),
    ]);
    expect(scenario.providers.google.edits.size).toBe(0);
  });

  const p384 = pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey);
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const rsa1024 = pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey);
  it.each<[string, Json, string]>([
    ['no name', { name: undefined }, 'body.name: missing'],
    ['a name of two lines', { name: 'a\nb' }, 'body.name: string_pattern_mismatch'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'body.name: string_too_long'],
    ['a key id of 9 characters', { key_id: 'ABCDEFGHI' }, 'body.key_id: string_pattern_mismatch'],
    ['a key id with a hyphen', { key_id: 'ABCDE-GHIJ' }, 'body.key_id: string_pattern_mismatch'],
    ['an issuer id that is no UUID', { issuer_id: 'me' }, 'body.issuer_id: uuid_parsing'],
    ['no private key', { private_key: undefined }, 'body.private_key: missing'],
    ['a text as private key', { private_key: 'secret' }, 'body.private_key: value_error'],
    ['a key of another curve', { private_key: p384 }, 'body.private_key: value_error'],
    ['an RSA key', { private_key: rsa1024 }, 'body.private_key: value_error'],
    ['a key in SEC 1', { private_key: pem(p256, 'sec1') }, 'body.private_key: value_error'],
    ['a private key that is too long', { private_key: 'x'.repeat(4097) }, 'body.private_key: string_too_long'],
    ['no provider', { provider: undefined }, 'body.provider: missing'],
    ['an unknown provider', { provider: 'amazon' }, 'body.provider: enum'],
  ])('rejects %s before Apple is asked', async (_name, changes, expected) => {
    expectInvalid(await create(apple(changes)), expected);
    expect([saved(), asked()]).toEqual([[], []]);
  });

  const field = (name: string) => `body.service_account_json${name}: value_error`;
  it.each<[string, Json, string]>([
    ['another type', { type: 'authorized_user' }, field('.type')],
    ['no address of the account', { client_email: undefined }, field('.client_email')],
    ['a number as address', { client_email: 5 }, field('.client_email')],
    ['no key id', { private_key_id: '' }, field('.private_key_id')],
    ['a text as key', { private_key: 'secret' }, field('.private_key')],
    ['a key of 1024 bits', { private_key: rsa1024 }, field('.private_key')],
    ['an elliptic key', { private_key: pem(p256) }, field('.private_key')],
  ])(
    'rejects a service account with %s before Google is asked, without its value',
    async (_name, changes, expected) => {
      const answer = await create(google({}, { ...scenario.providers.serviceAccount(), ...changes }));
      expectInvalid(answer, expected);
      expect(answer.text).not.toContain('PRIVATE KEY');
      expect([saved(), asked()]).toEqual([[], []]);
    },
  );

  it.each<[string, string, string]>([
    ['that is not JSON', '{', field('')],
    ['that is a list', '[]', field('')],
    ['that is too long', ' '.repeat(16_385), 'body.service_account_json: string_too_long'],
    ['of more than 16 KiB in fewer characters', `{"a":"${'é'.repeat(8_189)}"}`, field('')],
  ])('rejects a service account %s', async (_name, service_account_json, expected) => {
    expectInvalid(await create(google({ service_account_json })), expected);
  });

  it('accepts a service account of 16 KiB', async () => {
    const account = { ...scenario.providers.serviceAccount(), note: '' };
    const left = 16_384 - Buffer.byteLength(JSON.stringify(account));
    const text = JSON.stringify({ ...account, note: `${'é'.repeat(Math.floor(left / 2))}${' '.repeat(left % 2)}` });
    expect(Buffer.byteLength(text)).toBe(16_384);
    expect((await create(google({ service_account_json: text }))).status).toBe(201);
    const more = await create(google({ service_account_json: `${text} ` }));
    expectInvalid(more, field(''));
    expect(more.text).toContain('Input should have at most 16384 bytes');
  });

  it.each(['com', 'com..example', '1com.example', 'com.example.', 'com/example', `com.${'x'.repeat(255)}`])(
    'rejects the package name %s',
    async (package_name) => {
      expectRefusal(await create(google({ package_name })), 400, 'validation_error');
      expect(asked()).toEqual([]);
    },
  );

  it('saves nothing without the right key, and reports the reason', async () => {
    const after = auditMark(scenario.fixture);
    const { private_key } = scenario.providers.appleKey();
    const refused = await create(apple({ private_key }));
    expect(expectRefusal(refused, 400, 'invalid_input')).toEqual({ code: 'credentials_refused' });
    expect((refused.body as Json).message).toBe(
      "The provider doesn't accept the credentials: the key is unknown, revoked or belongs to another account (NOT_AUTHORIZED)",
    );
    expect([saved(), auditRows(scenario.fixture, { after })]).toEqual([[], []]);
  });

  it('stops at 50 connections', async () => {
    const { identifier } = await scenario.connectApple();
    const { db, ids } = scenario.fixture.app;
    const row = db.select().from(storeConnections).all()[0];
    for (let count = 1; count < 50; count += 1) {
      if (row !== undefined)
        db.insert(storeConnections)
          .values({ ...row, id: ids.next() })
          .run();
    }
    expect(expectRefusal(await create(apple()), 400, 'quota_exceeded')).toEqual({ limit: 50 });
    await scenario.admin.delete(`${path}/${identifier}`);
    expect((await create(apple())).status).toBe(201);
  });
});

describe("a provider's rejection", () => {
  const at =
    (path: string, answer: Failure) =>
    (request: { path: string }): Failure | undefined =>
      request.path.startsWith(path) ? answer : undefined;
  const edits = '/androidpublisher/v3/applications/com.example.sample/edits';
  const agreement = 'FORBIDDEN.REQUIRED_AGREEMENTS_MISSING_OR_EXPIRED';
  const refusedKey =
    "The provider doesn't accept the credentials: the key is unknown, revoked or belongs to another account";
  const noPermission = "The key doesn't have the required permission";
  const disabled = 'The Google Play Android Developer API is disabled in the project of the service account';
  /** The table in docs/specification/stores.md: the answer, the error of POST and PATCH, and the code and message of the validation. */
  const rejections: [string, 'apple' | 'google', ReturnType<typeof at>, string, string, string][] = [
    [
      'Apple 401',
      'apple',
      at('/v1', appleError(401, 'NOT_AUTHORIZED')),
      'invalid_input',
      'credentials_refused',
      `${refusedKey} (NOT_AUTHORIZED)`,
    ],
    [
      'Apple 403',
      'apple',
      at('/v1', appleError(403, 'FORBIDDEN_ERROR')),
      'invalid_input',
      'permission_missing',
      `${noPermission} (FORBIDDEN_ERROR)`,
    ],
    [
      'Apple 403 for an agreement',
      'apple',
      at('/v1', appleError(403, agreement)),
      'operation_not_allowed',
      'agreement_missing',
      `An agreement in the provider's account must be accepted first (${agreement})`,
    ],
    [
      'Google 400 invalid_grant',
      'google',
      at('/token', { status: 400, body: { error: 'invalid_grant', error_description: 'never shown' } }),
      'invalid_input',
      'credentials_refused',
      `${refusedKey} (invalid_grant)`,
    ],
    [
      'Google 401 for a token',
      'google',
      at('/token', { status: 401, body: { error: 'invalid_client' } }),
      'invalid_input',
      'credentials_refused',
      `${refusedKey} (invalid_client)`,
    ],
    [
      'Google 401 for an edit',
      'google',
      at(edits, googleError(401, 'UNAUTHENTICATED', 'authError')),
      'invalid_input',
      'credentials_refused',
      `${refusedKey} (authError)`,
    ],
    [
      'Google 403',
      'google',
      at(edits, googleError(403, 'PERMISSION_DENIED', 'forbidden')),
      'invalid_input',
      'permission_missing',
      `${noPermission} (forbidden)`,
    ],
    [
      'Google 403 accessNotConfigured',
      'google',
      at(edits, googleError(403, 'PERMISSION_DENIED', 'accessNotConfigured')),
      'operation_not_allowed',
      'api_disabled',
      `${disabled} (accessNotConfigured)`,
    ],
    [
      'Google 403 SERVICE_DISABLED',
      'google',
      at(edits, {
        status: 403,
        body: { error: { details: [{ '@type': 'x' }, { reason: 'SERVICE_DISABLED' }], message: 'never shown' } },
      }),
      'operation_not_allowed',
      'api_disabled',
      disabled,
    ],
    [
      'Google 404',
      'google',
      at(edits, googleError(404, 'NOT_FOUND', 'applicationNotFound')),
      'invalid_input',
      'package_unknown',
      'Google Play has no app with this package name in the account',
    ],
  ];

  it.each(rejections)(
    '%s is refused at POST and PATCH, and saves nothing',
    async (_name, provider, answer, error, code, message) => {
      const isApple = provider === 'apple';
      const { identifier } = isApple
        ? await scenario.connectApple()
        : await scenario.connectGoogle(undefined, { package_name: 'com.example.sample' });
      const [before, after] = [saved(), auditMark(scenario.fixture)];
      scenario.providers.change((request, own) => answer(request) ?? own);
      const account = scenario.providers.serviceAccount();
      const change = isApple ? scenario.providers.appleKey() : { service_account_json: JSON.stringify(account) };
      const answers = [
        await create(isApple ? apple() : google({ package_name: 'com.example.sample' })),
        await scenario.admin.patch(`${path}/${identifier}`, change),
      ];
      for (const refused of answers) {
        const errors = [{ type: 'value_error', loc: ['body', 'package_name'], msg: message }];
        expect(expectRefusal(refused, 400, error)).toEqual({ code, ...(code === 'package_unknown' ? { errors } : {}) });
        expect(refused.body).toMatchObject({ message });
      }
      expect([saved(), auditRows(scenario.fixture, { after })]).toEqual([before, []]);
    },
  );

  it.each(rejections)(
    '%s makes a validated connection invalid',
    async (_name, provider, answer, _error, code, message) => {
      const { identifier } =
        provider === 'apple'
          ? await scenario.connectApple()
          : await scenario.connectGoogle(undefined, { package_name: 'com.example.sample' });
      scenario.fixture.clock.advance(HOUR);
      scenario.providers.change((request, own) => answer(request) ?? own);
      const after = auditMark(scenario.fixture);
      const validated = await scenario.admin.post(`${path}/${identifier}/validate`);
      expect(validated.status).toBe(200);
      expect(validated.body).toMatchObject({
        status: 'invalid',
        validation: { checked_at: scenario.fixture.clock.now().toISOString(), code, message },
      });
      expect((await scenario.admin.get(`${path}/${identifier}`)).body).toEqual(validated.body);
      expect(auditRows(scenario.fixture, { after })).toEqual([]);
      scenario.providers.change(undefined);
      expect((await scenario.admin.post(`${path}/${identifier}/validate`)).body).toMatchObject({
        status: 'valid',
        validation: { code: null, message: null },
      });
    },
  );

  it('for a package of another account is about the permission', async () => {
    scenario.providers.serviceAccount(['com.example.other']);
    const answer = await create(google({ package_name: 'com.example.other' }));
    expect(expectRefusal(answer, 400, 'invalid_input')).toMatchObject({ code: 'permission_missing' });
  });

  it('is repeated only with a code, never with its text', async () => {
    scenario.providers.change(() => appleError(401, `<b>${'x'.repeat(100)}`));
    expect((await create(apple())).text).not.toMatch(/xxx|<b>|never shown/);
  });

  const unavailable: [string, () => void, string][] = [
    [
      '429 with Retry-After',
      () => scenario.providers.change(() => ({ status: 429, headers: { 'retry-after': '17' } })),
      '17',
    ],
    [
      '429 with a Retry-After of days',
      () => scenario.providers.change(() => ({ status: 429, headers: { 'retry-after': '999999' } })),
      '3600',
    ],
    [
      '429 with a Retry-After of years',
      () => scenario.providers.change(() => ({ status: 429, headers: { 'retry-after': '99999999' } })),
      '3600',
    ],
    ['500', () => scenario.providers.change(() => appleError(500, 'UNEXPECTED_ERROR')), '30'],
    [
      '503 with a broken Retry-After',
      () => scenario.providers.change(() => ({ status: 503, headers: { 'retry-after': 'soon' } })),
      '30',
    ],
    ['a page of HTML', () => scenario.providers.change(() => ({ status: 200, raw: '<html>' })), '30'],
    ['JSON of another shape', () => scenario.providers.change(() => ({ status: 200, body: { data: 5 } })), '30'],
    ['nothing', () => scenario.providers.change(() => ({ status: 200, raw: '' })), '30'],
    [
      'more than a MiB',
      () => scenario.providers.change(() => ({ status: 200, raw: `"${'x'.repeat(1024 * 1024)}"` })),
      '30',
    ],
    [
      'a redirect',
      () => scenario.providers.change(() => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })),
      '30',
    ],
    ['a closed connection', () => scenario.providers.change(() => ({ status: 200, cut: true })), '30'],
  ];
  it.each(unavailable)('that is none, %s, is 503 and changes nothing', async (_name, prepare, seconds) => {
    const { identifier } = await scenario.connectApple();
    const before = saved();
    scenario.providers.requests.length = 0;
    prepare();
    for (const answer of [await create(apple()), await scenario.admin.post(`${path}/${identifier}/validate`)]) {
      expect(expectRefusal(answer, 503, 'store_connection_unavailable')).toEqual({});
      expect(answer.headers.get('retry-after')).toBe(seconds);
    }
    expect(saved()).toEqual(before);
    expect(asked()).toEqual(['GET /v1/apps?limit=1', 'GET /v1/apps?limit=1']);
  });

  const usedUp: [string, Failure, string][] = [
    ...['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded', 'quotaExceeded'].map(
      (reason): [string, Failure, string] => [reason, googleError(403, 'PERMISSION_DENIED', reason), '30'],
    ),
    ['RATE_LIMIT_EXCEEDED', { status: 403, body: { error: { details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] } } }, '30'],
    [
      'rateLimitExceeded with Retry-After',
      { ...googleError(403, 'PERMISSION_DENIED', 'rateLimitExceeded'), headers: { 'retry-after': '300' } },
      '300',
    ],
  ];
  it.each(usedUp)('that is Google 403 %s is 503 and changes nothing', async (_reason, refusal, seconds) => {
    const { identifier } = await scenario.connectGoogle(undefined, { package_name: 'com.example.sample' });
    const before = saved();
    scenario.providers.change((request, own) => at(edits, refusal)(request) ?? own);
    for (const answer of [
      await create(google({ package_name: 'com.example.sample' })),
      await scenario.admin.post(`${path}/${identifier}/validate`),
    ]) {
      expect(expectRefusal(answer, 503, 'store_connection_unavailable')).toEqual({});
      expect(answer.headers.get('retry-after')).toBe(seconds);
    }
    expect(saved()).toEqual(before);
  });

  it('that is late is 503', async () => {
    const hasty = await startStoreScenario(100);
    const gate = Promise.withResolvers<void>();
    hasty.providers.change(async (_request, answer) => {
      await gate.promise;
      return answer;
    });
    const body = { provider: 'app_store_connect', name: 'x', ...hasty.providers.appleKey() };
    const answer = await hasty.admin.post(path, body, { organization_id: hasty.fixture.organization_id });
    expectRefusal(answer, 503, 'store_connection_unavailable');
    gate.resolve();
    await hasty.stop();
  });
});

describe('an access token of Google', () => {
  it('is used again until five minutes before its end', async () => {
    const { identifier } = await scenario.connectGoogle(undefined, { package_name: 'com.example.sample' });
    const tokens = () => asked().filter((line) => line === 'POST /token').length;
    const validate = () => scenario.admin.post(`${path}/${identifier}/validate`);
    await validate();
    const first = tokens();
    scenario.fixture.clock.advance(54 * MINUTE);
    await validate();
    expect(tokens()).toBe(first);
    scenario.fixture.clock.advance(2 * MINUTE);
    await validate();
    expect(tokens()).toBe(first + 1);
  });

  it('is replaced once if Google refuses it', async () => {
    const { identifier } = await scenario.connectGoogle(undefined, { package_name: 'com.example.sample' });
    await scenario.admin.post(`${path}/${identifier}/validate`);
    scenario.providers.google.tokens.clear();
    const answer = await scenario.admin.post(`${path}/${identifier}/validate`);
    expect(answer.body).toMatchObject({ status: 'valid' });
    scenario.providers.change(({ path: where }, answered) =>
      where === '/token' ? answered : googleError(401, 'UNAUTHENTICATED', 'authError'),
    );
    scenario.providers.requests.length = 0;
    expect((await scenario.admin.post(`${path}/${identifier}/validate`)).body).toMatchObject({
      status: 'invalid',
      validation: { code: 'credentials_refused' },
    });
    expect(asked().filter((line) => line === 'POST /token')).toHaveLength(1);
  });
});

describe('PATCH /store-connections/{id}', () => {
  const change = (id: string, body: Json) => scenario.admin.patch<Json>(`${path}/${id}`, body);

  it('saves a new name without asking the provider', async () => {
    const { identifier } = await scenario.connectApple();
    scenario.providers.requests.length = 0;
    const after = auditMark(scenario.fixture);
    expect((await change(identifier, { name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', status: 'valid' });
    expect(asked()).toEqual([]);
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { event: 'edited', type: 'store_connection', details: { name: 'Renamed', fields: ['name'] } },
    ]);
  });

  it('records nothing if nothing changes, not even with the same secret', async () => {
    const key = scenario.providers.appleKey();
    const { identifier } = await scenario.connectApple(key);
    const after = auditMark(scenario.fixture);
    scenario.providers.requests.length = 0;
    expect((await change(identifier, { name: 'Our Apple team', ...key })).status).toBe(200);
    expect([asked(), auditRows(scenario.fixture, { after })]).toEqual([[], []]);
  });

  it('merges changed credentials, and saves them when they work together', async () => {
    const { identifier } = await scenario.connectApple();
    const key = scenario.providers.appleKey();
    const before = saved();
    expectRefusal(await change(identifier, { key_id: key.key_id }), 400, 'invalid_input');
    expectRefusal(await change(identifier, { private_key: key.private_key }), 400, 'invalid_input');
    expect(saved()).toEqual(before);
    const after = auditMark(scenario.fixture);
    const answer = await change(identifier, { key_id: key.key_id, private_key: key.private_key });
    expect(answer.body).toMatchObject({ key_id: key.key_id, status: 'valid' });
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { event: 'edited', details: { fields: ['key_id', 'private_key'] } },
    ]);
    expect((await scenario.admin.post(`${path}/${identifier}/validate`)).body).toMatchObject({ status: 'valid' });
  });

  it('changes the package of Google Play, and its account', async () => {
    const { identifier } = await scenario.connectGoogle();
    expect((await change(identifier, { package_name: 'com.example.sample' })).body).toMatchObject({
      package_name: 'com.example.sample',
      validation: { scope: 'package' },
    });
    const account = scenario.providers.serviceAccount(['com.example.sample']);
    const answer = await change(identifier, { service_account_json: JSON.stringify(account), package_name: null });
    expect(answer.body).toMatchObject({
      client_email: account.client_email,
      package_name: null,
      validation: { scope: 'token' },
    });
  });

  it('never changes the provider, and rejects fields of the other one', async () => {
    const { identifier } = await scenario.connectApple();
    expect((await change(identifier, { provider: 'google_play' })).body).toMatchObject({
      provider: 'app_store_connect',
    });
    expectInvalid(await change(identifier, { package_name: 'com.example.sample' }), 'body.package_name: value_error');
  });

  it('repairs a connection whose secret is damaged', async () => {
    const key = scenario.providers.appleKey();
    const { identifier } = await scenario.connectApple(key);
    scenario.fixture.app.db.update(storeConnections).set({ sealedSecret: 'damaged' }).run();
    expectRefusal(await scenario.admin.post(`${path}/${identifier}/validate`), 400, 'operation_not_allowed');
    expect((await change(identifier, { name: 'Still ours' })).status).toBe(200);
    expect((await change(identifier, { private_key: key.private_key })).body).toMatchObject({ status: 'valid' });
  });

  it('does nothing to a connection that is deleted while the provider is asked', async () => {
    const { identifier } = await scenario.connectApple();
    const { key_id, private_key } = scenario.providers.appleKey();
    scenario.providers.change(async (_request, answer) => {
      await scenario.admin.delete(`${path}/${identifier}`);
      return answer;
    });
    expectRefusal(await change(identifier, { key_id, private_key }), 404, 'not_found');
    expect(saved()).toEqual([]);
  });
});

describe('someone who is removed during a request', () => {
  /** A manager, and how to remove them. */
  async function addLeaving() {
    const { fixture, admin } = scenario;
    const { id, client } = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'manager' } });
    const remove = async () => {
      const answer = await admin.delete(`/api/v1/organizations/${fixture.organization_id}/members/${id}`);
      expect(answer.status).toBe(204);
    };
    return { client, remove };
  }

  it.each<[string, (client: Client, url: string) => Promise<Answer<Json>>]>([
    ['validates', (client, url) => client.post(`${url}/validate`)],
    ['changes the key of', (client, url) => client.patch(url, scenario.providers.appleKey())],
    ['reads the profiles of', (client, url) => client.get(`${url}/profiles`)],
  ])('asks nobody if another request comes first, who %s a connection', async (_name, send) => {
    const { identifier } = await scenario.connectApple();
    const { client, remove } = await addLeaving();
    scenario.providers.requests.length = 0;
    beforeNextLock(scenario.fixture.app, remove);
    expectRefusal(await send(client, `${path}/${identifier}`), 404, 'not_found');
    expect(asked()).toEqual([]);
  });

  it('saves no validation', async () => {
    const { identifier } = await scenario.connectApple();
    const { client, remove } = await addLeaving();
    const before = saved();
    scenario.providers.change(async () => {
      await remove();
      return appleError(401, 'NOT_AUTHORIZED');
    });
    expectRefusal(await client.post(`${path}/${identifier}/validate`), 404, 'not_found');
    expect(saved()).toEqual(before);
  });
});

describe('reading and deleting', () => {
  it('lists the connections of the organization, newest first, in pages', async () => {
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await scenario.connectApple()).identifier);
    const pages = await walkPages(scenario.admin, path, { ...here(), limit: 2 });
    expect(pages.map((items) => items.map(({ identifier }) => identifier))).toEqual([ids.slice(0, 2), ids.slice(2)]);
  });

  it('deletes a connection, and records its name', async () => {
    const { identifier } = await scenario.connectGoogle();
    const after = auditMark(scenario.fixture);
    expect((await scenario.admin.delete(`${path}/${identifier}`)).status).toBe(204);
    expectRefusal(await scenario.admin.get(`${path}/${identifier}`), 404, 'not_found');
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      {
        event: 'deleted',
        type: 'store_connection',
        identifier,
        details: { name: 'Our Play account', provider: 'google_play' },
      },
    ]);
  });

  it('is for managers; the organization lock refuses changes', async () => {
    const { identifier } = await scenario.connectApple();
    const { fixture } = scenario;
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const stranger = await addPerson(fixture);
    expectRefusal(await member.client.get(`${path}/${identifier}`), 403, 'insufficient_role');
    expectRefusal(await stranger.client.get(`${path}/${identifier}`), 404, 'not_found');
    expectRefusal(await stranger.client.get(`${path}/${ABSENT}`), 404, 'not_found');
    const { db } = fixture.app;
    db.update(organizations).set({ lockReason: 'awaiting_payment' }).run();
    expectRefusal(await create(apple()), 402, 'payment_required');
    expect((await scenario.admin.get(`${path}/${identifier}`)).status).toBe(200);
    db.update(organizations).set({ lockReason: null }).run();
  });
});
