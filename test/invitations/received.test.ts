// Invitations as the invited person and the inviter see them.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { outboxMails } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { api, auditMark, auditRows, expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import { addOrganization, addPerson, addTeam, signInPerson } from '../support/people.ts';
import { type Invitation, invite, newAddress } from './scenario.ts';
import { sending, signUp, useServers } from './sign-up-scenario.ts';

useServers();

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
