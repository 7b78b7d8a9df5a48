// Organizations, as the API answers them.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, scopes } from '../../src/permissions.ts';
import { isUuid } from '../../src/runtime/ids.ts';
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
} from '../support/harness.ts';
import {
  addOrganization,
  addPerson,
  addProject,
  addStaff,
  join,
  type Person,
  personalTokenClient,
  projectTokenClient,
} from '../support/people.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const members = (organizationId: string, developerId = '') =>
  `${ORGANIZATIONS}/${organizationId}/members${developerId === '' ? '' : `/${developerId}`}`;

let fixture: Fixture;
let anonymous: Client;

beforeAll(async () => {
  fixture = await startFixture();
  anonymous = api(fixture, null);
});
afterAll(() => fixture.stop());

/** The head and body of an answer exactly as they travel. */
function rawPost(person: Person, path: string, body: string): Promise<{ head: string; body: string }> {
  const { hostname, port, host } = new URL(fixture.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...rest] = received.split('\r\n\r\n');
      resolve({ head, body: rest.join('\r\n\r\n') });
    });
    socket.write(
      [
        `POST ${path} HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: Bearer ${person.accessToken}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  });
}

describe('creating an organization', () => {
  it('returns 201 with the plain id and no Content-Type', async () => {
    const person = await addPerson(fixture);
    const { head, body } = await rawPost(person, ORGANIZATIONS, JSON.stringify({ name: 'Quay' }));
    const [statusLine, ...lines] = head.split('\r\n');
    const names = lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    expect(statusLine).toBe('HTTP/1.1 201 Created');
    expect(names).not.toContain('content-type');
    expect(names).toContain('x-request-id');
    expect(lines).toContain('content-length: 36');
    expect(isUuid(body)).toBe(true);
  });

  it('makes the creator its admin, on the default tier, and records both', async () => {
    const person = await addPerson(fixture);
    const after = auditMark(fixture);
    const identifier = await addOrganization(person, '  Harbour & Söhne  ');
    const answer = await person.client.get(`${ORGANIZATIONS}/${identifier}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      identifier,
      name: 'Harbour & Söhne',
      email_sign_in_allowed: true,
      lock_reason: null,
      tier: 'business',
      role: 'admin',
      has_icon: false,
      icon_url: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const rows = auditRows(fixture, { after });
    expect(rows.map((row) => [row.event, row.type, row.identifier, row.organizationId])).toEqual([
      ['created', 'organization', identifier, identifier],
      ['created', 'org_membership', person.id, identifier],
    ]);
    expect(rows[0]).toMatchObject({
      actorKind: 'developer',
      actorId: person.id,
      developerId: person.id,
      details: { name: 'Harbour & Söhne', tier: 'business' },
    });
  });

  it.each([
    ['missing', {}, 'body.name: missing'],
    ['a number', { name: 5 }, 'body.name: string_type'],
    ['null', { name: null }, 'body.name: string_type'],
    ['blanks only', { name: '   ' }, 'body.name: string_too_short'],
    ['101 characters', { name: 'x'.repeat(101) }, 'body.name: string_too_long'],
    ['two lines', { name: 'a\nb' }, 'body.name: string_pattern_mismatch'],
    ['invisible characters only', { name: '\u3164\u200b' }, 'body.name: value_error'],
  ])('rejects a name that is %s', async (_what, body, expected) => {
    const person = await addPerson(fixture);
    expectInvalid(await person.client.post(ORGANIZATIONS, body), expected);
  });

  it('requires an interactive sign-in of a verified developer', async () => {
    const { admin, organizationId } = await addStaff(fixture);
    const projectId = await addProject(admin.client, organizationId, { name: 'App' });
    const personal = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: ALL_SCOPES });
    const project = projectTokenClient(fixture, { organizationId, projectId, role: 'admin' });
    const unverified = await addPerson(fixture, { isVerified: false });
    expectRefusal(await anonymous.post(ORGANIZATIONS, { name: 'X' }), 401, 'unauthorized');
    expectRefusal(await personal.post(ORGANIZATIONS, { name: 'X' }), 403, 'permission_denied');
    expectRefusal(await project.post(ORGANIZATIONS, { name: 'X' }), 403, 'permission_denied');
    expectRefusal(await unverified.client.post(ORGANIZATIONS, { name: 'X' }), 403, 'email_not_verified');
  });

  it('stops at 5 for one developer, also for simultaneous requests', async () => {
    const person = await addPerson(fixture);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => person.client.post(ORGANIZATIONS, { name: `Berth ${index}` })),
    );
    const refused = answers.filter((answer) => answer.status !== 201);
    expect(refused).toHaveLength(45);
    for (const answer of refused) expect(expectRefusal(answer, 400, 'quota_exceeded')).toEqual({ limit: 5 });
    const { body } = await person.client.get<Json[]>(ORGANIZATIONS);
    expect(body).toHaveLength(5);

    expect((await person.client.delete(`${ORGANIZATIONS}/${body[0]?.identifier}`)).status).toBe(204);
    expect((await person.client.post(ORGANIZATIONS, { name: 'Again' })).status).toBe(201);
    expectRefusal(await person.client.post(ORGANIZATIONS, { name: 'Once more' }), 400, 'quota_exceeded');
  });

  it('counts created organizations, not joined or left ones', async () => {
    const person = await addPerson(fixture);
    const joined = await Promise.all(
      Array.from({ length: 5 }, async () => addOrganization(await addPerson(fixture), 'Elsewhere')),
    );
    join(fixture, person.id, { organizations: Object.fromEntries(joined.map((id) => [id, 'admin'])) });
    const created: string[] = [];
    for (let index = 0; index < 5; index++) created.push(await addOrganization(person, `Own ${index}`));
    const left = created[0] ?? '';
    await addPerson(fixture, { organizations: { [left]: 'admin' } });
    expect((await person.client.delete(members(left, person.id))).status).toBe(204);
    expectRefusal(await person.client.post(ORGANIZATIONS, { name: 'Sixth' }), 400, 'quota_exceeded');
  });
});

describe('listing organizations', () => {
  it('returns an array of the caller’s organizations, newest first, with the role in each', async () => {
    const { admin, member, outsider, organizationId } = await addStaff(fixture);
    const second = await addOrganization(member, 'Second');
    const { body } = await member.client.get<Json[]>(ORGANIZATIONS);
    expect(body.map(({ identifier, role }) => [identifier, role])).toEqual([
      [second, 'admin'],
      [organizationId, 'member'],
    ]);
    expect((await admin.client.get<Json[]>(ORGANIZATIONS)).body).toHaveLength(1);
    expect((await outsider.client.get(ORGANIZATIONS)).body).toEqual([]);
    expectRefusal(await anonymous.get(ORGANIZATIONS), 401, 'unauthorized');
  });

  it('returns the organization of a personal token while its owner is a member', async () => {
    const { admin, member, organizationId } = await addStaff(fixture);
    await addOrganization(member, 'Not bound');
    const token = { developerId: member.id, organizationId };
    const reading = personalTokenClient(fixture, { ...token, scopes: scopes.read });
    const uploading = personalTokenClient(fixture, { ...token, scopes: scopes.upload_build });
    const { body } = await reading.get<Json[]>(ORGANIZATIONS);
    expect(body.map(({ identifier, role }) => [identifier, role])).toEqual([[organizationId, 'member']]);
    expectRefusal(await uploading.get(ORGANIZATIONS), 403, 'permission_denied');
    await admin.client.delete(members(organizationId, member.id));
    expect((await reading.get(ORGANIZATIONS)).body).toEqual([]);
  });

  it('returns the organization of a project token, without details', async () => {
    const { admin, organizationId, path } = await addStaff(fixture);
    await addOrganization(admin, 'Another');
    const projectId = await addProject(admin.client, organizationId, { name: 'App' });
    const token = projectTokenClient(fixture, { organizationId, projectId, role: 'read' });
    const { body } = await token.get<Json[]>(ORGANIZATIONS);
    expect(body.map(({ identifier, name, role }) => [identifier, name, role])).toEqual([
      [organizationId, 'Wharf', null],
    ]);
    expectRefusal(await token.get(path), 403, 'permission_denied');
    expectRefusal(await token.get(members(organizationId)), 403, 'permission_denied');
  });
});

describe('one organization', () => {
  it('is visible to members and unknown to everyone else', async () => {
    const { admin, manager, member, outsider, path, organizationId } = await addStaff(fixture);
    for (const [person, role] of [
      [admin, 'admin'],
      [manager, 'manager'],
      [member, 'member'],
    ] as const) {
      expect((await person.client.get(path)).body).toMatchObject({ identifier: organizationId, role });
    }
    expect((await member.client.get(`${ORGANIZATIONS}/${organizationId.toUpperCase()}`)).status).toBe(200);
    expectRefusal(await outsider.client.get(path), 404, 'not_found');
    expectRefusal(await member.client.get(`${ORGANIZATIONS}/${ABSENT}`), 404, 'not_found');
    expectRefusal(await member.client.get(path, { organization_id: ABSENT }), 404, 'not_found');
    expectRefusal(await anonymous.get(path), 401, 'unauthorized');
    expectInvalid(await member.client.get(`${ORGANIZATIONS}/nonsense`), 'path.organization_id: uuid_parsing');
  });

  it('is renamed by admins, recorded with the previous name', async () => {
    const { admin, manager, member, outsider, path, organizationId } = await addStaff(fixture);
    const after = auditMark(fixture);
    const answer = await admin.client.patch(path, { name: 'Dock', tier: 'team', unknown: true });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ identifier: organizationId, name: 'Dock', tier: 'business', role: 'admin' });
    expect((await admin.client.patch(path, {})).body).toMatchObject({ name: 'Dock' });
    expect((await admin.client.patch(path, { name: 'Dock' })).status).toBe(200);
    const rows = auditRows(fixture, { after });
    expect(rows.map(({ event, type, details }) => ({ event, type, details }))).toEqual([
      { event: 'edited', type: 'organization', details: { changed: { name: { from: 'Wharf', to: 'Dock' } } } },
    ]);
    expectInvalid(await admin.client.patch(path, { name: null }), 'body.name: string_type');
    expectInvalid(await admin.client.patch(path, { name: '' }), 'body.name: string_too_short');
    expectRefusal(await manager.client.patch(path, { name: 'Mine' }), 403, 'insufficient_role');
    expectRefusal(await member.client.patch(path, { name: 'Mine' }), 403, 'insufficient_role');
    expectRefusal(await outsider.client.patch(path, { name: 'Mine' }), 404, 'not_found');
    const reading = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: scopes.read });
    const all = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: ALL_SCOPES });
    expectRefusal(await reading.patch(path, { name: 'Mine' }), 403, 'permission_denied');
    expect((await all.patch(path, { name: 'Scripted' })).body).toMatchObject({ name: 'Scripted' });
  });

  it('is deleted by admins when it has no projects', async () => {
    const { admin, manager, member, path, organizationId } = await addStaff(fixture);
    const projectId = await addProject(admin.client, organizationId, { name: 'App' });
    expectRefusal(await manager.client.delete(path), 403, 'insufficient_role');
    expectRefusal(await admin.client.delete(path), 409, 'dependency_exists');
    await admin.client.delete(`/api/v1/projects/${projectId}`);
    const after = auditMark(fixture);
    const answer = await admin.client.delete(path);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'deleted',
        type: 'organization',
        identifier: organizationId,
        organizationId,
        details: { name: 'Wharf' },
      },
    ]);
    expectRefusal(await admin.client.get(path), 404, 'not_found');
    expectRefusal(await admin.client.delete(path), 404, 'not_found');
    expect((await member.client.get(ORGANIZATIONS)).body).toEqual([]);
  });
});
