// Kills the server before single steps on disk and database, during its first start and common actions.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteBuild, release, setIcon, workUntilKilled } from './actions.ts';
import { createInstallation, createWorkers } from './installation.ts';
import { createObjectCheck } from './objects.ts';
import { bundleProgram, type Program, type Running, runProgram } from './program.ts';
import { CRASH_SEED, CRASH_STRIDE, createRandom } from './random.ts';
import { recover } from './recovery.ts';
import { uploadBuild } from './uploads.ts';
import { refresh, type Worker } from './worker.ts';

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
    let deaths = 0;
    for (let dieAt = random.between(1, CRASH_STRIDE); ; dieAt += random.between(CRASH_STRIDE * 2, CRASH_STRIDE * 5)) {
      rmSync(join(installation.folder, 'data'), { recursive: true, force: true });
      const env = { ...installation.env, DIE_AT: String(dieAt), DIE_ARMED: 'start' };
      const first = runProgram(program, installation.folder, ['serve'], { env, nodeWords: program.dieAtWords });
      const end = await Promise.race([first.ended, first.ready()]).catch(() => first.ended);
      const survived = typeof end === 'string';
      await first.kill();
      const serverRun = await installation.start();
      expect((await serverRun.client.ask('GET', '/health/ready')).status, `after step ${dieAt}`).toBe(200);
      expect(serverRun.running.output.stdout).toMatch(/\/setup\//);
      await serverRun.running.kill();
      if (survived) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(5);
    expect(existsSync(join(installation.folder, 'data', 'secret.key'))).toBe(true);
  });
});

describe('an upload, its release and its deletion, killed before a step', () => {
  it('keep acknowledged data, and nothing incomplete', { timeout: 240_000 }, async () => {
    const random = createRandom(CRASH_SEED);
    using installation = await createInstallation(program);
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
