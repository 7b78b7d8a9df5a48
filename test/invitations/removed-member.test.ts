// What happens to the open invitations of a person whom the team removes: none of them lets the person back in.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { memberInvitations } from '../../src/data/tables/tables.ts';
import { auditMark, auditRows, expectRefusal, type Page } from '../support/harness.ts';
import { addPerson, addProject, addTeam, join } from '../support/people.ts';
import { accept, fixture, type Invitation, invite, useServer } from './kinds-scenario.ts';

useServer();

/** A member whom the team invited to a second project, and before to the organization, which others invited too. */
async function scene() {
  const team = await addTeam(fixture);
  const { admin, organizationId, organizationPath, projectId } = team;
  const leaver = await addPerson(fixture);
  const { email } = leaver;
  const secondId = await addProject(admin.client, organizationId, { name: 'Second' });
  const secondPath = `/api/v1/projects/${secondId}`;
  const toOrganization = await invite(admin, `${organizationPath}/invites`, { email, role: 'admin' });
  join(fixture, leaver.id, { organizations: { [organizationId]: 'member' }, projects: { [projectId]: 'read' } });
  const toSecond = await invite(admin, `${secondPath}/invites`, { email, role: 'admin' });
  const other = await addTeam(fixture);
  const elsewhere = await invite(other.admin, `${other.organizationPath}/invites`, { email, role: 'member' });
  const colleague = await invite(admin, `${secondPath}/invites`, { email: 'colleague@people.example', role: 'read' });
  const memberPath = `${organizationPath}/members/${leaver.id}`;
  return { ...team, leaver, secondId, secondPath, toOrganization, toSecond, elsewhere, colleague, memberPath };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function openInvitations({ leaver }: Scene): Promise<string[]> {
  const { body } = await leaver.client.get<Page<Invitation>>('/api/v1/developers/me/invitations');
  return body.items.map(({ identifier }) => identifier).sort();
}

const stored = (id: string) =>
  fixture.app.db.select().from(memberInvitations).where(eq(memberInvitations.id, id)).get();

describe('removing a member from the organization', () => {
  it('revokes the invitations of their address to it and its projects', async () => {
    const world = await scene();
    const { admin, leaver, organizationId, secondId, toOrganization, toSecond, elsewhere, colleague } = world;
    expect(await openInvitations(world)).toEqual(
      [toOrganization.identifier, toSecond.identifier, elsewhere.identifier].sort(),
    );
    const after = auditMark(fixture);
    expect((await admin.client.delete(world.memberPath)).status).toBe(204);
    const byType = auditRows(fixture, { after }).toSorted((one, other) => (one.type < other.type ? -1 : 1));
    expect(byType).toMatchObject([
      {
        event: 'revoked',
        type: 'org_invite',
        identifier: toOrganization.identifier,
        organizationId,
        actorId: admin.id,
        details: { email: leaver.email, role: 'admin', reason: 'member_removed' },
      },
      { event: 'deleted', type: 'org_membership', identifier: leaver.id },
      {
        event: 'revoked',
        type: 'project_invite',
        identifier: toSecond.identifier,
        organizationId,
        actorId: admin.id,
        details: { email: leaver.email, role: 'admin', project_id: secondId, reason: 'member_removed' },
      },
    ]);
    expectRefusal(await accept(leaver.client, 'organization', toOrganization.token), 404, 'not_found');
    expectRefusal(await accept(leaver.client, 'project', toSecond.token), 404, 'not_found');
    const own = `/api/v1/developers/me/invitations/${toSecond.identifier}/accept`;
    expectRefusal(await leaver.client.post(own), 404, 'not_found');
    expectRefusal(await leaver.client.get(world.secondPath), 404, 'not_found');
    expect(await openInvitations(world)).toEqual([elsewhere.identifier]);
    expect(stored(colleague.identifier)).toMatchObject({ acceptedAt: null, lapsedAt: null });
    // The team can change its mind.
    const again = await invite(admin, `${world.organizationPath}/invites`, { email: leaver.email, role: 'member' });
    expect((await accept(leaver.client, 'organization', again.token)).status).toBe(200);
  });

  it('keeps them for a member who leaves', async () => {
    const world = await scene();
    const { leaver, toSecond } = world;
    expect((await leaver.client.delete(world.memberPath)).status).toBe(204);
    expect(await openInvitations(world)).toHaveLength(3);
    expect((await accept(leaver.client, 'project', toSecond.token)).status).toBe(200);
  });
});

describe('removing a member from a project', () => {
  it('revokes only the invitation of their address to it', async () => {
    const world = await scene();
    const { admin, leaver, secondId, toOrganization, toSecond, elsewhere } = world;
    join(fixture, leaver.id, { projects: { [secondId]: 'read' } });
    expect((await admin.client.delete(`${world.secondPath}/members/${leaver.id}`)).status).toBe(204);
    expect(await openInvitations(world)).toEqual([toOrganization.identifier, elsewhere.identifier].sort());
    expectRefusal(await accept(leaver.client, 'project', toSecond.token), 404, 'not_found');
  });

  it('takes the project out of the invitation of their address to the organization', async () => {
    const team = await addTeam(fixture);
    const { admin, organizationId, organizationPath, projectId, projectPath } = team;
    const leaver = await addPerson(fixture);
    const { email } = leaver;
    const secondId = await addProject(admin.client, organizationId, { name: 'Second' });
    const inSecond = { project_id: secondId, role: 'read' };
    const projects = [{ project_id: projectId, role: 'admin' }, inSecond];
    const invitation = await invite(admin, `${organizationPath}/invites`, { email, role: 'member', projects });
    const others = { email: 'colleague@people.example', role: 'member', projects };
    const colleague = await invite(admin, `${organizationPath}/invites`, others);
    join(fixture, leaver.id, { organizations: { [organizationId]: 'member' }, projects: { [projectId]: 'read' } });
    const after = auditMark(fixture);
    expect((await admin.client.delete(`${projectPath}/members/${leaver.id}`)).status).toBe(204);
    expect(auditRows(fixture, { after, identifier: invitation.identifier })).toMatchObject([
      {
        event: 'edited',
        type: 'org_invite',
        organizationId,
        actorId: admin.id,
        details: { email, role: 'member', projects: [inSecond], project_id: projectId, reason: 'member_removed' },
      },
    ]);
    const { body } = await admin.client.get<Page<Invitation>>(`${organizationPath}/invites`);
    expect(body.items.map(({ identifier, projects }) => ({ identifier, projects }))).toEqual([
      { identifier: colleague.identifier, projects },
      { identifier: invitation.identifier, projects: [inSecond] },
    ]);
    const accepted = await accept(leaver.client, 'organization', invitation.token);
    expect(accepted.body).toMatchObject({ role: 'member', projects: [inSecond] });
    expectRefusal(await leaver.client.get(projectPath), 404, 'not_found');
  });

  it('changes no invitation that does not grant it', async () => {
    const world = await scene();
    const { admin, leaver, projectPath, toOrganization } = world;
    const after = auditMark(fixture);
    expect((await admin.client.delete(`${projectPath}/members/${leaver.id}`)).status).toBe(204);
    expect(auditRows(fixture, { after }).map(({ event, type }) => `${event} ${type}`)).toEqual([
      'deleted project_membership',
    ]);
    expect(stored(toOrganization.identifier)).toMatchObject({ projects: '[]', lapsedAt: null });
  });
});
