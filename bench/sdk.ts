// The in-app update API with a hundred thousand installs: update checks compared with plain hono that returns the same bytes, update
// checks during large downloads, and reports.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../scripts/lib/ports.ts';
import { readApiDemos } from '../test/support/fixtures.ts';
import { type Bench, boundRow, type Kit, median, type Row, ratioRow, takeTurns } from './benchmark.ts';
import { complete, downloadLink, initiate, upload } from './client.ts';
import { loadServer } from './load.ts';
import { writePaddedPackage } from './packages.ts';
import { runOnSecondProcessor, type ServerProcess, startServer } from './processes.ts';
import { connectionsFor, type InstallRequest, paceServer, writeRequestsScript } from './sdk-load.ts';
import { INSTALLS, RELEASES, type SdkSeed, seedSdk } from './sdk-seed.ts';
import { type ServerFixture, startServerFixture } from './server-fixture.ts';

const CONNECTIONS = 32;
const SECONDS = 2;
/** Number of installs that check for updates, each with its own token. */
const ASKING = 5_000;
/** Number of installs that report: more than in one write interval. */
const REPORTING = 50_000;
const PATH = `/sdk/v1/releases/latest?build_number=${RELEASES - 50}&version_name=1.${RELEASES - 50}`;
const BUILD_BYTES = 200 * 1000 * 1000;
const DOWNLOADS = 10;
/** Ten megabytes per second each, like a fast mobile network. */
const TRANSFER_SECONDS = 20;
const MAX_TRANSFER_ROUNDS = 3;
const REPORTS_PER_SECOND = 1_000;
const REPORT_PATH = '/sdk/v1/installs/report';

interface Servers {
  fixture: ServerFixture;
  bare: ServerProcess;
}

export const sdkBench: Bench = {
  name: 'sdk',
  summary: `GET /sdk/v1/releases/latest and reports of ${INSTALLS} installs, with ${RELEASES} releases`,
  async run(kit) {
    let stock: SdkSeed | undefined;
    const fixture = await kit.use(
      startServerFixture(join(kit.folder, 'fixture'), {
        logLevel: 'warn',
        seed(app, seeded) {
          stock = seedSdk(app, seeded, REPORTING);
        },
      }),
    );
    if (stock === undefined) throw new Error('the fixture has no installs');
    const bare = await startBareHono(kit, fixture, stock);
    const rows = await measureQuestions(kit, { fixture, bare }, stock);
    const amongTransfers = await measureAmongTransfers(kit, fixture, stock);
    return [...rows, amongTransfers, ...(await measureReports(kit, { fixture, bare }, stock))];
  },
};

function question(stock: SdkSeed, token: string, more: Record<string, string> = {}): InstallRequest {
  const headers = { 'X-Svc-App-Key': stock.appKey, Authorization: `Bearer ${token}`, ...more };
  return { method: 'GET', path: PATH, headers };
}

/** Starts plain hono with the bytes of the server's first response. */
async function startBareHono(kit: Kit, fixture: ServerFixture, stock: SdkSeed): Promise<ServerProcess> {
  const { headers } = question(stock, stock.tokens[0] ?? '');
  const answer = await fetch(`${fixture.url}${PATH}`, { headers });
  const bytesFile = join(kit.folder, 'answer.json');
  writeFileSync(bytesFile, await answer.text());
  const port = await findFreePort();
  return kit.use(
    startServer({
      command: process.execPath,
      args: [join(import.meta.dirname, 'bare-hono.ts'), String(port), bytesFile],
      url: `http://127.0.0.1:${port}`,
      readyPath: '/health/live',
    }),
  );
}

async function measureQuestions(kit: Kit, { fixture, bare }: Servers, stock: SdkSeed): Promise<Row[]> {
  const some = stock.tokens.slice(0, ASKING);
  const answer = await fetch(`${fixture.url}${PATH}`, { headers: question(stock, some[0] ?? '').headers });
  const etag = answer.headers.get('etag') ?? '';
  const asking = some.map((token) => question(stock, token));
  const knowing = some.map((token) => question(stock, token, { 'If-None-Match': etag }));
  const script = writeRequestsScript(kit.folder, 'asking', asking);
  const knowingScript = writeRequestsScript(kit.folder, 'knowing', knowing);
  const load = { path: PATH, connections: CONNECTIONS, seconds: SECONDS };
  const sides = {
    changed: () => loadServer(fixture, { ...load, script }),
    unchanged: () => loadServer(fixture, { ...load, script: knowingScript }),
    bare: () => loadServer(bare, { ...load, script }),
  };
  await takeTurns(2, sides);
  const samples = await takeTurns(kit.rounds, sides);
  const rates = (side: keyof typeof samples) => samples[side].map((sample) => sample.requestsPerSecond);
  const costs = (side: keyof typeof samples) => samples[side].map((sample) => sample.cpuMicroseconds);
  const show = (value: number) => `${Math.round(value)} µs`;
  return [
    ratioRow({
      name: 'question for an update',
      measured: rates('changed'),
      baseline: rates('bare'),
      show: (value) => `${Math.round(value)}/s`,
      goal: { atLeast: 0.6 },
      note: `CPU ${show(median(costs('changed')))}, bare ${show(median(costs('bare')))}`,
    }),
    ratioRow({
      name: 'question answered by 304, beside 200: server CPU',
      measured: costs('unchanged'),
      baseline: costs('changed'),
      show,
      goal: { atMost: 1 },
    }),
  ];
}

async function measureAmongTransfers(kit: Kit, fixture: ServerFixture, stock: SdkSeed): Promise<Row> {
  const file = join(kit.folder, 'build.apk');
  writePaddedPackage(file, readApiDemos(), BUILD_BYTES);
  const build = await complete(fixture, await upload(fixture, fixture.androidProjectId, RELEASES + 1, file));
  const link = await downloadLink(fixture, build.identifier);
  const asking = stock.tokens.slice(0, ASKING).map((token) => question(stock, token));
  const script = writeRequestsScript(kit.folder, 'paced', asking, true);
  // The maximum rate of this server and client, with a processor each.
  const flatOut = { script: writeRequestsScript(kit.folder, 'flat-out', asking), connections: CONNECTIONS, seconds: 3 };
  const { perSecond: fastest } = await paceServer(fixture, flatOut);
  const samples = [];
  for (let round = 0; round < Math.min(kit.rounds, MAX_TRANSFER_ROUNDS); round += 1) {
    const pending = await initiate(fixture, fixture.androidProjectId, RELEASES + 2 + round);
    const pace = { script, connections: connectionsFor(fastest / 2) };
    await paceServer(fixture, { ...pace, seconds: 2 });
    const transfers = Promise.all([
      slowly(['-T', file, ...headersOf(pending.required_headers), pending.upload_url]),
      ...Array.from({ length: DOWNLOADS }, () => slowly([link])),
    ]);
    // Lets the eleven client processes start before measuring.
    await sleep(TRANSFER_SECONDS * 50);
    samples.push(await paceServer(fixture, { ...pace, seconds: TRANSFER_SECONDS / 2 }));
    await transfers;
  }
  return ratioRow({
    name: `p99 of questions while a 200 MB upload and ${DOWNLOADS} downloads run, beside the median`,
    measured: samples.map((sample) => sample.p99Ms),
    baseline: samples.map((sample) => sample.medianMs),
    show: (value) => `${value.toFixed(2)} ms`,
    goal: { atMost: 5 },
    note: `at ${Math.round(median(samples.map((sample) => sample.perSecond)))}/s`,
  });
}

/**
 * Starts a download that lasts as long as the measurement. It runs at low priority, because eleven clients that share a processor
 * with the measuring client would otherwise delay it.
 */
function slowly(args: readonly string[]): Promise<string> {
  const rate = String(Math.round(BUILD_BYTES / TRANSFER_SECONDS));
  return runOnSecondProcessor('chrt', [
    '--idle',
    '0',
    'curl',
    '-sS',
    '--fail',
    '-H',
    'Expect:',
    '--limit-rate',
    rate,
    '-o',
    '/dev/null',
    ...args,
  ]);
}

function headersOf(headers: Record<string, string>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
}

async function measureReports(kit: Kit, { fixture, bare }: Servers, stock: SdkSeed): Promise<Row[]> {
  const states = ['downloaded', 'installed', 'launched'];
  const reports = stock.tokens.map((token, at): InstallRequest => {
    const headers = { ...question(stock, token).headers, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ release_id: stock.releaseId, state: states[at % states.length] });
    return { method: 'POST', path: REPORT_PATH, headers, body };
  });
  const script = writeRequestsScript(kit.folder, 'reports', reports);
  const load = { path: REPORT_PATH, script, connections: CONNECTIONS, seconds: 3 };
  await loadServer(fixture, load);
  const samples = [];
  for (let round = 0; round < kit.rounds; round += 1) samples.push((await loadServer(fixture, load)).cpuMicroseconds);

  // At one request at a time, most of the latency is waking a sleeping process; the baseline shows how much.
  const pacedScript = writeRequestsScript(kit.folder, 'paced-reports', reports, true);
  const pace = { script: pacedScript, connections: connectionsFor(REPORTS_PER_SECOND), seconds: 4 };
  const paced = await takeTurns(kit.rounds, {
    fixture: () => paceServer(fixture, pace),
    bare: () => paceServer(bare, pace),
  });
  const share = (microseconds: number) => `${((microseconds * REPORTS_PER_SECOND) / 10_000).toFixed(1)} %`;
  const [measured, baseline] = [paced.fixture, paced.bare].map((side) =>
    median(side.map((one) => one.cpuMicroseconds)),
  );
  return [
    boundRow({
      name: `${REPORTS_PER_SECOND} install reports a second: share of one processor, by what each costs at full speed`,
      measured: (median(samples) * REPORTS_PER_SECOND) / 10_000,
      below: 10,
      unit: '%',
      note: `${Math.round(median(samples))} µs each, every one of another install`,
    }),
    {
      name: `${REPORTS_PER_SECOND} install reports a second, evenly spaced, beside bare hono that reads and drops them`,
      measured: share(measured ?? Number.NaN),
      baseline: share(baseline ?? Number.NaN),
      ratio: ((measured ?? Number.NaN) / (baseline ?? Number.NaN)).toFixed(2),
      goal: '',
      isMet: null,
    },
  ];
}
