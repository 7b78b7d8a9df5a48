// Kills the server in each state around the requests that complete sends to an S3 service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bucket, createBucket } from '../storage/s3/bucket.ts';
import { type FaultProxy, startFaultProxy } from '../storage/s3/proxy.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { createInstallation, createWorkers, endLeases, type ServerRun } from './installation.ts';
import { makePackage } from './payloads.ts';
import { bundleProgram, type Program } from './program.ts';
import { CRASH_SEED, createRandom, killsAround } from './random.ts';
import { inProject, signIn, type Worker } from './worker.ts';

const missing = whyNoCeph();
if (missing !== undefined) process.stdout.write(`crash test on S3 skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('complete on S3', () => {
  let program: Program;
  let ceph: Ceph;
  let proxy: FaultProxy;
  let bucket: Bucket;

  beforeAll(async () => {
    program = await bundleProgram();
    ceph = await startCeph();
    proxy = await startFaultProxy(ceph.url);
    bucket = await createBucket(ceph);
  });
  afterAll(async () => {
    bucket?.close();
    await proxy?.stop();
    await ceph?.stop();
  });

  const steps = killsAround(['GET pending/', 'COPY builds/', 'PUT builds/', 'DELETE many']);

  it('can be repeated after a kill at any step, and leaves nothing behind', { timeout: 240_000 }, async () => {
    const random = createRandom(CRASH_SEED);
    using installation = await createInstallation(program, { isMigrated: true });
    const env = {
      TAXIWAY_STORAGE__BACKEND: 's3',
      TAXIWAY_STORAGE__S3__ENDPOINT: proxy.url,
      TAXIWAY_STORAGE__S3__BUCKET: bucket.name,
      TAXIWAY_STORAGE__S3__PREFIX: 'some/folder',
      TAXIWAY_STORAGE__S3__FORCE_PATH_STYLE: 'true',
      TAXIWAY_STORAGE__S3__ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
      TAXIWAY_STORAGE__S3__SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
    };
    let run: ServerRun = await installation.start({ env });
    const [worker] = (await createWorkers(run, 1, random)) as [Worker];
    const ask = async (method: string, path: string, json?: unknown) => {
      const { accessToken: token } = await signIn(run.client, worker.account);
      return run.client.ask(method, path, { json, token });
    };
    const expected = new Map<string, string>();

    for (const [index, { name, when }] of steps.entries()) {
      const payload = makePackage(random);
      const identity = { version_name: `1.${index}`, build_number: index + 1 };
      const initiated = await ask('POST', `/api/v1/builds/initiate?${inProject(worker)}`, identity);
      const id = String(initiated.body.pending_upload_id);
      const sent = await fetch(String(initiated.body.upload_url), {
        method: 'PUT',
        body: new Uint8Array(payload.bytes),
      });
      expect(sent.status).toBe(200);
      let isKilled = false;
      const kill = async () => {
        isKilled = true;
        await run.running.kill();
      };
      proxy.fault = (seen) => (!isKilled && seen.name.startsWith(name) ? { kind: when, run: kill } : undefined);
      const complete = () =>
        ask('POST', `/api/v1/builds/${id}/complete?${inProject(worker)}`, { sha256: payload.sha256 });
      await complete().catch(() => undefined);
      await run.running.ended;
      run.client.close();
      expect(isKilled, `${when} ${name}`).toBe(true);
      proxy.fault = undefined;
      run = await installation.start({ env });
      const again = await complete();
      expect(again.status, `after a kill ${when} ${name}: ${again.bytes}`).toBe(201);
      expected.set(String(again.body.identifier), payload.sha256);
    }

    for (const [identifier, checksum] of expected) {
      const { body } = await ask('GET', `/api/v1/builds/${identifier}`);
      expect(body.sha256).toBe(checksum);
      expect((await ask('GET', `/api/v1/builds/${identifier}/download`)).status).toBe(200);
    }
    // A job that was killed runs again when its lease has ended.
    await run.running.kill();
    endLeases(installation);
    run = await installation.start({ env });
    await expect.poll(async () => (await bucket.storage.list('pending/', { limit: 9 })).items).toEqual([]);
    const packages = (await bucket.storage.list('builds/', { limit: 99 })).items.filter(({ key }) =>
      key.endsWith('.apk'),
    );
    expect(packages).toHaveLength(steps.length);
    await run.running.kill();
  });
});
