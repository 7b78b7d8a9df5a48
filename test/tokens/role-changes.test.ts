// Role changes: tokens and invitations never grant more than the current role of their owner or sender.
import { and, eq, isNull } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developers, memberInvitations, projectAccessTokens } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import type { OrganizationRole, ProjectRole } from '../../src/permissions.ts';
import { ALL_SCOPES } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  type Answer,
  api,
  auditMark,
  auditRows,
  type Client,
  createAccount,
  expectRefusal,
  type Json,
  type Page,
  signIn,
} from '../support/harness.ts';
import { mailKinds, mailsTo } from '../support/mailbox.ts';
import {
  addPerson,
  addTeam,
  join,
  type Person,
  personalTokenClient,
  signInPerson,
  type Team,
} from '../support/people.ts';

const TOKENS = '/api/v1/project-access-tokens';

interface Created extends Json {
  identifier: string;
  token: string;
}

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

interface Crew extends Team {
  query: { organization_id: string; project_id: string };
}

async function crew(): Promise<Crew> {
  const team = await addTeam(fixture);
  return { ...team, query: { organization_id: team.organizationId, project_id: team.projectId } };
}

async function createToken({ client }: Person, { query }: Crew, role: ProjectRole, name = 'ci'): Promise<Created> {
  const answer = await client.post<Created>(TOKENS, { name, role }, query);
  expect(answer.status).toBe(201);
  return answer.body;
}

const setRole = (by: Client, path: string, { id }: Person, role: OrganizationRole | ProjectRole) =>
  by.patch(`${path}/members/${id}`, { role });

async function listed({ admin, query }: Crew, identifier: string): Promise<Json | undefined> {
  const { body } = await admin.client.get<Page>(TOKENS, query);
  return body.items.find((item) => item.identifier === identifier);
}

describe('a project access token', () => {
  it('is limited to the current role of its owner', async () => {
    const team = await crew();
    const { admin, inRole, projectPath } = team;
    const created = await createToken(inRole.maintainer, team, 'maintainer');
    const client = api(fixture, created.token);
    const channel = (name: string) => client.post('/api/v1/channels', { name }, team.query);
    expect((await channel('one')).status).toBe(201);

    expect((await setRole(admin.client, projectPath, inRole.maintainer, 'read')).status).toBe(200);
    expectRefusal(await channel('two'), 403, 'permission_denied');
    expect((await client.get(projectPath)).body).toMatchObject({ role: 'read' });
    expect(await listed(team, created.identifier)).toMatchObject({ role: 'maintainer', effective_role: 'read' });

    await setRole(admin.client, projectPath, inRole.maintainer, 'admin');
    expect((await channel('two')).status).toBe(201);
    expect((await client.get(projectPath)).body).toMatchObject({ role: 'maintainer' });
  });

  it.each<[string, (team: Crew, owner: Person) => Promise<Answer<Json>>]>([
    [
      'is removed from the project',
      ({ admin, projectPath }, { id }) => admin.client.delete(`${projectPath}/members/${id}`),
    ],
    [
      'is removed from the organization',
      ({ admin, organizationPath }, { id }) => admin.client.delete(`${organizationPath}/members/${id}`),
    ],
    ['leaves', ({ organizationPath }, owner) => owner.client.delete(`${organizationPath}/members/${owner.id}`)],
  ])('stops working when its owner %s', async (_how, leave) => {
    const team = await crew();
    const owner = team.inRole.maintainer;
    const created = await createToken(owner, team, 'maintainer');
    const client = api(fixture, created.token);
    expect((await leave(team, owner)).status).toBe(204);
    for (const answer of [
      await client.get(team.projectPath),
      await client.get('/api/v1/builds', team.query),
      await client.get('/api/v1/projects', { organization_id: team.organizationId }),
      await client.get('/api/v1/organizations'),
      await client.post('/api/v1/builds/initiate', { version_name: '1', build_number: 1 }, team.query),
    ]) {
      expectRefusal(answer, 401, 'unauthorized');
    }
    expect(await listed(team, created.identifier)).toMatchObject({ owner_id: owner.id, effective_role: null });
  });

  it('stops working when its creator, a manager of the organization, becomes a member without a role in the project', async () => {
    const team = await crew();
    const created = await createToken(team.manager, team, 'admin');
    await setRole(team.admin.client, team.organizationPath, team.manager, 'member');
    expectRefusal(await api(fixture, created.token).get(team.projectPath), 401, 'unauthorized');
    join(fixture, team.manager.id, { projects: { [team.projectId]: 'read_download' } });
    expect((await api(fixture, created.token).get(team.projectPath)).body).toMatchObject({ role: 'read_download' });
  });

  it('stops working when the account of its owner is locked or deleted', async () => {
    const team = await crew();
    const account = await createAccount(fixture);
    const owner = await signIn(fixture, account);
    join(fixture, account.developer_id, {
      organizations: { [team.organizationId]: 'member' },
      projects: { [team.projectId]: 'maintainer' },
    });
    const answer = await owner.client.post<Created>(TOKENS, { name: 'ci', role: 'maintainer' }, team.query);
    const { token, identifier } = answer.body;
    const body = { current_password: account.password };
    const deletion = await owner.client.send('DELETE', `/api/v1/developers/${account.developer_id}`, { body });
    expect(deletion.status).toBe(204);
    expectRefusal(await api(fixture, token).get(team.projectPath), 401, 'unauthorized');
    await fixture.drain();
    expect(mailKinds(fixture, team.admin.email).some((kind) => kind.startsWith('token_owner'))).toBe(true);

    const due = fixture.config.accounts.deletion_grace_days * DAY;
    fixture.app.db
      .update(developers)
      .set({ deletionDueAt: fixture.clock.now().getTime() - due })
      .where(eq(developers.id, account.developer_id))
      .run();
    await fixture.sweep('account-deletions');
    expect(await listed(team, identifier)).toMatchObject({ created_by: null, owner_id: null, effective_role: null });
    expectRefusal(await api(fixture, token).get(team.projectPath), 401, 'unauthorized');
    expect((await team.admin.client.post(`${TOKENS}/${identifier}/take-over`)).status).toBe(200);
    expect((await api(fixture, token).get(team.projectPath)).status).toBe(200);
  });

  it('is announced to every admin of the project by email, once, with its remaining role', async () => {
    const team = await crew();
    const { admin, inRole, projectPath } = team;
    await createToken(inRole.maintainer, team, 'maintainer', 'nightly');
    await createToken(inRole.maintainer, team, 'read', 'reader');
    const revoked = await createToken(inRole.maintainer, team, 'maintainer', 'revoked');
    await admin.client.post(`${TOKENS}/${revoked.identifier}/revoke`);
    const told = (person: Person) =>
      mailsTo(fixture, person.email).filter(({ subject }) => subject.includes('new owner'));

    await setRole(admin.client, projectPath, inRole.maintainer, 'read');
    await fixture.drain();
    const [mail, ...more] = told(admin);
    expect(more).toEqual([]);
    expect(mail?.subject).toBe('Access tokens of “Crane” need a new owner');
    expect(mail?.text).toContain('“nightly” (maintainer) now has only the read role.');
    expect(mail?.text).not.toMatch(/“reader”|“revoked”/);
    expect(mail?.text).toContain(`${fixture.config.server.base_url}/projects/${team.projectId}/tokens`);
    for (const person of [team.manager, inRole.admin]) expect(told(person)).toHaveLength(1);
    for (const person of [team.member, inRole.maintainer, inRole.read_download]) expect(told(person)).toEqual([]);

    await admin.client.delete(`${projectPath}/members/${inRole.maintainer.id}`);
    await fixture.drain();
    expect(told(admin)).toHaveLength(2);
    expect(told(admin)[1]?.text).toContain('“nightly” (maintainer) no longer works.');
    expect(told(admin)[1]?.text).toContain('“reader” (read) no longer works.');
    // Coming back is no news.
    join(fixture, inRole.maintainer.id, { projects: { [team.projectId]: 'read' } });
    await setRole(admin.client, projectPath, inRole.maintainer, 'admin');
    await fixture.drain();
    expect(told(admin)).toHaveLength(2);
  });
});

describe('rotating a token of someone else', () => {
  it("makes the caller its owner, so that the new secret is limited to the caller's role", async () => {
    const team = await crew();
    const { admin, inRole, projectPath } = team;
    const created = await createToken(admin, team, 'maintainer');
    const after = auditMark(fixture);
    const rotated = await inRole.maintainer.client.post<Created>(`${TOKENS}/${created.identifier}/rotate`);
    expect(rotated.body).toMatchObject({
      created_by: admin.id,
      owner_id: inRole.maintainer.id,
      effective_role: 'maintainer',
    });
    expect(auditRows(fixture, { after })).toMatchObject([
      { event: 'project_access_token_rotated', details: { owner: { from: admin.id, to: inRole.maintainer.id } } },
    ]);
    const client = api(fixture, rotated.body.token);
    expect((await client.get(projectPath)).status).toBe(200);
    expect((await admin.client.delete(`${projectPath}/members/${inRole.maintainer.id}`)).status).toBe(204);
    expectRefusal(await client.get(projectPath), 401, 'unauthorized');
  });

  it('requires a project admin if its owner lost the project, because it restores the token', async () => {
    const team = await crew();
    const { admin, inRole, projectPath } = team;
    const created = await createToken(inRole.maintainer, team, 'read');
    const other = await addPerson(fixture);
    join(fixture, other.id, {
      organizations: { [team.organizationId]: 'member' },
      projects: { [team.projectId]: 'maintainer' },
    });
    await admin.client.delete(`${projectPath}/members/${inRole.maintainer.id}`);
    const after = auditMark(fixture);
    const path = `${TOKENS}/${created.identifier}/rotate`;
    const refused = await other.client.post<{ message: string }>(path);
    expectRefusal(refused, 400, 'operation_not_allowed');
    expect(refused.body.message).toContain('take it over');
    expect(auditRows(fixture, { after })).toEqual([]);
    expect(await listed(team, created.identifier)).toMatchObject({
      owner_id: inRole.maintainer.id,
      effective_role: null,
      rotated_at: null,
    });
    const rotated = await inRole.admin.client.post<Created>(path);
    expect(rotated.body).toMatchObject({ owner_id: inRole.admin.id, effective_role: 'read' });
    expectRefusal(await api(fixture, created.token).get(projectPath), 401, 'unauthorized');
    expect((await api(fixture, rotated.body.token).get(projectPath)).status).toBe(200);
    expect((await other.client.post(path)).status).toBe(200);
  });
});

describe('taking a token over', () => {
  it('restores it with the same secret, and is recorded', async () => {
    const team = await crew();
    const { admin, inRole, projectPath, organizationId, projectId } = team;
    const created = await createToken(inRole.maintainer, team, 'maintainer');
    await admin.client.delete(`${projectPath}/members/${inRole.maintainer.id}`);
    const after = auditMark(fixture);
    const taken = await inRole.admin.client.post(`${TOKENS}/${created.identifier}/take-over`);
    expect(taken.status).toBe(200);
    const { token, ...shown } = created;
    expect(taken.body).toEqual({ ...shown, owner_id: inRole.admin.id, effective_role: 'maintainer' });
    expect((await api(fixture, token).get(projectPath)).body).toMatchObject({ role: 'maintainer' });
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'edited',
        type: 'project_access_token',
        identifier: created.identifier,
        organizationId,
        actorId: inRole.admin.id,
        details: {
          project_id: projectId,
          name: 'ci',
          role: 'maintainer',
          taken_over: true,
          from: inRole.maintainer.id,
          to: inRole.admin.id,
        },
      },
    ]);
    // Doing it again changes nothing.
    const again = await inRole.admin.client.post(`${TOKENS}/${created.identifier}/take-over`);
    expect([again.status, again.body.owner_id]).toEqual([200, inRole.admin.id]);
    expect(auditRows(fixture, { after })).toHaveLength(1);
  });

  it('requires a project admin who is signed in', async () => {
    const team = await crew();
    const { admin, inRole, organizationId } = team;
    const created = await createToken(inRole.admin, team, 'read');
    const path = `${TOKENS}/${created.identifier}/take-over`;
    expectRefusal(await inRole.maintainer.client.post(path), 404, 'not_found');
    expectRefusal(await team.outsider.client.post(path), 404, 'not_found');
    expectRefusal(await api(fixture, created.token).post(path), 403, 'permission_denied');
    const personal = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: ALL_SCOPES });
    expectRefusal(await personal.post(path), 403, 'permission_denied');
    expect((await team.manager.client.post(path)).status).toBe(200);
  });

  it('is rejected for a revoked or expired token', async () => {
    const team = await crew();
    const { admin } = team;
    const revoked = await createToken(admin, team, 'read');
    await admin.client.post(`${TOKENS}/${revoked.identifier}/revoke`);
    expectRefusal(await admin.client.post(`${TOKENS}/${revoked.identifier}/take-over`), 400, 'operation_not_allowed');
    const expired = await createToken(admin, team, 'read');
    const expiresAt = fixture.clock.now().getTime() - 1;
    fixture.app.db
      .update(projectAccessTokens)
      .set({ expiresAt })
      .where(eq(projectAccessTokens.id, expired.identifier))
      .run();
    expectRefusal(await admin.client.post(`${TOKENS}/${expired.identifier}/take-over`), 400, 'operation_not_allowed');
  });
});

describe('an invitation', () => {
  const guest = () => addPerson(fixture);
  const invite = async (client: Client, path: string, { email }: Person, role: string) => {
    const answer = await client.post<{ identifier: string }>(`${path}/invites`, { email, role });
    expect(answer.status).toBe(201);
    const [, token = ''] = /\/invite\/\w+\/(\S+)/.exec(mailsTo(fixture, email).at(-1)?.text ?? '') ?? [];
    return { identifier: answer.body.identifier, token };
  };
  const accept = ({ client }: Person, kind: 'organization' | 'project', token: string) =>
    client.post(`/api/v1/invites/${kind}/accept`, { invite_token: token });
  const open = async ({ admin }: Crew, path: string) =>
    (await admin.client.get<Page>(`${path}/invites`)).body.items.map(({ identifier }) => identifier);

  it("to the organization is revoked when its sender's role falls below the role that it grants", async () => {
    const team = await crew();
    const { admin, organizationPath, organizationId } = team;
    const second = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    const guests = [await guest(), await guest()] as const;
    const asAdmin = await invite(second.client, organizationPath, guests[0], 'admin');
    const asMember = await invite(second.client, organizationPath, guests[1], 'member');
    const after = auditMark(fixture);
    await setRole(admin.client, organizationPath, second, 'member');
    expect(await open(team, organizationPath)).toEqual([asMember.identifier]);
    expect(auditRows(fixture, { after, identifier: asAdmin.identifier })).toMatchObject([
      {
        event: 'revoked',
        type: 'org_invite',
        actorId: admin.id,
        details: { email: guests[0].email, role: 'admin', reason: 'sender_role', sent_by: second.id },
      },
    ]);
    expectRefusal(
      await api(fixture, null).get(`/api/v1/invites/organization/${asAdmin.token}/preview`),
      404,
      'not_found',
    );
    expectRefusal(await accept(guests[0], 'organization', asAdmin.token), 404, 'not_found');
    expect((await accept(guests[1], 'organization', asMember.token)).status).toBe(200);
  });

  it('is revoked when its sender leaves, in the organization and its projects', async () => {
    const team = await crew();
    const { admin, manager, organizationPath, projectPath } = team;
    const guests = [await guest(), await guest()] as const;
    const first = await invite(manager.client, organizationPath, guests[0], 'member');
    const second = await invite(manager.client, projectPath, guests[1], 'read');
    const after = auditMark(fixture);
    await admin.client.delete(`${organizationPath}/members/${manager.id}`);
    expect([await open(team, organizationPath), await open(team, projectPath)]).toEqual([[], []]);
    expect(auditRows(fixture, { after }).map(({ event, type }) => `${event} ${type}`)).toEqual([
      'revoked org_invite',
      'revoked project_invite',
      'deleted org_membership',
    ]);
    expectRefusal(await accept(guests[0], 'organization', first.token), 404, 'not_found');
    expectRefusal(await accept(guests[1], 'project', second.token), 404, 'not_found');
  });

  it("to a project is revoked when its sender's role falls below the role that it grants", async () => {
    const team = await crew();
    const { admin, inRole, projectPath } = team;
    const guests = [await guest(), await guest()] as const;
    const above = await invite(inRole.admin.client, projectPath, guests[0], 'admin');
    const within = await invite(inRole.admin.client, projectPath, guests[1], 'read_download');
    await setRole(admin.client, projectPath, inRole.admin, 'maintainer');
    expect(await open(team, projectPath)).toEqual([within.identifier]);
    expectRefusal(await accept(guests[0], 'project', above.token), 404, 'not_found');
    expect((await accept(guests[1], 'project', within.token)).status).toBe(200);
  });

  it('of a project access token is limited to its owner', async () => {
    const team = await crew();
    const { admin, inRole, projectPath } = team;
    const { token } = await createToken(inRole.admin, team, 'admin');
    const invited = await guest();
    const { token: invitation } = await invite(api(fixture, token), projectPath, invited, 'admin');
    await admin.client.delete(`${projectPath}/members/${inRole.admin.id}`);
    expectRefusal(await accept(invited, 'project', invitation), 404, 'not_found');
  });

  it('of an unknown sender, or one whose role fell unnoticed, grants nothing', async () => {
    const team = await crew();
    const { manager, organizationPath } = team;
    const invited = await guest();
    const { token, identifier } = await invite(manager.client, organizationPath, invited, 'member');
    const isThis = eq(memberInvitations.id, identifier);
    fixture.app.db.update(memberInvitations).set({ backedBy: null }).where(isThis).run();
    expectRefusal(await accept(invited, 'organization', token), 404, 'not_found');
    fixture.app.db.update(memberInvitations).set({ backedBy: team.outsider.id }).where(isThis).run();
    expectRefusal(await accept(invited, 'organization', token), 404, 'not_found');
    fixture.app.db.update(memberInvitations).set({ backedBy: manager.id }).where(isThis).run();
    expect((await accept(invited, 'organization', token)).status).toBe(200);
  });

  it('depends on the person who resends it', async () => {
    const team = await crew();
    const { admin, manager, organizationId, organizationPath } = team;
    const second = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    const invited = await guest();
    const { identifier } = await invite(manager.client, organizationPath, invited, 'member');
    fixture.clock.advance(6 * MINUTE);
    const token = await signInPerson(fixture, second);
    const again = await api(fixture, token).post(`${organizationPath}/invites/${identifier}/resend`);
    expect(again.status).toBe(200);
    await api(fixture, await signInPerson(fixture, admin)).delete(`${organizationPath}/members/${manager.id}`);
    const [, invitation = ''] = /\/invite\/\w+\/(\S+)/.exec(mailsTo(fixture, invited.email).at(-1)?.text ?? '') ?? [];
    expect(
      (
        await accept(
          { ...invited, client: api(fixture, await signInPerson(fixture, invited)) },
          'organization',
          invitation,
        )
      ).status,
    ).toBe(200);
  });

  it('is revoked together with many hundreds, in steps', async () => {
    const team = await crew();
    const { admin, manager, organizationId, organizationPath } = team;
    const { app } = fixture;
    const createdAt = app.clock.now().getTime();
    for (let i = 0; i < 450; i += 1) {
      const id = app.ids.next();
      const row = {
        id,
        organizationId,
        email: `${id}@many.example`,
        role: 'member',
        tokenHash: id,
        invitedBy: manager.id,
        backedBy: manager.id,
      };
      app.db
        .insert(memberInvitations)
        .values({ ...row, createdAt, sentAt: createdAt, expiresAt: createdAt + DAY })
        .run();
    }
    const isOpen = and(eq(memberInvitations.backedBy, manager.id), isNull(memberInvitations.lapsedAt));
    const sent = () => app.db.select().from(memberInvitations).where(isOpen).all();
    await admin.client.delete(`${organizationPath}/members/${manager.id}`);
    await fixture.drain();
    await fixture.drain();
    expect(sent()).toEqual([]);
  });

  it('to a channel is revoked when its sender can no longer download', async () => {
    const team = await crew();
    const { admin, inRole, projectPath, query } = team;
    const channel = await admin.client.post<{ identifier: string }>('/api/v1/channels', { name: 'beta' }, query);
    const invited = await guest();
    const place = { ...query, channel_id: channel.body.identifier };
    const send = () =>
      inRole.maintainer.client.post<{ identifier: string; invite_token: string }>(
        '/api/v1/channel-invites',
        { email: invited.email },
        place,
      );
    const kept = await send();
    await setRole(admin.client, projectPath, inRole.maintainer, 'read_download');
    const list = async () => (await admin.client.get<Page>('/api/v1/channel-invites', place)).body.items;
    expect(await list()).toHaveLength(1);
    const after = auditMark(fixture);
    await setRole(admin.client, projectPath, inRole.maintainer, 'read');
    expect(await list()).toEqual([]);
    expect(auditRows(fixture, { after, identifier: kept.body.identifier })).toMatchObject([
      {
        event: 'revoked',
        type: 'channel_tester_invite',
        details: { reason: 'sender_role', sent_by: inRole.maintainer.id },
      },
    ]);
    const answer = await invited.client.post('/api/v1/testers/invites/accept', {
      invite_token: kept.body.invite_token,
    });
    expectRefusal(answer, 404, 'not_found');
  });
});

describe('a personal access token', () => {
  it('is limited to the current roles of its owner, also when it is rotated', async () => {
    const team = await crew();
    const { admin, manager, organizationId, organizationPath } = team;
    const create = await manager.client.post<Created>(
      '/api/v1/pats',
      { name: 'script', scopes: String(ALL_SCOPES) },
      { organization_id: organizationId },
    );
    expect(create.status).toBe(201);
    const client = api(fixture, create.body.token);
    expect(
      (await client.post('/api/v1/projects', { name: 'One', platform: 'ios' }, { organization_id: organizationId }))
        .status,
    ).toBe(201);
    await setRole(admin.client, organizationPath, manager, 'member');
    expectRefusal(
      await client.post('/api/v1/projects', { name: 'Two', platform: 'ios' }, { organization_id: organizationId }),
      403,
      'insufficient_role',
    );
    const rotated = await manager.client.post(`/api/v1/pats/${create.body.identifier}/rotate`);
    expectRefusal(rotated, 403, 'insufficient_role');
  });
});
