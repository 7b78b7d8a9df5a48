// Reading, listing, editing, revoking and deleting builds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builds, downloads } from '../../src/data/tables/tables.ts';
import { buildApk } from '../support/fixtures.ts';
import {
  api,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
  outboxRows,
  type Page,
  type Query,
  walkPages,
} from '../support/harness.ts';
import { addPerson, projectTokenClient } from '../support/people.ts';
import {
  type Build,
  type BuildScenario,
  makeChannel,
  type Project,
  startBuildScenario,
  uploadBuild,
} from './scenario.ts';

let scenario: BuildScenario;
beforeAll(async () => {
  scenario = await startBuildScenario();
});
afterAll(() => scenario?.fixture.stop());

/** Rows as uploads would have made them, without the packages. */
function addBuilds(
  { fixture }: BuildScenario,
  project: Project,
  count: number,
  revokedAt: number | null = null,
): string[] {
  const { app } = fixture;
  const ids = Array.from({ length: count }, () => app.ids.next());
  const rows = ids.map((id, index) => ({
    id,
    organizationId: project.organization_id,
    projectId: project.project_id,
    platform: 'ios' as const,
    versionName: id,
    buildNumber: index,
    sha256: '0'.repeat(64),
    sizeBytes: 1,
    uploadedAt: app.clock.now().getTime(),
    objectKey: `builds/${id}/package.ipa`,
    inspectionStatus: 'unreadable' as const,
    pendingUploadId: id,
    revokedAt,
  }));
  for (let start = 0; start < rows.length; start += 500) {
    app.db
      .insert(builds)
      .values(rows.slice(start, start + 500))
      .run();
  }
  return ids;
}

async function walk(client: Client, query: Query): Promise<string[][]> {
  const pages = await walkPages<Build>(client, '/api/v1/builds', query);
  return pages.map((items) => items.map(({ identifier }) => identifier));
}

describe('the id of a build', () => {
  it('is accepted in any case, and refused unless it is a UUID', async () => {
    const { admin, ios } = scenario;
    const [id = ''] = addBuilds(scenario, ios, 1);
    for (const given of [id, id.toUpperCase(), id])
      expect((await admin.get<Build>(`/api/v1/builds/${given}`)).body.identifier).toBe(id);
    const [unknownVersion, unknownVariant] = [
      `${id.slice(0, 14)}0${id.slice(15)}`,
      `${id.slice(0, 19)}0${id.slice(20)}`,
    ];
    for (const given of [unknownVersion, unknownVariant, `${id}0`, id.slice(1), id.replaceAll('-', '')])
      expectInvalid(await admin.get(`/api/v1/builds/${given}`), 'path.build_id: uuid_parsing');
    expectRefusal(await admin.get(`/api/v1/builds/${scenario.fixture.app.ids.next()}`), 404, 'not_found');
  });
});

describe('a list', () => {
  it('can be filtered by status; the legacy flag is only used without one', async () => {
    await using other = await startBuildScenario();
    const { admin, ios } = other;
    const [first = '', second = ''] = addBuilds(other, ios, 2);
    const [revoked = ''] = addBuilds(other, ios, 1, 1);
    const cases: [Record<string, string | boolean>, string[]][] = [
      [{}, [second, first]],
      [{ status: 'active' }, [second, first]],
      [{ status: 'revoked' }, [revoked]],
      [{ status: 'all' }, [revoked, second, first]],
      [{ include_revoked: false }, [second, first]],
      [{ include_revoked: true }, [revoked, second, first]],
      [{ include_revoked: true, status: 'active' }, [second, first]],
      [{ include_revoked: false, status: 'revoked' }, [revoked]],
      [{ unknown: 'ignored' }, [second, first]],
    ];
    for (const [query, expected] of cases) expect(await walk(admin, { ...ios, ...query })).toEqual([expected]);
  });

  it('continues at the cursor, regardless of changes in between', async () => {
    await using other = await startBuildScenario();
    const { admin, ios } = other;
    const ids = addBuilds(other, ios, 250).reverse();
    const { body: first } = await admin.get<Page<Build>>('/api/v1/builds', { ...ios });
    expect(first.items.map(({ identifier }) => identifier)).toEqual(ids.slice(0, 100));
    addBuilds(other, ios, 3);
    const { body: second } = await admin.get<Page<Build>>('/api/v1/builds', {
      ...ios,
      cursor: first.next_cursor ?? '',
    });
    expect(second.items.map(({ identifier }) => identifier)).toEqual(ids.slice(100, 200));
    expect((await walk(admin, { ...ios, limit: 100 })).map(({ length }) => length)).toEqual([100, 100, 53]);
    expect((await walk(admin, { ...ios, limit: 5000 })).map(({ length }) => length)).toEqual([253]);
    const { body: restarted } = await admin.get<Page<Build>>('/api/v1/builds', { ...ios, cursor: '%%%', limit: 1 });
    expect(restarted.items).toHaveLength(1);
  });

  it('does not show builds of other projects', async () => {
    await using other = await startBuildScenario();
    const { admin, ios, android } = other;
    addBuilds(other, ios, 1);
    expect((await admin.get('/api/v1/builds', { ...android })).body).toEqual({ items: [], next_cursor: null });
  });

  it('only reads the index of its status', () => {
    const { app } = scenario.fixture;
    const plan = (condition: string) =>
      app.db.$client
        .prepare<[], { detail: string }>(
          `EXPLAIN QUERY PLAN SELECT * FROM builds WHERE project_id = 'p' AND id < 'i' ${condition} ORDER BY id DESC LIMIT 101`,
        )
        .all()
        .map(({ detail }) => detail);
    expect(plan('')).toEqual(['SEARCH builds USING INDEX builds_project (project_id=? AND id<?)']);
    expect(plan('AND revoked_at IS NULL')).toEqual([
      'SEARCH builds USING INDEX builds_project_active (project_id=? AND id<?)',
    ]);
    expect(plan('AND revoked_at IS NOT NULL')).toEqual([
      'SEARCH builds USING INDEX builds_project_revoked (project_id=? AND id<?)',
    ]);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['a status that is none', { status: 'deleted' }, ['query.status: enum']],
    ['a page of nothing', { limit: '0' }, ['query.limit: greater_than_equal']],
    ['a flag that is none', { include_revoked: 'perhaps' }, ['query.include_revoked: bool_type']],
  ])('rejects %s', async (_name, query, expected) => {
    expectInvalid(await scenario.admin.get('/api/v1/builds', { ...scenario.android, ...query }), ...expected);
  });

  it('requires the project', async () => {
    expectInvalid(
      await scenario.admin.get('/api/v1/builds'),
      'query.organization_id: missing',
      'query.project_id: missing',
    );
  });
});

describe('release notes', () => {
  it('are the only editable field', async () => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk(), { release_notes: 'before' });
    const path = `/api/v1/builds/${build.identifier}`;
    const before = auditMark(fixture);
    const edited = await ci.patch(path, { release_notes: 'after', version_name: '9', sha256: 'x', revoked_at: null });
    expect([edited.status, edited.body]).toEqual([200, { ...build, release_notes: 'after' }]);
    expect((await ci.patch(path, { release_notes: null })).body.release_notes).toBeNull();
    expect((await ci.patch(path, {})).body.release_notes).toBeNull();
    expect((await ci.patch(path, { release_notes: null })).body).toEqual({ ...build, release_notes: null });
    expect(
      auditRows(fixture, { after: before }).map(({ event, type, details }) => [event, type, details.fields]),
    ).toEqual([
      ['edited', 'build', ['release_notes']],
      ['edited', 'build', ['release_notes']],
    ]);
    expectInvalid(await ci.patch(path, { release_notes: 5 }), 'body.release_notes: string_type');
    expectInvalid(await ci.patch(path, { release_notes: 'n'.repeat(10_001) }), 'body.release_notes: string_too_long');
  });
});

describe('revoking', () => {
  it('sets revoked_at once; repeating it is recorded as redundant', async () => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    const before = auditMark(fixture);
    const first = await ci.post(`/api/v1/builds/${build.identifier}/revoke`);
    const installability = { ...(build.installability as Json), status: 'uninstallable', reason: 'revoked' };
    expect([first.status, first.body]).toEqual([
      200,
      { ...build, installability, revoked_at: expect.stringMatching(/Z$/) },
    ]);
    const second = await ci.post(`/api/v1/builds/${build.identifier}/revoke`);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await ci.get(`/api/v1/builds/${build.identifier}`)).body).toEqual(first.body);
    expect(auditRows(fixture, { after: before }).map(({ event, type }) => `${event} ${type}`)).toEqual([
      'revoked build',
      'redundant_action build',
    ]);
  });
});

describe('deleting', () => {
  it.each([false, true])('deletes a build and its releases permanently (revoked: %s)', async (isRevoked) => {
    const { fixture, admin, ci, android } = scenario;
    const { db } = fixture.app;
    const identity = { version_name: `deleted ${isRevoked}`, build_number: 1 };
    const build = await uploadBuild(ci, android, buildApk(), identity);
    const channel_id = await makeChannel(ci, android);
    const released = await ci.post('/api/v1/releases', { build_id: build.identifier }, { ...android, channel_id });
    expect(released.status).toBe(201);
    expect((await ci.get(`/api/v1/builds/${build.identifier}/download`)).status).toBe(200);
    if (isRevoked) await ci.post(`/api/v1/builds/${build.identifier}/revoke`);
    const before = auditMark(fixture);
    const answer = await admin.delete(`/api/v1/builds/${build.identifier}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(auditRows(fixture, { after: before }).map(({ event, type }) => `${event} ${type}`)).toEqual([
      'deleted release',
      'deleted build',
    ]);
    expect(outboxRows(fixture, 'build.deleted').at(-1)?.data).toEqual({ build_id: build.identifier });
    expectRefusal(await admin.get(`/api/v1/builds/${build.identifier}`), 404, 'not_found');
    expectRefusal(await admin.delete(`/api/v1/builds/${build.identifier}`), 404, 'not_found');
    const stamped = db.select().from(downloads).all();
    expect(stamped.filter(({ buildId }) => buildId === build.identifier)).toHaveLength(1);
    // The identity is free again.
    await uploadBuild(ci, android, buildApk(), identity);
  });

  it('requires a project admin', async () => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    expectRefusal(await ci.delete(`/api/v1/builds/${build.identifier}`), 403, 'permission_denied');
    const admin = projectTokenClient(fixture, {
      organizationId: android.organization_id,
      projectId: android.project_id,
      role: 'admin',
    });
    expect((await admin.delete(`/api/v1/builds/${build.identifier}`)).status).toBe(204);
  });
});

describe('a build', () => {
  it('is not found without access to its project', async () => {
    const { fixture, ci, android, ios } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    const stranger = await addPerson(fixture, {
      organizations: { [ios.organization_id]: 'member' },
      projects: { [ios.project_id]: 'admin' },
    });
    const path = `/api/v1/builds/${build.identifier}`;
    for (const [method, suffix] of [
      ['GET', ''],
      ['GET', '/inspection'],
      ['GET', '/download'],
      ['GET', '/icon'],
      ['POST', '/revoke'],
      ['DELETE', ''],
    ] as const) {
      expectRefusal(await stranger.client.send(method, path + suffix), 404, 'not_found');
      expectRefusal(await api(fixture, null).send(method, path + suffix), 401, 'unauthorized');
      const elsewhere = { query: { ...ios } };
      expectRefusal(await scenario.admin.send(method, path + suffix, elsewhere), 404, 'not_found');
    }
    expect((await ci.get(path.toUpperCase().replace('/API/V1/BUILDS', '/api/v1/builds'))).body).toEqual(build);
  });
});
