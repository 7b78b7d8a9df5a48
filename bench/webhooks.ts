// The cost of webhooks for other requests: the release that triggers them, and reads while endpoints are slow.
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../scripts/lib/ports.ts';
import type { App } from '../src/core/context.ts';
import { builds, channels, webhookSubscriptions } from '../src/data/tables/tables.ts';
import { sealSubscription } from '../src/webhooks/service.ts';
import { type Bench, type Kit, median, ratioRow, takeTurns } from './benchmark.ts';
import { startServer } from './processes.ts';
import { type SeededIds, type ServerFixture, startServerFixture } from './server-fixture.ts';

const WEBHOOKS = 50;
const RELEASES = 40;
const DELIVERIES_A_MINUTE = 1_000;
const ANSWER_MS = 1_000;
const LOAD_SECONDS = 6;
export const CHANNEL_ID = '00000000-0000-7000-8000-0000000000c1';
const BUILD_ID = '00000000-0000-7000-8000-0000000000b1';

export const webhookBench: Bench = {
  name: 'webhooks',
  summary: `a release that ${WEBHOOKS} webhooks hear of, and reads beside ${DELIVERIES_A_MINUTE} slow deliveries a minute`,
  async run(kit) {
    const port = await findFreePort();
    const receiver = await kit.use(
      startServer({
        command: process.execPath,
        args: [join(import.meta.dirname, 'slow-receiver.ts'), String(port), String(ANSWER_MS)],
        url: `http://127.0.0.1:${port}`,
        readyPath: '/',
      }),
    );
    const config = { webhooks: { allow_loopback: true } };
    const start = (name: string, count: number) =>
      kit.use(
        startServerFixture(join(kit.folder, name), {
          config,
          seed: (app, of) => seed(app, of, count, `${receiver.url}/${name}`),
        }),
      );
    const [quick, slow, quiet] = [
      await start('quick', WEBHOOKS),
      await start('slow', WEBHOOKS),
      await start('quiet', 0),
    ];
    return [await measureReleases(kit, quick, quiet), ...(await measureReads(kit, slow, quiet, receiver.url))];
  },
};

/** Measures the response time of a release; the next one starts when the deliveries of the previous one are done. */
async function measureReleases(kit: Kit, told: ServerFixture, quiet: ServerFixture) {
  const samples = await takeTurns(kit.rounds, {
    told: () => timeReleases(told),
    quiet: () => timeReleases(quiet),
  });
  return ratioRow({
    name: `release with ${WEBHOOKS} webhooks`,
    measured: samples.told,
    baseline: samples.quiet,
    show: (value) => `${value.toFixed(2)} ms`,
    goal: { atMost: 1.5 },
    note: `median of ${RELEASES}`,
  });
}

async function timeReleases(fixture: ServerFixture): Promise<number> {
  using client = connect(fixture);
  const times: number[] = [];
  for (let count = 0; count < RELEASES; count += 1) {
    times.push(await client.release());
    await sleep(30);
  }
  return median(times);
}

/** Measures the response time of a small read during releases in both fixtures, one of which has webhooks. */
async function measureReads(kit: Kit, told: ServerFixture, quiet: ServerFixture, receiverUrl: string) {
  const countReceived = async () => Number(await (await fetch(receiverUrl)).text());
  let [sent, minutes] = [0, 0];
  const samples = await takeTurns(kit.rounds, {
    told: async () => {
      const [before, startedAt] = [await countReceived(), performance.now()];
      const times = await timeReads(told);
      sent += (await countReceived()) - before;
      minutes += (performance.now() - startedAt) / 60_000;
      return times;
    },
    quiet: () => timeReads(quiet),
  });
  const note = `${Math.round(sent / minutes)} deliveries a minute, answered after ${ANSWER_MS / 1_000} s`;
  const row = (name: string, pick: (times: ReadTimes) => number) =>
    ratioRow({
      name: `${name} of a read beside slow webhooks`,
      measured: samples.told.map(pick),
      baseline: samples.quiet.map(pick),
      show: (value) => `${value.toFixed(2)} ms`,
      goal: { atMost: 1.2 },
      note,
    });
  return [row('median', ({ middle }) => middle), row('mean', ({ mean }) => mean)];
}

interface ReadTimes {
  middle: number;
  mean: number;
}

async function timeReads(fixture: ServerFixture): Promise<ReadTimes> {
  using client = connect(fixture);
  using releasing = connect(fixture);
  const stopAt = performance.now() + LOAD_SECONDS * 1_000;
  const pauseMs = (60_000 / DELIVERIES_A_MINUTE) * WEBHOOKS;
  const releases = (async () => {
    while (performance.now() < stopAt) {
      await releasing.release();
      await sleep(pauseMs);
    }
  })();
  const times: number[] = [];
  while (performance.now() < stopAt) {
    times.push(await client.read());
    await sleep(2);
  }
  await releases;
  return { middle: median(times), mean: times.reduce((sum, time) => sum + time, 0) / times.length };
}

interface Connection extends Disposable {
  /** Returns the milliseconds until the response. */
  release(): Promise<number>;
  read(): Promise<number>;
}

/** Opens a persistent connection, so that only the response time is measured. */
export function connect(fixture: ServerFixture): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const inChannel = `organization_id=${fixture.organizationId}&project_id=${fixture.androidProjectId}&channel_id=${CHANNEL_ID}`;
  const body = JSON.stringify({ build_id: BUILD_ID });
  const ask = (method: string, path: string, status: number, sent?: string) =>
    new Promise<number>((resolve, reject) => {
      const startedAt = performance.now();
      const headers = { authorization: `Bearer ${fixture.token}`, 'content-type': 'application/json' };
      const asked = request(`${fixture.url}${path}`, { method, agent, headers }, (response) => {
        response.resume();
        response.on('end', () => {
          if (response.statusCode === status) resolve(performance.now() - startedAt);
          else reject(new Error(`${method} ${path} answered ${response.statusCode}`));
        });
      });
      asked.on('error', reject);
      asked.end(sent);
    });
  return {
    release: () => ask('POST', `/api/v1/releases?${inChannel}`, 201, body),
    read: () => ask('GET', `/api/v1/builds/${BUILD_ID}`, 200),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** Seeds a channel, a build to release, and `count` webhooks. */
export function seed(app: App, of: SeededIds, count: number, url: string): void {
  const createdAt = app.clock.now().getTime();
  const place = { organizationId: of.organizationId, projectId: of.androidProjectId };
  const choices = { autoDistribute: false, notifyOnRelease: false, isPublic: false };
  app.db
    .insert(channels)
    .values({ ...place, ...choices, id: CHANNEL_ID, name: 'nightly', createdAt })
    .run();
  const file = { sha256: '0'.repeat(64), sizeBytes: 1, objectKey: 'builds/none', inspectionStatus: 'ok' as const };
  app.db
    .insert(builds)
    .values({
      ...place,
      ...file,
      id: BUILD_ID,
      platform: 'android',
      versionName: '1.0',
      buildNumber: 1,
      uploadedAt: createdAt,
      pendingUploadId: BUILD_ID,
    })
    .run();
  for (let index = 0; index < count; index += 1) {
    const id = app.ids.next();
    app.db
      .insert(webhookSubscriptions)
      .values({
        id,
        organizationId: of.organizationId,
        ...sealSubscription(app, id, { url: `${url}/${index}`, secret: app.secrets.token('svc_whsec_') }),
        events: '["release.created"]',
        format: 'svc',
        active: true,
        createdAt,
      })
      .run();
  }
}
