// Moving objects between the folder and a bucket: what other requests notice of it, its rate, and its memory.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../src/core/context.ts';
import { createBucket } from '../test/storage/s3/bucket.ts';
import { CEPH_KEYS, startCeph, whyNoCeph } from '../test/support/ceph.ts';
import { type Bench, boundRow, median, type Row, ratioRow } from './benchmark.ts';
import { startProbe } from './probe.ts';
import {
  EMAIL,
  PASSWORD,
  programFile,
  type SeededIds,
  type ServerFixture,
  startServerFixture,
} from './server-fixture.ts';
import { residentMb } from './usage.ts';

/** In all rounds together; each round moves those of an organization. */
const OBJECTS = 10_000;
const OBJECT_BYTES = 16 * 1024;
const PROBE_EVERY_MS = 10;
/** Requests without a move: half before it and half after it. */
const QUIET_MS = 10_000;

export const moveBench: Bench = {
  name: 'move',
  summary: `other requests while ${OBJECTS} objects are moved to a bucket, beside the same requests without a move`,
  async run(kit) {
    const missing = whyNoCeph();
    if (missing !== undefined) {
      kit.say(`move: skipped, because ${missing}`);
      return [{ name: 'move', measured: `skipped: ${missing}`, baseline: '', ratio: '', goal: '', isMet: null }];
    }
    const ceph = await kit.use(startCeph());
    const bucket = await createBucket(ceph);
    const config = {
      storage: { backend: 'local' },
      'storage.s3': {
        endpoint: ceph.url,
        bucket: bucket.name,
        force_path_style: true,
        access_key_id: CEPH_KEYS.accessKeyId,
        secret_access_key: CEPH_KEYS.secretAccessKey,
      },
    };
    const folder = join(kit.folder, 'server');
    const perRound = Math.ceil(OBJECTS / kit.rounds);
    kit.say(`  creating ${perRound * kit.rounds} objects`);
    const seed = (app: App, of: SeededIds) => seedObjects(app, of, { rounds: kit.rounds, perRound });
    const server = await kit.use(startServerFixture(folder, { config, seed }));
    const rounds: Round[] = [];
    for (let round = 0; round < kit.rounds; round += 1) {
      const result = await measureRound(server, join(folder, 'config.toml'), { round, perRound });
      kit.say(
        `  ${JSON.stringify(result, (_, value) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value))}`,
      );
      rounds.push(result);
    }
    bucket.close();
    return toRows(rounds);
  },
};

interface Round {
  perSecond: number;
  /** Of the command. */
  halfMb: number;
  lateMb: number;
  quiet: { median: number; p99: number };
  moving: { median: number; p99: number };
}

function toRows(rounds: readonly Round[]): Row[] {
  const showMs = (value: number) => `${value.toFixed(1)} ms`;
  const note = `${rounds.length} rounds`;
  return [
    {
      name: `move: objects of ${OBJECT_BYTES / 1024} KiB to the bucket`,
      measured: `${median(rounds.map(({ perSecond }) => perSecond)).toFixed(1)}/s`,
      baseline: '',
      ratio: '',
      goal: '',
      isMet: null,
      note,
    },
    boundRow({
      name: 'move: memory of the command at the end, above that at half',
      measured: Math.max(...rounds.map(({ halfMb, lateMb }) => lateMb - halfMb)),
      baseline: `${Math.round(median(rounds.map(({ halfMb }) => halfMb)))} MB`,
      below: 10,
      unit: 'MB',
    }),
    ratioRow({
      name: 'move: median of a read beside it',
      measured: rounds.map(({ moving }) => moving.median),
      baseline: rounds.map(({ quiet }) => quiet.median),
      show: showMs,
      goal: { atMost: 1.3 },
    }),
    ratioRow({
      name: 'move: p99 of a read beside it',
      measured: rounds.map(({ moving }) => moving.p99),
      baseline: rounds.map(({ quiet }) => quiet.p99),
      show: showMs,
      goal: { atMost: 1.3 },
    }),
  ];
}

async function measureRound(
  server: ServerFixture,
  configFile: string,
  { round, perRound }: { round: number; perRound: number },
): Promise<Round> {
  const token = await signIn(server);
  const probe = () =>
    startProbe({ url: `${server.url}/api/v1/organizations/${server.organizationId}`, token, everyMs: PROBE_EVERY_MS });
  const quiet: number[] = [];
  const watchQuiet = async () => {
    const probing = probe();
    await sleep(QUIET_MS / 2);
    quiet.push(...(await probing.stop()));
  };
  await watchQuiet();
  const moving = await move(configFile, { organizationId: organizationOf(round), expected: perRound }, probe);
  await watchQuiet();
  return { ...moving, quiet: describe(quiet) };
}

async function move(
  configFile: string,
  { organizationId, expected }: { organizationId: string; expected: number },
  probe: () => { stop(): Promise<number[]> },
): Promise<Omit<Round, 'quiet'>> {
  const args = ['storage', 'move', '--to', 's3', '--organization', organizationId, '--json', '--config', configFile];
  const child = spawn(process.execPath, [programFile, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise((resolve) => child.once('close', resolve));
  // The start of a program isn't the move.
  await sleep(1_500);
  const startedAt = performance.now();
  const probing = probe();
  const pid = child.pid ?? 0;
  const memory: number[] = [];
  const watch = setInterval(() => {
    if (child.exitCode === null) memory.push(residentMb(pid));
  }, 500);
  await ended;
  clearInterval(watch);
  const seconds = (performance.now() - startedAt) / 1000;
  const times = await probing.stop();
  const { moved, failed } = JSON.parse(printed) as { moved: number; failed: number };
  if (moved !== expected || failed !== 0)
    throw new Error(`${moved} of ${expected} objects were moved, ${failed} failed`);
  const [halfMb = 0, lateMb = 0] = [memory[Math.floor(memory.length / 2)], memory.at(-1)];
  return { perSecond: expected / seconds, halfMb, lateMb, moving: describe(times) };
}

function describe(times: readonly number[]): { median: number; p99: number } {
  const sorted = [...times].sort((left, right) => left - right);
  return { median: median(sorted), p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
}

/** Tokens expire after ten minutes. */
async function signIn({ url }: ServerFixture): Promise<string> {
  const body = JSON.stringify({ email: EMAIL, password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1/login`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`signing in failed: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

const idOf = (kind: string, number: number): string =>
  `00000000-0000-7000-8${kind}-${number.toString(16).padStart(12, '0')}`;
const organizationOf = (round: number): string => idOf('0aa', round);

/** Adds an organization for each round, with a project and its packages. */
async function seedObjects(
  { db, storage, clock }: App,
  { developerId }: SeededIds,
  { rounds, perRound }: { rounds: number; perRound: number },
): Promise<void> {
  const { $client: client } = db;
  const now = clock.now().getTime();
  client.pragma('synchronous = OFF');
  for (let round = 0; round < rounds; round += 1) {
    const [organizationId, projectId] = [organizationOf(round), idOf('0bb', round)];
    client
      .prepare("INSERT INTO organizations (id, name, tier, created_at) VALUES (?, 'Bench', 'business', ?)")
      .run(organizationId, now);
    client
      .prepare(
        "INSERT INTO projects (id, organization_id, name, platform, created_at) VALUES (?, ?, 'Bench', 'android', ?)",
      )
      .run(projectId, organizationId, now);
    const build = client.prepare(
      `INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes, uploaded_at,
          object_key, inspection_status, uploaded_by_developer_id, pending_upload_id)
        VALUES (@id, @organizationId, @projectId, 'android', '1.0', @number, '${'0'.repeat(64)}', ${OBJECT_BYTES}, @now, @key, 'ok',
          @developerId, @id)`,
    );
    const bytes = Buffer.alloc(OBJECT_BYTES, round + 1);
    for (let start = 0; start < perRound; start += 16) {
      const numbers = Array.from({ length: Math.min(16, perRound - start) }, (_, index) => start + index);
      await Promise.all(
        numbers.map(async (index) => {
          const number = round * perRound + index + 1;
          const key = `builds/${idOf('0cc', number)}/package.apk`;
          await storage.put(key, bytes);
          build.run({ id: idOf('0cc', number), organizationId, projectId, number, now, key, developerId });
        }),
      );
    }
  }
}
