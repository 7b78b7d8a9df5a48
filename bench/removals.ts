// The longest turn of the event loop during large deletions and exports.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { App } from '../src/core/context.ts';
import { REMOVAL_JOB } from '../src/core/removal.ts';
import { type Bench, boundRow, type Kit, type Row } from './benchmark.ts';
import { runProgram } from './processes.ts';
import { type SeededIds, type ServerFixture, startServerFixture } from './server-fixture.ts';
import { NOTED_FROM_MS, readTurns, showTurn, watchTurns } from './turns.ts';

const RELEASES = 80_000;
const BUILDS = 50_000;
const MAX_TURN_MS = 50;
const PATIENCE_MS = 5 * 60_000;
const CHANNEL_ID = '00000000-0000-7000-8000-0000000000c1';

interface Case {
  name: string;
  builds: number;
  releases: number;
  begin(fixture: ServerFixture): Promise<void>;
  /** SQL that counts the remaining rows. */
  left: string;
}

const cases: Case[] = [
  {
    name: `deletion of a channel with ${RELEASES} releases`,
    builds: 1,
    releases: RELEASES,
    begin: (fixture) => send(fixture, 'DELETE', `/api/v1/channels/${CHANNEL_ID}?force=true`),
    left: 'SELECT count(*) FROM removals',
  },
  {
    name: `deletion of a project with ${BUILDS} builds`,
    builds: BUILDS,
    releases: BUILDS,
    begin: (fixture) => send(fixture, 'DELETE', `/api/v1/projects/${fixture.androidProjectId}?force=true`),
    left: 'SELECT count(*) FROM removals',
  },
  {
    name: `deletion of an account with ${BUILDS} builds`,
    builds: BUILDS,
    releases: BUILDS,
    begin: (fixture) => removeAccount(join(fixture.objectsFolder, '../../taxiway.db'), fixture.developerId),
    left: 'SELECT count(*) FROM removals',
  },
  {
    name: `export of a person with ${BUILDS} builds`,
    builds: BUILDS,
    releases: BUILDS,
    begin: (fixture) => send(fixture, 'POST', `/api/v1/developers/${fixture.developerId}/exports`),
    left: "SELECT count(*) FROM data_exports WHERE state = 'preparing'",
  },
];

export const removalBench: Bench = {
  name: 'removal',
  summary: 'the longest turn of the event loop while much is deleted or exported, by a fresh server process',
  async run(kit) {
    const rows: Row[] = [];
    for (const [index, one] of cases.entries()) rows.push(await measure(kit, one, join(kit.folder, String(index))));
    return rows;
  },
};

async function measure(kit: Kit, one: Case, folder: string): Promise<Row> {
  const file = join(folder, 'turns.json');
  const fixture = await startServerFixture(folder, {
    ...watchTurns(file),
    logLevel: 'warn',
    seed: (app, of) => seed(app, of, one),
  });
  const times = { begin: 0, answer: 0, end: 0 };
  try {
    // Waits until the seeded data is on disk and the start is complete.
    await runProgram('sync', []);
    await sleep(2_000);
    times.begin = Date.now();
    await one.begin(fixture);
    times.answer = Date.now();
    await waitUntilNone(join(folder, 'taxiway.db'), one.left);
    times.end = Date.now();
  } finally {
    await fixture.stop();
  }
  const turns = readTurns(file).filter(({ at, ms }) => at + ms >= times.begin && at <= times.end);
  const [longest] = turns;
  kit.say(`  ${one.name}: answered after ${times.answer - times.begin} ms, done after ${times.end - times.begin} ms`);
  for (const turn of turns.slice(0, 5)) kit.say(`    ${showTurn(turn)}, after ${Math.round(turn.at - times.begin)} ms`);
  return boundRow({
    name: `longest turn during the ${one.name}`,
    measured: longest?.ms ?? NOTED_FROM_MS,
    below: MAX_TURN_MS,
    unit: 'ms',
    ...(longest === undefined
      ? {}
      : {
          note: `of it ${Math.round(longest.cpuMs)} ms on the processor, ${Math.round(longest.gcMs)} collecting garbage`,
        }),
  });
}

async function send(fixture: ServerFixture, method: string, path: string): Promise<void> {
  const response = await fetch(`${fixture.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${fixture.token}` },
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Deletes an account like the daily cleanup job, but immediately: the row is deleted and the rest is left to the job. */
async function removeAccount(databaseFile: string, developerId: string): Promise<void> {
  const database = new Sqlite(databaseFile);
  try {
    database.pragma('foreign_keys = OFF');
    const values = { developerId, now: Date.now() };
    database.transaction(() => {
      database.prepare('DELETE FROM developers WHERE id = @developerId').run(values);
      database
        .prepare(`INSERT INTO removals (root_id, root_table, actor_kind, facts, created_at)
          VALUES (@developerId, 'developers', 'system', '{}', @now)`)
        .run(values);
      database
        .prepare(`INSERT INTO jobs (id, kind, payload, run_at, max_attempts, state, created_at)
          VALUES (@developerId, '${REMOVAL_JOB}', '{}', @now, 10, 'waiting', @now)`)
        .run(values);
    })();
  } finally {
    database.close();
  }
}

async function waitUntilNone(databaseFile: string, count: string): Promise<void> {
  const database = new Sqlite(databaseFile, { readonly: true });
  const left = database.prepare(count).pluck();
  const giveUpAt = performance.now() + PATIENCE_MS;
  try {
    while (left.get() !== 0) {
      if (performance.now() > giveUpAt) throw new Error(`still ${left.get()} after ${PATIENCE_MS} ms`);
      await sleep(100);
    }
  } finally {
    database.close();
  }
}

/** Adds builds to the Android project, each with the rows of a completed upload, and their releases on one channel. */
function seed(app: App, of: SeededIds, { builds, releases }: Case): void {
  const { $client: client } = app.db;
  const now = app.clock.now().getTime();
  const id = (n: string) => `printf('00000000-0000-7000-8000-%012x', ${n})`;
  const numbers = (count: number) =>
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  const inProject = `'${of.organizationId}', '${of.androidProjectId}'`;
  client.pragma('synchronous = OFF');
  client.exec(`
    INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes,
      uploaded_at, bundle_identifier, original_filename, release_notes, min_os_version, object_key, inspection_status,
      uploaded_by_developer_id, pending_upload_id)
    ${numbers(builds)} SELECT ${id('n')}, ${inProject}, 'android', '1.0', n, '${'0'.repeat(64)}', 200000000, ${now},
      'com.example.app', 'app-release.apk', 'Fixes the sign-in on older phones.', '26', 'builds/' || n, 'ok',
      '${of.developerId}', ${id('n')} FROM numbers;
    INSERT INTO build_inspections (build_id, content)
    ${numbers(builds)} SELECT ${id('n')}, '{"permissions":["${'android.permission.INTERNET '.repeat(20)}"]}' FROM numbers;
    INSERT INTO package_integrity (build_id, sha256, modified_at, verified_at)
    ${numbers(builds)} SELECT ${id('n')}, '${'0'.repeat(64)}', ${now}, ${now} FROM numbers;
    INSERT INTO channels (id, organization_id, project_id, name, auto_distribute, notify_on_release, public, created_at)
      VALUES ('${CHANNEL_ID}', ${inProject}, 'beta', 0, 0, 0, ${now});
    INSERT INTO releases (id, organization_id, project_id, channel_id, build_id, release_notes, mandatory, state,
      created_at, created_by)
    ${numbers(releases)} SELECT ${id('n')}, ${inProject}, '${CHANNEL_ID}', ${id(`n % ${builds} + 1`)},
      'Fixes the sign-in on older phones.', 0, 'active', ${now}, '${of.developerId}' FROM numbers;
    INSERT INTO downloads (id, organization_id, project_id, build_id, channel_id, release_id, developer_id, user_agent,
      created_at)
    ${numbers(releases)} SELECT ${id('n')}, ${inProject}, ${id(`n % ${builds} + 1`)}, '${CHANNEL_ID}', ${id('n')},
      '${of.developerId}', 'Mozilla/5.0 (Linux; Android 15)', ${now} FROM numbers;`);
}
