// Kills the server at random moments under load, and checks after each start that all acknowledged data is there.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSweep } from '../../src/core/sweeps.ts';
import { builds, jobs, objectDeletions, pendingUploads, projects } from '../../src/data/tables/tables.ts';
import { createMovableClock, DAY } from '../../src/lib/clock.ts';
import { createServer } from '../../src/server.ts';
import { sweeps } from '../../src/sweeps.ts';
import { workUntilKilled } from './actions.ts';
import { createInstallation, createWorkers, type Installation, type ServerRun, stopGently } from './installation.ts';
import { createObjectCheck } from './objects.ts';
import { bundleProgram, type Program, runHere } from './program.ts';
import { CRASH_KILLS, CRASH_SEED, createRandom } from './random.ts';
import { checkBytes, recover } from './recovery.ts';
import { refresh, type Worker } from './worker.ts';

const WORKERS = 5;
/** Requests that create something, in each life of the server. */
const POSTS_PER_LIFE = 6;

let program: Program;
let installation: Installation;
let workers: Worker[];

beforeAll(async () => {
  process.stdout.write(`crash test: TAXIWAY_CRASH_SEED=${CRASH_SEED} repeats its choices\n`);
  program = await bundleProgram();
  installation = await createInstallation(program, { isMigrated: true });
});
afterAll(() => {
  installation[Symbol.dispose]();
});

describe('a server that is killed at random moments under load', () => {
  it('loses no acknowledged data, and shows nothing incomplete', { timeout: 600_000 }, async () => {
    const random = createRandom(CRASH_SEED);
    const checkObjects = createObjectCheck(installation.blobs);
    let serverRun = await installation.start();
    workers = await createWorkers(serverRun, WORKERS, random);
    let looked = 0;
    for (let kill = 1; kill <= CRASH_KILLS; kill += 1) {
      try {
        await liveAndDie(serverRun, random.between(50, 200));
        looked += checkObjects(workers);
        serverRun = await installation.start();
        expect(readdirSync(join(installation.blobs, 'incoming'))).toEqual([]);
        await Promise.all(workers.map((worker) => recover(worker, serverRun.client)));
      } catch (error) {
        await serverRun.running.kill();
        throw new Error(
          `after kill ${kill} of seed ${CRASH_SEED}: ${error instanceof Error ? error.message : error}\n${serverRun.running.output.stderr}`,
          {
            cause: error,
          },
        );
      }
    }
    for (const worker of workers) {
      for (const build of worker.state.builds) await checkBytes(worker, serverRun.client, build.number);
    }
    await stopGently(serverRun);
    const done = new Map<string, number>();
    for (const worker of workers)
      for (const [kind, count] of worker.done) done.set(kind, (done.get(kind) ?? 0) + count);
    process.stdout.write(`crash test: ${JSON.stringify({ answered: Object.fromEntries(done), objects: looked })}\n`);
    // The load was one: else the kills would show nothing.
    expect(looked).toBeGreaterThan(CRASH_KILLS);
    expect(done.get('POST') ?? 0).toBeGreaterThanOrEqual(CRASH_KILLS * POSTS_PER_LIFE);
  });

  it('revokes a session whose used refresh token is sent again', async () => {
    const serverRun = await installation.start();
    const worker = workers[0] as Worker;
    const used = worker.session;
    await refresh(worker, serverRun.client);
    const { accessToken } = worker.session;
    worker.session = used;
    await refresh(worker, serverRun.client, [401]);
    expect((await serverRun.client.ask('GET', '/api/v1/sessions', { token: accessToken })).status).toBe(401);
    await stopGently(serverRun);
  });

  it('leaves a database and a storage that pass the check', async () => {
    const { code, stdout } = await runHere(installation.folder, ['check', '--json'], installation.env);
    const findings: { status: string; name: string }[] = JSON.parse(stdout);
    expect(findings.filter((finding) => finding.status === 'fail')).toEqual([]);
    expect(findings.map((finding) => finding.name)).toEqual(expect.arrayContaining(['database', 'storage', 'objects']));
    expect(code).toBe(0);
    const database = new Sqlite(join(installation.folder, 'data', 'taxiway.db'), { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    database.close();
  });

  it('leaves a complete audit trail', async () => {
    const { code, stdout } = await runHere(installation.folder, ['verify', '--json'], installation.env);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, problems: [] });
    expect(code).toBe(0);
  });

  it('leaves nothing that cleanup jobs and jobs do not delete', { timeout: 60_000 }, async () => {
    const clock = createMovableClock();
    const config = {
      server: { port: 0, data_dir: join(installation.folder, 'data') },
      log: { level: 'silent' },
    } as const;
    await using server = await createServer(config, { clock, isScheduleOff: true });
    const { app } = server;
    await server.start();
    clock.advance(3 * DAY);
    for (let round = 0; round < 20; round += 1) {
      for (const sweep of sweeps) await runSweep(app, sweep);
      await app.jobs.drain();
    }
    expect(app.db.select().from(jobs).all()).toEqual([]);
    expect(app.db.select().from(objectDeletions).all()).toEqual([]);
    expect(app.db.select().from(pendingUploads).all()).toEqual([]);

    const referred = [
      ...app.db
        .select()
        .from(builds)
        .all()
        .flatMap((row) => [row.objectKey, row.iconKey]),
      ...app.db
        .select()
        .from(projects)
        .all()
        .map((row) => row.iconKey),
    ].filter((key) => key !== null);
    const { items } = await app.storage.list('', { limit: 100_000 });
    expect(items.map((item) => item.key)).toEqual(referred.sort());
    expect(referred).toHaveLength(
      2 * workers.reduce((sum, { state }) => sum + state.builds.length, 0) +
        workers.filter(({ state }) => state.icon).length,
    );
  });
});

const countPosts = () => workers.reduce((sum, { done }) => sum + (done.get('POST') ?? 0), 0);

/** Kills the server after a time, and not before a busy machine has done some work in it. */
async function liveAndDie({ running, client }: ServerRun, milliseconds: number): Promise<void> {
  const before = countPosts();
  let isWorking = true;
  const work = Promise.all(workers.map((worker) => workUntilKilled(worker, client))).finally(() => {
    isWorking = false;
  });
  await Promise.race([sleep(milliseconds), work]);
  while (isWorking && countPosts() < before + POSTS_PER_LIFE) await sleep(5);
  await running.kill();
  await work;
  client.close();
}
