// The in-app update API with a hundred thousand installs: questions beside bare hono that answers the same bytes, questions
// while large files travel, and reports.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../scripts/lib/processes.ts';
import { readApiDemos } from '../test/fixtures.ts';
import { type Bench, boundRow, type Kit, median, type Row, ratioRow, takeTurns } from './benchmark.ts';
import { complete, downloadLink, initiate, upload } from './client.ts';
import { loadServer } from './load.ts';
import { writePaddedPackage } from './packages.ts';
import { runOnSecondProcessor, startServer } from './processes.ts';
import { type InstallRequest, paceServer, writeRequestsScript } from './sdk-load.ts';
import { fillStock, INSTALLS, RELEASES, type Stock } from './sdk-stock.ts';
import { startWorld, type World } from './world.ts';

const CONNECTIONS = 32;
const SECONDS = 2;
/** Installs that ask, each with a token of its own. */
const ASKING = 5_000;
const PATH = `/sdk/v1/releases/latest?build_number=${RELEASES - 50}&version_name=1.${RELEASES - 50}`;
const BUILD_BYTES = 200 * 1000 * 1000;
const DOWNLOADS = 10;
const TRANSFER_SECONDS = 8;
const REPORTS_PER_SECOND = 1_000;

export const sdkBench: Bench = {
  name: 'sdk',
  summary: `GET /sdk/v1/releases/latest and reports of ${INSTALLS} installs, with ${RELEASES} releases`,
  async run(kit) {
    let stock: Stock | undefined;
    const world = await kit.use(
      startWorld(join(kit.folder, 'world'), {
        logLevel: 'warn',
        seed(app, seeded) {
          stock = fillStock(app, seeded, ASKING);
        },
      }),
    );
    if (stock === undefined) throw new Error('the world has no installs');
    const { rows, fastest } = await measureQuestions(kit, world, stock);
    return [...rows, await measureAmongTransfers(kit, world, stock, fastest), await measureReports(kit, world, stock)];
  },
};

function question(stock: Stock, token: string, more: Record<string, string> = {}): InstallRequest {
  const headers = { 'X-Svc-App-Key': stock.appKey, Authorization: `Bearer ${token}`, ...more };
  return { method: 'GET', path: PATH, headers };
}

async function measureQuestions(kit: Kit, world: World, stock: Stock): Promise<{ rows: Row[]; fastest: number }> {
  const first = question(stock, stock.tokens[0] ?? '');
  const answer = await fetch(`${world.url}${PATH}`, { headers: first.headers });
  const etag = answer.headers.get('etag') ?? '';
  const bytesFile = join(kit.folder, 'answer.json');
  writeFileSync(bytesFile, await answer.text());
  const port = await findFreePort();
  const bare = await kit.use(
    startServer({
      command: process.execPath,
      args: [join(import.meta.dirname, 'bare-hono.ts'), String(port), bytesFile],
      url: `http://127.0.0.1:${port}`,
      readyPath: '/health/live',
    }),
  );
  const asking = stock.tokens.map((token) => question(stock, token));
  const knowing = stock.tokens.map((token) => question(stock, token, { 'If-None-Match': etag }));
  const script = writeRequestsScript(kit.folder, 'asking', asking);
  const knowingScript = writeRequestsScript(kit.folder, 'knowing', knowing);
  const load = { path: PATH, connections: CONNECTIONS, seconds: SECONDS };
  const sides = {
    changed: () => loadServer(world, { ...load, script }),
    unchanged: () => loadServer(world, { ...load, script: knowingScript }),
    bare: () => loadServer(bare, { ...load, script }),
  };
  await takeTurns(2, sides);
  const samples = await takeTurns(kit.rounds, sides);
  const rates = (side: keyof typeof samples) => samples[side].map((sample) => sample.requestsPerSecond);
  const costs = (side: keyof typeof samples) => samples[side].map((sample) => sample.cpuMicroseconds);
  const show = (value: number) => `${Math.round(value)} µs`;
  const rows = [
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
  return { rows, fastest: median(rates('changed')) };
}

async function measureAmongTransfers(kit: Kit, world: World, stock: Stock, fastest: number): Promise<Row> {
  const file = join(kit.folder, 'build.apk');
  writePaddedPackage(file, readApiDemos(), BUILD_BYTES);
  const build = await complete(world, await upload(world, world.androidProjectId, RELEASES + 1, file));
  const link = await downloadLink(world, build.identifier);
  const asking = stock.tokens.map((token) => question(stock, token));
  const script = writeRequestsScript(kit.folder, 'paced', asking, true);
  const samples = [];
  for (let round = 0; round < kit.rounds; round += 1) {
    const pending = await initiate(world, world.androidProjectId, RELEASES + 2 + round);
    const measuring = paceServer(world, { script, perSecond: fastest / 2, seconds: TRANSFER_SECONDS - 2 });
    const transfers = [
      slowly(['-T', file, ...headersOf(pending.required_headers), pending.upload_url]),
      ...Array.from({ length: DOWNLOADS }, () => slowly([link])),
    ];
    samples.push(await measuring);
    await Promise.all(transfers);
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

/** A transfer that takes as long as the questions, as over a network. */
function slowly(args: readonly string[]): Promise<string> {
  const rate = String(Math.round(BUILD_BYTES / TRANSFER_SECONDS));
  return runOnSecondProcessor('curl', [
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

async function measureReports(kit: Kit, world: World, stock: Stock): Promise<Row> {
  const states = ['downloaded', 'installed', 'launched'];
  const reports = stock.tokens.map((token, at): InstallRequest => {
    const headers = { ...question(stock, token).headers, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ release_id: stock.releaseId, state: states[at % states.length] });
    return { method: 'POST', path: '/sdk/v1/installs/report', headers, body };
  });
  const script = writeRequestsScript(kit.folder, 'reports', reports, true);
  const load = { script, perSecond: REPORTS_PER_SECOND, seconds: 4 };
  await paceServer(world, load);
  const samples = [];
  for (let round = 0; round < kit.rounds; round += 1) samples.push(await paceServer(world, load));
  const microseconds = median(samples.map((sample) => sample.cpuMicroseconds));
  return boundRow({
    name: `${REPORTS_PER_SECOND} install reports a second: share of one processor`,
    measured: (microseconds * REPORTS_PER_SECOND) / 10_000,
    below: 10,
    unit: '%',
    note: `${Math.round(microseconds)} µs each, sent at ${Math.round(median(samples.map((sample) => sample.perSecond)))}/s`,
  });
}
