// Projects of one app for several platforms.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoles, scopes } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  ABSENT,
  auditMark,
  auditRows,
  type Client,
  comparable,
  expectInvalid,
  expectRefusal,
  type Json,
  outboxRows,
  type Page,
} from '../support/harness.ts';
import {
  addOrganization,
  addPerson,
  addProject,
  addTeam,
  join,
  personalTokenClient,
  projectTokenClient,
  type Team,
} from '../support/people.ts';

const PROJECTS = '/api/v1/projects';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

interface Sibling {
  identifier: string;
  name: string;
  platform: string;
}

const link = (client: Client, projectId: string, siblingId: unknown) =>
  client.put<Json>(`${PROJECTS}/${projectId}/sibling`, { sibling_project_id: siblingId });
const unlink = (client: Client, projectId: string) => client.delete(`${PROJECTS}/${projectId}/sibling`);

async function siblingsOf(client: Client, projectId: string): Promise<Sibling[]> {
  const answer = await client.get<{ siblings: Sibling[] }>(`${PROJECTS}/${projectId}`);
  expect(answer.status).toBe(200);
  return answer.body.siblings;
}
const idsOf = async (client: Client, projectId: string) =>
  (await siblingsOf(client, projectId)).map(({ identifier }) => identifier);

/** A team with the iOS project Crane and the Android project Crane, not linked. */
async function addPair(): Promise<Team & { iosId: string; androidId: string }> {
  const team = await addTeam(fixture);
  const androidId = await addProject(team.admin.client, team.organizationId, { name: 'Crane', platform: 'android' });
  return { ...team, iosId: team.projectId, androidId };
}

/** A member of the organization with roles in its projects. */
const addMember = ({ organizationId }: Team, projects: Record<string, (typeof projectRoles)[number]>) =>
  addPerson(fixture, { organizations: { [organizationId]: 'member' }, projects });

const linkRows = (after: string) =>
  auditRows(fixture, { after })
    .filter(({ event }) => event === 'linked' || event === 'unlinked')
    .map(({ event, type, identifier, developerId, details }) => [event, type, identifier, developerId, details]);

describe('linking two projects', () => {
  it('names each in the other, and records both', async () => {
    const { admin, organizationId, iosId, androidId } = await addPair();
    expect(await siblingsOf(admin.client, iosId)).toEqual([]);
    const after = auditMark(fixture);
    const outbox = outboxRows(fixture).length;
    const answer = await link(admin.client, iosId, androidId.toUpperCase());
    const android = { identifier: androidId, name: 'Crane', platform: 'android' };
    const ios = { identifier: iosId, name: 'Crane', platform: 'ios' };
    expect([answer.status, answer.body.identifier, answer.body.siblings]).toEqual([200, iosId, [android]]);
    expect(await siblingsOf(admin.client, androidId)).toEqual([ios]);
    expect(linkRows(after)).toEqual([
      ['linked', 'project', iosId, admin.id, { name: 'Crane', platform: 'ios', siblings: [android] }],
    ]);
    expect(outboxRows(fixture)).toHaveLength(outbox);
    const list = await admin.client.get<Page<Json>>(PROJECTS, { organization_id: organizationId, limit: 1 });
    expect(list.body.items[0]?.siblings).toEqual([ios]);
    const overview = await admin.client.get<Page<{ project: Json }>>(`${PROJECTS}/overview`, {
      organization_id: organizationId,
      limit: 1,
    });
    expect(overview.body.items[0]?.project.siblings).toEqual([ios]);
  });

  it('changes and records nothing if they are linked, from either side', async () => {
    const { admin, iosId, androidId } = await addPair();
    await link(admin.client, iosId, androidId);
    const after = auditMark(fixture);
    expect((await link(admin.client, iosId, androidId)).status).toBe(200);
    expect((await link(admin.client, androidId, iosId)).status).toBe(200);
    expect(auditRows(fixture, { after })).toEqual([]);
  });

  it('requires the role admin in both', async () => {
    const pair = await addPair();
    const { manager, member, outsider, inRole, iosId, androidId } = pair;
    const missing = comparable(await link(inRole.admin.client, iosId, ABSENT));
    expect(missing.status).toBe(404);
    for (const role of projectRoles.filter((one) => one !== 'admin')) {
      const below = await addMember(pair, { [iosId]: 'admin', [androidId]: role });
      expect(comparable(await link(below.client, iosId, androidId))).toEqual(missing);
      expectRefusal(await link(below.client, androidId, iosId), 404, 'not_found');
    }
    for (const person of [inRole.admin, member, outsider]) {
      expect(comparable(await link(person.client, iosId, androidId))).toEqual(missing);
    }
    expect(await siblingsOf(manager.client, iosId)).toEqual([]);
    const both = await addMember(pair, { [iosId]: 'admin', [androidId]: 'admin' });
    expect((await link(both.client, iosId, androidId)).status).toBe(200);
    expect((await unlink(manager.client, iosId)).status).toBe(204);
    expect((await link(manager.client, androidId, iosId)).status).toBe(200);
  });

  it('is refused for project access tokens and for personal ones without all scopes', async () => {
    const { admin, organizationId, iosId, androidId } = await addPair();
    const token = projectTokenClient(fixture, { organizationId, projectId: iosId, role: 'admin' });
    expectRefusal(await link(token, iosId, androidId), 404, 'not_found');
    const script = personalTokenClient(fixture, {
      developerId: admin.id,
      organizationId,
      scopes: Object.values(scopes).reduce((sum, bit) => sum | bit, 0n),
    });
    expectRefusal(await link(script, iosId, androidId), 403, 'permission_denied');
  });

  it('is refused across organizations, for one platform, and for malformed ids', async () => {
    const { admin, organizationId, iosId } = await addPair();
    const elsewhere = await addOrganization(admin, 'Elsewhere');
    const foreign = await addProject(admin.client, elsewhere, { name: 'Crane', platform: 'android' });
    expectRefusal(await link(admin.client, iosId, foreign), 404, 'not_found');
    const second = await addProject(admin.client, organizationId, { name: 'Second' });
    for (const id of [second, iosId]) {
      expectRefusal(await link(admin.client, iosId, id), 400, 'operation_not_allowed');
    }
    expectInvalid(await link(admin.client, iosId, 'x'), 'body.sibling_project_id: uuid_parsing');
    expectInvalid(await link(admin.client, iosId, undefined), 'body.sibling_project_id: missing');
  });

  it('is refused while one of them has another sibling, of which the first is named', async () => {
    const { admin, organizationId, iosId, androidId } = await addPair();
    await link(admin.client, iosId, androidId);
    const second = await addProject(admin.client, organizationId, { name: 'Second', platform: 'android' });
    const details = expectRefusal(await link(admin.client, iosId, second), 409, 'already_exists');
    expect(details).toEqual({ linked_project_id: androidId });
    expect(expectRefusal(await link(admin.client, second, iosId), 409, 'already_exists')).toEqual(details);
    expect(await idsOf(admin.client, iosId)).toEqual([androidId]);
    expect(await idsOf(admin.client, second)).toEqual([]);
  });

  it('leaves one pair when two people link the same project at the same time', async () => {
    const { admin, manager, organizationId, iosId, androidId } = await addPair();
    const other = await addProject(admin.client, organizationId, { name: 'Other' });
    const answers = await Promise.all([link(admin.client, iosId, androidId), link(manager.client, other, androidId)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [kept, left] = answers[0]?.status === 200 ? [iosId, other] : [other, iosId];
    expect(await idsOf(admin.client, kept)).toEqual([androidId]);
    expect(await idsOf(admin.client, left)).toEqual([]);
    expect(await idsOf(admin.client, androidId)).toEqual([kept]);
  });

  it('can be done with the creation of a project', async () => {
    const { admin, manager, organizationId, iosId } = await addPair();
    const after = auditMark(fixture);
    const create = (body: Json) =>
      manager.client.post<Json>(PROJECTS, { platform: 'android', ...body }, { organization_id: organizationId });
    const made = await create({ name: 'Tug', sibling_project_id: iosId });
    expect([made.status, made.body.siblings]).toEqual([201, [{ identifier: iosId, name: 'Crane', platform: 'ios' }]]);
    expect(auditRows(fixture, { after }).map(({ event, identifier }) => [event, identifier])).toEqual([
      ['created', made.body.identifier],
      ['linked', made.body.identifier],
    ]);
    expectRefusal(await create({ name: 'Barge', sibling_project_id: iosId }), 409, 'already_exists');
    expectRefusal(await create({ name: 'Barge', sibling_project_id: ABSENT }), 404, 'not_found');
    expect((await create({ name: 'Barge', sibling_project_id: null })).body.siblings).toEqual([]);
    expect(await idsOf(admin.client, iosId)).toEqual([made.body.identifier]);
    const edited = await admin.client.patch<Json>(`${PROJECTS}/${iosId}`, { sibling_project_id: null, name: 'Tug' });
    expect(edited.body.siblings).toHaveLength(1);
  });
});

describe('a sibling that the caller cannot access', () => {
  it('is missing from every response', async () => {
    const { admin, member, organizationId, inRole, iosId, androidId } = await addPair();
    const reads = [
      [`${PROJECTS}/${iosId}`, {}],
      [PROJECTS, { organization_id: organizationId }],
      [`${PROJECTS}/overview`, { organization_id: organizationId }],
    ] as const;
    const token = projectTokenClient(fixture, { organizationId, projectId: iosId, role: 'admin' });
    const callers = [...Object.values(inRole).map(({ client }) => client), token];
    const readAll = () =>
      Promise.all(
        callers.flatMap((client) => reads.map(async ([path, query]) => (await client.get(path, query)).text)),
      );
    const before = await readAll();
    await link(admin.client, iosId, androidId);
    expect(await readAll()).toEqual(before);
    join(fixture, member.id, { projects: { [iosId]: 'read', [androidId]: 'read' } });
    expect(await idsOf(member.client, iosId)).toEqual([androidId]);
    const script = personalTokenClient(fixture, { developerId: member.id, organizationId, scopes: scopes.read });
    expect(await idsOf(script, iosId)).toEqual([androidId]);
  });

  it('leaves without a word when an admin of the other links that one', async () => {
    const pair = await addPair();
    const { admin, organizationId, iosId, androidId } = pair;
    await link(admin.client, iosId, androidId);
    const second = await addProject(admin.client, organizationId, { name: 'Second', platform: 'android' });
    const half = await addMember(pair, { [iosId]: 'admin', [second]: 'admin' });
    const after = auditMark(fixture);
    const answer = await link(half.client, iosId, second);
    expect([answer.status, answer.text.includes(androidId)]).toEqual([200, false]);
    expect(await idsOf(admin.client, iosId)).toEqual([second]);
    expect(await idsOf(admin.client, androidId)).toEqual([]);
    const ios = { identifier: iosId, name: 'Crane', platform: 'ios' };
    // The trail of the person doesn't name the project that they can't access.
    expect(linkRows(after)).toEqual([
      ['unlinked', 'project', androidId, null, { name: 'Crane', platform: 'android', siblings: [ios] }],
      [
        'linked',
        'project',
        iosId,
        half.id,
        { name: 'Crane', platform: 'ios', siblings: [{ identifier: second, name: 'Second', platform: 'android' }] },
      ],
    ]);
  });

  it('is unlinked in the same way as none', async () => {
    const pair = await addPair();
    const { admin, inRole, iosId, androidId } = pair;
    const none = comparable(await unlink(inRole.admin.client, iosId));
    await link(admin.client, iosId, androidId);
    const after = auditMark(fixture);
    expect(comparable(await unlink(inRole.admin.client, iosId))).toEqual(none);
    expect(linkRows(after).map(([event, , identifier, developerId]) => [event, identifier, developerId])).toEqual([
      ['unlinked', iosId, null],
    ]);
    expect(await idsOf(admin.client, androidId)).toEqual([]);
  });
});

describe('unlinking two projects', () => {
  it('ends the link from either side, and is recorded once', async () => {
    const { admin, iosId, androidId } = await addPair();
    await link(admin.client, iosId, androidId);
    const after = auditMark(fixture);
    expect((await unlink(admin.client, androidId)).status).toBe(204);
    expect((await unlink(admin.client, androidId)).status).toBe(204);
    expect((await unlink(admin.client, iosId)).status).toBe(204);
    expect(linkRows(after)).toEqual([
      [
        'unlinked',
        'project',
        androidId,
        admin.id,
        { name: 'Crane', platform: 'android', siblings: [{ identifier: iosId, name: 'Crane', platform: 'ios' }] },
      ],
    ]);
    expect(await idsOf(admin.client, iosId)).toEqual([]);
    expect((await link(admin.client, iosId, androidId)).status).toBe(200);
  });

  it('requires the role admin', async () => {
    const { admin, inRole, outsider, iosId, androidId } = await addPair();
    await link(admin.client, iosId, androidId);
    for (const person of [inRole.maintainer, inRole.read, outsider]) {
      expectRefusal(await unlink(person.client, iosId), 404, 'not_found');
    }
    expect(await idsOf(admin.client, iosId)).toEqual([androidId]);
  });

  it('happens with the deletion of one of them, whose place is free then', async () => {
    const { admin, organizationId, iosId, androidId } = await addPair();
    await link(admin.client, iosId, androidId);
    expect((await admin.client.delete(`${PROJECTS}/${androidId}`)).status).toBe(204);
    expect(await idsOf(admin.client, iosId)).toEqual([]);
    const next = await addProject(admin.client, organizationId, { name: 'Crane', platform: 'android' });
    expect(await idsOf(admin.client, next)).toEqual([]);
    expect((await link(admin.client, next, iosId)).status).toBe(200);
    expect(await idsOf(admin.client, iosId)).toEqual([next]);
  });
});

describe('the channels of linked projects', () => {
  const add = async (client: Client, organizationId: string, projectId: string, body: Json) => {
    const query = { organization_id: organizationId, project_id: projectId };
    const answer = await client.post<{ identifier: string }>('/api/v1/channels', body, query);
    expect(answer.status, answer.text).toBe(201);
    return answer.body.identifier;
  };
  const edit = (client: Client, id: string, body: Json) => client.patch<Json>(`/api/v1/channels/${id}`, body);
  const pairsOf = async (client: Client, id: string) => {
    const answer = await client.get<{ identifier: string }[]>(`/api/v1/channels/${id}/siblings`);
    expect(answer.status).toBe(200);
    return answer.body.map(({ identifier }) => identifier);
  };

  it('are siblings if they have the same name, in any case, the oldest first', async () => {
    const { admin, organizationId, iosId, androidId } = await addPair();
    const { client } = admin;
    const ios = await add(client, organizationId, iosId, { name: 'Beta' });
    const android = await add(client, organizationId, androidId, { name: 'beta' });
    expect(await pairsOf(client, ios)).toEqual([]);
    await link(client, iosId, androidId);
    expect([await pairsOf(client, ios), await pairsOf(client, android)]).toEqual([[android], [ios]]);
    const later = await add(client, organizationId, androidId, { name: 'BETA' });
    expect([await pairsOf(client, ios), await pairsOf(client, later)]).toEqual([[android], []]);
    expect((await client.delete(`/api/v1/channels/${android}`)).status).toBe(204);
    expect([await pairsOf(client, ios), await pairsOf(client, later)]).toEqual([[later], [ios]]);
    expect((await edit(client, later, { name: 'nightly' })).status).toBe(200);
    expect(await pairsOf(client, ios)).toEqual([]);
    await unlink(client, iosId);
    await edit(client, later, { name: 'beta' });
    expect(await pairsOf(client, ios)).toEqual([]);
  });

  it('can be paired under another name, which comes before the same name, or not at all', async () => {
    const { admin, organizationId, iosId, androidId } = await addPair();
    const { client } = admin;
    await link(client, iosId, androidId);
    const ios = await add(client, organizationId, iosId, { name: 'beta' });
    const same = await add(client, organizationId, androidId, { name: 'beta' });
    const internal = await add(client, organizationId, androidId, { name: 'internal' });
    const after = auditMark(fixture);
    const edited = await edit(client, internal, { sibling_name: ' Beta ' });
    expect([edited.status, edited.body.sibling_name]).toEqual([200, 'Beta']);
    expect(auditRows(fixture, { after })).toMatchObject([
      { event: 'edited', type: 'channel', identifier: internal, details: { fields: ['sibling_name'] } },
    ]);
    expect(await pairsOf(client, ios)).toEqual([internal]);
    expect([await pairsOf(client, internal), await pairsOf(client, same)]).toEqual([[ios], []]);
    expect((await edit(client, ios, { sibling_name: '' })).body.sibling_name).toBe('');
    expect([await pairsOf(client, ios), await pairsOf(client, internal)]).toEqual([[], []]);
    // Two channels without siblings aren't siblings of each other.
    await edit(client, internal, { sibling_name: '' });
    expect([await pairsOf(client, ios), await pairsOf(client, internal)]).toEqual([[], []]);
    await edit(client, ios, { sibling_name: null });
    expect([await pairsOf(client, ios), await pairsOf(client, same)]).toEqual([[same], [ios]]);
    expectInvalid(await edit(client, ios, { sibling_name: 'x'.repeat(101) }), 'body.sibling_name: string_too_long');
  });

  it('are edited by maintainers, and show nothing of a project without access', async () => {
    const pair = await addPair();
    const { admin, inRole, organizationId, iosId, androidId } = pair;
    await link(admin.client, iosId, androidId);
    const ios = await add(inRole.maintainer.client, organizationId, iosId, { name: 'beta', sibling_name: 'inner' });
    const android = await add(admin.client, organizationId, androidId, { name: 'inner', description: 'Secret' });
    expect(await pairsOf(admin.client, ios)).toEqual([android]);
    expect(await pairsOf(inRole.maintainer.client, ios)).toEqual([]);
    const reader = await addMember(pair, { [iosId]: 'read', [androidId]: 'read' });
    expect(await pairsOf(reader.client, ios)).toEqual([android]);
    expectRefusal(await edit(reader.client, ios, { sibling_name: '' }), 404, 'not_found');
    expectRefusal(await inRole.read.client.get(`/api/v1/channels/${android}/siblings`), 404, 'not_found');
  });
});
