// Power cuts: what was acknowledged is on disk at any moment, also around checkpoints and when the log is started over.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatherOutput } from '../support/child.ts';
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

const workshop = mkdtempSync(join(tmpdir(), 'taxiway-power-'));
const recorder = compileRecorder(workshop);
if (recorder === undefined && process.env.CI === 'true')
  throw new Error('a C compiler on Linux is required with CI=true');
if (recorder === undefined) process.stdout.write('power cuts skipped: they need a C compiler on Linux\n');

beforeAll(() => process.stdout.write(`power cuts: TAXIWAY_CRASH_SEED=${CRASH_SEED} repeats them\n`));
afterAll(() => rmSync(workshop, { recursive: true, force: true }));

/** Cuts the power at random bytes of a trace, half of them near restarts of the log and checkpoints. `findLost` returns what is missing. */
function cutOften(recording: Recording, findLost: (client: Sqlite.Database, cut: number) => unknown[]): void {
  const random = createRandom(CRASH_SEED);
  const spots = restartsAndCheckpoints(recording);
  for (let number = 0; number < CRASH_KILLS; number += 1) {
    const spot = number % 2 === 0 ? random.pick(spots) : undefined;
    const cut = spot === undefined ? random.between(0, recording.bytes) : spot + random.between(-2_000, 20_000);
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

const hasTable = (client: Sqlite.Database, name: string) =>
  client.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;

describe.skipIf(recorder === undefined)('a power cut', { timeout: TIMEOUT_MS }, () => {
  it.each(['server', 'litestream'])(
    'loses no transaction of a group commit that was waited for, with constant checkpoints of: %s',
    async (who) => {
      const [file, trace, output] = ['a.db', 'trace', 'acknowledged.json'].map((name) =>
        join(workshop, `${who}-${name}`),
      );
      const script = join(import.meta.dirname, 'group-commit-load.ts');
      const words = [script, file, trace, output, String(CRASH_SEED), String(LOAD_MS), who] as string[];
      const env = recordingEnv(recorder ?? '', file ?? '', trace ?? '', FLUSH_DELAY_MS);
      const child = spawn(process.execPath, words, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
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
        for (let number = 1; performance.now() < end; number += 1) {
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
    expect(acknowledged.length).toBeGreaterThan(20);
    cutOften(readRecording(trace, database), (cutClient, cut) => {
      const find = cutClient.prepare('SELECT 1 FROM pending_uploads WHERE id = ?');
      return acknowledged.filter(({ id, traced }) => traced <= cut && find.get(id) === undefined);
    });
  });
});
