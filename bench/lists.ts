// Pages of lists deep in a large table, compared with the first page of a small one.
import { join } from 'node:path';
import type { App } from '../src/core/context.ts';
import { encodeCursor } from '../src/core/paging.ts';
import { channels } from '../src/data/tables/tables.ts';
import { type Bench, ratioRow, takeTurns } from './benchmark.ts';
import { call } from './client.ts';
import { loadServer } from './load.ts';
import { type SeededIds, type ServerFixture, startServerFixture } from './server-fixture.ts';

const SMALL = 1_000;
const LARGE = 1_000_000;
const PAGE = 100;
const DEPTHS = [0, 10_000, 999_000];
const LARGE_RELEASES = 100_000;
const SECONDS = 1;
const CHANNEL_ID = '00000000-0000-7000-8000-0000000000c1';

export const listBench: Bench = {
  name: 'list',
  summary: 'pages of 100 at any depth of 1,000,000 builds, beside the first page of 1,000',
  async run(kit) {
    kit.say(`seeding ${LARGE} builds`);
    const small = await kit.use(
      startServerFixture(join(kit.folder, 'small'), { seed: (app, of) => seed(app, of, SMALL, SMALL) }),
    );
    const large = await kit.use(
      startServerFixture(join(kit.folder, 'large'), { seed: (app, of) => seed(app, of, LARGE, LARGE_RELEASES) }),
    );
    const load = (fixture: ServerFixture, path: string) => async () => {
      const result = await loadServer(fixture, { path, token: fixture.token, connections: 4, seconds: SECONDS });
      // Everything is in memory, so CPU time measures a page independently of other load.
      return result.cpuMicroseconds;
    };
    const cases = [
      ...DEPTHS.map((depth) => buildCase(`all builds, depth ${depth}`, 'all', LARGE - depth)),
      // Every second build is revoked, so these pages reach twice as deep into the table.
      ...DEPTHS.map((depth) => buildCase(`active builds, depth ${depth / 2}`, 'active', LARGE - depth)),
      releaseCase('releases, depth 0', LARGE_RELEASES),
      releaseCase('releases, depth 99000', LARGE_RELEASES - 99_000),
    ];
    const sides = Object.fromEntries(
      cases.flatMap(({ name, path }) => [
        [`${name} large`, load(large, path(large, true))],
        [`${name} small`, load(small, path(small, false))],
      ]),
    );
    for (const { path } of cases) {
      await checkPage(large, path(large, true));
      await checkPage(small, path(small, false));
    }
    const samples = await takeTurns(kit.rounds, sides);
    return cases.map(({ name }) =>
      ratioRow({
        name: `list of ${PAGE} ${name}`,
        measured: samples[`${name} large`] ?? [],
        baseline: samples[`${name} small`] ?? [],
        show: (value) => `${Math.round(value)} µs CPU`,
        goal: { atMost: 1.3 },
      }),
    );
  },
};

interface Case {
  name: string;
  path(fixture: ServerFixture, isLarge: boolean): string;
}

function buildCase(name: string, status: string, before: number): Case {
  return {
    name,
    path: (fixture, isLarge) =>
      `/api/v1/builds?status=${status}&limit=${PAGE}&${scope(fixture)}${isLarge ? cursor(before) : ''}`,
  };
}

function releaseCase(name: string, before: number): Case {
  return {
    name,
    path: (fixture, isLarge) =>
      `/api/v1/releases?limit=${PAGE}&channel_id=${CHANNEL_ID}&${scope(fixture)}${isLarge ? cursor(before) : ''}`,
  };
}

function scope(fixture: ServerFixture): string {
  return `organization_id=${fixture.organizationId}&project_id=${fixture.androidProjectId}`;
}

function cursor(rowNumber: number): string {
  return `&cursor=${encodeCursor(`00000000-0000-7000-8000-${(rowNumber + 1).toString(16).padStart(12, '0')}`)}`;
}

async function checkPage(fixture: ServerFixture, path: string): Promise<void> {
  const { items } = await call<{ items: unknown[] }>(fixture, 'GET', path);
  if (items.length !== PAGE) throw new Error(`${path} answered ${items.length} items`);
}

/** Row numbers are used as ids, so that a cursor to any depth can be constructed. */
function seed(app: App, of: SeededIds, buildCount: number, releaseCount: number): void {
  const { $client: client } = app.db;
  const now = app.clock.now().getTime();
  const id = "printf('00000000-0000-7000-8000-%012x', n)";
  const numbers = (count: number) =>
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  const inProject = `'${of.organizationId}', '${of.androidProjectId}'`;
  client.pragma('synchronous = OFF');
  client.exec(`INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes,
      uploaded_at, bundle_identifier, original_filename, release_notes, min_os_version, object_key, inspection_status,
      revoked_at, uploaded_by_developer_id, pending_upload_id)
    ${numbers(buildCount)} SELECT ${id}, ${inProject}, 'android', '1.0', n, '${'0'.repeat(64)}', 200000000, ${now},
      'com.example.app', 'app-release.apk', 'Fixes the sign-in on older phones.', '26', 'builds/' || n, 'ok',
      iif(n % 2 = 0, ${now}, NULL), '${of.developerId}', ${id} FROM numbers`);
  app.db
    .insert(channels)
    .values({
      id: CHANNEL_ID,
      organizationId: of.organizationId,
      projectId: of.androidProjectId,
      name: 'beta',
      autoDistribute: false,
      notifyOnRelease: false,
      isPublic: false,
      createdAt: now,
    })
    .run();
  client.exec(`INSERT INTO releases (id, organization_id, project_id, channel_id, build_id, mandatory, state, created_at)
    ${numbers(releaseCount)} SELECT ${id}, ${inProject}, '${CHANNEL_ID}', ${id}, 0, 'active', ${now} FROM numbers`);
}
