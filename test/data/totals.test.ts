// The totals that triggers keep equal a recount after any history of changes, and a repair corrects those that differ.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listUsage, USAGE } from '../../src/byosa/store.ts';
import { adoptionQueries, countAdopters, readAdoptionDays } from '../../src/channels/adoption.ts';
import { countReaching, countReachingProject, listReaching } from '../../src/channels/audience.ts';
import { totalDownloads } from '../../src/channels/download-totals.ts';
import { FIRST_PAGE } from '../../src/core/paging.ts';
import { finishFills } from '../../src/data/background-fills.ts';
import { openDatabase } from '../../src/data/database.ts';
import { embeddedMigrations, migrateDatabase } from '../../src/data/migrate.ts';
import { compareTotals, correctTotals, findDifferences, repairTotals } from '../../src/data/totals.ts';
import { DAY, systemClock } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

const PROJECTS = ['p1', 'p2'];
const CHANNELS = ['c1', 'c2'];
const PEOPLE = ['d1', 'd2', 'd3'];
const RELEASES = ['r1', 'r2', 'r3', 'r4'];
const GROUPS = ['g1', 'g2'];
const BUILDS = ['b1', 'b2', 'b3'];
const INSTALLS = ['i1', 'i2', 'i3'];
const STATES = ['downloaded', 'installed', 'launched', 'failed'];
const channelOf = (release: string) => CHANNELS[Number(release.slice(1)) % 2] as string;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => {
  reset();
});

const run = (sql: string, ...values: unknown[]) => fixture.app.db.$client.prepare(sql).run(...values);
const number = (sql: string, ...values: unknown[]) =>
  fixture.app.db.$client
    .prepare<unknown[], number>(sql)
    .pluck()
    .get(...values) ?? 0;
const organizationId = () => fixture.organization_id;
const channel = (id: string) => ({ id, projectId: 'p1', organizationId: organizationId() });

function reset(): void {
  for (const table of [
    'downloads',
    'sdk_installs',
    'releases',
    'builds',
    'object_places',
    'tester_groups',
    'tester_grants',
  ])
    run(`DELETE FROM ${table}`);
  for (const table of ['download_sums', 'download_totals', 'download_days']) run(`DELETE FROM ${table}`);
  for (const id of PEOPLE) run('DELETE FROM developers WHERE id = ?', id);
  for (const id of PROJECTS)
    run(
      `INSERT OR IGNORE INTO projects (id, organization_id, name, platform, created_at) VALUES (?, ?, ?, 'android', 0)`,
      id,
      organizationId(),
      id,
    );
  for (const id of CHANNELS)
    run(
      `INSERT OR IGNORE INTO channels (id, organization_id, project_id, name, auto_distribute, notify_on_release, public, created_at)
        VALUES (?, ?, 'p1', ?, 0, 0, 0, 0)`,
      id,
      organizationId(),
      id,
    );
  expect(compareTotals(fixture.app.db.$client)).toEqual([]);
}

type Step = () => void;
const id = () => fixture.app.ids.next();
const one = (values: readonly string[]) => fc.constantFrom(...values);
const day = fc.integer({ min: 0, max: 4 });

const addPerson = (person: string) =>
  run(
    `INSERT OR IGNORE INTO developers (id, email, display_name, created_at) VALUES (?, ?, '', 0)`,
    person,
    `${person}@example.test`,
  );

function addBuild(build: string, size: number, project: string): void {
  run(
    `INSERT OR IGNORE INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes, uploaded_at,
        object_key, inspection_status, pending_upload_id) VALUES (?, ?, ?, 'android', ?, 1, '', ?, 0, ?, 'ok', ?)`,
    ...[build, organizationId(), project, build, size, `key-${build}`, build],
  );
}

/** Reports about a release can't be older than it. */
function addRelease(release: string): void {
  if (number('SELECT count(*) FROM sdk_reports WHERE release_id = ?', release) > 0) return;
  addBuild('b1', 1, 'p1');
  run(
    `INSERT OR IGNORE INTO releases (id, organization_id, project_id, channel_id, build_id, mandatory, state, created_at)
      VALUES (?, ?, 'p1', ?, 'b1', 0, 'active', 0)`,
    ...[release, organizationId(), channelOf(release)],
  );
}

function download(release: string | null, build: string, person: string | null, at: number): void {
  if (person !== null) addPerson(person);
  const place = release === null ? null : channelOf(release);
  run(
    `INSERT INTO downloads (id, organization_id, project_id, build_id, channel_id, release_id, developer_id, created_at)
      VALUES (?, ?, 'p1', ?, ?, ?, ?, ?)`,
    ...[id(), organizationId(), build, place, release, person, at * DAY + 5],
  );
}

function report(install: string, release: string, state: string, at: number): void {
  run(
    `INSERT OR IGNORE INTO sdk_installs (id, sdk_app_id, install_id, enrolled_at, last_seen_at) VALUES (?, 'a', ?, 0, 0)`,
    ...[install, install],
  );
  const { changes } = run(
    'UPDATE sdk_reports SET state = ? WHERE install_row_id = ? AND release_id = ?',
    ...[state, install, release],
  );
  if (changes === 0)
    run(
      `INSERT INTO sdk_reports (id, install_row_id, release_id, state, created_at, updated_at) VALUES (?, ?, ?, ?, ?, 0)`,
      ...[id(), install, release, state, at * DAY],
    );
}

function grant(target: string, person: string): void {
  addPerson(person);
  run(
    `INSERT OR IGNORE INTO tester_grants (id, organization_id, target_id, email, developer_id, created_at, notified_at)
      VALUES (?, ?, ?, ?, ?, 0, 0)`,
    ...[id(), organizationId(), target, `${person}@example.test`, person],
  );
}

function joinGroup(group: string, person: string, target: string): void {
  addPerson(person);
  run(
    'INSERT OR IGNORE INTO tester_groups (id, organization_id, name, notify_on_release, created_at) VALUES (?, ?, ?, 0, 0)',
    group,
    organizationId(),
    group,
  );
  run(
    'INSERT OR IGNORE INTO tester_group_members (id, group_id, email, developer_id, created_at) VALUES (?, ?, ?, ?, 0)',
    ...[id(), group, `${person}@example.test`, person],
  );
  run(
    `INSERT OR IGNORE INTO tester_group_grants (id, group_id, organization_id, project_id, target_id, created_at) VALUES (?, ?, ?, 'p1', ?, 0)`,
    ...[id(), group, organizationId(), target],
  );
}

const place = (build: string, backend: string | null) =>
  backend === null
    ? run('DELETE FROM object_places WHERE object_key = ?', `key-${build}`)
    : run(
        'INSERT INTO object_places (object_key, backend) VALUES (?, ?) ON CONFLICT DO UPDATE SET backend = excluded.backend',
        ...[`key-${build}`, backend],
      );

const target = fc.constantFrom('c1', 'c2', 'p1');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.option(one(RELEASES)), one(BUILDS), fc.option(one(PEOPLE)), day)
      .map((all) => () => download(...all)),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(one(INSTALLS), one([...RELEASES, '']), one(STATES), day).map((all) => () => report(...all)),
  },
  { weight: 3, arbitrary: one(RELEASES).map((release) => () => addRelease(release)) },
  { weight: 1, arbitrary: one(RELEASES).map((release) => () => run('DELETE FROM releases WHERE id = ?', release)) },
  { weight: 1, arbitrary: one(INSTALLS).map((install) => () => run('DELETE FROM sdk_installs WHERE id = ?', install)) },
  { weight: 1, arbitrary: one(PEOPLE).map((person) => () => run('DELETE FROM developers WHERE id = ?', person)) },
  { weight: 2, arbitrary: fc.tuple(one(BUILDS), fc.nat(9), one(PROJECTS)).map((all) => () => addBuild(...all)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('b2', 'b3').map((build) => () => run('DELETE FROM builds WHERE id = ?', build)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(one(BUILDS), fc.option(one(['local', 's3', 'azure:x']))).map((all) => () => place(...all)),
  },
  { weight: 2, arbitrary: fc.tuple(target, one(PEOPLE)).map((all) => () => grant(...all)) },
  {
    weight: 1,
    arbitrary: one(PEOPLE).map((person) => () => run('DELETE FROM tester_grants WHERE developer_id = ?', person)),
  },
  { weight: 2, arbitrary: fc.tuple(one(GROUPS), one(PEOPLE), target).map((all) => () => joinGroup(...all)) },
  { weight: 1, arbitrary: one(GROUPS).map((group) => () => run('DELETE FROM tester_groups WHERE id = ?', group)) },
  {
    weight: 1,
    arbitrary: one(GROUPS).map((group) => () => run('DELETE FROM tester_group_members WHERE group_id = ?', group)),
  },
);

/** The people with access to a channel, by the definition. */
const reaching = (at: string) => `
  SELECT developer_id FROM tester_grants WHERE target_id IN ('${at}', 'p1') AND developer_id IS NOT NULL
  UNION SELECT m.developer_id FROM tester_group_grants g JOIN tester_group_members m USING (group_id)
    WHERE g.target_id IN ('${at}', 'p1') AND m.developer_id IS NOT NULL`;

async function expectAdoption(): Promise<void> {
  for (const release of RELEASES) {
    const at = channelOf(release);
    const takers = `SELECT count(DISTINCT developer_id) FROM downloads WHERE release_id = ? AND developer_id IN (${reaching(at)})`;
    expect(await countAdopters(fixture.app, channel(at), release)).toBe(number(takers, release));
    const days = await readAdoptionDays(fixture.app, channel(at), release);
    for (const [one, testers] of days) {
      const first = `SELECT count(*) FROM (SELECT created_at / ${DAY} AS day, min(rowid) FROM downloads WHERE release_id = ?
        AND developer_id IN (${reaching(at)}) GROUP BY developer_id) WHERE day = ?`;
      expect(testers).toBe(number(first, release, one));
    }
  }
  for (const at of CHANNELS) {
    const ofProject = await countReachingProject(fixture.app, { projectId: 'p1', organizationId: organizationId() });
    expect(await countReaching(fixture.app, channel(at), ofProject)).toBe(
      number(`SELECT count(*) FROM (${reaching(at)})`),
    );
  }
}

describe('the totals', () => {
  it('equal a recount after any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        reset();
        for (const [index, take] of steps.entries()) {
          take();
          // What was counted before a change must not be kept after it.
          if (index % 10 === 0) await expectAdoption();
        }
        expect(compareTotals(fixture.app.db.$client)).toEqual([]);
        await expectAdoption();
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('count the testers of large groups page by page', async () => {
    const people = Array.from({ length: 450 }, (_, n) => `d-${String(n).padStart(3, '0')}`);
    for (const [n, person] of people.entries()) {
      joinGroup('g1', person, 'p1');
      // Some are in both groups; the last ones only in that of the channel.
      if (n % 3 === 0) joinGroup('g2', person, 'c1');
      if (n >= 440) run("DELETE FROM tester_group_members WHERE group_id = 'g1' AND developer_id = ?", person);
    }
    const place = { projectId: 'p1', organizationId: organizationId() };
    const inChannel = number("SELECT count(*) FROM tester_group_members WHERE group_id = 'g2'");
    expect(inChannel).toBe(150);
    expect(await countReachingProject(fixture.app, place)).toBe(440);
    // Of numbers 440 to 449, three are in the group of the channel.
    expect(await countReaching(fixture.app, channel('c1'), 440)).toBe(443);
    expect(await countReaching(fixture.app, channel('c2'), 440)).toBe(440);
    const listed: string[] = [];
    for (let before = FIRST_PAGE; ; ) {
      const page = listReaching(fixture.app, channel('c1'), { before, limit: 100 });
      listed.push(...page.map((person) => person.id));
      before = page.at(-1)?.id ?? '';
      if (page.length < 100) break;
    }
    expect(listed).toEqual(people.filter((_, n) => n < 440 || n % 3 === 0).reverse());
    for (const person of people) run('DELETE FROM developers WHERE id = ?', person);
  });

  it('are corrected by a repair, also where rows are missing or too many', () => {
    const { $client: client } = fixture.app.db;
    addRelease('r1');
    download('r1', 'b1', 'd1', 2);
    download('r1', 'b1', 'd2', 3);
    report('i1', 'r1', 'installed', 1);
    const right = totalDownloads(fixture.app, 'r1');
    run('UPDATE download_sums SET downloads = 9, takers = 0, first_at = 0 WHERE subject_id = ?', 'r1');
    run('DELETE FROM download_days');
    run(`INSERT INTO report_days (subject_id, day, state, reports) VALUES ('gone', 1, 'failed', 3)`);
    run('UPDATE build_totals SET builds = builds + 1');
    const projects = number('SELECT count(*) FROM build_totals');
    joinGroup('g1', 'd1', 'p1');
    joinGroup('g2', 'd1', 'p1');
    run("UPDATE group_totals SET members = 7 WHERE group_id = 'g1'");
    run("DELETE FROM group_totals WHERE group_id = 'g2'");
    expect(compareTotals(client)).toEqual([
      { table: 'download_sums', rows: 1 },
      { table: 'download_days', rows: 2 },
      { table: 'report_days', rows: 1 },
      { table: 'build_totals', rows: projects },
      { table: 'group_totals', rows: 2 },
    ]);
    expect(repairTotals(client)).toBe(6 + projects);
    expect(compareTotals(client)).toEqual([]);
    expect(totalDownloads(fixture.app, 'r1')).toEqual(right);
    expect(repairTotals(client)).toBe(0);
  });

  it('adds no row for what was deleted since they were compared', () => {
    const { $client: client } = fixture.app.db;
    addRelease('r1');
    download('r1', 'b1', 'd1', 2);
    run("UPDATE download_sums SET downloads = 9 WHERE subject_id = 'r1'");
    const found = findDifferences(client);
    expect(found.map(({ row }) => row.subject_id)).toEqual(['r1']);
    run("DELETE FROM download_sums WHERE subject_id = 'r1'");
    correctTotals(client, found);
    expect(number("SELECT count(*) FROM download_sums WHERE subject_id = 'r1'")).toBe(0);
  });
});

describe('the migration', () => {
  it('fills the totals of the rows that exist', () => {
    const folder = mkdtempSync(join(tmpdir(), 'migrate-totals-'));
    const db = openDatabase({ file: join(folder, 'test.db'), synchronous: 'normal', busyTimeoutMs: 1000 });
    const client = db.$client;
    const before = embeddedMigrations().filter(({ name }) => name < '0032');
    migrateDatabase(client, systemClock, before);
    client.exec(`
      INSERT INTO organizations (id, name, tier, created_at) VALUES ('o', 'o', 'team', 0);
      INSERT INTO projects (id, organization_id, name, platform, created_at) VALUES ('p', 'o', 'p', 'android', 0);
      INSERT INTO channels (id, organization_id, project_id, name, auto_distribute, notify_on_release, public, created_at)
        VALUES ('c', 'o', 'p', 'c', 0, 0, 0, 0);
      INSERT INTO developers (id, email, display_name, created_at) VALUES ('d1', '1', '', 0), ('d2', '2', '', 0);
      INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes, uploaded_at,
          object_key, inspection_status, pending_upload_id)
        VALUES ('b1', 'o', 'p', 'android', '1', 1, '', 5, 0, 'k1', 'ok', 'u1'), ('b2', 'o', 'p', 'android', '2', 2, '', 7, 0, 'k2', 'ok', 'u2');
      INSERT INTO object_places (object_key, backend) VALUES ('k2', 's3');
      INSERT INTO releases (id, organization_id, project_id, channel_id, build_id, mandatory, state, created_at)
        VALUES ('r1', 'o', 'p', 'c', 'b1', 0, 'active', 0), ('r2', 'o', 'p', 'c', 'b2', 0, 'active', 0);
      INSERT INTO downloads (id, organization_id, project_id, build_id, channel_id, release_id, developer_id, created_at)
        VALUES ('1', 'o', 'p', 'b1', 'c', 'r1', 'd1', 5), ('2', 'o', 'p', 'b1', 'c', 'r1', 'd1', 6), ('3', 'o', 'p', 'b2', 'c', 'r2', 'd2', ${DAY}),
          ('4', 'o', 'p', 'b2', 'c', 'r2', NULL, 7), ('5', 'o', 'p', 'b2', NULL, NULL, 'd2', 8);
      INSERT INTO sdk_installs (id, sdk_app_id, install_id, enrolled_at, last_seen_at) VALUES ('i1', 'a', '1', 0, 0), ('i2', 'a', '2', 0, 0);
      INSERT INTO sdk_reports (id, install_row_id, release_id, state, created_at, updated_at)
        VALUES ('s1', 'i1', 'r1', 'installed', 5, 5), ('s2', 'i2', 'r1', 'launched', 5, 5), ('s3', 'i2', 'r2', 'failed', ${DAY}, 5), ('s4', 'i1', 'gone', 'failed', 5, 5);
      INSERT INTO tester_groups (id, organization_id, name, notify_on_release, created_at) VALUES ('g', 'o', 'g', 0, 0), ('empty', 'o', 'e', 0, 0);
      INSERT INTO tester_group_members (id, group_id, email, developer_id, created_at) VALUES ('m1', 'g', '1', 'd1', 0), ('m2', 'g', '3', NULL, 0);`);
    migrateDatabase(client, systemClock);
    finishFills(client);
    const rows = (table: string) => client.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3`).raw().all();
    expect(rows('download_sums')).toEqual([
      ['c', 4, 2, 2, 5, DAY],
      ['r1', 2, 1, 1, 5, 6],
      ['r2', 2, 1, 1, 7, DAY],
    ]);
    expect(rows('download_days')).toEqual([
      ['c', 0, 3],
      ['c', 1, 1],
    ]);
    expect(rows('report_days')).toEqual([
      ['c', 0, 'installed', 1],
      ['c', 0, 'launched', 1],
      ['c', 1, 'failed', 1],
      ['r1', 0, 'installed', 1],
      ['r1', 0, 'launched', 1],
      ['r2', 1, 'failed', 1],
    ]);
    expect(rows('build_totals')).toEqual([
      ['p', '', 'o', 1, 5],
      ['p', 's3', 'o', 1, 7],
    ]);
    expect(client.prepare('SELECT * FROM group_totals').raw().all()).toEqual([['g', 2]]);
    expect(compareTotals(client)).toEqual([]);
    client.close();
    rmSync(folder, { recursive: true });
  });
});

describe('the queries of adoption', () => {
  it.each(adoptionQueries)('use indexes and scan no table', (sql) => {
    const values = { releaseId: '', channelId: '', projectId: '', organizationId: '', after: '' };
    const steps = fixture.app.db.$client
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(values)
      .map(({ detail }) => detail);
    expect(steps.filter((text) => /^SCAN (?!w$|walk|removals|CONSTANT)|TEMP B-TREE/.test(text))).toEqual([]);
    expect(steps.some((text) => /SEARCH (?:w|d|e|downloads) USING/.test(text))).toBe(true);
  });
});

describe('the storage of an organization', () => {
  it('is read from totals, without its builds', () => {
    addBuild('b1', 5, 'p1');
    addBuild('b2', 7, 'p1');
    place('b2', 's3');
    const usage = listUsage(fixture.app, organizationId());
    expect(usage.find((one) => one.id === 'p1')).toEqual({ id: 'p1', name: 'p1', builds: 2, bytes: 12 });
    expect(usage.find((one) => one.id === 'p2')).toEqual({ id: 'p2', name: 'p2', builds: 0, bytes: 0 });
    const steps = fixture.app.db.$client
      .prepare<[string], { detail: string }>(`EXPLAIN QUERY PLAN ${USAGE}`)
      .all('')
      .map(({ detail }) => detail);
    expect(steps.filter((step) => /builds |^SCAN/.test(step))).toEqual([]);
    expect(steps).toContain('SEARCH t USING PRIMARY KEY (project_id=?) LEFT-JOIN');
  });
});
