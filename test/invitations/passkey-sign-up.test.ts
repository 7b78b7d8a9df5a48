// Sign-up with the link of an invitation and a passkey instead of a password.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { challenges, passkeyHandles, passkeys } from '../../src/data/tables/tables.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { makeProvider } from '../sso/provider.ts';
import { connect, ssoPath } from '../sso/scenario.ts';
import {
  type CreationOptions,
  type Credential,
  type Deviation,
  makePasskey,
  type RequestOptions,
  usePasskey,
} from '../support/authenticator.ts';
import {
  assertPasskey,
  type Begun,
  beginPasskeyLogin,
  codeOf,
  finishPasskeyLogin,
  originOf,
  type Tokens,
} from '../support/factors.ts';
import {
  type Account,
  type Answer,
  api,
  auditMark,
  auditRows,
  type Client,
  comparable,
  expectInvalid,
  expectRefusal,
  type Json,
} from '../support/harness.ts';
import { countHashes, mailKinds, newestToken } from '../support/mailbox.ts';
import { addTeam, signInPerson } from '../support/people.ts';
import { accountOf, invite, newAddress, scene } from './scenario.ts';

const PASSWORD = 'a long enough password';

let sending: Fixture;
let silent: Fixture;
beforeAll(async () => {
  // Nothing listens there, so that emails stay pending.
  const mail = { transport: 'smtp', from: 'builds@taxiway.example', smtp: { host: 'localhost', port: 1 } } as const;
  [sending, silent] = await Promise.all([startFixture({ config: { mail } }), startFixture()]);
});
afterAll(async () => {
  await Promise.all([sending?.stop(), silent?.stop()]);
});

const pathOf = (step: string, kind = 'organization') => `/api/v1/invites/${kind}/sign-up/passkey/${step}`;

const begin = (fixture: Fixture, invite_token: string, kind?: string) =>
  api(fixture, null).post<Begun<CreationOptions>>(pathOf('begin', kind), {
    invite_token,
    display_name: 'Nia Newcomer',
  });

async function begun(fixture: Fixture, token: string) {
  const answer = await begin(fixture, token);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const finish = (fixture: Fixture, invite_token: string, challenge_id: string, credential: unknown, more: Json = {}) =>
  api(fixture, null).post<Tokens>(pathOf('finish'), {
    invite_token,
    display_name: 'Nia Newcomer',
    challenge_id,
    credential,
    ...more,
  });

/** Signs up with a new passkey. */
async function signedUp(fixture: Fixture, token: string): Promise<{ credential: Credential; client: Client }> {
  const { challenge_id, options } = await begun(fixture, token);
  const { credential, attestation } = makePasskey(originOf(fixture), options);
  const answer = await finish(fixture, token, challenge_id, attestation);
  expect(answer.status, answer.text).toBe(200);
  return { credential, client: api(fixture, answer.body.access_token) };
}

async function signIn(fixture: Fixture, credential: Credential): Promise<Answer<Tokens>> {
  const { challenge_id, options } = await beginPasskeyLogin(fixture);
  return finishPasskeyLogin(fixture, challenge_id, usePasskey(originOf(fixture), credential, options));
}

const signUpByPassword = (fixture: Fixture, invite_token: string) =>
  api(fixture, null).post<Tokens>('/api/v1/invites/organization/sign-up', {
    invite_token,
    display_name: 'Nia Newcomer',
    password: PASSWORD,
  });

const countPasskeys = ({ app }: Fixture) => app.db.select().from(passkeys).all().length;
const lapsed = (answer: Answer<unknown>) =>
  expect(expectRefusal(answer, 400, 'invalid_input')).toEqual({ field: 'credential' });

describe('a sign-up with a passkey', () => {
  it('creates a verified account without a password, accepts the invitation and signs in', async () => {
    const { email, invitation, organizationPath, projectPath } = await scene(sending);
    const after = auditMark(sending);
    const { challenge_id, options } = await begun(sending, invitation.mailed);
    expect(options).toMatchObject({
      rp: { id: new URL(originOf(sending)).hostname },
      user: { name: email, displayName: 'Nia Newcomer' },
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(accountOf(sending, email)).toBeUndefined();
    const { credential, attestation } = makePasskey(originOf(sending), options);
    const answer = await finish(sending, invitation.mailed, challenge_id, attestation, { name: 'Work laptop' });
    expect([answer.status, answer.body]).toMatchObject([200, { token_type: 'Bearer' }]);
    const client = api(sending, answer.body.access_token);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({
      email,
      email_verified: true,
      vouched: false,
      display_name: 'Nia Newcomer',
      is_operator: false,
    });
    expect((await client.get(organizationPath)).body).toMatchObject({ role: 'member' });
    expect((await client.get(projectPath)).body).toMatchObject({ role: 'maintainer' });
    expect((await client.get('/api/v1/sessions')).body).toMatchObject({ items: [{ sign_in_method: 'passkey' }] });
    const listed = await client.get<{ items: { identifier: string }[] }>('/api/v1/passkeys');
    expect(listed.body.items).toMatchObject([{ name: 'Work laptop', last_used_at: null, suspended: false }]);
    const passkey_id = listed.body.items[0]?.identifier;
    const account = accountOf(sending, email);
    expect(account).toMatchObject({ passwordHash: null, passkeyCount: 1 });
    const id = account?.id;
    const rows = auditRows(sending, { after });
    expect(rows.map((row) => [row.event, row.type, row.identifier, row.actorId])).toEqual([
      ['created', 'developer', id, null],
      ['passkey_registered', 'developer', id, null],
      ['accepted', 'org_invite', invitation.identifier, id],
      ['created', 'org_membership', id, id],
      ['created', 'project_membership', id, id],
      ['passkey_login_succeeded', 'developer', id, id],
    ]);
    expect(rows[1]?.details).toEqual({ passkey_id, name: 'Work laptop' });
    expect(rows[5]?.details).toEqual({ passkey_id, session_id: answer.body.session_id });
    expect(mailKinds(sending, email)).toEqual(['organization_invitation', 'passkey_registered']);
    // The passkey signs in alone, and no password does.
    expect((await signIn(sending, credential)).status).toBe(200);
    const login = { email, password: PASSWORD };
    expectRefusal(await api(sending, null).post('/api/v1/login', login), 401, 'unauthorized');
    // Used up for sign-ups of both kinds.
    expectRefusal(await begin(sending, invitation.mailed), 404, 'not_found');
    expectRefusal(await signUpByPassword(sending, invitation.mailed), 404, 'not_found');
  });

  it('works for invitations to a project, and only with their kind', async () => {
    const { admin, projectPath } = await addTeam(sending);
    const email = newAddress(sending);
    const { mailed } = await invite(sending, admin, projectPath, { email, role: 'read' });
    expectRefusal(await begin(sending, mailed), 404, 'not_found');
    const { body } = await begin(sending, mailed, 'project');
    const { attestation } = makePasskey(originOf(sending), body.options);
    const fields = {
      invite_token: mailed,
      display_name: 'Pia',
      challenge_id: body.challenge_id,
      credential: attestation,
    };
    expectRefusal(await api(sending, null).post(pathOf('finish'), fields), 404, 'not_found');
    const answer = await api(sending, null).post<Tokens>(pathOf('finish', 'project'), fields);
    expect(answer.status, answer.text).toBe(200);
    expect((await api(sending, answer.body.access_token).get(projectPath)).body).toMatchObject({ role: 'read' });
  });

  it('accepts the other invitations of the address', async () => {
    const { email, invitation } = await scene(sending);
    const second = await addTeam(sending);
    await invite(sending, second.admin, second.projectPath, { email, role: 'read' });
    const { client } = await signedUp(sending, invitation.mailed);
    expect((await client.get(second.projectPath)).body).toMatchObject({ role: 'read' });
  });

  it('sets cookies for browsers, and only for its own pages', async () => {
    const { invitation } = await scene(sending);
    const { challenge_id, options } = await begun(sending, invitation.mailed);
    const { attestation } = makePasskey(originOf(sending), options);
    const body = {
      invite_token: invitation.mailed,
      display_name: 'Nia',
      challenge_id,
      credential: attestation,
      cookies: true,
    };
    const send = (origin: string) => api(sending, null).send('POST', pathOf('finish'), { body, headers: { origin } });
    expectRefusal(await send('https://elsewhere.example'), 403, 'permission_denied');
    const answer = await send(originOf(sending));
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ access_token: null })]);
    expect(answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual(['svc_access', 'svc_refresh']);
  });

  it('ends the password and the sessions of an unverified account, which another person may have created', async () => {
    const { email, invitation } = await scene(sending);
    const early = { email, password: 'an early bird password', display_name: 'Early' };
    expect((await api(sending, null).post('/api/v1/developers', early)).status).toBe(202);
    const id = accountOf(sending, email)?.id;
    const { body } = await api(sending, null).post<Tokens>('/api/v1/login', early);
    const { client, credential } = await signedUp(sending, invitation.mailed);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({
      identifier: id,
      email_verified: true,
      display_name: 'Nia Newcomer',
    });
    expectRefusal(await api(sending, body.access_token).get('/api/v1/developers/me'), 401, 'unauthorized');
    expectRefusal(await api(sending, null).post('/api/v1/login', early), 401, 'unauthorized');
    expect((await signIn(sending, credential)).status).toBe(200);
    expect(mailKinds(sending, email)).toEqual(['organization_invitation', 'verify_email', 'passkey_registered']);
  });

  it('is the same for the device after an attempt that failed', async () => {
    const { invitation } = await scene(sending);
    const first = await begun(sending, invitation.mailed);
    const second = await begun(sending, invitation.mailed);
    expect(second.options.user.id).toBe(first.options.user.id);
    expect(second.options.challenge).not.toBe(first.options.challenge);
    expect(invitation.mailed).not.toContain(first.options.user.id);
    const other = await scene(sending);
    expect((await begun(sending, other.invitation.mailed)).options.user.id).not.toBe(first.options.user.id);
  });

  it('names invalid fields, and needs the link', async () => {
    const { invitation } = await scene(sending);
    const client = api(sending, null);
    expectInvalid(await client.post(pathOf('begin'), {}), 'body.invite_token: missing', 'body.display_name: missing');
    expectInvalid(
      await client.post(pathOf('finish'), { challenge_id: 'x', credential: 'x', display_name: ' ' }),
      'body.challenge_id: uuid_parsing',
      'body.credential: dict_type',
      'body.invite_token: missing',
      'body.display_name: string_too_short',
    );
    const { challenge_id, options } = await begun(sending, invitation.mailed);
    const { attestation } = makePasskey(originOf(sending), options);
    const unnamed = { name: 'two\nlines' };
    expectInvalid(
      await finish(sending, invitation.mailed, challenge_id, attestation, unnamed),
      'body.name: string_pattern_mismatch',
    );
    expectRefusal(await finish(sending, 'svc_inv_unknown', challenge_id, attestation), 404, 'not_found');
    // None of these used up the challenge.
    expect((await finish(sending, invitation.mailed, challenge_id, attestation)).status).toBe(200);
  });
});

describe('a passkey sign-up that is invalid', () => {
  const falsities: [string, Deviation][] = [
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['with another challenge', { challenge: 'A'.repeat(43) }],
    ['of another ceremony', { type: 'webauthn.get' }],
    ['that verified nobody', { isUnverified: true }],
    ['with nobody present', { isAbsent: true }],
    ['made in a frame of another page', { crossOrigin: true }],
    ['under another id', { id: 'AAAA' }],
    ['with certificates, which nobody asked for', { hasCertificates: true }],
  ];
  it.each(falsities)('%s creates nothing, and consumes its challenge', async (_what, deviation) => {
    const { email, invitation } = await scene(sending);
    const before = countPasskeys(sending);
    const { challenge_id, options } = await begun(sending, invitation.mailed);
    const wrong = makePasskey(originOf(sending), options, deviation);
    lapsed(await finish(sending, invitation.mailed, challenge_id, wrong.attestation));
    const right = makePasskey(originOf(sending), options);
    lapsed(await finish(sending, invitation.mailed, challenge_id, right.attestation));
    expect([accountOf(sending, email), countPasskeys(sending)]).toEqual([undefined, before]);
    // The invitation still works, with a password too.
    expect((await signUpByPassword(sending, invitation.mailed)).status).toBe(200);
  });

  it('after five minutes creates nothing', async () => {
    const { email, invitation } = await scene(sending);
    const { challenge_id, options } = await begun(sending, invitation.mailed);
    const { attestation } = makePasskey(originOf(sending), options);
    sending.clock.advance(5 * MINUTE + SECOND);
    lapsed(await finish(sending, invitation.mailed, challenge_id, attestation));
    expect(accountOf(sending, email)).toBeUndefined();
    await signedUp(sending, invitation.mailed);
  });

  it('with the challenge of another invitation leaves that one usable', async () => {
    const own = await scene(sending);
    const other = await scene(sending);
    const { challenge_id, options } = await begun(sending, other.invitation.mailed);
    const { attestation } = makePasskey(originOf(sending), options);
    lapsed(await finish(sending, own.invitation.mailed, challenge_id, attestation));
    expect(accountOf(sending, own.email)).toBeUndefined();
    expect((await finish(sending, other.invitation.mailed, challenge_id, attestation)).status).toBe(200);
  });

  it('with the challenge of another ceremony is rejected, as is the reverse', async () => {
    const { invitation } = await scene(sending);
    const login = await beginPasskeyLogin(sending);
    const { challenge_id, options } = await begun(sending, invitation.mailed);
    const { credential, attestation } = makePasskey(originOf(sending), options);
    lapsed(await finish(sending, invitation.mailed, login.challenge_id, attestation));
    const request: RequestOptions = { challenge: options.challenge, rpId: options.rp.id };
    const assertion = usePasskey(originOf(sending), credential, request);
    expectRefusal(await finishPasskeyLogin(sending, challenge_id, assertion), 401, 'unauthorized');
    expect((await finish(sending, invitation.mailed, challenge_id, attestation)).status).toBe(200);
  });

  it('with a passkey that is registered already creates no account', async () => {
    const first = await scene(sending);
    const { credential } = await signedUp(sending, first.invitation.mailed);
    const { email, invitation } = await scene(sending);
    const after = auditMark(sending);
    const { challenge_id, options } = await begun(sending, invitation.mailed);
    const twin = makePasskey(originOf(sending), options, {}, credential);
    expectRefusal(await finish(sending, invitation.mailed, challenge_id, twin.attestation), 409, 'already_exists');
    expect([accountOf(sending, email), auditRows(sending, { after })]).toEqual([undefined, []]);
    expect((await signIn(sending, credential)).status).toBe(200);
  });
});

describe('an invitation', () => {
  it('creates one account for ten simultaneous sign-ups with passkeys and ten with a password', async () => {
    const { email, invitation } = await scene(sending);
    const after = auditMark(sending);
    const before = countPasskeys(sending);
    const started = await Promise.all(Array.from({ length: 10 }, () => begun(sending, invitation.mailed)));
    const answers = await Promise.all(
      started.flatMap(({ challenge_id, options }) => [
        finish(sending, invitation.mailed, challenge_id, makePasskey(originOf(sending), options).attestation),
        signUpByPassword(sending, invitation.mailed),
      ]),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const loser of answers.filter(({ status }) => status !== 200)) expectRefusal(loser, 404, 'not_found');
    const rows = auditRows(sending, { after });
    expect(rows.filter((row) => row.event === 'accepted')).toHaveLength(1);
    expect(rows.filter((row) => row.event === 'created' && row.type === 'developer')).toHaveLength(1);
    const account = accountOf(sending, email);
    expect(countPasskeys(sending) - before).toBe(account?.passkeyCount);
    expect(account?.passkeyCount === 1).toBe(account?.passwordHash === null);
  });

  it('lets one of twenty simultaneous answers to a challenge succeed', async () => {
    const { invitation } = await scene(sending);
    const { challenge_id, options } = await begun(sending, invitation.mailed);
    const { attestation } = makePasskey(originOf(sending), options);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => finish(sending, invitation.mailed, challenge_id, attestation)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.map(({ status }) => status).filter((status) => ![200, 400, 404].includes(status))).toEqual([]);
    expectRefusal(await finish(sending, invitation.mailed, challenge_id, attestation), 404, 'not_found');
  });

  it('stops working between the two requests when it ends, with the response of an unknown link', async () => {
    const unknown = await finish(sending, 'svc_inv_unknown', sending.app.ids.next(), attestationOf());
    const refusals = [unknown];
    const revoked = await scene(sending);
    const first = await prepared(revoked.invitation.mailed);
    await revoked.admin.client.delete(`${revoked.organizationPath}/invites/${revoked.invitation.identifier}`);
    refusals.push(await first());
    const demoted = await addTeam(sending);
    const email = newAddress(sending);
    const { mailed } = await invite(sending, demoted.manager, demoted.organizationPath, { email, role: 'member' });
    const second = await prepared(mailed);
    await demoted.admin.client.delete(`${demoted.organizationPath}/members/${demoted.manager.id}`);
    refusals.push(await second());
    const resent = await scene(sending);
    sending.clock.advance(6 * MINUTE);
    const third = await prepared(resent.invitation.mailed);
    const boss = api(sending, await signInPerson(sending, resent.admin));
    const path = `${resent.organizationPath}/invites/${resent.invitation.identifier}/resend`;
    expect((await boss.post(path)).status).toBe(200);
    refusals.push(await third());
    expect(new Set(refusals.map((answer) => JSON.stringify(comparable(answer)))).size).toBe(1);
    expectRefusal(unknown, 404, 'not_found');
    expect([accountOf(sending, revoked.email), accountOf(sending, email)]).toEqual([undefined, undefined]);
  });

  const attestationOf = () =>
    makePasskey('http://localhost', {
      challenge: 'A'.repeat(43),
      rp: { id: 'localhost', name: 'Taxiway' },
      user: { id: 'AAAA', name: 'nia', displayName: 'Nia' },
      excludeCredentials: [],
    }).attestation;

  /** Begins, and returns what finishes. */
  async function prepared(token: string) {
    const { challenge_id, options } = await begun(sending, token);
    const { attestation } = makePasskey(originOf(sending), options);
    return () => finish(sending, token, challenge_id, attestation);
  }

  it('creates nothing for an address that got an account between the two requests', async () => {
    const { email, invitation } = await scene(sending);
    const send = await prepared(invitation.mailed);
    const other = await addTeam(sending);
    const second = await invite(sending, other.admin, other.projectPath, { email, role: 'read' });
    const body = { invite_token: second.mailed, display_name: 'Nia', password: PASSWORD };
    // It accepts the first invitation as well.
    expect((await api(sending, null).post('/api/v1/invites/project/sign-up', body)).status).toBe(200);
    expectRefusal(await send(), 404, 'not_found');
    const known = await invite(sending, other.admin, other.organizationPath, {
      email: other.outsider.email,
      role: 'member',
    });
    expectRefusal(await begin(sending, known.mailed), 409, 'already_exists');
    expectRefusal(await finish(sending, known.mailed, sending.app.ids.next(), attestationOf()), 409, 'already_exists');
  });

  it('leads to the identity provider if the organization requires it, also between the two requests', async () => {
    await using own = await startFixture({
      config: { mail: { transport: 'smtp', from: 'a@b.example', smtp: { host: 'localhost', port: 1 } } },
    });
    await connect(own, await makeProvider(), { domains: ['example.test'] });
    const asked = { email: 'new@example.test', role: 'member' };
    const path = `/api/v1/organizations/${own.organization_id}`;
    const { mailed } = await invite(own, { client: api(own) }, path, asked);
    const { challenge_id, options } = await begun(own, mailed);
    const { attestation } = makePasskey(originOf(own), options);
    expect((await api(own).put(`${ssoPath(own.organization_id)}/require`, { required: true })).status).toBe(200);
    const details = {
      reason: 'sso_required',
      login_url: `${own.config.server.base_url}${ssoPath(own.organization_id)}/login`,
    };
    expect(expectRefusal(await begin(own, mailed), 403, 'permission_denied')).toEqual(details);
    const late = await finish(own, mailed, challenge_id, attestation);
    expect(expectRefusal(late, 403, 'permission_denied')).toEqual(details);
    expect(accountOf(own, asked.email)).toBeUndefined();
  });

  it('creates no account while sign-up is closed', async () => {
    await using own = await startFixture({ config: { accounts: { signup: 'closed' } } });
    const path = `/api/v1/organizations/${own.organization_id}`;
    const asked = { email: 'new@example.test', role: 'member' };
    const { mailed, copied } = await invite(own, { client: api(own) }, path, asked);
    for (const token of [mailed, copied]) {
      expectRefusal(await begin(own, token), 400, 'operation_not_allowed');
      expectRefusal(await finish(own, token, own.app.ids.next(), attestationOf()), 400, 'operation_not_allowed');
    }
  });

  it('stores a challenge that names neither the person nor the link, and costs no hash', async () => {
    const { email, invitation } = await scene(sending);
    const hashes = await countHashes(sending, async () => {
      const { challenge_id } = await begun(sending, invitation.mailed);
      const row = sending.app.db.select().from(challenges).where(eq(challenges.id, challenge_id)).get();
      expect(row).toMatchObject({ kind: 'passkey_sign_up', developerId: null });
      for (const secret of [email, invitation.mailed, 'Nia']) expect(row?.data).not.toContain(secret);
      await signedUp(sending, invitation.mailed);
    });
    expect(hashes).toBe(0);
  });
});

describe('the link that the inviter passes on', () => {
  it('creates no account with a passkey on a server that sends email', async () => {
    const { email, invitation } = await scene(sending);
    const refused = expectRefusal(await begin(sending, invitation.copied), 400, 'operation_not_allowed');
    expect(refused).toEqual({ reason: 'mailed_link_required' });
    // Not even with the challenge of the emailed link.
    const { challenge_id, options } = await begun(sending, invitation.mailed);
    const { attestation } = makePasskey(originOf(sending), options);
    const late = await finish(sending, invitation.copied, challenge_id, attestation);
    expectRefusal(late, 400, 'operation_not_allowed');
    expect(accountOf(sending, email)).toBeUndefined();
    expect((await finish(sending, invitation.mailed, challenge_id, attestation)).status).toBe(200);
  });

  it('creates a vouched account with a passkey on a server without email, and cannot finish for the other link', async () => {
    const { email, invitation, projectPath } = await scene(silent);
    const { challenge_id, options } = await begun(silent, invitation.copied);
    const { attestation } = makePasskey(originOf(silent), options);
    lapsed(await finish(silent, invitation.mailed, challenge_id, attestation));
    const { credential, client } = await signedUp(silent, invitation.copied);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({ email_verified: false, vouched: true });
    expect((await client.get(projectPath)).body).toMatchObject({ role: 'maintainer' });
    expect((await signIn(silent, credential)).status).toBe(200);
    expect(accountOf(silent, email)?.passwordHash).toBeNull();
  });

  it('leaves the account to the owner of the address, whose new passkey works and the earlier one does not', async () => {
    const { email, invitation, projectPath, organizationPath } = await scene(silent);
    const first = await signedUp(silent, invitation.copied);
    const id = accountOf(silent, email)?.id ?? '';
    const handle = () =>
      silent.app.db.select().from(passkeyHandles).where(eq(passkeyHandles.developerId, id)).get()?.handle;
    const earlier = handle();
    const team = await addTeam(silent);
    const { mailed } = await invite(silent, team.admin, team.organizationPath, { email, role: 'member' });
    const after = auditMark(silent);
    const owner = await signedUp(silent, mailed);
    expect(accountOf(silent, email)).toMatchObject({ id, passwordHash: null, passkeyCount: 1, vouchedAt: null });
    expect(handle()).not.toBe(earlier);
    expect(auditRows(silent, { after }).map(({ event }) => event)).toEqual([
      'all_sessions_revoked',
      'mfa_disabled',
      'email_verified',
      'passkey_registered',
      'accepted',
      'created',
      'passkey_login_succeeded',
    ]);
    expect((await owner.client.get('/api/v1/developers/me')).body).toMatchObject({
      email_verified: true,
      vouched: false,
    });
    expect((await owner.client.get(projectPath)).status).toBe(200);
    expectRefusal(await first.client.get(organizationPath), 401, 'unauthorized');
    expectRefusal(await signIn(silent, first.credential), 401, 'unauthorized');
    expect((await signIn(silent, owner.credential)).status).toBe(200);
  });

  it('leaves it to the owner also by a password reset, and removes the passkey', async () => {
    const { email, invitation } = await scene(silent);
    const { client, credential } = await signedUp(silent, invitation.copied);
    expect((await api(silent, null).post('/api/v1/login/password_reset', { email })).status).toBe(202);
    await silent.drain();
    const token = newestToken(silent, email, /Reset your password/);
    const body = { token, new_password: 'the password of the owner' };
    const answer = await api(silent, null).post('/api/v1/login/password_reset/confirm', body);
    expect(answer.status, answer.text).toBe(200);
    expectRefusal(await client.get('/api/v1/developers/me'), 401, 'unauthorized');
    expectRefusal(await signIn(silent, credential), 401, 'unauthorized');
    expect(accountOf(silent, email)).toMatchObject({ passkeyCount: 0, vouchedAt: null });
  });

  it('removes the passkey when an address that was contested is verified', async () => {
    const { email, invitation } = await scene(silent);
    const { credential } = await signedUp(silent, invitation.copied);
    const second = { email, password: 'the password of somebody', display_name: 'Somebody' };
    expect((await api(silent, null).post('/api/v1/developers', second)).status).toBe(202);
    const token = newestToken(silent, email, /Confirm your email/);
    expect((await api(silent, null).post('/api/v1/developers/verify_email', { token })).status).toBe(200);
    expectRefusal(await signIn(silent, credential), 401, 'unauthorized');
    expect(accountOf(silent, email)).toMatchObject({ passkeyCount: 0, passwordHash: null });
  });
});

/** The fields of a step-up with the passkey. */
async function stepUp(
  fixture: Fixture,
  { client, credential }: { client: Client; credential: Credential },
  account: { id: string } | undefined,
): Promise<Json> {
  return assertPasskey(fixture, client, { developer_id: account?.id ?? '' } as Account, credential);
}

describe('an account that signed up with a passkey', () => {
  it('fulfills the two-factor policy of an organization that accepts passkeys, and no other', async () => {
    const { admin, organizationPath, invitation } = await scene(sending);
    const policy = `${organizationPath}/mfa-policy`;
    const { client } = await signedUp(sending, invitation.mailed);
    expect((await admin.client.put(policy, { required: true, grace_period_days: 0 })).status).toBe(200);
    expect((await client.get(organizationPath)).status).toBe(200);
    const strict = await scene(sending);
    const rules = { required: true, grace_period_days: 0, passkey_satisfies: false };
    expect((await strict.admin.client.put(`${strict.organizationPath}/mfa-policy`, rules)).status).toBe(200);
    const late = await signedUp(sending, strict.invitation.mailed);
    expectRefusal(await late.client.get(strict.organizationPath), 403, 'mfa_enrollment_required');
    // The passkey is the step-up for adding the method that the organization accepts.
    const proof = await stepUp(sending, late, accountOf(sending, strict.email));
    const totp = await late.client.post<{ secret: string }>('/api/v1/mfa/totp/begin', proof);
    const code = codeOf(sending, totp.body.secret);
    expect((await late.client.post('/api/v1/mfa/totp/confirm', { code })).status).toBe(200);
    expect((await late.client.get(strict.organizationPath)).status).toBe(200);
  });

  it('gets a password by a reset, whose review can remove a passkey that is lost', async () => {
    const { email, invitation } = await scene(sending);
    const { client, credential } = await signedUp(sending, invitation.mailed);
    const id = accountOf(sending, email)?.id;
    const change = `/api/v1/developers/${id}/change_password`;
    const weak = { current_password: 'x', new_password: 'another long password' };
    expectRefusal(await client.post(change, weak), 403, 'permission_denied');
    expect((await api(sending, null).post('/api/v1/login/password_reset', { email })).status).toBe(202);
    await sending.drain();
    const token = newestToken(sending, email, /Reset your password/);
    const answer = await api(sending, null).post<{ review_token: string; added: Json[] }>(
      '/api/v1/login/password_reset/confirm',
      { token, new_password: PASSWORD },
    );
    expect(answer.body).toMatchObject({ status: 'password_changed', added: [{ kind: 'passkey' }] });
    expectRefusal(await signIn(sending, credential), 401, 'unauthorized');
    const login = await api(sending, null).post('/api/v1/login', { email, password: PASSWORD });
    expect(login.body).toMatchObject({ mfa_required: true, methods: ['passkey'] });
    const review = { review_token: answer.body.review_token, remove_all: true };
    expect((await api(sending, null).post('/api/v1/login/password_reset/review', review)).status).toBe(200);
    const again = await api(sending, null).post('/api/v1/login', { email, password: PASSWORD });
    expect(again.body).toMatchObject({ token_type: 'Bearer' });
  });

  it.each([
    ['keeps its only way to sign in on a server that sends no email', () => silent, 400],
    ['may remove its only passkey if emails can sign it in', () => sending, 204],
  ] as const)('%s', async (_what, fixtureOf, status) => {
    const fixture = fixtureOf();
    const { email, invitation } = await scene(fixture);
    const own = await signedUp(fixture, invitation.mailed);
    const { body } = await own.client.get<{ items: { identifier: string }[] }>('/api/v1/passkeys');
    const path = `/api/v1/passkeys/${body.items[0]?.identifier}`;
    const proof = await stepUp(fixture, own, accountOf(fixture, email));
    const answer = await own.client.send('DELETE', path, { body: proof });
    if (status === 400) expectRefusal(answer, 400, 'operation_not_allowed');
    else expect(answer.status, answer.text).toBe(status);
    expect((await signIn(fixture, own.credential)).status).toBe(status === 400 ? 200 : 401);
    const { step_up } = (await own.client.get('/api/v1/mfa')).body;
    expect(step_up).toMatchObject({ current_password: false, passkey: status === 400, email_code: status === 204 });
  });

  it('may remove one of two passkeys there', async () => {
    const { email, invitation } = await scene(silent);
    const own = await signedUp(silent, invitation.mailed);
    const account = accountOf(silent, email);
    const begun = await own.client.post<Begun<CreationOptions>>(
      '/api/v1/passkeys/register/begin',
      await stepUp(silent, own, account),
    );
    const second = makePasskey(originOf(silent), begun.body.options);
    expect(second.credential.userHandle).toBe(own.credential.userHandle);
    const { challenge_id } = begun.body;
    const added = { challenge_id, credential: second.attestation };
    expect((await own.client.post('/api/v1/passkeys/register/finish', added)).status).toBe(201);
    const { body } = await own.client.get<{ items: { identifier: string }[] }>('/api/v1/passkeys');
    const path = `/api/v1/passkeys/${body.items[1]?.identifier}`;
    const proof = await stepUp(silent, own, account);
    expect((await own.client.send('DELETE', path, { body: proof })).status).toBe(204);
    expectRefusal(await signIn(silent, own.credential), 401, 'unauthorized');
    expect((await signIn(silent, second.credential)).status).toBe(200);
  });
});
