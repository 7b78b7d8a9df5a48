// Invitations to organizations and projects: who can send and accept them, and what they reveal to others.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { auditEvents, developers, memberInvitations, organizations } from '../../src/data/tables/tables.ts';
import { hasOpenInvitation } from '../../src/invitations/service.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { ALL_SCOPES } from '../../src/permissions.ts';
import {
  type Answer,
  api,
  auditMark,
  auditRows,
  comparable,
  expectInvalid,
  expectRefusal,
  type Page,
  walkPages,
} from '../support/harness.ts';
import { addPerson, personalTokenClient, signInPerson } from '../support/people.ts';
import {
  accept,
  anonymous,
  fixture,
  type Invitation,
  invite,
  invited,
  leastRole,
  mailedToken,
  newAddress,
  preview,
  staff,
  useServer,
} from './kinds-scenario.ts';

useServer();

const ROLES = ['read', 'read_download', 'read_download_upload', 'maintainer', 'admin'] as const;

describe('inviting to an organization', () => {
  it('emails a link, returns it once and stores its hash', async () => {
    const { manager, organizationId, path } = await staff();
    const email = newAddress();
    const after = auditMark(fixture);
    const answer = await manager.client.post<Invitation>(path.organization, {
      email: ` ${email.toUpperCase()} `,
      role: 'member',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      identifier: expect.any(String),
      organization_id: organizationId,
      email,
      role: 'member',
      invited_by: manager.id,
      created_at: expect.any(String),
      sent_at: answer.body.created_at,
      expires_at: new Date(Date.parse(String(answer.body.created_at)) + 14 * DAY).toISOString(),
      state: 'open',
      email_state: 'kept',
      projects: [],
      accept_url: expect.stringMatching(/\/invite\/organization\/svc_inv_[\w-]+$/),
    });
    expect(answer.text).not.toContain(mailedToken(email));
    const token = mailedToken(email);
    const message = fixture.mail.messages.findLast(({ to }) => to === email);
    expect(message?.subject).toContain('Wharf');
    for (const part of [message?.text, message?.html]) {
      expect(part).toContain(`${fixture.config.server.base_url}/invite/organization/${token}`);
      expect(part).toContain(`Person ${manager.id}`);
    }
    const { db } = fixture.app;
    const kept = JSON.stringify([db.select().from(memberInvitations).all(), db.select().from(auditEvents).all()]);
    expect(kept).not.toContain(token);
    const { accept_url: _, ...listed } = answer.body;
    const list = await manager.client.get<Page<Invitation>>(path.organization);
    expect(list.body).toEqual({ items: [listed], next_cursor: null });
    expect(list.text).not.toContain(token);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'created',
        type: 'org_invite',
        identifier: answer.body.identifier,
        organizationId,
        actorId: manager.id,
        details: { email, role: 'member' },
      },
    ]);
  });

  it('allows managers to invite members, and admins to invite anyone', async () => {
    const { admin, manager, member, outsider, path, organizationId } = await staff();
    for (const role of ['member', 'manager', 'admin']) {
      expect((await admin.client.post(path.organization, { email: newAddress(), role })).status).toBe(201);
    }
    for (const role of ['manager', 'admin']) {
      const refused = await manager.client.post(path.organization, { email: newAddress(), role });
      expectRefusal(refused, 403, 'insufficient_role');
    }
    const body = { email: newAddress(), role: 'member' };
    expectRefusal(await member.client.post(path.organization, body), 403, 'insufficient_role');
    expectRefusal(await member.client.get(path.organization), 403, 'insufficient_role');
    expectRefusal(await outsider.client.post(path.organization, body), 404, 'not_found');
    const script = personalTokenClient(fixture, { developerId: manager.id, organizationId, scopes: ALL_SCOPES });
    expect((await script.post(path.organization, body)).status).toBe(201);
    expectRefusal(
      await script.post(path.organization, { email: newAddress(), role: 'admin' }),
      403,
      'insufficient_role',
    );
  });

  it('hides the invitations of managers and admins from managers', async () => {
    const { admin, manager, path } = await staff();
    const { identifier } = await invite(admin, path.organization, { email: newAddress(), role: 'admin' });
    fixture.clock.advance(6 * MINUTE);
    for (const [method, suffix] of [
      ['POST', '/resend'],
      ['DELETE', ''],
    ] as const) {
      const refused = await manager.client.send(method, `${path.organization}/${identifier}${suffix}`);
      expectRefusal(refused, 403, 'insufficient_role');
    }
    expect((await admin.client.delete(`${path.organization}/${identifier}`)).status).toBe(204);
  });

  it('returns the same whether or not the address has an account', async () => {
    const { admin, path, outsider } = await staff();
    const known = await admin.client.post(path.organization, { email: outsider.email, role: 'member' });
    const unknown = await admin.client.post(path.organization, { email: newAddress(), role: 'member' });
    expect([known.status, Object.keys(known.body)]).toEqual([unknown.status, Object.keys(unknown.body)]);
  });
});

describe('inviting to a project', () => {
  it('emails a link, returns it once and stores its hash', async () => {
    const { projectAdmin, organizationId, projectId, path } = await staff();
    const email = newAddress();
    const after = auditMark(fixture);
    const { token, accept_url, ...shown } = await invite(projectAdmin, path.project, {
      email,
      role: 'read_download_upload',
    });
    expect(accept_url).toMatch(/\/invite\/project\/svc_inv_[\w-]+$/);
    expect(accept_url).not.toContain(token);
    expect(shown).toMatchObject({
      organization_id: organizationId,
      project_id: projectId,
      role: 'read_download_upload',
    });
    const message = fixture.mail.messages.findLast(({ to }) => to === email);
    for (const word of ['Wharf', 'Crane', 'read + download + upload', `/invite/project/${token}`]) {
      expect(message?.text).toContain(word);
    }
    expect((await projectAdmin.client.get<Page<Invitation>>(path.project)).body).toEqual({
      items: [shown],
      next_cursor: null,
    });
    expect((await projectAdmin.client.get<Page<Invitation>>(path.project)).text).not.toContain(token);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'created',
        type: 'project_invite',
        identifier: shown.identifier,
        organizationId,
        details: { project_id: projectId },
      },
    ]);
  });

  it('requires an admin of the project', async () => {
    const { admin, manager, member, maintainer, projectAdmin, outsider, path, organizationId, projectId } =
      await staff();
    for (const person of [admin, manager, projectAdmin]) {
      for (const role of ROLES) await invite(person, path.project, { email: newAddress(), role });
    }
    const body = { email: newAddress(), role: 'read' };
    for (const person of [member, maintainer, outsider]) {
      expectRefusal(await person.client.post(path.project, body), 404, 'not_found');
      expectRefusal(await person.client.get(path.project), 404, 'not_found');
    }
    const tokens = await admin.client.post<{ token: string }>(
      '/api/v1/project-access-tokens',
      { name: 'ci', role: 'admin' },
      { organization_id: organizationId, project_id: projectId },
    );
    const robot = await invite({ client: api(fixture, tokens.body.token) }, path.project, body);
    expect(robot.invited_by).toBeNull();
    expect((await preview('project', robot.token)).body).toMatchObject({ inviter_name: null });
  });

  it('separates the two kinds', async () => {
    const { admin, path } = await staff();
    const email = newAddress();
    const one = await invite(admin, path.organization, { email, role: 'member' });
    const other = await invite(admin, path.project, { email, role: 'read' });
    expect(
      (await admin.client.get<Page<Invitation>>(path.organization)).body.items.map((item) => item.identifier),
    ).toEqual([one.identifier]);
    expect((await admin.client.get<Page<Invitation>>(path.project)).body.items.map((item) => item.identifier)).toEqual([
      other.identifier,
    ]);
    expectRefusal(await admin.client.delete(`${path.project}/${one.identifier}`), 404, 'not_found');
    expectRefusal(await admin.client.delete(`${path.organization}/${other.identifier}`), 404, 'not_found');
    expectRefusal(await preview('project', one.token), 404, 'not_found');
    expectRefusal(await preview('organization', other.token), 404, 'not_found');
  });
});

describe.each(['organization', 'project'] as const)('an invitation to the %s', (kind) => {
  const type = kind === 'organization' ? 'org_invite' : 'project_invite';

  it.each([
    [{}, ['body.email: missing', 'body.role: missing']],
    [{ email: 'nobody', role: 'admin' }, ['body.email: string_pattern_mismatch']],
    [{ email: `${'x'.repeat(250)}@example.test`, role: 'admin' }, ['body.email: string_too_long']],
    [{ email: 'a@example.test', role: 'owner' }, ['body.role: enum']],
    [{ email: 'a@example.test', role: 1 }, ['body.role: enum']],
  ])('is rejected with the body %j', async (body, expected) => {
    const { admin, path } = await staff();
    expectInvalid(await admin.client.post(path[kind], body), ...expected);
  });

  it('is rejected for members and for addresses with an open invitation', async () => {
    const { admin, manager, maintainer, path } = await staff();
    const role = leastRole[kind];
    for (const { email } of [manager, maintainer]) {
      expectRefusal(await admin.client.post(path[kind], { email, role }), 409, 'already_exists');
    }
    const email = newAddress();
    const { identifier } = await invite(admin, path[kind], { email, role });
    expectRefusal(await admin.client.post(path[kind], { email, role: 'admin' }), 409, 'already_exists');
    await admin.client.delete(`${path[kind]}/${identifier}`);
    await invite(admin, path[kind], { email, role });
    fixture.clock.advance(14 * DAY);
    const again = api(fixture, await signInPerson(fixture, admin));
    await invite({ client: again }, path[kind], { email, role });
  });

  it('is created once for fifty simultaneous requests', async () => {
    const { admin, path } = await staff();
    const body = { email: newAddress(), role: leastRole[kind] };
    const answers = await Promise.all(Array.from({ length: 50 }, () => admin.client.post(path[kind], body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(fixture.mail.messages.filter(({ to }) => to === body.email)).toHaveLength(1);
  });

  it('shows its organization and role to anyone with the link', async () => {
    const { admin, organizationId, projectId, invitation } = await invited(kind);
    const answer = await preview(kind, invitation.token);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      kind,
      organization_id: organizationId,
      organization_name: 'Wharf',
      project_id: kind === 'project' ? projectId : null,
      project_name: kind === 'project' ? 'Crane' : null,
      role: leastRole[kind],
      projects: [],
      inviter_name: `Person ${admin.id}`,
      expires_at: invitation.expires_at,
      sign_up: { email: invitation.email, account: 'existing', is_open: true, also: [], sso_login_url: null },
    });
  });

  it('has a page at its link until it is accepted', async () => {
    const { guest, invitation } = await invited(kind);
    const page = await anonymous.get(`/invite/${kind}/${invitation.token}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Invitation to Wharf');
    expect(page.text).toContain(`/api/v1/invites/${kind}/accept`);
    await guest.client.post(`/api/v1/invites/${kind}/accept`, { invite_token: invitation.token });
    const used = await anonymous.get(`/invite/${kind}/${invitation.token}`);
    expect([used.status, used.text]).toEqual([404, expect.stringContaining('This invitation is no longer valid')]);
  });

  it('is accepted by the invited person, once', async () => {
    const { guest, invitation, organizationId, organizationPath, projectId, projectPath, path, admin } =
      await invited(kind);
    const after = auditMark(fixture);
    const answer = await accept(guest.client, kind, invitation.token);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        organization_id: organizationId,
        project_id: kind === 'project' ? projectId : null,
        role: leastRole[kind],
        projects: [],
      },
    ]);
    expect((await guest.client.get(organizationPath)).body).toMatchObject({ role: 'member' });
    expect((await guest.client.get(projectPath)).status).toBe(kind === 'project' ? 200 : 404);
    expect(auditRows(fixture, { after }).map((row) => [row.event, row.type, row.identifier, row.actorId])).toEqual([
      ['accepted', type, invitation.identifier, guest.id],
      ['created', 'org_membership', guest.id, guest.id],
      ...(kind === 'project' ? [['created', 'project_membership', guest.id, guest.id]] : []),
    ]);
    expectRefusal(await accept(guest.client, kind, invitation.token), 404, 'not_found');
    expectRefusal(await preview(kind, invitation.token), 404, 'not_found');
    expect((await admin.client.get<Page<Invitation>>(path[kind])).body.items).toEqual([]);
  });

  it('is accepted once in fifty simultaneous requests', async () => {
    const { guest, invitation } = await invited(kind);
    const after = auditMark(fixture);
    const answers = await Promise.all(Array.from({ length: 50 }, () => accept(guest.client, kind, invitation.token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const losers = answers.filter(({ status }) => status !== 200);
    expect(new Set(losers.map(({ text }) => text)).size).toBe(1);
    expectRefusal(losers[0] as Answer<unknown>, 404, 'not_found');
    expect(auditRows(fixture, { after }).filter((row) => row.event === 'accepted')).toHaveLength(1);
  });

  it('is not found for other addresses, with the same response for all', async () => {
    const { admin, outsider, guest, invitation, invitePath, path } = await invited(kind);
    const otherKind = kind === 'project' ? 'organization' : 'project';
    const changed = await addPerson(fixture);
    const moved = await invite(admin, path[kind], { email: changed.email, role: leastRole[kind] });
    const address = { email: newAddress() };
    fixture.app.db.update(developers).set(address).where(eq(developers.id, changed.id)).run();
    const refusals = [
      await accept(outsider.client, kind, invitation.token),
      await accept(changed.client, kind, moved.token),
      await accept(guest.client, otherKind, invitation.token),
      await accept(guest.client, kind, `${invitation.token}x`),
      await accept(guest.client, kind, invitation.token.toLowerCase()),
      await accept(guest.client, kind, 'svc_inv_unknown'),
    ];
    await admin.client.delete(invitePath);
    refusals.push(await accept(guest.client, kind, invitation.token));
    expect(new Set(refusals.map((answer) => JSON.stringify(comparable(answer)))).size).toBe(1);
    expectRefusal(refusals[0] as Answer<unknown>, 404, 'not_found');
  });

  it('requires a verified address and a sign-in', async () => {
    const { admin, path, organizationId, projectId } = await staff();
    const role = leastRole[kind];
    const unverified = await addPerson(fixture, { isVerified: false });
    const { token } = await invite(admin, path[kind], { email: unverified.email, role });
    expectRefusal(await accept(unverified.client, kind, token), 403, 'email_not_verified');
    expectRefusal(await accept(anonymous, kind, token), 401, 'unauthorized');
    const script = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: ALL_SCOPES });
    expectRefusal(await accept(script, kind, token), 403, 'permission_denied');
    const ci = await admin.client.post<{ token: string }>(
      '/api/v1/project-access-tokens',
      { name: 'ci', role: 'admin' },
      { organization_id: organizationId, project_id: projectId },
    );
    expectRefusal(await accept(api(fixture, ci.body.token), kind, token), 403, 'permission_denied');
    fixture.app.db.update(developers).set({ emailVerifiedAt: 1 }).where(eq(developers.id, unverified.id)).run();
    expect((await accept(unverified.client, kind, token)).status).toBe(200);
    expectInvalid(await accept(unverified.client, kind, ''), 'body.invite_token: string_too_short');
    expectInvalid(await unverified.client.post(`/api/v1/invites/${kind}/accept`, {}), 'body.invite_token: missing');
  });

  it('expires after exactly 14 days', async () => {
    const { guest, invitation, admin, invitePath, path } = await invited(kind);
    const end = Date.parse(invitation.expires_at);
    fixture.clock.set(new Date(end - MINUTE));
    expect((await preview(kind, invitation.token)).status).toBe(200);
    expect(hasOpenInvitation(fixture.app, guest.email)).toBe(true);
    fixture.clock.set(new Date(end));
    expect(hasOpenInvitation(fixture.app, guest.email)).toBe(false);
    expectRefusal(await preview(kind, invitation.token), 404, 'not_found');
    const [late, boss] = await Promise.all([signInPerson(fixture, guest), signInPerson(fixture, admin)]);
    expectRefusal(await accept(api(fixture, late), kind, invitation.token), 404, 'not_found');
    expectRefusal(await api(fixture, boss).post(`${invitePath}/resend`), 404, 'not_found');
    expectRefusal(await api(fixture, boss).delete(invitePath), 404, 'not_found');
    expect((await api(fixture, boss).get<Page<Invitation>>(path[kind])).body.items).toEqual([]);
  });

  it('is rejected for a locked organization, and still works afterwards', async () => {
    const { guest, invitation, organizationId } = await invited(kind);
    const setLock = (lockReason: 'grace' | null) =>
      fixture.app.db.update(organizations).set({ lockReason }).where(eq(organizations.id, organizationId)).run();
    setLock('grace');
    const refused = await accept(guest.client, kind, invitation.token);
    expect(expectRefusal(refused, 402, 'trial_ended')).toEqual({ lock_reason: 'grace' });
    setLock(null);
    expect((await accept(guest.client, kind, invitation.token)).status).toBe(200);
  });

  it('is listed newest first, page by page', async () => {
    const { admin, path } = await staff();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      ids.push((await invite(admin, path[kind], { email: newAddress(), role: leastRole[kind] })).identifier);
    }
    const walked = (await walkPages(admin.client, path[kind], { limit: 2 })).flat();
    expect(walked.map((item) => item.identifier)).toEqual(ids.toReversed());
  });
});
