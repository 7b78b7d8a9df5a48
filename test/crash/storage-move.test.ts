// Kills `taxiway storage move` in each state around its requests to an S3 service, beside a running server.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bucket, createBucket } from '../storage/s3/bucket.ts';
import { type FaultProxy, startFaultProxy } from '../storage/s3/proxy.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { createInstallation, createWorkers } from './installation.ts';
import { makePackage } from './payloads.ts';
import { bundleProgram, type Program, runProgram } from './program.ts';
import { CRASH_SEED, createRandom, killsAround } from './random.ts';
import { inProject, signIn, type Worker } from './worker.ts';

const missing = whyNoCeph();
if (missing !== undefined) process.stdout.write(`crash test of moving objects skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('taxiway storage move', () => {
  let program: Program;
  let ceph: Ceph;
  let proxy: FaultProxy;
  const buckets: Bucket[] = [];

  beforeAll(async () => {
    program = await bundleProgram();
    ceph = await startCeph();
    proxy = await startFaultProxy(ceph.url);
  });
  afterAll(async () => {
    for (const bucket of buckets) bucket.close();
    await proxy?.stop();
    await ceph?.stop();
  });

  const directions = [
    { from: 'local', to: 's3', steps: ['PUT builds/', 'GET builds/'] },
    { from: 's3', to: 'local', steps: ['HEAD builds/', 'GET builds/'] },
  ].map((direction) => ({ ...direction, steps: killsAround(direction.steps) }));

  for (const { from, to, steps } of directions) {
    it(`to ${to} continues after a kill at any step, and every download works`, { timeout: 240_000 }, async () => {
      const random = createRandom(CRASH_SEED);
      const bucket = await createBucket(ceph);
      buckets.push(bucket);
      using installation = await createInstallation(program, { isMigrated: true });
      mkdirSync(join(installation.blobs, 'objects'), { recursive: true });
      const env = {
        ...installation.env,
        TAXIWAY_STORAGE__BACKEND: from,
        TAXIWAY_STORAGE__S3__ENDPOINT: proxy.url,
        TAXIWAY_STORAGE__S3__BUCKET: bucket.name,
        TAXIWAY_STORAGE__S3__PREFIX: 'some/folder',
        TAXIWAY_STORAGE__S3__FORCE_PATH_STYLE: 'true',
        TAXIWAY_STORAGE__S3__ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
        TAXIWAY_STORAGE__S3__SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
      };
      const run = await installation.start({ env });
      const [worker] = (await createWorkers(run, 1, random)) as [Worker];
      const { accessToken: token } = await signIn(run.client, worker.account);
      const ask = (method: string, path: string, json?: unknown) => run.client.ask(method, path, { json, token });
      const expected = new Map<string, string>();
      const upload = async (number: number) => {
        const payload = makePackage(random);
        const identity = { version_name: `1.${number}`, build_number: number };
        const initiated = await ask('POST', `/api/v1/builds/initiate?${inProject(worker)}`, identity);
        const headers = initiated.body.required_headers as Record<string, string>;
        const url = String(initiated.body.upload_url);
        expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(payload.bytes) })).ok).toBe(true);
        const path = `/api/v1/builds/${initiated.body.pending_upload_id}/complete?${inProject(worker)}`;
        const completed = await ask('POST', path, { sha256: payload.sha256 });
        expect(completed.status, String(completed.bytes)).toBe(201);
        expected.set(String(completed.body.identifier), payload.sha256);
      };
      const expectDownloads = async (situation: string) => {
        for (const [identifier, checksum] of expected) {
          const answer = await ask('GET', `/api/v1/builds/${identifier}/download`);
          expect(answer.status, situation).toBe(200);
          const response = await fetch(String(answer.body.download_url));
          expect(response.status, situation).toBe(200);
          const bytes = Buffer.from(await response.arrayBuffer());
          expect(createHash('sha256').update(bytes).digest('hex'), situation).toBe(checksum);
        }
      };
      const move = () => runProgram(program, installation.folder, ['storage', 'move', '--to', to, '--json'], { env });

      for (const [index, { name, when }] of steps.entries()) {
        const situation = `${when} ${name}`;
        await upload(index + 1);
        let isKilled = false;
        const mover = move();
        const kill = async () => {
          isKilled = true;
          await mover.kill();
        };
        proxy.fault = (seen) => (!isKilled && seen.name.startsWith(name) ? { kind: when, run: kill } : undefined);
        await mover.ended;
        proxy.fault = undefined;
        expect(isKilled, `${situation}: ${mover.output.stderr}`).toBe(true);
        await expectDownloads(`after a kill ${situation}`);
      }
      const last = move();
      expect(await last.ended, last.output.stderr).toMatchObject({ code: 0 });
      expect(JSON.parse(last.output.stdout)).toMatchObject({ to, failed: 0, waiting: 0, open_uploads: 0 });
      await expectDownloads('at the end');
      const again = move();
      expect(await again.ended).toMatchObject({ code: 0 });
      const { moved, already_there: there } = JSON.parse(again.output.stdout);
      expect({ moved, hasAll: there >= steps.length }).toEqual({ moved: 0, hasAll: true });
      await run.running.kill();
    });
  }
});
