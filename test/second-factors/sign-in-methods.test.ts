// Changes to sign-in methods require more than a session.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext, systemContext } from '../../src/core/transact.ts';
import { type EventName, events } from '../../src/events.ts';
import { authenticate } from '../../src/http/credentials.ts';
import type { Operation } from '../../src/http/operation.ts';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { operations } from '../../src/operations.ts';
import { verifyDomainByOperator } from '../../src/sso/domains.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { makeProvider, messageOf, type Provider, signAnswer } from '../sso/provider.ts';
import { begin, connect, cookiesOf, deliver } from '../sso/scenario.ts';
import { makePasskey } from '../support/authenticator.ts';
import {
  addOwner,
  addPasskeyOwner,
  addTotp,
  beginRegistration,
  codeOf,
  type Owner,
  originOf,
  rememberProofs,
  stepUp,
  type Tokens,
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
  signIn,
} from '../support/harness.ts';
import { mailKinds, mailsTo } from '../support/mailbox.ts';
import { addPerson, signInPerson } from '../support/people.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

/** A session that someone else has borrowed, a day after the sign-in. */
async function borrow({ account, accessToken }: Owner): Promise<Client> {
  fixture.clock.advance(DAY);
  const { developer_id: developerId, email } = account;
  const sessionId = String(decodeJwt(accessToken).sid);
  return api(fixture, await fixture.app.accessTokens.issue({ developerId, email, sessionId }));
}

describe('a stolen session', () => {
  it('of an account with only a password adds no sign-in method', async () => {
    const owner = await addOwner(fixture);
    const thief = await borrow(owner);
    const [mark, mails] = [auditMark(fixture), mailKinds(fixture, owner.account.email)];
    for (const path of ['mfa/totp/begin', 'passkeys/register/begin']) {
      expectInvalid(await thief.post(`/api/v1/${path}`), 'body.current_password: missing');
      expectInvalid(await thief.post(`/api/v1/${path}`, {}), 'body.current_password: missing');
    }
    expect(auditRows(fixture, { after: mark })).toEqual([]);
    expect(mailKinds(fixture, owner.account.email)).toEqual(mails);
  });

  it('of an account with an authenticator app renews, adds and removes nothing', async () => {
    const owner = await addTotp(fixture);
    const thief = await borrow(owner);
    const mark = auditMark(fixture);
    const missing = ['body.current_password: missing', 'body.mfa_code: missing'];
    for (const path of ['mfa/recovery-codes', 'passkeys/register/begin', 'mfa/disable']) {
      expectInvalid(await thief.post(`/api/v1/${path}`), ...missing);
    }
    expectInvalid(await thief.send('DELETE', `/api/v1/developers/${owner.account.developer_id}`), ...missing);
    expect(auditRows(fixture, { after: mark })).toEqual([]);
    expect((await thief.get('/api/v1/mfa')).body).toMatchObject({ recovery_codes_remaining: 10, totp_enabled: true });
  });

  it('of an account with a passkey neither renames nor removes one', async () => {
    const owner = await addPasskeyOwner(fixture);
    const thief = await borrow(owner);
    const path = `/api/v1/passkeys/${owner.passkeyId}`;
    const missing = ['current_password', 'passkey_challenge_id', 'passkey_assertion'].map(
      (name) => `body.${name}: missing`,
    );
    expectInvalid(await thief.patch(path, { name: 'mine' }), ...missing);
    expectInvalid(await thief.delete(path), ...missing);
    expectInvalid(await thief.post('/api/v1/mfa/recovery-codes'), ...missing);
    expectInvalid(await thief.post('/api/v1/mfa/totp/begin'), ...missing);
    const { body } = await thief.get<{ items: unknown[] }>('/api/v1/passkeys');
    expect(body.items).toMatchObject([{ identifier: owner.passkeyId, name: 'Passkey' }]);
  });

  it('cannot change the password of an account with two-factor authentication, even with the old one', async () => {
    const owner = await addTotp(fixture);
    const thief = await borrow(owner);
    const { developer_id, password } = owner.account;
    const body = { current_password: password, new_password: 'a staple that is new' };
    expectInvalid(
      await thief.post(`/api/v1/developers/${developer_id}/change_password`, body),
      'body.mfa_code: missing',
    );
  });
});

describe('an enrollment', () => {
  it('is confirmed by the session that started it with a step-up, and by no other', async () => {
    const owner = await addOwner(fixture);
    const other = await signIn(fixture, owner.account);
    const { body } = await owner.client.post<{ secret: string }>('/api/v1/mfa/totp/begin', await proofs(owner));
    const code = codeOf(fixture, body.secret);
    const refused = await other.client.post('/api/v1/mfa/totp/confirm', { code });
    expectRefusal(refused, 400, 'operation_not_allowed');
    expect((await owner.client.post('/api/v1/mfa/totp/confirm', { code })).status).toBe(200);
  });

  it('that another session started again can only be confirmed there', async () => {
    const owner = await addOwner(fixture);
    const other = await signIn(fixture, owner.account);
    await owner.client.post('/api/v1/mfa/totp/begin', await proofs(owner));
    const { body } = await other.client.post<{ secret: string }>('/api/v1/mfa/totp/begin', await proofs(owner));
    const code = codeOf(fixture, body.secret);
    expectRefusal(await owner.client.post('/api/v1/mfa/totp/confirm', { code }), 400, 'operation_not_allowed');
    expect((await other.client.post('/api/v1/mfa/totp/confirm', { code })).status).toBe(200);
  });

  it('of a passkey is completed by the session that started it with a step-up', async () => {
    const owner = await addOwner(fixture);
    const other = await signIn(fixture, owner.account);
    const { challenge_id, options } = await beginRegistration(fixture, owner.client);
    const body = { challenge_id, credential: makePasskey(originOf(fixture), options).attestation };
    expectRefusal(await other.client.post('/api/v1/passkeys/register/finish', body), 400, 'invalid_input');
    // It was the challenge's only answer.
    expectRefusal(await owner.client.post('/api/v1/passkeys/register/finish', body), 400, 'invalid_input');
    expect((await owner.client.get('/api/v1/passkeys')).body).toMatchObject({ items: [] });
  });

  const proofs = async ({ account }: Owner): Promise<Json> => ({ current_password: account.password });
});

describe('a request that would be rejected anyway', () => {
  it('consumes no code', async () => {
    const owner = await addTotp(fixture);
    const { client, account, recoveryCodes } = owner;
    const proof = { current_password: account.password, mfa_code: recoveryCodes[0] };
    const id = account.developer_id;
    expectRefusal(await client.post('/api/v1/mfa/totp/begin', proof), 400, 'operation_not_allowed');
    expectRefusal(await client.patch(`/api/v1/passkeys/${id}`, proof), 404, 'not_found');
    expectRefusal(await client.send('DELETE', `/api/v1/passkeys/${id}`, { body: proof }), 404, 'not_found');
    const weak = await client.post(`/api/v1/developers/${id}/change_password`, { ...proof, new_password: 'short' });
    expectInvalid(weak, 'body.new_password: string_too_short');
    expect((await client.get('/api/v1/mfa')).body).toMatchObject({ recovery_codes_remaining: 10 });
    expect((await client.post('/api/v1/mfa/recovery-codes', proof)).status).toBe(200);
  });
});

describe('emails to the owner', () => {
  it('are sent for each change, with its name, also twice within five minutes', async () => {
    const owner = await addOwner(fixture);
    for (const name of ['Laptop', 'https://evil.example']) {
      const { challenge_id, options } = await beginRegistration(fixture, owner.client);
      const { credential, attestation } = makePasskey(originOf(fixture), options);
      const body = { challenge_id, credential: attestation, name };
      expect((await owner.client.post('/api/v1/passkeys/register/finish', body)).status).toBe(201);
      rememberProofs(owner.client, { credential });
    }
    const { client } = owner;
    expect((await client.post('/api/v1/mfa/recovery-codes', await stepUp(fixture, client))).status).toBe(200);
    expect(mailKinds(fixture, owner.account.email)).toEqual([
      'passkey_registered',
      'passkey_registered',
      'recovery_codes_regenerated',
    ]);
    const [first, second] = mailsTo(fixture, owner.account.email);
    expect(first?.text).toContain('A passkey was added (“Laptop”)');
    expect(second?.text).not.toContain('https://evil.example');
  });

  it('are sent for created and rotated personal access tokens, without the secret', async () => {
    const account = await createAccount(fixture, { organizationName: 'Tokens' });
    const { client } = await signIn(fixture, account);
    const organizations = await client.get<{ identifier: string }[]>('/api/v1/organizations');
    const query = { organization_id: organizations.body[0]?.identifier };
    const made = await client.post<{ identifier: string; token: string }>(
      '/api/v1/pats',
      { name: 'CI', scopes: 1 },
      query,
    );
    expect(made.status).toBe(201);
    expect((await client.post(`/api/v1/pats/${made.body.identifier}/rotate`)).status).toBe(200);
    expect(mailKinds(fixture, account.email)).toEqual(['personal_token_created', 'personal_token_rotated']);
    for (const { text, html } of mailsTo(fixture, account.email)) expect(text + html).not.toContain(made.body.token);
  });
});

describe('an identity provider', () => {
  it('that is configured, replaced or enabled is announced to every admin by email', async () => {
    const account = await createAccount(fixture, { organizationName: 'Told' });
    const { client } = await signIn(fixture, account);
    const organizations = await client.get<{ identifier: string }[]>('/api/v1/organizations');
    const id = organizations.body[0]?.identifier ?? '';
    const second = await addPerson(fixture, { organizations: { [id]: 'admin' } });
    const member = await addPerson(fixture, { organizations: { [id]: 'member' } });
    const { certificate } = await makeProvider();
    const path = `/api/v1/organizations/${id}/sso`;
    const body = {
      entity_id: 'https://idp.example.test/metadata',
      sso_url: 'https://idp.example.test/sso',
      certificates: [certificate],
    };
    expect((await client.put(path, body)).status).toBe(200);
    expect((await client.post(`${path}/enable`)).status).toBe(200);
    expect((await client.put(path, { ...body, sso_url: 'https://evil.example.test/sso' })).status).toBe(200);
    verifyDomainByOperator(systemContext(fixture.app), id, 'told.example');
    for (const { email } of [account, second]) {
      expect(mailKinds(fixture, email)).toEqual(['sso_created', 'sso_enabled', 'sso_replaced', 'sso_domain_verified']);
    }
    expect(mailsTo(fixture, account.email).map(({ subject }) => subject)).toContain(
      'The identity provider was replaced for “Told”',
    );
    expect(mailKinds(fixture, member.email)).toEqual([]);
  });
});

describe('an account with only single sign-on', () => {
  /** Signs in through the provider; the person was asked some milliseconds before. */
  async function enter({
    nameId,
    query = '',
    askedBefore = 0,
  }: {
    nameId: string;
    query?: string;
    askedBefore?: number;
  }) {
    const provider = await providerOf();
    const started = await begin(fixture, { query });
    const target = { ...started.target, now: started.target.now - askedBefore };
    const xml = signAnswer(provider, target, { nameId, email: `${nameId}@example.test` });
    const response = await deliver(fixture, xml, { cookie: started.cookie });
    expect(response.status).toBe(302);
    const cookie = cookiesOf(response.headers);
    const tokenOf = (name: string) => new RegExp(`${name}=([^;]+)`).exec(cookie)?.[1] ?? '';
    const client = api(fixture, tokenOf('svc_access'));
    return { client, refreshToken: tokenOf('svc_refresh'), location: started.location };
  }
  let provider: Awaited<ReturnType<typeof makeProvider>> | undefined;
  async function providerOf() {
    if (provider === undefined) {
      provider = await makeProvider();
      const { client } = await signIn(fixture);
      fixture.admin.access_token = (await signIn(fixture)).access_token;
      expect(client).toBeDefined();
      await connect(fixture, provider);
    }
    return provider;
  }

  it('steps up with a sign-in of the last five minutes', async () => {
    const { client } = await enter({ nameId: 'ines' });
    const status = await client.get<{ step_up: Json }>('/api/v1/mfa');
    expect(status.body.step_up).toMatchObject({
      current_password: false,
      mfa_code: false,
      passkey: false,
      single_sign_on: { login_url: expect.stringContaining('/sso/login?force_authn=true') },
    });
    fixture.clock.advance(5 * MINUTE - 5 * SECOND);
    expect((await client.post('/api/v1/mfa/totp/begin')).status).toBe(200);
    fixture.clock.advance(6 * SECOND);
    const late = expectRefusal(await client.post('/api/v1/mfa/totp/begin'), 403, 'permission_denied');
    expect(late).toMatchObject({ reason: 'sign_in_too_old' });
    expectRefusal(await client.post('/api/v1/passkeys/register/begin'), 403, 'permission_denied');
    const { body: me } = await client.get<{ identifier: string }>('/api/v1/developers/me');
    const path = `/api/v1/developers/${me.identifier}/change_email`;
    const change = { new_email: 'ines@elsewhere.example', current_password: '' };
    expectRefusal(await client.post(path, change), 403, 'permission_denied');
    const again = await enter({ nameId: 'ines' });
    expect((await again.client.post(path, change)).status).toBe(202);
    expect((await again.client.post('/api/v1/passkeys/register/begin')).status).toBe(200);
  });

  it('cannot step up with a sign-in of a clock that was ahead, and can after the next sign-in', async () => {
    await providerOf();
    fixture.clock.jump(2 * MINUTE);
    const early = await enter({ nameId: 'ola' });
    fixture.clock.jump(-2 * MINUTE);
    const refresh = { refresh_token: early.refreshToken };
    const { body: tokens } = await api(fixture, null).post<Tokens>('/api/v1/login/refresh', refresh);
    const client = api(fixture, tokens.access_token);
    const status = await client.get<{ step_up: Json }>('/api/v1/mfa');
    expect(status.body.step_up).toMatchObject({ single_sign_on: { fresh_until: null } });
    const refused = expectRefusal(await client.post('/api/v1/mfa/totp/begin'), 403, 'permission_denied');
    expect(refused).toMatchObject({ reason: 'sign_in_too_old' });
    const { client: again } = await enter({ nameId: 'ola' });
    expect((await again.post('/api/v1/mfa/totp/begin')).status).toBe(200);
  });

  it('needs a sign-in in which the provider authenticated the person, and can request one', async () => {
    const silent = await enter({ nameId: 'jon', askedBefore: 4 * MINUTE + 30 * SECOND });
    expect((await silent.client.post('/api/v1/mfa/totp/begin')).status).toBe(200);
    fixture.clock.advance(31 * SECOND);
    expectRefusal(await silent.client.post('/api/v1/mfa/totp/begin'), 403, 'permission_denied');
    const plain = await enter({ nameId: 'jon' });
    expect(messageOf(plain.location)).not.toContain('ForceAuthn');
    const forced = await enter({ nameId: 'jon', query: '?force_authn=true' });
    expect(messageOf(forced.location)).toContain('ForceAuthn="true"');
  });

  it('needs it in addition to its two-factor method', async () => {
    const { client } = await enter({ nameId: 'kim' });
    const begun = await client.post<{ secret: string }>('/api/v1/mfa/totp/begin');
    const confirmed = await client.post<{ recovery_codes: string[] }>('/api/v1/mfa/totp/confirm', {
      code: codeOf(fixture, begun.body.secret),
    });
    const [one = '', two = ''] = confirmed.body.recovery_codes;
    expectInvalid(await client.post('/api/v1/mfa/disable'), 'body.mfa_code: missing');
    fixture.clock.advance(6 * MINUTE);
    expectRefusal(await client.post('/api/v1/mfa/disable', { mfa_code: one }), 403, 'permission_denied');
    const again = await enter({ nameId: 'kim' });
    expectRefusal(await again.client.post('/api/v1/mfa/disable', { mfa_code: 'WRONG' }), 403, 'permission_denied');
    expect((await again.client.post('/api/v1/mfa/disable', { mfa_code: two })).status).toBe(204);
  });

  it('cannot step up for a day after the provider was replaced', async () => {
    const known = await enter({ nameId: 'nora' });
    expect((await known.client.post('/api/v1/mfa/totp/begin')).status).toBe(200);
    fixture.clock.advance(MINUTE);
    const own = provider;
    for (const entityId of [undefined, 'https://evil.example.test/metadata']) {
      provider = await makeProvider(entityId);
      await connectAgain(provider);
      const taken = await enter({ nameId: 'nora' });
      const refused = expectRefusal(await taken.client.post('/api/v1/mfa/totp/begin'), 403, 'permission_denied');
      expect(refused).toEqual({ reason: 'provider_replaced', retry_at: expect.stringMatching(/Z$/) });
      const status = await taken.client.get<{ step_up: Json }>('/api/v1/mfa');
      expect(status.body.step_up).toMatchObject({
        single_sign_on: { fresh_until: null, held_until: refused.retry_at },
      });
      // Anyone who comes for the first time has known no other provider.
      const newcomer = await enter({ nameId: `new-${entityId === undefined ? 1 : 2}` });
      expect((await newcomer.client.post('/api/v1/mfa/totp/begin')).status).toBe(200);
    }
    fixture.clock.advance(DAY);
    const later = await enter({ nameId: 'nora' });
    expect((await later.client.post('/api/v1/mfa/totp/begin')).status).toBe(200);
    provider = own;
    if (own !== undefined) await connectAgain(own);
    fixture.clock.advance(DAY);
  });

  /** Replaces the provider, as anyone who has an admin's session can. */
  async function connectAgain(other: Provider): Promise<void> {
    fixture.admin.access_token = (await signIn(fixture)).access_token;
    await connect(fixture, other);
  }

  it('cannot step up with a new session that the provider did not create', async () => {
    const { client } = await enter({ nameId: 'lou' });
    const { body } = await client.get<{ identifier: string; email: string }>('/api/v1/developers/me');
    const token = await signInPerson(fixture, { id: body.identifier, email: body.email });
    expectRefusal(await api(fixture, token).post('/api/v1/mfa/totp/begin'), 403, 'permission_denied');
  });
});

/** Operations that change an account or its sign-ins without a step-up, with the reason. */
const withoutStepUp: Record<string, string[]> = {
  'the link in the email, or the token that comes with its use, is the proof': [
    'signUp',
    'signUpInvited',
    'beginPasskeySignUp',
    'finishPasskeySignUp',
    'verifyEmail',
    'resendVerification',
    'requestPasswordReset',
    'confirmPasswordReset',
    'reviewAdditions',
    'confirmEmailChange',
    'cancelDeletion',
    'completeSetup',
  ],
  'a sign-in: shows what the account has, or is the sign-out': [
    'signIn',
    'requestEmailSignIn',
    'confirmEmailSignIn',
    'signInBySecondFactor',
    'beginSecondFactorByPasskey',
    'finishSecondFactorByPasskey',
    'beginPasskeyLogin',
    'finishPasskeyLogin',
    'refreshTokens',
    'signOut',
    'discoverSso',
    'completeSsoLogin',
    'handleOidcLogout',
  ],
  'continues what the same session began with a step-up': ['confirmTotp', 'finishPasskeyRegistration'],
  'opens a step-up': ['beginPasskeyStepUp', 'requestStepUpCode'],
  'only hides an offer': ['closePasskeyOffer'],
  'only sends an email to the caller': ['sendTestEmail'],
  'only starts a backup to the place that is configured': ['startBackup'],
  'ends sessions, which keeps nobody out': ['revokeSession', 'revokeAllSessions'],
  'joins or founds an organization, or uses what the account may do in one': [
    'acceptChannelInvite',
    'acceptInvite',
    'acceptOwnInvite',
    'declineOwnInvite',
    'createMyInstallLink',
    'createOrganization',
    'createOwnDeviceEnrollment',
    'setMyNotificationPreference',
  ],
  'belongs to an organization: its admins decide who signs its members in; each change is in its trail and emailed to them':
    [
      'putSso',
      'deleteSso',
      'enableSso',
      'testSso',
      'disableSso',
      'requireSso',
      'claimSsoDomain',
      'verifySsoDomain',
      'deleteSsoDomain',
    ],
  'name, picture and personal data are no way in': ['editDeveloper', 'setAvatar', 'deleteAvatar', 'requestDataExport'],
  'a token acts in one organization and changes no account; the owner gets an email, and a reset lists it': [
    'createPersonalAccessToken',
    'rotatePersonalAccessToken',
    'revokePersonalAccessToken',
    'deletePersonalAccessToken',
  ],
  'a feed token only downloads what its owner can install anyway, and signs nobody in': [
    'createFeedToken',
    'revokeFeedToken',
  ],
  'stores nothing': ['renderReleaseNotes'],
};

const families = [
  'Setup',
  'Sign-up',
  'Login',
  'Sessions',
  'MFA',
  'Passkeys',
  'Developers',
  'Single sign-on',
  'Personal access tokens',
];

describe('every operation on an account', () => {
  const rows = operations.filter(
    ({ method, tag, access }) => method !== 'get' && (families.includes(tag) || access.kind === 'developer'),
  );
  const asking = operations.filter((row) => row.requiresStepUp === true);

  it('requires a step-up, or is an exception with a reason', () => {
    expect(families.filter((tag) => !operations.some((row) => row.tag === tag))).toEqual([]);
    const others = rows.filter((row) => row.requiresStepUp !== true).map((row) => row.id);
    expect(others.sort()).toEqual(Object.values(withoutStepUp).flat().sort());
  });

  it('requires one exactly for these operations', () => {
    expect(asking.map((row) => row.id).sort()).toEqual([
      'beginPasskeyRegistration',
      'beginTotp',
      'changeEmail',
      'changePassword',
      'deleteDeveloper',
      'disableMfa',
      'regenerateRecoveryCodes',
      'removePasskey',
      'renamePasskey',
    ]);
  });

  it.each(asking.map((row) => [row.id, row] as const))('%s only runs with the right fields', async (_id, row) => {
    const owner = await addTotp(fixture);
    const answers = new Map<string, number>();
    let runs = 0;
    const handled = { ...owner.account };
    const attempts: Record<string, Json> = {
      nothing: {},
      password: { current_password: handled.password },
      code: { mfa_code: owner.recoveryCodes[0] },
      wrong: { current_password: 'not this', mfa_code: owner.recoveryCodes[1] },
    };
    for (const [name, fields] of Object.entries(attempts)) {
      const mark = auditMark(fixture);
      const answer = await sendTo(row, owner, fields);
      answers.set(name, answer.status);
      runs += auditRows(fixture, { after: mark }).filter(({ event }) => event !== 'login_failed').length;
    }
    expect([...answers.values()].every((status) => status >= 400 && status < 500)).toBe(true);
    expect(runs).toBe(0);
  });

  it('records no change of sign-in methods without it, even if a handler does not check', async () => {
    const owner = await addOwner(fixture);
    const actor = await authenticate(fixture.app, { token: owner.accessToken, isFromCookie: false });
    const ctx = createContext(fixture.app, actor, systemContext(fixture.app).request);
    const facts = { identifier: owner.account.developer_id, organizationId: null };
    const names = Object.entries(events).filter(([, event]) => 'requiresStepUp' in event);
    expect(names.map(([name]) => name)).toEqual([
      'developer.password_changed',
      'account_deletion.requested',
      'mfa.enabled',
      'mfa.disabled',
      'mfa.recovery_codes_regenerated',
      'passkey.registered',
      'passkey.edited',
      'passkey.removed',
    ]);
    for (const [name] of names) {
      expect(() => ctx.transact((tx) => tx.record(name as EventName, facts))).toThrow('without a step-up');
    }
  });

  it('describes the secrets of a step-up as write-only', async () => {
    const { body } = await api(fixture, null).get<{ components: { schemas: Record<string, Schema> } }>(
      '/api/openapi.json',
    );
    const { schemas } = body.components;
    for (const name of ['StepUpRequest', 'PasskeyChange', 'EmailChangeRequest', 'PasswordChangeRequest']) {
      const { properties = {} } = schemas[name] ?? {};
      for (const field of ['current_password', 'mfa_code', 'passkey_assertion']) {
        expect(properties[field], `${name}.${field}`).toMatchObject({ writeOnly: true });
      }
      expect(properties).toHaveProperty('passkey_challenge_id');
    }
  });

  function sendTo(row: Operation, { client, account }: Owner, fields: Json) {
    const path = row.path.replace('{developer_id}', account.developer_id).replace('{passkey_id}', account.developer_id);
    const body = {
      new_email: `new-${fixture.app.ids.next()}@example.com`,
      new_password: 'a staple that is new',
      name: 'x',
      ...fields,
    };
    return client.send(row.method.toUpperCase(), path, { body });
  }
});

interface Schema {
  properties?: Record<string, Json>;
}
