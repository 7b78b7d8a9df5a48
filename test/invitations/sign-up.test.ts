// Sign-up with the link of an invitation: what the emailed link shows, what the copied one doesn't, and what both grant.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessRequests, developers, organizations, outboxMails } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { makeProvider } from '../sso/provider.ts';
import { connect, ssoPath } from '../sso/scenario.ts';
import { SENDS_MAIL } from '../support/email-sign-in.ts';
import {
  type Answer,
  api,
  auditMark,
  auditRows,
  comparable,
  expectInvalid,
  expectRefusal,
  type Json,
} from '../support/harness.ts';
import { countHashes, mailKinds } from '../support/mailbox.ts';
import { addOrganization, addPerson, addProject, addTeam, join, type Person, signInPerson } from '../support/people.ts';
import { accountOf, type Invitation, invite, mailedToken, newAddress, scene, tokenOf } from './scenario.ts';

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

interface Tokens extends Json {
  access_token: string;
}

const signUp = (fixture: Fixture, token: string, more: object = {}, kind = 'organization') =>
  api(fixture, null).post<Tokens>(`/api/v1/invites/${kind}/sign-up`, {
    invite_token: token,
    display_name: 'Nia Newcomer',
    password: PASSWORD,
    ...more,
  });
const preview = (fixture: Fixture, token: string) =>
  api(fixture, null).get(`/api/v1/invites/organization/${token}/preview`);
const logIn = (fixture: Fixture, email: string, password = PASSWORD) =>
  api(fixture, null).post<Tokens>('/api/v1/login', { email, password });
const startAccount = (fixture: Fixture, email: string) =>
  api(fixture, null).post('/api/v1/developers', { email, password: 'an early bird password', display_name: 'Early' });

async function signedUp(fixture: Fixture, token: string) {
  const answer = await signUp(fixture, token);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return api(fixture, answer.body.access_token);
}

describe('the emailed link', () => {
  it('creates a verified account, accepts the invitation with its projects and signs in', async () => {
    const { email, invitation, organizationId, projectId, organizationPath, projectPath, admin } = await scene(sending);
    const after = auditMark(sending);
    const client = await signedUp(sending, invitation.mailed);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({
      email,
      email_verified: true,
      vouched: false,
      display_name: 'Nia Newcomer',
    });
    expect((await client.get(organizationPath)).body).toMatchObject({ role: 'member' });
    expect((await client.get(projectPath)).body).toMatchObject({ role: 'maintainer' });
    const id = accountOf(sending, email)?.id;
    expect(auditRows(sending, { after }).map((row) => [row.event, row.type, row.identifier, row.actorId])).toEqual([
      ['created', 'developer', id, null],
      ['accepted', 'org_invite', invitation.identifier, id],
      ['created', 'org_membership', id, id],
      ['created', 'project_membership', id, id],
      ['login_succeeded', 'developer', id, id],
    ]);
    expect(auditRows(sending, { after })[1]?.details).toEqual({
      email,
      role: 'member',
      projects: [{ project_id: projectId, role: 'maintainer' }],
    });
    // One email in all: the invitation.
    expect(mailKinds(sending, email)).toEqual(['organization_invitation']);
    expect((await logIn(sending, email)).status).toBe(200);
    expect((await admin.client.get(`/api/v1/organizations/${organizationId}/invites`)).body).toMatchObject({
      items: [],
    });
  });

  it('sets cookies for browsers, and only for its own pages', async () => {
    const { invitation } = await scene(sending);
    const body = { invite_token: invitation.mailed, display_name: 'Nia', password: PASSWORD, cookies: true };
    const send = (origin: string) =>
      api(sending, null).send('POST', '/api/v1/invites/organization/sign-up', { body, headers: { origin } });
    expectRefusal(await send('https://elsewhere.example'), 403, 'permission_denied');
    const answer = await send(new URL(sending.config.server.base_url).origin);
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ access_token: null })]);
    expect(answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual(['svc_access', 'svc_refresh']);
  });

  it('shows the address, and changes nothing when it is opened', async () => {
    const { email, invitation, projectId } = await scene(sending);
    for (let count = 0; count < 3; count++) {
      expect((await preview(sending, invitation.mailed)).body).toMatchObject({
        projects: [{ project_id: projectId, role: 'maintainer', name: 'Crane' }],
        sign_up: { email, account: 'new', is_open: true, also: [], sso_login_url: null },
      });
      expect((await api(sending, null).get(`/invite/organization/${invitation.mailed}`)).status).toBe(200);
    }
    expect(accountOf(sending, email)).toBeUndefined();
    await signedUp(sending, invitation.mailed);
    expectRefusal(await preview(sending, invitation.mailed), 404, 'not_found');
  });

  it('works once for twenty simultaneous requests', async () => {
    const { email, invitation } = await scene(sending);
    const after = auditMark(sending);
    const answers = await Promise.all(Array.from({ length: 20 }, () => signUp(sending, invitation.mailed)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const losers = answers.filter(({ status }) => status !== 200);
    for (const loser of losers) expectRefusal(loser as Answer<unknown>, 404, 'not_found');
    const rows = auditRows(sending, { after });
    expect(rows.filter((row) => row.event === 'accepted')).toHaveLength(1);
    expect(rows.filter((row) => row.event === 'created' && row.type === 'developer')).toHaveLength(1);
    expect(mailKinds(sending, email)).toEqual(['organization_invitation']);
  });

  it('also works once if the invited person accepts with both links and without any', async () => {
    const { invitation, organizationPath } = await scene(sending);
    const guest = await addPerson(sending);
    sending.app.db
      .update(developers)
      .set({ email: newAddress(sending) })
      .where(eq(developers.id, guest.id))
      .run();
    const email = sending.app.db.select().from(developers).where(eq(developers.id, guest.id)).get()?.email ?? '';
    const own = await invite(sending, { client: api(sending) }, `/api/v1/organizations/${sending.organization_id}`, {
      email,
      role: 'member',
    });
    const answers = await Promise.all([
      guest.client.post('/api/v1/invites/organization/accept', { invite_token: own.mailed }),
      guest.client.post('/api/v1/invites/organization/accept', { invite_token: own.copied }),
      guest.client.post(`/api/v1/developers/me/invitations/${own.identifier}/accept`),
      guest.client.post(`/api/v1/developers/me/invitations/${own.identifier}/decline`),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
    expect(invitation.identifier).not.toBe(own.identifier);
    expect((await guest.client.get(organizationPath)).status).toBe(404);
  });

  it('accepts the other invitations of the address, as far as they still work', async () => {
    const { email, invitation, admin, projectId } = await scene(sending);
    const second = await addTeam(sending);
    const locked = await addTeam(sending);
    const third = await addTeam(sending);
    await sending.app.db
      .update(organizations)
      .set({ name: 'Pier' })
      .where(eq(organizations.id, second.organizationId))
      .run();
    await invite(sending, second.inRole.admin, second.projectPath, { email, role: 'read' });
    await invite(sending, locked.admin, locked.organizationPath, { email, role: 'member' });
    const byFormer = await invite(sending, third.manager, third.organizationPath, { email, role: 'member' });
    const sameProject = await invite(sending, admin, `/api/v1/projects/${projectId}`, { email, role: 'read' });
    expect((await preview(sending, invitation.mailed)).body.sign_up).toMatchObject({ also: ['Pier', 'Wharf'] });
    sending.app.db
      .update(organizations)
      .set({ lockReason: 'grace' })
      .where(eq(organizations.id, locked.organizationId))
      .run();
    await third.admin.client.delete(`${third.organizationPath}/members/${third.manager.id}`);
    // What the page promises is what the sign-up does.
    expect((await preview(sending, invitation.mailed)).body.sign_up).toMatchObject({ also: ['Pier'] });
    const after = auditMark(sending);
    const client = await signedUp(sending, invitation.mailed);
    expect((await client.get(second.projectPath)).body).toMatchObject({ role: 'read' });
    // The higher role of the same project is kept.
    expect((await client.get(`/api/v1/projects/${projectId}`)).body).toMatchObject({ role: 'maintainer' });
    expect((await client.get(locked.organizationPath)).status).toBe(404);
    expect((await client.get(third.organizationPath)).status).toBe(404);
    const accepted = auditRows(sending, { after }).filter((row) => row.event === 'accepted');
    expect(accepted.map((row) => row.type)).toEqual(['org_invite', 'project_invite', 'project_invite']);
    const left = await client.get<{ items: Json[] }>('/api/v1/developers/me/invitations');
    expect(left.body.items).toMatchObject([{ organization_id: locked.organizationId, role: 'member' }]);
    expect(JSON.stringify(left.body)).not.toContain(byFormer.identifier);
    expect(sameProject.state).toBe('open');
  });

  it('names the organizations that it joins, and no others', async () => {
    const { email, invitation, organizationId } = await scene(sending);
    const names: string[] = [];
    // One more than a sign-up accepts.
    for (let index = 0; index <= 20; index++) {
      const name = `Quay ${index}`;
      const boss = await addPerson(sending);
      const added = await addOrganization(boss, name);
      names.push(name);
      await invite(sending, boss, `/api/v1/organizations/${added}`, { email, role: 'member' });
    }
    const { also } = (await preview(sending, invitation.mailed)).body.sign_up as { also: string[] };
    expect(also).toEqual(names.slice(0, 20));
    const client = await signedUp(sending, invitation.mailed);
    const joined = await client.get<{ identifier: string; name: string }[]>('/api/v1/organizations');
    const others = joined.body.filter(({ identifier }) => identifier !== organizationId);
    expect(others.map(({ name }) => name).toSorted()).toEqual(also.toSorted());
  });

  it('names no other organizations if it cannot create an account', async () => {
    for (const own of [
      await startFixture({ config: { mail: SENDS_MAIL, accounts: { signup: 'closed' } } }),
      await startFixture({ config: { mail: SENDS_MAIL } }),
    ]) {
      const path = `/api/v1/organizations/${own.organization_id}`;
      await connect(own, await makeProvider(), { domains: ['example.test'] });
      expect((await api(own).put(`${ssoPath(own.organization_id)}/require`, { required: true })).status).toBe(200);
      const email = 'new@example.test';
      const { mailed } = await invite(own, { client: api(own) }, path, { email, role: 'member' });
      const team = await addTeam(own);
      await invite(own, team.admin, team.organizationPath, { email, role: 'member' });
      expect((await preview(own, mailed)).body.sign_up).toMatchObject({ also: [] });
      await own.stop();
    }
  });

  it('replaces the password of an unverified account, which another person may have created', async () => {
    const { email, invitation } = await scene(sending);
    expect((await startAccount(sending, email)).status).toBe(202);
    const early = await logIn(sending, email, 'an early bird password');
    const client = await signedUp(sending, invitation.mailed);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({
      email_verified: true,
      display_name: 'Nia Newcomer',
    });
    expectRefusal(await api(sending, early.body.access_token).get('/api/v1/developers/me'), 401, 'unauthorized');
    expectRefusal(await logIn(sending, email, 'an early bird password'), 401, 'unauthorized');
    expect((await logIn(sending, email)).status).toBe(200);
  });

  it('leads people with a verified account to the sign-in', async () => {
    const team = await addTeam(sending);
    const { email } = team.outsider;
    const { mailed } = await invite(sending, team.admin, team.organizationPath, { email, role: 'member' });
    expect((await preview(sending, mailed)).body.sign_up).toMatchObject({ email, account: 'existing' });
    expectRefusal(await signUp(sending, mailed), 409, 'already_exists');
    const answer = await team.outsider.client.post('/api/v1/invites/organization/accept', { invite_token: mailed });
    expect(answer.status).toBe(200);
  });

  it('checks the password like sign-up, and links before hashing', async () => {
    const { email, invitation } = await scene(sending);
    expectInvalid(await signUp(sending, invitation.mailed, { password: 'short' }), 'body.password: string_too_short');
    expectInvalid(
      await signUp(sending, invitation.mailed, { password: 'passwordpassword' }),
      'body.password: value_error',
    );
    expectInvalid(await signUp(sending, invitation.mailed, { password: email }), 'body.password: value_error');
    expectInvalid(
      await signUp(sending, invitation.mailed, { display_name: ' ' }),
      'body.display_name: string_too_short',
    );
    expectInvalid(await signUp(sending, '', {}), 'body.invite_token: string_too_short');
    const hashes = await countHashes(sending, async () => {
      expectRefusal(await signUp(sending, 'svc_inv_unknown'), 404, 'not_found');
      expectRefusal(await signUp(sending, invitation.mailed, {}, 'project'), 404, 'not_found');
      expectRefusal(await signUp(sending, invitation.copied), 400, 'operation_not_allowed');
    });
    expect(hashes).toBe(0);
    await signedUp(sending, invitation.mailed);
  });

  it('reports a locked organization before the password, and hashes nothing', async () => {
    const { invitation, organizationId, email } = await scene(sending);
    const lock = (lockReason: 'grace' | null) =>
      sending.app.db.update(organizations).set({ lockReason }).where(eq(organizations.id, organizationId)).run();
    lock('grace');
    const cost = await countHashes(sending, async () => {
      for (const password of ['short', PASSWORD]) {
        expectRefusal(await signUp(sending, invitation.mailed, { password }), 402, 'trial_ended');
      }
    });
    expect([cost, accountOf(sending, email)]).toEqual([0, undefined]);
    lock(null);
    await signedUp(sending, invitation.mailed);
  });

  it('stops working when the invitation ends, with the same response', async () => {
    const refusals = [await signUp(sending, 'svc_inv_unknown')];
    const revoked = await scene(sending);
    await revoked.admin.client.delete(`${revoked.organizationPath}/invites/${revoked.invitation.identifier}`);
    refusals.push(await signUp(sending, revoked.invitation.mailed));
    const demoted = await addTeam(sending);
    const email = newAddress(sending);
    const lapsed = await invite(sending, demoted.manager, demoted.organizationPath, { email, role: 'member' });
    await demoted.admin.client.delete(`${demoted.organizationPath}/members/${demoted.manager.id}`);
    refusals.push(await signUp(sending, lapsed.mailed));
    expect(accountOf(sending, email)).toBeUndefined();
    expect(new Set(refusals.map((answer) => JSON.stringify(comparable(answer)))).size).toBe(1);
    expectRefusal(refusals[0] as Answer<unknown>, 404, 'not_found');
  });

  it('grants the projects whose role its sender still has', async () => {
    const { admin, manager, organizationId, organizationPath, projectId } = await addTeam(sending);
    const other = await addProject(admin.client, organizationId, { name: 'Winch' });
    const email = newAddress(sending);
    const projects = [
      { project_id: projectId, role: 'maintainer' },
      { project_id: other, role: 'read' },
    ];
    const { mailed, copied, identifier } = await invite(sending, manager, organizationPath, {
      email,
      role: 'member',
      projects,
    });
    const message = sending.mail.messages.findLast(({ to }) => to === email);
    expect(message?.text).toContain('Crane');
    expect(message?.text).toContain('Winch');
    // As a member, the sender only has the role of one of the two projects.
    expect((await admin.client.patch(`${organizationPath}/members/${manager.id}`, { role: 'member' })).status).toBe(
      200,
    );
    const given = await admin.client.put(`/api/v1/projects/${other}/members/${manager.id}`, { role: 'read' });
    if (given.status >= 300) {
      await invite(sending, admin, `/api/v1/projects/${other}`, { email: manager.email, role: 'read' });
      const token = mailedToken(sending, manager.email);
      expect((await manager.client.post('/api/v1/invites/project/accept', { invite_token: token })).status).toBe(200);
    }
    expect((await preview(sending, mailed)).body.projects).toEqual([
      { project_id: other, role: 'read', name: 'Winch' },
    ]);
    const client = await signedUp(sending, mailed);
    expect((await client.get(`/api/v1/projects/${other}`)).body).toMatchObject({ role: 'read' });
    expect((await client.get(`/api/v1/projects/${projectId}`)).status).toBe(404);
    expect(copied).not.toBe(mailed);
    expect(identifier).toEqual(expect.any(String));
  });

  it('leads to the identity provider if the organization requires it', async () => {
    await using own = await startFixture({
      config: { mail: { transport: 'smtp', from: 'a@b.example', smtp: { host: 'localhost', port: 1 } } },
    });
    await connect(own, await makeProvider(), { domains: ['example.test'] });
    const path = `/api/v1/organizations/${own.organization_id}`;
    const asked = { email: 'new@example.test', role: 'member' };
    const { mailed } = await invite(own, { client: api(own) }, path, asked);
    expect((await preview(own, mailed)).body.sign_up).toMatchObject({ sso_login_url: null });
    expect((await api(own).put(`${ssoPath(own.organization_id)}/require`, { required: true })).status).toBe(200);
    const loginUrl = `${own.config.server.base_url}${ssoPath(own.organization_id)}/login`;
    expect((await preview(own, mailed)).body.sign_up).toMatchObject({ sso_login_url: loginUrl });
    const details = expectRefusal(await signUp(own, mailed), 403, 'permission_denied');
    expect(details).toEqual({ reason: 'sso_required', login_url: loginUrl });
    // A guest of another organization keeps the password, and isn't added to the organization with the provider.
    const team = await addTeam(own);
    const elsewhere = await invite(own, team.admin, team.organizationPath, asked);
    expect((await preview(own, elsewhere.mailed)).body.sign_up).toMatchObject({ sso_login_url: null, also: [] });
    const client = await signedUp(own, elsewhere.mailed);
    expect((await client.get(path)).status).toBe(404);
  });

  it.each([
    ['open', 200],
    ['invited', 200],
    ['closed', 400],
  ] as const)('with accounts.signup = %s returns %i', async (signup, status) => {
    await using own = await startFixture({ config: { accounts: { signup } } });
    const path = `/api/v1/organizations/${own.organization_id}`;
    const { mailed, copied } = await invite(own, { client: api(own) }, path, {
      email: 'new@example.test',
      role: 'member',
    });
    expect((await preview(own, mailed)).body.sign_up).toMatchObject({ is_open: signup !== 'closed' });
    for (const token of signup === 'closed' ? [mailed, copied] : [mailed]) {
      const answer = await signUp(own, token);
      if (status === 200) expect(answer.status).toBe(200);
      else expectRefusal(answer, 400, 'operation_not_allowed');
    }
  });
});

describe('the copied link', () => {
  it('creates no account on a server that sends email, and reveals no address', async () => {
    const { email, invitation } = await scene(sending);
    const shown = await preview(sending, invitation.copied);
    expect(shown.body.sign_up).toBeNull();
    expect(shown.text).not.toContain(email);
    expect(expectRefusal(await signUp(sending, invitation.copied), 400, 'operation_not_allowed')).toEqual({
      reason: 'mailed_link_required',
    });
    expect(accountOf(sending, email)).toBeUndefined();
    // The same for an address that has an account.
    const team = await addTeam(sending);
    const known = await invite(sending, team.admin, team.organizationPath, {
      email: team.outsider.email,
      role: 'member',
    });
    expect(comparable(await signUp(sending, known.copied))).toEqual(
      comparable(await signUp(sending, invitation.copied)),
    );
    await signedUp(sending, invitation.mailed);
  });

  it('never becomes the emailed one, nor does any response contain that', async () => {
    const { admin, organizationPath, email, invitation } = await scene(sending);
    sending.clock.advance(6 * MINUTE);
    const boss = api(sending, await signInPerson(sending, admin));
    const again = await boss.post<Invitation>(`${organizationPath}/invites/${invitation.identifier}/resend`);
    const mailed = mailedToken(sending, email);
    const list = await boss.get(`${organizationPath}/invites`, { include: 'ended' });
    for (const token of [mailed, invitation.mailed]) {
      expect(again.text).not.toContain(token);
      expect(list.text).not.toContain(token);
    }
    for (const dead of [invitation.mailed, invitation.copied]) {
      expectRefusal(await signUp(sending, dead), 404, 'not_found');
      expectRefusal(await preview(sending, dead), 404, 'not_found');
    }
    expectRefusal(await signUp(sending, tokenOf(again.body.accept_url)), 400, 'operation_not_allowed');
    await signedUp(sending, mailed);
  });

  it('is accepted by the person with the invited, verified address on every server', async () => {
    for (const fixture of [sending, silent]) {
      const team = await addTeam(fixture);
      const { email, client } = team.outsider;
      const { copied } = await invite(fixture, team.admin, team.organizationPath, { email, role: 'member' });
      const stranger = await addPerson(fixture);
      const accept = (who: Person['client']) =>
        who.post('/api/v1/invites/organization/accept', { invite_token: copied });
      expectRefusal(await accept(stranger.client), 404, 'not_found');
      expect((await accept(client)).status).toBe(200);
    }
  });

  it('creates an account on a server without email that can work in the project but is not verified', async () => {
    const { email, invitation, projectPath, organizationPath } = await scene(silent);
    expect((await preview(silent, invitation.copied)).body.sign_up).toEqual({
      email,
      account: null,
      is_open: true,
      also: [],
      sso_login_url: null,
    });
    const after = auditMark(silent);
    const client = await signedUp(silent, invitation.copied);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({
      email,
      email_verified: false,
      vouched: true,
    });
    expect((await client.get(projectPath)).body).toMatchObject({ role: 'maintainer' });
    expect((await client.get(organizationPath)).status).toBe(200);
    expect(
      (await client.patch(`/api/v1/developers/${accountOf(silent, email)?.id}`, { display_name: 'Nia N.' })).status,
    ).toBe(200);
    expect(auditRows(silent, { after })[0]).toMatchObject({
      event: 'created',
      type: 'developer',
      details: { email, email_verified: false, vouched: true },
    });
    // Signing in again keeps it.
    const again = await logIn(silent, email);
    expect((await api(silent, again.body.access_token).get(projectPath)).status).toBe(200);
  });

  it('grants nothing that other inviters granted to the address', async () => {
    const { email, invitation } = await scene(silent);
    const other = await addTeam(silent);
    const elsewhere = await invite(silent, other.admin, other.organizationPath, { email, role: 'admin' });
    const granted = await other.admin.client.post(`${other.projectPath}/testers`, { email });
    expect(granted.body).toMatchObject({ status: 'pending' });
    const client = await signedUp(silent, invitation.copied);
    const later = await other.admin.client.post(`${other.organizationPath}/testers`, { email });
    expect(later.body).toMatchObject({ status: 'pending' });
    expect((await client.get(other.projectPath)).status).toBe(404);
    expect((await client.get('/api/v1/developers/me/invitations')).body).toEqual({ items: [], next_cursor: null });
    const own = `/api/v1/developers/me/invitations/${elsewhere.identifier}`;
    expectRefusal(await client.post(`${own}/accept`), 404, 'not_found');
    expectRefusal(await client.post(`${own}/decline`), 404, 'not_found');
    // With the link that the other inviter passes on, it works.
    const answer = await client.post('/api/v1/invites/organization/accept', { invite_token: elsewhere.copied });
    expect(answer.status).toBe(200);
  });

  it('replaces no account, verified or vouched for', async () => {
    const team = await addTeam(silent);
    const known = await invite(silent, team.admin, team.organizationPath, {
      email: team.outsider.email,
      role: 'member',
    });
    expect((await preview(silent, known.copied)).body.sign_up).toMatchObject({ account: null, also: [] });
    expectRefusal(await signUp(silent, known.copied), 409, 'already_exists');
    const { email, invitation } = await scene(silent);
    await signedUp(silent, invitation.copied);
    const second = await invite(silent, team.admin, team.organizationPath, { email, role: 'admin' });
    expectRefusal(await signUp(silent, second.copied, { password: 'the password of a thief' }), 409, 'already_exists');
    expect((await logIn(silent, email)).status).toBe(200);
  });

  it('replaces an unverified account that nobody could use, and its access becomes pending again', async () => {
    const { email, invitation, projectPath } = await scene(silent);
    expect((await startAccount(silent, email)).status).toBe(202);
    const early = await logIn(silent, email, 'an early bird password');
    // Of another organization, whose admin knows that nobody can use the access before the address is verified.
    const other = await addTeam(silent);
    const granted = await other.admin.client.post<Json>(`${other.organizationPath}/testers`, { email });
    expect(granted.body).toMatchObject({ status: 'active' });
    const client = await signedUp(silent, invitation.copied);
    expect((await client.get(projectPath)).status).toBe(200);
    const testers = await other.admin.client.get(`${other.organizationPath}/testers`);
    expect(testers.body).toMatchObject({ items: [{ email, status: 'pending' }] });
    expect((await client.get('/api/v1/testers/me/organizations')).body).toMatchObject({ items: [] });
    expectRefusal(await api(silent, early.body.access_token).get('/api/v1/developers/me'), 401, 'unauthorized');
    expect(accountOf(silent, email)).toMatchObject({ isContested: true, emailVerifiedAt: null });
  });

  it('replaces no account that is a member somewhere', async () => {
    const { email, invitation } = await scene(silent);
    expect((await startAccount(silent, email)).status).toBe(202);
    const { organizationId } = await addTeam(silent);
    join(silent, accountOf(silent, email)?.id ?? '', { organizations: { [organizationId]: 'admin' } });
    expectRefusal(await signUp(silent, invitation.copied), 409, 'already_exists');
  });

  it('lets nobody ask for access with an address that was only vouched for', async () => {
    const { invitation } = await scene(silent);
    const { body } = await signUp(silent, invitation.copied);
    const cookie = `svc_access=${body.access_token}`;
    const { origin } = new URL(silent.config.server.base_url);
    const page = `/install/channels/${silent.app.ids.next()}`;
    const shown = await api(silent, null).send('GET', page, { headers: { cookie } });
    expect(shown.text).toContain('erify');
    expect(shown.text).not.toContain('access-request');
    const asked = await api(silent, null).send('POST', `${page}/access-request`, { headers: { cookie, origin } });
    expect(asked.status).not.toBe(303);
    expect(silent.app.db.select().from(accessRequests).all()).toEqual([]);
  });

  it('creates no account in a domain that another organization verified', async () => {
    await using own = await startFixture();
    await connect(own, await makeProvider(), { domains: ['example.test'] });
    const team = await addTeam(own);
    const asked = { email: 'boss@example.test', role: 'member' };
    const { copied } = await invite(own, team.admin, team.organizationPath, asked);
    expect(expectRefusal(await signUp(own, copied), 400, 'operation_not_allowed')).toEqual({
      reason: 'domain_of_others',
    });
    const inside = await invite(own, { client: api(own) }, `/api/v1/organizations/${own.organization_id}`, asked);
    await signedUp(own, inside.copied);
  });

  it('leaves the account to the owner of the address when it is verified', async () => {
    const { email, invitation, projectPath, organizationPath } = await scene(silent);
    const first = await signedUp(silent, invitation.copied);
    const organization = { organization_id: organizationPath.split('/').at(-1) ?? '' };
    const made = await first.post<{ identifier: string; token: string }>(
      '/api/v1/pats',
      { name: 'left behind', scopes: '1' },
      organization,
    );
    expect(made.status, made.text).toBe(201);
    const withToken = api(silent, made.body.token);
    expect((await withToken.get(organizationPath)).status).toBe(200);
    const team = await addTeam(silent);
    const { mailed } = await invite(silent, team.admin, team.organizationPath, { email, role: 'member' });
    expect((await preview(silent, mailed)).body.sign_up).toMatchObject({ account: 'new' });
    const answer = await signUp(silent, mailed, { password: 'the password of the owner' });
    const client = api(silent, answer.body.access_token);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({ email_verified: true, vouched: false });
    expect((await client.get(projectPath)).status).toBe(200);
    expectRefusal(await logIn(silent, email), 401, 'unauthorized');
    expectRefusal(await withToken.get(organizationPath), 401, 'unauthorized');
    expect(auditRows(silent, { identifier: made.body.identifier }).map(({ event }) => event)).toEqual([
      'created',
      'revoked',
    ]);
  });
});

describe('the invitations of a signed-in person', () => {
  it('are listed for the verified address, and accepted or declined once without a link', async () => {
    const team = await addTeam(sending);
    const { outsider, admin, organizationId, organizationPath, projectId, projectPath } = team;
    const { email } = outsider;
    const projects = [{ project_id: projectId, role: 'read' }];
    const one = await invite(sending, admin, organizationPath, { email, role: 'manager', projects });
    const second = await addTeam(sending);
    const other = await invite(sending, second.admin, second.projectPath, { email, role: 'read' });
    const list = await outsider.client.get<{ items: Json[] }>('/api/v1/developers/me/invitations');
    expect(list.body).toEqual({
      items: [
        expect.objectContaining({ identifier: other.identifier, kind: 'project', project_name: 'Crane', role: 'read' }),
        {
          identifier: one.identifier,
          kind: 'organization',
          organization_id: organizationId,
          organization_name: 'Wharf',
          project_id: null,
          project_name: null,
          role: 'manager',
          projects: [{ project_id: projectId, role: 'read', name: 'Crane' }],
          inviter_name: `Person ${admin.id}`,
          expires_at: one.expires_at,
        },
      ],
      next_cursor: null,
    });
    const path = (id: string, verb: string) => `/api/v1/developers/me/invitations/${id}/${verb}`;
    expectRefusal(await team.member.client.post(path(one.identifier, 'accept')), 404, 'not_found');
    expectRefusal(await team.member.client.post(path(one.identifier, 'decline')), 404, 'not_found');
    const after = auditMark(sending);
    const accepted = await outsider.client.post(path(one.identifier, 'accept'));
    expect([accepted.status, accepted.body]).toEqual([
      200,
      {
        organization_id: organizationId,
        project_id: null,
        role: 'manager',
        projects: [{ project_id: projectId, role: 'read' }],
      },
    ]);
    expect((await outsider.client.get(projectPath)).status).toBe(200);
    expect((await outsider.client.post(path(other.identifier, 'decline'))).status).toBe(204);
    for (const id of [one.identifier, other.identifier]) {
      for (const verb of ['accept', 'decline'])
        expectRefusal(await outsider.client.post(path(id, verb)), 404, 'not_found');
    }
    const rows = auditRows(sending, { after });
    expect(rows.map((row) => [row.event, row.type])).toEqual([
      ['accepted', 'org_invite'],
      ['created', 'org_membership'],
      ['created', 'project_membership'],
      ['revoked', 'project_invite'],
    ]);
    expect(rows.at(-1)).toMatchObject({
      identifier: other.identifier,
      actorId: outsider.id,
      details: { reason: 'declined' },
    });
    // The inviter sees it, and can invite again.
    const invites = `${second.projectPath}/invites`;
    expect((await second.admin.client.get(invites)).body).toEqual({ items: [], next_cursor: null });
    expect((await second.admin.client.get(invites, { include: 'ended' })).body).toMatchObject({
      items: [{ identifier: other.identifier, state: 'declined' }],
    });
    expectRefusal(await second.admin.client.post(`${invites}/${other.identifier}/resend`), 404, 'not_found');
    await invite(sending, second.admin, second.projectPath, { email, role: 'read' });
    expectRefusal(await signUp(sending, other.mailed, {}, 'project'), 404, 'not_found');
  });

  it('are hidden while the address is not verified, and closed to tokens', async () => {
    const team = await addTeam(sending);
    const early = await addPerson(sending, { isVerified: false });
    const { identifier } = await invite(sending, team.admin, team.organizationPath, {
      email: early.email,
      role: 'member',
    });
    expect((await early.client.get('/api/v1/developers/me/invitations')).body).toEqual({
      items: [],
      next_cursor: null,
    });
    const accept = `/api/v1/developers/me/invitations/${identifier}/accept`;
    expectRefusal(await early.client.post(accept), 403, 'email_not_verified');
    expectRefusal(await api(sending, null).post(accept), 401, 'unauthorized');
  });
});

describe('the inviter', () => {
  it('grants roles in projects of the organization only', async () => {
    const { admin, organizationPath, projectId } = await addTeam(sending);
    const foreign = await addTeam(sending);
    const body = (projects: object[]) => ({ email: newAddress(sending), role: 'member', projects });
    const send = (projects: object[]) => admin.client.post(`${organizationPath}/invites`, body(projects));
    const mine = { project_id: projectId, role: 'read' };
    expectInvalid(
      await send([mine, { project_id: foreign.projectId, role: 'read' }]),
      'body.projects.1.project_id: value_error',
    );
    expectInvalid(
      await send([{ project_id: sending.app.ids.next(), role: 'read' }]),
      'body.projects.0.project_id: value_error',
    );
    expectInvalid(await send([mine, mine]), 'body.projects: value_error');
    expectInvalid(await send([{ project_id: projectId, role: 'owner' }]), 'body.projects.0.role: enum');
    const many = Array.from({ length: 51 }, () => ({ project_id: sending.app.ids.next(), role: 'read' }));
    expectInvalid(await send(many), 'body.projects: too_long');
    const { members } = { members: foreign.member };
    expectRefusal(await members.client.post(`${organizationPath}/invites`, body([mine])), 404, 'not_found');
    expect(await addOrganization(admin)).toEqual(expect.any(String));
  });

  it('sees the state of each invitation and of its email', async () => {
    const { admin, manager, organizationPath } = await addTeam(sending);
    const list = async () =>
      (await admin.client.get<{ items: Invitation[] }>(`${organizationPath}/invites`, { include: 'ended' })).body.items;
    const first = await invite(sending, manager, organizationPath, { email: newAddress(sending), role: 'member' });
    expect([first.state, first.email_state]).toEqual(['open', 'pending']);
    for (const state of ['sent', 'failed'] as const) {
      sending.app.db.update(outboxMails).set({ state }).where(eq(outboxMails.recipient, first.email)).run();
      expect((await list()).map((item) => item.email_state)).toEqual([state]);
    }
    sending.app.db.delete(outboxMails).where(eq(outboxMails.recipient, first.email)).run();
    expect((await list()).map((item) => item.email_state)).toEqual([null]);
    await admin.client.delete(`${organizationPath}/members/${manager.id}`);
    expect((await list()).map((item) => item.state)).toEqual(['lapsed']);
    expect((await admin.client.get(`${organizationPath}/invites`)).body).toMatchObject({ items: [] });
    expectInvalid(await admin.client.get(`${organizationPath}/invites`, { include: 'all' }), 'query.include: enum');
    await invite(sending, admin, organizationPath, { email: first.email, role: 'member' });
    expect((await list()).map((item) => item.state)).toEqual(['open', 'lapsed']);
    sending.clock.advance(14 * DAY);
    const boss = api(sending, await signInPerson(sending, admin));
    expect((await boss.get(`${organizationPath}/invites`, { include: 'ended' })).body).toMatchObject({ items: [] });
  });
});
