// What the server fills in the background after an upgrade (src/data/background-fills.ts), in a world of any size: how long it takes, and
// what requests wait for meanwhile.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { listFills } from '../src/data/background-fills.ts';
import { embeddedMigrations } from '../src/data/migrate.ts';
import { median, type Row } from './benchmark.ts';
import { cpuMs, Side } from './scale.ts';
import { listReads, type RequestMaker } from './scale-requests.ts';
import { NOTED_FROM_MS, type Turn } from './turns.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';
import type { WorldSize } from './world-rows.ts';

const MAX_TURN_MS = 50;
const MAX_P99_MS = 100;
const READ_EVERY_MS = 100;
/** The same reads without a fill. */
const BASELINE_MS = 60_000;
/** The first one is asked for at once, when no build has its key. */
const READS = ['listBuilds:version', 'listBuilds:all', 'getBuild', 'getChannelAnalytics'];

/** Puts a database back to how an upgrade leaves one of an earlier version. */
function setBack(file: string): void {
  const client = new Sqlite(file);
  client.pragma('cache_size = -500000');
  client.transaction(() => {
    for (const table of ['download_days', 'download_totals', 'download_sums']) client.exec(`DELETE FROM ${table}`);
    client.exec("UPDATE builds SET version_key = ''");
    const { statements } = embeddedMigrations().find(({ name }) => name === '0040_background_fills') ?? {
      statements: [],
    };
    client.exec('DELETE FROM background_fills');
    for (const sql of statements) if (sql.startsWith('INSERT ')) client.exec(sql);
  })();
  client.pragma('wal_checkpoint(TRUNCATE)');
  client.close();
}

/** Sends the reads one after the other until work is over. Returns the milliseconds of each, by its name. */
async function readUntil(side: Side, makers: readonly RequestMaker[], ending: Promise<unknown>) {
  const times = new Map<string, number[]>(makers.map((maker) => [maker(side.world, 0).name, []]));
  let isOver = false;
  ending.then(() => (isOver = true));
  for (let n = 0; !isOver; n += 1) {
    const maker = makers[n % makers.length] as RequestMaker;
    const begin = performance.now();
    const { name, status, text } = await side.send(maker, n);
    if (status !== 200) throw new Error(`${name} responded ${status} ${text.slice(0, 200)}`);
    times.get(name)?.push(performance.now() - begin);
    await sleep(READ_EVERY_MS);
  }
  return times;
}

/** Says when each fill is complete. Resolves with the seconds that each took. */
async function watchFills(file: string, say: (text: string) => void): Promise<Map<string, number>> {
  const client = new Sqlite(file, { readonly: true });
  const seconds = new Map<string, number>();
  let begin = performance.now();
  let names = listFills(client).map(({ name }) => name);
  while (names.length > 0) {
    await sleep(1_000);
    const left = listFills(client);
    for (const name of names.filter((one) => left.every((fill) => fill.name !== one))) {
      seconds.set(name, (performance.now() - begin) / 1000);
      say(`  ${name}: ${seconds.get(name)?.toFixed(0)} s`);
      begin = performance.now();
    }
    names = left.map(({ name }) => name);
  }
  client.close();
  return seconds;
}

/** Runs all fills of a world to their end, with reads beside them. */
export async function runFills(size: WorldSize, options: WorldOptions): Promise<Row[]> {
  const { say } = options;
  const world: World = await openWorld(size, options);
  const file = join(world.folder, 'taxiway.db');
  say('putting the world back');
  setBack(file);
  const side = await Side.start(world);
  await side.readToken();
  const makers = READS.map((name) => listReads().find((maker) => maker(world, 0).name === name) as RequestMaker);
  const [first] = makers as [RequestMaker];
  const begin = performance.now();
  const opened = await side.during('first list by version', () => side.send(first, 0));
  const firstMs = performance.now() - begin;
  const ending = watchFills(file, say);
  const cpuBefore = side.readCpu();
  const during = await side.during('fills', () => readUntil(side, makers, ending));
  const cpu = side.readCpu() - cpuBefore;
  const after = await side.during('after', () => readUntil(side, makers, sleep(BASELINE_MS)));
  const turnOf = await side.stop();
  const seconds = [...(await ending)].map(([name, took]) => `${name} ${took.toFixed(0)} s`).join(', ');
  return [
    turnRow(
      `first list by version, ${firstMs.toFixed(0)} ms, ${opened.ms.toFixed(0)} ms CPU`,
      turnOf,
      'first list by version',
    ),
    turnRow(`all fills (${seconds}; ${(cpu / 1000).toFixed(0)} s CPU with the reads)`, turnOf, 'fills'),
    turnRow('the same reads afterwards', turnOf, 'after'),
    ...[...during].map(([name, times]) => readRow(name, times, after.get(name) ?? [])),
  ];
}

type TurnOf = (name: string, measure: (turn: Turn) => number) => Turn | undefined;

function turnRow(name: string, turnOf: TurnOf, span: string): Row {
  const [byCpu, byTime] = [turnOf(span, cpuMs), turnOf(span, ({ ms }) => ms)];
  const show = (ms: number | undefined) => (ms === undefined ? `< ${NOTED_FROM_MS} ms` : `${Math.round(ms)} ms`);
  return {
    name: `${name}: longest turn on the processor`,
    measured: `${show(byCpu?.cpuMs)} (the longest with waiting ${show(byTime?.ms)}, of it ${show(byTime?.cpuMs)} on the processor)`,
    baseline: '',
    ratio: '',
    goal: `< ${MAX_TURN_MS} ms`,
    isMet: (byCpu?.cpuMs ?? 0) < MAX_TURN_MS,
  };
}

function readRow(name: string, during: number[], after: number[]): Row {
  const p99 = (times: number[]) => times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.99) - 1] ?? 0;
  const show = (times: number[]) => `${median(times).toFixed(1)} / ${p99(times).toFixed(0)} ms`;
  return {
    name: `${name} beside the fills, ${during.length} times: median / p99`,
    measured: show(during),
    baseline: `${show(after)} afterwards`,
    ratio: (median(during) / median(after)).toFixed(2),
    goal: `p99 < ${MAX_P99_MS} ms`,
    isMet: p99(during) < MAX_P99_MS,
  };
}
