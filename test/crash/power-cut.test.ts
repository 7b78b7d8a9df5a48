// Power cuts: what was acknowledged is on disk at any moment, also around checkpoints and when the log is started over.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishFills, listFills } from '../../src/data/background-fills.ts';
import { embeddedMigrations, migrateDatabase, migrationStatus } from '../../src/data/migrate.ts';
import { compareTotals } from '../../src/data/totals.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { versionKey } from '../../src/lib/version-key.ts';
import { type BundledScripts, bundleScripts } from '../support/bundled-script.ts';
import { gatherOutput } from '../support/child.ts';
import { columnsOf, readTables, unpackDatabase } from '../upgrades/released.ts';
import { Unanswered } from './client.ts';
import { createInstallation, createWorkers } from './installation.ts';
import {
  compileRecorder,
  countRestarts,
  cutPower,
  type Recording,
  readRecording,
  recordingEnv,
  recoverDatabase,
  restartsAndCheckpoints,
} from './power-cut.ts';
import { bundleProgram } from './program.ts';
import { CRASH_KILLS, CRASH_SEED, createRandom } from './random.ts';
import { inProject, signIn } from './worker.ts';

/** Each needs a few minutes with the 100 cuts of `scripts/test --crash`. */
const TIMEOUT_MS = 600_000;
const FLUSH_DELAY_MS = 10;
const LOAD_MS = 100 * CRASH_KILLS;
/** A busy machine needs longer for them. */
const ENOUGH_UPLOADS = 21;

const workshop = mkdtempSync(join(tmpdir(), 'taxiway-power-'));
const recorder = compileRecorder(workshop);
if (recorder === undefined && process.env.CI === 'true')
  throw new Error('a C compiler on Linux is required with CI=true');
if (recorder === undefined) process.stdout.write('power cuts skipped: they need a C compiler on Linux\n');

let scripts: BundledScripts | undefined;
let groupCommitLoad: string;
let upgradeLoad: string;

beforeAll(async () => {
  process.stdout.write(`power cuts: TAXIWAY_CRASH_SEED=${CRASH_SEED} repeats them\n`);
  if (recorder === undefined) return;
  const sources = ['group-commit-load.ts', 'upgrade-load.ts', 'litestream-connection.ts'];
  scripts = await bundleScripts(sources.map((name) => join(import.meta.dirname, name)));
  [groupCommitLoad, upgradeLoad] = scripts.files as [string, string];
});
afterAll(() => {
  scripts?.[Symbol.dispose]();
  rmSync(workshop, { recursive: true, force: true });
});

/** Cuts the power at random bytes of a trace, half of them near restarts of the log and checkpoints, and at its end. `findLost` returns what is missing. */
function cutOften(recording: Recording, findLost: (client: Sqlite.Database, cut: number) => unknown[]): void {
  const random = createRandom(CRASH_SEED);
  const spots = restartsAndCheckpoints(recording);
  for (let number = 0; number < CRASH_KILLS; number += 1) {
    const spot = number % 2 === 0 ? random.pick(spots) : undefined;
    const near = spot === undefined ? random.between(0, recording.bytes) : spot + random.between(-2_000, 20_000);
    const cut = number === CRASH_KILLS - 1 ? recording.bytes : near;
    const folder = join(workshop, 'cut');
    mkdirSync(folder);
    const { client, problems } = recoverDatabase(cutPower(recording, cut, random, folder));
    expect({ problems, lost: findLost(client, cut) }, `cut ${number} after ${cut} bytes`).toEqual({
      problems: [],
      lost: [],
    });
    client.close();
    rmSync(folder, { recursive: true });
  }
}

interface Version {
  name: string;
  number: number;
  key: string;
}

/** Adds builds and downloads to a database of version 0.2.0, so that there is something to fill. Returns its columns. */
function addRows(file: string): ReturnType<typeof columnsOf> {
  const client = new Sqlite(file);
  const add = (table: string, count: number, changed: Record<string, string>) => {
    const names = (client.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
    const values = names.map((name) => changed[name] ?? `o.${name}`);
    client.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')}
      FROM numbers, (SELECT * FROM ${table} LIMIT 1) AS o`);
  };
  const id = "printf('ffffffff-ffff-7000-8000-%012x', n)";
  add('builds', 900, { id, build_number: 'n + 1000', pending_upload_id: id, object_key: "'added/' || n" });
  add('downloads', 4_000, { id, capability_id: 'NULL', created_at: 'n * 1000' });
  const columns = columnsOf(client);
  client.pragma('wal_checkpoint(TRUNCATE)');
  client.close();
  return columns;
}

/** How far an upgrade came. */
function stageOf(client: Sqlite.Database): string {
  if (migrationStatus(client).waiting.length > 0) return 'migrating';
  return listFills(client).length > 0 ? 'filling' : 'filled';
}

const hasTable = (client: Sqlite.Database, name: string) =>
  client.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;

describe.skipIf(recorder === undefined)('a power cut', { timeout: TIMEOUT_MS }, () => {
  it.each(['server', 'litestream', 'command'])(
    'loses no transaction of a group commit that was waited for, with constant checkpoints of: %s',
    async (who) => {
      const [file, trace, output] = ['a.db', 'trace', 'acknowledged.json'].map((name) =>
        join(workshop, `${who}-${name}`),
      );
      const words = [groupCommitLoad, file, trace, output, String(CRASH_SEED), String(LOAD_MS), who] as string[];
      const env = recordingEnv(recorder ?? '', file ?? '', trace ?? '', FLUSH_DELAY_MS);
      const child = spawn(process.execPath, words, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A load that never has enough would go on after the test.
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      });
      const printed = gatherOutput(child);
      expect(await once(child, 'close'), printed.stderr).toEqual([0, null]);

      const recording = readRecording(trace ?? '', Buffer.alloc(0));
      const acknowledged = JSON.parse(readFileSync(output ?? '', 'utf8')) as [
        writer: number,
        n: number,
        traced: number,
      ][];
      expect(countRestarts(recording)).toBeGreaterThan(2);
      expect(acknowledged.length).toBeGreaterThan(100);
      cutOften(recording, (client, cut) => {
        const expected = new Map<number, number>();
        for (const [writer, n, traced] of acknowledged) if (traced <= cut) expected.set(writer, n);
        if (!hasTable(client, 'entries_by_text')) return [...expected];
        const count = client.prepare<[number], number>('SELECT count(*) FROM entries WHERE writer = ?').pluck();
        const last = client.prepare<[number], number>('SELECT n FROM counters WHERE writer = ?').pluck();
        return [...expected].filter(([writer, n]) => {
          const found = last.get(writer) ?? 0;
          return found < n || count.get(writer) !== found;
        });
      });
    },
  );

  it('during an upgrade or its background fills leaves a database that the next start completes', async () => {
    const folder = join(workshop, 'upgrade');
    const { file } = unpackDatabase('0.2.0.db.gz', folder);
    const columns = addRows(file);
    const database = readFileSync(file);
    const trace = join(workshop, 'upgrade-trace');
    const child = spawn(process.execPath, [upgradeLoad, file], {
      env: { ...process.env, ...recordingEnv(recorder ?? '', file, trace, FLUSH_DELAY_MS) },
    });
    const printed = gatherOutput(child);
    expect(await once(child, 'close'), printed.stderr).toEqual([0, null]);

    const recording = readRecording(trace, database);
    const original = new Sqlite(database);
    const rows = readTables(original, columns);
    original.close();
    const stages = new Set<string>();
    cutOften(recording, (client) => {
      stages.add(stageOf(client));
      migrateDatabase(client, systemClock, embeddedMigrations(), { isCopied: true });
      finishFills(client);
      const keys = client.prepare<[], Version>(
        'SELECT version_name AS name, build_number AS number, version_key AS key FROM builds',
      );
      const wrongKeys = keys.all().filter(({ name, number, key }) => key !== versionKey(name, number));
      const found = readTables(client, columns);
      const changed = [...rows].filter(([table, content]) => !isDeepStrictEqual(found.get(table), content));
      return [...compareTotals(client), ...wrongKeys, ...changed.map(([table]) => table)];
    });
    expect([...stages].sort()).toEqual(['filled', 'filling', 'migrating']);
  });

  it('loses no change that the server has acknowledged', async () => {
    const program = await bundleProgram();
    using installation = await createInstallation(program);
    const first = await installation.start();
    const workers = await createWorkers(first, 8, createRandom(CRASH_SEED));
    first.running.child.kill('SIGTERM');
    await first.running.ended;

    const file = join(installation.folder, 'data', 'taxiway.db');
    const database = readFileSync(file);
    const trace = join(workshop, 'program-trace');
    const env = recordingEnv(recorder ?? '', file, trace, FLUSH_DELAY_MS);
    const { running, client } = await installation.start({ env });
    const acknowledged: { id: unknown; traced: number }[] = [];
    const end = performance.now() + LOAD_MS;
    await Promise.all(
      workers.map(async (worker) => {
        const { accessToken: token } = await signIn(client, worker.account);
        for (let number = 1; performance.now() < end || acknowledged.length < ENOUGH_UPLOADS; number += 1) {
          const path = `/api/v1/builds/initiate?${inProject(worker)}`;
          const json = { version_name: `1.${number}`, build_number: number };
          const { status, body } = await client.ask('POST', path, { json, token });
          expect(status).toBe(201);
          acknowledged.push({ id: body.pending_upload_id, traced: statSync(trace).size });
        }
      }),
    ).catch((error: unknown) => {
      if (!(error instanceof Unanswered)) throw error;
      throw new Error(`the server ended: ${running.output.stderr}`);
    });
    await running.kill();
    client.close();
    expect(acknowledged.length).toBeGreaterThanOrEqual(ENOUGH_UPLOADS);
    cutOften(readRecording(trace, database), (cutClient, cut) => {
      const find = cutClient.prepare('SELECT 1 FROM pending_uploads WHERE id = ?');
      return acknowledged.filter(({ id, traced }) => traced <= cut && find.get(id) === undefined);
    });
  });
});
