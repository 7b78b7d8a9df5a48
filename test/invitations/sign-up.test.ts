// Sign-up with the emailed link of an invitation.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { developers, memberInvitations, organizations } from '../../src/data/tables/tables.ts';
import { startFixture } from '../../src/testing/fixture.ts';
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
import { addOrganization, addPerson, addProject, addTeam } from '../support/people.ts';
import { accountOf, invite, mailedToken, newAddress, scene } from './scenario.ts';
import { logIn, PASSWORD, preview, sending, signedUp, signUp, startAccount, useServers } from './sign-up-scenario.ts';

useServers();

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
      is_operator: false,
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

  it('also works once if the invited person accepts with both links and without any, or declines', async () => {
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
    // Whichever arrives first: three return the membership, and declining returns nothing.
    const [first = 0, ...later] = answers.map(({ status }) => status).toSorted();
    expect([200, 204]).toContain(first);
    expect(later).toEqual([404, 404, 404]);
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
    const identifiers: string[] = [];
    // One more than a sign-up accepts.
    for (let index = 0; index <= 20; index++) {
      const name = `Quay ${index}`;
      const boss = await addPerson(sending);
      const added = await addOrganization(boss, name);
      names.push(name);
      const invited = await invite(sending, boss, `/api/v1/organizations/${added}`, { email, role: 'member' });
      identifiers.push(invited.identifier);
    }
    const { also } = (await preview(sending, invitation.mailed)).body.sign_up as { also: string[] };
    expect(also).toEqual(names.slice(0, 20));
    // Five organizations and fifty projects are as many memberships as a sign-up adds.
    for (const [length, joins] of [
      [51, 4],
      [50, 5],
    ] as const) {
      const projects = Array.from({ length }, () => ({ project_id: invitation.identifier, role: 'read' }));
      sending.app.db
        .update(memberInvitations)
        .set({ projects: JSON.stringify(projects) })
        .where(eq(memberInvitations.id, identifiers[4] ?? ''))
        .run();
      const { also: first } = (await preview(sending, invitation.mailed)).body.sign_up as { also: string[] };
      expect(first).toEqual(names.slice(0, joins));
    }
    const client = await signedUp(sending, invitation.mailed);
    const joined = await client.get<{ identifier: string; name: string }[]>('/api/v1/organizations');
    const others = joined.body.filter(({ identifier }) => identifier !== organizationId);
    expect(others.map(({ name }) => name).toSorted()).toEqual(names.slice(0, 5));
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
