// Project access tokens: creating, listing, rotating, revoking and deleting them, and their permissions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEvents, outboxEvents, projectAccessTokens } from '../../src/data/tables/tables.ts';
import { ALL_SCOPES, projectRoles } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  ABSENT,
  api,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
  type Page,
  walkPages,
} from '../support/harness.ts';
import { addOrganization, addPerson, addProject, addTeam, personalTokenClient } from '../support/people.ts';

const TOKENS = '/api/v1/project-access-tokens';

interface Created extends Json {
  identifier: string;
  token: string;
}

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

async function staff() {
  const team = await addTeam(fixture);
  return { ...team, query: { organization_id: team.organizationId, project_id: team.projectId } };
}

async function create(client: Client, query: Record<string, string>, body: Json = {}): Promise<Created> {
  const answer = await client.post<Created>(TOKENS, { name: 'ci', role: 'maintainer', ...body }, query);
  expect(answer.status).toBe(201);
  return answer.body;
}

describe('creating a token', () => {
  it('returns the secret once, and stores only its hash', async () => {
    const { inRole, query, organizationId, projectId } = await staff();
    const after = auditMark(fixture);
    const created = await create(inRole.maintainer.client, query, { name: ' Pipeline ' });
    expect(created).toEqual({
      identifier: expect.any(String),
      organization_id: organizationId,
      project_id: projectId,
      name: 'Pipeline',
      role: 'maintainer',
      created_at: expect.any(String),
      created_by: inRole.maintainer.id,
      owner_id: inRole.maintainer.id,
      effective_role: 'maintainer',
      expires_at: null,
      rotated_at: null,
      revoked_at: null,
      last_used_at: null,
      token: expect.stringMatching(/^svc_prj_[A-Za-z0-9_-]{43}$/),
    });
    const { token, ...shown } = created;
    const listed = await inRole.maintainer.client.get<Page>(TOKENS, query);
    expect(listed.body).toEqual({ items: [shown], next_cursor: null });
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'project_access_token_created',
        type: 'project_access_token',
        identifier: created.identifier,
        organizationId,
        actorId: inRole.maintainer.id,
        details: { project_id: projectId, name: 'Pipeline', role: 'maintainer' },
      },
    ]);
    const { db } = fixture.app;
    const kept = [db.select().from(projectAccessTokens), db.select().from(auditEvents), db.select().from(outboxEvents)];
    expect(JSON.stringify(kept.map((rows) => rows.all()))).not.toContain(token);
  });

  it('creates unique secrets', async () => {
    const { admin, query } = await staff();
    const created = await Promise.all(Array.from({ length: 50 }, () => create(admin.client, query)));
    expect(new Set(created.map(({ token }) => token)).size).toBe(50);
    expect(new Set(created.map(({ identifier }) => identifier)).size).toBe(50);
  });

  it('limits the role to the creator’s own', async () => {
    const { admin, manager, inRole, query } = await staff();
    for (const role of ['read', 'read_download', 'read_download_upload', 'maintainer']) {
      expect(await create(inRole.maintainer.client, query, { role })).toMatchObject({ role });
    }
    const refused = await inRole.maintainer.client.post(TOKENS, { name: 'ci', role: 'admin' }, query);
    expect(expectRefusal(refused, 403, 'insufficient_role')).toEqual({ role: 'maintainer' });
    for (const person of [admin, manager, inRole.admin]) {
      expect(await create(person.client, query, { role: 'admin' })).toMatchObject({ role: 'admin' });
    }
  });

  it.each([
    [{}, ['body.name: missing', 'body.role: missing']],
    [{ name: 'ci', role: 'owner' }, ['body.role: enum']],
    [{ name: '', role: 'read' }, ['body.name: string_too_short']],
    [{ name: 'ci', role: 'read', expires_at: 'tomorrow' }, ['body.expires_at: datetime_parsing']],
    [{ name: 'ci', role: 'read', expires_at: 5 }, ['body.expires_at: string_type']],
    [{ name: 'ci', role: 'read', expires_at: '2020-01-01T00:00:00Z' }, ['body.expires_at: datetime_future']],
    [{ name: 'ci', role: 'read', expires_at: '2020-01-01' }, ['body.expires_at: datetime_future']],
    [{ name: 'ci', role: 'read', expires_at: '9999-12-31T23:59:59-01:00' }, ['body.expires_at: datetime_parsing']],
  ])('rejects the body %j', async (body, expected) => {
    const { admin, query } = await staff();
    expectInvalid(await admin.client.post(TOKENS, body, query), ...expected);
  });

  it('requires both ids, and that they match', async () => {
    const { admin, query, organizationId } = await staff();
    const body = { name: 'ci', role: 'read' };
    const elsewhere = await addOrganization(admin, 'Elsewhere');
    expectInvalid(
      await admin.client.post(TOKENS, body, {}),
      'query.organization_id: missing',
      'query.project_id: missing',
    );
    expectInvalid(
      await admin.client.post(TOKENS, body, { ...query, project_id: 'x' }),
      'query.project_id: uuid_parsing',
    );
    expectRefusal(await admin.client.post(TOKENS, body, { ...query, organization_id: elsewhere }), 404, 'not_found');
    expectRefusal(
      await admin.client.post(TOKENS, body, { organization_id: organizationId, project_id: ABSENT }),
      404,
      'not_found',
    );
  });
});

describe('permissions for managing tokens', () => {
  const steps: [string, (client: Client, query: Record<string, string>, id: string) => ReturnType<Client['send']>][] = [
    ['create', (client, query) => client.post(TOKENS, { name: 'ci', role: 'read' }, query)],
    ['list', (client, query) => client.get(TOKENS, query)],
    ['rotate', (client, _query, id) => client.post(`${TOKENS}/${id}/rotate`)],
    ['revoke', (client, _query, id) => client.post(`${TOKENS}/${id}/revoke`)],
    ['delete', (client, _query, id) => client.delete(`${TOKENS}/${id}`)],
  ];

  it.each(steps)('to %s one: requires an interactive maintainer, and others get a 404', async (_name, step) => {
    const { admin, member, outsider, inRole, query, organizationId } = await staff();
    const { identifier, token } = await create(admin.client, query, { role: 'admin' });
    for (const person of [member, outsider, inRole.read, inRole.read_download, inRole.read_download_upload]) {
      expectRefusal(await step(person.client, query, identifier), 404, 'not_found');
    }
    const personal = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: ALL_SCOPES });
    expectRefusal(await step(personal, query, identifier), 403, 'permission_denied');
    expectRefusal(await step(api(fixture, token), query, identifier), 403, 'permission_denied');
    expectRefusal(await step(api(fixture, null), query, identifier), 401, 'unauthorized');
    const unchanged = await admin.client.get<Page>(TOKENS, query);
    expect(unchanged.body.items).toMatchObject([{ identifier, revoked_at: null }]);
    expect((await api(fixture, token).get(`/api/v1/projects/${query.project_id}`)).status).toBe(200);
  });

  it.each(steps.slice(2))('to %s one: requires an existing token', async (_name, step) => {
    const { admin, query } = await staff();
    expectRefusal(await step(admin.client, query, ABSENT), 404, 'not_found');
    expectInvalid(await step(admin.client, query, 'nonsense'), 'path.token_id: uuid_parsing');
  });

  it('an unverified address can only list tokens', async () => {
    const { organizationId, query } = await staff();
    const person = await addPerson(fixture, { isVerified: false, organizations: { [organizationId]: 'admin' } });
    expectRefusal(await person.client.post(TOKENS, { name: 'ci', role: 'read' }, query), 403, 'email_not_verified');
    expect((await person.client.get(TOKENS, query)).status).toBe(200);
  });
});

describe('a token', () => {
  it('acts with its role in its project only', async () => {
    const { admin, query, projectPath, organizationId } = await staff();
    const sibling = await addProject(admin.client, organizationId, { name: 'Sibling' });
    for (const role of projectRoles) {
      const { token } = await create(admin.client, query, { role });
      const client = api(fixture, token);
      expect((await client.get(projectPath)).body).toMatchObject({ role });
      expectRefusal(await client.get(`/api/v1/projects/${sibling}`), 404, 'not_found');
      const edit = await client.patch(projectPath, { name: 'Crane' });
      if (role === 'admin') expect(edit.status).toBe(200);
      else expectRefusal(edit, 403, 'permission_denied');
    }
  });

  it('is the actor of its events', async () => {
    const { admin, query, projectPath } = await staff();
    const { identifier, token } = await create(admin.client, query, { role: 'admin', name: 'Robot' });
    const after = auditMark(fixture);
    expect((await api(fixture, token).patch(projectPath, { name: 'By robot' })).status).toBe(200);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'edited',
        actorKind: 'project_access_token',
        actorId: identifier,
        actorName: 'Robot',
        developerId: null,
      },
    ]);
  });

  it('records when it was last used', async () => {
    const { admin, query, projectPath } = await staff();
    const { token } = await create(admin.client, query);
    await api(fixture, token).get(projectPath);
    fixture.app.credentialUse.flush();
    const { body } = await admin.client.get<Page>(TOKENS, query);
    expect(body.items[0]?.last_used_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });
});

describe('rotating a token', () => {
  it('replaces its secret; the old one stops working immediately', async () => {
    const { admin, query, projectPath, organizationId } = await staff();
    const before = await create(admin.client, query, { role: 'read' });
    const after = auditMark(fixture);
    const rotated = await admin.client.post<Created>(`${TOKENS}/${before.identifier}/rotate`);
    expect(rotated.status).toBe(200);
    expect(rotated.body).toEqual({
      ...before,
      token: expect.stringMatching(/^svc_prj_[A-Za-z0-9_-]{43}$/),
      rotated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const listed = await admin.client.get<Page>(TOKENS, query);
    expect(listed.body.items[0]?.rotated_at).toBe(rotated.body.rotated_at);
    expect(rotated.body.token).not.toBe(before.token);
    expectRefusal(await api(fixture, before.token).get(projectPath), 401, 'unauthorized');
    expect((await api(fixture, rotated.body.token).get(projectPath)).body).toMatchObject({ role: 'read' });
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'project_access_token_rotated',
        type: 'project_access_token',
        identifier: before.identifier,
        organizationId,
      },
    ]);
  });

  it('gives nobody more permissions than their own', async () => {
    const { admin, inRole, query, projectPath } = await staff();
    const { identifier, token } = await create(admin.client, query, { role: 'admin' });
    const refused = await inRole.maintainer.client.post(`${TOKENS}/${identifier}/rotate`);
    expectRefusal(refused, 403, 'insufficient_role');
    expect((await api(fixture, token).get(projectPath)).status).toBe(200);
    expect((await inRole.maintainer.client.post(`${TOKENS}/${identifier}/revoke`)).status).toBe(204);
  });

  it('is impossible once it is revoked', async () => {
    const { admin, query } = await staff();
    const { identifier } = await create(admin.client, query);
    await admin.client.post(`${TOKENS}/${identifier}/revoke`);
    expectRefusal(await admin.client.post(`${TOKENS}/${identifier}/rotate`), 400, 'operation_not_allowed');
  });
});

describe('revoking and deleting a token', () => {
  it('stops it immediately and permanently; it stays listed until it is deleted', async () => {
    const { admin, query, projectPath } = await staff();
    const { identifier, token } = await create(admin.client, query);
    const path = `${TOKENS}/${identifier}`;
    expectRefusal(await admin.client.delete(path), 400, 'operation_not_allowed');
    const after = auditMark(fixture);
    const revoked = await admin.client.post(`${path}/revoke`);
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expectRefusal(await api(fixture, token).get(projectPath), 401, 'unauthorized');
    const listed = await admin.client.get<Page>(TOKENS, query);
    const { revoked_at: revokedAt } = listed.body.items[0] ?? {};
    expect(revokedAt).toEqual(expect.any(String));

    fixture.clock.advance(5_000);
    expect((await admin.client.post(`${path}/revoke`)).status).toBe(204);
    const again = await admin.client.get<Page>(TOKENS, query);
    expect(again.body.items).toMatchObject([{ identifier, revoked_at: revokedAt }]);

    expect((await admin.client.delete(path)).status).toBe(204);
    expect((await admin.client.get<Page>(TOKENS, query)).body.items).toEqual([]);
    expectRefusal(await admin.client.delete(path), 404, 'not_found');
    expectRefusal(await api(fixture, token).get(projectPath), 401, 'unauthorized');
    expect(auditRows(fixture, { after }).map((row) => [row.event, row.identifier])).toEqual([
      ['project_access_token_revoked', identifier],
      ['project_access_token_deleted', identifier],
    ]);
  });

  it('lists newest first, page by page, each project its own', async () => {
    const { admin, query, organizationId } = await staff();
    const sibling = await addProject(admin.client, organizationId, { name: 'Sibling' });
    await create(admin.client, { ...query, project_id: sibling });
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.push((await create(admin.client, query)).identifier);
    const walked = (await walkPages(admin.client, TOKENS, { ...query, limit: 2 })).flat();
    expect(walked.map((item) => item.identifier)).toEqual(ids.toReversed());
  });

  it('rejects an unknown secret of the right form', async () => {
    const { projectPath } = await staff();
    const forged = api(fixture, `svc_prj_${'A'.repeat(43)}`);
    expectRefusal(await forged.get(projectPath), 401, 'unauthorized');
  });
});
