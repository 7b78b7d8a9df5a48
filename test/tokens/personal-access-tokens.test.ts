// Personal access tokens: creation, permissions, expiry and revocation.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEvents, organizations, outboxEvents, personalAccessTokens } from '../../src/data/tables/tables.ts';
import { ALL_SCOPES } from '../../src/permissions.ts';
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
import { addOrganization, addPerson, addTeam, join, type Person } from '../support/people.ts';

const PATS = '/api/v1/pats';

interface Token extends Json {
  identifier: string;
  expires_at: string | null;
  rotated_at: string | null;
  revoked_at: string | null;
}
type Created = Token & { token: string };

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

async function staff() {
  const team = await addTeam(fixture);
  return { ...team, maintainer: team.inRole.maintainer, query: { organization_id: team.organizationId } };
}

async function create(client: Client, query: Record<string, string>, body: Json = {}): Promise<Created> {
  const answer = await client.post<Created>(PATS, { name: 'script', scopes: 1, ...body }, query);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

const listOwn = async (person: Pick<Person, 'client'>, query: Record<string, string>) =>
  (await person.client.get<Page<Token>>(PATS, query)).body.items;

describe('creating a token', () => {
  it('returns the secret once, and stores only its hash', async () => {
    const { maintainer, query, organizationId } = await staff();
    const after = auditMark(fixture);
    const created = await create(maintainer.client, query, { name: ' Nightly ', scopes: 11 });
    expect(created).toEqual({
      identifier: expect.any(String),
      organization_id: organizationId,
      developer_id: maintainer.id,
      name: 'Nightly',
      scopes: 11,
      created_at: expect.any(String),
      expires_at: null,
      rotated_at: null,
      revoked_at: null,
      last_used_at: null,
      token: expect.stringMatching(/^svc_pat_[A-Za-z0-9_-]{43}$/),
    });
    const { token, ...shown } = created;
    const listed = await maintainer.client.get<Page<Token>>(PATS, query);
    expect(listed.body).toEqual({ items: [shown], next_cursor: null });
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'created',
        type: 'pat',
        identifier: created.identifier,
        organizationId,
        developerId: maintainer.id,
        actorId: maintainer.id,
        details: { developer_id: maintainer.id, name: 'Nightly', scopes: '11' },
      },
    ]);
    const { db } = fixture.app;
    const kept = [
      db.select().from(personalAccessTokens),
      db.select().from(auditEvents),
      db.select().from(outboxEvents),
    ];
    expect(JSON.stringify(kept.map((rows) => rows.all()))).not.toContain(token);
  });

  it.each([
    [{}, ['body.name: missing', 'body.scopes: missing']],
    [{ name: '', scopes: 1 }, ['body.name: string_too_short']],
    [{ name: 'a\nb', scopes: 1 }, ['body.name: string_pattern_mismatch']],
    [{ name: 'x'.repeat(101), scopes: 1 }, ['body.name: string_too_long']],
    [{ name: 'x', scopes: null }, ['body.scopes: int_type']],
    [{ name: 'x', scopes: true }, ['body.scopes: int_type']],
    [{ name: 'x', scopes: [1] }, ['body.scopes: int_type']],
    [{ name: 'x', scopes: 1.5 }, ['body.scopes: int_type']],
    [{ name: 'x', scopes: 'read' }, ['body.scopes: int_type']],
    [{ name: 'x', scopes: '' }, ['body.scopes: int_type']],
    [{ name: 'x', scopes: '0x1' }, ['body.scopes: int_type']],
    [{ name: 'x', scopes: ' 1' }, ['body.scopes: int_type']],
    [{ name: 'x', scopes: '01' }, ['body.scopes: int_type']],
    [{ name: 'x', scopes: 1, expires_at: 'tomorrow' }, ['body.expires_at: datetime_parsing']],
    [{ name: 'x', scopes: 1, expires_at: '2027-02-30' }, ['body.expires_at: datetime_parsing']],
    [{ name: 'x', scopes: 1, expires_at: 90 }, ['body.expires_at: string_type']],
    [{ name: 'x', scopes: 1, expires_at: '2020-01-01' }, ['body.expires_at: datetime_future']],
    [{ name: 'x', scopes: 1, expires_at: '2020-01-01T00:00:00Z' }, ['body.expires_at: datetime_future']],
  ])('rejects the body %j', async (body, expected) => {
    const { admin, query } = await staff();
    expectInvalid(await admin.client.post(PATS, body, query), ...expected);
    expect(await listOwn(admin, query)).toEqual([]);
  });

  it('requires a member of the organization', async () => {
    const { member, outsider, query } = await staff();
    const body = { name: 'script', scopes: 1 };
    expect((await member.client.post(PATS, body, query)).status).toBe(201);
    expectRefusal(await outsider.client.post(PATS, body, query), 404, 'not_found');
    expectRefusal(await member.client.post(PATS, body, { organization_id: ABSENT }), 404, 'not_found');
    expectInvalid(await member.client.post(PATS, body), 'query.organization_id: missing');
    expectRefusal(await api(fixture, null).post(PATS, body, query), 401, 'unauthorized');
    const unverified = await addPerson(fixture, {
      isVerified: false,
      organizations: { [query.organization_id]: 'admin' },
    });
    expectRefusal(await unverified.client.post(PATS, body, query), 403, 'email_not_verified');
  });
});

describe('a token', () => {
  it('acts as its owner in its organization only', async () => {
    const { admin, query, organizationPath, projectPath } = await staff();
    const elsewhere = await addOrganization(admin, 'Elsewhere');
    const { identifier, token } = await create(admin.client, query, { scopes: String(ALL_SCOPES), name: 'Robot' });
    const client = api(fixture, token);
    const after = auditMark(fixture);
    expect((await client.patch(projectPath, { name: 'By robot' })).status).toBe(200);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'edited',
        actorKind: 'personal_access_token',
        actorId: identifier,
        actorName: 'Robot',
        developerId: admin.id,
      },
    ]);
    expect((await client.get(organizationPath)).status).toBe(200);
    expectRefusal(await client.get(`/api/v1/organizations/${elsewhere}`), 404, 'not_found');
  });

  it('records when it was last used', async () => {
    const { member, query, organizationPath } = await staff();
    const { token } = await create(member.client, query);
    await api(fixture, token).get(organizationPath);
    fixture.app.credentialUse.flush();
    expect(await listOwn(member, query)).toMatchObject([{ last_used_at: expect.stringMatching(/^\d{4}-.*Z$/) }]);
  });

  it('stops working in an organization that its owner left, without being deleted', async () => {
    const { admin, member, query, organizationPath, organizationId } = await staff();
    const { identifier, token } = await create(member.client, query);
    const client = api(fixture, token);
    expect((await client.get(organizationPath)).status).toBe(200);
    await admin.client.delete(`${organizationPath}/members/${member.id}`);
    expectRefusal(await client.get(organizationPath), 404, 'not_found');
    expect((await client.get('/api/v1/organizations')).body).toEqual([]);
    const all = await admin.client.get<Page<Token>>(`${PATS}/all`, query);
    expect(all.body.items).toMatchObject([
      { identifier, developer_email: member.email, is_member: false, revoked_at: null },
    ]);
    expectRefusal(await member.client.get(PATS, query), 404, 'not_found');

    join(fixture, member.id, { organizations: { [organizationId]: 'member' } });
    expect((await client.get(organizationPath)).status).toBe(200);
  });

  it('can be revoked by its owner after leaving, so that rejoining does not restore it', async () => {
    const { admin, member, query, organizationPath, organizationId } = await staff();
    const { identifier, token } = await create(member.client, query);
    await admin.client.delete(`${organizationPath}/members/${member.id}`);
    expectRefusal(await member.client.post(`${PATS}/${identifier}/rotate`), 404, 'not_found');
    const path = `${PATS}/${identifier}/revoke`;
    const elsewhere = { organization_id: fixture.app.ids.next() };
    expectRefusal(await member.client.post(path, undefined, elsewhere), 404, 'not_found');
    expect((await member.client.post(path, undefined, query)).status).toBe(204);
    join(fixture, member.id, { organizations: { [organizationId]: 'member' } });
    expectRefusal(await api(fixture, token).get(organizationPath), 401, 'unauthorized');
  });

  it('loses the permissions that its owner loses', async () => {
    const { admin, maintainer, query, projectId, projectPath } = await staff();
    const { token } = await create(maintainer.client, query, { scopes: 63 });
    const channels = { ...query, project_id: projectId };
    const client = api(fixture, token);
    expect((await client.post('/api/v1/channels', { name: 'one' }, channels)).status).toBe(201);
    await admin.client.patch(`${projectPath}/members/${maintainer.id}`, { role: 'read' });
    expectRefusal(await client.post('/api/v1/channels', { name: 'two' }, channels), 403, 'permission_denied');
    expect((await client.get('/api/v1/channels', channels)).status).toBe(200);
  });
});

describe('rotating a token', () => {
  it('replaces its secret; the old one stops working immediately', async () => {
    const { maintainer, query, organizationPath, organizationId } = await staff();
    const before = await create(maintainer.client, query, { scopes: 9, expires_at: '2999-01-01' });
    const after = auditMark(fixture);
    const rotated = await maintainer.client.post<Created>(`${PATS}/${before.identifier}/rotate`);
    expect(rotated.status).toBe(200);
    expect(rotated.body).toEqual({
      ...before,
      token: expect.stringMatching(/^svc_pat_[A-Za-z0-9_-]{43}$/),
      rotated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expectRefusal(await api(fixture, before.token).get(organizationPath), 401, 'unauthorized');
    expect((await api(fixture, rotated.body.token).get(organizationPath)).status).toBe(200);
    expect(await listOwn(maintainer, query)).toMatchObject([{ rotated_at: rotated.body.rotated_at }]);
    expect(auditRows(fixture, { after })).toMatchObject([
      { event: 'edited', type: 'pat', identifier: before.identifier, organizationId, details: { rotated: true } },
    ]);
  });

  it('requires its owner, and is impossible once it is revoked', async () => {
    const { admin, manager, member, outsider, query } = await staff();
    const { identifier } = await create(member.client, query);
    for (const person of [admin, manager, outsider]) {
      expectRefusal(await person.client.post(`${PATS}/${identifier}/rotate`), 404, 'not_found');
    }
    expectRefusal(await member.client.post(`${PATS}/${ABSENT}/rotate`), 404, 'not_found');
    await member.client.post(`${PATS}/${identifier}/revoke`);
    expectRefusal(await member.client.post(`${PATS}/${identifier}/rotate`), 400, 'operation_not_allowed');
  });
});

describe('revoking and deleting a token', () => {
  it('stops it immediately and permanently; it stays listed until its owner deletes it', async () => {
    const { member, query, organizationPath } = await staff();
    const { identifier, token } = await create(member.client, query);
    expectRefusal(await member.client.delete(`${PATS}/${identifier}`, query), 400, 'operation_not_allowed');
    const after = auditMark(fixture);
    const revoked = await member.client.post(`${PATS}/${identifier}/revoke`);
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expectRefusal(await api(fixture, token).get(organizationPath), 401, 'unauthorized');
    const [listed] = await listOwn(member, query);
    expect(listed?.revoked_at).toEqual(expect.any(String));
    expect((await member.client.post(`${PATS}/${identifier}/revoke`)).status).toBe(204);
    expect(await listOwn(member, query)).toEqual([listed]);
    expect((await member.client.delete(`${PATS}/${identifier}`, query)).status).toBe(204);
    expect(await listOwn(member, query)).toEqual([]);
    expectRefusal(await member.client.delete(`${PATS}/${identifier}`, query), 404, 'not_found');
    expect(auditRows(fixture, { after }).map((row) => [row.event, row.type, row.identifier])).toEqual([
      ['revoked', 'pat', identifier],
      ['deleted', 'pat', identifier],
    ]);
  });

  it('of someone else is possible for admins, who revoke it with DELETE without deleting it', async () => {
    const { admin, manager, member, maintainer, outsider, query, organizationId } = await staff();
    const { identifier, token } = await create(member.client, query);
    const path = `${PATS}/${identifier}`;
    for (const person of [manager, maintainer, outsider]) {
      expectRefusal(await person.client.delete(path, query), 404, 'not_found');
      expectRefusal(await person.client.post(`${path}/revoke`), 404, 'not_found');
    }
    expectRefusal(await admin.client.post(`${path}/revoke`), 404, 'not_found');
    expectRefusal(await admin.client.delete(path, { organization_id: ABSENT }), 404, 'not_found');
    expect((await api(fixture, token).get('/api/v1/organizations')).status).toBe(200);
    const after = auditMark(fixture);
    expect((await admin.client.delete(path, query)).status).toBe(204);
    expectRefusal(await api(fixture, token).get('/api/v1/organizations'), 401, 'unauthorized');
    expect((await admin.client.delete(path, query)).status).toBe(204);
    expect(await listOwn(member, query)).toMatchObject([{ identifier, revoked_at: expect.any(String) }]);
    expect(auditRows(fixture, { after })).toMatchObject([
      { event: 'revoked', type: 'pat', identifier, organizationId, actorId: admin.id, developerId: member.id },
    ]);
    expect((await member.client.delete(path, query)).status).toBe(204);
  });

  it('by an admin who owns the token revokes it first and deletes it then', async () => {
    const { admin, query } = await staff();
    const { identifier } = await create(admin.client, query);
    expect((await admin.client.delete(`${PATS}/${identifier}`, query)).status).toBe(204);
    expect(await listOwn(admin, query)).toMatchObject([{ identifier, revoked_at: expect.any(String) }]);
    expect((await admin.client.delete(`${PATS}/${identifier}`)).status).toBe(204);
    expect(await listOwn(admin, query)).toEqual([]);
  });

  it('is possible for the owner while the organization is locked', async () => {
    const { member, query } = await staff();
    const { identifier } = await create(member.client, query);
    const setLock = (lockReason: 'suspended' | null) => fixture.app.db.update(organizations).set({ lockReason }).run();
    setLock('suspended');
    expectRefusal(await member.client.post(PATS, { name: 'x', scopes: 1 }, query), 402, 'billing_suspended');
    expect((await member.client.post(`${PATS}/${identifier}/revoke`)).status).toBe(204);
    setLock(null);
  });
});

describe('the tokens of an organization', () => {
  it('are listed to their owners, each their own, newest first, page by page', async () => {
    const { admin, member, query } = await staff();
    const elsewhere = { organization_id: await addOrganization(admin, 'Elsewhere') };
    const there = await create(admin.client, elsewhere);
    const here = await create(admin.client, query);
    for (const [place, { identifier }] of [
      [elsewhere, there],
      [query, here],
    ] as const) {
      expect((await admin.client.get(PATS, place)).body).toMatchObject({ items: [{ identifier }] });
    }
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.push((await create(member.client, query)).identifier);
    const walked = (await walkPages(member.client, PATS, { ...query, limit: 2 })).flat();
    expect(walked.map((item) => item.identifier)).toEqual(ids.toReversed());
  });

  it('are all listed to its admins, with their owners', async () => {
    const { admin, manager, member, maintainer, outsider, query } = await staff();
    const first = await create(member.client, query, { name: 'one' });
    const second = await create(maintainer.client, query, { name: 'two', scopes: 32 });
    const { body, text } = await admin.client.get<Page<Token>>(`${PATS}/all`, query);
    const { token: _, ...shown } = second;
    expect(body.items[0]).toEqual({
      ...shown,
      developer_email: maintainer.email,
      developer_name: `Person ${maintainer.id}`,
      is_member: true,
    });
    expect(body.items.map((item) => item.identifier)).toEqual([second.identifier, first.identifier]);
    expect(text).not.toContain('svc_pat_');
    for (const person of [manager, member]) {
      expectRefusal(await person.client.get(`${PATS}/all`, query), 403, 'insufficient_role');
    }
    expectRefusal(await outsider.client.get(`${PATS}/all`, query), 404, 'not_found');
  });
});
