// The API of projects.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builds, channels, pendingUploads } from '../../src/data/tables/tables.ts';
import { ALL_SCOPES, projectRoles, scopes } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  ABSENT,
  api,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  type Page,
  walkPages,
} from '../support/harness.ts';
import {
  addOrganization,
  addPerson,
  addProject,
  addTeam,
  join,
  personalTokenClient,
  projectTokenClient,
} from '../support/people.ts';

const PROJECTS = '/api/v1/projects';

let fixture: Fixture;
let anonymous: Client;

beforeAll(async () => {
  fixture = await startFixture();
  anonymous = api(fixture, null);
});
afterAll(() => fixture.stop());

async function staff() {
  const team = await addTeam(fixture);
  return { ...team, path: team.projectPath, query: { organization_id: team.organizationId } };
}

function addBuild(organizationId: string, projectId: string, revokedAt: number | null): void {
  const { app } = fixture;
  const id = app.ids.next();
  app.db
    .insert(builds)
    .values({
      id,
      organizationId,
      projectId,
      platform: 'ios',
      versionName: '1.0',
      buildNumber: 1,
      sha256: '0'.repeat(64),
      sizeBytes: 1,
      uploadedAt: app.clock.now().getTime(),
      objectKey: `builds/${id}`,
      inspectionStatus: 'unreadable',
      revokedAt,
      pendingUploadId: app.ids.next(),
    })
    .run();
}

describe('creating a project', () => {
  it('returns the project with all given fields and no others', async () => {
    const { admin, manager, organizationId, query } = await staff();
    const after = auditMark(fixture);
    const answer = await manager.client.post(
      PROJECTS,
      {
        name: ' Ferry ',
        platform: 'android',
        description: 'Two\nlines',
        bundle_identifier: 'com.example.ferry_app',
        tier: 'team',
      },
      query,
    );
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      identifier: expect.any(String),
      organization_id: organizationId,
      name: 'Ferry',
      platform: 'android',
      description: 'Two\nlines',
      bundle_identifier: 'com.example.ferry_app',
      size_budget_bytes: null,
      has_icon: false,
      icon_url: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      role: 'admin',
      siblings: [],
    });
    expect((await admin.client.get(`${PROJECTS}/${answer.body.identifier}`)).body).toEqual(answer.body);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'created',
        type: 'project',
        identifier: answer.body.identifier,
        organizationId,
        actorId: manager.id,
        details: { name: 'Ferry', platform: 'android' },
      },
    ]);
    const bare = await admin.client.post(PROJECTS, { name: 'Bare', platform: 'ios', description: null }, query);
    expect(bare.body).toMatchObject({ description: null, bundle_identifier: null });
  });

  it.each([
    [{}, ['body.name: missing', 'body.platform: missing']],
    [{ name: 'X', platform: 'windows' }, ['body.platform: enum']],
    [{ name: 'X', platform: 'IOS' }, ['body.platform: enum']],
    [{ name: 7, platform: 'ios' }, ['body.name: string_type']],
    [{ name: 'X'.repeat(101), platform: 'ios' }, ['body.name: string_too_long']],
    [{ name: 'X', platform: 'ios', description: 'd'.repeat(2001) }, ['body.description: string_too_long']],
    [{ name: 'X', platform: 'ios', description: 'a\0b' }, ['body.description: string_pattern_mismatch']],
    [
      { name: 'X', platform: 'ios', bundle_identifier: 'com example' },
      ['body.bundle_identifier: string_pattern_mismatch'],
    ],
    [{ name: 'X', platform: 'ios', bundle_identifier: 'c'.repeat(256) }, ['body.bundle_identifier: string_too_long']],
    [[], ['body: dict_type']],
  ])('rejects the body %j', async (body, expected) => {
    const admin = await addPerson(fixture);
    const query = { organization_id: await addOrganization(admin) };
    expectInvalid(await admin.client.post(PROJECTS, body, query), ...expected);
  });

  it('requires a manager or admin of the organization', async () => {
    const { admin, member, outsider, inRole, query, organizationId, projectId } = await staff();
    const body = { name: 'Mine', platform: 'ios' };
    expectRefusal(await anonymous.post(PROJECTS, body, query), 401, 'unauthorized');
    expectRefusal(await member.client.post(PROJECTS, body, query), 403, 'insufficient_role');
    expectRefusal(await inRole.admin.client.post(PROJECTS, body, query), 403, 'insufficient_role');
    expectRefusal(await outsider.client.post(PROJECTS, body, query), 404, 'not_found');
    expectRefusal(await admin.client.post(PROJECTS, body, { organization_id: ABSENT }), 404, 'not_found');
    expectInvalid(await admin.client.post(PROJECTS, body), 'query.organization_id: missing');
    expectInvalid(
      await admin.client.post(PROJECTS, body, { organization_id: 'x' }),
      'query.organization_id: uuid_parsing',
    );
    const bits = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: 63n });
    const all = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: ALL_SCOPES });
    expectRefusal(await bits.post(PROJECTS, body, query), 403, 'permission_denied');
    expect((await all.post(PROJECTS, body, query)).status).toBe(201);
    const token = projectTokenClient(fixture, { organizationId, projectId, role: 'admin' });
    expectRefusal(await token.post(PROJECTS, { ...body, name: 'Other' }, query), 403, 'permission_denied');
  });

  it('accepts a name once per platform of an organization', async () => {
    const { admin, query } = await staff();
    expectRefusal(await admin.client.post(PROJECTS, { name: 'Crane', platform: 'ios' }, query), 409, 'already_exists');
    expect((await admin.client.post(PROJECTS, { name: 'Crane', platform: 'android' }, query)).status).toBe(201);
    const elsewhere = { organization_id: await addOrganization(admin, 'Elsewhere') };
    expect((await admin.client.post(PROJECTS, { name: 'Crane', platform: 'ios' }, elsewhere)).status).toBe(201);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => admin.client.post(PROJECTS, { name: 'Race', platform: 'ios' }, query)),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 409, 'already_exists');
  });

  it('stops at 50 in one organization, also for simultaneous requests', async () => {
    const admin = await addPerson(fixture);
    const organizationId = await addOrganization(admin);
    const query = { organization_id: organizationId };
    for (let index = 0; index < 30; index++) await addProject(admin.client, organizationId, { name: `App ${index}` });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        admin.client.post(PROJECTS, { name: `Rush ${index}`, platform: 'android' }, query),
      ),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(20);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(expectRefusal(answer, 400, 'quota_exceeded')).toEqual({ limit: 50 });
    }
    const all = (await walkPages(admin.client, PROJECTS, { ...query, limit: 7 })).flat();
    expect(all).toHaveLength(50);
    expect((await admin.client.delete(`${PROJECTS}/${all[0]?.identifier}`)).status).toBe(204);
    expect((await admin.client.post(PROJECTS, { name: 'Room', platform: 'ios' }, query)).status).toBe(201);
  });
});

describe('listing projects', () => {
  it('returns all to managers, joined ones to members and their own to project tokens, newest first', async () => {
    const { admin, manager, member, outsider, inRole, organizationId, projectId, query } = await staff();
    const ids = [projectId];
    for (let index = 0; index < 9; index++) {
      ids.push(await addProject(admin.client, organizationId, { name: `App ${index}` }));
    }
    const newestFirst = ids.toReversed();
    const [, second = '', , fourth = ''] = ids;
    join(fixture, member.id, { projects: { [second]: 'read', [fourth]: 'maintainer' } });

    for (const [client, expected] of [
      [admin.client, newestFirst.map((id) => [id, 'admin'])],
      [manager.client, newestFirst.map((id) => [id, 'admin'])],
      [
        member.client,
        [
          [fourth, 'maintainer'],
          [second, 'read'],
        ],
      ],
      [inRole.read_download.client, [[projectId, 'read_download']]],
      [
        projectTokenClient(fixture, { organizationId, projectId: second, role: 'read_download' }),
        [[second, 'read_download']],
      ],
      [
        personalTokenClient(fixture, { developerId: member.id, organizationId, scopes: scopes.read }),
        [
          [fourth, 'maintainer'],
          [second, 'read'],
        ],
      ],
    ] as const) {
      // Pages of one would come out short or empty if reach were decided after the page was cut.
      for (const limit of [1, 3, 100]) {
        const items = (await walkPages(client, PROJECTS, { ...query, limit })).flat();
        expect(items.map(({ identifier, role }) => [identifier, role])).toEqual(expected);
      }
    }
    const first = await member.client.get<Page>(PROJECTS, { ...query, limit: 1 });
    expect(first.body.items).toHaveLength(1);
    expect(first.body.next_cursor).not.toBeNull();
    expectRefusal(await outsider.client.get(PROJECTS, query), 404, 'not_found');
    expectRefusal(await anonymous.get(PROJECTS, query), 401, 'unauthorized');
  });

  it('neither repeats nor misses projects when others are created or deleted between pages', async () => {
    const admin = await addPerson(fixture);
    const organizationId = await addOrganization(admin);
    const query = { organization_id: organizationId, limit: 2 };
    const ids: string[] = [];
    for (let index = 0; index < 5; index++)
      ids.push(await addProject(admin.client, organizationId, { name: `P${index}` }));
    const first = await admin.client.get<Page>(PROJECTS, query);
    await addProject(admin.client, organizationId, { name: 'Late' });
    await admin.client.delete(`${PROJECTS}/${ids[3]}`);
    const second = await admin.client.get<Page>(PROJECTS, { ...query, cursor: first.body.next_cursor ?? '' });
    expect(first.body.items.map((item) => item.identifier)).toEqual([ids[4], ids[3]]);
    expect(second.body.items.map((item) => item.identifier)).toEqual([ids[2], ids[1]]);
  });

  it('clamps a large limit, restarts at a malformed cursor, and rejects invalid limits', async () => {
    const { admin, query } = await staff();
    const whole = await admin.client.get<Page>(PROJECTS, query);
    expect((await admin.client.get(PROJECTS, { ...query, limit: 5000 })).body).toEqual(whole.body);
    expect((await admin.client.get(PROJECTS, { ...query, cursor: '%%%' })).body).toEqual(whole.body);
    expectInvalid(await admin.client.get(PROJECTS, { ...query, limit: 0 }), 'query.limit: greater_than_equal');
    expectInvalid(await admin.client.get(PROJECTS, { ...query, limit: 'ten' }), 'query.limit: int_type');
    expectInvalid(await admin.client.get(PROJECTS), 'query.organization_id: missing');
  });

  it('requires the read scope and the token’s own organization', async () => {
    const { admin, organizationId, query, projectId } = await staff();
    const elsewhere = await addOrganization(admin, 'Elsewhere');
    const token = { developerId: admin.id, organizationId };
    const uploading = personalTokenClient(fixture, { ...token, scopes: scopes.upload_build });
    const reading = personalTokenClient(fixture, { ...token, scopes: scopes.read });
    const project = projectTokenClient(fixture, { organizationId, projectId, role: 'maintainer' });
    expectRefusal(await uploading.get(PROJECTS, query), 403, 'permission_denied');
    expectRefusal(await reading.get(PROJECTS, { organization_id: elsewhere }), 404, 'not_found');
    expectRefusal(await project.get(PROJECTS, { organization_id: elsewhere }), 404, 'not_found');
  });
});

describe('one project', () => {
  it('is visible to everyone with access, with their role, and unknown to others', async () => {
    const { admin, manager, member, outsider, inRole, path, projectId, organizationId } = await staff();
    for (const person of [admin, manager])
      expect((await person.client.get(path)).body).toMatchObject({ role: 'admin' });
    for (const role of projectRoles) {
      expect((await inRole[role].client.get(path)).body).toMatchObject({
        identifier: projectId,
        organization_id: organizationId,
        role,
      });
    }
    expectRefusal(await member.client.get(path), 404, 'not_found');
    expectRefusal(await outsider.client.get(path), 404, 'not_found');
    expectRefusal(await admin.client.get(`${PROJECTS}/${ABSENT}`), 404, 'not_found');
    expectRefusal(await admin.client.get(path, { organization_id: ABSENT }), 404, 'not_found');
    expectRefusal(await admin.client.get(path, { project_id: ABSENT }), 404, 'not_found');
    expect((await admin.client.get(path, { organization_id: organizationId, project_id: projectId })).status).toBe(200);
    expectRefusal(await anonymous.get(path), 401, 'unauthorized');
    expectInvalid(await admin.client.get(`${PROJECTS}/7`), 'path.project_id: uuid_parsing');
    const token = projectTokenClient(fixture, { organizationId, projectId, role: 'read' });
    expect((await token.get(path)).body).toMatchObject({ organization_id: organizationId, role: 'read' });
    const sibling = await addProject(admin.client, organizationId, { name: 'Sibling' });
    expectRefusal(await token.get(`${PROJECTS}/${sibling}`), 404, 'not_found');
  });

  it('a project membership without one in the organization grants nothing', async () => {
    const { outsider, projectId, path } = await staff();
    join(fixture, outsider.id, { projects: { [projectId]: 'admin' } });
    expectRefusal(await outsider.client.get(path), 404, 'not_found');
  });

  it('can be changed by project admins, except for its platform, with the previous values recorded', async () => {
    const { admin, inRole, path, organizationId, projectId } = await staff();
    const after = auditMark(fixture);
    const answer = await inRole.admin.client.patch(path, {
      name: 'Renamed',
      description: 'New',
      bundle_identifier: 'com.example.app',
      platform: 'android',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      identifier: projectId,
      name: 'Renamed',
      description: 'New',
      bundle_identifier: 'com.example.app',
      platform: 'ios',
    });
    const cleared = await admin.client.patch(path, { description: null });
    expect(cleared.body).toMatchObject({ name: 'Renamed', description: null, bundle_identifier: 'com.example.app' });
    expect((await admin.client.patch(path, {})).status).toBe(200);
    expect((await admin.client.patch(path, { name: 'Renamed' })).status).toBe(200);
    expect(
      auditRows(fixture, { after }).map(({ event, type, identifier, details }) => [event, type, identifier, details]),
    ).toEqual([
      [
        'edited',
        'project',
        projectId,
        {
          changed: {
            name: { from: 'Crane', to: 'Renamed' },
            description: { from: null, to: 'New' },
            bundle_identifier: { from: null, to: 'com.example.app' },
          },
        },
      ],
      ['edited', 'project', projectId, { changed: { description: { from: 'New', to: null } } }],
    ]);
    await addProject(admin.client, organizationId, { name: 'Taken' });
    expectRefusal(await admin.client.patch(path, { name: 'Taken' }), 409, 'already_exists');
    expectInvalid(await admin.client.patch(path, { name: '' }), 'body.name: string_too_short');
    expectInvalid(
      await admin.client.patch(path, { bundle_identifier: '' }),
      'body.bundle_identifier: string_pattern_mismatch',
    );
  });

  it('cannot be changed or deleted with a lower role', async () => {
    const { admin, member, outsider, inRole, path, organizationId, projectId } = await staff();
    for (const person of [
      member,
      outsider,
      inRole.read,
      inRole.read_download,
      inRole.read_download_upload,
      inRole.maintainer,
    ]) {
      expectRefusal(await person.client.patch(path, { name: 'Mine' }), 404, 'not_found');
      expectRefusal(await person.client.delete(path), 404, 'not_found');
    }
    const maintainer = projectTokenClient(fixture, { organizationId, projectId, role: 'maintainer' });
    expectRefusal(await maintainer.patch(path, { name: 'Mine' }), 403, 'permission_denied');
    expectRefusal(await maintainer.delete(path), 403, 'permission_denied');
    const bits = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: 63n });
    expectRefusal(await bits.patch(path, { name: 'Mine' }), 403, 'permission_denied');
    const small = personalTokenClient(fixture, { developerId: inRole.read.id, organizationId, scopes: ALL_SCOPES });
    expectRefusal(await small.patch(path, { name: 'Mine' }), 403, 'permission_denied');
    const tokenOfAdmin = projectTokenClient(fixture, { organizationId, projectId, role: 'admin' });
    expect((await tokenOfAdmin.patch(path, { name: 'By CI' })).body).toMatchObject({ name: 'By CI', role: 'admin' });
  });

  it.each([
    ['a build', (organizationId: string, projectId: string) => addBuild(organizationId, projectId, null)],
    ['a revoked build', (organizationId: string, projectId: string) => addBuild(organizationId, projectId, 1)],
    [
      'a pending upload',
      (organizationId: string, projectId: string) => {
        const { app } = fixture;
        const now = app.clock.now().getTime();
        const id = app.ids.next();
        const identity = { versionName: '1', buildNumber: 1, objectKey: `incoming/${id}` };
        app.db
          .insert(pendingUploads)
          .values({ id, organizationId, projectId, ...identity, createdAt: now, expiresAt: now })
          .run();
      },
    ],
  ])('cannot be deleted while it has %s', async (_what, add) => {
    const { admin, path, organizationId, projectId } = await staff();
    add(organizationId, projectId);
    expectRefusal(await admin.client.delete(path), 409, 'dependency_exists');
    expect((await admin.client.get(path)).status).toBe(200);
  });

  it('is deleted with its channels, members and tokens', async () => {
    const { admin, inRole, path, organizationId, projectId } = await staff();
    const token = projectTokenClient(fixture, { organizationId, projectId, role: 'maintainer' });
    const { app } = fixture;
    const flags = { autoDistribute: false, notifyOnRelease: false, isPublic: true };
    const createdAt = app.clock.now().getTime();
    app.db
      .insert(channels)
      .values({ id: app.ids.next(), organizationId, projectId, name: 'Beta', ...flags, createdAt })
      .run();
    const after = auditMark(fixture);
    expect((await inRole.admin.client.delete(path)).status).toBe(204);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'deleted',
        type: 'project',
        identifier: projectId,
        organizationId,
        details: { name: 'Crane', platform: 'ios' },
      },
    ]);
    expectRefusal(await admin.client.get(path), 404, 'not_found');
    expectRefusal(await token.get(path), 401, 'unauthorized');
    expect((await inRole.read.client.get<Page>(PROJECTS, { organization_id: organizationId })).body.items).toEqual([]);
  });
});
