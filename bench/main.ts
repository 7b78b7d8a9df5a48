// Runs benchmarks in sequence and prints their rows as one Markdown table.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { auditBench } from './audit.ts';
import { type Bench, formatTable, type Kit, type Row } from './benchmark.ts';
import { billingBench } from './billing.ts';
import { bombBench } from './bombs.ts';
import { dashboardBench } from './dashboard.ts';
import { downloadBench } from './downloads.ts';
import { fanOutBench } from './fan-out.ts';
import { completeBench } from './inspections.ts';
import { listBench } from './lists.ts';
import { memoryBench } from './memory.ts';
import { moveBench } from './moves.ts';
import { pageBench } from './pages.ts';
import { readBench } from './reads.ts';
import { removalBench } from './removals.ts';
import { s3Bench } from './s3.ts';
import { sdkBench } from './sdk.ts';
import { signInBench } from './sign-ins.ts';
import { startBench } from './startup.ts';
import { webhookBench } from './webhooks.ts';

const benches: readonly Bench[] = [
  downloadBench,
  s3Bench,
  moveBench,
  memoryBench,
  readBench,
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
];

const help = `scripts/bench [options] [name …]

Measures speed as ratios against a baseline taken in the same run, and prints a Markdown table. Without names: all of them.

${benches.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

  --rounds N   how often each side is measured (5)
  --folder DIR where data goes, on the disk to be measured (the temporary folder)

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
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
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
  process.stdout.write(`\n${formatTable(rows)}`);
  if (rows.some((row) => row.isMet === false)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`scripts/bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
});
