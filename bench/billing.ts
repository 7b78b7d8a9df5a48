// What billing costs: requests of a server with billing compared with one without it, downloads that are settled, and the end of a
// month of many organizations. No side waits for the disk at each commit, because that takes longer than what is measured.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { openApp } from '../src/app.ts';
import { useAccount } from '../src/billing/accounts.ts';
import { billingSweep } from '../src/billing/sweeps.ts';
import { configFrom } from '../src/config.ts';
import type { App } from '../src/core/context.ts';
import { systemContext } from '../src/core/transact.ts';
import { builds, organizations } from '../src/data/tables/tables.ts';
import { createMovableClock } from '../src/lib/clock.ts';
import { collectGarbage } from '../test/support/garbage.ts';
import { type Bench, boundRow, type Kit, type Row, ratioRow, takeTurns } from './benchmark.ts';
import { call } from './client.ts';
import { type LoadResult, loadServer, writePathsScript } from './load.ts';
import { writeRequestsScript } from './sdk-load.ts';
import { RELEASES, seedSdk } from './sdk-seed.ts';
import { type SeededIds, type ServerFixture, startServerFixture } from './server-fixture.ts';

const CONNECTIONS = 16;
const SECONDS = 2;
const BUILDS = 500;
const BUILD_BYTES = 1_000;
const ASKING = 1_000;
const LINKS = 5_000;
const LINKS_PER_SECOND = 1_000;
const CONCURRENT_LINKS = 32;
/** Bytes are gathered for a second. */
const MAX_SETTLE_MS = 2_000;
const ORGANIZATIONS = 10_000;
const MAX_TURN_MS = 50;
const JUNE = Date.parse('2030-06-15T00:00:00.000Z');
const JULY = Date.parse('2030-07-01T00:10:00.000Z');

export const billingBench: Bench = {
  name: 'billing',
  summary: `requests with billing, beside the same without it; ${LINKS} downloads; the end of a month of ${ORGANIZATIONS} organizations`,
  async run(kit) {
    const off = await startSide(kit, 'off', {});
    const on = await startSide(kit, 'on', {
      billing: { enabled: true, starter_credit_cents: 100_000_000, trial_days: 3650 },
    });
    const rows: Row[] = [];
    for (const request of requests) rows.push(await compare(kit, request, { on, off }));
    rows.push(await settleLinks(kit, on), await closeMonth(kit));
    return rows;
  },
};

interface Side {
  fixture: ServerFixture;
  folder: string;
  paths: string[];
  appKey: string;
  tokens: string[];
}

async function startSide(
  kit: Kit,
  name: string,
  config: Record<string, Record<string, string | number | boolean>>,
): Promise<Side> {
  const folder = join(kit.folder, name);
  const seeded = { paths: [] as string[], appKey: '', tokens: [] as string[] };
  const fixture = await kit.use(
    startServerFixture(folder, {
      config: { ...config, database: { synchronous: 'normal' }, limits: { pending_uploads_per_project: 1_000_000 } },
      logLevel: 'warn',
      async seed(app, of) {
        seeded.paths = await addBuilds(app, of);
        const { appKey, tokens } = seedSdk(app, of, ASKING);
        Object.assign(seeded, { appKey, tokens: tokens.slice(0, ASKING) });
      },
    }),
  );
  return { fixture, folder, ...seeded };
}

/** Adds builds with bytes. Returns their paths. */
async function addBuilds(app: App, of: SeededIds): Promise<string[]> {
  const paths: string[] = [];
  for (let number = 1; number <= BUILDS; number += 1) {
    const id = app.ids.next();
    const objectKey = `builds/${id}/package.apk`;
    await app.storage.put(objectKey, Buffer.alloc(BUILD_BYTES, number));
    app.db
      .insert(builds)
      .values({
        id,
        organizationId: of.organizationId,
        projectId: of.androidProjectId,
        platform: 'android',
        versionName: '0.1',
        buildNumber: number,
        sha256: '0'.repeat(64),
        sizeBytes: BUILD_BYTES,
        uploadedAt: app.clock.now().getTime(),
        bundleIdentifier: 'com.example.app',
        objectKey,
        inspectionStatus: 'ok',
        pendingUploadId: app.ids.next(),
      })
      .run();
    paths.push(`/api/v1/builds/${id}`);
  }
  return paths;
}

interface Request {
  name: string;
  atMost: number;
  /** Returns the path and the wrk script. */
  prepare(side: Side): { path: string; script: string; token?: string };
}

const requests: readonly Request[] = [
  {
    name: 'initiate of an upload',
    atMost: 1.2,
    prepare: ({ fixture, folder }) => ({
      path: `/api/v1/builds/initiate?organization_id=${fixture.organizationId}&project_id=${fixture.androidProjectId}`,
      script: writeInitiateScript(folder),
      token: fixture.token,
    }),
  },
  {
    name: 'link for a download',
    atMost: 1.2,
    prepare: ({ fixture, folder, paths }) => ({
      path: `${paths[0]}/download`,
      script: writePathsScript(
        folder,
        paths.map((path) => `${path}/download`),
      ),
      token: fixture.token,
    }),
  },
  {
    name: 'question for an update',
    atMost: 1.02,
    prepare({ folder, appKey, tokens }) {
      const path = `/sdk/v1/releases/latest?build_number=${RELEASES - 50}&version_name=1.${RELEASES - 50}`;
      const asking = tokens.map((token) => ({
        method: 'GET' as const,
        path,
        headers: { 'X-Svc-App-Key': appKey, Authorization: `Bearer ${token}` },
      }));
      return { path, script: writeRequestsScript(folder, 'asking', asking) };
    },
  },
  {
    name: 'read of a build',
    atMost: 1.02,
    prepare: ({ fixture, folder, paths }) => ({
      path: paths[0] ?? '',
      script: writePathsScript(folder, paths),
      token: fixture.token,
    }),
  },
];

/** Writes a wrk script that initiates uploads with version names that no earlier run used. */
function writeInitiateScript(folder: string): string {
  const file = join(folder, 'initiate.lua');
  writeFileSync(
    file,
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local at = 0
local run = tostring(os.time()) .. "." .. tostring(math.floor(os.clock() * 1000000))
request = function()
  at = at + 1
  return wrk.format(nil, nil, nil, '{"version_name":"' .. run .. '","build_number":' .. at .. '}')
end
`,
  );
  return file;
}

async function compare(kit: Kit, { name, atMost, prepare }: Request, sides: { on: Side; off: Side }): Promise<Row> {
  const load = (side: Side): (() => Promise<LoadResult>) => {
    const request = prepare(side);
    return () => loadServer(side.fixture, { ...request, connections: CONNECTIONS, seconds: SECONDS });
  };
  const turns = { on: load(sides.on), off: load(sides.off) };
  await takeTurns(1, turns);
  const samples = await takeTurns(kit.rounds, turns);
  return ratioRow({
    name: `${name} with billing: server CPU`,
    measured: samples.on.map((sample) => sample.cpuMicroseconds),
    baseline: samples.off.map((sample) => sample.cpuMicroseconds),
    show: (value) => `${Math.round(value)} µs`,
    goal: { atMost },
  });
}

interface Usage {
  downloads: { bytes: number };
}

/** Uses links as fast as possible, and waits until all of their bytes are metered. */
async function settleLinks(kit: Kit, { fixture, paths }: Side): Promise<Row> {
  const usage = () =>
    call<Usage>(fixture, 'GET', `/api/v1/organizations/${fixture.organizationId}/usage`).then(
      ({ downloads }) => downloads.bytes,
    );
  const before = await usage();
  const beganAt = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < LINKS) {
      const path = paths[next % paths.length];
      next += 1;
      const { download_url } = await call<{ download_url: string }>(fixture, 'GET', `${path}/download`);
      await (await fetch(download_url)).arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_LINKS }, worker));
  const endedAt = performance.now();
  const wanted = before + LINKS * BUILD_BYTES;
  while ((await usage()) < wanted) {
    if (performance.now() - endedAt > 60_000) throw new Error(`only ${(await usage()) - before} bytes were metered`);
    await sleep(20);
  }
  const settledMs = performance.now() - endedAt;
  const counted = await usage();
  if (counted !== wanted) throw new Error(`${counted - before} bytes were metered instead of ${LINKS * BUILD_BYTES}`);
  const perSecond = Math.round((LINKS * 1000) / (endedAt - beganAt));
  kit.say(`  ${perSecond} links a second, of ${LINKS_PER_SECOND} that are wanted`);
  return boundRow({
    name: `the bytes of ${LINKS} links are metered after the last one`,
    measured: settledMs,
    below: MAX_SETTLE_MS,
    unit: 'ms',
    note: `${perSecond} links a second`,
  });
}

/** Ends a month of many organizations in this process. Returns the longest turn of the event loop. */
async function closeMonth(kit: Kit): Promise<Row> {
  const clock = createMovableClock(new Date(JUNE));
  const { app, close } = await openApp(
    configFrom({
      server: { data_dir: join(kit.folder, 'months'), base_url: 'http://localhost' },
      log: { level: 'silent' },
      database: { synchronous: 'normal' },
      billing: { enabled: true, trial_days: 3650, prices: { seat_month_cents: 500 } },
    }),
    { clock },
  );
  try {
    seedOrganizations(app);
    clock.set(new Date(JULY));
    // A server wouldn't have what seeding left.
    collectGarbage();
    await sleep(1_000);
    const turns = watchOwnTurns();
    const startedAt = performance.now();
    const closed = await billingSweep.run(systemContext(app));
    const seconds = (performance.now() - startedAt) / 1000;
    const longest = await turns.stop();
    if (closed < ORGANIZATIONS) throw new Error(`only ${closed} months were closed`);
    return boundRow({
      name: `longest turn while a month of ${ORGANIZATIONS} organizations ends`,
      measured: longest.ms,
      below: MAX_TURN_MS,
      unit: 'ms',
      note: `of it ${Math.round(longest.cpuMs)} ms on the processor; ${seconds.toFixed(1)} s in total`,
    });
  } finally {
    await close();
  }
}

function seedOrganizations(app: App): void {
  const createdAt = app.clock.now().getTime();
  app.db.$client.pragma('synchronous = OFF');
  systemContext(app).transact(
    (tx) => {
      for (let number = 0; number < ORGANIZATIONS; number += 1) {
        const id = tx.ids.next();
        tx.db
          .insert(organizations)
          .values({ id, name: `Harbor ${number}`, tier: 'team', createdAt })
          .run();
        useAccount(tx, id);
        // As if it had stored 50 GiB.
        tx.db.$client
          .prepare('UPDATE usage_months SET level_bytes = ? WHERE organization_id = ?')
          .run(50 * 2 ** 30, id);
      }
    },
    { bookkeeping: true },
  );
  // Otherwise the first commit that is measured would copy all of this.
  app.db.$client.pragma('wal_checkpoint(TRUNCATE)');
}

/** Measures the turns of this process. */
function watchOwnTurns(): { stop(): Promise<{ ms: number; cpuMs: number }> } {
  let [longest, lastAt, lastCpu, isStopped] = [{ ms: 0, cpuMs: 0 }, performance.now(), process.threadCpuUsage(), false];
  const watched = (async () => {
    while (!isStopped) {
      await nextTurn();
      const now = performance.now();
      const cpu = process.threadCpuUsage();
      const ms = now - lastAt;
      if (ms > longest.ms) longest = { ms, cpuMs: (cpu.user + cpu.system - lastCpu.user - lastCpu.system) / 1000 };
      [lastAt, lastCpu] = [now, cpu];
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await watched;
      return longest;
    },
  };
}
