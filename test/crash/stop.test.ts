// SIGTERM under load loses nothing, and a second server refuses to start.
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { workUntilKilled } from './actions.ts';
import { createInstallation, createWorkers, type ServerRun } from './installation.ts';
import { bundleProgram, type Program, runProgram } from './program.ts';
import { createRandom } from './random.ts';
import { recover } from './recovery.ts';
import { complete, initiate, uploadBuild } from './uploads.ts';
import type { OpenUpload, Worker } from './worker.ts';

let program: Program;
beforeAll(async () => {
  program = await bundleProgram();
});

/** Disables the deadline of 8 seconds after which a stop closes all connections, so that a stop that needs it never ends. */
const WITHOUT_DEADLINE = `data:text/javascript,${encodeURIComponent(
  'const start = setTimeout; globalThis.setTimeout = (run, ms, ...values) => start(ms === 8000 ? () => {} : run, ms, ...values);',
)}`;

/** Sends half of an upload's bytes; `finish` sends the rest and answers the status. */
async function sendHalf(worker: Worker, upload: OpenUpload): Promise<{ finish(): Promise<number | undefined> }> {
  const { payload, pending } = upload;
  if (pending === undefined) throw new Error('the upload has no address');
  worker.sent.set(pending.id, new Set([payload.sha256]));
  const put = request(pending.url, {
    method: 'PUT',
    headers: { ...pending.headers, 'content-length': payload.bytes.length },
    agent: false,
  });
  const status = new Promise<number | undefined>((resolve, reject) => {
    put.on('response', (response) => resolve(response.resume().statusCode));
    put.on('error', reject);
  });
  status.catch(() => undefined);
  const half = payload.bytes.length >> 1;
  await new Promise((resolve) => put.write(payload.bytes.subarray(0, half), resolve));
  return {
    finish() {
      put.end(payload.bytes.subarray(half));
      return status;
    },
  };
}

async function stop({ running }: ServerRun): Promise<void> {
  running.child.kill('SIGTERM');
  expect(await running.ended).toEqual({ code: 0, signal: null });
}

/** Waits until the server receives an upload: a stop closes connections that it hasn't accepted. */
async function waitForBytes({ blobs }: { blobs: string }): Promise<void> {
  const incoming = join(blobs, 'incoming');
  while (readdirSync(incoming).length === 0) await sleep(10);
}

describe('SIGTERM under load', () => {
  it('finishes running requests, exits with 0 without the deadline for stops, and loses nothing', {
    timeout: 120_000,
  }, async () => {
    using installation = await createInstallation(program, { isMigrated: true });
    const options = { nodeWords: ['--import', WITHOUT_DEADLINE] };
    let serverRun = await installation.start(options);
    const workers = await createWorkers(serverRun, 3, createRandom(2));
    const [slow, ...others] = workers as [Worker, ...Worker[]];
    for (let round = 0; round < 3; round += 1) {
      const upload = await initiate(slow, serverRun.client);
      const half = await sendHalf(slow, upload);
      await waitForBytes(installation);
      const work = others.map((worker) => workUntilKilled(worker, serverRun.client));
      await sleep(400);
      const stopped = stop(serverRun);
      await sleep(300);
      expect(await half.finish()).toBe(201);
      upload.bytes = 'stored';
      await stopped;
      await Promise.all(work);
      serverRun = await installation.start(options);
      await Promise.all(workers.map((worker) => recover(worker, serverRun.client)));
    }
    expect(slow.state.builds).toHaveLength(3);
    await stop(serverRun);
  });
});

describe('a second server on the same data folder', () => {
  it('does not start and changes nothing of the first', { timeout: 120_000 }, async () => {
    using installation = await createInstallation(program, { isMigrated: true });
    const serverRun = await installation.start();
    const [worker] = (await createWorkers(serverRun, 1, createRandom(1))) as [Worker];
    const upload = await initiate(worker, serverRun.client);
    const half = await sendHalf(worker, upload);
    await waitForBytes(installation);

    const second = runProgram(program, installation.folder, ['serve']);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    const database = join(installation.folder, 'data', 'taxiway.db');
    expect(second.output).toEqual({
      stdout: '',
      stderr:
        `taxiway: another Taxiway server uses the database ${database}; stop it, or give this one a folder of its own ` +
        'with server.data_dir (TAXIWAY_SERVER__DATA_DIR=…)\n',
    });

    expect(readdirSync(join(installation.blobs, 'incoming'))).toHaveLength(1);
    expect(await half.finish()).toBe(201);
    await complete(worker, serverRun.client, upload);
    await uploadBuild(worker, serverRun.client);
    // A killed server holds nothing.
    await serverRun.running.kill();
    const next = await installation.start();
    await recover(worker, next.client);
    await stop(next);
  });

  it('does not block operator commands', { timeout: 120_000 }, async () => {
    using installation = await createInstallation(program, { isMigrated: true });
    const serverRun = await installation.start();
    for (const words of [['check'], ['sweep', 'orphaned-objects'], ['developer', 'list'], ['migrate', '--status']]) {
      const running = runProgram(program, installation.folder, words, { env: installation.env });
      expect(await running.ended, `${words}: ${running.output.stderr}`).toEqual({ code: 0, signal: null });
    }
    await stop(serverRun);
  });
});
