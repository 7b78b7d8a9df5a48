// Kills the server, and `taxiway storage move`, in each state around the requests to an organization's Azure container.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { configFrom } from '../../src/config.ts';
import { activate } from '../storage/azure/scenario.ts';
import { type AzureFront, startAzureFront } from '../support/azure-front.ts';
import { type Azurite, startAzurite, whyNoAzurite } from '../support/azurite.ts';
import { createInstallation, createWorkers, endLeases, type Installation, type ServerRun } from './installation.ts';
import { makePackage } from './payloads.ts';
import { bundleProgram, type Program, runProgram } from './program.ts';
import { CRASH_SEED, createRandom, killsAround, type Random } from './random.ts';
import { inProject, signIn, type Worker } from './worker.ts';

const missing = whyNoAzurite();
if (missing !== undefined) process.stdout.write(`crash test on Azure skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('packages in a container', () => {
  let program: Program;
  let azurite: Azurite;
  let front: AzureFront;

  beforeAll(async () => {
    program = await bundleProgram();
    azurite = await startAzurite();
    front = await startAzureFront(azurite);
  });
  afterAll(async () => {
    await front?.stop();
    await azurite?.stop();
  });

  interface Place {
    installation: Installation;
    env: Record<string, string>;
    run: ServerRun;
    worker: Worker;
    /** Works for ten minutes, also after a restart. */
    token: string;
    random: Random;
    container: string;
    expected: Map<string, string>;
  }

  async function start(installation: Installation): Promise<Place> {
    front.reset();
    const random = createRandom(CRASH_SEED);
    const env = {
      ...installation.env,
      TAXIWAY_BYOSA__AZURE_AUTHORITY_HOST: front.url,
      TAXIWAY_BYOSA__AZURE_ENDPOINT_SUFFIX: front.url,
    };
    const run = await installation.start({ env });
    const [worker] = (await createWorkers(run, 1, random)) as [Worker];
    const { accessToken: token } = await signIn(run.client, worker.account);
    const container = await front.createContainer();
    return { installation, env, run, worker, token, random, container, expected: new Map() };
  }

  /** As the operator's command does beside the server. */
  async function activateBeside({ installation, worker, container }: Place): Promise<void> {
    const opened = await openApp(configFrom({ server: { data_dir: join(installation.folder, 'data') } }));
    activate(opened, front, { organizationId: worker.place.organizationId, container });
    await opened.close();
  }

  function ask({ run, token }: Place, method: string, path: string, json?: unknown) {
    return run.client.ask(method, path, { json, token });
  }

  async function send(place: Place, number: number) {
    const payload = makePackage(place.random);
    const identity = { version_name: `1.${number}`, build_number: number };
    const initiated = await ask(place, 'POST', `/api/v1/builds/initiate?${inProject(place.worker)}`, identity);
    const headers = initiated.body.required_headers as Record<string, string>;
    const body = new Uint8Array(payload.bytes);
    expect((await fetch(String(initiated.body.upload_url), { method: 'PUT', headers, body })).ok).toBe(true);
    const path = `/api/v1/builds/${initiated.body.pending_upload_id}/complete?${inProject(place.worker)}`;
    return { complete: () => ask(place, 'POST', path, { sha256: payload.sha256 }), checksum: payload.sha256 };
  }

  async function expectDownloads(place: Place, situation: string): Promise<void> {
    for (const [identifier, checksum] of place.expected) {
      const answer = await ask(place, 'GET', `/api/v1/builds/${identifier}/download`);
      expect(answer.status, situation).toBe(200);
      const response = await fetch(String(answer.body.download_url));
      expect(response.status, situation).toBe(200);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex'), situation).toBe(checksum);
    }
  }

  const stepsOf = (requests: readonly [method: string, path: RegExp][]) =>
    killsAround(requests).map(({ name: [method, path], when }) => ({ method, path, isAfter: when === 'after' }));

  it('are complete after a kill at any step of complete, and nothing is left behind', {
    timeout: 240_000,
  }, async () => {
    using installation = await createInstallation(program, { isMigrated: true });
    const place = await start(installation);
    await activateBeside(place);
    const steps = stepsOf([
      ['HEAD', /\/pending\//],
      ['GET', /\/pending\//],
      ['PUT', /\/builds\//],
      ['HEAD', /\/builds\//],
      ['DELETE', /\/pending\//],
    ]);
    for (const [index, { method, path, isAfter }] of steps.entries()) {
      const situation = `${isAfter ? 'after' : 'instead of'} ${method} ${path.source}`;
      const { complete, checksum } = await send(place, index + 1);
      let isKilled = false;
      const kill = async () => {
        isKilled = true;
        await place.run.running.kill();
      };
      front.state.faults = [{ method, path, isAfter, times: 1, run: kill }];
      await complete().catch(() => undefined);
      await place.run.running.ended;
      place.run.client.close();
      expect(isKilled, situation).toBe(true);
      front.state.faults = [];
      place.run = await installation.start({ env: place.env });
      const again = await complete();
      expect(again.status, `${situation}: ${again.bytes}`).toBe(201);
      place.expected.set(String(again.body.identifier), checksum);
    }
    await expectDownloads(place, 'at the end');
    // A job that was killed runs again when its lease has ended.
    await place.run.running.kill();
    endLeases(installation);
    place.run = await installation.start({ env: place.env });
    const names = async () => (await front.listNames(place.container)).map((name) => name.split('/')[1]);
    await expect.poll(names).toEqual(steps.map(() => 'builds'));
    await place.run.running.kill();
  });

  it('are moved there and back with a kill at any step, and every download works', { timeout: 240_000 }, async () => {
    using installation = await createInstallation(program, { isMigrated: true });
    const place = await start(installation);
    const directions = [
      {
        to: 'azure',
        steps: stepsOf([
          ['HEAD', /\/builds\//],
          ['PUT', /\/builds\//],
          ['GET', /\/builds\//],
        ]),
      },
      {
        to: 'local',
        steps: stepsOf([
          ['HEAD', /\/builds\//],
          ['GET', /\/builds\//],
        ]),
      },
    ];
    for (let number = 1; number <= 3; number += 1) {
      const { complete, checksum } = await send(place, number);
      place.expected.set(String((await complete()).body.identifier), checksum);
    }
    await activateBeside(place);
    for (const { to, steps } of directions) {
      const move = () => {
        const words = ['storage', 'move', '--to', to, '--organization', place.worker.place.organizationId, '--json'];
        return runProgram(program, installation.folder, words, { env: place.env });
      };
      for (const [index, { method, path, isAfter }] of steps.entries()) {
        const situation = `to ${to} ${isAfter ? 'after' : 'instead of'} ${method} ${path.source}`;
        // New ones are in the container, and back on the server they're what the next kill interrupts.
        const { complete, checksum } = await send(place, 100 + index + (to === 'azure' ? 0 : 50));
        place.expected.set(String((await complete()).body.identifier), checksum);
        let isKilled = false;
        const mover = move();
        const kill = async () => {
          isKilled = true;
          await mover.kill();
        };
        front.state.faults = [{ method, path, isAfter, times: 1, run: kill }];
        await mover.ended;
        front.state.faults = [];
        expect(isKilled, `${situation}: ${mover.output.stderr}`).toBe(true);
        await expectDownloads(place, situation);
      }
      const last = move();
      expect(await last.ended, last.output.stderr).toMatchObject({ code: 0 });
      expect(JSON.parse(last.output.stdout)).toMatchObject({ to, failed: 0, open_uploads: 0 });
      await expectDownloads(place, `after the move to ${to}`);
    }
    await place.run.running.kill();
  });
});
