// Moving to another machine: the first is killed at full load, and the second continues from the replica and the bucket.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInstallation, createWorkers } from '../crash/installation.ts';
import { bundleProgram, type Program, runHere } from '../crash/program.ts';
import { CRASH_SEED, createRandom } from '../crash/random.ts';
import type { Worker } from '../crash/worker.ts';
import { type Bucket, createBucket } from '../storage/s3/bucket.ts';
import { type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { whyNoLitestream } from '../support/litestream.ts';
import { answered, awaitReplica, keptBefore, Load, replicate, replicatedEnv, restoreReplica } from './drill.ts';

const missing = whyNoCeph() ?? whyNoLitestream();
if (missing !== undefined) process.stdout.write(`move to another machine skipped: ${missing}\n`);

/** How long the second machine may take. */
const READY_WITHIN_MS = 60_000;
const LOAD_MS = 5_000;
const WORKERS = 3;

describe.skipIf(missing !== undefined)('a second machine', () => {
  let program: Program;
  let ceph: Ceph;
  let bucket: Bucket;
  beforeAll(async () => {
    program = await bundleProgram();
    ceph = await startCeph();
    bucket = await createBucket(ceph);
  });
  afterAll(async () => {
    bucket?.close();
    await ceph?.stop();
  });

  it('serves what the first had acknowledged more than a second before it was killed', {
    timeout: 240_000,
  }, async () => {
    using first = await createInstallation(program);
    using second = await createInstallation(program);
    const env = await replicatedEnv({ ceph, bucket, baseUrl: String(first.env.TAXIWAY_SERVER__BASE_URL) });
    const { running, client } = await first.start({ env });
    using litestream = await replicate(first.folder, env);
    const workers = await createWorkers({ running, client }, WORKERS, createRandom(CRASH_SEED));
    await awaitReplica(first.folder, env);

    const load = new Load(client, workers, '1');
    await Promise.race([load.over, sleep(LOAD_MS)]);
    await load.reach({ builds: 3, descriptions: 30 });
    const killedAt = Date.now();
    await Promise.all([running.kill(), litestream.end('SIGKILL')]);
    client.close();
    await load.over;

    const other = await restoreReplica(program, second, env);
    await load.expectServed(other, `http://127.0.0.1:${second.env.TAXIWAY_SERVER__PORT}`, keptBefore(killedAt));
    expect(Date.now() - killedAt).toBeLessThan(READY_WITHIN_MS);

    // The second machine replicates to the same target, and finds its audit trail and packages complete.
    using _next = await replicate(second.folder, env);
    const [worker] = workers as [Worker];
    await answered(other.client, worker, 'PATCH', `/api/v1/projects/${worker.place.projectId}`, {
      description: 'moved',
    });
    await awaitReplica(second.folder, env);
    expect(await runHere(second.folder, ['verify'], env)).toMatchObject({ code: 0 });
    await other.running.kill();
  });
});
