// One day of the audit log, in a log of millions of events and in one of thousands.
import { join } from 'node:path';
import type { App } from '../src/core/context.ts';
import { DAY } from '../src/lib/clock.ts';
import { type Bench, ratioRow, takeTurns } from './benchmark.ts';
import { call } from './client.ts';
import { loadServer } from './load.ts';
import { type SeededIds, type ServerFixture, startServerFixture } from './server-fixture.ts';

const EVENTS_A_DAY = 1_000;
const SMALL_DAYS = 5;
const LARGE_DAYS = 5_000;
const SECONDS = 1;
/** The first day of the log. */
const FIRST_DAY = Date.UTC(2012, 0, 1);

export const auditBench: Bench = {
  name: 'audit',
  summary: 'an audit day of 1,000 events out of 5,000,000, compared with one out of 5,000',
  async run(kit) {
    kit.say(`seeding ${LARGE_DAYS * EVENTS_A_DAY} audit events`);
    const small = await kit.use(
      startServerFixture(join(kit.folder, 'small'), { seed: (app, of) => seed(app, of, SMALL_DAYS) }),
    );
    const large = await kit.use(
      startServerFixture(join(kit.folder, 'large'), { seed: (app, of) => seed(app, of, LARGE_DAYS) }),
    );
    const cases = [
      {
        name: 'organization',
        path: (fixture: ServerFixture) => `/api/v1/audit/organization/${fixture.organizationId}`,
      },
      { name: 'developer', path: (fixture: ServerFixture) => `/api/v1/audit/developer/${fixture.developerId}` },
    ];
    const load = (fixture: ServerFixture, path: string) => async () => {
      const result = await loadServer(fixture, { path, token: fixture.token, connections: 2, seconds: SECONDS });
      return result.cpuMicroseconds;
    };
    const sides = Object.fromEntries(
      cases.flatMap(({ name, path }) => [
        [`${name} large`, load(large, `${path(large)}?day=${dayOf(LARGE_DAYS / 2)}`)],
        [`${name} small`, load(small, `${path(small)}?day=${dayOf(2)}`)],
      ]),
    );
    for (const { path } of cases) {
      await checkDay(large, `${path(large)}?day=${dayOf(LARGE_DAYS / 2)}`);
      await checkDay(small, `${path(small)}?day=${dayOf(2)}`);
    }
    await takeTurns(1, sides);
    const samples = await takeTurns(kit.rounds, sides);
    return cases.map(({ name }) =>
      ratioRow({
        name: `audit day of ${EVENTS_A_DAY}, ${name}`,
        measured: samples[`${name} large`] ?? [],
        baseline: samples[`${name} small`] ?? [],
        show: (value) => `${Math.round(value)} µs CPU`,
        goal: { atMost: 1.5 },
      }),
    );
  },
};

function dayOf(index: number): string {
  return new Date(FIRST_DAY + index * DAY).toISOString().slice(0, 10);
}

async function checkDay(fixture: ServerFixture, path: string): Promise<void> {
  const rows = await call<unknown[]>(fixture, 'GET', path);
  if (rows.length !== EVENTS_A_DAY) throw new Error(`${path} answered ${rows.length} events`);
}

/** Adds the same number of events to each day, evenly spread. Their hashes don't matter here. */
function seed(app: App, of: SeededIds, days: number): void {
  const { $client: client } = app.db;
  const step = DAY / EVENTS_A_DAY;
  client.pragma('synchronous = OFF');
  client.exec(`INSERT INTO audit_events (id, organization_id, developer_id, timestamp, event, type, identifier, actor_kind,
      actor_id, actor_name, ip_address, details, chain, sequence, hash)
    WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${days * EVENTS_A_DAY - 1})
    SELECT printf('00000000-0000-7000-8000-%012x', n), '${of.organizationId}', '${of.developerId}', ${FIRST_DAY} + n * ${step},
      'created', 'release', printf('00000000-0000-7000-9000-%012x', n), 'developer', '${of.developerId}', 'Bench', '192.0.2.7',
      '{"channel":"beta","version_name":"1.2.3","build_number":' || n || '}', '${of.organizationId}', n + 1, '${'0'.repeat(64)}'
    FROM numbers`);
}
