// Accepting invitations, their previews and their end.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { memberInvitations, projectMemberships } from '../../src/data/tables/tables.ts';
import { hasOpenInvitation } from '../../src/invitations/service.ts';
import { DAY } from '../../src/lib/clock.ts';
import {
  type Answer,
  api,
  auditMark,
  auditRows,
  comparable,
  expectInvalid,
  expectRefusal,
} from '../support/harness.ts';
import { addPerson, join, signInPerson } from '../support/people.ts';
import {
  accept,
  anonymous,
  fixture,
  invite,
  invited,
  newAddress,
  preview,
  staff,
  useServer,
} from './kinds-scenario.ts';

useServer();

describe('accepting an invitation', () => {
  it.each([
    ['manager', 'member', 'manager'],
    ['admin', 'admin', 'admin'],
    ['member', 'manager', 'manager'],
    ['member', 'admin', 'admin'],
  ] as const)('as %s who is invited as %s results in %s', async (held, offered, expected) => {
    const { admin, path, organizationId, organizationPath } = await staff();
    const guest = await addPerson(fixture);
    const { token } = await invite(admin, path.organization, { email: guest.email, role: offered });
    join(fixture, guest.id, { organizations: { [organizationId]: held } });
    const after = auditMark(fixture);
    expect((await accept(guest.client, 'organization', token)).body).toMatchObject({ role: expected });
    expect((await guest.client.get(organizationPath)).body).toMatchObject({ role: expected });
    const [, change] = auditRows(fixture, { after });
    if (held === expected) expect(change).toBeUndefined();
    else
      expect(change).toMatchObject({ event: 'edited', details: { changed: { role: { from: held, to: expected } } } });
  });

  it.each([
    ['maintainer', 'read', 'maintainer'],
    ['read', 'admin', 'admin'],
    ['read_download', 'read_download', 'read_download'],
  ] as const)('to a project as %s who is invited as %s results in %s', async (held, offered, expected) => {
    const { admin, path, organizationId, projectId, projectPath } = await staff();
    const guest = await addPerson(fixture);
    const { token } = await invite(admin, path.project, { email: guest.email, role: offered });
    join(fixture, guest.id, { organizations: { [organizationId]: 'member' }, projects: { [projectId]: held } });
    expect((await accept(guest.client, 'project', token)).body).toMatchObject({ role: expected });
    expect((await guest.client.get(projectPath)).body).toMatchObject({ role: expected });
  });

  it('to a project keeps an existing membership in the organization', async () => {
    const { admin, member, path, organizationPath, projectPath } = await staff();
    const { token } = await invite(admin, path.project, { email: member.email, role: 'maintainer' });
    const after = auditMark(fixture);
    expect((await accept(member.client, 'project', token)).status).toBe(200);
    expect((await member.client.get(projectPath)).body).toMatchObject({ role: 'maintainer' });
    expect((await member.client.get(organizationPath)).body).toMatchObject({ role: 'member' });
    expect(auditRows(fixture, { after }).map((row) => row.type)).toEqual(['project_invite', 'project_membership']);
  });

  it('fails if its sender has left the organization', async () => {
    const { admin, guest, invitation, organizationId, organizationPath } = await invited('organization');
    const successor = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    await successor.client.delete(`${organizationPath}/members/${admin.id}`);
    expectRefusal(await accept(guest.client, 'organization', invitation.token), 404, 'not_found');
  });

  it('fails if the organization or project is deleted', async () => {
    const { admin, guest, invitation, projectPath } = await invited('project');
    expect((await admin.client.delete(projectPath)).status).toBe(204);
    expectRefusal(await accept(guest.client, 'project', invitation.token), 404, 'not_found');
    expectRefusal(await preview('project', invitation.token), 404, 'not_found');
    const rows = fixture.app.db
      .select()
      .from(projectMemberships)
      .where(eq(projectMemberships.developerId, guest.id))
      .all();
    expect(rows).toEqual([]);
  });
});

describe('the preview', () => {
  it('has two kinds', async () => {
    const { guest, invitation } = await invited('organization');
    const path = `/api/v1/invites/channel/${invitation.token}/preview`;
    expectInvalid(await anonymous.get(path), 'path.kind: enum');
    expectInvalid(await guest.client.post('/api/v1/invites/channel/accept', { invite_token: 'x' }), 'path.kind: enum');
  });

  it('returns the same 404 for every invalid link', async () => {
    const answers = [
      await preview('organization', 'svc_inv_unknown'),
      await preview('project', 'svc_inv_unknown'),
      await preview('organization', '%00'),
      await preview('organization', 'x'.repeat(200)),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(comparable(answer)))).size).toBe(1);
    expectRefusal(answers[0] as Answer<unknown>, 404, 'not_found');
  });

  it('quotes names so that email programs do not turn them into links', async () => {
    const { admin, path, organizationPath } = await staff();
    await admin.client.patch(organizationPath, { name: 'Win at https://spam.example <b>now</b>' });
    const email = newAddress();
    await invite(admin, path.organization, { email, role: 'member' });
    const message = fixture.mail.messages.findLast(({ to }) => to === email);
    for (const part of [message?.subject, message?.text, message?.html])
      expect(part).not.toContain('https://spam.example');
    expect(message?.html).not.toContain('<b>now</b>');
  });
});

describe('the cleanup job', () => {
  it('deletes expired invitations, accepted or not, and nothing else', async () => {
    fixture.clock.advance(14 * DAY);
    await fixture.sweep('invitations');
    const first = await invited('organization');
    await accept(first.guest.client, 'organization', first.invitation.token);
    const second = await invited('project');
    fixture.clock.advance(7 * DAY);
    const third = await invited('organization');
    expect(await fixture.sweep('invitations')).toBe(0);
    fixture.clock.set(new Date(second.invitation.expires_at));
    const left = () =>
      fixture.app.db
        .select({ id: memberInvitations.id })
        .from(memberInvitations)
        .all()
        .map((row) => row.id);
    expect(left()).toEqual(expect.arrayContaining([first.invitation.identifier, second.invitation.identifier]));
    expect(await fixture.sweep('invitations')).toBe(2);
    expect(left()).toEqual([third.invitation.identifier]);
    expect(await fixture.sweep('invitations')).toBe(0);
    const boss = api(fixture, await signInPerson(fixture, second.admin));
    expectRefusal(await boss.post(`${second.invitePath}/resend`), 404, 'not_found');
  });
});

describe('whether an address has an invitation', () => {
  it('follows the invitation: open, revoked, accepted', async () => {
    const { admin, guest, invitation, path } = await invited('project');
    expect(hasOpenInvitation(fixture.app, guest.email)).toBe(true);
    expect(hasOpenInvitation(fixture.app, newAddress())).toBe(false);
    await accept(guest.client, 'project', invitation.token);
    expect(hasOpenInvitation(fixture.app, guest.email)).toBe(false);
    const email = newAddress();
    const { identifier } = await invite(admin, path.organization, { email, role: 'member' });
    expect(hasOpenInvitation(fixture.app, email)).toBe(true);
    await admin.client.delete(`${path.organization}/${identifier}`);
    expect(hasOpenInvitation(fixture.app, email)).toBe(false);
  });
});
