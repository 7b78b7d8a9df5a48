// Registering, naming, listing and removing passkeys. A software authenticator creates valid attestations and all kinds of
// invalid ones.
import { generateKeyPairSync } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developers, passkeyHandles, passkeys } from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  type CoseParameters,
  type Credential,
  coseParameters,
  type Deviation,
  makePasskey,
  usePasskey,
} from '../support/authenticator.ts';
import {
  addOwner,
  addPasskeyOwner,
  beginPasskeyLogin,
  beginRegistration,
  finishPasskeyLogin,
  originOf,
  register,
  rememberProofs,
  removePasskey,
  stepUp,
} from '../support/factors.ts';
import {
  api,
  auditMark,
  auditRows,
  type Client,
  createAccount,
  expectInvalid,
  expectRefusal,
  type Json,
  type Page,
  signIn,
} from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

type PasskeyPage = Page<{ identifier: string; name: string; last_used_at: string | null }>;
const FINISH = '/api/v1/passkeys/register/finish';
const list = (client: Client, query = {}) => client.get<PasskeyPage>('/api/v1/passkeys', query);
const countNoted = (id: string) =>
  fixture.app.db.select().from(developers).where(eq(developers.id, id)).all()[0]?.passkeyCount;

const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const edwards = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The parameters of a key, some of them replaced, or removed if undefined. */
function alter({ publicKey }: typeof rsa, changes: Record<number, number | Buffer | undefined>): CoseParameters {
  return coseParameters(publicKey).flatMap(([label, value]): CoseParameters => {
    const changed = label in changes ? changes[label] : value;
    return changed === undefined ? [] : [[label, changed]];
  });
}

/** Keys that verify no signature, or signatures of anyone. */
const unusableKeys: [string, CoseParameters][] = [
  ['a point of another curve', alter(elliptic, { [-1]: 3 })],
  ['a point beside the curve', alter(elliptic, { [-3]: Buffer.alloc(32, 7) })],
  ['a short coordinate', alter(elliptic, { [-2]: Buffer.alloc(4, 7) })],
  ['half a point', alter(elliptic, { [-3]: undefined })],
  ['a key of another type than its algorithm', alter(edwards, { 3: -7 })],
  ['an Ed25519 key of 31 bytes', alter(edwards, { [-2]: Buffer.alloc(31, 7) })],
  ['an algorithm that was not offered', alter(elliptic, { 3: -35 })],
  ['an RSA key of 1,024 bits', coseParameters(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)],
  ['the RSA exponent 1', alter(rsa, { [-2]: Buffer.from([1]) })],
  ['no key', []],
];

describe('registering a passkey', () => {
  it('starts with options for a discoverable credential and an opaque user id', async () => {
    const { account, client } = await addOwner(fixture);
    const { challenge_id, options } = await beginRegistration(fixture, client);
    expect(challenge_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Taxiway' },
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      user: { id: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), name: account.email },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: [],
    });
    expect(Buffer.from(options.user.id, 'base64url').toString('latin1')).not.toContain(account.developer_id);
    const again = await beginRegistration(fixture, client);
    expect(again.options.user.id).toBe(options.user.id);
    expect(again.options.challenge).not.toBe(options.challenge);
    const [kept] = fixture.app.db
      .select()
      .from(passkeyHandles)
      .where(eq(passkeyHandles.developerId, account.developer_id))
      .all();
    expect(kept?.handle).toBe(options.user.id);
  });

  it('returns the passkey, and is recorded', async () => {
    const { account, client } = await addOwner(fixture);
    const mark = auditMark(fixture);
    const { answer, credential } = await register(fixture, client, {}, { name: '  Work laptop ' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      identifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Work laptop',
      transports: ['internal', 'hybrid'],
      backed_up: false,
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
      suspended: false,
    });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'passkey_registered',
        type: 'developer',
        identifier: account.developer_id,
        developerId: account.developer_id,
        details: { passkey_id: answer.body.identifier, name: 'Work laptop' },
      },
    ]);
    expect((await list(client)).body).toEqual({ items: [answer.body], next_cursor: null });
    expect((await client.get('/api/v1/mfa')).body).toMatchObject({
      enabled: true,
      passkey_count: 1,
      methods: ['passkey'],
    });
    expect((await beginRegistration(fixture, client)).options.excludeCredentials).toEqual([
      { id: credential.id, type: 'public-key', transports: ['internal', 'hybrid'] },
    ]);
  });

  it('sets a default name, and rejects invalid ones', async () => {
    const { client } = await addOwner(fixture);
    expect((await register(fixture, client)).answer.body.name).toBe('Passkey');
    for (const [name, problem] of [
      ['', 'string_too_short'],
      ['two\nlines', 'string_pattern_mismatch'],
      ['x'.repeat(101), 'string_too_long'],
      [7, 'string_type'],
    ] as const) {
      expectInvalid((await register(fixture, client, {}, { name })).answer, `body.name: ${problem}`);
    }
  });

  const falsities: [string, Deviation][] = [
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port', { origin: 'http://localhost:1' }],
    ['for another host', { rpId: 'evil.example' }],
    ['with another challenge', { challenge: 'A'.repeat(43) }],
    ['of another ceremony', { type: 'webauthn.get' }],
    ['that verified nobody', { isUnverified: true }],
    ['with nobody present', { isAbsent: true }],
    ['made in a frame of another page', { crossOrigin: true }],
    ['made in a frame of a named page', { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['made in a page that names another one around it', { topOrigin: 'https://evil.example' }],
    ['under another id', { id: 'AAAA' }],
    ['with an id of 1,024 bytes', { idLength: 1024 }],
    ['with certificates, which nobody asked for', { hasCertificates: true }],
    ['with a malformed statement', { hasMalformedStatement: true }],
    ...unusableKeys.map(([what, parameters]): [string, Deviation] => [`with ${what}`, { parameters }]),
  ];
  it.each(falsities)('rejects one %s, and consumes its challenge', async (_what, deviation) => {
    const { account, client } = await addOwner(fixture);
    const { challenge_id, options } = await beginRegistration(fixture, client);
    const wrong = makePasskey(originOf(fixture), options, deviation);
    const refused = await client.post(FINISH, { challenge_id, credential: wrong.attestation });
    expect(expectRefusal(refused, 400, 'invalid_input')).toEqual({ field: 'credential' });
    const right = makePasskey(originOf(fixture), options);
    expectRefusal(await client.post(FINISH, { challenge_id, credential: right.attestation }), 400, 'invalid_input');
    expect(countNoted(account.developer_id)).toBe(0);
  });

  it.each<[string, Deviation]>([
    ['a P-256 key', { pair: elliptic }],
    ['an Ed25519 key', { pair: edwards }],
    ['an RSA key', { pair: rsa }],
    ['an id of 1,023 bytes', { idLength: 1023 }],
  ])('accepts one with %s, which signs in', async (_what, deviation) => {
    const { client } = await addOwner(fixture);
    const { answer, credential } = await register(fixture, client, deviation);
    expect(answer.status, answer.text).toBe(201);
    const { challenge_id, options } = await beginPasskeyLogin(fixture);
    const signedIn = await finishPasskeyLogin(
      fixture,
      challenge_id,
      usePasskey(originOf(fixture), credential, options),
    );
    expect(signedIn.status, signedIn.text).toBe(200);
  });

  it('rejects an invalid credential with the name of the field', async () => {
    const { client } = await addOwner(fixture);
    const { challenge_id, options } = await beginRegistration(fixture, client);
    const { attestation } = makePasskey(originOf(fixture), options);
    const send = (body: unknown) => client.post(FINISH, body);
    expectInvalid(await send({}), 'body.challenge_id: missing', 'body.credential: missing');
    expectInvalid(
      await send({ challenge_id: 'x', credential: 'x' }),
      'body.challenge_id: uuid_parsing',
      'body.credential: dict_type',
    );
    expectInvalid(
      await send({ challenge_id, credential: { ...attestation, type: 'password', response: {} } }),
      'body.credential.type: enum',
      'body.credential.response.clientDataJSON: missing',
      'body.credential.response.attestationObject: missing',
    );
    const long = { ...attestation, response: { ...attestation.response, attestationObject: 'A'.repeat(16_385) } };
    expectInvalid(
      await send({ challenge_id, credential: long }),
      'body.credential.response.attestationObject: string_too_long',
    );
    // None of these was an answer, so the challenge is still open.
    expect((await send({ challenge_id, credential: attestation })).status).toBe(201);
  });

  it.each([
    ['no bytes', ''],
    ['no base64', '!!!'],
    ['no CBOR', 'AAAA'],
    ['lists in lists in lists', Buffer.alloc(12_000, 0x81).toString('base64url')],
    ['a length beyond the end', Buffer.from('5bffffffffffffffff', 'hex').toString('base64url')],
    ['an endless map', Buffer.from(`bf${'6161'.repeat(2000)}`, 'hex').toString('base64url')],
  ])('rejects an attestation of %s without an error', async (_what, attestationObject) => {
    const { client } = await addOwner(fixture);
    const { challenge_id, options } = await beginRegistration(fixture, client);
    const { attestation } = makePasskey(originOf(fixture), options);
    const credential = { ...attestation, response: { ...attestation.response, attestationObject } };
    const { status } = await client.post(FINISH, { challenge_id, credential });
    expect(status).toBe(400);
    expect((await register(fixture, client)).answer.status).toBe(201);
  });

  it('accepts each challenge once, for its account, within five minutes', async () => {
    const [mine, theirs] = [await addOwner(fixture), await addOwner(fixture)];
    const begun = await beginRegistration(fixture, mine.client);
    const body = {
      challenge_id: begun.challenge_id,
      credential: makePasskey(originOf(fixture), begun.options).attestation,
    };
    expectRefusal(await theirs.client.post(FINISH, body), 400, 'invalid_input');
    const { body: used, answer } = await register(fixture, mine.client);
    expect(answer.status).toBe(201);
    expectRefusal(await mine.client.post(FINISH, used), 400, 'invalid_input');
    expectRefusal(
      await mine.client.post(FINISH, { ...used, challenge_id: fixture.app.ids.next() }),
      400,
      'invalid_input',
    );
    const late = await beginRegistration(fixture, mine.client);
    fixture.clock.advance(5 * MINUTE);
    const tooLate = {
      challenge_id: late.challenge_id,
      credential: makePasskey(originOf(fixture), late.options).attestation,
    };
    expectRefusal(await mine.client.post(FINISH, tooLate), 400, 'invalid_input');
    expect(countNoted(mine.account.developer_id)).toBe(1);
    expect(countNoted(theirs.account.developer_id)).toBe(0);
  });

  it('rejects a credential that is already registered by anyone', async () => {
    const [mine, theirs] = [await addPasskeyOwner(fixture), await addOwner(fixture)];
    for (const { client } of [mine, theirs]) {
      const { challenge_id, options } = await beginRegistration(fixture, client);
      const { attestation } = makePasskey(originOf(fixture), options, {}, mine.credential);
      expectRefusal(await client.post(FINISH, { challenge_id, credential: attestation }), 409, 'already_exists');
    }
  });

  it('requires a verified address and an interactive sign-in', async () => {
    const unverified = await signIn(fixture, await createAccount(fixture, { isVerified: false }));
    const begin = '/api/v1/passkeys/register/begin';
    expectRefusal(await unverified.client.post(begin), 403, 'email_not_verified');
    expectRefusal(await api(fixture, fixture.project_access_token).post(begin), 403, 'permission_denied');
    expectRefusal(await api(fixture, null).post(begin), 401, 'unauthorized');
  });

  it('stops at twenty, also for fifty simultaneous requests', async () => {
    const { account, client } = await addOwner(fixture);
    const made: { body: Json; credential: Credential }[] = [];
    for (let i = 0; i < 50; i += 1) {
      const { challenge_id, options } = await beginRegistration(fixture, client);
      const { credential, attestation } = makePasskey(originOf(fixture), options);
      made.push({ body: { challenge_id, credential: attestation }, credential });
    }
    const answers = await Promise.all(made.map(({ body }) => client.post(FINISH, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) expect(expectRefusal(answer, 400, 'quota_exceeded')).toEqual({ limit: 20 });
    expect(countNoted(account.developer_id)).toBe(20);
    expect((await list(client)).body.items).toHaveLength(20);
    expectRefusal(await client.post('/api/v1/passkeys/register/begin'), 400, 'quota_exceeded');
    const [first] = (await list(client)).body.items;
    const own = made.find((_one, index) => answers[index]?.status === 201);
    if (own !== undefined) rememberProofs(client, { credential: own.credential });
    expect((await removePasskey(fixture, client, first?.identifier ?? '')).status).toBe(204);
  });
});

describe('the passkeys of an account', () => {
  it('are listed in pages, newest first', async () => {
    const { client } = await addOwner(fixture);
    const names = ['one', 'two', 'three'];
    for (const name of names) await register(fixture, client, {}, { name });
    const first = await list(client, { limit: 2 });
    expect(first.body.items.map(({ name }) => name)).toEqual(['three', 'two']);
    const second = await list(client, { limit: 2, cursor: first.body.next_cursor ?? '' });
    expect(second.body).toMatchObject({ items: [{ name: 'one' }], next_cursor: null });
  });

  it('are renamed; an unchanged name is not recorded', async () => {
    const { account, client, passkeyId } = await addPasskeyOwner(fixture);
    const mark = auditMark(fixture);
    const path = `/api/v1/passkeys/${passkeyId}`;
    const send = async (change: Json) => client.patch(path, { ...change, ...(await stepUp(fixture, client)) });
    expect((await send({ name: 'Phone' })).body).toMatchObject({ identifier: passkeyId, name: 'Phone' });
    expect((await send({ name: 'Phone' })).status).toBe(200);
    expect((await send({})).body).toMatchObject({ name: 'Phone' });
    expectInvalid(await client.patch(path, { name: ' ' }), 'body.name: string_too_short');
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'edited',
        type: 'developer',
        identifier: account.developer_id,
        details: { passkey_id: passkeyId, name: 'Phone' },
      },
    ]);
  });

  it('are removed one by one, and no longer sign in', async () => {
    const { account, client, passkeyId, credential } = await addPasskeyOwner(fixture);
    const mark = auditMark(fixture);
    const answer = await removePasskey(fixture, client, passkeyId);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'passkey_removed', identifier: account.developer_id, details: { passkey_id: passkeyId } },
    ]);
    expectRefusal(await client.delete(`/api/v1/passkeys/${passkeyId}`), 404, 'not_found');
    expect(countNoted(account.developer_id)).toBe(0);
    const { challenge_id, options } = await beginPasskeyLogin(fixture);
    const assertion = usePasskey(originOf(fixture), credential, options);
    expectRefusal(await finishPasskeyLogin(fixture, challenge_id, assertion), 401, 'unauthorized');
    expect((await signIn(fixture, account)).access_token).toMatch(/^eyJ/);
  });

  it('are announced to their owner by email when added or removed, without a secret', async () => {
    const { account, client, passkeyId, credential } = await addPasskeyOwner(fixture);
    await removePasskey(fixture, client, passkeyId);
    const mails = fixture.mail.messages.filter(({ to }) => to === account.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['A passkey was added', 'A passkey was removed']);
    for (const { text, html } of mails) {
      expect(text).toContain(fixture.config.server.base_url);
      expect(text + html).not.toContain(credential.id);
    }
  });

  it('are not available to other people', async () => {
    const { passkeyId } = await addPasskeyOwner(fixture);
    const { client } = await addOwner(fixture);
    for (const id of [passkeyId, fixture.app.ids.next()]) {
      expectRefusal(await client.patch(`/api/v1/passkeys/${id}`, { name: 'mine' }), 404, 'not_found');
      expectRefusal(await client.delete(`/api/v1/passkeys/${id}`), 404, 'not_found');
    }
    expectInvalid(await client.delete('/api/v1/passkeys/first'), 'path.passkey_id: uuid_parsing');
    expect((await list(client)).body.items).toEqual([]);
  });
});

describe('a server behind https', () => {
  it('accepts only its own host and origin', async () => {
    await using secure = await startFixture({ config: { server: { base_url: 'https://builds.example.com' } } });
    const { client } = await addOwner(secure);
    const { answer, credential } = await register(secure, client);
    expect(answer.status).toBe(201);
    const { challenge_id, options } = await beginPasskeyLogin(secure);
    expect(options.rpId).toBe('builds.example.com');
    const answerOf = (origin: string, id: string, request: typeof options) =>
      finishPasskeyLogin(secure, id, usePasskey(origin, credential, request));
    expect((await answerOf('https://builds.example.com', challenge_id, options)).status).toBe(200);
    for (const origin of [
      'http://builds.example.com',
      'https://example.com',
      'https://x.builds.example.com',
      'https://builds.example.com:8443',
      'https://builds.example.com.evil.example',
    ]) {
      const again = await beginPasskeyLogin(secure);
      expectRefusal(await answerOf(origin, again.challenge_id, again.options), 401, 'unauthorized');
    }
  });

  it('stores public keys, and no challenges that would sign in', async () => {
    const { account, credential } = await addPasskeyOwner(fixture);
    const [row] = fixture.app.db.select().from(passkeys).where(eq(passkeys.developerId, account.developer_id)).all();
    expect(row).toMatchObject({ credentialId: credential.id, counter: 0, isBackedUp: false });
    const { d = 'no private key' } = credential.key.export({ format: 'jwk' });
    expect(JSON.stringify(row)).not.toContain(d);
  });
});
