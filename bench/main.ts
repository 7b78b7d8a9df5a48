// Runs benchmarks in sequence and prints their rows as one Markdown table.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { auditBench } from './audit.ts';
import { type Bench, formatTable, type Kit, type Row } from './benchmark.ts';
import { billingBench } from './billing.ts';
import { bombBench } from './bombs.ts';
import { runBuildsPage } from './builds-page.ts';
import { dashboardBench } from './dashboard.ts';
import { downloadBench } from './downloads.ts';
import { fanOutBench } from './fan-out.ts';
import { runFills } from './fills.ts';
import { completeBench } from './inspections.ts';
import { listBench } from './lists.ts';
import { memoryBench } from './memory.ts';
import { moveBench } from './moves.ts';
import { pageBench } from './pages.ts';
import { readBench } from './reads.ts';
import { removalBench } from './removals.ts';
import { s3Bench } from './s3.ts';
import { runScale } from './scale.ts';
import { sdkBench } from './sdk.ts';
import { signInBench } from './sign-ins.ts';
import { slowDiskBench } from './slow-disk.ts';
import { startBench } from './startup.ts';
import { tracingBench } from './tracing.ts';
import { webhookBench } from './webhooks.ts';
import { DEFAULT_SIZE, openWorld } from './world.ts';
import type { WorldSize } from './world-rows.ts';

const benches: readonly Bench[] = [
  downloadBench,
  s3Bench,
  moveBench,
  memoryBench,
  readBench,
  tracingBench,
  listBench,
  auditBench,
  pageBench,
  dashboardBench,
  completeBench,
  startBench,
  signInBench,
  webhookBench,
  fanOutBench,
  sdkBench,
  removalBench,
  bombBench,
  billingBench,
  slowDiskBench,
];

const help = `scripts/bench [options] [name …]
scripts/bench world [sizes] [--fresh]
scripts/bench scale [sizes] [--fresh] [operation, cleanup job or command …]
scripts/bench builds-page [sizes] [--fresh]
scripts/bench fills [sizes] [--fresh]

Measures speed as ratios against a baseline taken in the same run, and prints a Markdown table. Without names: all of them.

${benches.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

  --rounds N   how often each side is measured (5)
  --folder DIR where data goes, on the disk to be measured (the temporary folder)

"world" fills a database below .cache, and "scale" compares every GET operation, the important writes, the cleanup jobs and commands
in a world with those in one of a thousandth of its size, with 10,000 builds, 100 installs, 100 webhooks and 200 people at least. It says how many operations were
refused, and starts doubles of the identity providers, App Store Connect and Paddle that operations need. "builds-page" opens the list of builds of a world in a browser.
"fills" measures what the server fills in the background after an upgrade. Their sizes:

  --builds N     ${DEFAULT_SIZE.builds}
  --downloads N  ${DEFAULT_SIZE.downloads}
  --installs N   ${DEFAULT_SIZE.installs}
  --audit N      ${DEFAULT_SIZE.audit}
  --people N     ${DEFAULT_SIZE.people}: members of the organization, with their groups, sessions, invitations, webhooks and other organizations
  --fresh        creates the world again; measurements change an existing one a little

1,000,000 builds, 10,000,000 downloads, 100,000 installs and 2,000,000 audit rows take 10 GB and five minutes.

Ends with 1 when a goal is missed. Example: scripts/bench read list --rounds 9
`;

async function runBench(bench: Bench, parent: string, rounds: number): Promise<Row[]> {
  const folder = join(parent, bench.name);
  await mkdir(folder);
  const started: { stop(): Promise<void> }[] = [];
  const kit: Kit = {
    folder,
    rounds,
    say,
    async use(starting) {
      const thing = await starting;
      started.push(thing);
      return thing;
    },
  };
  try {
    return await bench.run(kit);
  } finally {
    for (const thing of started.reverse()) await thing.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      folder: { type: 'string', default: tmpdir() },
      builds: { type: 'string', default: String(DEFAULT_SIZE.builds) },
      downloads: { type: 'string', default: String(DEFAULT_SIZE.downloads) },
      installs: { type: 'string', default: String(DEFAULT_SIZE.installs) },
      audit: { type: 'string', default: String(DEFAULT_SIZE.audit) },
      people: { type: 'string', default: String(DEFAULT_SIZE.people) },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const [first, ...rest] = positionals;
  if (first === 'world' || first === 'scale' || first === 'builds-page' || first === 'fills') {
    const size = readSize(values);
    const options = { say, isFresh: values.fresh };
    if (first === 'world') say((await openWorld(size, options)).folder);
    else if (first === 'fills') printRows(await runFills(size, options));
    else if (first === 'builds-page') printRows(await runBuildsPage(size, options));
    else printRows(await runScale(size, { ...options, only: rest }));
    return;
  }
  const unknown = positionals.filter((name) => benches.every((bench) => bench.name !== name));
  const rounds = Number(values.rounds);
  if (unknown.length > 0) throw new TypeError(`There is no benchmark named ${unknown.join(', ')}`);
  if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds must be a whole number of at least 1');

  const parent = await mkdtemp(join(values.folder, 'taxiway-bench-'));
  const rows: Row[] = [];
  try {
    for (const bench of benches) {
      if (positionals.length > 0 && !positionals.includes(bench.name)) continue;
      say(`${bench.name}: ${bench.summary}`);
      const startedAt = performance.now();
      try {
        rows.push(...(await runBench(bench, parent, rounds)));
      } catch (error) {
        say(error instanceof Error ? (error.stack ?? error.message) : String(error));
        rows.push({ name: bench.name, measured: 'failed', baseline: '', ratio: '', goal: '', isMet: false });
      }
      say(`${bench.name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
    }
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
  printRows(rows);
}

function printRows(rows: readonly Row[]): void {
  process.stdout.write(`\n${formatTable(rows)}`);
  if (rows.some((row) => row.isMet === false)) process.exitCode = 1;
}

function readSize(values: Record<keyof WorldSize, string>): WorldSize {
  const read = (name: keyof WorldSize) => {
    const count = Number(values[name]);
    if (!Number.isInteger(count) || count < 10) throw new TypeError(`--${name} must be a whole number of at least 10`);
    return count;
  };
  return {
    builds: read('builds'),
    downloads: read('downloads'),
    installs: read('installs'),
    audit: read('audit'),
    people: read('people'),
  };
}

main().catch((error: unknown) => {
  process.stderr.write(`scripts/bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
});
