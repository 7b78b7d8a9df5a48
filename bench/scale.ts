// What operations, cleanup jobs and commands cost in a large world, beside one of a thousandth of its rows.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findFreePort } from '../scripts/lib/ports.ts';
import { openApp } from '../src/app.ts';
import { loadAuthority } from '../src/certificates/authority.ts';
import { cleanupJobNames } from '../src/cleanup-jobs.ts';
import { configFrom, loadConfig } from '../src/config.ts';
import { ACCESS_COOKIE } from '../src/http/credentials.ts';
import { median, type Row } from './benchmark.ts';
import { authorityAndBilling, type Counterparts, configOf, connectWorld, startCounterparts } from './counterparts.ts';
import type { Locked } from './lock-watch.ts';
import { startServer } from './processes.ts';
import { configured, listReads, listWrites, type RequestMaker, unmeasured } from './scale-requests.ts';
import { EMAIL, PASSWORD, programFile, type ServerFixtureOptions, writeConfig } from './server-fixture.ts';
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

  /** Starts a server with further tables of the configuration; with "server.tls" among them, with the server's own authority. */
  static async start(world: World, config: ServerFixtureOptions['config'] = {}): Promise<Side> {
    const port = await findFreePort();
    const isSecure = 'server.tls' in config;
    const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`;
    const configFile = writeConfig(world.folder, port, url, {
      logLevel: 'warn',
      // Each run exports the owner's data again.
      config: { limits: { personal_data_exports_per_day: 1000, personal_data_exports_per_month: 1000 }, ...config },
    });
    if (isSecure) await trustAuthority(configFile);
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
  async createThings(counterparts: Counterparts, say: (text: string) => void): Promise<void> {
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
      const things = await createThings(this.world, ask, app);
      const { values, preparations } = await connectWorld(this.world, this.url, { ask, app }, counterparts);
      Object.assign(this.world, { values: { ...things, ...values }, preparations });
    } finally {
      await close();
    }
  }

  /** Sends a request. Returns the processor time that it took, and its status. */
  async send(maker: RequestMaker, sample: number): Promise<{ name: string; ms: number; status: number; text: string }> {
    const request = maker(this.world, sample);
    const { name, method, body, form, headers, isInBrowser = false } = request;
    const token = await this.readToken();
    const owner = isInBrowser ? { cookie: `${ACCESS_COOKIE}=${token}` } : { authorization: `Bearer ${token}` };
    const { path = request.path, credential = owner } = (await this.world.preparations?.[name]?.()) ?? {};
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

/** Makes requests of this process trust the authority of a server that is about to start. */
async function trustAuthority(file: string): Promise<void> {
  const { app, close } = await openApp(loadConfig({ file, env: {}, cwd: process.cwd() }));
  try {
    const { certificate } = await loadAuthority(app);
    setDefaultCACertificates([...getCACertificates('default'), certificate]);
  } finally {
    await close();
  }
}

/**
 * Starts two servers, runs work with both, and stops them, whatever fails. Returns the result of the work, and of stopping the
 * large one.
 */
export async function withBoth<Server extends { stop(): Promise<unknown> }, Result>(
  starts: { small: () => Promise<Server>; large: () => Promise<Server> },
  work: (small: Server, large: Server) => Promise<Result>,
): Promise<[Result, Awaited<ReturnType<Server['stop']>>]> {
  const small = await starts.small();
  try {
    const large = await starts.large();
    const result = await work(small, large).catch(async (error: unknown) => {
      await large.stop();
      throw error;
    });
    return [result, (await large.stop()) as Awaited<ReturnType<Server['stop']>>];
  } finally {
    await small.stop();
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
  const makers = [...listReads(), ...listWrites()];
  for (const [name, reason] of Object.entries(unmeasured))
    if (isChosen(name)) say(`  ${name} isn't measured: ${reason}`);
  say('preparing the worlds');
  const worlds = {
    small: await openWorld(thousandth(size), { say, isFresh: true }),
    large: await openWorld(size, { say, isFresh }),
  };
  const counterparts = await startCounterparts();
  try {
    const startsWith = (config: ServerFixtureOptions['config']) => ({
      small: () => Side.start(worlds.small, config),
      large: () => Side.start(worlds.large, config),
    });
    const config = configOf(counterparts);
    const nameOf = (maker: RequestMaker) => maker(worlds.large, 0).name;
    const chosen = makers.filter((maker) => isChosen(nameOf(maker)));
    const [first, second] = [false, true].map((is) => chosen.filter((maker) => configured.has(nameOf(maker)) === is));
    const measured: Measured[] = [];
    const compareAll = async (small: Side, large: Side, some: readonly RequestMaker[] = []) => {
      const compared: Measured[] = [];
      for (const maker of some) compared.push(await compare(small, large, maker, say));
      measured.push(...compared);
      return compared;
    };
    const [{ compared, jobs, spans }, turnOf] = await withBoth(startsWith(config), async (small, large) => {
      await small.createThings(counterparts, () => undefined);
      await large.createThings(counterparts, say);
      // Whatever the start left to do isn't part of the first operation.
      await sleep(5_000);
      const compared = await compareAll(small, large, first);
      const jobs = await measureRest(large, isChosen, say);
      const names = [...new Set(large.spans.map(({ name }) => name))];
      return { compared, jobs, spans: names.filter((name) => compared.every((one) => one.name !== name)) };
    });
    const rows = [
      ...compared.map((one) => operationRow(one, turnOf(one.name, cpuMs))),
      ...spans.map((name) => turnRow(`server during ${name}`, turnOf(name, heldMs))),
      ...jobs,
    ];
    if (second !== undefined && second.length > 0) {
      say('starting both servers with an authority and payments');
      const [others, turnOfOthers] = await withBoth(
        startsWith({ ...config, ...authorityAndBilling(counterparts) }),
        async (small, large) => {
          await sleep(5_000);
          return compareAll(small, large, second);
        },
      );
      rows.push(...others.map((one) => operationRow(one, turnOfOthers(one.name, cpuMs))));
    }
    const refused = measured.filter(({ status }) => status >= 400).map(({ name, status }) => `${name} (${status})`);
    say(`refused: ${refused.length} of ${measured.length} operations${refused.map((text) => `\n  ${text}`).join('')}`);
    return rows;
  } finally {
    await counterparts.stop();
  }
}

/** Measures what isn't an operation in the large world. Returns the rows of cleanup jobs. */
async function measureRest(
  large: Side,
  isChosen: (name: string) => boolean,
  say: (text: string) => void,
): Promise<Row[]> {
  // What waiting for the disk takes without any of them.
  if (isChosen('nothing')) await large.during('nothing', () => writeUntil(large, sleep(BASELINE_MS)));
  if (isChosen('export')) await large.during('export', () => exportData(large, say));
  for (const command of COMMANDS) {
    const name = command.join(' ');
    if (isChosen(name)) await large.during(`command ${name}`, () => runCommand(large, command, say));
  }
  const jobs: Row[] = [];
  for (const name of cleanupJobNames) if (isChosen(name)) jobs.push(await measureSweep(large, name, say));
  return jobs;
}

async function compare(small: Side, large: Side, maker: RequestMaker, say: (text: string) => void): Promise<Measured> {
  const samples = maker(large.world, 0).method === 'GET' ? READ_SAMPLES : WRITE_SAMPLES;
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
