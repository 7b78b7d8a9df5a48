// Server and Litestream are killed at the same moment at full load, in the middle of an upload to the replica.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInstallation, createWorkers, type Installation, type ServerRun } from '../crash/installation.ts';
import { bundleProgram, type Program, runHere } from '../crash/program.ts';
import { CRASH_KILLS, CRASH_SEED, createRandom } from '../crash/random.ts';
import type { Worker } from '../crash/worker.ts';
import { type Bucket, createBucket } from '../storage/s3/bucket.ts';
import { type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { type RunningLitestream, whyNoLitestream } from '../support/litestream.ts';
import { awaitReplica, keptBefore, Load, replicate, replicatedEnv, restoreReplica } from './drill.ts';
import { type Cut, type Moment, startUploadGate, type UploadGate } from './upload-gate.ts';

const missing = whyNoCeph() ?? whyNoLitestream();
if (missing !== undefined) process.stdout.write(`joint kill of server and Litestream skipped: ${missing}\n`);

const moments: Moment[] = ['partial', 'stored', 'begun'];
/** Each moment once; with `scripts/test --crash`, several times. */
const ROUNDS = Math.max(moments.length, Math.round(CRASH_KILLS / 8));
const ROUND_MS = 60_000;
const WORKERS = 3;

describe.skipIf(missing !== undefined)('after a joint kill of server and Litestream', () => {
  let program: Program;
  let ceph: Ceph;
  let bucket: Bucket;
  let gate: UploadGate;
  beforeAll(async () => {
    program = await bundleProgram();
    ceph = await startCeph();
    bucket = await createBucket(ceph);
    gate = await startUploadGate(ceph.url);
  });
  afterAll(async () => {
    await gate?.[Symbol.asyncDispose]();
    bucket?.close();
    await ceph?.stop();
  });

  const urlOf = ({ env }: Installation) => `http://127.0.0.1:${env.TAXIWAY_SERVER__PORT}`;

  /** Kills both when an upload is cut off. Returns when that was. */
  async function killAt(cut: Cut, { running }: ServerRun, start: () => Promise<RunningLitestream>): Promise<number> {
    let killedAt = 0;
    let litestream: RunningLitestream | undefined;
    const isCut = gate.cut(cut, () => {
      killedAt = Date.now();
      running.child.kill('SIGKILL');
      litestream?.child.kill('SIGKILL');
    });
    litestream = await start();
    await isCut;
    expect(litestream.child.killed).toBe(true);
    await Promise.all([running.ended, litestream.end('SIGKILL')]);
    return killedAt;
  }

  it('the replica has what was acknowledged more than a second earlier, and the same machine continues with all of it', {
    timeout: (ROUNDS + 2) * ROUND_MS,
  }, async () => {
    const random = createRandom(CRASH_SEED);
    using machines = new DisposableStack();
    const install = async () => machines.use(await createInstallation(program));
    let machine = await install();
    const baseUrl = String(machine.env.TAXIWAY_SERVER__BASE_URL);
    const env = await replicatedEnv({ ceph, bucket, baseUrl }, gate.url);
    let server = await machine.start({ env });
    const workers: Worker[] = await createWorkers(server, WORKERS, random);
    const loads: Load[] = [];

    for (let round = 0; round < ROUNDS; round += 1) {
      const litestream = machines.use(await replicate(machine.folder, env));
      await awaitReplica(machine.folder, env);
      const load = new Load(server.client, workers, String(round + 1));
      loads.push(load);
      await load.reach({ builds: 1, descriptions: 10 });
      const moment = moments[round % moments.length] as Moment;
      const cut: Cut = { kind: 'wal', number: random.between(1, 12), moment };
      const killedAt = await killAt(cut, server, async () => litestream);
      server.client.close();
      await load.over;

      const next = await install();
      const restored = await restoreReplica(program, next, env);
      await load.expectServed(restored, urlOf(next), keptBefore(killedAt));
      if (round < ROUNDS - 1) [machine, server] = [next, restored];
      else await restored.running.kill();
    }

    // The last one that was killed starts again, with all that it acknowledged, and completes its replica.
    const [last] = loads.slice(-1) as [Load];
    server = await machine.start({ env });
    await last.expectServed(server, urlOf(machine), Number.POSITIVE_INFINITY);
    const continued = machines.use(await replicate(machine.folder, env));
    await awaitReplica(machine.folder, env);
    await Promise.all([server.running.kill(), continued.end('SIGKILL')]);

    // The next one is lost while it sends its first copy, so what came before is still what the replica has.
    const next = await install();
    server = await restoreReplica(program, next, env);
    await last.expectServed(server, urlOf(next), Number.POSITIVE_INFINITY);
    const copy = async () => machines.use(await replicate(next.folder, env));
    await killAt({ kind: 'snapshots', number: 1, moment: 'partial' }, server, copy);
    const final = await install();
    const restored = await restoreReplica(program, final, env);
    await last.expectServed(restored, urlOf(final), Number.POSITIVE_INFINITY);
    expect(await runHere(final.folder, ['verify'], env)).toMatchObject({ code: 0 });
    await restored.running.kill();
  });
});
