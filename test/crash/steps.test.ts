// Kills the server before single steps on disk and database, during its first start and common actions.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isSetupPending } from '../../src/accounts/setup.ts';
import { createServer } from '../../src/server.ts';
import { deleteBuild, release, setIcon, workUntilKilled } from './actions.ts';
import { createInstallation, createWorkers } from './installation.ts';
import { createObjectCheck } from './objects.ts';
import { bundleProgram, type Program, type Running } from './program.ts';
import { CRASH_SEED, CRASH_STRIDE, createRandom } from './random.ts';
import { recover } from './recovery.ts';
import { uploadBuild } from './uploads.ts';
import { refresh, type Worker } from './worker.ts';

/** More than a first start has. */
const MOST_STEPS = 5_000;

let program: Program;
beforeAll(async () => {
  process.stdout.write(`crash test by steps: TAXIWAY_CRASH_SEED=${CRASH_SEED} repeats its choices\n`);
  program = await bundleProgram();
});

async function arm({ child, output }: Running): Promise<void> {
  child.kill('SIGUSR2');
  while (child.signalCode === null && !output.stdout.includes('armed\n'))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a first start that is killed before a step', () => {
  it('is repeated by the next one', { timeout: 240_000 }, async () => {
    const random = createRandom(CRASH_SEED);
    using installation = await createInstallation(program);
    const data = join(installation.folder, 'data');
    const copies = join(installation.folder, 'copies');
    mkdirSync(copies);
    const steps: number[] = [];
    for (
      let at = random.between(1, CRASH_STRIDE);
      at < MOST_STEPS;
      at += random.between(CRASH_STRIDE, CRASH_STRIDE * 3)
    )
      steps.push(at);
    // One process for all deaths: what it would leave by dying before a step is copied.
    const env = { DIE_ARMED: 'start', COPY_AT: steps.join(), COPY_FROM: data, COPY_TO: copies };
    const { running } = await installation.start({ env, nodeWords: program.dieAtWords });
    await running.kill();
    expect(existsSync(join(data, 'secret.key'))).toBe(true);

    const deaths = steps.filter((at) => existsSync(join(copies, String(at))));
    expect(deaths.length).toBeGreaterThan(5);
    expect(deaths.length).toBeLessThan(steps.length);
    for (const at of deaths) {
      rmSync(data, { recursive: true });
      renameSync(join(copies, String(at)), data);
      await using server = await createServer({ server: { port: 0, data_dir: data }, log: { level: 'silent' } });
      await server.start();
      expect((await fetch(`${server.url}/health/ready`)).status, `after step ${at}`).toBe(200);
      expect(isSetupPending(server.app), `after step ${at}`).toBe(true);
      expect(existsSync(join(data, 'secret.key'))).toBe(true);
    }
    process.stdout.write(`crash test by steps: a first start died ${deaths.length} times\n`);
  });
});

describe('an upload, its release and its deletion, killed before a step', () => {
  it('keep acknowledged data, and nothing incomplete', { timeout: 240_000 }, async () => {
    const random = createRandom(CRASH_SEED);
    using installation = await createInstallation(program, { isMigrated: true });
    const founding = await installation.start();
    const [worker] = (await createWorkers(founding, 1, random)) as [Worker];
    await founding.running.kill();
    const checkObjects = createObjectCheck(installation.blobs);
    let deaths = 0;
    for (let dieAt = random.between(1, CRASH_STRIDE); ; dieAt += CRASH_STRIDE) {
      const serverRun = await installation.start({ env: { DIE_AT: String(dieAt) }, nodeWords: program.dieAtWords });
      await recover(worker, serverRun.client);
      await arm(serverRun.running);
      let isOver = false;
      const script = [
        ...[uploadBuild, release, setIcon, setIcon, refresh, deleteBuild],
        async () => {
          isOver = true;
          await serverRun.running.kill();
        },
      ];
      await workUntilKilled(worker, serverRun.client, script);
      await serverRun.running.ended;
      serverRun.client.close();
      checkObjects([worker]);
      if (isOver) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(60 / CRASH_STRIDE);
    process.stdout.write(`crash test by steps: died ${deaths} times\n`);
  });
});
