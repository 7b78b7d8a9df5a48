// What operations, cleanup jobs and commands cost in a large world, beside one of a thousandth of its rows.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../scripts/lib/ports.ts';
import { openApp } from '../src/app.ts';
import { cleanupJobNames } from '../src/cleanup-jobs.ts';
import { configFrom } from '../src/config.ts';
import { ACCESS_COOKIE } from '../src/http/credentials.ts';
import { median, type Row } from './benchmark.ts';
import type { Locked } from './lock-watch.ts';
import { startServer } from './processes.ts';
import { listReads, listWrites, type RequestMaker } from './scale-requests.ts';
import { EMAIL, PASSWORD, programFile, writeConfig } from './server-fixture.ts';
import { heldMs, NOTED_FROM_MS, readTurns, type Turn, watchTurns } from './turns.ts';
import { openWorld, thousandth, type World } from './world.ts';
import type { WorldSize } from './world-rows.ts';
import { type Ask, createThings } from './world-things.ts';

const READ_SAMPLES = 14;
const WRITE_SAMPLES = 10;
/** Slow operations have fewer samples. */
const MAX_MS_OF_READ = 6_000;
const MIN_SAMPLES = 4;
const MAX_RATIO = 2;
const MAX_P99_MS = 100;
const MAX_TURN_MS = 50;
const TOKEN_LIFETIME_MS = 5 * 60_000;
const PATIENCE_MS = 10 * 60_000;
const BASELINE_MS = 20_000;
const COMMANDS = [['check'], ['verify', '--no-packages']];

interface Span {
  name: string;
  begin: number;
  end: number;
}

/** A server of a world, with the times of its requests. */
export class Side {
  readonly spans: Span[] = [];
  #token = { value: '', at: 0 };
  readonly world: World;
  readonly turnsFile: string;
  readonly configFile: string;
  readonly pid: number;
  readonly url: string;
  #stop: () => Promise<void>;

  constructor(
    world: World,
    started: { pid: number; url: string; configFile: string; turnsFile: string; stop: () => Promise<void> },
  ) {
    this.world = world;
    this.pid = started.pid;
    this.url = started.url;
    this.configFile = started.configFile;
    this.turnsFile = started.turnsFile;
    this.#stop = started.stop;
  }

  static async start(world: World): Promise<Side> {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const configFile = writeConfig(world.folder, port, url, {
      logLevel: 'warn',
      // Each run exports the owner's data again.
      config: { limits: { personal_data_exports_per_day: 1000, personal_data_exports_per_month: 1000 } },
    });
    const turnsFile = join(world.folder, 'turns.json');
    const { nodeArgs, env } = watchTurns(turnsFile);
    const { pid, stop } = await startServer({
      command: process.execPath,
      args: [...nodeArgs, programFile, 'serve', '--config', configFile],
      env,
      url,
      readyPath: '/health/live',
      logFile: join(world.folder, 'server.log'),
    });
    return new Side(world, { pid, url, configFile, turnsFile, stop });
  }

  /** Milliseconds that the server's main thread has run. Other programs on the machine don't change it. */
  readCpu(): number {
    return Number(readFileSync(`/proc/${this.pid}/task/${this.pid}/schedstat`, 'latin1').split(' ')[0]) / 1_000_000;
  }

  /** Creates what operations ask for. What the server refuses is said, and those operations measure their refusal. */
  async createThings(say: (text: string) => void): Promise<void> {
    const { folder } = this.world;
    const { app, close } = await openApp(configFrom({ server: { data_dir: folder }, log: { level: 'silent' } }));
    const ask: Ask = async (method, path, body, headers) => {
      const authorization = `Bearer ${await this.readToken()}`;
      const isForm = body instanceof FormData;
      const type: Record<string, string> = body === undefined || isForm ? {} : { 'content-type': 'application/json' };
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers: { authorization, ...type, ...headers },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      say(`  ${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
      return undefined;
    };
    try {
      this.world.values = await createThings(this.world, ask, app);
    } finally {
      await close();
    }
  }

  /** Sends a request. Returns the processor time that it took, and its status. */
  async send(maker: RequestMaker, sample: number): Promise<{ name: string; ms: number; status: number; text: string }> {
    const { name, method, path, body, form, headers, isInBrowser = false } = maker(this.world, sample);
    const token = await this.readToken();
    const credential = isInBrowser ? { cookie: `${ACCESS_COOKIE}=${token}` } : { authorization: `Bearer ${token}` };
    const begin = this.readCpu();
    const at = Date.now();
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...credential, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(form !== undefined ? { body: form } : body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const ms = this.readCpu() - begin;
    this.spans.push({ name, begin: at, end: Date.now() });
    return { name, ms, status: response.status, text };
  }

  /** Notes the span of work, for its turns. */
  async during<T>(name: string, work: () => Promise<T>): Promise<T> {
    const begin = Date.now();
    try {
      return await work();
    } finally {
      this.spans.push({ name, begin, end: Date.now() });
    }
  }

  async readToken(): Promise<string> {
    if (Date.now() - this.#token.at > TOKEN_LIFETIME_MS) {
      const response = await fetch(`${this.url}/api/v1/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
      });
      const { access_token: value } = (await response.json()) as { access_token: string };
      this.#token = { value, at: Date.now() };
    }
    return this.#token.value;
  }

  /** Stops the server. Returns the longest turn during the work of a name, by a measure. */
  async stop(): Promise<(name: string, measure: (turn: Turn) => number) => Turn | undefined> {
    await this.#stop();
    const turns = readTurns(this.turnsFile);
    return (name, measure) => {
      const spans = this.spans.filter((span) => span.name === name);
      return turns
        .filter(({ at, ms }) => spans.some(({ begin, end }) => at + ms >= begin && at <= end))
        .sort((one, other) => measure(other) - measure(one))[0];
    };
  }
}

/** Operations are judged by the processor, because other programs of the machine also make the disk wait. */
export const cpuMs = (turn: Turn) => turn.cpuMs;

interface Measured {
  name: string;
  small: number[];
  large: number[];
  status: number;
}

/** Runs everything and returns the rows: operations, then cleanup jobs and commands. */
export async function runScale(
  size: WorldSize,
  { say, only, isFresh }: { say: (text: string) => void; only: string[]; isFresh: boolean },
): Promise<Row[]> {
  // A name before a colon stands for all of its filters.
  const isChosen = (name: string) =>
    only.length === 0 || only.some((one) => one === name || name.startsWith(`${one}:`));
  say('preparing the worlds');
  const small = await Side.start(await openWorld(thousandth(size), { say, isFresh: true }));
  const large = await Side.start(await openWorld(size, { say, isFresh }));
  const measured: Measured[] = [];
  const jobs: Row[] = [];
  try {
    await small.createThings(() => undefined);
    await large.createThings(say);
    // Whatever the start left to do isn't part of the first operation.
    await sleep(5_000);
    const named = (makers: RequestMaker[]) => makers.filter((maker) => isChosen(maker(large.world, 0).name));
    for (const maker of named(listReads())) measured.push(await compare(small, large, maker, READ_SAMPLES, say));
    for (const maker of named(listWrites())) measured.push(await compare(small, large, maker, WRITE_SAMPLES, say));
    // What waiting for the disk takes without any of them.
    if (isChosen('nothing')) await large.during('nothing', () => writeUntil(large, sleep(BASELINE_MS)));
    if (isChosen('export')) await large.during('export', () => exportData(large, say));
    for (const command of COMMANDS) {
      const name = command.join(' ');
      if (isChosen(name)) await large.during(`command ${name}`, () => runCommand(large, command, say));
    }
    for (const name of cleanupJobNames) if (isChosen(name)) jobs.push(await measureSweep(large, name, say));
  } catch (error) {
    await large.stop();
    throw error;
  } finally {
    await small.stop();
  }
  const turnOf = await large.stop();
  const spans = [...new Set(large.spans.map(({ name }) => name))].filter((name) =>
    measured.every((one) => one.name !== name),
  );
  return [
    ...measured.map((one) => operationRow(one, turnOf(one.name, cpuMs))),
    ...spans.map((name) => turnRow(`server during ${name}`, turnOf(name, heldMs))),
    ...jobs,
  ];
}

async function compare(
  small: Side,
  large: Side,
  maker: RequestMaker,
  samples: number,
  say: (text: string) => void,
): Promise<Measured> {
  const measured: Measured = { name: '', small: [], large: [], status: 0 };
  let spent = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    const ofSmall = await small.send(maker, sample);
    const ofLarge = await large.send(maker, sample);
    Object.assign(measured, { name: ofLarge.name, status: ofLarge.status });
    spent += ofLarge.ms;
    // The first ones fill caches and compile code.
    if (sample < 2 && spent < MAX_MS_OF_READ) continue;
    measured.small.push(ofSmall.ms);
    measured.large.push(ofLarge.ms);
    if (ofSmall.status !== ofLarge.status) {
      say(
        `  ${ofLarge.name}: ${ofSmall.status} in the small world, ${ofLarge.status} in the large one: ${ofLarge.text.slice(0, 200)}`,
      );
    }
    if (spent > MAX_MS_OF_READ && sample >= MIN_SAMPLES) break;
  }
  const [one, other] = [median(measured.small), median(measured.large)];
  if (other / one > MAX_RATIO || Math.max(...measured.large) > MAX_P99_MS) {
    say(`  ${measured.name} (${measured.status}): ${one.toFixed(2)} ms, ${other.toFixed(2)} ms`);
  }
  return measured;
}

async function exportData(side: Side, say: (text: string) => void): Promise<void> {
  const { developerId } = side.world.plan.ids;
  const path = `/api/v1/developers/${developerId}/exports`;
  const asked = await side.send(() => ({ name: 'requestDataExport', method: 'POST', path }), 0);
  const giveUpAt = Date.now() + PATIENCE_MS;
  const begin = Date.now();
  while (asked.status === 202 && Date.now() < giveUpAt) {
    const { text } = await side.send(() => ({ name: 'listDataExports', method: 'GET', path }), 0);
    if (!text.includes('"preparing"')) break;
    await sleep(500);
  }
  say(`  export: ${asked.status}, ${Date.now() - begin} ms`);
}

async function run(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out };
}

/** Runs a command of the operator, and writes to the server beside it, so that waiting for the database's lock shows. */
async function runCommand(side: Side, args: readonly string[], say: (text: string) => void): Promise<void> {
  const begin = Date.now();
  const ending = run([programFile, ...args, '--config', side.configFile], {});
  await writeUntil(side, ending);
  say(`  ${args.join(' ')}: ${Date.now() - begin} ms, ended with ${(await ending).code}`);
}

async function writeUntil(side: Side, ending: Promise<unknown>): Promise<void> {
  let isOver = false;
  ending.then(() => (isOver = true));
  for (let n = 0; !isOver; n += 1) {
    const path = `/api/v1/builds/${side.world.plan.buildId}`;
    await side.send(() => ({ name: 'write beside', method: 'PATCH', path, body: { release_notes: `beside ${n}` } }), n);
    await sleep(50);
  }
}

/** Runs a cleanup job in a process of its own, whose turns are those that a server would have. */
async function measureSweep(side: Side, name: string, say: (text: string) => void): Promise<Row> {
  const file = join(side.world.folder, 'sweep-turns.json');
  const { nodeArgs, env } = watchTurns(file);
  const args = [...nodeArgs, join(import.meta.dirname, 'sweep-run.ts'), side.configFile, name];
  const ending = run(args, env);
  await side.during(`job ${name}`, () => writeUntil(side, ending));
  const { out } = await ending;
  const { begin, end, removed, error, locked } = JSON.parse(out) as {
    begin: number;
    end: number;
    removed: number;
    error: string;
    locked: Locked;
  };
  const [turn] = readTurns(file)
    .filter(({ at, ms }) => at + ms >= begin && at <= end)
    .sort((one, other) => heldMs(other) - heldMs(one));
  const lock = `longest transaction ${Math.round(locked.ms)} ms, of it ${Math.round(locked.cpuMs)} ms on the processor`;
  say(
    `  ${name}: ${end - begin} ms, ${removed} rows, longest turn ${Math.round(turn === undefined ? 0 : heldMs(turn))} ms, ${lock} ${error}`,
  );
  return turnRow(`job ${name}, ${removed} rows in ${((end - begin) / 1000).toFixed(1)} s, ${lock}`, turn);
}

function operationRow({ name, small, large, status }: Measured, turn: Turn | undefined): Row {
  const p99 = (values: number[]) =>
    values.toSorted((one, other) => one - other)[Math.ceil(values.length * 0.99) - 1] ?? 0;
  const show = (values: number[]) => `${median(values).toFixed(1)} / ${p99(values).toFixed(1)} ms`;
  const ratio = median(large) / median(small);
  const stall = turn === undefined ? '' : `, longest turn ${Math.round(turn.cpuMs)} ms`;
  return {
    name: `${name} (${status})`,
    measured: `${show(large)}${stall}`,
    baseline: show(small),
    ratio: ratio.toFixed(2),
    goal: `≤ ${MAX_RATIO}, p99 < ${MAX_P99_MS} ms, turns < ${MAX_TURN_MS} ms`,
    isMet: ratio <= MAX_RATIO && p99(large) < MAX_P99_MS && (turn === undefined || turn.cpuMs < MAX_TURN_MS),
  };
}

function turnRow(name: string, turn: Turn | undefined): Row {
  const ms = turn === undefined ? NOTED_FROM_MS : heldMs(turn);
  const note = turn === undefined ? '' : ` (of it ${Math.round(turn.cpuMs)} ms on the processor)`;
  return {
    name: `${name}: longest turn`,
    measured: `${turn === undefined ? '< ' : ''}${Math.round(ms)} ms${note}`,
    baseline: '',
    ratio: '',
    goal: `< ${MAX_TURN_MS} ms`,
    isMet: ms < MAX_TURN_MS,
  };
}
