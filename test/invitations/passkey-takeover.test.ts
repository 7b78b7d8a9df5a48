// Sign-ups with a passkey together with accounts that are taken over, locks of organizations and required single sign-on.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizations, passkeys } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { makeProvider } from '../sso/provider.ts';
import { connect, ssoPath } from '../sso/scenario.ts';
import { type CreationOptions, type Credential, makePasskey, usePasskey } from '../support/authenticator.ts';
import { type Begun, beginPasskeyLogin, finishPasskeyLogin, originOf, type Tokens } from '../support/factors.ts';
import { api, auditMark, auditRows, type Client, expectRefusal } from '../support/harness.ts';
import { addTeam } from '../support/people.ts';
import { accountOf, invite, scene } from './scenario.ts';

const PASSWORD = 'a long enough password';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const pathOf = (step: string) => `/api/v1/invites/organization/sign-up/passkey/${step}`;
const begin = (token: string, on = fixture) =>
  api(on, null).post<Begun<CreationOptions>>(pathOf('begin'), { invite_token: token, display_name: 'Nia Newcomer' });
const signUpByPassword = (token: string, on = fixture) =>
  api(on, null).post<Tokens>('/api/v1/invites/organization/sign-up', {
    invite_token: token,
    display_name: 'Nia Newcomer',
    password: PASSWORD,
  });

/** Begins a sign-up, and returns the new passkey with what finishes it. */
async function prepared(token: string, on = fixture) {
  const { body, status, text } = await begin(token, on);
  expect(status, text).toBe(200);
  const { credential, attestation } = makePasskey(originOf(on), body.options);
  const send = () =>
    api(on, null).post<Tokens>(pathOf('finish'), {
      invite_token: token,
      display_name: 'Nia Newcomer',
      challenge_id: body.challenge_id,
      credential: attestation,
    });
  return { credential, send };
}

async function signedUp(token: string, on = fixture): Promise<{ credential: Credential; client: Client }> {
  const { credential, send } = await prepared(token, on);
  const answer = await send();
  expect(answer.status, answer.text).toBe(200);
  return { credential, client: api(on, answer.body.access_token) };
}

async function signIn(credential: Credential, on = fixture) {
  const { challenge_id, options } = await beginPasskeyLogin(on);
  return finishPasskeyLogin(on, challenge_id, usePasskey(originOf(on), credential, options));
}

const setLock = (id: string, lockReason: 'grace' | null) =>
  fixture.app.db.update(organizations).set({ lockReason }).where(eq(organizations.id, id)).run();

const passkeysOf = (developerId: string) =>
  fixture.app.db.select().from(passkeys).where(eq(passkeys.developerId, developerId)).all();

describe('an organization that is locked between the two requests', () => {
  it('gets no member, and the passkey works once it is unlocked', async () => {
    const { email, invitation, organizationId } = await scene(fixture);
    const { credential, send } = await prepared(invitation.mailed);
    const after = auditMark(fixture);
    setLock(organizationId, 'grace');
    expectRefusal(await send(), 402, 'trial_ended');
    expectRefusal(await begin(invitation.mailed), 402, 'trial_ended');
    expect([accountOf(fixture, email), auditRows(fixture, { after })]).toEqual([undefined, []]);
    setLock(organizationId, null);
    // The challenge wasn't used up.
    expect((await send()).status).toBe(200);
    expect((await signIn(credential)).status).toBe(200);
  });

  it('leaves a vouched account with the first holder', async () => {
    const { email, invitation, organizationPath } = await scene(fixture);
    const first = await signedUp(invitation.copied);
    const other = await addTeam(fixture);
    const { mailed } = await invite(fixture, other.admin, other.organizationPath, { email, role: 'member' });
    const { credential, send } = await prepared(mailed);
    const after = auditMark(fixture);
    setLock(other.organizationId, 'grace');
    expectRefusal(await send(), 402, 'trial_ended');
    expect(auditRows(fixture, { after })).toEqual([]);
    expect(accountOf(fixture, email)).toMatchObject({ emailVerifiedAt: null, passkeyCount: 1 });
    expect((await first.client.get(organizationPath)).status).toBe(200);
    expectRefusal(await signIn(credential), 401, 'unauthorized');
    setLock(other.organizationId, null);
    expect((await send()).status).toBe(200);
    expectRefusal(await first.client.get(organizationPath), 401, 'unauthorized');
  });
});

describe('a vouched account that has only a passkey', () => {
  it('is taken over with a password, and what it gave to others ends', async () => {
    const { email, invitation, organizationId, projectId, projectPath } = await scene(fixture);
    const first = await signedUp(invitation.copied);
    const id = accountOf(fixture, email)?.id ?? '';
    const place = { organization_id: organizationId, project_id: projectId };
    const created = await first.client.post<{ token: string }>(
      '/api/v1/project-access-tokens',
      { name: 'pipeline', role: 'read' },
      place,
    );
    expect(created.status, created.text).toBe(201);
    const pipeline = api(fixture, created.body.token);
    expect((await pipeline.get(projectPath)).status).toBe(200);
    const other = await addTeam(fixture);
    const { mailed } = await invite(fixture, other.admin, other.organizationPath, { email, role: 'member' });
    const answer = await signUpByPassword(mailed);
    expect(answer.status, answer.text).toBe(200);
    expect(accountOf(fixture, email)).toMatchObject({ id, passkeyCount: 0, vouchedAt: null });
    expect(passkeysOf(id)).toEqual([]);
    expectRefusal(await signIn(first.credential), 401, 'unauthorized');
    expectRefusal(await first.client.get(projectPath), 401, 'unauthorized');
    expectRefusal(await pipeline.get(projectPath), 401, 'unauthorized');
    const login = await api(fixture, null).post('/api/v1/login', { email, password: PASSWORD });
    expect(login.body).toMatchObject({ token_type: 'Bearer' });
  });

  it('ends a sign-in that the first holder began', async () => {
    const { email, invitation } = await scene(fixture);
    const first = await signedUp(invitation.copied);
    const pending = await beginPasskeyLogin(fixture);
    const assertion = usePasskey(originOf(fixture), first.credential, pending.options);
    const other = await addTeam(fixture);
    const { mailed } = await invite(fixture, other.admin, other.organizationPath, { email, role: 'member' });
    const owner = await signedUp(mailed);
    expectRefusal(await finishPasskeyLogin(fixture, pending.challenge_id, assertion), 401, 'unauthorized');
    expect((await signIn(owner.credential)).status).toBe(200);
    expect(passkeysOf(accountOf(fixture, email)?.id ?? '')).toHaveLength(1);
  });

  it('goes to one of ten simultaneous sign-ups of the owner, with passkeys and passwords', async () => {
    const { email, invitation } = await scene(fixture);
    const first = await signedUp(invitation.copied);
    const id = accountOf(fixture, email)?.id ?? '';
    const links: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { admin, organizationPath } = await addTeam(fixture);
      links.push((await invite(fixture, admin, organizationPath, { email, role: 'member' })).mailed);
    }
    const begun = await Promise.all(links.map((link) => prepared(link)));
    const after = auditMark(fixture);
    const answers = await Promise.all(
      links.flatMap((link, index) => [begun[index]?.send(), signUpByPassword(link), signIn(first.credential)]),
    );
    const signUps = answers.filter((_, index) => index % 3 !== 2);
    const winners = signUps.flatMap((answer, index) => (answer?.status === 200 ? [index] : []));
    expect(winners).toHaveLength(1);
    for (const [index, answer] of signUps.entries()) if (index !== winners[0]) expect(answer?.status).toBe(404);
    const account = accountOf(fixture, email);
    expect(account).toMatchObject({ id, vouchedAt: null });
    const isByPasskey = winners[0] !== undefined && winners[0] % 2 === 0;
    expect([account?.passkeyCount, account?.passwordHash === null]).toEqual(isByPasskey ? [1, true] : [0, false]);
    const events = auditRows(fixture, { after, identifier: id }).map(({ event }) => event);
    expect(events.filter((event) => event === 'email_verified')).toHaveLength(1);
    expectRefusal(await signIn(first.credential), 401, 'unauthorized');
    // No session of the first holder is left, whenever it began.
    for (const [index, answer] of answers.entries()) {
      if (index % 3 !== 2 || answer?.status !== 200) continue;
      const session = api(fixture, (answer.body as Tokens).access_token);
      expectRefusal(await session.get('/api/v1/developers/me'), 401, 'unauthorized');
    }
  });
});

describe('a vouched member of an organization that requires single sign-on', () => {
  /** A server without email, on which the organization requires its provider after a link that was passed on created an account. */
  async function required() {
    const own = await startFixture();
    const organizationPath = `/api/v1/organizations/${own.organization_id}`;
    const email = 'nia@example.test';
    const { copied } = await invite(own, { client: api(own) }, organizationPath, { email, role: 'member' });
    const first = await signedUp(copied, own);
    const other = await addTeam(own);
    const { mailed } = await invite(own, other.admin, other.organizationPath, { email, role: 'member' });
    await connect(own, await makeProvider(), { domains: ['example.test'] });
    const require = async () => {
      const answer = await api(own).put(`${ssoPath(own.organization_id)}/require`, { required: true });
      expect(answer.status, answer.text).toBe(200);
    };
    const login_url = `${own.config.server.base_url}${ssoPath(own.organization_id)}/login`;
    return { own, email, first, mailed, require, login_url, organizationPath };
  }

  it('cannot be taken over without the provider by the invitation of another organization', async () => {
    const { own, email, first, mailed, require, login_url, organizationPath } = await required();
    await using _ = own;
    const { send } = await prepared(mailed, own);
    await require();
    const after = auditMark(own);
    const details = { reason: 'sso_required', login_url };
    expect(expectRefusal(await send(), 403, 'permission_denied')).toEqual(details);
    expect(expectRefusal(await begin(mailed, own), 403, 'permission_denied')).toEqual(details);
    expect(expectRefusal(await signUpByPassword(mailed, own), 403, 'permission_denied')).toEqual(details);
    expect(expectRefusal(await signIn(first.credential, own), 403, 'permission_denied')).toEqual(details);
    expect(accountOf(own, email)).toMatchObject({ emailVerifiedAt: null, passkeyCount: 1 });
    expect(auditRows(own, { after }).filter(({ type }) => type !== 'developer')).toEqual([]);
    const shown = await api(own, null).get(`/api/v1/invites/organization/${mailed}/preview`);
    expect(shown.body).toMatchObject({ sign_up: { account: 'new', also: [], sso_login_url: login_url } });
    // Sessions that began before the requirement aren't affected.
    expect((await first.client.get(organizationPath)).status).toBe(200);
  });

  it('is taken over while the provider is only offered', async () => {
    const { own, email, mailed, organizationPath } = await required();
    await using _ = own;
    const { client } = await signedUp(mailed, own);
    expect(accountOf(own, email)).toMatchObject({ passkeyCount: 1, vouchedAt: null });
    expect((await client.get(organizationPath)).status).toBe(200);
  });
});
