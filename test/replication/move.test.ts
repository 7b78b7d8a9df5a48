// Moving to another machine: the first is killed at full load, and the second continues from the replica and the bucket.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import type { Client } from '../crash/client.ts';
import { createInstallation, createWorkers } from '../crash/installation.ts';
import { makePackage } from '../crash/payloads.ts';
import { bundleProgram, type Program, runProgram } from '../crash/program.ts';
import { CRASH_SEED, createRandom } from '../crash/random.ts';
import { inProject, type Worker } from '../crash/worker.ts';
import { type Bucket, createBucket } from '../storage/s3/bucket.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { sha256 } from '../support/fixtures.ts';
import { litestreamProgram, type RunningLitestream, startLitestream, whyNoLitestream } from '../support/litestream.ts';

const missing = whyNoCeph() ?? whyNoLitestream();
if (missing !== undefined) process.stdout.write(`move to another machine skipped: ${missing}\n`);

/** What a replica may lose, and how long the second machine may take. */
const LOST_MS = 1_000;
const READY_WITHIN_MS = 60_000;
const LOAD_MS = 5_000;
const WORKERS = 3;

/** What was acknowledged, and when. */
interface Acknowledged {
  builds: { id: string; sha256: string; at: number }[];
  /** The descriptions of a project, in the order in which they were written. */
  descriptions: { text: string; at: number }[];
}

async function answered(client: Client, worker: Worker, method: string, path: string, json?: unknown, status = 200) {
  const answer = await client.ask(method, path, { token: worker.session.accessToken, json });
  if (answer.status !== status) throw new Error(`${method} ${path} answered ${answer.status} ${answer.bytes}`);
  return answer.body;
}

/** Uploads packages one after another until the server is gone. */
async function upload(client: Client, worker: Worker, { builds }: Acknowledged): Promise<void> {
  for (let number = 1; ; number += 1) {
    const payload = makePackage(worker.random);
    const identity = { version_name: `1.${number}`, build_number: number };
    const path = `/api/v1/builds/initiate?${inProject(worker)}`;
    const pending = await answered(client, worker, 'POST', path, identity, 201);
    const sent = await fetch(String(pending.upload_url), { method: 'PUT', body: new Uint8Array(payload.bytes) });
    if (sent.status !== 200) throw new Error(`the bucket answered ${sent.status}`);
    const complete = `/api/v1/builds/${pending.pending_upload_id}/complete?${inProject(worker)}`;
    const build = await answered(client, worker, 'POST', complete, { sha256: payload.sha256 }, 201);
    builds.push({ id: String(build.identifier), sha256: payload.sha256, at: Date.now() });
  }
}

/** Changes the description of the project as fast as the server answers. */
async function describeProject(client: Client, worker: Worker, { descriptions }: Acknowledged): Promise<void> {
  for (let number = 1; ; number += 1) {
    const text = `Description ${number}`;
    await answered(client, worker, 'PATCH', `/api/v1/projects/${worker.place.projectId}`, { description: text });
    descriptions.push({ text, at: Date.now() });
  }
}

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

  /** Sets up Litestream with the command, and starts it. */
  async function replicate(folder: string, env: Record<string, string>): Promise<RunningLitestream> {
    const { ended, output } = runProgram(program, folder, ['replication', 'configure'], { env });
    expect({ ...(await ended), stdout: output.stdout }).toMatchObject({ code: 0 });
    return startLitestream(join(folder, 'litestream.yml'));
  }

  /** The codes of what `taxiway check` finds. */
  async function findCodes(folder: string, env: Record<string, string>): Promise<string[]> {
    const { ended, output } = runProgram(program, folder, ['check', '--json'], { env });
    await ended;
    return (JSON.parse(output.stdout) as { code: string }[]).map(({ code }) => code);
  }

  it('serves what the first had acknowledged more than a second before it was killed', {
    timeout: 240_000,
  }, async () => {
    using first = await createInstallation(program);
    using second = await createInstallation(program);
    const keys = (table: string) => ({
      [`TAXIWAY_${table}__S3__ENDPOINT`]: ceph.url,
      [`TAXIWAY_${table}__S3__FORCE_PATH_STYLE`]: 'true',
      [`TAXIWAY_${table}__S3__ACCESS_KEY_ID`]: CEPH_KEYS.accessKeyId,
      [`TAXIWAY_${table}__S3__SECRET_ACCESS_KEY`]: CEPH_KEYS.secretAccessKey,
    });
    const env = {
      TAXIWAY_SERVER__SECRET_KEY: 'the same secret key on both machines',
      TAXIWAY_SERVER__BASE_URL: String(first.env.TAXIWAY_SERVER__BASE_URL),
      TAXIWAY_STORAGE__BACKEND: 's3',
      TAXIWAY_STORAGE__S3__BUCKET: bucket.name,
      ...keys('STORAGE'),
      TAXIWAY_REPLICATION__TARGET: `s3://${bucket.name}/replica`,
      // Leaves time for a busy machine: a replica at this interval is behind by less.
      TAXIWAY_REPLICATION__INTERVAL_MS: '500',
      TAXIWAY_REPLICATION__PROGRAM: litestreamProgram,
      TAXIWAY_REPLICATION__METRICS_ADDRESS: `127.0.0.1:${await findFreePort()}`,
      ...keys('REPLICATION'),
    };
    const { running, client } = await first.start({ env });
    using litestream = await replicate(first.folder, env);
    const workers = await createWorkers({ running, client }, WORKERS, createRandom(CRASH_SEED));
    await expect.poll(() => findCodes(first.folder, env)).toContain('replication_current');

    const acknowledged = workers.map((): Acknowledged => ({ builds: [], descriptions: [] }));
    const load = workers.flatMap((worker, index) => {
      const log = acknowledged[index] as Acknowledged;
      return [upload(client, worker, log), describeProject(client, worker, log)];
    });
    const over = Promise.allSettled(load);
    const isEnough = () =>
      acknowledged.every(({ builds, descriptions }) => builds.length > 3 && descriptions.length > 30);
    await Promise.race([over, new Promise((done) => setTimeout(done, LOAD_MS))]);
    await expect.poll(isEnough, { timeout: 120_000 }).toBe(true);
    const killedAt = Date.now();
    await Promise.all([running.kill(), litestream.end('SIGKILL')]);
    client.close();
    await over;

    const restored = runProgram(program, second.folder, ['restore', '--from-replica'], { env: { ...env } });
    expect({ ...(await restored.ended), stderr: restored.output.stderr }).toMatchObject({ code: 0 });
    const other = await second.start({ env });
    const secondUrl = `http://127.0.0.1:${second.env.TAXIWAY_SERVER__PORT}`;
    const isOld = ({ at }: { at: number }): boolean => at < killedAt - LOST_MS;
    for (const [index, worker] of workers.entries()) {
      const { builds, descriptions } = acknowledged[index] as Acknowledged;
      // The session of the first machine continues.
      const project = await answered(other.client, worker, 'GET', `/api/v1/projects/${worker.place.projectId}`);
      const found = descriptions.findIndex(({ text }) => text === project.description);
      expect(found).toBeGreaterThanOrEqual(descriptions.findLastIndex(isOld));
      for (const { id, sha256: checksum } of builds.filter(isOld)) {
        const build = await answered(other.client, worker, 'GET', `/api/v1/builds/${id}`);
        expect(build.sha256).toBe(checksum);
        const link = await answered(other.client, worker, 'GET', `/api/v1/builds/${id}/download`);
        // Names lead to the second machine now.
        const { pathname, search } = new URL(String(link.download_url));
        const sent = await fetch(new URL(`${pathname}${search}`, secondUrl));
        expect(sha256(Buffer.from(await sent.arrayBuffer()))).toBe(checksum);
      }
    }
    expect(Date.now() - killedAt).toBeLessThan(READY_WITHIN_MS);

    // The second machine replicates to the same target, and finds its audit trail and packages complete.
    using _next = await replicate(second.folder, env);
    const [worker] = workers as [Worker];
    await answered(other.client, worker, 'PATCH', `/api/v1/projects/${worker.place.projectId}`, {
      description: 'moved',
    });
    await expect.poll(() => findCodes(second.folder, env), { interval: 500 }).toContain('replication_current');
    const verified = runProgram(program, second.folder, ['verify'], { env });
    expect({ ...(await verified.ended), stdout: verified.output.stdout }).toMatchObject({ code: 0 });
    await other.running.kill();
  });
});
