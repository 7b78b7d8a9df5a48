// The search for projects, channels, builds and members by parts of their names.

import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildLabels, builds, developers, organizationMemberships } from '../../src/data/tables/tables.ts';
import type { SearchResults } from '../../src/search/schema.ts';
import { exactQueries } from '../../src/search/store.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { leastCpu } from '../support/cpu.ts';
import { api, type Client, expectInvalid, expectRefusal } from '../support/harness.ts';
import { insertRows } from '../support/insert-rows.ts';
import { addPerson } from '../support/people.ts';
import { plansOf, stepsOn } from '../support/plans.ts';

let fixture: Fixture;
let path: string;
beforeAll(async () => {
  fixture = await startFixture();
  path = `/api/v1/organizations/${fixture.organization_id}/search`;
  const place = { organization_id: fixture.organization_id, project_id: fixture.ios_project_id };
  await api(fixture).post('/api/v1/channels', { name: 'Nightly' }, place);
  await api(fixture).post('/api/v1/channels', { name: '100%_sure' }, place);
  await api(fixture).post('/api/v1/channels', { name: 'Cafe\u0301' }, place);
});
afterAll(() => fixture?.stop());

async function find(query: string, client: Client = api(fixture)): Promise<SearchResults> {
  const { status, body, text } = await client.get<SearchResults>(path, { query });
  expect(status, text).toBe(200);
  return body;
}

function addBuilds(count: number, major = 3, first = 500): string[] {
  const { app } = fixture;
  const rows = Array.from({ length: count }, (_, index) => ({
    id: app.ids.next(),
    organizationId: fixture.organization_id,
    projectId: fixture.android_project_id,
    platform: 'android' as const,
    versionName: `${major}.${index}.0`,
    buildNumber: first + index,
    sha256: 'a'.repeat(64),
    sizeBytes: 9,
    uploadedAt: app.clock.now().getTime(),
    originalFilename: index === 3 ? 'harbour-release.apk' : null,
    objectKey: `builds/${index}`,
    inspectionStatus: 'ok' as const,
    pendingUploadId: app.ids.next(),
  }));
  app.db.insert(builds).values(rows).run();
  return rows.map(({ id }) => id);
}

describe('searching for a name', () => {
  it('finds channels of every project in any letter case', async () => {
    const { channels, truncated } = await find('nIGHt');
    expect(channels).toEqual([
      {
        identifier: expect.any(String),
        name: 'Nightly',
        project_id: fixture.ios_project_id,
        project_name: expect.any(String),
      },
    ]);
    expect(truncated).toBe(false);
  });

  it.each(['f\u00e9', 'fe\u0301'])('finds an accent however it is written: %j', async (text) => {
    expect((await find(text)).channels.map(({ name }) => name)).toEqual(['Caf\u00e9']);
  });

  it('treats wildcards literally', async () => {
    expect((await find('100%_')).channels.map(({ name }) => name)).toEqual(['100%_sure']);
    expect((await find('%')).channels.map(({ name }) => name)).toEqual(['100%_sure']);
    expect((await find('!')).channels).toEqual([]);
    const { truncated, ...found } = await find('n\0othing is called so');
    expect([Object.values(found).flat(), truncated]).toEqual([[], false]);
  });

  it('finds builds by version, number and file, newest first and at most ten', async () => {
    const ids = addBuilds(12);
    const all = await find('3.');
    expect(all.builds.map(({ identifier }) => identifier)).toEqual(ids.toReversed().slice(0, 10));
    expect(all.truncated).toBe(true);
    expect((await find('3.4.0 (504)')).builds).toEqual([
      {
        identifier: ids[4],
        version_name: '3.4.0',
        build_number: 504,
        display_build_number: '504',
        original_filename: null,
        project_id: fixture.android_project_id,
        project_name: expect.any(String),
      },
    ]);
    expect((await find('HARBOUR')).builds.map(({ identifier }) => identifier)).toEqual([ids[3]]);
    expect((await find('506')).builds.map(({ version_name }) => version_name)).toEqual(['3.6.0']);
  });

  it('finds builds by their source and labels', async () => {
    const [main = '', other = '', labeled = ''] = addBuilds(3, 8, 8_000);
    const { db } = fixture.app;
    const source = {
      sourceBranch: 'feature/Harbor-42',
      sourceTag: 'v8',
      sourceAuthor: 'Amélie',
      sourceCommit: 'c0ffee'.repeat(7),
    };
    db.update(builds).set(source).where(eq(builds.id, main)).run();
    db.update(builds).set({ sourceBranch: 'quay' }).where(eq(builds.id, other)).run();
    const project = fixture.android_project_id;
    db.insert(buildLabels).values({ buildId: labeled, projectId: project, key: 'smoke ok', label: 'Smoke OK' }).run();
    const found = async (query: string) => (await find(query)).builds.map(({ identifier }) => identifier);
    for (const query of ['harbor-42', 'amélie', 'C0FFEEc0', 'feature/Harbor-42'])
      expect(await found(query)).toEqual([main]);
    expect(await found('quay')).toEqual([other]);
    expect(await found('moke')).toEqual([]);
    for (const query of ['SMOKE', 'smoke ok', 'Smo']) expect(await found(query)).toEqual([labeled]);
  });

  it('finds builds of any age by their number and the begin of their version', async () => {
    const ids = addBuilds(12, 7, 7_000_000);
    // Newer builds than are searched for a part of their texts.
    const newer = 2_000;
    const columns = fixture.app.db.$client
      .prepare<[], string>("SELECT name FROM pragma_table_info('builds')")
      .pluck()
      .all();
    const changed: Record<string, string> = {
      id: "'ffffffff-0000-7000-8000-' || printf('%012x', n)",
      version_name: "'9.0'",
      build_number: '10000 + n',
      pending_upload_id: "'newer-' || n",
      object_key: "'newer-' || n",
    };
    fixture.app.db.$client
      .prepare(
        `INSERT INTO builds (${columns}) WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${newer})
          SELECT ${columns.map((name) => changed[name] ?? name)} FROM builds, numbers WHERE id = ?`,
      )
      .run(ids[0]);
    const found = async (query: string) => (await find(query)).builds.map(({ identifier }) => identifier);
    for (const query of ['7000004', '007000004']) expect(await found(query)).toEqual([ids[4]]);
    expect(await found('7.4')).toEqual([ids[4]]);
    expect(await found('7.4.0 (7000004)')).toEqual([ids[4]]);
    expect(await found('7.4.0 (7000005)')).toEqual([]);
    expect(await found('.4.0')).toEqual([]);
    // More builds have the number than are read of it.
    const change = (set: string, ...of: string[]) =>
      fixture.app.db.$client.prepare(`UPDATE builds SET ${set} WHERE id IN (${of.map(() => '?').join()})`).run(...of);
    change('build_number = 7000000', ...ids);
    for (const index of [0, 4, 11]) expect(await found(`7.${index}.0 (7000000)`)).toEqual([ids[index]]);
    expect(await found('7000000')).toEqual(ids.toReversed().slice(0, 10));
    change("version_name = '7.4.0 rc'", ids[4] ?? '');
    expect(await found('7.4.0 rc (7000000)')).toEqual([ids[4]]);
    change("version_name = '7.5.0 (7000000)'", ids[4] ?? '');
    expect(await found('7.5.0 (7000000)')).toEqual([ids[5], ids[4]]);
    // The number that people see on iOS is the package's own.
    change("platform = 'ios', package_build_number = '7.0.9', build_number = 7000009", ids[4] ?? '');
    expect(await found('7.5.0 (7000000) (7.0.9)')).toEqual([ids[4]]);
    expect(await found('7.0.9')).toEqual([ids[4]]);
  });

  it('finds builds of any age in an index', () => {
    for (const sql of Object.values(exactQueries)) {
      const steps = fixture.app.db.$client
        .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all({ projectId: '', text: '', key: '', version: '', number: 0, limit: 1 })
        .map(({ detail }) => detail);
      const search =
        /^SEARCH (?:builds USING INDEX builds_|build_labels USING COVERING INDEX build_labels_)\w+ \(project_id=\? AND /;
      const ofLabel = ['SEARCH builds USING INDEX sqlite_autoindex_builds_1 (id=?)', 'LIST SUBQUERY 1'];
      const searches = steps.filter((step) => !ofLabel.includes(step));
      expect(searches).toEqual([expect.stringMatching(search)]);
    }
  });

  it('finds members among any number of them, by name', async () => {
    const other = await startFixture();
    try {
      const { app, organization_id: organizationId } = other;
      const createdAt = app.clock.now().getTime();
      const accounts = Array.from({ length: 2_500 }, (_, number) => {
        // The names of the first and the last one are the other way round.
        const displayName = number === 0 ? 'Harbor B' : number === 2_499 ? 'Harbor A' : `Member ${number}`;
        return { id: app.ids.next(), email: `m${number}@example.test`, displayName, createdAt };
      });
      const members = accounts.map(({ id: developerId }) => ({
        organizationId,
        developerId,
        role: 'member' as const,
        createdAt,
      }));
      insertRows(app.db, developers, accounts);
      insertRows(app.db, organizationMemberships, members);
      const client = api(other);
      const address = `/api/v1/organizations/${organizationId}/search`;
      const find = async (query: string) => (await client.get<SearchResults>(address, { query })).body;
      const { people, truncated } = await find('harbor');
      expect([people.map((person) => person.display_name), truncated]).toEqual([['Harbor A', 'Harbor B'], false]);
      const many = await find('member');
      expect([many.people.length, many.people[0]?.display_name, many.truncated]).toEqual([10, 'Member 1', true]);
      const plans = await plansOf(app.db.$client, () => client.get(address, { query: 'nobody' }));
      const searched = stepsOn('organization_memberships', plans).filter((step) =>
        /^SEARCH organization_memberships .*developer_id</.test(step),
      );
      expect(searched).toHaveLength(3);
    } finally {
      await other.stop();
    }
  });

  it('finds projects and members', async () => {
    const { email, display_name: name } = (
      await api(fixture).get<{ email: string; display_name: string }>('/api/v1/developers/me')
    ).body;
    expect((await find(email.slice(0, 5))).people).toEqual([
      { developer_id: fixture.admin.developer_id, display_name: name, email },
    ]);
    const { projects } = await find('a');
    expect(projects.map(({ identifier }) => identifier)).toContain(fixture.android_project_id);
  });

  it('is limited', async () => {
    expectInvalid(await api(fixture).get(path, { query: '  ' }), 'query.query: string_too_short');
    expectInvalid(await api(fixture).get(path, { query: 'x'.repeat(101) }), 'query.query: string_too_long');
    expectInvalid(await api(fixture).get(path), 'query.query: missing');
  });
});

describe('long and similar texts', () => {
  it('take no longer than other texts', async () => {
    const { app } = fixture;
    const project = await api(fixture).post<{ identifier: string }>(
      '/api/v1/projects',
      { name: 'Alike', platform: 'android' },
      { organization_id: fixture.organization_id },
    );
    const alike = Array.from({ length: 2000 }, (_, index) => ({
      organizationId: fixture.organization_id,
      projectId: project.body.identifier,
      platform: 'android' as const,
      id: app.ids.next(),
      versionName: 'a'.repeat(255),
      buildNumber: index,
      sha256: 'a'.repeat(64),
      sizeBytes: 9,
      uploadedAt: 1,
      originalFilename: 'a'.repeat(255),
      objectKey: `alike/${index}`,
      inspectionStatus: 'ok' as const,
      pendingUploadId: app.ids.next(),
    }));
    insertRows(app.db, builds, alike);
    const time = (query: string, bound: number): Promise<number> =>
      leastCpu(bound, async () => {
        for (let round = 0; round < 5; round += 1) expect((await find(query)).builds).toEqual([]);
      });
    const bound = 5 * (await time('nothing', 0));
    expect(await time(`${'a'.repeat(99)}b`, bound)).toBeLessThan(bound);
  });
});

describe('a search', () => {
  it("finds items of the caller's projects, and nothing of other organizations", async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const none = await find('i', member.client);
    expect([none.projects, none.channels, none.builds]).toEqual([[], [], []]);
    expect(none.people.length).toBeGreaterThan(0);
    const joined = await addPerson(fixture, {
      organizations: { [fixture.organization_id]: 'member' },
      projects: { [fixture.ios_project_id]: 'read' },
    });
    expect((await find('night', joined.client)).channels.length).toBe(1);
    expect((await find('3.', joined.client)).builds).toEqual([]);
    const stranger = await addPerson(fixture);
    expectRefusal(await stranger.client.get(path, { query: 'i' }), 404, 'not_found');
    expectRefusal(await api(fixture, fixture.project_access_token).get(path, { query: 'i' }), 403, 'permission_denied');
  });
});
